/** What the journal remembers of rows, and in which lines. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf, contentOf, entriesRecords, fromRuns, seenOf, toRuns } from '../../../../src/codes/engine/creation/entries.ts';

const code = { name: 'Menu', destination: 'https://a.example/' };
const row = (values: Record<string, unknown>, own?: string[]) => {
  return { row: 1, line: 2, values: new Map(Object.entries(values)), code, ...(own && { own }) };
};

/** As journals keep it: undefined properties are not there. */
const stored = (of: Parameters<typeof seenOf>[0]) => JSON.parse(JSON.stringify(seenOf(of)));

describe('what is remembered of a row', () => {
  it('is the code it asks for, without what goes without saying', () => {
    expect(contentOf({ name: 'Menu', type: 'url', destination: '' })).toEqual({ name: 'Menu' });
    expect(contentOf({ name: 'Menu', type: 'menu', destination: 'x' })).toEqual({ name: 'Menu', type: 'menu', destination: 'x' });
    expect(stored(row({}))).toEqual({ ...code, all: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });

  it('has the same properties in the same order for all rows, so that all share one layout in memory', () => {
    const layouts = [row({}), { ...row({ sku: 'x' }, ['sku']), key: 'k' }, { ...row({}), code: { name: 'Menu', type: 'menu' } }];
    expect(new Set(layouts.map((of) => Object.keys(seenOf(of)).join())).size).toBe(1);
  });

  it('has the key of the caller, if there is one', () => {
    expect(stored({ ...row({ sku: 'x' }, ['sku']), key: 'window' })).toEqual({
      ...code,
      all: expect.stringMatching(/^[0-9a-f]{16}$/),
      key: 'window',
    });
  });

  it('is known again as that code, or not if only its fingerprint is known', () => {
    expect(codeOf({ name: 'Menu', type: 'menu', destination: 'x', all: 'f' })).toEqual({
      name: 'Menu',
      type: 'menu',
      destination: 'x',
    });
    expect(Object.keys(codeOf({ name: 'Menu', all: 'f' }) ?? {})).toEqual(['name']);
    expect(codeOf({ all: 'f' })).toBeUndefined();
  });

  it('is one fingerprint of all its values, whatever the order of the columns', () => {
    const { all } = seenOf(row({ a: '1', b: 2n, c: '3' }));
    expect(seenOf(row({ c: '3', b: 2n, a: '1' })).all).toBe(all);
    for (const other of [
      { a: '1', b: 2n },
      { a: '1', b: 3n, c: '3' },
      { a: '3', b: 2n, c: '1' },
    ])
      expect(seenOf(row(other)).all).not.toBe(all);
  });

  it('is the same fingerprint after rows with other columns, as items of JSON may have', () => {
    const rows = [
      { a: '1', b: '2' },
      { b: '2', a: '1' },
      { a: '1', c: '2' },
      { a: '1' },
      { a: '1', b: '2', c: '3' },
      { c: '1', b: '2' },
    ];
    const alone = (values: Record<string, unknown>) => {
      seenOf(row({ 'a column of no row': '' }));
      return seenOf(row(values)).all;
    };
    for (const before of rows)
      for (const values of rows) {
        alone(before);
        expect(seenOf(row(values)).all, JSON.stringify([before, values])).toBe(alone(values));
      }
    expect(new Set(rows.map(alone)).size).toBe(rows.length - 1);
  });

  it('is a fingerprint that journals on disk have, also of numbers', () => {
    expect(seenOf(row({ b: '2', a: '1' })).all).toBe('5f13efef7cdd95e7');
    expect(seenOf(row({ b: 2n, a: 1 })).all).toBe('43793bf9d553239a');
    expect(seenOf(row({ b: 2n })).all).toBe('f093cfe1fd33c89c');
  });

  it.each([{ name: 'Menu', type: 'menu' }, { name: 'Menu' }, { name: 'Menu', type: 'menu', destination: 'x' }])(
    'has its own columns if it has other values than usual: %j',
    (other) => {
      const filled = stored({ ...row({ sku: 'x' }, ['sku']), code: other });
      expect(filled).toEqual({ ...other, all: filled.all, own: expect.stringMatching(/^[0-9a-f]{16}$/) });
      const bare = stored({ ...row({ sku: '' }, ['sku']), code: other });
      expect(Object.keys(bare).sort()).toEqual([...Object.keys(other), 'all'].sort());
    },
  );

  it('is one fingerprint of the user’s own columns that are filled, if any is', () => {
    const { own } = seenOf(row({ a: '1', sku: 'x', note: ' ' }, ['sku', 'note']));
    expect(own).toMatch(/^[0-9a-f]{16}$/);
    expect(seenOf(row({ a: '2', sku: 'x', note: null }, ['note', 'sku', 'gone'])).own).toBe(own);
    expect(seenOf(row({ sku: 'y' }, ['sku'])).own).not.toBe(own);
    expect(seenOf(row({ sku: 'x', note: 0 }, ['sku', 'note'])).own).not.toBe(own);
    expect(stored(row({ sku: '', note: undefined }, ['sku', 'note']))).not.toHaveProperty('own');
  });
});

it('entries with consecutive numbers share a line, up to 500', () => {
  const seen = { all: 'f' };
  expect(entriesRecords([1, 2, 4, 3].map((n) => [n, seen] as const))).toEqual([
    { is: 'entries', first: 1, seen: [seen, seen] },
    { is: 'entries', first: 4, seen: [seen] },
    { is: 'entries', first: 3, seen: [seen] },
  ]);
  const lines = entriesRecords(Array.from({ length: 1001 }, (_, i) => [i + 1, seen] as const));
  expect(lines.map((line) => [line.first, line.seen.length])).toEqual([
    [1, 500],
    [501, 500],
    [1001, 1],
  ]);
});

describe('an order', () => {
  it('is kept as its runs', () => {
    expect(toRuns([1, 2, 3, 7, 5, 6])).toEqual([1, 3, 7, 1, 5, 2]);
    expect(toRuns([])).toEqual([]);
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 30 })), (order) => {
        expect(fromRuns(toRuns(order), 30)).toEqual(order);
      }),
    );
  });

  it('has no numbers that were never recorded, and takes no more time for a run that claims many', () => {
    expect(fromRuns([2, 3, 1, 1], 3)).toEqual([2, 3, 1]);
    expect(fromRuns([1, Number.MAX_SAFE_INTEGER, 1, Number.MAX_SAFE_INTEGER], 2)).toEqual([1, 2]);
    expect(fromRuns([3], 5)).toEqual([]);
  });
});
