import { describe, expect, it } from 'vitest';
import { ID, read, refusal, told } from './read.ts';

const JSON_FILE = { name: 'codes.json' };

describe('a key', () => {
  it('is read without surrounding spaces and in Unicode form NFC', async () => {
    const { rows } = await read('apply', 'key,name\n cafe\u0301 ,a\n');
    expect(rows[0]?.key).toBe('caf\u00e9');
  });

  it('has one fault if it is not text', async () => {
    expect(await refusal('apply', '[{"key":7,"name":"a"},{"key":null,"name":"b"}]', JSON_FILE)).toEqual([
      'item 1, column key: must be a quoted string, not 7',
      'item 2, column key: is empty: each row needs a key',
    ]);
  });

  it('that a spreadsheet shortened is refused by every command that reads keys', async () => {
    const fault =
      'line 2, column key: "1.23E+11" was shortened by a spreadsheet: format the column as text and retype the value';
    expect(await refusal('create', 'key,name,type\n1.23E+11,a,wifi\n')).toEqual([fault]);
    expect(await refusal('update', 'key,slug,name\n1.23E+11,a,n\n')).toEqual([fault]);
    expect(await refusal('delete', 'key,slug\n1.23E+11,a\n')).toEqual([]);
  });

  it('may occur in several rows of a dated plan, which does not read keys', async () => {
    const text = 'key,slug,name,at\nk,a,n,1\nk,a,m,2\n';
    const { rows, faults, unread } = await read('update', text, { readAt: () => 1 });
    expect([faults, rows.map(({ key }) => key), unread]).toEqual([[], [undefined, undefined], ['key']]);
  });
});

describe('a saved row', () => {
  it.each([
    ['"2026-01-02T00:00:00Z "', Date.UTC(2026, 0, 2)],
    ['"2026-01-02T00:00:00"', Number.NEGATIVE_INFINITY],
    ['20260102', Number.NEGATIVE_INFINITY],
    ['["2026-01-02T00:00:00Z"]', Number.NEGATIVE_INFINITY],
    ['null', undefined],
    ['""', undefined],
  ])('with %s in updated_at of a JSON file counts as saved at %s', async (value, expected) => {
    const { rows } = await read('update', `[{"slug":"a","name":"n","updated_at":${value}}]`, JSON_FILE);
    expect(rows[0]?.updatedAtMs).toBe(expected);
  });

  it('may have spaces around its base and decision', async () => {
    const { rows, faults } = await read(
      'update',
      'slug,name,base,decision\na,n, r3fa9c1-77b2e0-a1c4d9 , abc \nb,n, , \n',
    );
    expect(faults).toEqual([]);
    expect(rows.map(({ base, decision }) => [base?.name, decision])).toEqual([
      ['3fa9c1', { is: 'code', name: 'abc' }],
      [undefined, undefined],
    ]);
  });

  it('has a fault for a base or a decision that is not text', async () => {
    const { faults } = await read('update', '[{"slug":"a","name":"n","base":7,"decision":8}]', JSON_FILE);
    expect(told(faults)).toEqual([
      'line 1, column decision: must be a quoted string, not 8',
      'line 1, column base: must be a quoted string, not 7',
    ]);
  });
});

describe('a backup', () => {
  const code = {
    id: ID.toUpperCase(),
    slug: 'a b',
    name: 'n',
    type: 'url',
    destination: 'https://x.de',
    status: 'active',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  };
  const text = JSON.stringify(code, null, 2);

  it('is read by `qr create` as the backup of its code, with a note that the slug is lost', async () => {
    const { rows, notes } = await read('create', text, JSON_FILE);
    expect(rows.map(({ id, slug, backupOf }) => [id, slug, backupOf])).toEqual([[undefined, undefined, ID]]);
    expect(notes).toEqual([
      'The slug "a b" of the backup does not come back: a new code gets a new slug, and images with the old one stay invalid',
    ]);
  });

  it('is read by other commands as a row for its code', async () => {
    for (const verb of ['update', 'delete'] as const) {
      const { rows, notes } = await read(verb, text, JSON_FILE);
      expect(rows.map(({ id, slug, backupOf }) => [id, slug, backupOf])).toEqual([[ID, 'a b', undefined]]);
      expect(notes).toEqual([]);
    }
  });

  it('in a list is read as a row for its code, even by `qr create`', async () => {
    const { rows, notes } = await read('create', `[${text}]`, JSON_FILE);
    expect(rows.map(({ id, backupOf }) => [id, backupOf])).toEqual([[ID, undefined]]);
    expect(notes).toEqual([]);
  });
});
