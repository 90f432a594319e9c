/** Which values count as equal, and which as altered by the service or by a spreadsheet. */
import { describe, expect, it } from 'vitest';
import { baseOf } from '#codes/engine/plan/base';
import type { Row } from '#codes/engine/plan/model';
import { isAlike, isUnedited } from '#codes/engine/plan/values';
import type { QrCode } from '#service/shapes';
import { actionsOf, codeOf, idOf, madeBefore, newRow, planOf, rowOf } from './make.ts';

const MENU = 'https://example.com/menu';
const UPDATE = { policy: { verb: 'update' } } as const;

/** What is done with a row without an ID if the workspace has only this code. */
function actOn(row: Partial<Row['wish'] & Pick<Row, 'type'>>, code: Partial<QrCode>): string {
  const { type, ...wish } = row;
  const { items } = planOf([rowOf(2, { wish, ...(type !== undefined && { type }) })], {
    codes: [codeOf(1, code)],
  });
  return items[0]?.action ?? '';
}

describe('a row and a code have equal values', () => {
  it.each([
    ['Menu', ' Menu\t'],
    ['Menu for the bar', 'Menu  for\u00a0the\n bar'],
    ['Caf\u00e9', 'Cafe\u0301'],
  ])('if only blanks or the encoding of letters in their names differ: %j and %j', (one, other) => {
    expect(actOn({ name: one, destination: MENU }, { name: other, destination: MENU })).toBe('exists');
    expect(actOn({ name: other, destination: MENU }, { name: one, destination: MENU })).toBe('exists');
  });

  it.each([
    ['HTTPS://Example.com', 'https://example.com/'],
    [' https://example.com/a b', 'https://example.com/a%20b'],
    ['Room 12 ', 'Room 12'],
  ])('if their destinations are the same address: %j and %j', (one, other) => {
    expect(actOn({ name: 'A', destination: one }, { name: 'A', destination: other })).toBe('exists');
  });

  it('only if destinations that are not addresses have the same blanks inside', () => {
    const text = { name: 'A', destination: 'Room  12' };
    expect(actOn(text, { name: 'A', destination: 'Room 12' })).not.toBe('exists');
  });

  it('only if they have the same type, which is `url` in a row without a type', () => {
    const values = { name: 'A', destination: MENU };
    expect(actOn(values, { ...values, type: 'url' })).toBe('exists');
    expect(actOn({ ...values, type: 'url' }, { ...values, type: 'url' })).toBe('exists');
    expect(actOn({ ...values, type: 'vcard' }, { ...values, type: 'vcard' })).toBe('exists');
    expect(actOn({ ...values, type: 'vcard' }, { ...values, type: 'url' })).toBe('create');
    expect(actOn(values, { ...values, type: 'vcard' })).toBe('create');
  });

  it('if neither has a destination', () => {
    const poster = { name: 'Poster', type: 'vcard' };
    const code = codeOf(1, { ...poster, destination: null });
    expect(actOn(poster, code)).toBe('exists');
    expect(actOn({ ...poster, destination: '' }, code)).toBe('exists');
    const row = rowOf(2, { type: 'vcard', wish: { name: 'Poster' } });
    const ledger = madeBefore([code]);
    const renamed = { ...code, name: 'Renamed' };
    expect(planOf([row], { codes: [renamed], ledger }).items).toMatchObject([
      { action: 'unchanged', how: 'ledger' },
    ]);
  });

  it('or resemble each other only if they share more than a missing destination', () => {
    const codes = [codeOf(1, { name: 'A', type: 'wifi', destination: null }), codeOf(2)];
    const rows = [
      newRow(2, 'B', undefined, { type: 'wifi' }),
      newRow(3, 'Code 2', codes[1]?.destination ?? ''),
    ];
    expect(actionsOf(planOf(rows, { codes }))).toEqual(['create', 'exists n0002']);
  });
});

it('values are alike if they have the same type and the same name or destination', () => {
  const menu = { name: 'Menu', type: 'url', destination: MENU };
  expect(isAlike(menu, { name: ' Menu', destination: 'https://example.com/a' })).toBe(true);
  expect(isAlike(menu, { name: 'Lunch', destination: 'HTTPS://example.com/menu' })).toBe(true);
  expect(isAlike(menu, { name: 'Lunch', destination: 'https://example.com/a' })).toBe(false);
  expect(isAlike(menu, { ...menu, type: 'vcard' })).toBe(false);
  expect(isAlike({ name: 'A', type: 'wifi' }, { name: 'B', type: 'wifi', destination: null })).toBe(false);
});

describe('the ledger', () => {
  it('records the values of a row, and separately those of its code', () => {
    const code = codeOf(1, { type: 'wifi', destination: null });
    const row = rowOf(2, { key: code.slug, type: 'wifi', wish: { status: 'active' } });
    const { items } = planOf([row], { codes: [code], policy: { verb: 'apply' } });
    expect(items[0]?.learned).toEqual([
      {
        is: 'found',
        run: 'now',
        id: code.id,
        key: code.slug,
        row: { name: '', type: 'wifi' },
        stored: { name: 'Code 1', destination: '', status: 'active' },
      },
    ]);
  });

  it('provides the stored form of a sent name or destination for other rows, too', () => {
    const [sent, stored] = ['https://example.com/a', 'https://example.com/a?via=qr'];
    const first = codeOf(1, { destination: stored });
    const ledger = madeBefore([first], [newRow(2, first.name, sent)]);
    const codes = [first, codeOf(2, { destination: stored })];
    const planned = (row: Row) => actionsOf(planOf([row], { codes, ledger }));
    expect(planned(newRow(2, 'Code 2', sent))).toEqual(['exists n0002']);
    expect(planned(newRow(2, 'Code 2', 'https://example.com/b'))).toEqual(['edited n0002']);
    const wifi = codeOf(3, { name: 'lobby', type: 'wifi', destination: null });
    const lobby = newRow(2, 'LOBBY', undefined, { type: 'wifi' });
    const known = madeBefore([codeOf(1, { name: 'lobby' })], [newRow(2, 'LOBBY')]);
    expect(actionsOf(planOf([lobby], { codes: [wifi], ledger: known }))).toEqual(['exists n0003']);
  });
});

describe('a row needs a decision if the service may have altered its values', () => {
  const altered = (name: string, stored: string) =>
    actOn({ name, destination: MENU }, { name: stored, destination: MENU });

  it.each([
    ['Fish & Chips', 'Fish &amp; Chips'],
    ['Fish & Chips', 'FISH &AMP; CHIPS'],
    ['1 < 2 > 0', '1 &lt; 2 &gt; 0'],
    ['"Bar"', '&quot;Bar&quot;'],
    ["Joe's Bar's", 'Joe&apos;s Bar&apos;s'],
    ["Joe's", 'Joe&#39;s'],
    ["Joe's", 'Joe&#0039;s'],
    ["Joe's", 'Joe&#x27;s'],
    ['Straße', 'STRASSE'],
    ['\ufb01sh', 'fish'],
    ['Menu (bar), 2nd floor!', 'Menu bar 2nd floor'],
  ])('so that %j became %j', (name, stored) => {
    expect(altered(name, stored)).toBe('undecided');
  });

  it('unless a letter or digit differs', () => {
    expect(altered('Table 1', 'Table 2')).toBe('create');
    expect(altered('Bar menu', 'Bar menü')).toBe('create');
    expect(altered('Room', 'Room &amp')).toBe('create');
  });

  it('or cut its name after 16 characters or more', () => {
    expect(altered('Spring menu 2026 for the bar', 'Spring menu 2026')).toBe('undecided');
    expect(altered('Spring menu 2026 for the bar', 'Spring menu 202')).toBe('create');
    expect(altered('Spring menu 2026', 'Spring menu 2026 for the bar')).toBe('create');
    expect(altered('Spring menu 2026 for the bar', 'Spring menu 2026 at')).toBe('create');
    expect(altered('The menu 2026 for the bar', 'menu 2026 for the bar')).toBe('create');
  });

  it('or escaped its destination, but not if the destination or name also differs otherwise', () => {
    const sent = { name: 'A', destination: 'https://example.com/?a=1&b=2' };
    expect(actOn(sent, { name: 'A', destination: 'https://example.com/?a=1&amp;b=2' })).toBe('undecided');
    expect(actOn(sent, { name: 'A', destination: 'https://example.com/?a=1&b=3' })).toBe('edited');
    expect(actOn(sent, { name: 'B', destination: 'https://example.com/?a=1&amp;b=2' })).toBe('create');
  });

  it('with each code as a candidate only once', () => {
    const code = codeOf(1, { name: 'Fish &amp; Chips', destination: MENU });
    const { items } = planOf([newRow(2, 'Fish & Chips', MENU)], { codes: [code, codeOf(2)] });
    expect(items[0]?.candidates).toEqual([code]);
  });
});

describe('a cell that a spreadsheet changed', () => {
  const changes = (cell: string, name: string, rest: Partial<Row> = {}) =>
    planOf([rowOf(2, { id: idOf(1), wish: { name: cell }, ...rest })], {
      codes: [codeOf(1, { name })],
      ...UPDATE,
    }).items[0]?.changes.map(({ what }) => what);

  it('counts as unedited if it is the shortened form of a long number in a CSV file', () => {
    const [cell, name] = ['1.23457E+19', '12345678901234567890'];
    expect(changes(cell, name, { through: 'csv' })).toEqual([]);
    expect(changes(cell, name)).toEqual(['send']);
    expect(changes(cell, name, { through: 'xlsx' })).toEqual(['send']);
    expect(changes('1.3E+19', name, { through: 'csv' })).toEqual(['send']);
  });

  it('counts as unedited if it is an escaped formula in a workbook', () => {
    const [cell, name] = ["'=SUM(A1)", '=SUM(A1)'];
    expect(changes(cell, name, { through: 'xlsx' })).toEqual([]);
    expect(changes(cell, name, { through: 'csv' })).toEqual(['send']);
    expect(changes(cell, name)).toEqual(['send']);
    expect(changes("'=SUM(A2)", name, { through: 'xlsx' })).toEqual(['send']);
    const base = baseOf({ name });
    expect(changes(cell, 'Renamed', { base, through: 'xlsx' })).toEqual(['keep']);
    expect(changes(cell, 'Renamed', { base, through: 'csv' })).toEqual(['conflict']);
    expect(changes("'=SUM(A2)", 'Renamed', { base, through: 'xlsx' })).toEqual(['conflict']);
  });

  it('counts as unedited if only line ends, null characters or invalid characters differ', () => {
    const planned = (cell: string, destination: string) =>
      planOf([rowOf(2, { id: idOf(1), wish: { destination: cell } })], {
        codes: [codeOf(1, { destination })],
        ...UPDATE,
      }).items[0]?.changes;
    expect(planned('Line 1\r\nLine 2\rLine 3', 'Line 1\nLine 2\nLine 3')).toEqual([]);
    expect(planned('Line 1', 'Line\0 1\0')).toEqual([]);
    expect(planned('Line \ufffd', 'Line \ud800')).toEqual([]);
    expect(planned('Line 1\n\nLine 2', 'Line 1\r\nLine 2')).toHaveLength(1);
  });
});

describe('UTM tags', () => {
  const tagged = 'https://example.com/a?utm_source=flyer';
  const row = (rest: Partial<Row>) => rowOf(2, { id: idOf(1), ...rest });

  it('of the old destination are kept with --keep-utm if the cell was edited', () => {
    const codes = [codeOf(1, { destination: tagged })];
    const planned = (rest: Partial<Row>) =>
      planOf([row({ wish: { destination: MENU }, ...rest })], { codes, ...UPDATE });
    expect(planned({ keepUtm: true }).items[0]?.send).toEqual({ destination: `${MENU}?utm_source=flyer` });
    expect(planned({ keepUtm: false }).items[0]?.send).toEqual({ destination: MENU });
    const base = baseOf({ destination: MENU });
    expect(planned({ keepUtm: true, base }).items[0]?.changes).toMatchObject([{ new: MENU, what: 'keep' }]);
    const other = baseOf({ destination: tagged });
    expect(planned({ keepUtm: true, base: other }).items[0]?.send).toEqual({
      destination: `${MENU}?utm_source=flyer`,
    });
  });

  it('that cannot be added cause a warning only in rows that request them', () => {
    const codes = [codeOf(1, { type: 'wifi', destination: null })];
    const planned = (rest: Partial<Row>) =>
      planOf([row({ mayLackUtm: true, ...rest })], { codes, ...UPDATE });
    expect(planned({}).warnings).toEqual([]);
    expect(planned({ utm: { source: 'flyer' } }).warnings).toHaveLength(1);
  });

  it('are added to the destination of a code, not to its name', () => {
    const codes = [codeOf(1)];
    const { items, faults } = planOf([row({ utm: { source: 'flyer' }, mayLackUtm: false })], {
      codes,
      ...UPDATE,
    });
    expect([items[0]?.send, faults]).toEqual([{ destination: 'https://example.com/1?utm_source=flyer' }, []]);
  });
});

describe('a cell is unedited', () => {
  it('only if the row has the column, and its value is still the one that `base` describes', () => {
    const base = baseOf(codeOf(1, { name: 'Menu', destination: MENU }));
    expect(isUnedited({ wish: { name: 'Menu' }, base }, 'name')).toBe(true);
    expect(isUnedited({ wish: { name: 'Bar' }, base }, 'name')).toBe(false);
    expect(isUnedited({ wish: { name: 'Menu' } }, 'name')).toBe(false);
    expect(isUnedited({ wish: { name: 'Menu' }, base }, 'destination')).toBe(false);
  });
});
