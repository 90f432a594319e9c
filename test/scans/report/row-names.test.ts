import { expect, test } from 'vitest';
import { loadLanguage } from '#scans/report/languages/load-language';
import { formatRange, shorten } from '#scans/report/row-names';

const ENGLISH = await loadLanguage('en');

test.each([
  ['2026-09-01', '2026-11-01', 'September to October 2026'],
  ['2025-11-01', '2026-02-01', 'November 2025 to January 2026'],
  ['2026-09-02', '2026-11-01', '2 September to 31 October 2026'],
  ['2026-09-01', '2026-10-31', '1 September to 30 October 2026'],
  ['2026-12-30', '2027-01-02', '30 December 2026 to 1 January 2027'],
  ['2026-10-03', '2026-10-05', '3 to 4 October 2026'],
  ['2026-10-03', '2026-10-04', 'Saturday, 3 October 2026'],
])('the range from %s until %s (exclusive) is shown as %s', (since, until, text) => {
  const range = { sinceMs: Date.parse(since), untilMs: Date.parse(until) };
  expect(formatRange(range, 'UTC', ENGLISH)).toBe(text);
});

test('a name is shortened only if it has more characters than fit, and an emoji is one character', () => {
  expect(['abc', 'abcd', '😀😀😀', '😀😀😀😀'].map((text) => shorten(text, 3))).toEqual([
    'abc',
    'abc…',
    '😀😀😀',
    '😀😀😀…',
  ]);
});
