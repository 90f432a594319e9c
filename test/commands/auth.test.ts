import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { argv } from '../support/argv.ts';
import { BIN, runCli, startCli } from '../support/cli.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { useSandbox } from '../support/sandbox.ts';
import { useMachine } from './login.ts';

const KEY = 'svc_live_canaryCANARYcanary';
const FAR = 'https://far.example/api/v1';

describe('auth login', () => {
  test('verifies a piped key with one request, and stores it in a file with permissions 0600 in a directory with permissions 0700', async () => {
    const sandbox = await useSandbox({ key: KEY });
    const machine = await useMachine();
    const args = ['auth', 'login', '--base-url', sandbox.baseUrl, '--key-stdin'];
    const { code, stdout, stderr } = await machine.run(args, { input: `  ${KEY}\r\n` });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('Stored the key svc_live_cana…');
    expect(stderr).toContain("The current profile is 'default'");
    expect(sandbox.requests).toHaveLength(1);
    expect(statSync(machine.file).mode & 0o7777).toBe(0o600);
    expect(statSync(machine.directory).mode & 0o7777).toBe(0o700);
    expect((await machine.run(['auth', 'status'])).code).toBe(0);
  });

  test.runIf(SOAK)(
    'keeps the old config and exits with 1 if the new config is larger than the limit set by `ulimit -f`',
    async () => {
      const machine = await useMachine();
      await machine.login('default', FAR, KEY);
      const before = readFileSync(machine.file, 'utf8');
      const env = { PATH: process.env.PATH, QRCTL_CONFIG_DIR: machine.directory };
      // Two blocks of 512 or 1024 bytes, by the shell.
      const script = 'ulimit -f 1; exec "$@"';
      const address = `https://${'x'.repeat(2000)}.example/{slug}`;
      const words = ['-c', script, 'sh', process.execPath, BIN, 'config', 'set', 'short-url', address];
      const { status, signal, stderr } = spawnSync('bash', words, { env, encoding: 'utf8' });
      expect({ status, signal }).toEqual({ status: 1, signal: null });
      expect(stderr).toMatch(/cannot write the config file .*config.json: .*EFBIG/);
      expect(readFileSync(machine.file, 'utf8')).toBe(before);
    },
  );

  test('exits with 3 and stores nothing if the service rejects the key', async () => {
    const sandbox = await useSandbox();
    const machine = await useMachine();
    const { code } = await machine.run(['auth', 'login', '--base-url', sandbox.baseUrl, '--key-stdin'], {
      input: KEY,
    });
    expect(code).toBe(3);
    expect(existsSync(machine.directory)).toBe(false);
  });

  test('adds the path /api/v1 to a base URL without a path, and prints a note', async () => {
    const machine = await useMachine();
    const { stderr } = await machine.login('default', 'https://far.example', KEY);
    expect(stderr).toContain(`using ${FAR}`);
    expect((await machine.run(['config', 'get', 'base-url'])).stdout).toBe(`${FAR}\n`);
  });

  test.each([
    ['no key', ''],
    ['a blank line', '\n'],
    ['a key with a space', `${KEY} x`],
    ['a key with a control character', `${KEY}\u0001`],
  ])('refuses %s on standard input and stores nothing', async (_, input) => {
    const machine = await useMachine();
    const { code, stderr } = await machine.login('default', FAR, input);
    expect(code).toBe(2);
    expect(stderr).not.toContain(KEY);
    expect(existsSync(machine.directory)).toBe(false);
  });

  test('notes that a key is unusual, and warns about variables that override the stored key or base URL', async () => {
    const machine = await useMachine();
    const login = async (key: string, env = {}) => {
      const args = ['auth', 'login', '--base-url', FAR, '--key-stdin', '--no-verify'];
      return (await machine.run(args, { input: `${key}\nsecond line`, env })).stderr;
    };
    const stored = `Stored the key svc_live_cana… for ${FAR}\nThe current profile is 'default'\n`;
    expect(await login(KEY)).toBe(stored);
    expect(await login('own-key')).toBe(
      `Unlike other keys of the service, the key does not begin with svc_live_\nStored the key own… for ${FAR}\nThe current profile is 'default'\n`,
    );
    expect(await login(KEY, { QRCTL_API_KEY: KEY, QRCTL_BASE_URL: `${FAR}/2` })).toBe(
      `${stored}warning: QRCTL_API_KEY is set and overrides the stored key\n` +
        'warning: QRCTL_BASE_URL is set and overrides the stored base URL\n',
    );
  });

  test('suggests only --base-url if it is missing and --key-stdin was passed', async () => {
    const machine = await useMachine();
    const { stderr } = await machine.run(['auth', 'login', '--key-stdin'], { input: KEY });
    expect(stderr).toContain('hint: Add --base-url https://HOST/api/v1.\n');
  });

  test('suggests --key-stdin if there is no terminal', async () => {
    const machine = await useMachine();
    const { code, stderr } = await machine.run(['auth', 'login', '--base-url', FAR]);
    expect(code).toBe(2);
    expect(stderr).toContain('--key-stdin');
  });

  test('prompts on a terminal for base URL, key and short-link address, does not echo the key, and repeats a prompt after an invalid reply', async () => {
    const sandbox = await useSandbox({ key: KEY });
    const machine = await useMachine();
    const login = await startCli(['auth', 'login'], {
      tty: true,
      env: { QRCTL_CONFIG_DIR: machine.directory },
    });
    await login.waitFor(/Base URL.*: /);
    login.child.stdin?.write('qr.example\r');
    await login.waitFor(/Did you mean\s+https:\/\/qr\.example\/api\/v1\?[\s\S]*Base URL.*: /);
    login.child.stdin?.write(`${sandbox.baseUrl}\r`);
    await login.waitFor(/API key for 127\.0\.0\.1:\d+: /);
    login.child.stdin?.write('svc_live_mistyped\r');
    await login.waitFor(/rejected the API key[\s\S]*API key for 127\.0\.0\.1:\d+: /);
    login.child.stdin?.write(`${KEY}\r`);
    await login.waitFor(/Address of your short links.*: /);
    login.child.stdin?.write('https://go.example\r');
    const { code, stdout } = await login.done;
    expect(code).toBe(0);
    expect(stdout).not.toContain(KEY);
    expect(stdout.replace(/\s+/g, ' ')).toContain('added /{slug}');
    const { apiKey, shortUrl } = JSON.parse(readFileSync(machine.file, 'utf8')).profiles.default;
    expect({ apiKey, shortUrl }).toEqual({ apiKey: KEY, shortUrl: 'https://go.example/{slug}' });
  });

  const replies: [string, string, string][] = [
    ['the end of input', '\u0004', 'no short-url was stored'],
    ['a placeholder', 'https://HOST/{slug}\r', 'HOST is a placeholder'],
    ['nothing', '\r', 'To set it later'],
    ['an invalid address', 'go.example\r', 'no short-url was stored'],
  ];
  test.each(firstRows(1, replies))(
    'stores the key even if the reply to the prompt for the short-link address is %s',
    async (_, typed, said) => {
      const machine = await useMachine();
      const env = { QRCTL_CONFIG_DIR: machine.directory };
      const login = await startCli(['auth', 'login', '--no-verify', '--base-url', FAR], { tty: true, env });
      await login.waitFor(/API key for far.example: /);
      login.child.stdin?.write(`${KEY}\r`);
      await login.waitFor(/Address of your short links.*: /);
      login.child.stdin?.write(typed);
      const { code, stdout } = await login.done;
      expect(code).toBe(0);
      expect(stdout.replace(/\s+/g, ' ')).toContain(said);
      const { apiKey, shortUrl } = JSON.parse(readFileSync(machine.file, 'utf8')).profiles.default;
      expect({ apiKey, shortUrl }).toEqual({ apiKey: KEY, shortUrl: undefined });
    },
  );

  test('keeps the other settings in the profile, the other profiles, and the choice of the current profile', async () => {
    const machine = await useMachine();
    await machine.login('one', FAR, KEY);
    await machine.run(['config', 'set', 'format', 'json']);
    const second = await machine.login('two', FAR, KEY);
    expect(second.stderr).toContain(
      "The current profile is still 'one'. To use 'two', add --profile two, or run `qrctl auth use two`\n",
    );
    await machine.login('one', FAR, `${KEY}2`);
    const { profiles, current } = JSON.parse(readFileSync(machine.file, 'utf8'));
    expect(current).toBe('one');
    expect(profiles.one).toEqual({ baseUrl: FAR, apiKey: `${KEY}2`, keyBaseUrl: FAR, format: 'json' });
    expect(profiles.two.apiKey).toBe(KEY);
  });

  test.runIf(SOAK)('keeps every profile if several logins run at the same time', async () => {
    const machine = await useMachine();
    const names = [...firstRows(2, ['a', 'b', 'c'])];
    const env = { QRCTL_CONFIG_DIR: machine.directory };
    const login = (name: string) => argv`
      auth login --profile ${name} --base-url ${FAR} --key-stdin --no-verify
    `;
    const results = await Promise.all(
      names.map((name) => runCli(login(name), { env, input: `${KEY}${name}` })),
    );
    expect(results.map(({ code }) => code)).toEqual(names.map(() => 0));
    const { profiles } = JSON.parse(readFileSync(machine.file, 'utf8'));
    expect(Object.keys(profiles).sort()).toEqual(names);
  });
});

describe('auth status', () => {
  test('shows the profile, the plan and the remaining requests, and sends one request', async () => {
    const sandbox = await useSandbox({ key: KEY, codes: 3, plan: 'pro' });
    const machine = await useMachine();
    await machine.login('work', sandbox.baseUrl, KEY);
    const { code, stdout } = await machine.run(['auth', 'status']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      profile: 'work',
      base_url: sandbox.baseUrl,
      key: 'svc_live_cana…',
      plan: 'pro',
      limit: 300,
      remaining: 299,
      reset: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      codes: 3,
      source: 'profile',
    });
    expect(sandbox.requests).toHaveLength(1);
  });

  test('exits with 3 if the service rejects the key, or if the key belongs to a different base URL and is not sent', async () => {
    const sandbox = await useSandbox();
    const machine = await useMachine();
    await machine.login('work', sandbox.baseUrl, KEY);
    expect((await machine.run(['auth', 'status'])).code).toBe(3);
    const other = await useSandbox({ key: KEY });
    expect((await machine.run(['auth', 'status', '--base-url', other.baseUrl])).code).toBe(3);
    expect((await machine.run(['auth', 'status'], { env: { QRCTL_BASE_URL: other.baseUrl } })).code).toBe(3);
    await machine.run(['config', 'set', 'base-url', other.baseUrl]);
    expect((await machine.run(['auth', 'status'])).code).toBe(3);
    expect(other.requests).toEqual([]);
    expect((await machine.run(['auth', 'status'], { env: { QRCTL_API_KEY: KEY } })).code).toBe(0);
  });

  test('exits with 2 for an invalid flag even if the key is missing', async () => {
    const machine = await useMachine();
    expect((await machine.run(['auth', 'status', '--fields', 'nope'])).code).toBe(2);
  });
});

describe('the commands auth list, use, logout and status', () => {
  test('list, select and remove profiles', async () => {
    const machine = await useMachine();
    await machine.login('home', FAR, KEY);
    await machine.login('work', FAR, KEY);
    expect((await machine.run(['auth', 'list'])).stdout).toBe(
      `profile,current,base_url,key,source\nhome,true,${FAR},svc_live_cana…,profile\nwork,false,${FAR},svc_live_cana…,profile\n`,
    );
    expect((await machine.run(['auth', 'use', 'work'])).stderr).toContain("The current profile is 'work'");
    expect((await machine.login('home', FAR, KEY)).stderr).toContain("The current profile is still 'work'");
    await machine.run(['auth', 'use', 'home']);
    const forgotten = await machine.run(['auth', 'logout']);
    expect(forgotten.stderr).toMatch(/Removed: home\nNo profile is current/);
    expect(Object.keys(JSON.parse(readFileSync(machine.file, 'utf8')).profiles)).toEqual(['work']);
    expect((await machine.login('third', FAR, KEY)).stderr).toContain("The current profile is 'third'");
    await machine.run(['auth', 'logout']);
    expect((await machine.run(['auth', 'logout', '--all', '--profile', 'work'])).code).toBe(2);
    expect((await machine.run(['auth', 'logout', '--all'])).stderr).toMatch(
      /Removed: work\nNo profile is left/,
    );
    expect(readFileSync(machine.file, 'utf8')).not.toContain(KEY);
    expect((await machine.run(['auth', 'logout'])).code).toBe(0);
  });

  test.each([
    ['use', ['auth', 'use', 'wrok']],
    ['logout', ['auth', 'logout', '--profile', 'wrok']],
    ['status', ['auth', 'status', '--profile', 'wrok']],
  ])(
    'exit with 2 and suggest the stored profile with the most similar name if an unknown profile is passed to `auth %s`',
    async (_, args) => {
      const machine = await useMachine();
      await machine.login('work', FAR, KEY);
      const { code, stderr } = await machine.run(args);
      expect(code).toBe(2);
      expect(stderr).toContain("Did you mean 'work'?");
    },
  );

  test('print which profiles were removed and which one is current, and refuse --all with --profile', async () => {
    const machine = await useMachine();
    const logout = async (...args: string[]) => (await machine.run(['auth', 'logout', ...args])).stderr;
    expect(await logout('--all', '--profile', 'a')).toBe(
      "qrctl: --all can't be used with --profile\n  hint: Omit one of them.\n",
    );
    expect(await logout('--all')).toBe('There is no profile to remove\n');
    for (const name of ['a', 'b', 'c']) await machine.login(name, FAR, KEY);
    expect(await logout('--profile', 'b')).toBe("Removed: b\nThe current profile is 'a'\n");
    expect(await logout()).toBe('Removed: a\nNo profile is current. Choose one with `qrctl auth use NAME`\n');
    expect(await logout('--all')).toBe('Removed: c\nNo profile is left\n');
  });

  test('exit with 2 and suggest `auth list`, not creating a profile, if `auth logout` gets a profile with no similar stored name', async () => {
    const machine = await useMachine();
    await machine.login('work', FAR, KEY);
    expect(await machine.run(['auth', 'logout', '--profile', 'other'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('hint: Run `qrctl auth list` to see all profiles.'),
    });
  });
});
