import { expect, test } from 'vitest';
import { formatClosing, formatOutcomes } from '#base/run/closing-line';

test.each([
  [{ created: 2 }, 'Created 2 codes'],
  [{ unchanged: 4, updated: 1, created: 2000 }, 'Created 2,000 codes, updated 1, 4 unchanged'],
  [{ created: 48, failed: 2 }, 'Created 48 codes, 2 failed'],
  [{ exists: 3, deleted: 1 }, 'Deleted 1 code, 3 exist'],
  [{ unchanged: 1 }, '1 row unchanged'],
  [{ conflict: 2, 'not-attempted': 1, exists: 1 }, '2 rows in conflict, 1 not attempted, 1 exists'],
  [{ created: 1, later: 3 }, 'Created 1 code, 3 not due yet'],
  [{}, 'Nothing to do'],
])('formatOutcomes formats %j as "%s"', (outcomes, text) => {
  const counts = new Map(Object.entries(outcomes));
  expect(formatOutcomes(counts, { made: 'code', left: 'row' })).toBe(text);
});

test('a closing line states the action, and also the cost and the results file if specified', () => {
  expect(formatClosing('Created 2 codes', ['3 requests', false, '1 warning'], 'Results: a.csv')).toBe(
    'Created 2 codes (3 requests, 1 warning). Results: a.csv',
  );
  expect(formatClosing('Watched 1 code')).toBe('Watched 1 code');
});
