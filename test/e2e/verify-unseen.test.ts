/** `scans verify` never reports as equal what it did not compare, and begins where the state of the log begins. */
import {
  appendFile,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ends, useDirectory } from '../support/cli.ts';
import { useJob } from '../support/job.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';
import { useSharedAddress } from '../support/two-workspaces.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

async function useLogs(codes = 3, scans = 200) {
  const job = await useJob({ codes, scans });
  const rows = async (...args: string[]): Promise<Record<string, unknown>[]> =>
    JSON.parse((await job.run('scans', 'verify', ...args, '-f', 'json')).stdout || '[]');
  return { ...job, rows };
}

type Job = Awaited<ReturnType<typeof useLogs>>;

const newestOf = (sandbox: TestSandbox, n: number) =>
  Date.parse(sandbox.scans(sandbox.codeId(n)).at(-1)?.ts ?? '');

/** A scan that the service gets now, dated this long before the newest one. */
function addScan(sandbox: TestSandbox, n: number, beforeMs: number): void {
  sandbox.workspace.addScan(sandbox.codeId(n), {
    ts: new Date(newestOf(sandbox, n) - beforeMs).toISOString(),
  });
}

const EXPORT_ALL = ['scans', 'export', '--all', '-o', 'log.csv', '--append'];
const VERIFY_ALL = ['scans', 'verify', '--all', '--input', 'log.csv'];

async function exportAll({ run }: Job, ...flags: string[]): Promise<void> {
  expect(await run(...EXPORT_ALL, ...flags)).toMatchObject({ code: 0 });
}

describe('a loss', () => {
  test('of a file in a directory is reported as missing scans, with and without its state, and not repaired (V10, V12)', async () => {
    const { sandbox, run, at, rows } = await useLogs();
    const place = ['--all', '--output-dir', 'each'];
    expect(await run('scans', 'export', ...place, '--append')).toMatchObject({ code: 0 });
    const id = sandbox.codeId(1);
    await rm(at(`each/${id}.csv`));
    expect(await run('scans', 'verify', ...place)).toMatchObject(ends(8, '200 scans missing'));
    expect(await rows(...place)).toContainEqual(
      expect.objectContaining({ id, outcome: 'missing', missing: 200 }),
    );
    const repaired = await run('scans', 'verify', ...place, '--repair');
    expect(repaired).toMatchObject(ends(8, '--restart'));
    await rm(at(`each/${id}.csv.state.json`));
    expect(await run('scans', 'verify', ...place)).toMatchObject({ code: 8 });
    expect(await run('scans', 'export', ...place, '--append')).toMatchObject({ code: 0 });
    expect(await run('scans', 'verify', ...place)).toMatchObject({ code: 0 });
  });

  const losses: [string, (job: Job) => Promise<unknown>, number][] = [
    ['of the last rows', ({ at }) => truncate(at('log.csv'), 9000), 8],
    [
      'by an edited cell',
      async ({ at }) =>
        writeFile(at('log.csv'), (await readFile(at('log.csv'), 'utf8')).replace('mobile', 'tablet')),
      8,
    ],
    [
      'of the newest state, which was replaced with an older one,',
      async (job) => {
        await copyFile(job.at('log.csv.state.json'), job.at('older'));
        addScan(job.sandbox, 0, -MINUTE);
        await exportAll(job);
        await rename(job.at('older'), job.at('log.csv.state.json'));
      },
      8,
    ],
    [
      'by rotation, before a run has continued',
      async ({ at }) => {
        await mkdir(at('old'));
        await rename(at('log.csv'), at('old/log.csv.1'));
      },
      2,
    ],
    ['of the file', ({ at }) => rm(at('log.csv')), 2],
    ['that emptied the file', ({ at }) => writeFile(at('log.csv'), ''), 8],
    [
      'that left a truncated line',
      async ({ at }) => appendFile(at('log.csv'), '00000000-0000-4000-8000-00000000'),
      8,
    ],
    [
      'by rotation that leaves an empty file',
      async ({ at }) => {
        await mkdir(at('old'));
        await rename(at('log.csv'), at('old/log.csv.1'));
        await writeFile(at('log.csv'), '');
      },
      8,
    ],
  ];
  test.each(firstRows(5, losses))(
    '%s is reported, even with --quiet, and no repair changes the file (V10)',
    async (_, lose, code) => {
      const job = await useLogs();
      await exportAll(job);
      await lose(job);
      const text = await readFile(job.at('log.csv'), 'utf8').catch(() => undefined);
      expect(await job.run(...VERIFY_ALL)).toMatchObject({ code });
      const quiet = await job.run(...VERIFY_ALL, '--quiet');
      expect({ code: quiet.code, isSilent: quiet.stderr === '' }).toEqual({ code, isSilent: false });
      expect(await job.run(...VERIFY_ALL, '--repair')).toMatchObject({ code });
      expect(await readFile(job.at('log.csv'), 'utf8').catch(() => undefined)).toBe(text);
    },
  );

  test('of a part in the middle of a dataset is reported, and the loss of its oldest part is not (V10)', async () => {
    const { run, at } = await useLogs(2, 8);
    const place = ['--all', '--output-dir', 'lake'];
    expect(await run('scans', 'export', ...place, '--partition-by', 'day', '--append')).toMatchObject({
      code: 0,
    });
    expect(await run('scans', 'verify', ...place)).toMatchObject({ code: 0 });
    const days = (await readdir(at('lake'))).filter((name) => name.startsWith('dt=')).sort();
    const [oldest = '', , day = ''] = days;
    await rename(at(`lake/${day}`), at('moved'));
    expect(await run('scans', 'verify', ...place)).toMatchObject(ends(8, `${day}/part`));
    await rename(at('moved'), at(`lake/${day}`));
    // The oldest days may be deleted on purpose.
    await rm(at(`lake/${oldest}`), { recursive: true });
    expect(await run('scans', 'verify', ...place, '--repair')).toMatchObject({ code: 0 });
    expect((await readdir(at('lake'))).includes(oldest)).toBe(false);
  });
});

describe('`scans verify`', () => {
  test('exits with 9 for a truncated archive in --input (V10)', async () => {
    const job = await useLogs();
    await exportAll(job, '--rotated');
    await mkdir(job.at('archive'));
    await rename(job.at('log.csv'), job.at('archive/log.csv.1'));
    await exportAll(job, '--rotated');
    const archive = ['--input', 'archive/log.csv.1'];
    expect(await job.run(...VERIFY_ALL, ...archive)).toMatchObject({ code: 0 });
    const text = await readFile(job.at('archive/log.csv.1'), 'utf8');
    await writeFile(job.at('archive/log.csv.1'), text.slice(0, text.indexOf('\n', 5000) + 1));
    for (const flags of [[], ['--repair']]) {
      const refused = await job.run(...VERIFY_ALL, ...archive, ...flags);
      expect(refused).toMatchObject(ends(9, 'archive/log.csv.1'));
    }
    // Statistics and conversions read the files next to the log.
    await rename(job.at('archive/log.csv.1'), job.at('log.csv.1'));
    for (const args of [
      ['stats'],
      ['export', '--output-dir', 'lake', '--partition-by', 'month', '-f', 'csv'],
    ])
      expect(await job.run('scans', ...args, '--input', 'log.csv')).toMatchObject({ code: 9 });
  });

  test.each([
    ['a file', ['-o', 'log.csv'], ['--input', 'log.csv'], 'log.csv.state.json'],
    [
      'a dataset',
      ['--output-dir', 'lake', '--partition-by', 'month'],
      ['--output-dir', 'lake'],
      'lake/_qrctl.json',
    ],
  ])('exits with 9 for %s whose state is damaged (V10)', async (_, output, input, state) => {
    const { run, at } = await useLogs();
    expect(await run('scans', 'export', '--all', ...output, '-f', 'csv', '--append')).toMatchObject({
      code: 0,
    });
    await truncate(at(state), 100);
    expect(await run('scans', 'verify', '--all', ...input)).toMatchObject({ code: 9 });
  });

  test('reports a lost file of a deleted code, even after the deletion was accepted (V10)', async () => {
    const { sandbox, run, at } = await useLogs();
    const place = ['--all', '--output-dir', 'each'];
    expect(await run('scans', 'export', ...place, '--append')).toMatchObject({ code: 0 });
    const id = sandbox.codeId(1);
    sandbox.workspace.delete(id);
    expect(await run('scans', 'verify', ...place, '--accept-gone')).toMatchObject({ code: 0 });
    expect(await run('scans', 'verify', ...place)).toMatchObject({ code: 0 });
    await rm(at(`each/${id}.csv`));
    expect(await run('scans', 'verify', ...place)).toMatchObject(ends(8, `${id}.csv`));
  });

  test('refuses a copy without a state from another workspace (V13)', async () => {
    const { sandbox, run, at } = await useLogs();
    expect(await run('scans', 'export', '--all', '-o', 'copy.csv')).toMatchObject({ code: 0 });
    const { id } = sandbox.workspace.put({ slug: 'other' });
    const text = await readFile(at('copy.csv'), 'utf8');
    for (const args of [[id], ['--all']]) {
      await writeFile(at('copy.csv'), text.replaceAll(/^[0-9a-f]{8}-/gm, '99999999-'));
      expect(await run('scans', 'verify', ...args, '--input', 'copy.csv')).toMatchObject(
        ends(2, '3 other codes'),
      );
    }
  });

  test('refuses a log with another code, and codes that are not in the log (V12)', async () => {
    const { sandbox, run } = await useLogs();
    const [one, other] = [0, 1].map((n) => sandbox.codeId(n));
    expect(await run('scans', 'export', one ?? '', '-o', 'one.csv', '--append')).toMatchObject({ code: 0 });
    for (const codes of [[other ?? ''], ['--all']]) {
      const refused = await run('scans', 'verify', ...codes, '--input', 'one.csv');
      expect(refused).toMatchObject(ends(2, one ?? ''));
    }
    expect(await run('scans', 'verify', one ?? '', '--input', 'one.csv')).toMatchObject({ code: 0 });
  });

  test('refuses an empty file, and a range outside the log (V12)', async () => {
    const job = await useLogs();
    await exportAll(job);
    await writeFile(job.at('empty.csv'), '');
    expect(await job.run('scans', 'verify', '--all', '--input', 'empty.csv')).toMatchObject({ code: 2 });
    expect(await job.run(...VERIFY_ALL, '--since', '2999-01-01')).toMatchObject(ends(2, 'log.csv'));
  });

  test('reports scans of a code that was never exported as missing if they are in the range of the log (V12)', async () => {
    const job = await useLogs(3, 203);
    const { sandbox, run, rows } = job;
    await exportAll(job);
    expect(await run('qr', 'create', '--name', 'New', '--destination', 'https://example.com/')).toMatchObject(
      { code: 0 },
    );
    expect(await run(...VERIFY_ALL)).toMatchObject({ code: 0 });
    for (let at = 0; at < 50; at++) {
      sandbox.workspace.addScan(sandbox.codeId(3), {
        ts: new Date(newestOf(sandbox, 0) - at * MINUTE).toISOString(),
      });
    }
    const before = sandbox.requests.length;
    expect(await rows('--all', '--input', 'log.csv')).toContainEqual(
      expect.objectContaining({ outcome: 'missing', missing: 50 }),
    );
    // The codes, and a total of each.
    expect(sandbox.requests.length - before).toBe(5);
    expect(await run(...VERIFY_ALL, '--repair')).toMatchObject({ code: 0 });
    expect(await run(...VERIFY_ALL)).toMatchObject({ code: 0 });
    expect(await run(...EXPORT_ALL)).toMatchObject(ends(0, 'Exported 0 scans'));
  });

  test('refuses a log from another service, and from another workspace on the same service (V13)', async () => {
    const [mine, theirs] = [
      await useSandbox({ codes: 3, scans: 200 }),
      await useSandbox({ codes: 3, scans: 200, seed: 7 }),
    ];
    const address = await useSharedAddress({ svc_live_mine: mine, svc_live_theirs: theirs });
    const cwd = await useDirectory();
    const run = (key: string, line: readonly string[]) => runByDay([...line], { cwd, env: address.env(key) });
    expect(await run('svc_live_mine', EXPORT_ALL)).toMatchObject({ code: 0 });
    const before = await readFile(join(cwd, 'log.csv'), 'utf8');
    for (const line of [VERIFY_ALL, [...VERIFY_ALL, '--repair']]) {
      expect(await run('svc_live_theirs', line)).toMatchObject(ends(2, 'another workspace'));
      const elsewhere = await runByDay(line, { cwd, env: theirs.env });
      expect(elsewhere).toMatchObject(ends(2, 'belongs to'));
    }
    expect(await readFile(join(cwd, 'log.csv'), 'utf8')).toBe(before);
  });

  test('reports a plain export that ends within a line, and compares one without its first and last rows in its own range', async () => {
    const { sandbox, run, at } = await useLogs(1);
    const code = sandbox.codeId();
    expect(await run('scans', 'export', code, '-o', 'plain.csv')).toMatchObject({ code: 0 });
    const [header = '', ...lines] = (await readFile(at('plain.csv'), 'utf8')).trimEnd().split('\n');
    const verify = () => run('scans', 'verify', code, '--input', 'plain.csv', '--timezone', 'UTC');
    await writeFile(at('plain.csv'), `${[header, ...lines.slice(10, -10)].join('\n')}\n`);
    const first = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(lines[10] ?? '');
    expect(await verify()).toMatchObject(ends(0, `from ${first?.[1]} ${first?.[2]}`));
    await writeFile(at('plain.csv'), [header, ...lines].join('\n').slice(0, -30));
    expect(await verify()).toMatchObject(ends(8, 'incomplete'));
  });
});

describe('a verification without differences', () => {
  test('prints the compared range, or nothing with --quiet', async () => {
    const job = await useLogs();
    await exportAll(job);
    expect(await job.run(...VERIFY_ALL, '--quiet')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const expected = { code: 0, stdout: '', stderr: '' };
    expect(await job.run(...VERIFY_ALL, '--quiet', '--repair')).toMatchObject(expected);
    const { stderr } = await job.run(...VERIFY_ALL, '--timezone', 'Asia/Tokyo');
    expect(stderr).toMatch(
      /Verified 600 scans of 3 codes from the first scan to \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? \(Asia\/Tokyo\)/,
    );
  });
});

/** A rotated log: 600 scans in the file that was moved, and a late scan, new ones, and one of the very instant of the last in the new file. */
async function useRotated(job: Job): Promise<void> {
  await exportAll(job, '--rotated');
  await rename(job.at('log.csv'), job.at('log.csv.1'));
  addScan(job.sandbox, 0, 30 * MINUTE);
  addScan(job.sandbox, 1, 0);
  await exportAll(job, '--rotated');
  await mkdir(job.at('archive'));
}

const linesOf = async (path: string) => (await readFile(path, 'utf8')).trimEnd().split('\n').slice(1);

describe('a log whose rotated file', () => {
  test('was archived begins where that file ends, and no late row is added again (A41, V11)', async () => {
    const job = await useLogs();
    const { sandbox, run, at } = job;
    await useRotated(job);
    await rename(at('log.csv.1'), at('archive/log.csv.1'));
    const text = await readFile(at('log.csv'), 'utf8');
    expect(await linesOf(at('log.csv'))).toHaveLength(2);
    for (const line of [VERIFY_ALL, [...VERIFY_ALL, '--repair'], [...EXPORT_ALL, '--rotated', '--verify']])
      expect(await run(...line)).toMatchObject({ code: 0 });
    expect(await readFile(at('log.csv'), 'utf8')).toBe(text);
    // With the archive, all of it is compared.
    const all = await run(...VERIFY_ALL, '--input', 'archive/log.csv.1');
    expect(all).toMatchObject(ends(0, 'Verified 602 scans of 3 codes from the first scan'));
    addScan(sandbox, 2, 10 * DAY);
    expect(await run(...VERIFY_ALL)).toMatchObject(ends(0, '1 rotated file'));
    expect(await run(...VERIFY_ALL, '--input', 'archive/log.csv.1', '--repair')).toMatchObject({ code: 0 });
    expect(await linesOf(at('log.csv'))).toHaveLength(3);
    expect(await run(...VERIFY_ALL)).toMatchObject({ code: 0 });
    expect(await linesOf(at('log.csv'))).toHaveLength(3);
  });

  test('is in fact from another export is verified without that file', async () => {
    const { sandbox, run } = await useLogs();
    const [one = '', other = ''] = [0, 1].map((n) => sandbox.codeId(n));
    expect(await run('scans', 'export', one, '-o', 'scans.csv', '--append')).toMatchObject({ code: 0 });
    expect(await run('scans', 'export', other, '-o', 'scans-2026-10-31.csv')).toMatchObject({ code: 0 });
    expect(await run('scans', 'verify', one, '--input', 'scans.csv')).toMatchObject(
      ends(0, 'Verified 200 scans of 1 code'),
    );
  });
});
