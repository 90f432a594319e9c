/** The key of each source reaches the service, and nothing else: no argument list, no environment of another process, no output. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BIN, bareEnv, runCli, startCli, until, useDirectory } from '../support/cli.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const KEY = 'svc_live_canaryCANARY0123456789';
const OTHER = 'svc_live_otherOTHER0123456789';
const STRACE = 'strace';
const hasStrace = spawnSync(STRACE, ['-V']).status === 0;

type Source = 'variable' | 'file' | 'credential' | 'profile' | 'command';

/** A machine with the key in one source; resolves to its environment. */
async function prepare(source: Source, sandbox: TestSandbox, key = KEY): Promise<Record<string, string>> {
  const directory = await useDirectory();
  const env = { QRCTL_CONFIG_DIR: join(directory, 'config'), QRCTL_BASE_URL: sandbox.baseUrl };
  const credentials = join(directory, 'credentials');
  const file = join(credentials, 'qrctl-api-key');
  mkdirSync(credentials);
  writeFileSync(file, `${key}\n`, { mode: 0o400 });
  if (source === 'variable') return { ...env, QRCTL_API_KEY: key };
  if (source === 'file') return { ...env, QRCTL_API_KEY_FILE: file };
  if (source === 'credential') return { ...env, CREDENTIALS_DIRECTORY: credentials };
  const how = source === 'profile' ? ['--key-stdin'] : ['--key-command', `cat '${file}'`];
  const { code, stderr } = await runByDay(['auth', 'login', ...how], {
    env,
    input: source === 'profile' ? key : '',
  });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Stored the key')]);
  return env;
}

describe('the key source', () => {
  test.each<Source>(['variable', 'file', 'credential', 'profile', 'command'])(
    '%s provides the key for requests, and is reported without the key',
    async (source) => {
      const sandbox = await useSandbox({ key: KEY, codes: 2 });
      const env = await prepare(source, sandbox);
      const runs = [];
      for (const words of [
        ['auth', 'status', '-v'],
        ['auth', 'list'],
        ['config', 'list', '-f', 'json'],
        ['doctor', '-f', 'json'],
      ])
        runs.push(await runByDay(words, { env }));
      expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
      const [status, list, settings, doctor] = runs.map(({ stdout }) => stdout);
      expect(JSON.parse(status ?? '')).toMatchObject({ source, key: 'svc_live_cana…' });
      expect(JSON.parse(settings ?? '').at(-1)).toMatchObject({ key: 'api-key', source });
      expect(list?.includes(`,${source}\n`)).toBe(source === 'profile' || source === 'command');
      expect(JSON.parse(doctor ?? '')).toContainEqual(
        expect.objectContaining({ check: 'key', status: 'ok' }),
      );
      for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(KEY);
    },
  );

  test.runIf(hasStrace).each(firstRows<Source>(1, ['command', 'file', 'credential', 'profile']))(
    '%s puts the key in no argument and no environment variable of any process',
    async (source) => {
      const sandbox = await useSandbox({ key: KEY, codes: 2 });
      const env = await prepare(source, sandbox);
      const log = join(await useDirectory(), 'strace');
      const trace = [STRACE, '-f', '-qq', '-v', '-s', '65536', '-e', 'trace=execve', '-o', log];
      const [command = '', ...words] = [...trace, process.execPath, BIN, 'qr', 'list', '--ids'];
      const child = await startCliUnder(command, words, bareEnv(await useDirectory(), env));
      expect(child.stdout.trim().split('\n')).toHaveLength(2);
      const calls = readFileSync(log, 'utf8');
      expect(calls).toContain('QRCTL_BASE_URL');
      expect(calls.includes('["cat", ')).toBe(source === 'command');
      expect(calls).not.toContain(KEY);
    },
  );

  test('outside the profiles leads to no suggestion to log in if its key is rejected or the base URL is missing', async () => {
    const sandbox = await useSandbox({ key: OTHER });
    for (const source of ['variable', 'file', 'credential'] as const) {
      const env = await prepare(source, sandbox);
      for (const more of [{}, { QRCTL_BASE_URL: undefined }]) {
        for (const words of [['qr', 'list'], ['doctor']]) {
          const { code, stdout, stderr } = await runByDay(words, { env: { ...env, ...more } });
          expect([2, 3]).toContain(code);
          expect(stdout + stderr, `${source} ${words}`).not.toContain('auth login');
        }
      }
    }
  });
});

/** A machine with the key from a command. */
async function useCommandKey() {
  const env = await prepare('command', await useSandbox({ key: KEY, codes: 2 }));
  return { env, run: (words: string[]) => runByDay(words, { env }) };
}

describe('a key-command', () => {
  test('is stored without the key, and removed by logout and by another login', async () => {
    const { env, run } = await useCommandKey();
    const file = join(env.QRCTL_CONFIG_DIR ?? '', 'config.json');
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await runByDay(['auth', 'login', '--key-stdin'], { env, input: KEY })).code).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain('keyCommand');
    expect((await run(['config', 'set', 'key-command', 'cat /nowhere'])).stderr).toContain(
      'Removed the stored key',
    );
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
    expect((await run(['qr', 'list'])).code).toBe(3);
    expect((await run(['auth', 'logout'])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain('keyCommand');
  });

  test('that provides no valid key is not stored and leads to exit code 3, except with --no-verify', async () => {
    const sandbox = await useSandbox({ key: KEY });
    const env = { QRCTL_CONFIG_DIR: join(await useDirectory(), 'config'), QRCTL_BASE_URL: sandbox.baseUrl };
    const run = (words: string[]) => runByDay(words, { env });
    for (const line of ['false', 'true', 'qrctl-no-such-program', "printf 'a b\\n'"]) {
      const { code, stderr } = await run(['auth', 'login', '--key-command', line]);
      expect([code, stderr]).toEqual([3, expect.stringContaining('the key-command')]);
      expect(stderr).toContain('specify a different command with --key-command');
      expect(stderr).not.toContain('qrctl config set');
    }
    expect((await run(['auth', 'login', '--key-command', 'cat key | head'])).code).toBe(2);
    expect((await run(['auth', 'login', '--key-command', 'false', '--key-stdin'])).code).toBe(2);
    expect((await run(['auth', 'status'])).code).toBe(3);
    expect((await run(['auth', 'login', '--key-command', 'false', '--no-verify'])).code).toBe(0);
  });

  test('runs once per command, but not for a completion or a command without requests', async () => {
    const { run } = await useCommandKey();
    const directory = await useDirectory();
    const count = join(directory, 'count');
    writeFileSync(join(directory, 'key'), KEY);
    const line = `sh -c 'echo x >> ${count}; cat ${join(directory, 'key')}'`;
    expect((await run(['config', 'set', 'key-command', line])).code).toBe(0);
    for (const words of [
      ['auth', 'list'],
      ['config', 'list'],
      ['__complete', 'qr', 'get', ''],
    ])
      expect((await run(words)).code).toBe(0);
    expect(() => readFileSync(count)).toThrow();
    expect((await run(['scans', 'export', '--all', '-o', join(directory, 'scans.csv')])).code).toBe(0);
    expect(readFileSync(count, 'utf8')).toBe('x\n');
  });

  test('is not run for a different base URL, and the command exits with 3', async () => {
    const { run } = await useCommandKey();
    const { code, stderr } = await run(['qr', 'list', '--base-url', 'http://127.0.0.1:9/api/v1']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('is not sent to')]);
  });

  test.each([
    ['file', 'config.json', 0o666],
    ['directory', '', 0o777],
  ])(
    'in a config whose %s was writable by other users is not run until the permissions are corrected',
    async (_, name, mode) => {
      const { env, run } = await useCommandKey();
      const path = join(env.QRCTL_CONFIG_DIR ?? '', name);
      chmodSync(path, mode);
      const refusal = expect.stringContaining('other users were able to change');
      for (const words of [
        ['qr', 'list'],
        ['config', 'get', 'key-command'],
        ['config', 'set', 'format', 'json'],
        ['qr', 'list'],
      ]) {
        const { code, stderr } = await run(words);
        if (words[1] === 'get') expect(code).toBe(0);
        else expect([words, code, stderr]).toEqual([words, words[0] === 'config' ? 2 : 3, refusal]);
      }
      const { stderr } = await run(['qr', 'list']);
      const [, command = ''] = /then run `(chmod go-w [^`]+)`/.exec(stderr) ?? [];
      expect(spawnSync('sh', ['-c', command]).status).toBe(0);
      expect((await run(['qr', 'list'])).code).toBe(0);
      expect(statSync(path).mode & 0o077).toBe(0);
    },
  );

  test.runIf(process.getuid?.() === 0)("in another user's config is not run by root", async () => {
    const { env, run } = await useCommandKey();
    chownSync(join(env.QRCTL_CONFIG_DIR ?? '', 'config.json'), 1000, 1000);
    const { code, stderr } = await run(['qr', 'list']);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/cannot run the key-command: .* belongs to user 1000/),
    ]);
  });

  test('that hangs ends together with qrctl on Ctrl-C', async () => {
    const { env, run } = await useCommandKey();
    const pid = join(await useDirectory(), 'pid');
    expect(
      (await run(['config', 'set', 'key-command', `sh -c 'echo $$ > ${pid}; sleep 60; true'`])).code,
    ).toBe(0);
    const running = await startCli(['qr', 'list'], { env });
    await until(() => contentOf(pid).endsWith('\n'));
    running.child.kill('SIGINT');
    expect((await running.done).code).toBe(130);
    await until(() => contentOf(`/proc/${contentOf(pid).trim()}/cmdline`) === '');
  });

  test('can prompt on the terminal', async () => {
    const { env, run } = await useCommandKey();
    const line = `sh -c 'printf "PIN: " >&2; read pin; test "$pin" = 1234 && printf %s%s svc_live_ ${KEY.slice('svc_live_'.length)}'`;
    expect((await run(['config', 'set', 'key-command', line])).code).toBe(0);
    const { code, stdout } = await runCli(['qr', 'list', '--ids'], { env, tty: true, input: '1234\n' });
    expect([code, stdout]).toEqual([0, expect.stringContaining('PIN:')]);
  });
});

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Runs another command than qrctl, to its end. */
async function startCliUnder(command: string, words: string[], env: Record<string, string | undefined>) {
  const { spawn } = await import('node:child_process');
  const child = spawn(command, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => child.on('close', resolve));
  return { stdout: Buffer.concat(chunks).toString() };
}
