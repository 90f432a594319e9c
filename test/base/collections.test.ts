import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  collectPages,
  countBy,
  firstIndex,
  getOrAdd,
  groupBy,
  inChunks,
  onceBy,
  sum,
} from '#base/collections';

it('firstIndex finds the same index as a linear search', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 })),
      fc.integer({ min: -1, max: 21 }),
      (numbers, line) => {
        const sorted = numbers.sort((a, b) => a - b);
        const first = sorted.findIndex((value) => value >= line);
        const found = firstIndex(sorted.length, (at) => Number(sorted[at]) >= line);
        expect(found).toBe(first === -1 ? sorted.length : first);
      },
    ),
    { seed: 5 },
  );
});

it('groupBy, inChunks and collectPages keep the order of items, and onceBy keeps the last item for each key', async () => {
  const words = ['ab', 'cd', 'a', 'b', 'abc'];
  expect([...groupBy(words, ({ length }) => length)]).toEqual([
    [2, ['ab', 'cd']],
    [1, ['a', 'b']],
    [3, ['abc']],
  ]);
  expect(onceBy(words, ({ length }) => length)).toEqual(['cd', 'b', 'abc']);
  expect([...inChunks(words, 2)]).toEqual([['ab', 'cd'], ['a', 'b'], ['abc']]);
  expect([...inChunks(words, 5)]).toEqual([words]);
  expect([...inChunks([], 2)]).toEqual([]);
  async function* pages() {
    yield* inChunks(words, 2);
  }
  expect(await collectPages(pages())).toEqual(words);
});

it('countBy counts items by key, sum adds numbers, and getOrAdd creates a missing value once', () => {
  expect([...countBy(['ab', 'c', 'cd', 'ef'], ({ length }) => length)]).toEqual([
    [2, 3],
    [1, 1],
  ]);
  expect([sum([]), sum([1, 2, 4])]).toEqual([0, 7]);
  const map = new Map([['a', 0]]);
  expect([getOrAdd(map, 'a', () => 1), getOrAdd(map, 'b', () => 2), getOrAdd(map, 'b', () => 3)]).toEqual([
    0, 2, 2,
  ]);
  expect([...map]).toEqual([
    ['a', 0],
    ['b', 2],
  ]);
});
