import { describe, expect, it } from 'vitest';
import { contradictions, dueRowsOf } from '#codes/dated/due-plan';
import { fingerprintOf } from '#codes/engine/plan/base';
import type { Row } from '#codes/engine/plan/model';
import { codeOf, rowOf } from '../engine/plan/make.ts';

const MENU = codeOf(1, { destination: 'https://menu/' });
const FILE = { form: undefined };
const LISTING = { codes: new Map([[MENU.id, MENU]]), isWhole: false };

/** A row of the menu for a time. */
function at(line: number, atMs: number, values: Partial<Row>): Row {
  return rowOf(line, { id: MENU.id, atMs, ...values });
}

function reduce(rows: readonly Row[], nowMs: number, listing = LISTING) {
  return dueRowsOf({ rows, listing }, { nowMs, file: FILE });
}

function wishOf(rows: readonly Row[], nowMs: number) {
  return reduce(rows, nowMs).rows[0];
}

const [a, b, c] = [
  at(2, 10, { wish: { destination: 'https://a/' } }),
  at(3, 20, { wish: { destination: 'https://b/' } }),
  at(4, 20, { wish: { status: 'paused' } }),
];

describe('dueRowsOf', () => {
  it('returns no values for a code before its first row is due (E24)', () => {
    expect(wishOf([a, b, c], 9)?.wish).toEqual({});
    expect(wishOf([a, b, c], 10)?.wish).toEqual({ destination: 'https://a/' });
    expect(wishOf([b, a, c], 19)?.wish).toEqual({ destination: 'https://a/' });
  });

  it('returns for each field the value of the latest due row, whatever the order of the rows (E24)', () => {
    const all = at(5, 5, { wish: { name: 'n', destination: 'https://d/', status: 'active' } });
    for (const rows of [
      [all, a, b, c],
      [c, b, a, all],
    ])
      expect(wishOf(rows, 30)?.wish).toEqual({ name: 'n', destination: 'https://b/', status: 'paused' });
  });

  it('lists for each due row the fields that no later due row replaces', () => {
    const shares = wishOf([a, b, c, at(5, 40, { wish: { name: 'n' } })], 30)?.shares ?? [];
    expect(shares.map(({ row, is, fields }) => [row.line, is, [...fields]])).toEqual([
      [2, 'due', []],
      [3, 'due', ['destination']],
      [4, 'due', ['status']],
      [5, 'later', []],
    ]);
  });

  it('returns for each field the time and text of the row that sets it, and the values from earlier rows', () => {
    expect(wishOf([a, b, c], 30)?.due).toEqual({
      destination: { atMs: 20, says: 'https://b/', earlier: ['https://a/'] },
      status: { atMs: 20, says: 'paused', earlier: [] },
    });
  });

  it('adds UTM tags to the destination from an earlier row, or else to the current destination of the code', () => {
    const tags = at(5, 15, { utm: { source: 'poster' } });
    const more = at(6, 16, { utm: { medium: 'print' } });
    expect(wishOf([a, tags], 20)?.wish).toEqual({ destination: 'https://a/?utm_source=poster' });
    expect(wishOf([tags, more], 20)?.wish).toEqual({
      destination: 'https://menu/?utm_source=poster&utm_medium=print',
    });
    expect(wishOf([tags, more], 20)?.due?.destination).toMatchObject({
      atMs: 16,
      says: expect.stringContaining('poster'),
    });
    expect(wishOf([a, tags, b], 20)?.wish).toEqual({ destination: 'https://b/' });
  });

  it('reports UTM tags for a destination that is not a web address, unless a later row replaces the destination', () => {
    const listing = { codes: new Map([[MENU.id, { ...MENU, destination: 'WIFI:S:x;;' }]]), isWhole: false };
    const tags = at(2, 15, { utm: { source: 'poster' }, wish: { name: 'n' } });
    const problems = (rows: readonly Row[]) =>
      reduce(rows, 30, listing).rows[0]?.shares.map(({ problem }) => problem);
    expect(problems([tags])).toEqual([expect.stringContaining('is not a web address')]);
    expect(problems([tags, b])).toEqual([undefined, undefined]);
  });

  it('ignores unedited cells in a saved list, unless they restore a value that an earlier row changes', () => {
    const base = { destination: fingerprintOf('https://menu/'), name: fingerprintOf(MENU.name) };
    const listed = (line: number, atMs: number, destination: string) =>
      at(line, atMs, { base, wish: { name: MENU.name, destination } });
    expect(wishOf([listed(2, 10, 'https://menu/')], 30)?.wish).toEqual({});
    expect(wishOf([listed(2, 10, 'https://a/')], 30)).toMatchObject({ wish: { destination: 'https://a/' } });
    expect(wishOf([listed(2, 10, 'https://a/'), listed(3, 20, 'https://menu/')], 30)?.wish).toEqual({
      destination: 'https://menu/',
    });
    // At one time, they are the columns that the other row leaves to it.
    expect(wishOf([listed(2, 10, 'https://a/'), listed(3, 10, 'https://menu/')], 30)?.wish).toEqual({
      destination: 'https://a/',
    });
  });

  it('combines two rows for the same code if one has its ID and the other has its slug', () => {
    const bySlug = rowOf(3, { slug: MENU.slug, atMs: 20, wish: { name: 'n' } });
    expect(reduce([a, bySlug], 30).rows).toMatchObject([
      { id: MENU.id, line: 3, wish: { name: 'n', destination: 'https://a/' } },
    ]);
  });

  it('returns no values for a code that does not exist', () => {
    const row = rowOf(2, { slug: 'nobody', atMs: 1, utm: { source: 's' } });
    expect(reduce([row], 30)).toMatchObject({ rows: [{ slug: 'nobody', wish: {} }], faults: [] });
  });

  it('excludes a row with the decision `skip`', () => {
    const wish = wishOf([a, { ...b, decision: { is: 'skip' } }], 30);
    expect(wish).toMatchObject({ wish: { destination: 'https://a/' }, decision: undefined });
    expect(wish?.shares.map(({ is }) => is)).toEqual(['due', 'skipped']);
  });
});

describe('contradictions', () => {
  const find = (...rows: Row[]) =>
    contradictions(FILE, rows, () => 'x').map(({ line, column }) => [line, column]);

  it('reports the second of two rows that set the same field of a code to different values at the same time', () => {
    const other = at(5, 20, { wish: { destination: 'https://c/' } });
    expect(find(a, b, c, other)).toEqual([[5, 'destination']]);
    expect(find(b, { ...b, line: 6 })).toEqual([]);
    expect(contradictions(FILE, [b, other], ({ line }) => `${line}`)).toEqual([]);
    expect(find(at(2, 1, { utm: { source: 's' } }), at(3, 1, { utm: { source: 't' } }))).toEqual([
      [3, 'destination'],
    ]);
  });
});
