import { expect, test } from 'vitest';
import { nearest } from '#base/text/nearest';

test.each([
  ['wrok', ['home', 'work'], 'work'],
  ['prod', ['production', 'prd'], 'prd'],
  ['URL', ['sms', 'url'], 'url'],
  ['exprot', ['export'], 'export'],
  ['contry', ['country'], 'country'],
  ['a', ['b'], undefined],
  ['study', ['dusty'], undefined],
  ['nosuch', ['heruch'], undefined],
  ['name', ['all'], undefined],
  ['staging', ['production'], undefined],
  ['x', [], undefined],
])('the nearest word to %s among %j is %s', (word, candidates, found) => {
  expect(nearest(word, candidates)).toBe(found);
});
