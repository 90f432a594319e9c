/** Random histories of one file: runs, kills, power cuts, full disks, new and late scans, changing overlaps. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Fault } from '../../support/memory-disk.ts';
import { runs } from '../../support/property-runs.ts';
import {
  CODE,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  idsOf,
  OTHER_CODE,
  run,
  START,
  type TestService,
} from './runs.ts';

/** One thing that happens. Times are shares of the hour that passes with each event. */
interface Event {
  /** New scans, and how long before now each was; all within the overlap of every run. */
  scans: { other: boolean; agoMs: number }[];
  run?: {
    fault?: { at: number; kind: Fault; powerCut: number | undefined };
    overlapMs: number;
    pageRows: number;
    restart: boolean;
    failAfter: number | undefined;
  };
}

const SHORTEST_OVERLAP = HOUR;

const scan = fc.record({
  other: fc.boolean(),
  agoMs: fc.oneof(fc.constant(0), fc.nat({ max: SHORTEST_OVERLAP })),
});
const fault = fc.record({
  at: fc.nat({ max: 40 }),
  kind: fc.constantFrom<Fault>('ENOSPC', 'EIO', 'short', 'end-before', 'end-within', 'end-after'),
  powerCut: fc.option(fc.constantFrom(0, 0.2, 0.5, 0.8, 1), { nil: undefined }),
});
const event: fc.Arbitrary<Event> = fc.record({
  scans: fc.array(scan, { maxLength: 8 }),
  run: fc.option(
    fc.record({
      fault: fc.option(fault, { nil: undefined }),
      overlapMs: fc.constantFrom(SHORTEST_OVERLAP, 2 * HOUR, 50 * HOUR),
      pageRows: fc.integer({ min: 1, max: 5 }),
      restart: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      failAfter: fc.option(fc.nat({ max: 10 }), { nil: undefined }),
    }),
    { nil: undefined },
  ),
});

/** A restart that fails at one step (its very last flush is the worst), and a power cut when the next run has written a row. */
const failedRestart = (at: number): Event[] => [
  {
    scans: [{ other: false, agoMs: 0 }],
    run: {
      fault: { at, kind: 'ENOSPC', powerCut: undefined },
      overlapMs: HOUR,
      pageRows: 1,
      restart: true,
      failAfter: undefined,
    },
  },
  {
    scans: [{ other: false, agoMs: 0 }],
    run: {
      fault: { at: 0, kind: 'end-after', powerCut: 0.2 },
      overlapMs: HOUR,
      pageRows: 1,
      restart: false,
      failAfter: undefined,
    },
  },
];

const plainRun = { fault: undefined, overlapMs: HOUR, pageRows: 1, restart: false, failAfter: undefined };
const aScan = { other: false, agoMs: 0 };

/** The flush of the directory fails after the rename of a state, and the power is cut when the next run has written a row. */
const unflushedState: Event[] = [
  { scans: [aScan], run: { ...plainRun, restart: true } },
  { scans: [aScan], run: { ...plainRun, fault: { at: 5, kind: 'ENOSPC', powerCut: undefined } } },
  { scans: [], run: { ...plainRun, fault: { at: 0, kind: 'end-after', powerCut: 0.5 } } },
];

/** A run is killed after uncommitted rows, and the power is cut when the next run has written others in their place. */
const mixedRows: Event[] = [
  {
    scans: [aScan, aScan, aScan, { ...aScan, other: true }],
    run: { ...plainRun, pageRows: 3, fault: { at: 18, kind: 'end-before', powerCut: undefined } },
  },
  { scans: [aScan], run: { ...plainRun, fault: { at: 4, kind: 'end-before', powerCut: 0.8 } } },
];

/** At each of its steps, and a few beyond its end. */
const FAILED_RESTARTS = Array.from({ length: 16 }, (_, at): [Event[]] => [failedRestart(at)]);

const EXAMPLES: [Event[]][] = [[unflushedState], [mixedRows], ...FAILED_RESTARTS];

it.each(['csv', 'ndjson'] as const)(
  'after any history, a successful run leaves each scan once in a %s file (A10, A12)',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (events) => {
        const memory = createMemoryDisk();
        const service: TestService = { [CODE]: [], [OTHER_CODE]: [] };
        let nowMs = START;
        let nextId = 1;
        for (const { scans, run: attempt } of events) {
          nowMs += HOUR / 2;
          for (const { other, agoMs } of scans)
            service[other ? OTHER_CODE : CODE]?.push({ id: nextId++, time: nowMs - agoMs });
          if (!attempt) continue;
          const { fault, ...options } = attempt;
          memory.fault = (step) => (step === fault?.at ? fault.kind : undefined);
          await run(memory, service, {
            ...options,
            failAfter: options.failAfter ?? 1e9,
            identity: { format },
          }).catch(() => undefined);
          const ended = fault?.kind.startsWith('end') && memory.steps() > fault.at;
          memory.revive(
            ended && fault?.powerCut !== undefined ? { keep: () => fault.powerCut ?? 1 } : undefined,
          );
        }
        await run(memory, service, { identity: { format } });
        expect(idsIn(memory.read(FILE) ?? '', format).sort()).toEqual(idsOf(service));
      }),
      { ...runs(15 + EXAMPLES.length, 20_000), examples: EXAMPLES },
    );
  },
  600_000,
);
