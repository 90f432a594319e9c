import { expect, it } from 'vitest';
import { resultsPathBeside } from '#commands/qr/rows/flags';

const CSV = { is: 'csv', delimiter: ',', bom: false, lineEnd: '\n' } as const;

it.each([
  ['a/codes.csv', CSV, 'a/codes.results.csv'],
  ['codes.tsv', CSV, 'codes.results.tsv'],
  ['codes.csv.gz', CSV, 'codes.results.csv'],
  ['codes.xlsx', { is: 'xlsx' }, 'codes.results.xlsx'],
  ['codes.txt', CSV, 'codes.results.csv'],
  ['codes', { is: 'ndjson' }, 'codes.results.ndjson'],
  // Results are written into the file itself.
  ['a/codes.results.csv', CSV, 'a/codes.results.csv'],
  ['codes.Results.xlsx', { is: 'xlsx' }, 'codes.Results.xlsx'],
  ['codes.results.csv.gz', CSV, 'codes.results.csv.gz'],
  ['codes.results.txt', CSV, 'codes.results.results.csv'],
  ['.results.csv', CSV, '.results.results.csv'],
] as const)(
  'results for the input %s overwrite it if it is a results file, and otherwise are written next to it',
  (from, form, expected) => {
    expect(resultsPathBeside(from, { form, columns: ['name'] })).toBe(expected);
  },
);

it('results overwrite an input that has the columns of a results file, even if its name is different', () => {
  const columns = ['name', 'id', 'slug', 'outcome', 'error', 'base', 'decision'];
  const form = { is: 'csv', delimiter: ',', bom: false, lineEnd: '\n' } as const;
  expect(resultsPathBeside('kept.csv', { form, columns })).toBe('kept.csv');
});
