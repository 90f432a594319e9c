import { expect, test } from 'vitest';
import { UsageError } from '#base/errors';
import {
  type CodeChoice,
  checkChoice,
  createFilter,
  everyOf,
  type FileChoice,
  filterWords,
  fromCodesOptions,
  isOneCode,
  partOf,
  requireWorkbook,
} from '#commands/code-choice';
import { makeCode } from '../support/make.ts';

test('a filter has one canonical form: sorted, without duplicates, and in lower case', () => {
  const choice: CodeChoice = { type: ['url'], status: ['paused', 'active', 'paused'], name: ['Café Menu'] };
  expect(filterWords(choice)).toBe("--name 'café menu' --status active --status paused --type url");
  expect(filterWords({ name: ['Cafe\u0301 menu', 'CAFÉ MENU'] })).toBe("--name 'café menu'");
  expect([filterWords({}), filterWords({ status: [] })]).toEqual([undefined, undefined]);
});

test('everyOf returns true, a filter, or false for specified codes, and isOneCode is true only for a single CODE', () => {
  const status = { status: ['active'] };
  expect([everyOf([], {}), everyOf([], status)]).toEqual([true, '--status active']);
  expect([everyOf(['a'], {}), everyOf(['a'], status), everyOf([], { from: 'x.csv' })]).toEqual(
    Array(3).fill(false),
  );
  expect([
    isOneCode(['a'], {}),
    isOneCode(['a'], status),
    isOneCode(['a', 'b'], {}),
    isOneCode([], {}),
  ]).toEqual([true, false, false, false]);
});

test('a filter selects codes that match each flag, and a repeated flag selects any of its values', () => {
  const isChosen = createFilter({ status: ['active', 'paused'], type: ['url'], name: ['tür', 'menu'] });
  const code = { name: 'Vor der TÜR', type: 'url', status: 'paused' };
  expect(isChosen(makeCode(code))).toBe(true);
  for (const other of [{ status: 'expired' }, { type: 'sms' }, { name: 'Poster' }])
    expect(isChosen(makeCode({ ...code, ...other }))).toBe(false);
  const any = createFilter({ status: undefined, type: undefined, name: undefined });
  expect(any(makeCode({ name: 'Poster', type: 'sms', status: 'expired' }))).toBe(true);
});

test.each<[CodeChoice, boolean]>([
  [{}, false],
  [{ all: true }, true],
  [{ from: 'codes.csv' }, true],
  [{ name: ['a'] }, true],
])('without CODE, the choice %j is accepted: %s', (choice, isAccepted) => {
  const check = () => checkChoice([], choice);
  if (isAccepted) check();
  else
    expect(check).toThrow(
      new UsageError('no code specified', {
        hint: 'Specify IDs or slugs (see `qrctl qr list`), or add --all, --name TEXT or --from FILE.',
      }),
    );
  checkChoice(['a'], choice);
});

test.each<[FileChoice, string?]>([
  [{ from: 'a.csv', join: 'b.csv' }],
  [{ sheetName: 'x', from: 'a.csv' }],
  [{ visibleOnly: true, join: 'b.csv' }],
  [{ sheetName: 'x', from: 'a.csv', join: 'b.XLSX' }],
  [{ sheetName: 'x', from: 'a.csv', join: 'b.csv' }, '--sheet-name'],
  [{ visibleOnly: true, from: 'a.csv', join: 'b.xlsx.csv' }, '--visible-only'],
  [{ visibleOnly: true }, '--visible-only'],
  [{ sheetName: '' }, '--sheet-name'],
])('the files %j are refused only if a workbook flag applies to none of them', (choice, refused) => {
  const check = () => requireWorkbook(choice);
  if (refused === undefined) check();
  else
    expect(check).toThrow(
      new UsageError(`${refused} requires a workbook (.xlsx)`, {
        hint: `Omit ${refused}, or specify a workbook.`,
      }),
    );
});

test('workbook flags apply to the only file or, with two files, to the workbook', () => {
  const flags = { sheetName: 'Codes', visibleOnly: true } as const;
  expect(partOf('a.csv', { ...flags, from: 'a.csv' })).toEqual(flags);
  expect(partOf('a.csv', { ...flags, join: 'a.csv' })).toEqual(flags);
  const both = { ...flags, from: 'a.csv', join: 'b.xlsx' };
  expect([partOf('a.csv', both), partOf('b.xlsx', both)]).toEqual([{}, flags]);
});

test('--from with a time has a hint to use --since, but --from with a file name has no hint', () => {
  const { hintFor } = fromCodesOptions().from;
  for (const time of ['2026-10', '2026-10-31', '24h', '7d', 'today', 'yesterday'])
    expect(hintFor?.(time)).toBe(`To start at a time, use --since ${time} instead of --from.`);
  for (const file of ['2026-10.csv', 'codes-2026-10', '7days', 'x7d', '2026'])
    expect(hintFor?.(file)).toBeUndefined();
});
