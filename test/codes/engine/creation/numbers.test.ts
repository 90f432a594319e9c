import { expect, it } from 'vitest';
import { createNumbers } from '../../../../src/codes/engine/creation/numbers.ts';

it('keeps rows while they grow, and has NaN where none was set', () => {
  const numbers = createNumbers(2);
  expect(numbers.get(0, 0)).toBeNaN();
  for (let place = 0; place < 300; place++) numbers.set(place, [place, -place]);
  expect(numbers.count()).toBe(300);
  for (const place of [0, 63, 64, 200, 299]) expect([numbers.get(place, 0), numbers.get(place, 1)]).toEqual([place, -place]);
  expect([numbers.get(300, 0), numbers.get(301, 1)]).toEqual([Number.NaN, Number.NaN]);
  numbers.set(303, [1, 2]);
  expect([299, 300, 301, 302, 303].map((place) => numbers.get(place, 1))).toEqual([-299, Number.NaN, Number.NaN, Number.NaN, 2]);
  numbers.set(1, [7, 8]);
  expect([numbers.count(), numbers.get(1, 0), numbers.get(2, 0)]).toEqual([304, 7, 2]);
  numbers.clear();
  expect([numbers.count(), numbers.get(0, 0)]).toEqual([0, Number.NaN]);
});
