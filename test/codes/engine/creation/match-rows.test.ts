import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Keyed, type KnownEntry, matchRows } from '../../../../src/codes/engine/creation/match-rows.ts';

const keyOf = (text: string) => text.charCodeAt(0) - 'a'.charCodeAt(0);
const row = (text: string, all = text, own?: string): Keyed => {
  return { key: keyOf(text), seen: { all, ...(own !== undefined && { own }) } };
};
const entry = (n: number, text: string | undefined, all = text ?? '', own?: string, doubt = 0): KnownEntry => {
  return { ...row('', all, own), key: text === undefined ? text : keyOf(text), row: n, doubt, place: n };
};

describe('a row', () => {
  it('is the entry that asks for the same code, wherever it is (O14)', () => {
    const entries = [entry(1, 'a'), entry(2, 'b'), entry(3, 'c')];
    expect(matchRows([row('c'), row('new'), row('a', 'own columns edited')], entries)).toEqual([3, undefined, 1]);
  });

  it('of several, is the one with the same values, then with the same columns of the user’s own, then the next in order (O14)', () => {
    const entries = [entry(1, 'a', 'x', '1'), entry(2, 'a', 'y', '2'), entry(3, 'a', 'z', '3')];
    expect(matchRows([row('a', 'z', '3'), row('a', 'v', '2'), row('a', 'w', '9')], entries)).toEqual([3, 2, 1]);
    expect(matchRows([row('a'), row('a')], [entry(1, 'a'), entry(2, 'a')])).toEqual([1, 2]);
  });

  it('of more than there are rows, is one that has a code (O14)', () => {
    expect(matchRows([row('a')], [entry(1, 'a', 'a', undefined, 2), entry(2, 'a', 'a', undefined, 1), entry(3, 'a')])).toEqual([
      3,
    ]);
  });

  it('and of these one that was where the row is', () => {
    const gaps = { ofRow: () => '7:9', ofEntry: (n: number) => (n === 2 ? '7:9' : '0:7') };
    expect(matchRows([row('a')], [entry(1, 'a'), entry(2, 'a')], new Map(), gaps)).toEqual([2]);
  });

  it('of more than there are rows in each place, is one that was there, and no entry is two rows', () => {
    const between = (...ofEntries: string[]) => ({
      ofRow: (place: number) => ['A', 'B', 'C'][place],
      ofEntry: (n: number) => ofEntries[n - 1],
    });
    const entries = [entry(1, 'a'), entry(2, 'a'), entry(3, 'a'), entry(4, 'a')];
    const match = (rows: number, ...ofEntries: string[]) =>
      matchRows(Array(rows).fill(row('a')), entries, new Map(), between(...ofEntries));
    expect(match(2, 'A', 'A', 'B', 'B')).toEqual([1, 3]);
    expect(match(3, 'D', 'A', 'D', 'D')).toEqual([1, 2, 3]);
    expect(match(2, 'D', 'D', 'D', 'B')).toEqual([1, 4]);
  });

  it('of several that are alike, is the next in the order of the last input', () => {
    const entries = [5, 3, 4].map((place, index) => ({ ...entry(index + 1, 'a'), place }));
    expect(matchRows([row('a'), row('a'), row('a')], entries)).toEqual([2, 3, 1]);
    expect(matchRows([row('a'), row('a')], entries)).toEqual([2, 3]);
  });

  it('is new if the one entry is more like another', () => {
    expect(matchRows([row('a', 'x'), row('a', 'y')], [entry(1, 'a', 'y')])).toEqual([undefined, 1]);
  });

  it('is an entry of which only the fingerprint is known if it has just that', () => {
    const entries = [entry(1, undefined, 'x'), entry(2, undefined, 'y'), entry(3, undefined, 'x')];
    expect(matchRows([row('a', 'y'), row('b', 'x'), row('c', 'z')], entries)).toEqual([2, 1, undefined]);
  });

  it('keeps the entry that it has', () => {
    expect(matchRows([row('a'), row('a')], [entry(1, 'a'), entry(2, 'a')], new Map([[0, 2]]))).toEqual([2, 1]);
    expect(matchRows([row('a'), row('a')], [entry(1, 'a'), entry(2, 'a')], new Map([[0, 1]]))).toEqual([1, 2]);
    expect(matchRows([row('a')], [entry(1, 'a'), entry(2, 'a')], new Map([[0, 2]]))).toEqual([2]);
  });
});

it('whatever the rows, an entry is one row at most, says the same, and is not left over where a row needs it (O14)', () => {
  const few = fc.constantFrom('a', 'b', 'c');
  const rows = fc.array(fc.tuple(few, few, few), { maxLength: 12 });
  fc.assert(
    fc.property(rows, rows, (now, before) => {
      const input = now.map(([key, all, own]) => row(key, all, own));
      const entries = before.map(([key, all, own], index) => entry(index + 1, key, all, own, index % 3));
      const found = matchRows(input, entries);
      const matched = found.filter((n) => n !== undefined);
      expect(new Set(matched).size).toBe(matched.length);
      for (const [place, n] of found.entries()) if (n !== undefined) expect(entries[n - 1]?.key).toBe(input[place]?.key);
      for (const key of ['a', 'b', 'c'].map(keyOf)) {
        const [wanted, there] = [input, entries].map((items) => items.filter((item) => item.key === key).length);
        const got = found.filter((n, place) => n !== undefined && input[place]?.key === key).length;
        expect(got).toBe(Math.min(wanted ?? 0, there ?? 0));
      }
    }),
  );
});
