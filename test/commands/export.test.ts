/** `scans export` as it is typed: refused flags, its plan, and which columns its files have. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ExportFlags, planExport } from '#commands/scans/plan-export';
import type { Context } from '#context';
import { ORDINARY_FILES } from '#files/formats/kept-file';
import { resolveInputs } from '#settings/resolve';
import { useDirectory } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';
import { useMachine } from './login.ts';

async function useExport() {
  const sandbox = await useSandbox({ codes: 2, scans: 30 });
  const cwd = await useDirectory();
  const run = async (...args: string[]) => {
    const before = sandbox.requests.length;
    const result = await runHere(['scans', 'export', ...args], { env: { ...sandbox.env, TZ: 'UTC' }, cwd });
    return { ...result, requests: sandbox.requests.length - before };
  };
  return { sandbox, cwd, run };
}

const DATASET = ['--output-dir', 'lake', '--partition-by', 'day'];

describe('an export', () => {
  test.each([
    [
      '--append with standard output',
      ['-o', '-', '--append'],
      "--append can't be used with standard output",
      'Add -o scans.csv, or --output-dir DIR for one file per code.',
    ],
    [
      '--append with a compressed file',
      ['-o', 's.csv.gz', '--append'],
      "--append can't be used with a compressed file",
      'Use a file name without .gz.',
    ],
    [
      '--append with a Parquet file',
      ['-o', 's.parquet', '--append'],
      "--append can't be used with a single Parquet file",
      'Write a dataset with --output-dir DIR --partition-by day.',
    ],
    [
      '--append with a workbook',
      ['-o', 's.xlsx', '--append'],
      "--append can't be used with the format xlsx",
      'Use a name that ends in .csv or .ndjson with --output.',
    ],
    [
      '--append with a table',
      ['-o', 's', '-f', 'table', '--append'],
      "--append can't be used with the format table",
      'Use a name that ends in .csv or .ndjson with --output, and omit --format.',
    ],
    [
      '--append to a directory of JSON files',
      ['--output-dir', 'd', '-f', 'json', '--append'],
      "--append can't be used with the format json",
      'Use --format csv or --format ndjson.',
    ],
    [
      '--append without fields',
      ['-o', 's.csv', '--append', '--fields', 'ts,country'],
      '--append requires the fields id and ts',
      'Add id to --fields.',
    ],
    [
      'tables in a directory',
      ['--output-dir', 'd', '-f', 'table'],
      "--output-dir can't be used with --format table",
      'Add --format csv.',
    ],
    [
      'a dataset of JSON',
      [...DATASET, '-f', 'json'],
      "--partition-by can't be used with the format json",
      'Add --format parquet, csv or ndjson.',
    ],
    [
      'a dataset without fields',
      [...DATASET, '--fields', 'country'],
      'a dataset requires the fields qr_id, id and ts',
      'Add qr_id,id,ts to --fields.',
    ],
  ])(
    'is refused with exit code 2 before it sends or writes anything: %s',
    async (_, flags, message, hint) => {
      const { cwd, run } = await useExport();
      const { code, stderr, requests } = await run('--all', ...flags);
      expect({ code, requests }).toEqual({ code: 2, requests: 0 });
      expect(stderr).toContain(message);
      expect(stderr).toContain(hint);
      expect(await readdir(cwd)).toEqual([]);
    },
  );

  const CODE = 'qr_id,qr_slug,qr_name,';
  test.each([
    ['one code', ['1'], [], 'id,ts,country,city,device,os,browser,referrer'],
    ['all codes', ['--all'], [], `${CODE}id,ts,country,city,device,os,browser,referrer`],
    ['one code for Excel', ['1'], ['--excel'], 'id,ts,ts_local,country,city,device,os,browser,referrer'],
    ['fields of all codes', ['--all'], ['--fields', 'ts_local,qr_slug'], 'ts_local,qr_slug'],
  ])('of %s (%j %j) has the columns %s', async (_, names, flags, header) => {
    const { sandbox, run } = await useExport();
    const codes = names.map((name) => (name === '1' ? sandbox.codeId() : name));
    const { code, stdout } = await run(...codes, '-f', 'csv', ...flags);
    expect(code).toBe(0);
    expect(stdout.replace('\uFEFF', '').split(/\r?\n/)[0]).toBe(header);
  });

  test('of one code exits with 2 if --fields contains qr_id', async () => {
    const { sandbox, run } = await useExport();
    expect(await run(sandbox.codeId(), '-f', 'csv', '--excel', '--fields', 'ts,qr_id')).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  test('to a directory has one file per code without the columns of the code, and a dataset has these columns', async () => {
    const { sandbox, cwd, run } = await useExport();
    const code = sandbox.codeId();
    await run(code, '--output-dir', 'each', '-f', 'csv');
    expect(await readFile(join(cwd, 'each', `${code}.csv`), 'utf8')).toMatch(/^id,ts,country,/);
    await run(code, '--output-dir', 'lake', '--partition-by', 'month', '-f', 'csv', '--since', '2024-12-01');
    const [part = ''] = await readdir(join(cwd, 'lake', 'dt=2024-12'));
    expect(await readFile(join(cwd, 'lake', 'dt=2024-12', part), 'utf8')).toMatch(
      /^qr_id,qr_slug,qr_name,id,/,
    );
  });
});

test('an export to a directory is CSV if the format of the profile is a table', async () => {
  const sandbox = await useSandbox({ codes: 2, scans: 30 });
  const machine = await useMachine();
  await machine.login('default', sandbox.baseUrl, sandbox.env.QRCTL_API_KEY ?? '');
  expect(await machine.run(['config', 'set', 'format', 'table'])).toMatchObject({ code: 0 });
  const directory = join(await useDirectory(), 'each');
  const run = (...args: string[]) => machine.run(['scans', 'export', '--all', ...args]);
  expect(await run('--output-dir', directory)).toMatchObject({ code: 0 });
  expect((await readdir(directory)).map((name) => name.slice(-4))).toEqual(['.csv', '.csv']);
  expect((await run()).stdout).toMatch(/^qr_id +qr_slug /);
});

describe('planExport', () => {
  const settings = resolveInputs({ flags: {}, env: {}, name: 'default', profile: {} });
  async function plan(flags: Partial<ExportFlags>, isTerminal = false) {
    const used: unknown[] = [];
    const context = {
      settings: async () => settings,
      console: { isTerminal, note: () => undefined },
      clock: { now: () => 0 },
      env: { TZ: 'Asia/Tokyo' },
      files: { use: (file: unknown) => used.push(file) },
    } as unknown as Context;
    const names = flags.all ? [] : ['menu'];
    return { used, ...(await planExport(context, names, flags as ExportFlags)) };
  }

  test.each<[Partial<ExportFlags>, object]>([
    [{}, { named: false, labeled: false, overwrite: false, proveBeyond: false, localZone: undefined }],
    [
      { overwrite: true, proveBeyond: true },
      { overwrite: true, proveBeyond: true },
    ],
    [{ overwrite: true }, { output: { replaces: [...ORDINARY_FILES, 'log'] } }],
    [
      { fields: ['qr_id', 'ts'], all: true },
      { named: false, labeled: true },
    ],
    [{ fields: ['qr_slug', 'ts'], all: true }, { named: true }],
    [{ fields: ['ts_local', 'ts'] }, { named: false, localZone: 'Asia/Tokyo' }],
    [{ excel: true, timezone: 'UTC' }, { localZone: 'UTC' }],
    [{ output: 's.xlsx' }, { localZone: 'Asia/Tokyo' }],
    [{ outputDir: 'd' }, { named: false, labeled: false, directory: 'd', fileNames: 'id' }],
    [
      { outputDir: 'd', fileNames: 'slug' },
      { named: true, labeled: false },
    ],
    [
      { outputDir: 'd', partitionBy: 'day' },
      { labeled: true, partition: { by: 'day', timezone: 'UTC' } },
    ],
    [
      { outputDir: 'd', partitionBy: 'month', timezone: 'Asia/Tokyo' },
      { partition: { by: 'month', timezone: 'Asia/Tokyo' } },
    ],
    [
      { output: 's.csv', append: true },
      {
        append: { path: 's.csv', overlapMs: 3_600_000, restart: false, rotated: false },
        used: [{ path: 's.csv.state.json', writes: true, flag: '--output', what: 'the state of --append' }],
      },
    ],
    [
      { output: 's.csv', append: true, overlap: 0, restart: true, rotated: true },
      { append: { overlapMs: 0, restart: true, rotated: true } },
    ],
    [
      { outputDir: 'd', append: true, partitionBy: 'day', format: 'parquet' },
      { append: { path: '' }, used: [] },
    ],
  ])('returns the expected plan for the flags %j', async (flags, expected) => {
    expect(await plan(flags)).toMatchObject(expected);
  });

  test('chooses a table for a terminal, and CSV for a pipe or a directory', async () => {
    const formats = [await plan({}, true), await plan({}), await plan({ outputDir: 'd' }, true)];
    expect(formats.map(({ output }) => output.format)).toEqual(['table', 'csv', 'csv']);
  });

  test('marks `ts` as a time in UTC, and `ts_local` as a local time', async () => {
    const { output } = await plan({ fields: ['id', 'ts', 'ts_local'] });
    expect(output.columns.map(({ name, isTime }) => [name, isTime])).toEqual([
      ['id', false],
      ['ts', 'utc'],
      ['ts_local', true],
    ]);
  });
});
