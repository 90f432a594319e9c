/** A plan as data: one record per field in tables, one entry per row in JSON, with the exact values. */
import { describe, expect, it } from 'vitest';
import { APPLIED_COLUMNS, entryOf, PLAN_COLUMNS, recordsOf, tableRow } from '#commands/qr/plan/plan-records';
import {
  change,
  codeOf,
  creation,
  endOf,
  itemOf,
  rowOf,
  update,
} from '../../../codes/engine/results/plan-builder.ts';

const menu = codeOf('menu');
const none = { key: null, field: null, old: null, new: null };

describe('the columns in the CSV of a plan', () => {
  it('are the documented columns, followed by outcome and error after a run', () => {
    expect(PLAN_COLUMNS.map(({ name }) => name).join()).toBe('line,key,action,id,slug,field,old,new');
    expect(APPLIED_COLUMNS.map(({ name }) => name).slice(PLAN_COLUMNS.length)).toEqual(['outcome', 'error']);
  });
});

describe('the CSV output for a row', () => {
  it('contains one record per differing field, with its old and new value', () => {
    const changes = [
      change('send', 'a', 'b'),
      { ...change('keep', 'Theirs', 'Ours'), field: 'name' as const },
    ];
    const item = itemOf(4, 'update', { key: 'k', code: menu, changes });
    const about = { line: 4, key: 'k', id: 'id-menu', slug: 'menu' };
    expect(recordsOf({ item })).toEqual([
      { ...about, action: 'update', field: 'destination', old: 'a', new: 'b' },
      { ...about, action: 'unchanged', field: 'name', old: 'Theirs', new: 'Theirs' },
    ]);
    expect(recordsOf(endOf(item, 'updated')).map(({ outcome }) => outcome)).toEqual(['updated', 'unchanged']);
  });

  it('contains one record for a new code, with its name, its destination or type, and its status in the column `new`', () => {
    const item = { ...creation(2, 'Café'), send: { status: 'paused' } };
    expect(recordsOf({ item })).toEqual([
      {
        ...none,
        line: 2,
        action: 'create',
        id: null,
        slug: null,
        new: 'Café → https://example.com/new-2, paused',
      },
    ]);
    expect(recordsOf({ item: { ...item, send: {}, values: { name: 'Ann', type: 'vcard' } } })).toMatchObject([
      { new: 'Ann (vcard)' },
    ]);
  });

  it('contains one record without a field if the row has no changes', () => {
    expect(recordsOf({ item: itemOf(3, 'unchanged', { code: menu }) })).toEqual([
      { ...none, line: 3, action: 'unchanged', id: 'id-menu', slug: 'menu' },
    ]);
  });

  it('contains the ID and slug of a code that no longer exists, or the key of a removed row', () => {
    expect(recordsOf({ item: itemOf(3, 'gone', { goneId: 'id-1', goneSlug: 'old' }) })).toMatchObject([
      { id: 'id-1', slug: 'old' },
    ]);
    expect(recordsOf({ item: itemOf(0, 'removed', { key: 'menu', code: menu }) })).toMatchObject([
      { line: null, key: 'menu' },
    ]);
  });

  it('contains the candidate codes in the column `old`, and the row in the column `new`', () => {
    const row = rowOf(5, { wish: { name: 'Menu', destination: 'https://example.com/' } });
    const item = itemOf(5, 'undecided', { row, candidates: [codeOf('a'), codeOf('b')] });
    expect(recordsOf({ item })).toMatchObject([
      { field: null, old: 'id-a or id-b', new: 'Menu → https://example.com/' },
    ]);
  });

  it('contains the code that a run created, or the error in the row', () => {
    const item = creation(2);
    expect(recordsOf(endOf(item, 'created', { code: menu }))).toMatchObject([
      { id: 'id-menu', slug: 'menu', outcome: 'created', error: null },
    ]);
    expect(recordsOf(endOf(item, 'failed', { error: 'no' }))).toMatchObject([
      { outcome: 'failed', error: 'no' },
    ]);
  });
});

describe('the JSON entry for a row', () => {
  it('contains all changes in the row with their exact values', () => {
    const changes = [
      change('send', 'a\n|', 'b\u202e'),
      { ...change('keep', 'Theirs', 'Ours'), field: 'name' as const },
    ];
    expect(entryOf({ item: itemOf(4, 'update', { code: menu, changes }) })).toEqual({
      line: 4,
      key: null,
      action: 'update',
      id: 'id-menu',
      slug: 'menu',
      changes: {
        destination: { old: 'a\n|', new: 'b\u202e' },
        name: { old: 'Theirs', new: 'Theirs' },
      },
      error: 'name: the service has Theirs, which is kept (the row has Ours)',
    });
  });

  it('contains the fields of a new code', () => {
    const item = { ...creation(2, 'Café'), send: { status: 'paused' } };
    expect(entryOf({ item })).toMatchObject({
      changes: {
        name: { old: null, new: 'Café' },
        destination: { old: null, new: 'https://example.com/new-2' },
        status: { old: null, new: 'paused' },
      },
      error: null,
    });
  });

  it('contains the IDs of the candidate codes, and also the outcome after a run', () => {
    const item = itemOf(5, 'undecided', { candidates: [codeOf('a'), codeOf('b')] });
    expect(entryOf(endOf(item, 'undecided'))).toMatchObject({
      candidates: ['id-a', 'id-b'],
      changes: {},
      outcome: 'undecided',
    });
    expect(entryOf({ item: update(2, 'menu', 'b') })).not.toHaveProperty('candidates');
  });
});

describe('the table row', () => {
  it.each([
    ['slug and name', {}, 'menu (menu)'],
    ['slug, if the code has no name', { name: '' }, 'menu'],
    ['ID, if the code has no slug', { slug: undefined }, 'id-menu'],
  ])('contains the %s of a code', (_, more, code) => {
    expect(tableRow({ item: itemOf(3, 'unchanged', { code: codeOf('menu', more) }) })).toEqual({
      line: 3,
      key: null,
      at: null,
      action: 'unchanged',
      code,
      outcome: null,
      change: null,
    });
  });

  it('contains the time of a change, and the words for an empty value', () => {
    const changes = [change('send', '', 'b')];
    const row = rowOf(3, { atMs: Date.UTC(2026, 0, 2, 3, 4, 5) });
    expect(tableRow({ item: itemOf(3, 'update', { row, code: menu, changes }) })).toMatchObject({
      at: '2026-01-02T03:04:05.000Z',
      change: 'destination: (empty) → b',
    });
  });

  it('contains the ID and no name of a code that no longer exists', () => {
    expect(tableRow({ item: itemOf(3, 'gone', { goneId: 'id-1' }) }).code).toBe('id-1');
  });
});

it('the CSV output for an undecided row lists at most 20 candidates, and counts the others', () => {
  const candidates = Array.from({ length: 22 }, (_, at) => codeOf(`c${at}`));
  const [record] = recordsOf({ item: itemOf(5, 'undecided', { candidates }) });
  expect(record?.old).toMatch(/^id-c0 or .* or id-c19 or 2 others$/);
});
