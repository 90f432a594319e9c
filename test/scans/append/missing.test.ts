/** Rows that a comparison with the service found missing: added wherever in time they are, once, and the next run is not misled (A34). */
import { describe, expect, test } from 'vitest';
import { Ended, type Fault, type MemoryDisk } from '../../support/memory-disk.ts';
import { firstRows, SOAK } from '../../support/property-runs.ts';
import {
  CODE,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  idsOf,
  openOn,
  type RunOptions,
  rowsAt,
  run,
  START,
  type TestService,
  timedRows,
} from './runs.ts';

const hours = (count: number) => rowsAt(...Array.from({ length: count }, (_, i) => i * HOUR));
/** Far older than the overlap. */
const LATE = { id: 900, time: START + 2.5 * HOUR };
const LATER = { id: 901, time: START + 5.5 * HOUR };

/** Adds what the file lacks of the service, as `scans verify --repair` does. */
async function repair(memory: MemoryDisk, service: TestService, options: RunOptions = {}): Promise<number> {
  const file = await openOn(memory, service, options);
  try {
    const there = new Set(idsIn(memory.read(FILE) ?? ''));
    const rows = (service[CODE] ?? []).filter(({ id }) => !there.has(String(id)));
    const added = rows.length > 0 ? await file.addMissing(CODE, timedRows(rows)) : 0;
    await file.commit();
    return added;
  } finally {
    await file.discard();
  }
}

test('a repair adds rows older than the overlap once, and does not change where the next run begins to read (A34)', async () => {
  const memory = createMemoryDisk();
  const service: TestService = { [CODE]: hours(10) };
  await run(memory, service);
  service[CODE]?.push(LATE, LATER);
  expect(await run(memory, service)).toBe(0);
  expect(await repair(memory, service)).toBe(2);
  expect(await repair(memory, service)).toBe(0);
  expect(idsIn(memory.read(FILE) ?? '').sort()).toEqual(idsOf(service));
  const file = await openOn(memory, service);
  expect(file.sinkOf(CODE).sinceMs).toBe(START + 8 * HOUR);
  await file.discard();
  expect(await run(memory, service)).toBe(0);
});

test('after a repair, the next run still reads all scans since the last run, even if one is dated in the future', async () => {
  const memory = createMemoryDisk();
  const service: TestService = { [CODE]: [...hours(5), { id: 800, time: START + 5000 * HOUR }] };
  const at = (hour: number): RunOptions => ({ serviceNow: () => START + hour * HOUR });
  await run(memory, service, at(10));
  service[CODE]?.push(LATE, { id: 902, time: START + 12 * HOUR });
  const file = await openOn(memory, service, at(20));
  expect(await file.addMissing(CODE, timedRows([LATE]))).toBe(1);
  await file.commit();
  // From the overlap before the hour of the last run on, not of the repair.
  expect(await run(memory, service, at(20))).toBe(1);
  expect(idsIn(memory.read(FILE) ?? '').sort()).toEqual(idsOf(service));
});

test('a repair adds a row older than the rotated rows, although an append refuses that row', async () => {
  const memory = createMemoryDisk();
  const service: TestService = { [CODE]: hours(10) };
  await run(memory, service, { rotated: true });
  memory.write('/data/scans.out.1', memory.read(FILE) ?? '');
  memory.remove(FILE);
  service[CODE]?.push({ id: 800, time: START + 11 * HOUR });
  expect(await run(memory, service, { rotated: true })).toBe(1);
  const file = await openOn(memory, service, { rotated: true });
  await expect(file.sinkOf(CODE).write(timedRows([LATE]))).rejects.toThrow('rotated files');
  await file.discard();
  const again = await openOn(memory, service, { rotated: true });
  expect(await again.addMissing(CODE, timedRows([LATE]))).toBe(1);
  await again.commit();
  expect(idsIn(memory.read(FILE) ?? '')).toEqual(['800', '900']);
  expect(await run(memory, service, { rotated: true })).toBe(0);
});

// By day a failure, a short write and an end.
describe.each(firstRows<Fault>(3, ['ENOSPC', 'short', 'end-within', 'EIO', 'end-before', 'end-after']))(
  'the fault %s at any step of a repair',
  (fault) => {
    test.each(SOAK || fault === 'end-within' ? [true, false] : [false])(
      'leaves a file that the next repair completes, with each scan once (power cut: %s)',
      async (isPowerCut) => {
        let isThrough = false;
        for (let at = 0; !isThrough; at++) {
          expect(at, 'a repair has a bounded number of steps').toBeLessThan(200);
          const memory = createMemoryDisk();
          const service: TestService = { [CODE]: hours(6) };
          await run(memory, service);
          service[CODE]?.push(LATE, LATER);
          memory.revive();
          memory.fault = (step) => (step === at ? fault : undefined);
          const ended = await repair(memory, service).then(
            () => 'done',
            (error) => error,
          );
          isThrough = memory.steps() <= at;
          if (fault.startsWith('end') && !isThrough)
            expect(ended === 'done' || ended instanceof Ended).toBe(true);
          memory.fault = () => undefined;
          memory.revive(isPowerCut ? { keep: () => 0.5 } : undefined);
          await run(memory, service);
          await repair(memory, service);
          expect(idsIn(memory.read(FILE) ?? '').sort(), `${fault} at ${at}`).toEqual(idsOf(service));
        }
      },
    );
  },
);
