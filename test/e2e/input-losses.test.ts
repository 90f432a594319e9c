/** `--input` of logs that lost rows: what the state or manifest of an export records is there, or nothing is counted (F22). */
import { copyFile, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { useJob } from '../support/job.ts';
import { runByDay } from '../support/run-here.ts';

/** Exports three scans of each of two codes, one a day. */
async function useExport(...flags: string[]) {
  const { sandbox, cwd, run } = await useJob({ codes: 2, scans: 0 });
  for (const code of [0, 1])
    for (const day of [13, 14, 15])
      sandbox.workspace.addScan(sandbox.codeId(code), { ts: `2024-07-${day}T1${code}:00:00.000Z` });
  const append = async () =>
    expect(await run('scans', 'export', '--all', ...flags, '--append')).toMatchObject({ code: 0 });
  await append();
  return { sandbox, cwd, run, append };
}

async function stats(cwd: string, ...args: string[]) {
  const { code, stdout, stderr } = await runByDay(
    ['scans', 'stats', '--input', ...args, '--by', 'code', '-f', 'json'],
    { cwd },
  );
  const rows: { scans: number }[] = code === 0 ? JSON.parse(stdout) : [];
  return { code, scans: rows.reduce((sum, { scans }) => sum + scans, 0), stderr };
}

async function expectRefused(cwd: string, input: string, reason: string) {
  for (const [verb, ...rest] of [['stats'], ['report', '-o', 'r.html'], ['watch', '--quiet-for', '1d']]) {
    const args = ['scans', verb as string, '--input', input, ...rest, '--quiet'];
    expect(await runByDay(args, { cwd })).toMatchObject({
      code: 9,
      stdout: '',
      stderr: expect.stringContaining(reason),
    });
  }
  expect((await readdir(cwd)).includes('r.html')).toBe(false);
}

describe('a dataset', () => {
  const LAKE = ['--output-dir', 'lake', '--partition-by', 'day', '-f', 'csv'];
  const DAY = 'lake/dt=2024-07-14';

  test('that lacks a day between others is refused, not counted as a day without scans (F22)', async () => {
    const { cwd } = await useExport(...LAKE);
    await rm(join(cwd, DAY), { recursive: true });
    await expectRefused(cwd, 'lake', 'dt=2024-07-14/part-000001.csv is missing');
    expect(await stats(cwd, 'lake/dt=2024-07-13', 'lake/dt=2024-07-15')).toMatchObject({ code: 0, scans: 4 });
  });

  test('with a part that was truncated or still has its temporary name is refused', async () => {
    const { cwd, append } = await useExport(...LAKE);
    const [part = ''] = (await readdir(join(cwd, DAY))).filter((name) => name.startsWith('part'));
    const path = join(cwd, DAY, part);
    await copyFile(path, join(cwd, 'copy'));
    await truncate(path, (await readFile(path, 'utf8')).lastIndexOf('\n', -2));
    await expectRefused(cwd, 'lake', `${part} has `);
    await rename(join(cwd, 'copy'), join(cwd, DAY, `.${part}.partial`));
    await rm(path);
    await expectRefused(cwd, 'lake', `${part} is missing`);
    await append();
    expect(await stats(cwd, 'lake')).toMatchObject({ code: 0, scans: 6 });
  });

  test('whose oldest day was deleted is counted, and the beginning of its data is reported', async () => {
    const { cwd } = await useExport(...LAKE);
    await rm(join(cwd, 'lake/dt=2024-07-13'), { recursive: true });
    const found = await stats(cwd, 'lake', '--during', '2024-07', '--timezone', 'UTC');
    const expected = { code: 0, scans: 4, stderr: expect.stringContaining('data begins at 2024-07-14') };
    expect(found).toMatchObject(expected);
  });

  test('whose manifest was truncated is refused', async () => {
    const { cwd } = await useExport(...LAKE);
    await truncate(join(cwd, 'lake/_qrctl.json'), 100);
    await expectRefused(cwd, 'lake', 'its _qrctl.json cannot be read');
  });
});

describe('an appended file', () => {
  test('without an extension is read from its directory, and is refused if only its state exists (F22)', async () => {
    const { cwd, run } = await useExport('-o', 'scans', '-f', 'csv');
    await mkdir(join(cwd, 'logs'));
    for (const name of ['scans', 'scans.state.json']) await rename(join(cwd, name), join(cwd, 'logs', name));
    expect(await stats(cwd, 'logs')).toMatchObject({ code: 0, scans: 6 });
    const verify = () => run('scans', 'verify', '--all', '--input', 'logs');
    expect(await verify()).toMatchObject({ code: 0 });
    await rm(join(cwd, 'logs', 'scans'));
    await expectRefused(cwd, 'logs', 'no longer exists');
    expect(await verify()).toMatchObject({ code: 8 });
  });

  test('that was emptied, truncated or edited is refused, but a copy without its state is counted', async () => {
    const { cwd } = await useExport('-o', 'all.csv');
    const text = await readFile(join(cwd, 'all.csv'), 'utf8');
    const lines = text.split('\n');
    for (const [content, reason] of [
      ['', 'was truncated: 0 of'],
      [lines.toSpliced(2, 2).join('\n'), 'was truncated'],
      [lines.toSpliced(2, 1, lines[3] as string).join('\n'), 'was edited or replaced'],
      [`${lines.toSpliced(2, 1).join('\n')}${lines[3]}\n`, 'was '],
    ] as const) {
      await writeFile(join(cwd, 'all.csv'), content);
      await expectRefused(cwd, 'all.csv', reason);
      await expectRefused(cwd, '.', reason);
    }
    await mkdir(join(cwd, 'copy'));
    await copyFile(join(cwd, 'all.csv'), join(cwd, 'copy', 'all.csv'));
    expect(await stats(cwd, 'copy')).toMatchObject({ code: 0, scans: 5 });
    await writeFile(join(cwd, 'all.csv'), text);
    const expected = { code: 0, scans: 6, stderr: expect.not.stringContaining('warning') };
    expect(await stats(cwd, 'all.csv')).toMatchObject(expected);
  });

  test('that was removed from its directory makes commands exit with 9, unless its state was removed too', async () => {
    const { cwd, sandbox } = await useExport('--output-dir', 'dir');
    await rm(join(cwd, 'dir', `${sandbox.codeId(1)}.csv`));
    await expectRefused(cwd, 'dir', `${sandbox.codeId(1)}.csv: the file no longer exists`);
    await rm(join(cwd, 'dir', `${sandbox.codeId(1)}.csv.state.json`));
    expect(await stats(cwd, 'dir')).toMatchObject({ code: 0, scans: 3 });
  });

  test('whose state was truncated is refused', async () => {
    const { cwd } = await useExport('-o', 'all.csv');
    await truncate(join(cwd, 'all.csv.state.json'), 100);
    await expectRefused(cwd, 'all.csv', 'its state file cannot be read');
  });

  test('that was moved away or emptied in place is counted from a rotated file that has all of its rows', async () => {
    const { cwd, append, sandbox } = await useExport('-o', 'all.csv', '--rotated');
    const text = await readFile(join(cwd, 'all.csv'));
    await rename(join(cwd, 'all.csv'), join(cwd, 'all.csv.1'));
    for (const input of ['all.csv', '.'])
      expect(await stats(cwd, input)).toMatchObject({ code: 0, scans: 6 });
    await writeFile(join(cwd, 'all.csv.1.gz'), gzipSync(text));
    await rm(join(cwd, 'all.csv.1'));
    await writeFile(join(cwd, 'all.csv'), '');
    for (const input of ['all.csv', '.'])
      expect(await stats(cwd, input)).toMatchObject({ code: 0, scans: 6 });
    await writeFile(join(cwd, 'all.csv.1.gz'), gzipSync(text.subarray(0, -20)));
    await expectRefused(cwd, 'all.csv', 'was truncated: 0 of');
    await writeFile(join(cwd, 'all.csv.1.gz'), gzipSync(text));
    sandbox.workspace.addScan(sandbox.codeId(), { ts: '2024-07-16T10:00:00.000Z' });
    await append();
    const expected = { code: 0, scans: 7, stderr: expect.not.stringContaining('warning') };
    expect(await stats(cwd, 'all.csv')).toMatchObject(expected);
    await rm(join(cwd, 'all.csv.1.gz'));
    const rest = await stats(cwd, 'all.csv');
    expect(rest).toMatchObject({
      code: 0,
      scans: 1,
      stderr: expect.stringContaining('warning: all.csv was rotated'),
    });
    expect((await stats(cwd, 'all.csv', '--no-rotated')).stderr).not.toContain('warning');
  });
});

test('two codes that had the same slug are counted separately, and the earlier one is listed by its ID (F20)', async () => {
  const ids = ['a', 'b'].map((digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`);
  const row = (code: number, id: number) => `${ids[code]},menu,Name ${code},${id},2026-10-0${id}T00:00:00Z`;
  const cwd = await useDirectory();
  await writeFile(
    join(cwd, 'a.csv'),
    ['qr_id,qr_slug,qr_name,id,ts', row(0, 1), row(0, 2), row(1, 3)].join('\n'),
  );
  const { stdout } = await runByDay(['scans', 'stats', '--input', 'a.csv', '--by', 'code', '-f', 'json'], {
    cwd,
  });
  expect(JSON.parse(stdout)).toMatchObject([
    { value: ids[0], name: 'Name 0', scans: 2 },
    { value: 'menu', name: 'Name 1', scans: 1 },
  ]);
});

describe('a file with a name like that of a rotated file', () => {
  test('is not read together with a log that was never rotated (F22)', async () => {
    const { cwd, sandbox, run: start } = await useExport('-o', 'kept.csv');
    const run = (...args: string[]) => start('scans', 'export', ...args);
    expect(await run(sandbox.codeId(0), '-o', 'plain.csv')).toMatchObject({ code: 0 });
    for (const name of ['plain', 'kept'])
      expect(await run(sandbox.codeId(1), '-o', `${name}-2026-10-31.csv`)).toMatchObject({ code: 0 });
    for (const [name, scans] of [
      ['plain', 3],
      ['kept', 6],
    ] as const) {
      const stderr = expect.stringContaining(
        `warning: ${name}-2026-10-31.csv looks like a scan file but was not read`,
      );
      expect(await stats(cwd, `${name}.csv`)).toMatchObject({ code: 0, scans, stderr });
      expect((await stats(cwd, `${name}.csv`, '--no-rotated')).stderr).not.toContain('warning');
    }
    expect(await stats(cwd, 'plain.csv', 'plain-2026-10-31.csv')).toMatchObject({ code: 0, scans: 6 });
  });
});
