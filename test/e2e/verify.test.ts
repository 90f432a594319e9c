/** `scans verify`: scans that arrived too late for an append are found and added, wherever the log keeps its rows; nothing else changes. */
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { argv } from '../support/argv.ts';
import { ends } from '../support/cli.ts';
import { useJob } from '../support/job.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const DAY = 86_400_000;

/** A scan that the service gets now, dated among the others. */
function addLate(sandbox: TestSandbox, n = 0, daysBefore = 20): void {
  const id = sandbox.codeId(n);
  const newest = Date.parse(sandbox.scans(id).at(-1)?.ts ?? '');
  sandbox.workspace.addScan(id, { ts: new Date(newest - daysBefore * DAY).toISOString() });
}

/** Rows of the output, by column. */
function rowsOf(stdout: string): Record<string, unknown>[] {
  return JSON.parse(stdout);
}

/** Scan IDs in files, in order. */
async function idsIn(cwd: string, ...names: string[]): Promise<string[]> {
  const texts = await Promise.all(names.map((name) => readFile(join(cwd, name), 'utf8')));
  return texts
    .flatMap((text) =>
      [...text.matchAll(/(?:^|,)(\d+),\d{4}-|"id":(\d+)/gm)].map(([, csv, json]) => csv ?? json ?? ''),
    )
    .sort();
}

function wanted(sandbox: TestSandbox, ...codes: number[]): string[] {
  return codes.flatMap((n) => sandbox.scans(sandbox.codeId(n)).map(({ id }) => String(id))).sort();
}

describe.each(firstRows(1, ['scans.csv', 'scans.ndjson']))('an appended file %s', (file) => {
  test('that lacks late scans is repaired once, and later runs add no scan', async () => {
    const { sandbox, cwd, run } = await useJob({ codes: 1, scans: 731 });
    const code = sandbox.codeId();
    expect(await run('scans', 'export', code, '-o', file, '--append')).toMatchObject({ code: 0 });
    const before = sandbox.requests.length;
    expect(await run('scans', 'verify', code, '--input', file)).toMatchObject({ code: 0 });
    // The code itself, for its slug, and its total.
    expect(sandbox.requests.length - before).toBe(2);
    const plan = await run(...argv`scans verify ${code} --input ${file} --dry-run -f csv`);
    expect(plan).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^id,slug,logged,since,until\n[\w-]+,[\w-]+,731,/),
      stderr: 'Would verify 1 code with about 1 request, and more if the files differ\n',
    });
    const quiet = ['scans', 'verify', code, '--input', file, '--quiet'];
    expect(await run(...quiet)).toMatchObject({ code: 0, stdout: '' });
    addLate(sandbox);
    addLate(sandbox, 0, 21);
    expect(await run('scans', 'export', code, '-o', file, '--append')).toMatchObject({ code: 0 });
    const found = await run('scans', 'verify', code, '--input', file, '-f', 'json');
    expect(found).toMatchObject(ends(8, '2 scans missing'));
    expect(rowsOf(found.stdout)).toMatchObject([
      { outcome: 'different', missing: 1 },
      { outcome: 'different', missing: 1 },
    ]);
    const text = await readFile(join(cwd, file), 'utf8');
    const planned = await run(...argv`scans verify ${code} --input ${file} --repair --dry-run -f json`);
    expect(planned).toMatchObject({ code: 8, stdout: found.stdout });
    expect(await readFile(join(cwd, file), 'utf8')).toBe(text);
    const repaired = await run('scans', 'verify', code, '--input', file, '--repair', '-f', 'json');
    expect(repaired).toMatchObject(ends(0, 'added 2 missing scans'));
    expect((await readFile(join(cwd, file), 'utf8')).startsWith(text)).toBe(true);
    expect(await idsIn(cwd, file)).toEqual(wanted(sandbox, 0));
    expect(await run('scans', 'verify', code, '--input', file)).toMatchObject({ code: 0 });
    expect(await run('scans', 'export', code, '-o', file, '--append')).toMatchObject(
      ends(0, 'Exported 0 scans'),
    );
  });
});

test('a log whose state was lost begins at its oldest scan, and neither an append nor a repair adds older scans (A44)', async () => {
  const { sandbox, cwd, run } = await useJob({ codes: 3, scans: 90 });
  const log = ['scans', 'export', '--all', '-o', 'scans.csv', '--append'];
  const newest = Math.max(
    ...[0, 1, 2].map((n) => Date.parse(sandbox.scans(sandbox.codeId(n)).at(-1)?.ts ?? '')),
  );
  expect(await run(...log, '--since', new Date(newest - 20 * DAY).toISOString())).toMatchObject({ code: 0 });
  const before = await idsIn(cwd, 'scans.csv');
  expect(before).not.toEqual([]);
  await rm(join(cwd, 'scans.csv.state.json'));
  expect(await run(...log)).toMatchObject({ code: 0 });
  expect(await idsIn(cwd, 'scans.csv')).toEqual(before);
  addLate(sandbox, 0, 1);
  addLate(sandbox, 0, 30);
  expect(await run('scans', 'verify', '--all', '--input', 'scans.csv', '--repair')).toMatchObject(
    ends(0, 'added 1 missing scan'),
  );
  expect(await idsIn(cwd, 'scans.csv')).toHaveLength(before.length + 1);
});

test.each(firstRows(1, ['csv', 'parquet']))(
  'a %s dataset gets one new part if a late scan is added by --repair',
  async (format) => {
    const { sandbox, cwd, run } = await useJob({ codes: 2, scans: 300 });
    const append = argv`scans export --all --output-dir lake -f ${format} --partition-by month --append`;
    expect(await run(...append)).toMatchObject({ code: 0 });
    const parts = async () =>
      (await readdir(join(cwd, 'lake'), { recursive: true })).filter((name) => name.endsWith(format)).length;
    const before = await parts();
    addLate(sandbox, 1, 40);
    const found = await run('scans', 'verify', '--all', '--output-dir', 'lake');
    expect(found.code, found.stderr).toBe(8);
    expect(await run('scans', 'verify', '--all', '--output-dir', 'lake', '--repair')).toMatchObject({
      code: 0,
    });
    expect(await parts()).toBe(before + 1);
    expect(await run('scans', 'verify', '--all', '--output-dir', 'lake')).toMatchObject({ code: 0 });
    expect(await run(...append)).toMatchObject(ends(0, 'Exported 0 scans'));
  },
);

test.each(['id', 'slug'])(
  'a directory of files named by %s is compared, and only the file that lacks a scan is repaired',
  async (names) => {
    const { sandbox, cwd, run } = await useJob({ codes: 3, scans: 200 });
    const place = ['--output-dir', 'each'];
    expect(await run('scans', 'export', '--all', ...place, '--append', '--file-names', names)).toMatchObject({
      code: 0,
    });
    const files = (await readdir(join(cwd, 'each'))).filter((name) => name.endsWith('.csv'));
    const read = () => Promise.all(files.map((name) => readFile(join(cwd, 'each', name), 'utf8')));
    const before = await read();
    addLate(sandbox, 2);
    expect(await run('scans', 'verify', '--all', ...place)).toMatchObject({ code: 8 });
    expect(await run('scans', 'verify', '--all', ...place, '--repair')).toMatchObject({ code: 0 });
    const after = await read();
    expect(after.filter((text, at) => text !== before[at])).toHaveLength(1);
    expect(await run('scans', 'verify', '--all', ...place)).toMatchObject({ code: 0 });
  },
);

describe('extra rows in a plain export', () => {
  test("are reported as duplicate or as no longer on the service, and the export can't be repaired", async () => {
    const { sandbox, cwd, run } = await useJob({ codes: 1, scans: 700 });
    const code = sandbox.codeId();
    expect(await run('scans', 'export', code, '-o', 'scans.csv')).toMatchObject({ code: 0 });
    expect(await run('scans', 'verify', code, '--input', 'scans.csv')).toMatchObject({ code: 0 });
    const lines = (await readFile(join(cwd, 'scans.csv'), 'utf8')).split('\n');
    const [, , , twice = '', foreign = ''] = lines;
    const added = foreign.replace(/^\d+/, '999999999');
    const text = [...lines.slice(0, 5), twice, added, ...lines.slice(5, 300), ...lines.slice(302)].join('\n');
    await writeFile(join(cwd, 'scans.csv'), text);
    const found = await run('scans', 'verify', code, '--input', 'scans.csv', '-f', 'json');
    expect(found).toMatchObject(ends(8, '2 scans missing, 1 scan no longer on the service, 1 duplicate row'));
    expect(found.stderr).toContain('qrctl scans export');
    const refused = await run('scans', 'verify', code, '--input', 'scans.csv', '--repair');
    expect(refused).toMatchObject(ends(2, 'has no state of an export with --append'));
    expect(await readFile(join(cwd, 'scans.csv'), 'utf8')).toBe(text);
  });
});

test('the scans of a damaged file are reported as missing, and the other files in its directory are compared', async () => {
  const { sandbox, cwd, run } = await useJob({ codes: 2, scans: 5 });
  expect(await run('scans', 'export', '--all', '--output-dir', 'logs', '--append')).toMatchObject({
    code: 0,
  });
  await writeFile(join(cwd, 'logs', `${sandbox.codeId(0)}.csv`), 'no header');
  const found = await run('scans', 'verify', '--all', '--output-dir', 'logs', '-f', 'json');
  expect(found).toMatchObject({ code: 8, stderr: expect.stringContaining('was truncated: 9 of') });
  const outcomes = rowsOf(found.stdout).map(({ id, outcome }) => [id, outcome]);
  expect(Object.fromEntries(outcomes)).toEqual({
    [sandbox.codeId(0)]: 'missing',
    [sandbox.codeId(1)]: 'equal',
  });
});

test('a log that cannot be verified is reported with its reason and the next step', async () => {
  const { sandbox, at, run } = await useJob({ codes: 2, scans: 5 });
  const append = (...args: string[]) => run('scans', 'export', ...args, '--append');
  await append('--all', '--output-dir', 'lake', '--partition-by', 'month');
  await append('--all', '-o', 'log.csv');
  await append('spring-menu', '-o', 'one.csv');
  await copyFile(at('lake/dt=2024-10/part-000001.csv'), at('lake/other.csv'));
  await writeFile(at('plain.csv'), 'id,ts\n1,2026-01-01T00:00:00Z\n');
  const verify = async (...args: string[]) => {
    const { code, stderr } = await run('scans', 'verify', ...args);
    return [code, stderr.slice(stderr.indexOf('qrctl: ')).replace(/^ {2}the files of.*\n/m, '')];
  };
  expect(await verify('--all', '--output-dir', 'lake')).toEqual([
    8,
    'qrctl: cannot append to lake: it contains other.csv, which is not part of this export\n' +
      '  hint: Restore it from a backup, or export into a new directory with `qrctl scans export`.\n',
  ]);
  await writeFile(at('lake/_qrctl.json'), 'x');
  expect(await verify('--all', '--output-dir', 'lake')).toEqual([
    9,
    'qrctl: cannot read the scans of lake: its _qrctl.json cannot be read (truncated or changed)\n' +
      '  hint: Restore it from a backup, then run the command again.\n',
  ]);
  expect(await verify('--all', '--input', 'log.csv', '--input', 'plain.csv')).toEqual([
    9,
    'qrctl: plain.csv is not one of the files that were rotated from log.csv, or it was edited\n' +
      '  hint: Restore it from a backup. To read the log without it, omit --input plain.csv.\n',
  ]);
  expect(await verify('summer-menu', '--input', 'one.csv')).toEqual([
    2,
    'qrctl: one.csv was not exported with summer-menu: it has the scans of 1 other code\n' +
      `  hint: Pass only ${sandbox.codeId(0)}.\n`,
  ]);
});

test('`scans verify` without a file or with a missing file is refused, and so is --verify without --append', async () => {
  const { run } = await useJob({ codes: 1, scans: 10 });
  expect(await run('scans', 'verify', '--all')).toMatchObject(ends(2, 'missing --input or --output-dir'));
  expect(await run('scans', 'verify', '--all', '--input', 'none.csv')).toMatchObject({ code: 2 });
  expect(await run('scans', 'export', '--all', '-o', 'a.csv', '--verify')).toMatchObject(
    ends(2, '--verify requires --append'),
  );
});

test('repairs and an append at the same time add each scan once (V8)', async () => {
  const { sandbox, cwd, run } = await useJob({ codes: 1, scans: 731 });
  const code = sandbox.codeId();
  expect(await run('scans', 'export', code, '-o', 'scans.csv', '--append')).toMatchObject({ code: 0 });
  addLate(sandbox);
  addLate(sandbox, 0, -1);
  const lines = [
    ['scans', 'verify', code, '--input', 'scans.csv', '--repair'],
    ['scans', 'export', code, '-o', 'scans.csv', '--append', '--verify'],
    ['scans', 'verify', code, '--input', 'scans.csv', '--repair'],
  ];
  const ends = await Promise.all(lines.map((args) => runByDay(args, { cwd, env: sandbox.env })));
  expect(ends.map(({ code, stderr }) => `${code} ${code === 0 ? '' : stderr}`)).toEqual(['0 ', '0 ', '0 ']);
  expect(await idsIn(cwd, 'scans.csv')).toEqual(wanted(sandbox, 0));
});
