/** `--summary`: one whole JSON object, however a run ends; and the mail that a failed night sends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, startCli, useDirectory } from '../support/cli.ts';
import { hang } from '../support/faults.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const KEYS = [
  ...[
    'command',
    'started',
    'finished',
    'exit',
    'error',
    'profile',
    'codes',
    'rows',
    'added',
    'range',
    'watermark',
  ],
  ...['requests', 'retries', 'pauses', 'paused_ms', 'files', 'outcomes'],
];

async function summaryIn(directory: string) {
  const summary = JSON.parse(await readFile(join(directory, 'run.json'), 'utf8'));
  expect(Object.keys(summary)).toEqual(KEYS);
  return summary;
}

const RUN = ['--summary', 'run.json'];

test('the summary of an append has the numbers of added rows and of all rows, and the time of the newest row', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 20 });
  const cwd = await useDirectory();
  const args = ['scans', 'export', sandbox.codeId(), '--append', '-o', 'scans.csv', '--quiet', ...RUN];
  await runByDay(args, { cwd, env: sandbox.env });
  const rows = sandbox.scans(sandbox.codeId()).length;
  expect(await summaryIn(cwd)).toMatchObject({
    command: 'scans export',
    exit: 0,
    error: null,
    codes: 1,
    rows,
    added: rows,
  });
  sandbox.workspace.addScan(sandbox.codeId(), { ts: '2025-06-01T10:00:00.000Z' });
  await runByDay(args, { cwd, env: sandbox.env });
  expect(await summaryIn(cwd)).toMatchObject({
    rows: rows + 1,
    added: 1,
    requests: 1,
    retries: 0,
    pauses: 0,
    paused_ms: 0,
    profile: 'default',
    range: { since: expect.stringMatching(/^20/), until: expect.stringMatching(/^20/) },
    watermark: '2025-06-01T10:00:00.000Z',
    files: [join(cwd, 'scans.csv')],
  });
  expect((await readdir(cwd)).sort()).toEqual(['run.json', 'scans.csv', 'scans.csv.state.json']);
});

test('a summary is written after an export, an unknown flag, a rejected key, and an outage', async () => {
  const sandbox = await useSandbox({ codes: 2, scans: 20 });
  const cwd = await useDirectory();
  const run = async (args: string[], env: Record<string, string> = {}) => {
    const { code } = await runByDay([...args, ...RUN], { cwd, env: { ...sandbox.env, ...env } });
    const summary = await summaryIn(cwd);
    expect(summary.exit).toBe(code);
    return summary;
  };
  const all = await run(['scans', 'export', '--all', '--output-dir', 'by-slug', '--file-names', 'slug']);
  const slugs = [...sandbox.workspace.codes()].map(({ slug }) => join('by-slug', `${slug}.csv`));
  expect(all).toMatchObject({ exit: 0, codes: 2, files: expect.arrayContaining(slugs) });
  expect(all.added).toBe(all.rows);

  expect(await run(['scans', 'export', '--al'])).toMatchObject({
    command: 'scans export',
    exit: 2,
    requests: 0,
    codes: null,
  });
  const refused = await run(['scans', 'export', '--all', '-o', 'x.csv'], {
    QRCTL_API_KEY: 'svc_live_0123456789wrong',
  });
  expect(refused).toMatchObject({ exit: 3, error: { status: 401 }, files: [] });
  expect(JSON.stringify(refused)).not.toContain('0123456789wrong');
  const away = { QRCTL_BASE_URL: 'http://127.0.0.1:9' };
  const down = await run(['qr', 'list', '--retry-for', '300ms'], away);
  expect(down).toMatchObject({
    command: 'qr list',
    exit: 7,
    error: { message: expect.stringContaining('refused') },
  });
  expect(down.retries).toBeGreaterThan(0);
});

test('a run that is ended by SIGTERM writes its summary', async () => {
  let asked = () => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const sandbox = await useSandbox({
    intercept: (exchange) => {
      asked();
      return hang(exchange);
    },
  });
  const cwd = await useDirectory();
  const running = await startCli(['qr', 'list', ...RUN], { cwd, env: sandbox.env });
  await waiting;
  running.child.kill('SIGTERM');
  expect((await running.done).code).toBe(143);
  expect(await summaryIn(cwd)).toMatchObject({ exit: 143, error: { message: 'terminated' } });
});

test("a run whose summary can't be written is refused before any request, or fails at its end", async () => {
  const sandbox = await useSandbox({ codes: 1 });
  const cwd = await useDirectory();
  await symlink('nowhere', join(cwd, 'dangling'));
  for (const [place, sentence] of [
    ['none/run.json', 'the directory none does not exist'],
    ['.', 'cannot write .: it is a directory'],
    ['dangling', 'is a symbolic link to a file that does not exist'],
  ] as const) {
    const refused = await runByDay(['qr', 'create', '--name', 'once', '--type', 'sms', '--summary', place], {
      cwd,
      env: sandbox.env,
    });
    expect([refused.code, refused.stderr, sandbox.requests.length]).toEqual([
      2,
      expect.stringContaining(sentence),
      0,
    ]);
    expect(refused.stderr.match(/^qrctl: /gm)).toHaveLength(1);
  }
  const full = await runByDay(['qr', 'list', '--summary', '/dev/full'], { cwd, env: sandbox.env });
  expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('/dev/full')]);
});

test('the error for a failed nightly run states the profile and what happened to the data, and has a hint', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 20 });
  const cwd = await useDirectory();
  const args = ['scans', 'export', sandbox.codeId(), '--append', '-o', 'scans.csv', '--quiet'];
  expect((await runByDay(args, { cwd, env: sandbox.env })).code).toBe(0);
  const env = { ...sandbox.env, QRCTL_BASE_URL: 'http://127.0.0.1:9/api/v1' };
  const { code, stderr } = await runByDay([...args, '--retry-for', '300ms'], { cwd, env });
  expect(code).toBe(2);
  expect(stderr).toContain('scans.csv belongs to http');
  await sandbox.close();
  const night = await runByDay([...args, '--retry-for', '300ms'], { cwd, env: sandbox.env });
  expect(night.code).toBe(7);
  expect(night.stderr.split('\n')).toEqual([
    expect.stringMatching(/^qrctl: connection refused \(after \d+ attempts\) \[GET /),
    expect.stringMatching(/^ {2}profile default, key svc_live_.{4}…, appending to scans\.csv$/),
    '  No data was lost: no scans were added. The next run resumes from there.',
    '  wait out a longer outage with --retry-for, such as --retry-for 15m',
    '  hint: Run `qrctl doctor` to find the cause.',
    '',
  ]);
  await writeFile(join(cwd, 'old.csv'), 'before\n');
  const whole = await runByDay(['scans', 'export', sandbox.codeId(), '-o', 'old.csv', '--retry-for', '0'], {
    cwd,
    env: sandbox.env,
  });
  expect(whole.stderr).toContain('writing old.csv\n  No data was written. Any existing file is unchanged.\n');
});

/** Runs of an export that ends half way with 6: the window has requests for the listing and three of five codes. */
async function useHalfWay() {
  const sandbox = await useSandbox({ codes: 5, scans: 20, limit: 4, windowMs: 3_600_000 });
  const cwd = await useDirectory();
  const run = async (...output: string[]) => {
    const args = ['scans', 'export', '--all', '--concurrency', '1', '--max-wait', '0', ...output];
    const { code, stderr } = await runByDay(args, { cwd, env: sandbox.env });
    expect(code).toBe(6);
    return stderr;
  };
  return { cwd, run };
}

test('the summary of an incomplete export has only the rows and file names that were written', async () => {
  const { cwd, run } = await useHalfWay();
  await run('--output-dir', 'scans', '--append', ...RUN);
  const appended = await summaryIn(cwd);
  const made = (await readdir(join(cwd, 'scans'))).filter((name) => name.endsWith('.csv'));
  expect(appended.files.map((path: string) => basename(path)).sort()).toEqual(made.sort());
  expect(made.length).toBeGreaterThan(0);
  const texts = await Promise.all(made.map((name) => readFile(join(cwd, 'scans', name), 'utf8')));
  const rows = texts.reduce((sum, text) => sum + (text.match(/^\d+,\d{4}-/gm)?.length ?? 0), 0);
  expect(appended).toMatchObject({ rows, added: rows });
});

test('the summary of an export has no rows and no file if its only file was not written', async () => {
  const { cwd, run } = await useHalfWay();
  await run('-o', 'all.csv', ...RUN);
  expect(await summaryIn(cwd)).toMatchObject({ rows: 0, added: 0, watermark: null, files: [] });
});

test('if neither the output nor the summary can be written, both failures are reported', async () => {
  const sandbox = await useSandbox({ codes: 1 });
  const cwd = await useDirectory();
  const run = await runByDay(['qr', 'list', '-o', '/dev/full', '--summary', '/dev/full'], {
    cwd,
    env: sandbox.env,
  });
  expect(run.code).toBe(1);
  expect(run.stderr.match(/cannot write \/dev\/full/g)).toHaveLength(2);
});

const choices = [
  ['--from', 'rows.csv'],
  ['--status', 'paused', ...['1', '2'].map((n) => `00000000-0000-4000-8000-00000000000${n}`)],
];
test.each(firstRows(1, choices))(
  'failed rows are reported on standard error even if the reader closes the pipe (%s)',
  async (...args) => {
    const sandbox = await useSandbox({ codes: 1 });
    const cwd = await useDirectory();
    const ids = Array.from(
      { length: 40 },
      (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    );
    await writeFile(join(cwd, 'rows.csv'), ['id,name', ...ids.map((id) => `${id},n`)].join('\n'));
    const home = join(cwd, 'home');
    await mkdir(home);
    const shell = spawn(
      'bash',
      ['-c', '"$@" 2>said | true; exit $PIPESTATUS', 'bash', process.execPath, BIN, 'qr', 'update', ...args],
      {
        cwd,
        env: { PATH: process.env.PATH, HOME: home, ...sandbox.env },
      },
    );
    const [code] = await once(shell, 'exit');
    expect([code, await readFile(join(cwd, 'said'), 'utf8')]).toEqual([
      expect.toSatisfy((n) => n === 4 || n === 8),
      expect.not.stringMatching(/^$/),
    ]);
  },
);

test('an export that ends early reports how many files are complete, and says nothing about data on a device', async () => {
  const { cwd, run } = await useHalfWay();
  const some = await run('--output-dir', 'scans');
  expect(await readdir(join(cwd, 'scans'))).toHaveLength(3);
  expect(some).toContain(
    ', writing scans\n  Wrote 3 complete files. Existing files of the other codes are unchanged.\n',
  );
  const none = await run('--output-dir', 'scans');
  expect(none).toContain(', writing scans\n  No data was written. Any existing file is unchanged.\n');
  const device = await run('-o', '/dev/null');
  expect(device).toContain(', writing /dev/null\n');
  expect(device).not.toMatch(/unchanged|No data/);
});

test('a key that was typed instead of a name is redacted everywhere in the summary', async () => {
  const cwd = await useDirectory();
  const secret = 'svc_live_0123456789abcdefCANARY';
  for (const env of [{ QRCTL_PROFILE: secret }, {}]) {
    const more = 'QRCTL_PROFILE' in env ? [] : ['--profile', secret];
    expect((await runByDay(['qr', 'list', ...more, ...RUN], { cwd, env })).code).not.toBe(0);
    expect(await summaryIn(cwd)).toMatchObject({ profile: 'svc_live_0123…' });
  }
  const { env } = await useSandbox({ codes: 1 });
  expect(await runByDay(['qr', 'list', '-o', `${secret}.csv`, ...RUN], { cwd, env })).toMatchObject({
    code: 0,
  });
  expect(JSON.stringify(await summaryIn(cwd))).not.toContain('CANARY');
});
