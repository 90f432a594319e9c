import { describe, expect, it } from 'vitest';
import { MOST_ROWS, MOST_VALUES } from '#base/bounds';
import { UsageError } from '#base/errors';
import { inQuotes } from '#base/text/quote';
import {
  describeFaults,
  type Fault,
  faultsOfHeader,
  faultsOfRead,
  fold,
  isAddress,
  mapRows,
  problemOf,
  refuseChecked,
  refuseFaults,
  refuseMany,
  showValue,
} from '#files/formats/read/input';

function refusal(run: () => void): UsageError {
  try {
    run();
  } catch (error) {
    if (error instanceof UsageError) return error;
  }
  throw new Error('it was accepted');
}

const csv = { name: 'a.csv' };
const many = (count: number): Fault[] =>
  Array.from({ length: count }, (_, at) => ({ line: count - at, message: 'x' }));

describe('the faults in a file', () => {
  it('are listed by line without duplicates, with explanations, warnings and a hint for each kind of fault', () => {
    const whole = { message: 'is odd', explanation: 'Odd files are not read.' };
    const faults: Fault[] = [
      { line: 3, column: 'name', message: 'is empty', isSorted: true },
      { message: '--key is missing', isOfFlag: true },
      whole,
      { line: 2, message: 'is short', mayForce: true },
      whole,
    ];
    const warnings = [{ line: 9, column: 'a b', message: 'is long' }];
    const error = refusal(() => refuseFaults(csv, faults, { start: 'Start again.', warnings }));
    expect(error.message.split('\n')).toEqual([
      'a.csv: 4 faults and 1 warning (no changes were made)',
      '  --key is missing',
      '  is odd',
      '  line 2: is short',
      '  line 3, column name: is empty',
      '  Odd files are not read.',
      '  warning: line 9, column "a b": is long',
    ]);
    expect(error.hint).toBe(
      'Fix the file, correct the flag, and run the command again. Start again. Sort whole rows, not single columns. To accept these destinations, add --force.',
    );
  });

  it('have a hint that is only about the file or only about the flag if the other has no faults', () => {
    const inFile = refusal(() => refuseFaults(csv, [{ line: 2, message: 'x' }]));
    expect(inFile.message).toBe('a.csv: 1 fault (no changes were made)\n  line 2: x');
    expect(inFile.hint).toBe('Fix the file and run the command again.');
    const inFlag = refusal(() => refuseFaults(csv, [{ message: 'x', isOfFlag: true }]));
    expect(inFlag.hint).toBe('Correct the flag and run the command again.');
  });

  it('include warnings with --strict', () => {
    const checked = { rows: [], unread: [], notes: [], start: 'Start again.' };
    const [fault, warning, doubt] = ['a', 'b', 'c'].map((message) => ({ message })) as [Fault, Fault, Fault];
    const check = (faults: Fault[], strict: boolean) => () =>
      refuseChecked(csv, { ...checked, faults, warnings: [warning], doubts: [doubt] }, strict);
    expect(refusal(check([fault], false)).message).toMatch(
      /1 fault and 2 warnings .*\n {2}a\n {2}warning: b\n/,
    );
    expect(refusal(check([fault], true)).message).toMatch(
      /2 faults and 1 warning .*\n {2}a\n {2}b\n {2}warning: c$/,
    );
    expect(check([], false)).not.toThrow();
  });

  it('are counted, but not all listed, if there are more than 50', () => {
    expect(describeFaults(csv, many(50)).at(-1)).toBe('line 50: x');
    expect(describeFaults(csv, many(51)).slice(49)).toEqual(['line 50: x', 'and 1 more']);
    expect(describeFaults(csv, many(1000)).at(-1)).toBe('and at least 950 more');
    const error = refusal(() => refuseFaults(csv, many(1), { warnings: many(60) }));
    expect(error.message.split('\n').slice(-2)).toEqual(['  warning: line 50: x', '  and 10 more']);
  });

  it('in an uncompressed text file have a line number for annotations, and otherwise state the place only in the message', () => {
    const fault = { line: 2, column: 'name', message: 'is empty' };
    const inLine = (name: string) => ({ file: name, line: 2, message: 'column name: is empty' });
    const message = 'line 2, column name: is empty';
    expect(problemOf(csv, fault)).toEqual(inLine('a.csv'));
    expect(problemOf({ name: 'a.gz.csv', form: { is: 'ndjson' } }, fault)).toEqual(inLine('a.gz.csv'));
    expect(problemOf({ name: 'a.csv.GZ' }, fault)).toEqual({ file: 'a.csv.GZ', message });
    expect(problemOf({ name: 'a.xlsx', form: { is: 'xlsx' } }, fault)).toEqual({ file: 'a.xlsx', message });
    expect(problemOf({ name: 'standard input' }, fault)).toEqual({ file: undefined, message });
    expect(problemOf({ name: 'a.json', form: { is: 'json' } }, fault).message).toMatch(
      /^item 2, column name: /,
    );
  });

  it('are ignored in columns that the command does not read, but not in the header, where empty and repeated names are faults', () => {
    const [ofName, ofCity, ofHeader, ofLine] = [
      { line: 2, column: 'name', message: '' },
      { line: 2, column: 'city', message: '' },
      { line: 1, column: 'city', message: '' },
      { line: 2, message: '' },
    ];
    const faults = [ofName, ofCity, ofHeader, ofLine] as Fault[];
    const input = { name: 'a', columns: [], rows: [], headerLine: 1, faults };
    expect(faultsOfRead(input, new Set(['name']))).toEqual([ofName, ofHeader, ofLine]);
    expect(faultsOfHeader(['a', '', 'b', 'a', 'a'], 1)).toEqual([
      { line: 1, message: 'the header of column 2 is empty' },
      { line: 1, column: 'a', message: 'appears twice in the header' },
    ]);
  });
});

describe('a file', () => {
  it('is refused if it has more than the maximum number of rows or cells', () => {
    const refused = (rows: number, columns: number) => () => refuseMany('a.csv', rows, columns);
    expect(refused(MOST_ROWS, 1)).not.toThrow();
    expect(refused(MOST_VALUES / 100, 100)).not.toThrow();
    expect(refusal(refused(MOST_ROWS + 1, 1)).message).toBe(`a.csv has more than ${MOST_ROWS} rows`);
    expect(refusal(refused(MOST_VALUES / 100 + 1, 100)).message).toBe(
      `a.csv has more than ${MOST_VALUES / 100} rows of 100 columns`,
    );
  });
});

describe('a value', () => {
  it.each([
    ['https://x.example', true],
    [' HTTP://x', true],
    ['www.x', true],
    ['see https://x', false],
    ['a/www.x', false],
  ])('%j is an address: %s', (cell, is) => {
    expect(isAddress(cell)).toBe(is);
  });

  it('is shown as JSON, truncated after 60 characters', () => {
    expect([undefined, null, 12n, [1]].map(showValue)).toEqual(['nothing', 'null', '"12"', '[1]']);
    expect(showValue(['x'.repeat(56)])).toBe(`["${'x'.repeat(56)}"]`);
    expect(showValue(['x'.repeat(57)])).toBe(`["${'x'.repeat(57)}"…`);
    expect(showValue('a"b')).toBe(inQuotes('a"b'));
  });
});

it('mapRows maps rows in their order, and stops when its signal is aborted', async () => {
  const rows = Array.from({ length: 10_001 }, (_, at) => at);
  expect(await mapRows(rows, (row) => row + 1, undefined)).toEqual(rows.map((row) => row + 1));
  const controller = new AbortController();
  const mapped: number[] = [];
  const mapping = mapRows(rows, (row) => mapped.push(row), controller.signal);
  controller.abort(new Error('stopped'));
  await expect(mapping).rejects.toThrow('stopped');
  expect(mapped).toHaveLength(5000);
});

it('fold() removes the spaces around a column name and converts the name to lower case', () => {
  expect(fold(' UTM Term\t')).toBe('utm term');
});
