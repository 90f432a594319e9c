import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SandboxOptions, withDefaults } from '#sandbox/options';
import { createScanLog, type ScanLog } from '#sandbox/scan-log';
import type { Scan } from '#service/shapes';

const END = Date.UTC(2025, 0, 1);
const MINUTE = 60_000;

function logOf(base: number, options: SandboxOptions = {}, tieSize = 3): ScanLog {
  const arrivals = { fromMs: END, perSecond: 0, most: 0 };
  const shape = {
    seed: 5,
    code: 0,
    base,
    startMs: END - 100 * MINUTE,
    endMs: END,
    tieSize,
    idOffset: 0n,
    arrivals,
  };
  return createScanLog(shape, withDefaults(options));
}

interface Range {
  sinceMs?: number;
  untilMs?: number;
}

function read(log: ScanLog, page: number, limit: number, range: Range = {}, turn = 0) {
  const { rows, total } = log.page({
    page,
    limit,
    turn,
    nowMs: END,
    sinceMs: undefined,
    untilMs: undefined,
    ...range,
  });
  return { total, scans: rows.map((row): Scan => JSON.parse(row)) };
}

function readAll(log: ScanLog, limit: number, range: Range = {}): Scan[] {
  const scans: Scan[] = [];
  for (let page = 1; ; page++) {
    const next = read(log, page, limit, range);
    scans.push(...next.scans);
    if (page * limit >= next.total) return scans;
  }
}

const idsOf = (scans: readonly Scan[]) => scans.map(({ id }) => Number(id));
const byTime = (a: Scan, b: Scan) => (a.ts === b.ts ? Number(a.id) - Number(b.id) : a.ts < b.ts ? -1 : 1);
const isoOf = (ms: number) => new Date(ms).toISOString();

test('an added scan has the values passed, and otherwise those of a plain visit', () => {
  const log = logOf(0);
  log.add({ ts: isoOf(END - MINUTE), browser: 'Firefox' });
  const plain = { country: 'DE', city: 'Berlin', device: 'mobile', os: 'iOS', referrer: null };
  expect(readAll(log, 10)).toEqual([
    { ...plain, id: expect.any(Number), ts: isoOf(END - MINUTE), browser: 'Firefox' },
  ]);
});

describe('the pages of a log that does not change', () => {
  const anyLog = fc.record({
    base: fc.nat(120),
    added: fc.array(fc.integer({ min: -110, max: 10 }), { maxLength: 12 }),
    limit: fc.integer({ min: 1, max: 50 }),
    scanOrder: fc.constantFrom('asc', 'desc', 'none'),
    since: fc.option(fc.integer({ min: -120, max: 10 }), { nil: undefined }),
    until: fc.option(fc.integer({ min: -120, max: 10 }), { nil: undefined }),
  });

  test('contain each scan in the range once with any scanOrder, including late scans', () => {
    fc.assert(
      fc.property(anyLog, ({ base, added, limit, scanOrder, since, until }) => {
        const log = logOf(base, { scanOrder });
        for (const minute of added) log.add({ ts: isoOf(END + minute * MINUTE) });
        const sinceMs = since === undefined ? undefined : END + since * MINUTE;
        const untilMs = until === undefined ? undefined : END + until * MINUTE;
        const inRange = ({ ts }: Scan) =>
          Date.parse(ts) >= (sinceMs ?? Number.NEGATIVE_INFINITY) &&
          Date.parse(ts) < (untilMs ?? Number.POSITIVE_INFINITY);
        const expected = readAll(log, 1000).filter(inRange);
        const found = readAll(log, limit, { sinceMs, untilMs });
        expect(found.toSorted(byTime)).toEqual(expected.toSorted(byTime));
        expect(read(log, 1, limit, { sinceMs, untilMs }).total).toBe(expected.length);
      }),
    );
  });

  test('are sorted by time and ID, forward with scanOrder asc and backward with desc', () => {
    const forward = readAll(logOf(100, { scanOrder: 'asc' }), 7);
    const backward = readAll(logOf(100, { scanOrder: 'desc' }), 7);
    expect(forward).toEqual(forward.toSorted(byTime));
    expect(backward).toEqual(forward.toReversed());
  });

  test('are not sorted by time with scanOrder none, but have the same order for different page sizes', () => {
    const log = logOf(100, { scanOrder: 'none' });
    const scans = readAll(log, 7);
    expect(idsOf(scans)).toEqual(idsOf(readAll(log, 30)));
    const backwardSteps = scans.filter((scan, index) => scan.ts < (scans[index - 1]?.ts ?? '')).length;
    expect(backwardSteps).toBeGreaterThan(20);
  });

  test('are not in the order of arrival with scanOrder none, even if all scans are new', () => {
    const log = logOf(0, { scanOrder: 'none' });
    for (let minute = 0; minute < 8; minute++) log.add({ ts: isoOf(END + minute * MINUTE) });
    const minutes = readAll(log, 3).map(({ ts }) => (Date.parse(ts) - END) / MINUTE);
    expect(minutes).toEqual([2, 7, 4, 1, 6, 3, 0, 5]);
  });
});

describe('a log that grows', () => {
  test('keeps the positions of its rows and appends new rows with scanOrder none', () => {
    const log = logOf(100, { scanOrder: 'none' });
    const before = idsOf(readAll(log, 10));
    log.add({ ts: isoOf(END - 50 * MINUTE), id: 1 });
    expect(idsOf(readAll(log, 10))).toEqual([...before, 1]);
  });

  test('inserts a late row after the rows with the same time with scanOrder asc', () => {
    const log = logOf(100, { scanOrder: 'asc' });
    const before = readAll(log, 1000);
    const [ts, place] = [
      before[40]?.ts ?? '',
      before.findLastIndex((scan) => scan.ts === before[40]?.ts) + 1,
    ];
    const late: Scan = JSON.parse(log.add({ ts, referrer: 'late' }));
    expect(readAll(log, 9)).toEqual(before.toSpliced(place, 0, late));
  });
});

describe('scans with the same time', () => {
  test('keep their positions by default', () => {
    const log = logOf(60, { scanOrder: 'asc' }, 6);
    expect(read(log, 1, 60, {}, 1)).toEqual(read(log, 1, 60, {}, 2));
  });

  test('change positions between requests with tieOrder shuffled, but each is still listed once', () => {
    const log = logOf(60, { scanOrder: 'asc', tieOrder: 'shuffled' }, 6);
    const [first, second] = [read(log, 1, 60, {}, 1).scans, read(log, 1, 60, {}, 2).scans];
    expect(first).not.toEqual(second);
    expect(first.map(({ ts }) => ts)).toEqual(second.map(({ ts }) => ts));
    expect(first.toSorted(byTime)).toEqual(second.toSorted(byTime));
  });
});

describe('since and until', () => {
  const at = isoOf(END - 10_000);
  const sinceThen = (options: SandboxOptions) => {
    const log = logOf(0, options);
    for (const ms of [-1, 0, 1, 999, 1000]) log.add({ ts: isoOf(END - 10_000 + ms) });
    const offsets = (range: Range) =>
      readAll(log, 10, range).map(({ ts }) => Date.parse(ts) - Date.parse(at));
    const numerically = (a: number, b: number) => a - b;
    const bound = Date.parse(at) + (options.boundsResolution === 's' ? 500 : 0);
    return {
      since: offsets({ sinceMs: bound }).sort(numerically),
      until: offsets({ untilMs: bound }).sort(numerically),
    };
  };

  test('are an inclusive and an exclusive bound by default', () => {
    expect(sinceThen({})).toEqual({ since: [0, 1, 999, 1000], until: [-1] });
  });

  test('are an exclusive and an inclusive bound with sinceInclusive false and untilInclusive true', () => {
    expect(sinceThen({ sinceInclusive: false, untilInclusive: true })).toEqual({
      since: [1, 999, 1000],
      until: [-1, 0],
    });
  });

  test('are compared with scan times in whole seconds if boundsResolution is `s`', () => {
    expect(sinceThen({ boundsResolution: 's' })).toEqual({ since: [0, 1, 999, 1000], until: [-1] });
    const other = sinceThen({ boundsResolution: 's', sinceInclusive: false, untilInclusive: true });
    expect(other).toEqual({ since: [1000], until: [-1, 0, 1, 999] });
  });
});
