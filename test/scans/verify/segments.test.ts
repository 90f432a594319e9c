import { describe, expect, it } from 'vitest';
import type { Range } from '#scans/export/range';
import { createLogIndex, emptyIndex } from '#scans/verify/log-index';
import { countScans, findSegments, isSame, mayBeCapped } from '#scans/verify/segments';
import { type ModelRow, type ModelScansOptions, modelScans } from '../../support/model-service/scans.ts';
import { DAY_MS, START_MS, scansOver } from './verify-logs.ts';

function indexOf(log: readonly ModelRow[]) {
  const index = createLogIndex(() => true);
  for (const { id, time } of log) index.add('a', id, time);
  return index.of('a') ?? emptyIndex();
}

/** The segments by their days from the start, with the scans that the log has in them, and the requests that it took to find them. */
async function find(
  scans: readonly ModelRow[],
  log: readonly ModelRow[],
  range: Range,
  options: ModelScansOptions = {},
) {
  const service = modelScans(scans, options);
  const job = { read: service.read, index: indexOf(log), largest: { total: 0 } };
  const page = await countScans(job, range);
  const segments = await findSegments(job, range, page);
  const dayOf = (ms: number) => (ms - START_MS) / DAY_MS;
  return {
    days: segments.map((segment) => [dayOf(segment.range.sinceMs ?? START_MS), dayOf(segment.range.untilMs)]),
    logged: segments.map(({ logged }) => logged),
    totals: segments.map(({ first }) => first.total),
    requests: service.state.requests - 1,
  };
}

const daysFrom = (first: number, end: number): Range => ({
  sinceMs: START_MS + first * DAY_MS,
  untilMs: START_MS + end * DAY_MS,
});
const without = (rows: readonly ModelRow[], ...ids: number[]) => rows.filter(({ id }) => !ids.includes(id));

describe('findSegments', () => {
  it('halves a range of two days at midnight', async () => {
    // Ten per day, in pages of one.
    const scans = scansOver(2, 20);
    const found = await find(scans, without(scans, 15), daysFrom(0, 2), { pageCap: 1 });
    expect(found).toEqual({ days: [[1, 2]], logged: [9], totals: [10], requests: 2 });
  });

  it('returns a whole range if reading it costs no more than halving it', async () => {
    const scans = scansOver(4, 20);
    const log = without(scans, 15);
    // Two pages, and two halvings would lead to one day.
    const expected = { days: [[0, 4]], logged: [19], requests: 0 };
    expect(await find(scans, log, daysFrom(0, 4), { pageCap: 10 })).toMatchObject(expected);
    expect(await find(scans, log, daysFrom(0, 4), { pageCap: 9 })).toMatchObject({
      days: [[2, 3]],
      logged: [4],
      requests: 4,
    });
  });

  it('begins with the first day of the log if the range has no lower bound', async () => {
    const scans = scansOver(40, 400).slice(240);
    const found = await find(
      scans,
      without(scans, 290),
      { sinceMs: undefined, untilMs: START_MS + 40 * DAY_MS },
      { pageCap: 1 },
    );
    expect(found).toEqual({ days: [[28, 29]], logged: [9], totals: [10], requests: 2 * 4 });
  });

  it('returns every part that differs, oldest first', async () => {
    const scans = scansOver(64, 640);
    const found = await find(scans, without(scans, 25, 635), daysFrom(0, 64), { pageCap: 1 });
    expect(found.days).toEqual([
      [2, 3],
      [63, 64],
    ]);
  });

  it('returns a whole range of up to a hundred pages if the log has no rows in it, and halves a larger range', async () => {
    const scans = scansOver(64, 101);
    expect(await find(scans.slice(1), [], daysFrom(0, 64), { pageCap: 1 })).toMatchObject({
      days: [[0, 64]],
      requests: 0,
    });
    expect(await find(scans, [], daysFrom(0, 64), { pageCap: 1 })).toMatchObject({
      days: [
        [0, 32],
        [32, 64],
      ],
      requests: 2,
    });
  });

  it('returns a whole range if both of its halves count all scans (V9)', async () => {
    const scans = scansOver(64, 640);
    const found = await find(scans, without(scans, 25), daysFrom(0, 64), { pageCap: 1, ignoresBounds: true });
    expect(found).toEqual({ days: [[0, 64]], logged: [639], totals: [640], requests: 2 });
  });

  it('halves a range further if one half has all scans', async () => {
    const scans = scansOver(32, 320);
    const found = await find(scans, without(scans, 25), daysFrom(0, 64), { pageCap: 7 });
    expect(found).toEqual({ days: [[2, 3]], logged: [9], totals: [10], requests: 2 * 6 });
  });

  it('keeps a part that has as many scans as the log if its total may be capped (V3)', async () => {
    // Each half of the service counts 50, as many as the log has.
    const scans = scansOver(4, 120);
    const log = [...scans.slice(0, 50), ...scans.slice(60, 110)];
    const found = await find(scans, log, daysFrom(0, 4), { pageCap: 1, cap: 50 });
    expect(found.days[0]?.[0]).toBe(0);
    expect(found.days.at(-1)?.[1]).toBe(4);
  });
});

describe('mayBeCapped', () => {
  const page = async (count: number) =>
    countScans({ read: modelScans(scansOver(1, count)).read, largest: { total: 0 } }, daysFrom(0, 1));

  it('returns false only if the total is not a multiple of 50 or another total of the run is larger (V3)', async () => {
    const largest = { total: 0 };
    largest.total = 150;
    expect(mayBeCapped(await page(150), largest)).toBe(true);
    expect(mayBeCapped(await page(151), largest)).toBe(false);
    expect(mayBeCapped(await page(100), largest)).toBe(false);
    expect(mayBeCapped(await page(200), largest)).toBe(true);
  });
});

describe('isSame', () => {
  const range = daysFrom(1, 2);
  const scans = [
    { id: 1, time: START_MS + DAY_MS - 500 },
    { id: 2, time: START_MS + DAY_MS },
    { id: 3, time: START_MS + 2 * DAY_MS - 1 },
    { id: 4, time: START_MS + 2 * DAY_MS },
  ];
  const ask = async () => countScans({ read: modelScans(scans).read, largest: { total: 0 } }, range);

  it('ignores scans in the margins (V2)', async () => {
    expect(isSame(indexOf(scans.slice(1, 3)), range, await ask())).toBe(true);
    expect(isSame(indexOf(scans.slice(1, 2)), range, await ask())).toBe(false);
  });

  it('compares IDs if the page has all of them (V4)', async () => {
    expect(
      isSame(
        indexOf([
          { id: 2, time: START_MS + DAY_MS },
          { id: 9, time: START_MS + DAY_MS },
        ]),
        range,
        await ask(),
      ),
    ).toBe(false);
  });
});
