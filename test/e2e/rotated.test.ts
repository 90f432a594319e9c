/** `--input` after log rotation: the figures are of all files of a log, each scan once, and a period that they don't cover is not a page of zeros. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { argv } from '../support/argv.ts';
import { ends, useDirectory } from '../support/cli.ts';
import { useJob } from '../support/job.ts';
import { keepFile } from '../support/kept-log.ts';
import { SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const HEADER = 'id,ts,country,city,device,os,browser,referrer';

/** A file of scans, one a day at noon of UTC. */
function csv(...days: string[]): string {
  const rows = days.map(
    (day) => `${Number(day.replaceAll('-', ''))},${day}T12:00:00.000Z,DE,,mobile,iOS,Safari,`,
  );
  return `${[HEADER, ...rows].join('\n')}\n`;
}

async function withFiles(files: Record<string, string | Uint8Array>): Promise<string> {
  const cwd = await useDirectory();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(cwd, name, '..'), { recursive: true });
    await writeFile(join(cwd, name), content);
  }
  return cwd;
}

/** Total and notes of `scans stats`. */
async function stats(cwd: string, ...args: string[]) {
  const line = ['scans', 'stats', ...args, '--by', 'code', '-f', 'json', '--timezone', 'UTC'];
  const { code, stdout, stderr } = await runByDay(line, { cwd });
  const rows: { value: string; scans: number }[] = code === 0 ? JSON.parse(stdout) : [];
  return {
    code,
    stderr,
    codes: rows.map(({ value }) => value),
    scans: rows.reduce((sum, { scans }) => sum + scans, 0),
  };
}

async function report(cwd: string, ...args: string[]) {
  const result = await runByDay(['scans', 'report', ...args, '--timezone', 'UTC', '-o', 'r.html'], { cwd });
  return { ...result, page: await readFile(join(cwd, 'r.html'), 'utf8').catch(() => undefined) };
}

describe('a log that was rotated', () => {
  test.each([
    ['logrotate', ['scans.csv.2.gz', 'scans.csv.1']],
    ['logrotate extension', ['scans-20261001.csv.gz', 'scans-20261101.csv']],
  ])('by %s is read completely, and each scan is counted once', async (_, [oldest = '', newer = '']) => {
    const pack = (name: string, text: string) => (name.endsWith('.gz') ? gzipSync(text) : text);
    const cwd = await withFiles({
      [oldest]: pack(oldest, csv('2026-09-01', '2026-09-02')),
      [newer]: pack(newer, csv('2026-09-02', '2026-10-01', '2026-10-02')),
      'scans.csv': csv('2026-10-02', '2026-11-01'),
      'scans2.csv': csv('2026-01-01'),
    });
    await keepFile(join(cwd, 'scans.csv'), { isRotated: true });
    const found = await stats(cwd, '--input', 'scans.csv');
    expect(found).toMatchObject({ code: 0, scans: 5, codes: ['scans'] });
    expect(found.stderr).toContain(`Also reading 2 rotated files: ${oldest}, ${newer} (add --no-rotated`);
    expect(await stats(cwd, '--input', 'scans.csv', '--no-rotated')).toMatchObject({ code: 0, scans: 2 });
  });

  test('is read without unrelated files, even if its current file is missing', async () => {
    const cwd = await withFiles({
      'scans.csv.1': csv('2026-10-01'),
      'scans.csv.bak': csv('2026-10-01', '2026-10-03'),
      'scans.csv.old': 'not scans',
      'scans.csv~': csv('2026-10-04'),
    });
    await keepFile(join(cwd, 'scans.csv.1'));
    await rename(join(cwd, 'scans.csv.1.state.json'), join(cwd, 'scans.csv.state.json'));
    const found = await stats(cwd, '--input', 'scans.csv');
    expect(found).toMatchObject({ code: 0, scans: 1 });
    expect(found.stderr).toContain(
      'warning: scans.csv.bak, scans.csv~ look like scan files but were not read. To count them,',
    );
    await rm(join(cwd, 'scans.csv.1'));
    expect(await stats(cwd, '--input', 'scans.csv')).toMatchObject(ends(2, 'no such file'));
  });

  test('in an unsupported compression format is refused, not skipped (F13)', async () => {
    const cwd = await withFiles({
      'scans.csv': csv('2026-11-01'),
      'scans.csv.1': csv('2026-10-01'),
      'scans.csv.2.xz': 'xz',
    });
    await keepFile(join(cwd, 'scans.csv'), { isRotated: true });
    for (const input of ['scans.csv', '.']) {
      const refused = await stats(cwd, '--input', input);
      expect(refused).toMatchObject(ends(2, 'scans.csv.2.xz: qrctl decompresses .gz, not .xz'));
    }
    expect(await stats(cwd, '--input', 'scans.csv', '--no-rotated')).toMatchObject({ code: 0, scans: 1 });
  });

  test('may be specified by a shell pattern that also matches its state file', async () => {
    const cwd = await withFiles({
      'all.csv': csv('2026-11-01'),
      'all.csv.1': csv('2026-10-01'),
      'all.csv.2.gz': gzipSync(csv('2026-09-01')),
      'all.csv.state.json': '{}',
    });
    const found = await stats(cwd, '--input', ...(await readdir(cwd)));
    expect(found).toMatchObject({
      code: 0,
      scans: 3,
      stderr: expect.stringContaining(
        'Skipped 1 file that qrctl keeps next to scan files: all.csv.state.json',
      ),
    });
    await rm(join(cwd, 'all.csv'));
    expect(await stats(cwd, '--input', ...(await readdir(cwd)))).toMatchObject({ code: 0, scans: 2 });
    expect(await stats(cwd, '--input', 'all.csv.state.json')).toMatchObject({ code: 2 });
  });

  test('between runs with --append --rotated has all scans of a month whose files were all rotated', async () => {
    const { sandbox, cwd } = await useJob({ codes: 2, scans: 0 });
    const days = ['2024-09-30', '2024-10-01', '2024-10-15', '2024-10-31', '2024-11-01'];
    for (const [night, day] of days.entries()) {
      for (const [i, id] of [sandbox.codeId(0), sandbox.codeId(1)].entries())
        sandbox.workspace.addScan(id, { ts: `${day}T0${i}:00:00.000Z` });
      await nightly(sandbox, cwd);
      if (night < days.length - 1) await rotate(cwd);
    }
    expect((await readdir(cwd)).filter((name) => name.endsWith('.gz'))).toHaveLength(3);
    const { code, page, stderr } = await report(cwd, '--input', 'all.csv', '--during', '2024-10');
    expect({ code, stderr }).toMatchObject(
      ends(0, 'Counted 6 scans from 2024-10-01 00:00 to 2024-11-01 00:00 (UTC) (0 requests). Report: r.html'),
    );
    expect(page).toContain('<p class="value"><bdi>6</bdi></p>');
    expect(page).not.toContain('The data');
    expect(await stats(cwd, '--input', '.')).toMatchObject({ code: 0, scans: 10 });
  });
});

async function nightly(sandbox: TestSandbox, cwd: string) {
  const line = argv`scans export --all -o all.csv --append --rotated --quiet --summary run.json`;
  expect(await runByDay(line, { cwd, env: sandbox.env })).toMatchObject({ code: 0 });
}

/** As logrotate does with compress and delaycompress. */
async function rotate(cwd: string): Promise<void> {
  const names = (await readdir(cwd))
    .filter((name) => /^all\.csv\.\d+(\.gz)?$/.test(name))
    .sort()
    .reverse();
  for (const name of names) {
    const next = `all.csv.${1 + Number(name.split('.')[2])}`;
    if (name.endsWith('.gz')) await rename(join(cwd, name), join(cwd, `${next}.gz`));
    else {
      await writeFile(join(cwd, `${next}.gz`), gzipSync(await readFile(join(cwd, name))));
      await rm(join(cwd, name));
    }
  }
  await rename(join(cwd, 'all.csv'), join(cwd, 'all.csv.1'));
}

describe('a directory', () => {
  test("is read without qrctl's other files, and refused if it contains another CSV file without scans", async () => {
    const { cwd, run } = await useJob({ codes: 3, scans: 7 });
    await mkdir(join(cwd, 'log'));
    await run('scans', 'export', '--all', '--append', '-o', 'log/all.csv', '--summary', 'log/run.json');
    await run('qr', 'list', '-o', 'log/codes.csv');
    await run('qr', 'list', '-o', 'log/codes.json');
    await run('scans', 'export', '--all', '-o', 'log/first.json', '--summary', 'log/run.prom');
    await writeFile(join(cwd, 'log', 'codes.results.csv'), 'name,id,slug,outcome,error\nA,,,created,\n');
    await writeFile(join(cwd, 'log', 'outcomes.csv'), 'name,id,slug,outcome,error\nA,,,created,\n');
    await copyFile(join(cwd, 'log', 'all.csv'), join(cwd, 'log', 'all.csv.1'));
    await copyFile(join(cwd, 'log', 'all.csv'), join(cwd, 'log', 'all.csv.old'));
    const found = await stats(cwd, '--input', 'log');
    expect(found).toMatchObject({ code: 0, scans: 21 });
    expect(found.stderr).toContain(
      'warning: all.csv.old looks like a scan file but was not read. To count it, specify it with --input',
    );
    await writeFile(join(cwd, 'log', 'prices.csv'), 'article,price\nA,1\n');
    expect(await stats(cwd, '--input', 'log')).toMatchObject(
      ends(2, 'cannot read scans from log/prices.csv'),
    );
  });

  test('with backups has the scans of deleted codes', async () => {
    const { sandbox, cwd, run } = await useJob({ codes: 2, scans: 5 });
    const ids = [sandbox.codeId(0), sandbox.codeId(1)];
    expect((await run('qr', 'delete', ...ids, '--yes', '--backup', 'deleted')).code).toBe(0);
    const found = await stats(cwd, '--input', 'deleted');
    expect({ ...found, codes: found.codes.sort() }).toMatchObject({ code: 0, scans: 10, codes: ids.sort() });
  });

  test('with one log per code has each scan once, even after a log was rotated', async () => {
    const { sandbox, cwd, run } = await useJob({ codes: 2, scans: 4 });
    const line = ['scans', 'export', '--all', '--output-dir', 'logs', '--append', '--rotated'];
    expect((await run(...line)).code).toBe(0);
    const id = sandbox.codeId(0);
    await rename(join(cwd, 'logs', `${id}.csv`), join(cwd, 'logs', `${id}.csv-20241231`));
    sandbox.workspace.addScan(id, { ts: '2025-01-01T10:00:00.000Z' });
    expect((await run(...line)).code).toBe(0);
    expect(await stats(cwd, '--input', 'logs')).toMatchObject({
      code: 0,
      scans: 9,
      codes: [id, sandbox.codeId(1)],
    });
    expect(await stats(cwd, '--input', `logs/${id}.csv`)).toMatchObject({ code: 0, scans: 5, codes: [id] });
    // The same scans in a file that does not say whose they are.
    await copyFile(join(cwd, 'logs', `${id}.csv`), join(cwd, 'logs', 'menu.csv'));
    expect(await stats(cwd, '--input', 'logs')).toMatchObject({ code: 0, scans: 9 });
  });
});

describe('a period that the files do not cover', () => {
  test('at its beginning is reported on standard error and in a report, and at its end in a report', async () => {
    const cwd = await withFiles({ 'scans.csv': csv('2026-10-07', '2026-10-08', '2026-11-02') });
    const late = 'ata begins at 2026-10-07 12:00 (UTC); earlier scans, if any, are not included';
    const october = await report(cwd, '--input', 'scans.csv', '--during', '2026-10');
    expect(october).toMatchObject(ends(0, `warning: the d${late}`));
    expect(october.page).toContain(
      '<p class="range">The data begins on 7 October 2026 at 12:00. Earlier scans, if any, are not included.</p>',
    );
    expect(await stats(cwd, '--input', 'scans.csv', '--during', '2026-10')).toMatchObject({
      scans: 2,
      stderr: expect.stringContaining(late),
    });
    for (const flags of [['--since', '2026-10-08'], ['--during', '2026-W42'], []]) {
      expect((await stats(cwd, '--input', 'scans.csv', ...flags)).stderr).not.toContain('begins');
    }
    const range = ['--since', '2026-10-08', '--until', '2026-10-12', '--compare', 'previous'];
    const compared = await stats(cwd, '--input', 'scans.csv', ...range);
    expect(compared.stderr).toContain(late);
    const november = await report(cwd, '--input', 'scans.csv', '--during', '2026-11');
    expect(november.page).toContain(
      'The data ends on 2 November 2026 at 12:00. Later scans, if any, are not included.',
    );
  });

  test('makes the command exit with 9 and write no file if the files do not cover the period', async () => {
    const cwd = await withFiles({ 'scans.csv': csv('2026-10-07'), 'empty.csv': `${HEADER}\n` });
    for (const args of [
      ['--input', 'scans.csv', '--during', '2026-09'],
      ['--input', 'scans.csv', '--since', '2026-10-08'],
      ['--input', 'scans.csv', '--until', '2026-10-07'],
      ['--input', 'empty.csv', '--during', '2026-11'],
    ]) {
      expect(await report(cwd, ...args)).toMatchObject({ code: 9, page: undefined });
      const refused = await runByDay(['scans', 'stats', ...args, '-o', 's.csv'], { cwd });
      expect(refused).toMatchObject({
        code: 9,
        stderr: expect.stringMatching(
          /no scans (from|since) .* in these files, and their coverage could not be verified/,
        ),
      });
      expect(existsSync(join(cwd, 's.csv'))).toBe(false);
    }
    const refused = await report(cwd, '--input', 'scans.csv', '--during', '2026-09');
    expect(refused.stderr).toContain(
      'no scans from 2026-09-01 00:00 to 2026-10-01 00:00 (UTC) in these files',
    );
    expect(refused.stderr).toContain('the data begins at 2026-10-07 12:00 (UTC)');
  });

  test("counts as zero scans if the log's state, or scans before and after the period, show that the files cover it", async () => {
    const { sandbox, cwd } = await useJob({ codes: 1, scans: 0 });
    sandbox.workspace.addScan(sandbox.codeId(), { ts: '2024-11-05T10:00:00.000Z' });
    await nightly(sandbox, cwd);
    // The state says that the log begins with the first scan of all.
    const zero = await report(cwd, '--input', 'all.csv', '--during', '2024-10');
    expect(zero).toMatchObject(ends(0, '0 scans from 2024-10-01 00:00 to 2024-11-01 00:00 (UTC)'));
    expect(zero.stderr).not.toContain('begins');
    expect(zero.page).toContain('No scans in this period.');
    expect(zero.page).not.toContain('<table');
    expect(await report(cwd, '--input', 'all.csv', '--during', '2024-12')).toMatchObject({ code: 9 });
    await rename(join(cwd, 'all.csv.state.json'), join(cwd, 'kept.json'));
    await rm(join(cwd, 'r.html'));
    expect(await report(cwd, '--input', 'all.csv', '--during', '2024-10')).toMatchObject({
      code: 9,
      page: undefined,
    });
    const whole = await withFiles({ 'scans.csv': csv('2026-10-07', '2026-12-01') });
    expect(await report(whole, '--input', 'scans.csv', '--during', '2026-11')).toMatchObject({ code: 0 });
  });
});

describe('the range that was read', () => {
  test('is stated with both ends in the last line, and a hint says that a date in --until is excluded', async () => {
    const { sandbox, run } = await useJob({ codes: 1, scans: 50 });
    const days = ['--since', '2024-10-01', '--until', '2024-10-31', '--timezone', 'Europe/Berlin'];
    const both = 'from 2024-10-01 00:00 to 2024-10-31 00:00 (Europe/Berlin)';
    const hint =
      '--until 2024-10-31 excludes 2024-10-31 itself. To include it, use --until 2024-11-01 or --during 2024-10';
    for (const [verb, ...to] of [argv`export -o x.csv`, argv`stats -f csv`, argv`report -o x.html`]) {
      const words = ['scans', verb as string, sandbox.codeId(), ...to];
      expect(await run(...words, ...days)).toMatchObject(ends(0, both));
      expect((await run(...words, ...days)).stderr.replaceAll('\n', ' ')).toContain(hint);
      expect(await run(...words, ...days, '--quiet')).toMatchObject({ code: 0, stderr: '' });
      const noon = argv`--since 2024-10-01 --until 2024-10-31T12:00 --timezone UTC`;
      const exact = await run(...words, ...noon);
      expect(exact).toMatchObject({ code: 0, stderr: expect.not.stringContaining('excludes') });
    }
    const one = await run(
      ...argv`scans export ${sandbox.codeId()} -o x.csv --until 2024-10-31 --timezone UTC`,
    );
    expect(one.stderr).toContain('To include it, use --until 2024-11-01\n');
  });
});

/** With QRCTL_SOAK a million. */
const TENTH = 100_000;

test.runIf(SOAK)(
  `${10 * TENTH} scans in rotated files that overlap are counted within a heap of 48 MB`,
  async () => {
    const cwd = await useDirectory();
    const rows = (from: number, to: number) => {
      const lines = [HEADER];
      for (let id = from; id < to; id++)
        lines.push(`${id},${new Date(1_700_000_000_000 + id * 1000).toISOString()},DE,,,,,`);
      return `${lines.join('\n')}\n`;
    };
    await writeFile(join(cwd, 'scans.csv.2.gz'), gzipSync(rows(0, 4 * TENTH)));
    await writeFile(join(cwd, 'scans.csv.1'), rows(3.5 * TENTH, 7 * TENTH));
    await writeFile(join(cwd, 'scans.csv'), rows(7 * TENTH, 10 * TENTH));
    await keepFile(join(cwd, 'scans.csv'), { isRotated: true });
    const args = ['scans', 'stats', '--input', 'scans.csv', '--by', 'code', '-f', 'json'];
    const { stdout, stderr } = await runByDay(args, { cwd, nodeArgs: ['--max-old-space-size=48'] });
    expect(JSON.parse(stdout || stderr)).toMatchObject([{ scans: 10 * TENTH }]);
  },
);
