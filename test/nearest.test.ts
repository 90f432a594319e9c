import { expect, test } from 'vitest';
import { nearest } from '../src/nearest.ts';

test.each([
  ['wrok', ['home', 'work'], 'work'],
  ['prod', ['production', 'prd'], 'prd'],
  ['a', ['b'], 'b'],
  ['staging', ['production'], undefined],
  ['x', [], undefined],
])('nearest to %s among %j is %s', (word, candidates, found) => {
  expect(nearest(word, candidates)).toBe(found);
});
