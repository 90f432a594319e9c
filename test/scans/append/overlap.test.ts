import { describe, expect, it } from 'vitest';
import {
  addRow,
  type CodeOverlap,
  contentsOf,
  emptyOverlap,
  forgetOldIds,
  isRotated,
  neededOverlap,
  noteRead,
  overlapOf,
  positionBy,
  readFrom,
} from '#scans/append/overlap';

/** The overlap of rows at these times, with ids from 1. */
function overlapAt(...times: number[]): CodeOverlap {
  const overlap = emptyOverlap();
  for (const [i, time] of times.entries()) addRow(overlap, `${i + 1}`, time);
  return overlap;
}

it('an overlap has the time of the newest row as its watermark, whatever the order of the rows', () => {
  expect(overlapAt().watermarkMs).toBeUndefined();
  expect(overlapAt(5, 9, 7)).toMatchObject({ watermarkMs: 9, rows: 3 });
  expect([...overlapAt(5, 9).ids]).toEqual([
    ['1', 5],
    ['2', 9],
  ]);
});

it('each code of a file has its own overlap', () => {
  const overlaps = new Map<string, CodeOverlap>();
  addRow(overlapOf(overlaps, 'a'), '1', 5);
  addRow(overlapOf(overlaps, 'a'), '2', 6);
  overlapOf(overlaps, 'b');
  expect([...overlaps].map(([code, { rows }]) => [code, rows])).toEqual([
    ['a', 2],
    ['b', 0],
  ]);
});

describe('the next run reads', () => {
  const cases: [string, CodeOverlap, number | undefined, number | undefined][] = [
    ['everything if there are no rows', overlapAt(), undefined, undefined],
    ['from the lower bound if there are no rows', overlapAt(), 3, 3],
    ['the overlap before the watermark again (A10)', overlapAt(500), undefined, 400],
    ['nothing before the lower bound (A18)', overlapAt(500), 450, 450],
    ['the overlap if the lower bound is older', overlapAt(500), 50, 400],
    ['an unverified period again, however old (A9)', { ...overlapAt(500), rereadFromMs: 20 }, undefined, 20],
    [
      'no less than the overlap if an unverified period is newer',
      { ...overlapAt(500), rereadFromMs: 450 },
      undefined,
      400,
    ],
    [
      'everything if nothing is verified (A9)',
      { ...overlapAt(500), rereadFromMs: Number.NEGATIVE_INFINITY },
      undefined,
      undefined,
    ],
    [
      'from the lower bound if nothing is verified',
      { ...overlapAt(500), rereadFromMs: Number.NEGATIVE_INFINITY },
      70,
      70,
    ],
  ];
  it.each(cases)('%s', (_, overlap, sinceMs, fromMs) => {
    expect(readFrom(overlap, 100, sinceMs)).toBe(fromMs);
  });
});

describe('old IDs in a state', () => {
  const many = (count: number) => overlapAt(...Array.from({ length: count }, (_, i) => i + 1));

  it('are removed if there are more than 10,000, and the time from which all IDs are known is recorded', () => {
    const overlap = many(10_000);
    forgetOldIds(overlap, 100);
    expect(overlap.ids.size).toBe(10_000);
    addRow(overlap, 'x', 10_001);
    forgetOldIds(overlap, 100);
    expect(Math.min(...overlap.ids.values())).toBe(9901);
    expect(overlap).toMatchObject({ idsFromMs: 9901, rows: 10_001 });
  });

  it('remain if all IDs are in the overlap, and are checked again only when there are more than twice as many', () => {
    const overlap = many(10_001);
    forgetOldIds(overlap, 20_000);
    expect(overlap.ids.size).toBe(10_001);
    expect(overlap.idsFromMs).toBe(-9999);
    for (let i = 10_002; i <= 20_002; i++) addRow(overlap, `${i}`, i);
    forgetOldIds(overlap, 100);
    expect(overlap.ids.size).toBe(20_002);
    addRow(overlap, 'x', 20_003);
    forgetOldIds(overlap, 100);
    expect(overlap.ids.size).toBe(101);
  });

  it('are kept if they are not older than a given time', () => {
    const overlap = many(10_001);
    forgetOldIds(overlap, 100, 4000);
    expect(Math.min(...overlap.ids.values())).toBe(4000);
    expect(overlap.idsFromMs).toBe(4000);
  });

  it('remain unknown after their removal, even if the overlap becomes longer', () => {
    const overlap = { ...many(10_001), idsFromMs: 9950 };
    forgetOldIds(overlap, 100);
    expect(overlap.idsFromMs).toBe(9950);
  });
});

describe('the position of a code whose newest scan is dated in the future (A22)', () => {
  const WRITTEN = 1_000_000_000;
  const ahead = { ...overlapAt(2 * WRITTEN), writtenAt: { serviceMs: WRITTEN, machineMs: WRITTEN } };
  /** An hour later, by the machine's clock. */
  const now = (backMs: number) => ({
    serviceMs: WRITTEN + 3_600_000 - backMs,
    machineMs: WRITTEN + 3_600_000,
  });

  it.each([
    ['stays if the clocks only drifted', 3_600_000, 60_000, WRITTEN],
    ['goes back with a clock that was set back', 3_600_000, 60_001, WRITTEN - 60_001],
    ['stays if half of a short overlap covers the drift', 60_000, 30_000, WRITTEN],
    ['goes back if half of a short overlap does not cover the drift', 60_000, 30_001, WRITTEN - 30_001],
  ])('%s', (_, overlapMs, backMs, position) => {
    expect(positionBy(ahead, now(backMs), overlapMs)).toBe(position);
  });
});

it('a state keeps the IDs of rows in the overlap and of unverified rotated rows, but no IDs of rows between (A25, A29)', () => {
  const overlap = {
    ...overlapAt(40, 60, 100, 150, 900, 1000),
    movedUntilMs: 100,
    movedIdsFromMs: 50,
    rereadFromMs: 55,
  };
  const needed = neededOverlap(overlap, 100);
  expect([...needed.ids.values()]).toEqual([60, 100, 900, 1000]);
  expect(needed).toMatchObject({ idsFromMs: 900, movedIdsFromMs: 55 });
});

it('contentsOf returns the number of rows of all codes, and the time of the newest row as the watermark', () => {
  expect(contentsOf([])).toEqual({ rows: 0, watermarkMs: undefined });
  const parts = [overlapAt(5, 9), emptyOverlap(), overlapAt(7)];
  expect(contentsOf(parts)).toEqual({ rows: 3, watermarkMs: 9 });
  expect(contentsOf(parts.reverse())).toEqual({ rows: 3, watermarkMs: 9 });
});

it('a log is rotated if the rows of any code were moved to another file', () => {
  const moved = { ...overlapAt(5), movedUntilMs: 5 };
  const isRotatedWith = (...parts: CodeOverlap[]) =>
    isRotated(new Map(parts.map((part, at) => [`${at}`, part])));
  expect([isRotatedWith(), isRotatedWith(overlapAt(5)), isRotatedWith(overlapAt(5), moved)]).toEqual([
    false,
    false,
    true,
  ]);
});

it.each<[string, Partial<CodeOverlap>, number | undefined, number | undefined, boolean]>([
  ['the end of its first verified range', {}, 9, 9, true],
  ['no end if none is known', {}, undefined, undefined, false],
  ['a later end, for which alone no state is saved', { readUntilMs: 5 }, 9, 9, false],
  ['the earlier end if none is known', { readUntilMs: 5 }, undefined, 5, false],
  ['that a deleted code exists again (A43)', { readUntilMs: 5, isGone: true }, 9, 9, true],
  ['that an unverified period was read (A9)', { readUntilMs: 5, rereadFromMs: 2 }, 9, 9, true],
])('a code that was read records %s', (_, before, untilMs, readUntilMs, saves) => {
  const overlap = { ...overlapAt(1), ...before };
  expect(noteRead(overlap, untilMs)).toBe(saves);
  expect(overlap).toMatchObject({ isGone: false, rereadFromMs: undefined, readUntilMs, rows: 1 });
});
