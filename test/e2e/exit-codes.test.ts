/** Every row of the exit-code table, reached by the built command. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '#base/errors';
import type { SandboxOptions } from '#sandbox/options';
import { runCli, startCli, useDirectory } from '../support/cli.ts';
import { type Fault, fails, gateway, hang, sometimes, wrongTotal } from '../support/faults.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

interface Way {
  exit: number;
  how: string;
  args: (sandbox: TestSandbox) => string[];
  sandbox?: SandboxOptions;
  env?: Record<string, string>;
  /** On standard error. */
  says: RegExp;
}

const ofScans = (fault: Fault) => sometimes(({ request }) => request.path.endsWith('/scans') && fault);

const WAYS: Way[] = [
  { exit: 0, how: 'a successful list', args: () => ['qr', 'list'], says: /^$/ },
  {
    exit: 1,
    how: 'a response that is not JSON',
    args: () => ['qr', 'list'],
    sandbox: { intercept: gateway(200) },
    says: /JSON/,
  },
  { exit: 2, how: 'an unknown flag', args: () => ['qr', 'list', '--limti', '3'], says: /--limit/ },
  { exit: 2, how: 'an unknown command', args: () => ['qr', 'lst'], says: /list/ },
  {
    exit: 2,
    how: 'an output path in a missing directory',
    args: () => ['qr', 'list', '-o', '/nonexistent/codes.csv'],
    says: /nonexistent/,
  },
  {
    exit: 2,
    how: 'an endless scan file',
    args: () => ['scans', 'stats', '--input', '/dev/zero'],
    says: /zero: line 1 is longer than 1 MiB/,
  },
  {
    exit: 3,
    how: 'a wrong key',
    args: () => ['qr', 'list'],
    env: { QRCTL_API_KEY: 'svc_live_wrong' },
    says: /key/,
  },
  {
    exit: 3,
    how: 'a missing key',
    args: () => ['qr', 'list'],
    env: { QRCTL_API_KEY: '' },
    says: /auth login/,
  },
  { exit: 4, how: 'an unknown ID', args: () => ['qr', 'get', UNKNOWN], says: /not found|no code/i },
  {
    exit: 5,
    how: 'a plan that allows no more codes',
    args: () => ['qr', 'create', '--name', 'x', '--type', 'sms'],
    sandbox: { codeLimit: 25 },
    says: /plan/,
  },
  {
    exit: 6,
    how: 'a wait that is longer than --max-wait',
    args: () => ['qr', 'list', '--max-wait', '0'],
    sandbox: { limit: 1, codes: 300 },
    says: /max-wait/,
  },
  {
    exit: 7,
    how: 'a refused connection',
    args: () => ['qr', 'list', '--retry-for', '300ms'],
    env: { QRCTL_BASE_URL: 'http://127.0.0.1:9' },
    says: /refused/,
  },
  {
    exit: 8,
    how: 'a code that fails among others',
    args: (s) => ['scans', 'export', s.codeId(), UNKNOWN],
    says: /1 of 2/,
  },
  {
    exit: 9,
    how: 'scans that could not be verified as complete',
    args: (s) => ['scans', 'export', s.codeId()],
    sandbox: { intercept: ofScans(wrongTotal((total) => total + 3)) },
    says: /complete/,
  },
  {
    exit: 10,
    how: 'rejected values',
    args: () => ['qr', 'create', '--name', 'x', '--type', 'sms'],
    sandbox: { intercept: fails(400) },
    says: /400/,
  },
];

describe('exit codes', () => {
  test('are all covered by the cases in this file', () => {
    const reached = new Set([...WAYS.map((way) => way.exit), 130, 143]);
    expect(EXIT_CODES.map(({ exit }) => exit).filter((exit) => !reached.has(exit))).toEqual([]);
  });

  /** The first way to each exit code is taken as it is built. */
  const isFirst = (way: Way) => way === WAYS.find(({ exit }) => exit === way.exit);

  test.each(WAYS)('include $exit for $how', async (way) => {
    const { exit, args, sandbox: options, env, says } = way;
    const sandbox = await useSandbox({ scans: 20, ...options });
    const run = isFirst(way) ? runCli : runByDay;
    const { code, stderr } = await run(args(sandbox), { env: { ...sandbox.env, ...env } });
    expect(stderr.replace(/^.*requests?, \d+ pauses?.*\n/m, '')).toMatch(says);
    expect(code).toBe(exit);
    if (exit === 2) expect(sandbox.requests).toEqual([]);
  });

  test.each(WAYS.filter(({ exit }) => exit !== 0))(
    'include $exit for $how in the error as JSON',
    async ({ exit, args, sandbox: options, env }) => {
      const sandbox = await useSandbox({ scans: 20, ...options });
      const words = [...args(sandbox), '--format', 'json', '--quiet'];
      const { stderr } = await runByDay(words, { env: { ...sandbox.env, ...env } });
      const { error } = JSON.parse(stderr);
      expect(Object.keys(error)).toEqual(['message', 'code', 'status', 'exit', 'hint']);
      expect(error.exit).toBe(exit);
    },
  );

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('after %s during a request include %i, and no temporary file is left', async (signal, exit) => {
    const directory = await useDirectory();
    const file = join(directory, 'scans.csv');
    await writeFile(file, 'before\n');
    let asked = () => {};
    const waiting = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const intercept: Fault = (exchange) => {
      asked();
      return hang(exchange);
    };
    const sandbox = await useSandbox({ intercept });
    const running = await startCli(['scans', 'export', sandbox.codeId(), '-o', file], { env: sandbox.env });
    await waiting;
    running.child.kill(signal);
    const { code } = await running.done;
    expect(code).toBe(exit);
    expect(await readdir(directory)).toEqual(['scans.csv']);
  });
});

describe("the hint for a path that can't be written", () => {
  type Command = (sandbox: TestSandbox) => string[];
  const create = (...more: string[]) => ['qr', 'create', '--from', 'codes.csv', ...more];

  test.each<[string, Command, string]>([
    ['--results', () => create(), 'file with --results'],
    ['--results', () => create('--output', 'other.csv'), 'file with --results'],
    ['--results', () => create('--results', 'taken.xlsx'), 'file with --results'],
    ['--results', () => create('--results', 'no/r.csv'), 'Create the directory first, or '],
    ['--results', () => create('--results', `${'r'.repeat(300)}.csv`), 'file with --results'],
    [
      '--output',
      () => create('--results', 'r.csv', '--output', 'taken.xlsx'),
      'Specify a different file with --output',
    ],
    [
      '--summary',
      () => ['qr', 'list', '--limit', '1', '--summary', 'taken.xlsx'],
      'Specify a different file with --summary',
    ],
    [
      '--output-dir',
      (s) => ['scans', 'export', s.codeId(), '--output-dir', '.'],
      'directory with --output-dir',
    ],
    [
      '--output-dir',
      (s) => ['scans', 'export', s.codeId(), '--output-dir', 'codes.csv'],
      'directory with --output-dir',
    ],
    [
      '--backup',
      (s) => ['qr', 'delete', s.codeId(), '--yes', '--backup', '.'],
      'Specify a different directory with --backup',
    ],
  ])('mentions the flag %s (case %#)', async (flag, args, hint) => {
    const sandbox = await useSandbox({ codes: 1, scans: 5 });
    const cwd = await useDirectory();
    await writeFile(join(cwd, 'codes.csv'), 'name,type\nMenu,sms\n');
    for (const name of [
      'codes.results.csv',
      'taken.xlsx',
      `${sandbox.codeId()}.csv`,
      `${sandbox.codeId()}.json`,
    ])
      await mkdir(join(cwd, name));
    const { code, stderr } = await runByDay(args(sandbox), { env: sandbox.env, cwd });
    expect(code).not.toBe(1);
    expect(stderr).toContain('cannot ');
    expect(stderr).toContain(hint);
    if (flag !== '--output') expect(stderr).not.toMatch(/--output(?!-dir)/);
  });
});
