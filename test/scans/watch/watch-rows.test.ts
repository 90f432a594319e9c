import { describe, expect, it } from 'vitest';
import { inactiveRow, isFinding, isNews, watchRow } from '#scans/watch/watch-codes';

const CODE = { id: 'a', slug: 'b', name: 'c' };
const END = Date.UTC(2026, 9, 5);

describe('the row of a code', () => {
  it.each([
    [{ outcome: 'quiet', expected: 41.26, lastMs: END - 2.9 * 86_400_000 }, 'no scans for 2 days'],
    [{ outcome: 'quiet', expected: 41.26, lastMs: END - 2.9 * 3_600_000 }, 'no scans for 2 h 54 min'],
    [
      { outcome: 'quiet', expected: undefined, quietSinceMs: END - 63 * 86_400_000 },
      'no scans for 63 days or longer',
    ],
    [{ outcome: 'ok', expected: 3, unjudged: 'few' }, 'not judged: fewer than 30 scans expected per week'],
    [
      { outcome: 'ok', expected: undefined, unjudged: 'capped' },
      'not judged: the service may cap its totals',
    ],
    [{ outcome: 'ok', expected: 0, unjudged: 'none' }, 'not judged: no scans in nine weeks'],
    [{ outcome: 'new', expected: 0 }, 'not judged: less than nine weeks of scans'],
    [{ outcome: 'drop', expected: 80, low: 30, high: 154 }, null],
  ] as const)('has a note that explains the outcome, or none, for %j', (verdict, note) => {
    expect(watchRow(CODE, { scans: 1, ...verdict }, END).note).toBe(note);
  });

  it('has the figures by which the code was judged', () => {
    const verdict = {
      outcome: 'drop',
      scans: 12,
      expected: 80.04,
      low: 30,
      high: 154,
      lastMs: END - 1,
    } as const;
    expect(watchRow(CODE, verdict, END)).toEqual({
      ...CODE,
      outcome: 'drop',
      scans: 12,
      expected: 80,
      low: 30,
      high: 154,
      last_scan: '2026-10-04T23:59:59.999Z',
      note: null,
    });
  });
});

it('a row has null for each unknown figure', () => {
  expect(
    watchRow(CODE, { outcome: 'ok', unjudged: 'capped', scans: 1, expected: undefined }, END),
  ).toMatchObject({ expected: null, low: null, high: null, last_scan: null });
});

it('only the outcomes quiet, drop and jump are findings', () => {
  const expected = ['quiet', 'drop', 'jump'];
  expect((['quiet', 'drop', 'jump', 'new', 'ok'] as const).filter(isFinding)).toEqual(expected);
});

describe('an outcome (W10)', () => {
  const judged = (outcome: 'quiet' | 'drop' | 'jump' | 'ok') => ({ outcome, note: null });
  it.each([
    ['is news if the code is quiet at the first run', judged('quiet'), undefined, true],
    ['is not news if the code is still quiet', judged('quiet'), 'quiet', false],
    ['is news if the code is quiet after a drop', judged('quiet'), 'drop', true],
    ['is news if the code is ok after it was quiet', judged('ok'), 'quiet', true],
    ['is not news if the code is ok as before', judged('ok'), 'ok', false],
    ['is not news if the code is ok at the first run', judged('ok'), undefined, false],
    ['is not news if the code still has a jump', judged('jump'), 'jump', false],
    ['is news if the code has a drop after a jump', judged('drop'), 'jump', true],
    ['is not news if the code is paused after it was quiet', inactiveRow(CODE, 'paused'), 'quiet', false],
  ] as const)('%s', (_, now, before, news) => {
    expect(isNews(now, before)).toBe(news);
  });
});
