/** Where a run begins to read when clocks were set, or scans are dated ahead. */
import { beforeEach, describe, expect, it } from 'vitest';
import { UnprovenError } from '#base/errors';
import { formatInstant } from '#base/time/time';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import {
  CODE,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  openOn,
  type RunOptions,
  rowsAt,
  run,
  START,
  type TestService,
} from './runs.ts';

const DAY = 24 * HOUR;

let memory: MemoryDisk;
let service: TestService;
let notes: string[];

beforeEach(() => {
  memory = createMemoryDisk();
  service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR) };
  notes = [];
});

/** A run at an instant by the service's clock and, unless told otherwise, by the machine's. */
function at(serviceMs: number | undefined, machineMs = serviceMs ?? START): RunOptions {
  const clock = { now: () => machineMs, monotonic: () => 0, random: () => 0, sleep: async () => {} };
  return { clock, serviceNow: () => serviceMs, note: (line) => notes.push(line) };
}

/** The lower bound of the next run, for a range that ends at `endMs`. */
async function startOf(options: RunOptions, endMs: number): Promise<number | undefined> {
  const file = await openOn(memory, service, options);
  try {
    return file.sinkOf(CODE).sinceFor?.(endMs);
  } finally {
    await file.discard();
  }
}

const ids = () => idsIn(memory.read(FILE) ?? '');

it('a run reads from one overlap before the watermark, without a note, if all clocks are right', async () => {
  await run(memory, service, at(START + 3 * HOUR));
  const now = START + 9 * DAY;
  expect(await startOf(at(now), now)).toBe(START + HOUR);
  // Half a minute of drift in nine days, and an answer of whole seconds.
  expect(await startOf(at(now, now + 30_000), now)).toBe(START + HOUR);
  expect(notes).toEqual([]);
});

it("a run reads from one overlap before the service's time, and prints a note, if that time is before the watermark (A22)", async () => {
  await run(memory, service, at(START + 3 * HOUR));
  const now = START - DAY;
  expect(await startOf(at(now, START + 3 * HOUR), now)).toBe(now - HOUR);
  expect(notes).toEqual([
    `scans.out: the file has scans up to ${formatInstant(START + 2 * HOUR)}, which is later than the service's clock. ` +
      `The clock was set back, or a scan is dated in the future. Reading scans from ${formatInstant(now - HOUR)} and skipping scans that the file already has`,
  ]);
});

it('a run reads from the first scan if no period is verified, and prints a note if the clock was set back (A9, A22)', async () => {
  await expect(run(memory, service, { ...at(START + 3 * HOUR), unproven: true })).rejects.toThrow(
    'does not add up',
  );
  const now = START - DAY;
  expect(await startOf({ ...at(now), note: undefined }, now)).toBeUndefined();
  expect(await startOf(at(now), now)).toBeUndefined();
  expect(notes).toEqual([
    expect.stringContaining('Reading all scans and skipping scans that the file already has'),
  ]);
});

it("a run begins earlier by as much as the service's clock was set back, even if that clock is past the watermark (A22)", async () => {
  // The service was a day fast; a week later it is right.
  await run(memory, service, at(START + 2 * HOUR, START + 2 * HOUR - DAY));
  const now = START + 6 * DAY;
  expect(await startOf(at(now), now)).toBe(START + HOUR - DAY);
  service[CODE]?.push({ id: 77, time: START - 10 * HOUR });
  const file = await openOn(memory, service, at(now));
  const sink = file.sinkOf(CODE);
  expect(sink.sinceFor?.(now)).toBe(START + HOUR - DAY);
  const row = { id: 77, ts: formatInstant(START - 10 * HOUR) };
  expect(
    await sink.write({ rows: [row, { id: 1, ts: formatInstant(START) }], times: [START - 10 * HOUR, START] }),
  ).toBe(1);
  await sink.commit();
  await file.commit();
  expect(ids()).toEqual(['1', '2', '3', '77']);
});

it.each([400, -400])(
  "a run ignores, without a note, that this machine's clock was wrong by %i days in one run (A22)",
  async (days) => {
    await run(memory, service, at(START + 3 * HOUR));
    service[CODE]?.push({ id: 4, time: START + 26 * HOUR });
    const wrong = at(START + DAY + 3 * HOUR, START + DAY + 3 * HOUR + days * DAY);
    expect(await startOf(wrong, START + DAY + 3 * HOUR)).toBe(START + HOUR);
    expect(await run(memory, service, wrong)).toBe(1);
    const now = START + 2 * DAY + 3 * HOUR;
    expect(await startOf(at(now), now)).toBe(START + 25 * HOUR);
    expect(notes).toEqual([]);
  },
);

it("a run begins earlier, without a note, if the machine's clock moved by five hours relative to the service's (A22)", async () => {
  await run(memory, service, at(START + 3 * HOUR, START - 2 * HOUR));
  const now = START + DAY;
  expect(await startOf(at(now), now)).toBe(START - 3 * HOUR);
  expect(notes).toEqual([]);
});

it('a run reads scans that arrived after the last run, even if the newest scan is dated in the future (A22)', async () => {
  const future = START + 400 * DAY;
  service[CODE]?.push({ id: 50, time: future });
  await run(memory, service, { ...at(START + 3 * HOUR), untilMs: future + 1 });
  expect(ids()).toEqual(['1', '2', '3', '50']);
  const now = START + 5 * DAY;
  expect(await startOf(at(now), now)).toBe(START + 2 * HOUR);
  service[CODE]?.push({ id: 60, time: START + 3.5 * HOUR });
  expect(await run(memory, service, at(now))).toBe(1);
  expect(ids()).toEqual(['1', '2', '3', '50', '60']);
});

it('a run reads scans that arrived since the last run began, however long that run took (A22)', async () => {
  let serviceMs = START + 3 * HOUR;
  const clock = { now: () => serviceMs, monotonic: () => 0, random: () => 0, sleep: async () => {} };
  const file = await openOn(memory, service, { ...at(0), clock, serviceNow: () => serviceMs });
  const sink = file.sinkOf(CODE);
  serviceMs += 9 * HOUR;
  const future = START + 40 * DAY;
  await sink.write({ rows: [{ id: 9, ts: formatInstant(future) }], times: [future] });
  await sink.commit();
  await file.commit();
  expect(await startOf(at(START + 2 * DAY), START + 2 * DAY)).toBe(START + 2 * HOUR);
});

it('a run begins to read one overlap before the requested end if that end is before the watermark (A22)', async () => {
  await run(memory, service, at(START + 3 * HOUR));
  const untilMs = START + HOUR / 2;
  expect(await startOf({ ...at(START + DAY), untilMs }, untilMs)).toBe(untilMs - HOUR);
  expect(await run(memory, service, { ...at(START + DAY), untilMs })).toBe(0);
  expect(notes).toEqual([]);
});

it("a run never begins to read before the first run's --since, even if the requested end is earlier (A18, A22)", async () => {
  await run(memory, service, { ...at(START + 3 * HOUR), sinceMs: START });
  for (const untilMs of [START, START - 1])
    expect(await startOf({ ...at(START + DAY), untilMs }, untilMs)).toBe(START);
});

describe('an append from a service without a Date header', () => {
  it("is refused if the machine's clock is behind the newest scan in the file (A23)", async () => {
    await run(memory, service, at(undefined, START + 3 * HOUR));
    const machineMs = START - DAY;
    const failing = startOf(at(undefined, machineMs), machineMs);
    await expect(failing).rejects.toThrow(UnprovenError);
    await expect(failing).rejects.toThrow(
      `the service sends no Date header, and this machine's clock (${formatInstant(machineMs)}) is earlier than the newest scan in ${FILE}`,
    );
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining('--until') });
  });

  it('is not refused before the end of the range is known (A23)', async () => {
    await run(memory, service, at(undefined, START + 3 * HOUR));
    const file = await openOn(memory, service, at(undefined, START - DAY));
    expect(file.sinkOf(CODE).sinceMs).toBe(START + HOUR);
    await file.discard();
  });

  it('accepts an early clock for a code without rows, and a clock that equals the time of the newest row (A23)', async () => {
    expect(await startOf(at(undefined, START - DAY), START - DAY)).toBeUndefined();
    await run(memory, service, at(undefined, START + 3 * HOUR));
    const machineMs = START + 2 * HOUR;
    expect(await startOf(at(undefined, machineMs), machineMs)).toBe(START + HOUR);
  });

  it('needs no clock if the end was requested (A23)', async () => {
    await run(memory, service, at(undefined, START + 3 * HOUR));
    const untilMs = START + DAY;
    expect(await startOf({ ...at(undefined, START - DAY), untilMs }, untilMs)).toBe(START + HOUR);
  });
});

it("a run begins to read one overlap before the watermark, or earlier once a response shows that the service's clock was set back", async () => {
  await run(memory, service, at(START + 3 * HOUR));
  let serviceMs: number | undefined;
  const file = await openAppendLater(() => serviceMs);
  const sink = file.sinkOf(CODE);
  expect(sink.sinceMs).toBe(START + HOUR);
  serviceMs = START - DAY;
  expect(sink.sinceFor?.(serviceMs)).toBe(START - DAY - 2 * HOUR); // an hour has passed since
  await file.discard();
});

function openAppendLater(serviceNow: () => number | undefined): ReturnType<typeof openOn> {
  return openOn(memory, service, { ...at(undefined, START + 4 * HOUR), serviceNow });
}
