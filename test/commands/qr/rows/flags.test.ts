/** Values of the flags of bulk commands. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  changeOptions,
  decisionOptions,
  policyOf,
  type RowsFlags,
  resultsPathOf,
  rowsOptions,
} from '#commands/qr/rows/flags';
import { useDirectory } from '../../../support/cli.ts';

const { column } = rowsOptions;
const { adopt, asNew } = decisionOptions;
const { maxChanges } = changeOptions;

type Flag = { flags: string; parse?: (raw: string, previous: undefined) => unknown };

describe('the value of a bulk flag', () => {
  it.each<[Flag, string, unknown]>([
    [column, 'name=Titel', [['name', 'Titel']]],
    [column, ' Name = My title ', [['name', 'My title']]],
    [column, 'destination=a=b', [['destination', 'a=b']]],
    [column, 'name=two\nlines', [['name', 'two\nlines']]],
    [adopt, '3=abc', [['3', 'abc']]],
    [adopt, ' k=1 = abc ', [['k=1', 'abc']]],
    [asNew, ' 15-20 ', ['15-20']],
    [asNew, '7-7', ['7-7']],
    [asNew, '1-1000000', ['1-1000000']],
    [asNew, 'all', ['all']],
    [asNew, 'k1', ['k1']],
    [maxChanges, '5', { count: 5 }],
    [maxChanges, '30%', { percent: 30 }],
  ])('$flags %j is read', ({ parse }, raw, value) => {
    expect(parse?.(raw, undefined)).toEqual(value);
  });

  it.each<[Flag, readonly string[], RegExp]>([
    [column, ['name', 'name=', 'name= ', '=x', 'nmae=x', 'x name=y'], /^FIELD=HEADER, with the field .*name/],
    [adopt, ['3', '=abc', '3=', ' = '], /^ROW=CODE, with a line or key/],
    [asNew, [' 20-15 ', '1-1000001'], /^a line, a range of lines such as 15-20/],
    [maxChanges, ['', 'x', '-1', '101%'], /^a number of codes, or a percentage/],
  ])('$flags %j is refused', ({ parse }, values, message) => {
    for (const raw of values) {
      expect(() => parse?.(raw, undefined), raw).toThrow(InvalidArgumentError);
      expect(() => parse?.(raw, undefined), raw).toThrow(message);
    }
  });
});

describe('the policy of a run', () => {
  const policy = (verb: 'create' | 'update' | 'apply', flags: Partial<RowsFlags> = {}) =>
    policyOf(verb, flags as RowsFlags);

  it('allows no change that was not requested, and by default resolves conflicts in favor of the file only for `qr apply`', () => {
    expect(policy('update')).toEqual({
      verb: 'update',
      conflicts: 'ask',
      isDated: false,
      applyEdits: false,
      adoptExisting: false,
      removed: 'report',
      maxChanges: undefined,
      force: false,
      decisions: { adopt: new Map(), asNew: new Map(), asNewAll: false },
    });
    expect(policy('apply').conflicts).toBe('file');
    expect(policy('apply', { conflicts: 'service' }).conflicts).toBe('service');
  });

  it('has the decisions in the flags, and counts how often --as-new repeats a row', () => {
    const asNew = ['2', 'all', '2', 'k'];
    expect(policy('create', { force: true, asNew, adopt: [['k', 'abc']] })).toMatchObject({
      force: true,
      decisions: {
        adopt: new Map([['k', 'abc']]),
        asNew: new Map([
          ['2', 2],
          ['k', 1],
        ]),
        asNewAll: true,
      },
    });
  });
});

it('results are written next to a regular input file or to the file in --results, and otherwise to no file', async () => {
  const directory = await useDirectory();
  const at = (name: string) => join(directory, name);
  await writeFile(at('a.results.csv'), '');
  const pathOf = (from: string, results?: string) => {
    const used: unknown[] = [];
    const files = { use: (file: object) => used.push(file) } as never;
    const input = { form: { is: 'csv' }, columns: ['name'] } as never;
    return [resultsPathOf(files, from, { results } as RowsFlags, input), ...used];
  };
  const use = (flag: string, path: string) => ({ what: 'the results file', flag, path, writes: true });
  const own = at('a.results.csv');
  expect(pathOf(own)).toEqual([own, use('--from', own)]);
  expect(pathOf(at('b.csv'))).toEqual([at('b.results.csv'), use('--results', at('b.results.csv'))]);
  expect(pathOf('-', at('r.xlsx'))).toEqual([at('r.xlsx'), use('--results', at('r.xlsx'))]);
  expect(pathOf('-')).toEqual([undefined]);
  expect(pathOf(directory)).toEqual([undefined]);
  expect(() => pathOf('-', 'r.md')).toThrow(/^cannot write r\.md: results /);
});
