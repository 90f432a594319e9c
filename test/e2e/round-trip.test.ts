/** What one command wrote, another reads: a list that nobody edited changes nothing, and an edited cell is one request. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWholeFile } from '#files/formats/whole-file';
import type { SheetRow } from '#files/formats/xlsx/read-sheet';
import { readWorkbook } from '#files/formats/xlsx/read-workbook';
import { createWorkbookSink } from '#files/formats/xlsx/workbook-sink';
import { useBench } from '../support/bench.ts';
import { useDirectory } from '../support/cli.ts';
import { HOSTILE } from '../support/hostile-strings.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const NAMES = [
  '-20% Sale',
  "'-20% Sale",
  "''=1",
  "'til dawn",
  '007',
  '2026-03-01',
  ...Object.values(HOSTILE),
];

/** A sandbox whose codes have every hostile text for a name, and a way to list them into a file and give that back. */
async function useList() {
  const names = NAMES.filter((name) => name.trim() !== '' && name.length < 10_000).map((name) =>
    name.replace(/\0+/g, '\0'),
  );
  const { sandbox, directory: cwd, qr } = await useBench(undefined, { limit: 100_000 });
  for (const name of names) sandbox.workspace.create({ name, destination: 'https://example.com/' });
  return { sandbox, names: names.sort(), cwd, qr: (...args: string[]) => qr(args) };
}

const patches = ({ requests }: TestSandbox) => requests.filter(({ method }) => method === 'PATCH').length;
const namesOf = ({ workspace }: TestSandbox) =>
  workspace
    .codes()
    .map(({ name }) => name)
    .sort();

describe('a list that is imported again', () => {
  const forms: [string, string[]][] = [
    ['codes.csv', []],
    ['codes.csv', ['--excel', '--delimiter', ';']],
    ['codes.json', []],
    ['codes.xlsx', []],
    ['codes.csv.gz', []],
    ['codes.tsv', []],
    ['codes.csv', ['--raw-cells']],
    ['codes.ndjson', []],
  ];
  test.each(firstRows(4, forms))('as %s %j changes nothing', async (file, flags) => {
    const { sandbox, names, qr } = await useList();
    expect(await qr('list', '-o', file, ...flags)).toMatchObject({ code: 0 });
    const raw = flags.includes('--raw-cells') ? ['--raw-cells'] : [];
    const { code, stderr } = await qr('update', '--from', file, ...raw);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${names.length} rows unchanged`)]);
    expect([patches(sandbox), namesOf(sandbox)]).toEqual([0, names]);
  });

  test('with one edited cell leads to one PATCH, as --dry-run predicts', async () => {
    const { sandbox, names, cwd, qr } = await useList();
    const file = join(cwd, 'codes.csv');
    await qr('list', '-o', 'codes.csv', '--delimiter', ';', '--excel');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(';active;', ';paused;'));
    const dry = await qr('update', '--from', 'codes.csv', '--dry-run', '-f', 'json');
    const changes = JSON.parse(dry.stdout).filter(({ action }: { action: string }) => action !== 'unchanged');
    expect(changes).toMatchObject([{ changes: { status: { old: 'active', new: 'paused' } } }]);
    expect(await qr('update', '--from', 'codes.csv')).toMatchObject({ code: 0 });
    expect([patches(sandbox), namesOf(sandbox)]).toEqual([1, names]);
    // The results are such a file, too.
    const results = await readFile(join(cwd, 'codes.results.csv'), 'utf8');
    expect(results).toMatch(
      /^\ufeffname;type;destination;status;created_at;updated_at;id;slug;outcome;error;base;decision\r\n/,
    );
    expect(await qr('update', '--from', 'codes.results.csv')).toMatchObject({ code: 0 });
    expect([patches(sandbox), namesOf(sandbox)]).toEqual([1, names]);
  });
});

test('qr create reads a workbook and writes its results to a workbook', async () => {
  const { sandbox, qr, cwd } = await useList();
  const before = sandbox.workspace.codes().length;
  expect(await qr('create', '--template', '-o', 'codes.xlsx')).toMatchObject({ code: 0, stdout: '' });
  expect((await qr('create', '--from', 'codes.xlsx')).stderr).toContain('The file has no rows');
  await qr('list', '-o', 'list.xlsx', '--fields', 'name,type,destination');
  expect(await qr('create', '--from', 'list.xlsx', '--as-new', 'all')).toMatchObject({ code: 0 });
  expect(sandbox.workspace.codes()).toHaveLength(2 * before);
  expect(await readdir(cwd)).toContain('list.results.xlsx');
  expect((await qr('create', '--from', 'list.results.xlsx')).stderr).toContain(`${before} rows unchanged`);
  await writeFile(join(cwd, 'renamed.xlsx'), 'name,type\na,sms\n');
  const sent = sandbox.requests.length;
  const refused = await qr('create', '--from', 'renamed.xlsx');
  expect([refused.code, refused.stderr.split('\n')[0]]).toEqual([
    2,
    expect.stringContaining('renamed.xlsx is not a workbook'),
  ]);
  expect(sandbox.requests).toHaveLength(sent);
});

test("dates, times and numbers in the user's own columns keep their cell types in the results", async () => {
  const { qr, cwd } = await useList();
  const file = await openWholeFile(join(cwd, 'shelves.xlsx'), {
    processes: { pid: 1, isRunning: () => false },
  });
  const columns = ['name', 'printed', 'checked', 'shelf', 'remark', 'type'].map((name) => ({
    name,
    isTime: /printed|checked/.test(name),
  }));
  const sink = createWorkbookSink(file, { columns, zone: { offsetMs: () => 0 } });
  await sink.write([
    {
      name: 'a',
      printed: '2026-03-01',
      checked: '2026-03-02 14:30:00',
      shelf: 7,
      remark: '2026-03-01',
      type: 'sms',
    },
    { name: 'b', shelf: 8.5, remark: '007', type: 'sms' },
  ]);
  await sink.commit();
  expect(await qr('create', '--from', 'shelves.xlsx')).toMatchObject({ code: 0 });
  const rows: SheetRow[] = [];
  readWorkbook(await readFile(join(cwd, 'shelves.results.xlsx')), 'shelves.results.xlsx', undefined).readRows(
    (row) => rows.push(row),
  );
  const kinds = rows.slice(1).map(({ cells }) => [1, 2, 3, 4].map((at) => cells.get(at)?.is));
  expect(kinds).toEqual([
    ['date', 'date', 'number', 'text'],
    [undefined, undefined, 'number', 'text'],
  ]);
  const serials = [1, 2]
    .map((at) => rows[1]?.cells.get(at))
    .map((cell) => cell?.is === 'date' && cell.serial);
  expect(serials).toEqual([46_082, expect.closeTo(46_083 + 14.5 / 24, 9)]);
});

describe('a workbook with scans', () => {
  test('from several codes requires one more request per code, to count the scans first', async () => {
    const sandbox = await useSandbox({ codes: 3, scans: 700 });
    const cwd = await useDirectory();
    const run = (...args: string[]) =>
      runByDay(['scans', 'export', ...args, '-o', 'scans.xlsx'], { env: sandbox.env, cwd });
    expect((await run('--all')).stderr).toContain('2,100 scans of 3 codes');
    // The listing, the counts, and of each code two pages and a request beyond its round total.
    expect(sandbox.requests).toHaveLength(1 + 3 + 3 * 3);
    expect((await run(sandbox.codeId(), '--timezone', 'Europe/Berlin')).stderr).toContain(
      '700 scans of 1 code',
    );
  });
});
