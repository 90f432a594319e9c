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
      [2, 'superseded', []],
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
    expect(wishOf([more, tags], 20)?.due?.destination).toEqual({
      atMs: 16,
      says: 'tags [["source","poster"]]\ntags [["medium","print"]]',
      earlier: ['https://menu/?utm_source=poster'],
    });
    expect(wishOf([tags, more], 20)?.shares.map(({ fields }) => [...fields])).toEqual([
      ['destination'],
      ['destination'],
    ]);
    expect(wishOf([a, tags, b], 20)).toMatchObject({
      wish: { destination: 'https://b/' },
      due: { destination: { says: 'https://b/' } },
      shares: [{ is: 'superseded' }, { is: 'superseded' }, { is: 'due' }],
    });
  });

  it('adds no UTM tags from flags for a code without a destination', () => {
    const listing = { codes: new Map([[MENU.id, { ...MENU, destination: null }]]), isWhole: false };
    const tags = { utm: { source: 'poster' }, mayLackUtm: true };
    expect(reduce([at(2, 15, { ...tags, wish: { name: 'n' } })], 30, listing).rows[0]).toMatchObject({
      wish: { name: 'n' },
      due: { name: { says: 'n' } },
      shares: [{ is: 'due', problem: undefined }],
    });
    const only = reduce([at(2, 15, tags)], 30, listing).rows[0];
    expect([only?.wish, only?.due, only?.shares[0]?.is]).toEqual([{}, {}, 'due']);
  });

  it('lists UTM tags in the same order, whatever the order of the columns', () => {
    const says = (utm: Row['utm']) => wishOf([at(5, 15, { utm })], 20)?.due?.destination?.says;
    expect(says({ source: 'b', medium: 'a' })).toBe(says({ medium: 'a', source: 'b' }));
  });

  it('keeps the UTM tags of the destination that a row replaces if `keepUtm` is set', () => {
    const listing = {
      codes: new Map([[MENU.id, { ...MENU, destination: 'https://menu/?utm_source=x' }]]),
      isWhole: false,
    };
    const kept = [a, b].map((row) => ({ ...row, keepUtm: true }));
    expect(reduce(kept, 30, listing).rows[0]?.wish).toEqual({ destination: 'https://b/?utm_source=x' });
    expect(reduce([a], 30, listing).rows[0]?.wish).toEqual({ destination: 'https://a/' });
    const named = at(2, 10, { keepUtm: true, wish: { name: 'n' } });
    expect(reduce([named], 30, listing).rows[0]?.wish).toEqual({ name: 'n' });
  });

  it('returns for each field the base of the row that sets it', () => {
    const first = at(2, 10, {
      base: { name: '000001', destination: '000002' },
      wish: { name: 'n', status: 'paused' },
    });
    const second = at(3, 20, {
      base: { name: '000003', destination: '000004' },
      wish: { destination: 'https://b/' },
    });
    const third = at(4, 25, { wish: { name: 'm' } });
    expect(wishOf([first, second], 30)?.base).toEqual({ name: '000001', destination: '000004' });
    expect(wishOf([first, second, third], 30)?.base).toEqual({ destination: '000004' });
  });

  it('returns the latest decision of the due rows whose values are used', () => {
    const decided = (row: Row, is: 'mine' | 'theirs') => ({ ...row, decision: { is } });
    const decision = (...rows: Row[]) => wishOf(rows, 30)?.decision?.is;
    expect(decision(decided(a, 'mine'))).toBe('mine');
    expect(decision(decided(b, 'mine'), c)).toBe('mine');
    expect(decision(decided(b, 'mine'), decided(c, 'theirs'))).toBe('theirs');
    expect(decision(decided(a, 'mine'), b)).toBeUndefined();
    expect(decision(b, decided(at(5, 40, { wish: { name: 'n' } }), 'mine'))).toBeUndefined();
    expect(decision(b, decided(at(5, 25, {}), 'mine'))).toBeUndefined();
  });

  it('reports UTM tags for a destination that is not a web address, unless a later row replaces the destination', () => {
    const listing = { codes: new Map([[MENU.id, { ...MENU, destination: 'WIFI:S:x;;' }]]), isWhole: false };
    const tags = at(2, 15, { utm: { source: 'poster' }, wish: { name: 'n' } });
    const problems = (rows: readonly Row[]) =>
      reduce(rows, 30, listing).rows[0]?.shares.map(({ problem }) => problem);
    expect(problems([tags])).toEqual([expect.stringContaining('is not a web address')]);
    expect(problems([tags, b])).toEqual([undefined, undefined]);
    expect(problems([b, { ...tags, atMs: 5 }])).toEqual([undefined, undefined]);
    expect(problems([tags, at(3, 20, { wish: { name: 'm' } })])).toEqual([expect.any(String), undefined]);
    expect(problems([tags, { ...tags, atMs: 20 }])).toEqual([expect.any(String), expect.any(String)]);
    // An unedited cell does not replace the destination.
    const saved = { destination: fingerprintOf('WIFI:S:x;;') };
    const listed = at(3, 20, { base: saved, wish: { name: 'm', destination: 'WIFI:S:x;;' } });
    expect(problems([tags, listed])).toEqual([expect.any(String), undefined]);
    expect(reduce([tags, listed], 30, listing).rows[0]?.wish).toEqual({ name: 'm' });
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
    expect(reduce([bySlug, a], 30).rows).toMatchObject([
      { id: MENU.id, slug: MENU.slug, line: 3, wish: { name: 'n', destination: 'https://a/' } },
    ]);
    expect(reduce([bySlug, a], 10).rows).toMatchObject([
      { line: 2, shares: [{ is: 'later' }, { is: 'due' }] },
    ]);
    expect(reduce([bySlug, a], 5).rows).toMatchObject([{ id: MENU.id, line: 3, wish: {} }]);
  });

  it('returns no values for a code that does not exist', () => {
    const row = rowOf(2, { slug: 'nobody', atMs: 1, utm: { source: 's' }, decision: { is: 'mine' } });
    const other = rowOf(3, { slug: 'noone', atMs: 1, wish: { name: 'n' } });
    expect(reduce([row, other], 30)).toMatchObject({
      rows: [
        { slug: 'nobody', wish: {}, utm: undefined, decision: undefined },
        { slug: 'noone', wish: {} },
      ],
      faults: [],
    });
  });

  it('ignores the values of a row with the decision `skip`, and lists the row as skipped', () => {
    const wish = wishOf([a, { ...b, decision: { is: 'skip' } }], 30);
    expect(wish).toMatchObject({ wish: { destination: 'https://a/' }, decision: undefined });
    expect(wish?.shares.map(({ is }) => is)).toEqual(['due', 'skipped']);
  });
});

describe('contradictions', () => {
  const find = (...rows: Row[]) =>
    contradictions(FILE, rows, () => 'x').map(({ line, column }) => [line, column]);

  it('names the line or item of the earlier row', () => {
    const rows = [b, at(5, 20, { wish: { destination: 'https://c/' } })];
    const [inTable] = contradictions(FILE, rows, () => 'x');
    expect(inTable?.message).toBe('conflicts with line 3 (same code and time)');
    const [inJson] = contradictions({ form: { is: 'json' } }, rows, () => 'x');
    expect(inJson?.message).toBe('conflicts with item 3 (same code and time)');
  });

  it('ignores unedited cells, and rows that set different fields or have different or invalid times', () => {
    const base = { destination: fingerprintOf('https://menu/') };
    const listed = at(5, 20, { base, wish: { destination: 'https://menu/' } });
    expect(find(b, listed)).toEqual([]);
    expect(find(a, b, c)).toEqual([]);
    const [one, other] = ['https://c/', 'https://d/'].map((destination, line) =>
      rowOf(line, { wish: { destination } }),
    );
    if (one && other) expect(find(one, other)).toEqual([]);
  });

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
