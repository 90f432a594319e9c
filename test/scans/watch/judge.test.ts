import { describe, expect, it } from 'vitest';
import { type Evidence, hoursBefore, judge, type LastScan } from '#scans/watch/judge';

const DAY_MS = 86_400_000;
const END = Date.UTC(2026, 9, 5);
const LIMITS = { endMs: END, startMs: END - 63 * DAY_MS, quietForMs: undefined };
const ago = (days: number): LastScan => ({ ms: END - days * DAY_MS });

/** Evidence of a code with 80 scans per week, all of them as every week; and what was asked for beyond. */
function evidence(given: Partial<Evidence> = {}, { sameHours = [80, 80] }: { sameHours?: number[] } = {}) {
  const asked: string[] = [];
  const ask = <T>(what: string, value: T) => {
    asked.push(what);
    return Promise.resolve(value);
  };
  const all: Evidence = {
    recent: 80,
    baseline: 640,
    isCapped: false,
    last: ago(0.1),
    isYoung: false,
    findLast: () => ask('last', ago(0.1)),
    countSameHours: (weeks) => ask(`hours ${weeks}`, sameHours[weeks - 1] ?? 0),
    hasSince: () => ask('since', true),
    hasEarlier: () => ask('has earlier', true),
    findEarlier: () => ask('earlier', ago(100)),
    ...given,
  };
  return { all, asked };
}

const outcome = async (given: Partial<Evidence>, limits = {}, more = {}) => {
  const { all, asked } = evidence(given, more);
  return { ...(await judge(all, { ...LIMITS, ...limits })), asked };
};

describe('a code that is compared with its own past', () => {
  it('is ok if nothing changed, without another request', async () => {
    expect(await outcome({})).toEqual({
      outcome: 'ok',
      scans: 80,
      expected: 80,
      low: 31,
      high: 154,
      lastMs: END - 0.1 * DAY_MS,
      asked: [],
    });
  });

  it.each([
    [30, 'drop'],
    [31, 'ok'],
    [154, 'ok'],
    [155, 'jump'],
  ])('with %d scans has the outcome %s', async (recent, expected) => {
    expect((await outcome({ recent })).outcome).toBe(expected);
  });

  it('is not judged if fewer than 30 scans are expected (W2)', async () => {
    const expected = { outcome: 'ok', unjudged: 'few', asked: [] };
    expect(await outcome({ recent: 500, baseline: 239 })).toMatchObject(expected);
    expect(await outcome({ recent: 500, baseline: 240 })).toMatchObject({ outcome: 'jump' });
  });

  it('is not judged if the totals may be capped (W7)', async () => {
    expect(await outcome({ recent: 1000, isCapped: true })).toMatchObject({
      outcome: 'ok',
      unjudged: 'capped',
      expected: undefined,
    });
    expect(await outcome({ isCapped: true, last: ago(3) })).toMatchObject({
      outcome: 'quiet',
      expected: undefined,
    });
    expect(await outcome({ isCapped: true, last: ago(1) })).toMatchObject({ unjudged: 'capped', asked: [] });
  });

  it('is new if it is younger than the nine weeks, or was not scanned before them (W5)', async () => {
    expect(await outcome({ recent: 500, isYoung: true })).toMatchObject({ outcome: 'new', asked: [] });
    expect(await outcome({ recent: 500, hasEarlier: async () => false })).toMatchObject({ outcome: 'new' });
    expect(await outcome({ hasEarlier: async () => false })).toMatchObject({ outcome: 'ok', asked: [] });
    expect(await outcome({ recent: 0, baseline: 0, last: 'none', isYoung: true })).toMatchObject({
      outcome: 'new',
      unjudged: 'none',
    });
  });
});

describe('the hours of a silence', () => {
  it('are counted from after the last scan, one or two weeks earlier', () => {
    expect(hoursBefore(2, END - 5, END)).toEqual({
      sinceMs: END - 14 * DAY_MS - 4,
      untilMs: END - 14 * DAY_MS,
    });
  });
});

describe('a silence', () => {
  it.each([
    [
      'of a day and a half, with scans in these hours of the two weeks before',
      ago(1.5),
      [30, 30],
      'quiet',
      ['hours 1', 'hours 2'],
    ],
    ['shorter than that', ago(1.49), [30, 30], 'ok', []],
    ['as of every weekend', ago(2), [0, 80], 'ok', ['hours 1']],
    ['where the week before was a campaign', ago(2), [80, 29], 'ok', ['hours 1', 'hours 2']],
  ])('%s (W1)', async (_, last, sameHours, expected, asked) => {
    expect(await outcome({ last }, {}, { sameHours })).toMatchObject({ outcome: expected, asked });
  });

  it('of whole weeks needs no request, and expects the rate up to the last scan (W1)', async () => {
    const silent = { recent: 0, asked: [] };
    // 42 days of scans at 1.5 a day, and 21 days of silence.
    expect(await outcome({ recent: 0, baseline: 63, last: ago(21) })).toMatchObject({
      outcome: 'quiet',
      expected: 31.5,
      asked: [],
    });
    expect(await outcome({ ...silent, baseline: 63, last: ago(20.9) })).toMatchObject({
      outcome: 'ok',
      unjudged: 'few',
    });
    // 640 scans of the eight weeks before, in 56 days.
    expect(await outcome({ recent: 0, last: ago(7) })).toMatchObject({
      outcome: 'quiet',
      expected: 80,
      asked: [],
    });
    // A week of scans suffices, and three days say nothing of nine weeks.
    expect(await outcome({ ...silent, baseline: 40, last: ago(56) })).toMatchObject({
      outcome: 'quiet',
      expected: 320,
    });
    expect(await outcome({ ...silent, baseline: 200, last: ago(60) })).toMatchObject({
      outcome: 'ok',
      unjudged: 'few',
    });
  });

  it('is not judged by the hours of earlier weeks if fewer than 30 scans are expected in a whole one (W2)', async () => {
    const few = { recent: 30, last: ago(2) };
    const expected = { outcome: 'ok', unjudged: 'few', asked: [] };
    expect(await outcome({ ...few, baseline: 239 })).toMatchObject(expected);
    expect(await outcome({ ...few, baseline: 240 })).toMatchObject({
      outcome: 'quiet',
      asked: ['hours 1', 'hours 2'],
    });
  });

  it('of a young code is reported, because it requires no baseline of eight weeks', async () => {
    expect(await outcome({ isYoung: true, last: ago(2) })).toMatchObject({ outcome: 'quiet', expected: 80 });
  });

  it('costs a request if no row shows the last scan and the week has few scans', async () => {
    const hidden = { last: 'unknown', findLast: async () => ago(2) } as const;
    expect(await outcome({ ...hidden, recent: 71 })).toMatchObject({ outcome: 'quiet' });
    expect(await outcome({ ...hidden, recent: 72 })).toMatchObject({ outcome: 'ok', asked: [] });
    expect(await outcome({ last: 'unknown', findLast: async () => 'unknown', recent: 40 })).toMatchObject({
      outcome: 'ok',
      lastMs: undefined,
    });
  });

  it('also costs a request with --quiet-for, or if the totals may be capped', async () => {
    const hidden = { last: 'unknown' } as const;
    expect(await outcome(hidden, { quietForMs: DAY_MS })).toMatchObject({ outcome: 'ok', asked: ['last'] });
    expect(await outcome({ ...hidden, isCapped: true })).toMatchObject({
      unjudged: 'capped',
      asked: ['last'],
    });
  });

  it('of --quiet-for is reported for any code that had scans, however few or old (W4)', async () => {
    const limits = { quietForMs: 7 * DAY_MS };
    const few = { recent: 0, baseline: 3 };
    expect(await outcome({ ...few, last: ago(7) }, limits)).toMatchObject({
      outcome: 'quiet',
      lastMs: END - 7 * DAY_MS,
    });
    expect(await outcome({ ...few, last: ago(6.9) }, limits)).toMatchObject({
      outcome: 'ok',
      unjudged: 'few',
    });
    const none = { recent: 0, baseline: 0, last: 'none' } as const;
    const expected = { outcome: 'quiet', lastMs: END - 100 * DAY_MS, asked: ['earlier'] };
    expect(await outcome(none, limits)).toMatchObject(expected);
    expect(await outcome(none, { quietForMs: 100 * DAY_MS })).toMatchObject({ outcome: 'quiet' });
    expect(await outcome(none, { quietForMs: 101 * DAY_MS })).toMatchObject({
      outcome: 'ok',
      unjudged: 'none',
    });
    expect(await outcome({ ...none, findEarlier: async () => 'none' }, limits)).toMatchObject({
      outcome: 'ok',
      unjudged: 'none',
    });
    expect(await outcome({ ...none, findEarlier: async () => 'unknown' }, limits)).toMatchObject({
      outcome: 'quiet',
      lastMs: undefined,
    });
    expect(await outcome(none)).toMatchObject({ outcome: 'ok', unjudged: 'none', asked: [] });
    expect(await outcome({ isCapped: true, last: ago(8) }, limits)).toMatchObject({ outcome: 'quiet' });
  });

  it('is verified by a period without scans if no row shows the last one (W4)', async () => {
    const hidden: Partial<Evidence> = { last: 'unknown', findLast: async () => 'unknown' };
    const limits = { quietForMs: 3 * DAY_MS };
    const quiet = { outcome: 'quiet', lastMs: undefined, quietSinceMs: END - 3 * DAY_MS };
    for (const more of [{}, { isYoung: true }, { isCapped: true }]) {
      expect(await outcome({ ...hidden, ...more, hasSince: async () => false }, limits)).toMatchObject(quiet);
      expect(await outcome({ ...hidden, ...more }, limits)).not.toMatchObject({ outcome: 'quiet' });
    }
    const week = { ...hidden, recent: 0 };
    const expected = { outcome: 'quiet', asked: [], quietSinceMs: END - 7 * DAY_MS };
    expect(await outcome({ ...week, baseline: 3 }, { quietForMs: 7 * DAY_MS })).toMatchObject(expected);
  });

  it('of a week is reported if no row shows the last scan and enough are expected in it (W1)', async () => {
    const hidden: Partial<Evidence> = { last: 'unknown', findLast: async () => 'unknown', recent: 0 };
    expect(await outcome(hidden)).toMatchObject({
      outcome: 'quiet',
      expected: 80,
      quietSinceMs: END - 7 * DAY_MS,
    });
    expect(await outcome({ ...hidden, isCapped: true })).toMatchObject({
      outcome: 'quiet',
      expected: undefined,
    });
    expect(await outcome({ ...hidden, baseline: 239 })).toMatchObject({ outcome: 'ok', unjudged: 'few' });
  });
});
