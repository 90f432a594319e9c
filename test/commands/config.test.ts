import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { useMachine } from './login.ts';

const BASE = 'https://qr.example/api/v1';

describe('config set, get and unset', () => {
  const SETTINGS = [
    ['base-url', 'https://QR.example', BASE],
    ['format', 'ndjson', 'ndjson'],
    ['timezone', 'Europe/Madrid', 'Europe/Madrid'],
    ['reserve', '10%', '10%'],
    ['concurrency', '8', '8'],
    ['max-wait', '90s', '90s'],
    ['delimiter', ';', ';'],
    ['short-url', 'https://go.example/x', 'https://go.example/x/{slug}'],
    ['accessible', 'yes', 'yes'],
    ['key-command', 'pass show qrctl', 'pass show qrctl'],
  ] as const;

  test('set, print and remove each setting, and a removed setting has its default again', async () => {
    const machine = await useMachine();
    const settings = async () =>
      JSON.parse((await machine.run(['config', 'list', '--format', 'json'])).stdout).slice(0, -1);
    const keys = (await settings()).map(({ key }: { key: string }) => key);
    expect(keys).toEqual(SETTINGS.map(([key]) => key));
    for (const [key, value] of SETTINGS) {
      expect(await machine.run(['config', 'set', key, value])).toMatchObject({ code: 0, stdout: '' });
      expect(statSync(machine.file).mode & 0o7777).toBe(0o600);
    }
    for (const [key, , kept] of SETTINGS) {
      expect(await machine.run(['config', 'get', key])).toMatchObject({ code: 0, stdout: `${kept}\n` });
    }
    expect(await settings()).toEqual(SETTINGS.map(([key, , value]) => ({ key, value, source: 'profile' })));
    const byId = 'https://go.example/{id}';
    expect(await machine.run(['config', 'set', 'short-url', byId])).toMatchObject({ code: 0, stdout: '' });
    expect(await machine.run(['config', 'get', 'short-url'])).toMatchObject({ code: 0, stdout: `${byId}\n` });
    for (const [key] of SETTINGS) {
      expect(await machine.run(['config', 'unset', key])).toMatchObject({ code: 0, stdout: '' });
    }
    for (const { source } of await settings()) expect(source).toBe('default');
  });

  test.each([
    ['base-url', 'http://qr.example'],
    ['format', 'xml'],
    ['short-url', 'https://HOST/{slug}'],
    ['short-url', 'https://{slug}/x'],
    ['apiKey', 'x'],
    ['__proto__', 'x'],
  ])('refuse to set %s to %s with exit code 2, and store nothing', async (key, value) => {
    const machine = await useMachine();
    expect((await machine.run(['config', 'set', key, value])).code).toBe(2);
    expect(existsSync(machine.directory)).toBe(false);
  });

  test('add /{slug} to a short URL that has no placeholder, and print a note', async () => {
    const machine = await useMachine();
    const { stderr } = await machine.run(['config', 'set', 'short-url', 'https://go.example']);
    expect(stderr).toContain('the address had no placeholder for the code; added /{slug}');
    expect(stderr).toContain("Set short-url to https://go.example/{slug} in the profile 'default'");
    expect(
      (await machine.run(['config', 'set', 'short-url', 'https://go.example/{slug}'])).stderr,
    ).not.toContain('added');
  });

  test('print nothing for a setting without a value, exit with 0, and create no directory', async () => {
    const machine = await useMachine();
    expect(await machine.run(['config', 'get', 'short-url'])).toMatchObject({ code: 0, stdout: '' });
    expect((await machine.run(['config', 'unset', 'short-url'])).code).toBe(0);
    expect(existsSync(machine.directory)).toBe(false);
  });

  test('use the current profile, or the profile that is specified, and refuse a profile that is not stored', async () => {
    const machine = await useMachine();
    await machine.login('work', BASE, 'svc_live_canary000');
    await machine.login('home', BASE, 'svc_live_canary000');
    await machine.run(['config', 'set', 'format', 'json', '--profile', 'home']);
    expect((await machine.run(['config', 'get', 'format'])).stdout).toBe('');
    expect((await machine.run(['config', 'get', 'format'], { env: { QRCTL_PROFILE: 'home' } })).stdout).toBe(
      'json\n',
    );
    expect((await machine.run(['config', 'set', 'format', 'json', '--profile', 'wrok'])).code).toBe(2);
  });

  test('warn if the key in the profile was stored for a different base URL', async () => {
    const machine = await useMachine();
    await machine.login('default', BASE, 'svc_live_canary000');
    const { code, stderr } = await machine.run(['config', 'set', 'base-url', 'https://other.example/api/v1']);
    expect(code).toBe(0);
    expect(stderr).toContain(`the key was stored for ${BASE}`);
  });

  test('print exactly what changed, and keep the other settings in the profile', async () => {
    const machine = await useMachine();
    await machine.login('default', BASE, 'svc_live_canary000');
    const config = async (...args: string[]) => (await machine.run(['config', ...args])).stderr;
    const command = "Set key-command to pass show qrctl in the profile 'default'\n";
    expect(await config('set', 'base-url', BASE)).toBe(`Set base-url to ${BASE} in the profile 'default'\n`);
    expect(await config('set', 'format', 'json')).toBe("Set format to json in the profile 'default'\n");
    expect(await config('set', 'key-command', 'pass show qrctl')).toBe(
      `${command}Removed the stored key from the profile 'default'\n`,
    );
    expect(await config('set', 'key-command', 'pass show qrctl')).toBe(command);
    expect(await config('set', 'base-url', 'https://other.example/api/v1')).toBe(
      "Set base-url to https://other.example/api/v1 in the profile 'default'\n" +
        `warning: the key was stored for ${BASE} and is not sent to https://other.example/api/v1; store another with \`qrctl auth login\`\n`,
    );
    expect(await config('unset', 'base-url')).toBe("Removed base-url from the profile 'default'\n");
    expect(await config('unset', 'base-url')).toBe("base-url was not set in the profile 'default'\n");
    const stored = { format: 'json', keyCommand: 'pass show qrctl', keyBaseUrl: BASE };
    expect(JSON.parse(readFileSync(machine.file, 'utf8')).profiles.default).toEqual(stored);
    expect(await config('set', 'key-command', 'pass x')).toBe(
      "qrctl: cannot store the key-command: the profile 'default' has no base URL\n" +
        "  hint: Run `qrctl auth login --base-url https://HOST/api/v1 --key-command 'pass x'`.\n",
    );
    const sources = async () => {
      const { stdout } = await machine.run(['auth', 'list', '-f', 'csv', '--fields', 'profile,key,source']);
      return stdout;
    };
    expect(await sources()).toBe('profile,key,source\ndefault,,command\n');
    await config('unset', 'key-command');
    expect(await sources()).toBe('profile,key,source\ndefault,,\n');
  });

  test('include the command that `config list` suggests for an invalid value, and that command removes the value', async () => {
    const machine = await useMachine();
    await machine.run(['config', 'set', 'format', 'json']);
    const { writeFileSync } = await import('node:fs');
    writeFileSync(machine.file, readFileSync(machine.file, 'utf8').replace('"json"', '"xml"'));
    const { code, stderr } = await machine.run(['config', 'list']);
    expect(code).toBe(2);
    expect(stderr).toContain('qrctl config unset format');
    expect((await machine.run(['config', 'unset', 'format'])).code).toBe(0);
    expect((await machine.run(['config', 'list'])).code).toBe(0);
  });
});

describe('config list', () => {
  test('ends with a count on a terminal, as auth list does', async () => {
    const machine = await useMachine();
    expect((await machine.run(['config', 'list'], { tty: 60 })).stdout).toMatch(/\n\d+ settings\r\n$/);
    await machine.run(['config', 'set', 'base-url', BASE]);
    expect((await machine.run(['auth', 'list'], { tty: 60 })).stdout).toMatch(/\n1 profile\r\n$/);
  });

  test('shows the source of each value: a flag, a variable, the profile or the default', async () => {
    const machine = await useMachine();
    await machine.run(['config', 'set', 'base-url', BASE]);
    await machine.run(['config', 'set', 'reserve', '5']);
    await machine.run(['config', 'set', 'timezone', 'UTC']);
    const env = { QRCTL_BASE_URL: 'https://other.example/api/v1' };
    const { stdout } = await machine.run(['config', 'list', '--reserve', '20%', '--format', 'json'], { env });
    expect(JSON.parse(stdout)).toEqual([
      { key: 'base-url', value: 'https://other.example/api/v1', source: 'variable' },
      { key: 'format', value: null, source: 'default' },
      { key: 'timezone', value: 'UTC', source: 'profile' },
      { key: 'reserve', value: '20%', source: 'flag' },
      { key: 'concurrency', value: '4', source: 'default' },
      { key: 'max-wait', value: null, source: 'default' },
      { key: 'delimiter', value: null, source: 'default' },
      { key: 'short-url', value: null, source: 'default' },
      { key: 'accessible', value: 'no', source: 'default' },
      { key: 'key-command', value: null, source: 'default' },
      { key: 'api-key', value: null, source: 'default' },
    ]);
  });
});

test('config path prints the path of the config file, and creates no directory', async () => {
  const machine = await useMachine();
  expect(await machine.run(['config', 'path'])).toMatchObject({
    code: 0,
    stdout: `${machine.file}\n`,
    stderr: '',
  });
  expect(existsSync(machine.directory)).toBe(false);
});
