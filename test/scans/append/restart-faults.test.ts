/** `--restart` of a file that has scans which the service no longer has: nothing of it is lost, wherever the run ends (A31). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LocalError } from '#base/errors';
import type { Disk } from '#files/durable/disk';
import { atEveryStep, POWER_CUTS } from '../../files/durable/every-step.ts';
import { Ended, type Fault, type MemoryDisk } from '../../support/memory-disk.ts';
import { firstRows, runs, SOAK } from '../../support/property-runs.ts';
import {
  CODE,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  rowsAt,
  run,
  START,
  STATE,
  type TestService,
} from './runs.ts';

const ids = (name: string, on: MemoryDisk) => idsIn(on.read(name) ?? '');

/** The disk of a file system without hard links. */
function withoutLinks(on: MemoryDisk): Disk {
  return { ...on.disk, link: () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' })) };
}

const before = { [CODE]: rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR) };
const after: TestService = {
  [CODE]: [...rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR).slice(2), { id: 9, time: START + 4 * HOUR }],
};
const diskOf = (on: MemoryDisk, hasLinks: boolean) => (hasLinks ? on.disk : withoutLinks(on));
const everyRow = (on: MemoryDisk) =>
  new Set(
    on
      .names()
      .filter((name) => name !== STATE)
      .flatMap((name) => ids(name, on)),
  );

/** The next run ends well, and what the old file had is in the file or in the old one, each file whole. */
async function expectNothingLost(on: MemoryDisk, hasLinks: boolean): Promise<void> {
  await run(on, after, { disk: diskOf(on, hasLinks) });
  expect(ids(FILE, on)).toContain('9');
  expect(everyRow(on)).toEqual(new Set(['1', '2', '3', '4', '9']));
  expect(on.names().filter((name) => name.includes('restart'))).toEqual([]);
}

const disks = firstRows(1, [true, false]);
describe.each(disks)('with an old file that must be kept (disk with links: %s),', (hasLinks) => {
  const prepare = async (on: MemoryDisk) => void (await run(on, before, { disk: diskOf(on, hasLinks) }));
  const work = (on: MemoryDisk) => run(on, after, { restart: true, disk: diskOf(on, hasLinks) });
  // Between the end of a step and the beginning of the next nothing counts: of the ends, the one within is enough by day.
  const ends: Fault[] = SOAK ? ['end-before', 'end-within', 'end-after'] : ['end-within'];
  const cuts = SOAK
    ? POWER_CUTS
    : POWER_CUTS.filter((keep) => keep('names') !== 0.5 && keep('inode 1') !== 0.5);

  it('a --restart that is killed at any step loses no scan (A31)', async () => {
    const steps = await atEveryStep(prepare, work, [...ends, 'end-after'], async ({ memory: on, error }) => {
      expect(error).toBeInstanceOf(Ended);
      on.revive();
      await expectNothingLost(on, hasLinks);
    });
    expect(steps).toBeGreaterThan(10);
  });

  it('a --restart that loses power at any step loses no scan, whatever unflushed data remains (A31)', async () => {
    for (const keep of cuts) {
      await atEveryStep(prepare, work, ends, async ({ memory: on }) => {
        on.revive({ keep });
        await expectNothingLost(on, hasLinks);
      });
    }
  });

  it('a power cut that undoes any one directory change of a --restart loses no scan (A31)', async () => {
    for (const lost of SOAK ? [0, 1, 2, 3] : [0, 1]) {
      await atEveryStep(prepare, work, ['end-after'], async ({ memory: on }) => {
        on.revive({ keep: () => 1, lost });
        await expectNothingLost(on, hasLinks);
      });
    }
  });

  it('a run that completes an interrupted --restart loses no scan if it is killed or loses power at any step (A31)', async () => {
    const killed = async (on: MemoryDisk) => {
      await prepare(on);
      on.fault = (_, operation) =>
        operation === `rename ${FILE.replace('scans', '.scans')}.restart` ? 'end-before' : undefined;
      await expect(work(on)).rejects.toThrow(Ended);
      on.revive();
    };
    for (const keep of [undefined, ...cuts]) {
      const next = (on: MemoryDisk) => run(on, after, { disk: diskOf(on, hasLinks) });
      await atEveryStep(killed, next, ends, async ({ memory: on }) => {
        on.revive(keep && { keep });
        await expectNothingLost(on, hasLinks);
      });
    }
  });

  it('a full disk at any step of a --restart loses no scan (A31)', async () => {
    await atEveryStep(prepare, work, SOAK ? ['ENOSPC', 'EIO'] : ['ENOSPC'], async ({ memory: on, error }) => {
      if (error !== undefined) expect(error).toBeInstanceOf(LocalError);
      on.revive();
      await expectNothingLost(on, hasLinks);
    });
  });
});

/** One thing that happens. */
const event = fc.record({
  scans: fc.nat({ max: 4 }),
  /** Whether the service forgets each of its scans, by turns. */
  forgets: fc.array(fc.boolean(), { maxLength: 12 }),
  restart: fc.boolean(),
  fault: fc.option(
    fc.record({
      at: fc.nat({ max: 40 }),
      kind: fc.constantFrom<Fault>('ENOSPC', 'EIO', 'short', 'end-before', 'end-within', 'end-after'),
      powerCut: fc.option(fc.constantFrom(0, 0.2, 0.5, 0.8, 1), { nil: undefined }),
    }),
    { nil: undefined },
  ),
  hasLinks: fc.boolean(),
});

it('after any history, each scan that a successful run left in the file is still there or in a kept old file (A31)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 10 }), async (events) => {
      const on = createMemoryDisk();
      const there: TestService = { [CODE]: [] };
      const had = new Set<string>();
      let [nowMs, nextId] = [START, 1];
      for (const { scans, forgets, fault, hasLinks, ...options } of events) {
        nowMs += HOUR / 2;
        there[CODE] = (there[CODE] ?? []).filter((_, i) => !forgets[i % 12]);
        for (let i = 0; i < scans; i++) there[CODE].push({ id: nextId++, time: nowMs + i });
        on.fault = (step) => (step === fault?.at ? fault.kind : undefined);
        await run(on, there, { ...options, disk: diskOf(on, hasLinks) }).catch(() => undefined);
        const ended = fault?.kind.startsWith('end') && on.steps() > fault.at;
        on.revive(ended && fault?.powerCut !== undefined ? { keep: () => fault.powerCut ?? 1 } : undefined);
        if (ended || fault) await run(on, there);
        for (const id of ids(FILE, on)) had.add(id);
        expect([...had].filter((id) => !everyRow(on).has(id))).toEqual([]);
        expect(there[CODE].filter(({ id }) => !ids(FILE, on).includes(`${id}`))).toEqual([]);
      }
    }),
    runs(15, 20_000),
  );
}, 600_000);
