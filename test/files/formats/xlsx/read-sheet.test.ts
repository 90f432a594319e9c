import { expect, it } from 'vitest';
import { readSheet, type SheetRow } from '#files/formats/xlsx/read-sheet';

const CONTEXT = { name: 'codes.xlsx', strings: [], formats: [] };

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
