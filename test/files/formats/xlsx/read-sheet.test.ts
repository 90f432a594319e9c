import { expect, it } from 'vitest';
import { readSheet, type SheetRow } from '#files/formats/xlsx/read-sheet';

const GENERAL = { id: 0, code: '', isDate: false };
const DATE = { id: 14, code: '', isDate: true };
const CONTEXT = { name: 'codes.xlsx', strings: ['first'], formats: [GENERAL, DATE] };

function readAll(rows: string, after = '') {
  const found: SheetRow[] = [];
  const xml = `<worksheet><sheetData>${rows}</sheetData>${after}</worksheet>`;
  const merged = readSheet([xml], CONTEXT, (row) => found.push(row));
  return { rows: found, merged };
}

it('a sheet may have 1,048,576 rows, as in Excel, but not more', () => {
  const thousand = '<row/>'.repeat(1024);
  const read = (last: string) => {
    const pieces = [
      '<worksheet><sheetData>',
      ...Array(1024).fill(thousand),
      last,
      '</sheetData></worksheet>',
    ];
    const rows: SheetRow[] = [];
    readSheet(pieces, CONTEXT, (row) => rows.push(row));
    return rows.map(({ line }) => line);
  };
  expect(read('')).toEqual([]);
  expect(() => read('<row/>')).toThrow('codes.xlsx has more than 1,048,576 rows');
});

it.each([
  ['<c><v>1.5</v></c>', { is: 'number', value: 1.5, format: GENERAL }],
  ['<c s="1"><v>46082</v></c>', { is: 'date', serial: 46_082 }],
  ['<c s="7"><v>1</v></c>', { is: 'number', value: 1, format: GENERAL }],
  ['<c><v>1,5</v></c>', { is: 'text', text: '1,5' }],
  ['<c t="b"><v>1</v></c>', { is: 'boolean', value: true }],
  ['<c t="b"><v>true</v></c>', { is: 'boolean', value: true }],
  ['<c t="b"><v>0</v></c>', { is: 'boolean', value: false }],
  ['<c t="e"><v>#N/A</v></c>', { is: 'error', text: '#N/A' }],
  ['<c t="d"><v>2026</v></c>', { is: 'text', text: '2026' }],
  ['<c t="s"><v>0</v></c>', { is: 'text', text: 'first' }],
  ['<c t="str"><v>_x0041_</v></c>', { is: 'text', text: 'A' }],
  ['<c><f>1+1</f></c>', { is: 'formula' }],
])('the cell %s has its value with its type', (cell, value) => {
  expect(readAll(`<row>${cell}</row>`).rows.map(({ cells }) => [...cells])).toEqual([[[0, value]]]);
});

it('rows and cells without a position follow the previous ones, and a row without a value is omitted', () => {
  const { rows } = readAll(
    '<row r="3"><c r="AB3"><v>1</v></c><c><v>2</v></c></row><row/><row><c><v>3</v></c></row>',
  );
  expect(rows.map(({ line, cells }) => [line, ...cells.keys()])).toEqual([
    [3, 27, 28],
    [5, 0],
  ]);
});

it('merged cells have the lines of their corners and their first column', () => {
  const areas = ['B12:C345', 'A7', 'A:C', ''].map((ref) => `<mergeCell ref="${ref}"/>`);
  expect(readAll('', `<mergeCells>${areas.join('')}</mergeCells>`).merged).toEqual([
    { top: 12, bottom: 345, left: 1 },
    { top: 7, bottom: 7, left: 0 },
    { top: 0, bottom: 0, left: 0 },
    { top: 0, bottom: 0, left: 0 },
  ]);
});
