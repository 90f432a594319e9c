/** `scans export --input`: logs become a dataset with each of their scans once, and `--append` continues it where the logs ended. */
import { mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { argv } from '../support/argv.ts';
import { ends, useDirectory } from '../support/cli.ts';
import { useJob } from '../support/job.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';
import { useSharedAddress } from '../support/two-workspaces.ts';

const HOUR = 3_600_000;
const MONTHS = ['--partition-by', 'month'];

async function useScans(codes: number, scans: number) {
  const { run, ...job } = await useJob({ codes, scans });
  return { ...job, run: (...args: string[]) => run('scans', ...args) };
}

/** `CODE SCAN` for each row of a dataset of NDJSON, sorted. */
async function scansIn(directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const partition of (await readdir(directory)).filter((name) => name.startsWith('dt='))) {
    for (const part of await readdir(join(directory, partition))) {
      for (const line of (await readFile(join(directory, partition, part), 'utf8')).trimEnd().split('\n')) {
        const { qr_id, id, ts } = JSON.parse(line);
        expect(`dt=${ts}`.startsWith(partition)).toBe(true);
        found.push(`${qr_id} ${id}`);
      }
    }
  }
  return found.sort();
}

function scansOf(sandbox: TestSandbox, ...codes: string[]): string[] {
  return codes.flatMap((code) => sandbox.scans(code).map(({ id }) => `${code} ${id}`)).sort();
}

test.each(firstRows(1, ['gone', 'damaged']))(
  'a rotated log whose state is %s is refused by --append, and the command in the hint converts it (A28)',
  async (how) => {
    const { sandbox, cwd, run } = await useScans(2, 60);
    const log = ['export', '--all', '-o', 'log.csv', '--append'];
    const newest = Date.parse(sandbox.scans(sandbox.codeId()).at(-1)?.ts ?? '');
    await run(...log, '--rotated', '--until', new Date(newest - 240 * HOUR).toISOString());
    await rename(join(cwd, 'log.csv'), join(cwd, 'log.csv.1'));
    await run(...log, '--rotated', '--until', new Date(newest - 72 * HOUR).toISOString());
    await writeFile(join(cwd, 'log.csv.1.gz'), gzipSync(await readFile(join(cwd, 'log.csv.1'))));
    await rm(join(cwd, 'log.csv.1'));
    await (how === 'gone'
      ? rm(join(cwd, 'log.csv.state.json'))
      : writeFile(join(cwd, 'log.csv.state.json'), '{"vers'));
    const before = await readFile(join(cwd, 'log.csv'), 'utf8');
    let inputs = '';
    for (const flags of [['--rotated'], []]) {
      const { code, stderr } = await run(...log, ...flags);
      inputs = /`qrctl scans export (.*) --output-dir DIR --partition-by month`/.exec(stderr)?.[1] ?? '';
      expect(code, stderr).toBe(2);
      expect(inputs).toContain('log.csv.1.gz');
      expect(await readFile(join(cwd, 'log.csv'), 'utf8')).toBe(before);
    }
    const lake = ['--output-dir', 'lake', '-f', 'ndjson', ...MONTHS];
    expect(await run('export', ...inputs.split(' '), ...lake)).toMatchObject({ code: 0 });
    expect(await run('export', '--all', ...lake, '--append')).toMatchObject({ code: 0 });
    expect(await scansIn(join(cwd, 'lake'))).toEqual(scansOf(sandbox, sandbox.codeId(0), sandbox.codeId(1)));
  },
);

describe('a log written with --append', () => {
  test('is converted together with its rotated files and the scans of deleted codes, and can be continued (P17)', async () => {
    const { sandbox, cwd, run } = await useScans(3, 703);
    const codes = [0, 1, 2].map((n) => sandbox.codeId(n));
    const [first = '', , deleted = ''] = codes;
    await run('export', '--all', '-o', 'log.ndjson', '--append', '--rotated');
    await rename(join(cwd, 'log.ndjson'), join(cwd, 'log.ndjson.1'));
    const newest = Date.parse(sandbox.scans(first).at(-1)?.ts ?? '');
    for (const late of [newest + 1, newest - HOUR / 2])
      sandbox.workspace.addScan(first, { ts: new Date(late).toISOString() });
    await run('export', '--all', '-o', 'log.ndjson', '--append', '--rotated');
    await writeFile(join(cwd, 'log.ndjson.2.gz'), gzipSync(await readFile(join(cwd, 'log.ndjson.1'))));
    await rename(join(cwd, 'log.ndjson'), join(cwd, 'log.ndjson.1'));
    await run('export', '--all', '-o', 'log.ndjson', '--append', '--rotated');
    const wanted = scansOf(sandbox, ...codes);
    sandbox.workspace.delete(deleted);
    const before = sandbox.requests.length;
    const converted = await run(...argv`export --input log.ndjson --output-dir lake -f ndjson ${MONTHS}`);
    expect(converted).toMatchObject(ends(0, 'Converted 2,111 scans of 3 codes'));
    expect(sandbox.requests.length).toBe(before);
    expect(await scansIn(join(cwd, 'lake'))).toEqual(wanted);
    sandbox.workspace.addScan(first, { ts: new Date(newest + 2).toISOString() });
    const [, next = ''] = /run `qrctl scans (.*)`/.exec(converted.stderr) ?? [];
    expect(await run(...next.split(' '))).toMatchObject(ends(0, 'Exported 1 scan of'));
    expect(await scansIn(join(cwd, 'lake'))).toEqual(
      [...wanted, ...scansOf(sandbox, first).slice(-1)].sort(),
    );
  });

  test('for one code is converted with the ID of that code in each row, and can be verified', async () => {
    const { sandbox, cwd, run } = await useScans(2, 120);
    const code = sandbox.codeId();
    await run('export', code, '-o', 'log.ndjson', '--append');
    const done = await run(...argv`export --input log.ndjson --output-dir lake -f ndjson ${MONTHS}`);
    expect(done).toMatchObject(ends(0, `\`qrctl scans export ${code} --output-dir lake`));
    expect(await scansIn(join(cwd, 'lake'))).toEqual(scansOf(sandbox, code));
    expect(await run('verify', code, '--output-dir', 'lake')).toMatchObject({ code: 0 });
  });

  test('from another workspace is refused, and no file is written', async () => {
    const [one, other] = [
      await useSandbox({ codes: 1, scans: 5 }),
      await useSandbox({ codes: 2, scans: 5, seed: 9 }),
    ];
    const shared = await useSharedAddress({ svc_live_one: one, svc_live_other: other });
    const cwd = await useDirectory();
    await runByDay(['scans', 'export', '--all', '-o', 'log.ndjson', '--append'], {
      cwd,
      env: shared.env('svc_live_one'),
    });
    const args = argv`scans export --input log.ndjson --output-dir lake -f ndjson ${MONTHS}`;
    expect(await runByDay(args, { cwd, env: shared.env('svc_live_other') })).toMatchObject({ code: 2 });
    expect(await readdir(cwd)).not.toContain('lake');
  });
});

test('a directory with one file per code is converted completely, and the suggested next command has --all', async () => {
  const { sandbox, cwd, run } = await useScans(3, 60);
  await run('export', '--all', '--output-dir', 'logs', '--append');
  const done = await run(...argv`export --input logs --output-dir lake -f ndjson --partition-by day`);
  expect(done).toMatchObject(ends(0, '`qrctl scans export --all --output-dir lake'));
  expect(await scansIn(join(cwd, 'lake'))).toEqual(
    scansOf(sandbox, ...[0, 1, 2].map((n) => sandbox.codeId(n))),
  );
});

test('plain exports are converted to a dataset that begins with their first scan', async () => {
  const { sandbox, cwd, run } = await useScans(2, 300);
  const codes = [0, 1].map((n) => sandbox.codeId(n));
  const cut = sandbox.scans(codes[0] ?? '')[100]?.ts ?? '';
  await run('export', '--all', '--since', cut, '-o', 'part.csv');
  await run('export', '--all', '--since', cut, '-o', 'again.json');
  const args = argv`export --input part.csv again.json --output-dir lake -f ndjson ${MONTHS}`;
  expect(await run(...args)).toMatchObject({ code: 0 });
  const wanted = await scansIn(join(cwd, 'lake'));
  expect(wanted).toEqual(
    codes
      .flatMap((code) => sandbox.scans(code).flatMap(({ id, ts }) => (ts < cut ? [] : `${code} ${id}`)))
      .sort(),
  );
  expect(
    await run('export', '--all', '--output-dir', 'lake', '-f', 'ndjson', ...MONTHS, '--append'),
  ).toMatchObject({ code: 0 });
  expect(await scansIn(join(cwd, 'lake'))).toEqual(wanted);
});

test('a dataset begins at the latest beginning of its logs, and keeps their columns and its time zone', async () => {
  const { sandbox, cwd, run } = await useScans(2, 300);
  const codes = [0, 1].map((n) => sandbox.codeId(n));
  const sinces = codes.map((code, n) => sandbox.scans(code)[100 - 50 * n]?.ts ?? '').sort();
  const append = (n: number) =>
    run(
      'export',
      codes[n] ?? '',
      '--since',
      sinces[n] ?? '',
      '-o',
      `${n}.csv`,
      '--append',
      '--fields',
      'id,ts,os',
    );
  expect([await append(0), await append(1)]).toMatchObject([{ code: 0 }, { code: 0 }]);
  const into = argv`--output-dir lake --partition-by month --timezone Europe/Berlin -f ndjson`;
  const done = await run('export', '--input', '0.csv', '1.csv', ...into, '--summary', 'run.json');
  expect(done.stderr).toMatch(
    /Converted [45]\d\d scans of 2 codes from 2 files \(0 requests\)\. Directory: lake\n/,
  );
  expect(done).toMatchObject(ends(0, `\`qrctl scans export --all ${into.join(' ')} --append\``));
  const lines = async () => {
    const month = (await readdir(join(cwd, 'lake'))).find((name) => name.startsWith('dt=')) ?? '';
    const [part = ''] = await readdir(join(cwd, 'lake', month));
    return (await readFile(join(cwd, 'lake', month, part), 'utf8')).split('\n');
  };
  expect(Object.keys(JSON.parse((await lines())[0] ?? ''))).toEqual([
    'qr_id',
    'qr_slug',
    'qr_name',
    'id',
    'ts',
    'os',
  ]);
  const manifest = JSON.parse(await readFile(join(cwd, 'lake', '_qrctl.json'), 'utf8'));
  expect(manifest.sinceMs).toBe(Date.parse(sinces[1] ?? ''));
  const summary = JSON.parse(await readFile(join(cwd, 'run.json'), 'utf8'));
  expect(summary).toMatchObject({
    rows: (await scansIn(join(cwd, 'lake'))).length,
    codes: 2,
    files: ['lake'],
  });
  // The logs are no longer locked.
  expect(await append(0)).toMatchObject({ code: 0 });
  await rm(join(cwd, 'lake'), { recursive: true });
  const local = ['--fields', 'qr_id,id,ts,ts_local'];
  expect(await run('export', '--input', '0.csv', ...into, ...local)).toMatchObject({ code: 0 });
  const { ts, ts_local } = JSON.parse((await lines())[0] ?? '');
  expect(ts_local).toBe(new Date(Date.parse(ts)).toLocaleString('sv', { timeZone: 'Europe/Berlin' }));
});

test('the conversion of a log that was truncated exits with 9, and writes no dataset', async () => {
  const { sandbox, cwd, run } = await useScans(1, 20);
  await run('export', sandbox.codeId(), '-o', 'log.csv', '--append');
  await truncate(join(cwd, 'log.csv'), 200);
  const refused = await run(...argv`export --input log.csv --output-dir lake -f ndjson ${MONTHS}`);
  expect(refused).toMatchObject(ends(9, 'cannot convert log.csv: '));
  expect(refused.stderr).toContain('If log.csv is an older copy');
  expect(await readdir(cwd)).not.toContain('lake');
});

describe('a conversion is refused before anything is written', () => {
  test.each([
    ['without a dataset to write', ['--input', 'scans.csv', '-o', 'copy.csv'], '--partition-by'],
    [
      'with codes from the service',
      ['--all', '--input', 'scans.csv', '--output-dir', 'lake', ...MONTHS],
      '--all',
    ],
    ['with --append', ['--input', 'scans.csv', '--output-dir', 'lake', ...MONTHS, '--append'], '--append'],
    [
      'rows without their code',
      ['--input', 'scans.csv', '--output-dir', 'lake', '-f', 'ndjson', ...MONTHS],
      'code IDs',
    ],
    ['a bad row', ['--input', 'bad.csv', '--output-dir', 'lake', '-f', 'ndjson', ...MONTHS], 'near line 3'],
    [
      'a directory with other files',
      ['--input', 'named.csv', '--output-dir', 'full', '-f', 'ndjson', ...MONTHS],
      'notes.txt',
    ],
  ])('(%s)', async (_, args, message) => {
    const { cwd, run } = await useScans(1, 1);
    const header = 'id,ts,country,city,device,os,browser,referrer';
    const row = '7,2026-10-01T12:00:00.000Z,DE,,mobile,iOS,Safari,';
    const code = '00000000-0000-4000-8000-000000000001';
    await writeFile(join(cwd, 'scans.csv'), `${header}\n${row}\n`);
    await writeFile(join(cwd, 'named.csv'), `qr_id,${header}\n${code},${row}\n`);
    await writeFile(
      join(cwd, 'bad.csv'),
      `qr_id,${header}\n${code},${row}\n${code},8,yesterday,DE,,mobile,iOS,Safari,\n`,
    );
    await mkdir(join(cwd, 'full'));
    await writeFile(join(cwd, 'full', 'notes.txt'), '');
    expect(await run('export', ...args)).toMatchObject(ends(2, message));
    expect(await readdir(cwd)).not.toContain('lake');
    expect(await readdir(join(cwd, 'full'))).toEqual(['notes.txt']);
  });
});
