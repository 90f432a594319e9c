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

/** Judges like `outcome`; what is expected comes first. */
const expectOutcome = async (expected: object, ...given: Parameters<typeof outcome>) =>
  expect(await outcome(...given)).toMatchObject(expected);

describe('a code that is compared with its own past', () => {
  it('has the outcome ok if nothing changed, without another request', async () => {
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
  ])('with %d recent and 80 expected scans has the outcome %s', async (recent, expected) => {
    expect((await outcome({ recent })).outcome).toBe(expected);
  });

  it('is not judged if fewer than 30 scans are expected (W2)', async () => {
    const expected = { outcome: 'ok', unjudged: 'few', asked: [] };
    await expectOutcome(expected, { recent: 500, baseline: 239 });
    await expectOutcome({ outcome: 'jump' }, { recent: 500, baseline: 240 });
  });

  it('is judged only by a silence if the totals may be capped (W7)', async () => {
    await expectOutcome(
      { outcome: 'ok', unjudged: 'capped', expected: undefined },
      { recent: 1000, isCapped: true },
    );
    await expectOutcome({ outcome: 'quiet', expected: undefined }, { isCapped: true, last: ago(3) });
    await expectOutcome({ unjudged: 'capped', asked: [] }, { isCapped: true, last: ago(1) });
  });

  it('has the outcome new, not jump, if it was created or first scanned within the nine weeks (W5)', async () => {
    await expectOutcome({ outcome: 'new', asked: [] }, { recent: 500, isYoung: true });
    await expectOutcome({ outcome: 'new' }, { recent: 500, hasEarlier: async () => false });
    await expectOutcome({ outcome: 'ok', asked: [] }, { hasEarlier: async () => false });
    await expectOutcome(
      { outcome: 'new', unjudged: 'none' },
      { recent: 0, baseline: 0, last: 'none', isYoung: true },
    );
  });
});

describe('the hours of a silence', () => {
  it('begin right after the last scan and end with the range, both shifted by whole weeks', () => {
    expect(hoursBefore(2, END - 5, END)).toEqual({
      sinceMs: END - 14 * DAY_MS - 4,
      untilMs: END - 14 * DAY_MS,
    });
  });
});

describe('a silence (time without scans)', () => {
  it.each([
    [
      'of a day and a half is reported if both weeks before have scans in these hours',
      ago(1.5),
      [30, 30],
      'quiet',
      ['hours 1', 'hours 2'],
    ],
    ['of less than a day and a half is not reported', ago(1.49), [30, 30], 'ok', []],
    [
      'of two days is not reported if the week before has no scans in these hours',
      ago(2),
      [0, 80],
      'ok',
      ['hours 1'],
    ],
    [
      'of two days is not reported if the second week before has fewer than 30 scans in these hours',
      ago(2),
      [80, 29],
      'ok',
      ['hours 1', 'hours 2'],
    ],
  ])('%s (W1)', async (_, last, sameHours, expected, asked) => {
    await expectOutcome({ outcome: expected, asked }, { last }, {}, { sameHours });
  });

  it('of whole weeks needs no request, and is judged by the rate up to the last scan (W1)', async () => {
    const silent = { recent: 0, asked: [] };
    // 42 days of scans at 1.5 a day, and 21 days of silence.
    await expectOutcome(
      { outcome: 'quiet', expected: 31.5, asked: [] },
      { recent: 0, baseline: 63, last: ago(21) },
    );
    await expectOutcome({ outcome: 'ok', unjudged: 'few' }, { ...silent, baseline: 63, last: ago(20.9) });
    // 640 scans of the eight weeks before, in 56 days.
    await expectOutcome({ outcome: 'quiet', expected: 80, asked: [] }, { recent: 0, last: ago(7) });
    // A week of scans suffices, and three days say nothing of nine weeks.
    await expectOutcome({ outcome: 'quiet', expected: 320 }, { ...silent, baseline: 40, last: ago(56) });
    await expectOutcome({ outcome: 'ok', unjudged: 'few' }, { ...silent, baseline: 200, last: ago(60) });
  });

  it('is not judged by the hours of earlier weeks if fewer than 30 scans are expected in a whole week (W2)', async () => {
    const few = { recent: 30, last: ago(2) };
    const expected = { outcome: 'ok', unjudged: 'few', asked: [] };
    await expectOutcome(expected, { ...few, baseline: 239 });
    await expectOutcome({ outcome: 'quiet', asked: ['hours 1', 'hours 2'] }, { ...few, baseline: 240 });
  });

  it('for a young code is reported, because a silence requires no baseline of eight weeks', async () => {
    await expectOutcome({ outcome: 'quiet', expected: 80 }, { isYoung: true, last: ago(2) });
  });

  it('costs a request if no row shows the last scan and the week has less than 90% of the expected scans', async () => {
    const hidden = { last: 'unknown', findLast: async () => ago(2) } as const;
    await expectOutcome({ outcome: 'quiet' }, { ...hidden, recent: 71 });
    await expectOutcome({ outcome: 'ok', asked: [] }, { ...hidden, recent: 72 });
    await expectOutcome(
      { outcome: 'ok', lastMs: undefined },
      { last: 'unknown', findLast: async () => 'unknown', recent: 40 },
    );
  });

  it('costs a request if no row shows the last scan, and --quiet-for is set or the totals may be capped', async () => {
    const hidden = { last: 'unknown' } as const;
    await expectOutcome({ outcome: 'ok', asked: ['last'] }, hidden, { quietForMs: DAY_MS });
    await expectOutcome({ unjudged: 'capped', asked: ['last'] }, { ...hidden, isCapped: true });
  });

  it('of at least --quiet-for is reported for any code that ever had scans (W4)', async () => {
    const limits = { quietForMs: 7 * DAY_MS };
    const few = { recent: 0, baseline: 3 };
    await expectOutcome({ outcome: 'quiet', lastMs: END - 7 * DAY_MS }, { ...few, last: ago(7) }, limits);
    await expectOutcome({ outcome: 'ok', unjudged: 'few' }, { ...few, last: ago(6.9) }, limits);
    const none = { recent: 0, baseline: 0, last: 'none' } as const;
    const expected = { outcome: 'quiet', lastMs: END - 100 * DAY_MS, asked: ['earlier'] };
    await expectOutcome(expected, none, limits);
    await expectOutcome({ outcome: 'quiet' }, none, { quietForMs: 100 * DAY_MS });
    await expectOutcome({ outcome: 'ok', unjudged: 'none' }, none, { quietForMs: 101 * DAY_MS });
    await expectOutcome(
      { outcome: 'ok', unjudged: 'none' },
      { ...none, findEarlier: async () => 'none' },
      limits,
    );
    await expectOutcome(
      { outcome: 'quiet', lastMs: undefined },
      { ...none, findEarlier: async () => 'unknown' },
      limits,
    );
    await expectOutcome({ outcome: 'ok', unjudged: 'none', asked: [] }, none);
    await expectOutcome({ outcome: 'quiet' }, { isCapped: true, last: ago(8) }, limits);
  });

  it('of at least --quiet-for is verified by a period without scans if no row shows the last scan (W4)', async () => {
    const hidden: Partial<Evidence> = { last: 'unknown', findLast: async () => 'unknown' };
    const limits = { quietForMs: 3 * DAY_MS };
    const quiet = { outcome: 'quiet', lastMs: undefined, quietSinceMs: END - 3 * DAY_MS };
    for (const more of [{}, { isYoung: true }, { isCapped: true }]) {
      await expectOutcome(quiet, { ...hidden, ...more, hasSince: async () => false }, limits);
      expect(await outcome({ ...hidden, ...more }, limits)).not.toMatchObject({ outcome: 'quiet' });
    }
    const week = { ...hidden, recent: 0 };
    const expected = { outcome: 'quiet', asked: [], quietSinceMs: END - 7 * DAY_MS };
    await expectOutcome(expected, { ...week, baseline: 3 }, { quietForMs: 7 * DAY_MS });
  });

  it('of a week is reported if no row shows the last scan and at least 30 scans are expected in the week (W1)', async () => {
    const hidden: Partial<Evidence> = { last: 'unknown', findLast: async () => 'unknown', recent: 0 };
    await expectOutcome({ outcome: 'quiet', expected: 80, quietSinceMs: END - 7 * DAY_MS }, hidden);
    await expectOutcome({ outcome: 'quiet', expected: undefined }, { ...hidden, isCapped: true });
    await expectOutcome({ outcome: 'ok', unjudged: 'few' }, { ...hidden, baseline: 239 });
  });
});
