/**
 * Every command against a service that others made: Prism answers from the sandbox's own description, and refuses requests that do
 * not fit it. Run by `npm run test:mock`, which installs it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT_CODES } from '#base/errors';
import { EXAMPLES, openApi } from '#sandbox/openapi';
import { type CliOptions, useDirectory } from '../support/cli.ts';
import { freePort } from '../support/listen.ts';
import { runByDay } from '../support/run-here.ts';

const PRISM = process.env.QRCTL_TEST_PRISM;

const ID = '3f0c5a52-7d0e-4b8e-9c2a-5f1f6f3a9d10';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** By its exit code, and what it says somewhere. */
const COMMANDS: [string[], number, RegExp][] = [
  [['qr', 'list'], 0, new RegExp(`^${ID},aB3xY,Summer menu`, 'm')],
  [['qr', 'list', '--name', 'nothing'], 0, /^id,slug/],
  [['qr', 'get', ID], 0, /"slug": "aB3xY"/],
  [['qr', 'get', 'aB3xY'], 0, /"slug": "aB3xY"/],
  [['qr', 'get', 'aB3xZ'], 4, /aB3xY/],
  [['qr', 'create', '--name', 'x', '--type', 'menu', '--destination', 'https://www.example.com/'], 0, /"id"/],
  [['qr', 'create', '--from', 'codes.csv'], 0, /Created 1 code/],
  [['qr', 'create', '--from', 'codes.csv', '--results', 'more.csv', '--skip-existing'], 0, /1 row exists/],
  // Prism responds with its example, whatever is sent.
  [['qr', 'update', ID, '--status', 'paused'], 1, /the response has the status active, but paused was sent/],
  [['qr', 'update', '--from', 'changes.csv'], 8, /the response has the status active, but paused was sent/],
  [['qr', 'delete', ID, '--yes'], 0, /"outcome": "deleted"/],
  [['qr', 'delete', ID, '--dry-run'], 0, /1 scan would be deleted/],
  [['scans', 'export', ID], 0, /^1,2025-01-01T12:00:00.000Z,DE,Berlin/m],
  [
    ['scans', 'export', ID, '--since', '2025-01-01', '--until', '2025-01-02', '--timezone', 'UTC'],
    0,
    /^1,2025/m,
  ],
  [['scans', 'export', ID, UNKNOWN, '--output-dir', 'each'], 0, /2 scans of 2 codes/],
  [['scans', 'export', '--all', '--append', '-o', 'scans.csv'], 0, /1 scan of 1 code/],
  [['scans', 'export', '--all', '--dry-run'], 0, /1/],
  [['auth', 'status'], 0, /"plan": "business"/],
  [['auth', 'login', '--key-stdin'], 0, /Stored the key/],
  [['doctor'], 0, /responds and accepts the key/],
];

describe.runIf(PRISM)('with the mock server Prism,', { timeout: 60_000 }, () => {
  const running: ChildProcess[] = [];
  let fixed: string;
  let random: string;

  async function start(more: string[], file: string): Promise<string> {
    const port = await freePort();
    const args = [PRISM ?? '', 'mock', '--host', '127.0.0.1', '--port', String(port), ...more, file];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(child);
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', (chunk) => /listening/.test(String(chunk)) && resolve());
      child.on('close', (code) => reject(new Error(`Prism ended with ${code}`)));
    });
    return `http://127.0.0.1:${port}/api/v1`;
  }

  beforeAll(async () => {
    // Prism serves paths as they are written, whatever stands under `servers`.
    const description = openApi('/api/v1');
    const below = Object.fromEntries(
      Object.entries(Object(description.paths)).map(([path, item]) => [`/api/v1${path}`, item]),
    );
    const file = join(process.env.TMPDIR ?? '/tmp', `qrctl-mock-${process.pid}`, 'openapi.json');
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, JSON.stringify({ ...description, paths: below }));
    [fixed, random] = await Promise.all([start([], file), start(['--dynamic'], file)]);
  });
  afterAll(() => running.map((child) => child.removeAllListeners('close').kill()));

  async function optionsFor(baseUrl: string): Promise<CliOptions> {
    const directory = await useDirectory();
    await writeFile(
      join(directory, 'codes.csv'),
      'name,type,destination\nSummer menu,menu,https://www.example.com/menu\n',
    );
    await writeFile(join(directory, 'changes.csv'), `id,status\n${ID},paused\n`);
    const input = 'svc_live_mock0123456789\n';
    return { cwd: directory, input, env: { QRCTL_BASE_URL: baseUrl, QRCTL_API_KEY: input.trim() } };
  }

  test.each(COMMANDS)('the command %j has the expected exit code and output', async (args, exit, says) => {
    const { code, stdout, stderr } = await runByDay(args, await optionsFor(fixed));
    expect(`${stdout}\n${stderr}`).toMatch(says);
    expect(code).toBe(exit);
  });

  test('a command without a key exits with 3', async () => {
    const { env, ...options } = await optionsFor(fixed);
    expect(
      (await runByDay(['qr', 'list'], { ...options, env: { ...env, QRCTL_API_KEY: undefined } })).code,
    ).toBe(3);
  });

  // Answers at random fit the description, but one page says this and the next says that: nothing may be taken for complete.
  test.each(COMMANDS)(
    'the command %j ends without a crash for random responses that match the API description',
    async (args) => {
      const { code, stderr } = await runByDay([...args, '--max-wait', '0'], await optionsFor(random));
      expect(stderr).not.toMatch(/unexpected failure/);
      expect(EXIT_CODES.map(({ exit }) => exit)).toContain(code);
    },
  );

  test('the tests use the code ID from the example in the API description', () => {
    expect(EXAMPLES.QRCode).toMatchObject({ id: ID });
  });
});
