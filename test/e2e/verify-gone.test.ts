/** Codes that were deleted on the service: an append and `scans verify` report each of them once, and the others continue. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ends } from '../support/cli.ts';
import { useJob } from '../support/job.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const slugOf = ({ workspace, codeId }: TestSandbox, n: number) =>
  [...workspace.codes()].find(({ id }) => id === codeId(n))?.slug ?? '';

describe.each(['slug', 'id', 'slug or id'])('a log with codes specified by %s', (by) => {
  const nameOf = (sandbox: TestSandbox, n: number) =>
    by === 'slug' || (by !== 'id' && n === 1) ? slugOf(sandbox, n) : sandbox.codeId(n).toUpperCase();

  test('continues without a deleted code, and reports its deletion once (A43)', async () => {
    const { sandbox, cwd, run } = await useJob({ codes: 4, scans: 120 });
    const names = [0, 1, 2].map((n) => nameOf(sandbox, n));
    const others = names.filter((_, at) => at !== 1);
    const append = (...codes: string[]) => run('scans', 'export', ...codes, '-o', 'log.csv', '--append');
    expect(await append(...names)).toMatchObject({ code: 0 });
    const before = await readFile(join(cwd, 'log.csv'), 'utf8');
    expect(await run('qr', 'delete', sandbox.codeId(1), '--yes')).toMatchObject({ code: 0 });
    const told = await append(...names);
    expect(told).toMatchObject(ends(8, 'was deleted on the service'));
    expect(told.stderr).not.toContain('qrctl scans export');
    expect(await append(...names)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('deleted') });
    const verify = (...flags: string[]) => run('scans', 'verify', ...names, '--input', 'log.csv', ...flags);
    expect(await verify('-f', 'json')).toMatchObject({ code: 0, stdout: expect.stringContaining('"gone"') });
    expect(await verify('-q')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    // Without the deleted code the log is the same, and with it again too.
    expect(await append(...others)).toMatchObject({ code: 0 });
    expect(await append(...names)).toMatchObject({ code: 0 });
    expect(await readFile(join(cwd, 'log.csv'), 'utf8')).toBe(before);
  });

  test('is not continued, and exits with 4, if one of the specified codes does not exist', async () => {
    const { sandbox, run } = await useJob({ codes: 3, scans: 20 });
    const names = [0, 1].map((n) => nameOf(sandbox, n));
    const append = (...codes: string[]) => run('scans', 'export', ...codes, '-o', 'two.csv', '--append');
    expect(await append(...names)).toMatchObject({ code: 0 });
    expect(await append(names[0] ?? '', 'no-such-slug')).toMatchObject({ code: 4 });
  });
});

test('a dataset or directory export reports a deleted code once, with exit code 8, and then skips it', async () => {
  const { sandbox, run } = await useJob({ codes: 3, scans: 120 });
  const ids = [0, 1].map((n) => sandbox.codeId(n));
  const lines = [
    ['--output-dir', 'lake', '--partition-by', 'month', '--append'],
    ['--output-dir', 'each', '--append'],
  ];
  for (const line of lines) expect(await run('scans', 'export', ...ids, ...line)).toMatchObject({ code: 0 });
  expect(await run('qr', 'delete', sandbox.codeId(1), '--yes')).toMatchObject({ code: 0 });
  for (const line of lines) expect(await run('scans', 'export', ...ids, ...line)).toMatchObject({ code: 8 });
  for (const line of lines) expect(await run('scans', 'export', ...ids, ...line)).toMatchObject({ code: 0 });
});

describe('`scans verify`', () => {
  test('reports deleted codes in each run until --accept-gone or --repair records their deletion (V7)', async () => {
    const { sandbox, cwd, run } = await useJob({ codes: 2, scans: 200 });
    expect(await run('scans', 'export', '--all', '-o', 'all.csv', '--append')).toMatchObject({ code: 0 });
    const text = await readFile(join(cwd, 'all.csv'), 'utf8');
    expect(await run('qr', 'delete', sandbox.codeId(0), '--yes')).toMatchObject({ code: 0 });
    const verify = ['scans', 'verify', '--all', '--input', 'all.csv'];
    for (let at = 0; at < 2; at++) expect(await run(...verify)).toMatchObject(ends(8, '--accept-gone'));
    expect(await run(...verify, '--accept-gone')).toMatchObject({ code: 0 });
    expect(await run(...verify)).toMatchObject({ code: 0 });
    expect(await run('qr', 'delete', sandbox.codeId(0), '--yes')).toMatchObject({ code: 0 });
    expect(await run(...verify, '--repair')).toMatchObject({ code: 8 });
    expect(await readFile(join(cwd, 'all.csv'), 'utf8')).toBe(text);
  });

  test('with --repair reports deleted codes once', async () => {
    const { sandbox, run } = await useJob({ codes: 2, scans: 200 });
    expect(await run('scans', 'export', '--all', '-o', 'all.csv', '--append')).toMatchObject({ code: 0 });
    expect(await run('qr', 'delete', sandbox.codeId(0), '--yes')).toMatchObject({ code: 0 });
    const repair = ['scans', 'verify', '--all', '--input', 'all.csv', '--repair'];
    expect(await run(...repair)).toMatchObject(ends(8, '1 code deleted'));
    expect(await run(...repair, '-q')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});
