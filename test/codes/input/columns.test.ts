import { describe, expect, it } from 'vitest';
import { findWord, matchColumns, renameAdvice, wrongWord } from '#codes/input/columns';
import type { Input } from '#files/formats/read/input';

function table(columns: string[], cells: string[][] = [], more: Partial<Input> = {}): Input {
  const rows = cells.map((texts, at) => {
    const values = new Map(columns.map((column, place) => [column, texts[place]]));
    return { row: at + 1, line: at + 2, values };
  });
  return { name: 'a.xlsx', columns, headerLine: 1, rows, ...more };
}

describe('an unknown column', () => {
  it.each([
    ['nme', 'name'],
    ['naame', 'name'],
    ['nmae', 'name'],
    ['nxxe', undefined],
    ['stxtxs', 'status'],
    ['xtxtxs', undefined],
    ['ids', undefined],
  ])('named %s gets the suggestion %s', (column, meant) => {
    const { faults } = matchColumns(table([column]), ['id', 'name', 'status']);
    expect(faults.map(({ message }) => message)).toEqual(
      meant === undefined ? [] : [`unknown column; did you mean ${meant}?`],
    );
  });

  it('gets no suggestion of a column that the file already has', () => {
    expect(matchColumns(table(['nmae', 'name']), ['name']).faults).toEqual([]);
  });

  it('should be renamed to destination if more than half of its nonempty cells are addresses', () => {
    const cells = ['https://a.example', 'www.a.example', 'x', ' '];
    const rows = cells.map((cell, at) => [cell, at === 0 ? 'y' : cell, cell]);
    const input = table(['to', 'note', 'link'], rows);
    expect(renameAdvice(input, ['note'])).toBeUndefined();
    expect(renameAdvice(input, ['to', 'note'])).toBe(
      'column "to" contains addresses, so rename it to destination',
    );
    expect(renameAdvice(input, ['to', 'link'])).toBe(
      'columns "to" and "link" contain addresses, so rename the correct one to destination',
    );
  });
});

it('a column that means the same as an earlier column is a fault', () => {
  const [fault] = matchColumns(table(['Name', 'name ']), ['name']).faults;
  expect(fault).toEqual({ line: 1, column: 'name ', message: 'means the same as column Name' });
});

it('a fault in a column with a translated header names that header, and a cell gets no second fault', () => {
  const earlier = { line: 2, column: 'Titel', message: 'is a date' };
  const named = { fields: new Map([['Titel', 'name']]), ambiguous: new Map() };
  const input = table(
    ['Titel', 'STATUS'],
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    { named, faults: [earlier] },
  );
  const { cell, faults, notes } = matchColumns(input, ['name', 'status']);
  expect(notes).toEqual(['column Titel is read as name']);
  for (const row of input.rows) for (const name of ['name', 'status']) cell(row, name).fault('is odd');
  expect(faults).toEqual([
    earlier,
    { line: 2, column: 'status', message: 'is odd' },
    { line: 3, column: 'Titel', message: 'is odd' },
    { line: 3, column: 'status', message: 'is odd' },
  ]);
});

it('a column that the file lacks has no values, even if the file has a column with an empty name', () => {
  const input = table(['', 'slug'], [['x', 'a']]);
  const { cell } = matchColumns(input, ['id', 'slug']);
  expect(input.rows.flatMap((row) => ['id', 'slug'].map((name) => cell(row, name).value))).toEqual([
    undefined,
    'a',
  ]);
});

it('hidden rows cause a warning', () => {
  const warningsOf = (hiddenRows: number) =>
    matchColumns(table(['name'], [['a'], ['b'], ['c']], { hiddenRows }), ['name']).warnings;
  expect(warningsOf(0)).toEqual([]);
  expect([1, 2].flatMap(warningsOf).map(({ message }) => message)).toEqual([
    '1 of 3 rows in a.xlsx is hidden but included; pass --visible-only to omit hidden rows',
    '2 of 3 rows in a.xlsx are hidden but included; pass --visible-only to omit hidden rows',
  ]);
});

it('a word is found ignoring case, preferably as an exact match, and an unknown word gets a list of the valid ones', () => {
  const words = { what: 'a type', all: ['wpa', 'WPA', 'url'] };
  expect([' WPA ', 'wpa', 'Url', 'x'].map((text) => findWord(text, words))).toEqual([
    'WPA',
    'wpa',
    'url',
    undefined,
  ]);
  expect(wrongWord(' x ', words)).toEqual({
    message: '"x" is not a type',
    explanation: 'a type is one of wpa, WPA, url',
  });
});
