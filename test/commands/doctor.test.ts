import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { useSandbox } from '../support/sandbox.ts';
import { type Machine, useMachine } from './login.ts';

const KEY = 'svc_live_canaryCANARYcanary';

interface Finding {
  check: string;
  status: string;
  message: string;
  fix: string | null;
}

async function diagnose(machine: Machine, args: string[] = [], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await machine.run(['doctor', '--format', 'json', ...args], { env });
  expect(stdout + stderr).not.toContain(KEY);
  const findings: Finding[] = JSON.parse(stdout);
  const statuses = Object.fromEntries(findings.map(({ check, status }) => [check, status]));
  return { code, stderr, findings, statuses };
}

const SOUND = {
  config: 'ok',
  profile: 'ok',
  settings: 'ok',
  'base-url': 'ok',
  key: 'ok',
  state: 'ok',
  proxy: 'ok',
};

describe('doctor', () => {
  test('reports no problem if the key is stored and the service responds, and sends two requests', async () => {
    const sandbox = await useSandbox({ key: KEY });
    const machine = await useMachine();
    await machine.login('default', sandbox.baseUrl, KEY);
    const { code, statuses, findings } = await diagnose(machine);
    expect(code).toBe(0);
    expect(statuses).toEqual({ ...SOUND, service: 'ok', clock: 'ok', openapi: 'ok' });
    expect(findings.every(({ fix }) => fix === null)).toBe(true);
    expect(sandbox.requests).toHaveLength(2);
    const messages = Object.fromEntries(findings.map(({ check, message }) => [check, message]));
    expect(messages).toMatchObject({
      config: `${machine.file}: 1 stored profile, not readable by other users`,
      profile: "'default'",
      'base-url': sandbox.baseUrl,
      proxy: 'none; requests go directly to the service',
    });
    const onTerminal = await machine.run(['doctor'], { tty: true });
    expect(onTerminal).toMatchObject({ code: 0, stdout: expect.not.stringContaining('failed') });
  });

  test('warns about a state directory that cannot be used', async () => {
    const machine = await useMachine();
    const { findings } = await diagnose(machine, [], { QRCTL_STATE_DIR: '/dev/null/state' });
    expect(findings.find(({ check }) => check === 'state')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining("can't remember their requests"),
      fix: expect.stringContaining('QRCTL_STATE_DIR'),
    });
  });

  test('exits with 2 and reports a missing base URL and a missing key', async () => {
    const { code, statuses, findings } = await diagnose(await useMachine());
    expect(code).toBe(2);
    expect(statuses).toEqual({
      config: 'ok',
      profile: 'ok',
      settings: 'ok',
      'base-url': 'fail',
      key: 'fail',
      state: 'ok',
    });
    expect(
      findings
        .filter(({ status }) => status === 'fail')
        .every(({ fix }) => fix?.includes('qrctl auth login')),
    ).toBe(true);
  });

  test('reports a failure once on a terminal, and on standard error if standard output is not a terminal', async () => {
    const sandbox = await useSandbox();
    const machine = await useMachine();
    const env = { ...sandbox.env, QRCTL_API_KEY: KEY, NO_COLOR: '1' };
    const { code, stdout } = await machine.run(['doctor'], { env, tty: 60 });
    expect(code).toBe(3);
    const said = stdout.replace(/\s+/g, ' ');
    expect(said.split('the service rejected the API key')).toHaveLength(2);
    expect(said).toContain('qrctl: failed checks: key');
    // A path longer than the line is never broken.
    for (const line of stdout.replaceAll(/\S{40,}/g, 'PATH').split('\n'))
      expect(line.trimEnd()).toMatch(/^.{0,60}$/);
    expect((await machine.run(['doctor'], { env })).stderr).toContain('the service rejected the API key');
  });

  test('reaches the service without a key, reports that the key is missing, and exits with 3', async () => {
    const sandbox = await useSandbox();
    const { code, statuses } = await diagnose(await useMachine(), [], { QRCTL_BASE_URL: sandbox.baseUrl });
    expect(code).toBe(3);
    expect(statuses).toMatchObject({ key: 'fail', service: 'ok', openapi: 'ok' });
  });

  test('reports once that the service rejects the key, and exits with 3', async () => {
    const sandbox = await useSandbox();
    const { code, statuses, findings } = await diagnose(await useMachine(), [], {
      ...sandbox.env,
      QRCTL_API_KEY: KEY,
    });
    expect(code).toBe(3);
    expect(statuses).toEqual({ ...SOUND, key: 'fail', service: 'ok', clock: 'ok', openapi: 'ok' });
    expect(findings.filter(({ check }) => check === 'key')).toHaveLength(1);
  });

  test('reports a key that belongs to a different base URL, and does not send it', async () => {
    const sandbox = await useSandbox({ key: KEY });
    const machine = await useMachine();
    await machine.login('default', 'https://far.example/api/v1', KEY);
    const { code, statuses, findings } = await diagnose(machine, ['--base-url', sandbox.baseUrl]);
    expect(code).toBe(3);
    expect(findings.find(({ check }) => check === 'key')?.message).toContain(
      'was stored for https://far.example/api/v1 and is not sent to',
    );
    expect(statuses).toMatchObject({ key: 'fail', service: 'ok' });
    expect(sandbox.requests.map(({ url }) => url)).toEqual(['/openapi.json']);
  });

  test('warns if the local clock is one hour ahead of the service, and exits with 0', async () => {
    const sandbox = await useSandbox({ clockSkewMs: -3_600_000 });
    const { code, statuses, findings } = await diagnose(await useMachine(), [], sandbox.env);
    expect(code).toBe(0);
    expect(statuses.clock).toBe('warn');
    expect(findings.find(({ check }) => check === 'clock')?.message).toMatch(
      /(1 h|59 min 5\d s|1 h 0 min) ahead of the service/,
    );
  });

  test('reports a corrupt config, continues with the environment variables, and exits with 2', async () => {
    const sandbox = await useSandbox();
    const machine = await useMachine();
    await machine.login('default', sandbox.baseUrl, KEY);
    writeFileSync(machine.file, '{');
    const { code, statuses, findings } = await diagnose(machine, [], sandbox.env);
    expect(code).toBe(2);
    expect(statuses).toMatchObject({ config: 'fail', service: 'ok' });
    expect(findings[0]?.message).toContain(machine.file);
  });

  test('restricts permissions that are too open, and reports the change as a warning', async () => {
    const sandbox = await useSandbox({ key: KEY });
    const machine = await useMachine();
    await machine.login('default', sandbox.baseUrl, KEY);
    chmodSync(machine.file, 0o644);
    const { code, findings } = await diagnose(machine);
    expect(code).toBe(0);
    expect(findings[0]).toMatchObject({
      check: 'config',
      status: 'warn',
      message: expect.stringContaining('changed to 0600'),
    });
  });

  test.each([
    ['a profile that is not stored', ['--profile', 'nope'], {}, 'profile'],
    ['an invalid base URL', ['--base-url', 'ftp://x'], {}, 'base-url'],
    ['a key that cannot be sent in a header', [], { QRCTL_API_KEY: 'a b' }, 'key'],
    [
      'a proxy URL with a backslash',
      ['--base-url', 'https://far.example/api/v1'],
      { HTTPS_PROXY: 'http://A\\b:c@p' },
      'proxy',
    ],
    [
      'an unsupported proxy',
      ['--base-url', 'https://far.example/api/v1'],
      { HTTPS_PROXY: 'socks5://p' },
      'proxy',
    ],
  ])('reports %s, and exits with 2', async (_, args, env, check) => {
    const { code, statuses } = await diagnose(await useMachine(), args, env);
    expect(statuses[check]).toBe('fail');
    // No request is sent through an invalid proxy.
    if (check === 'proxy') expect(statuses).not.toHaveProperty('service');
    expect(code).toBe(2);
  });
});

test('doctor writes a table to a file, and with --format csv prints data and the first failure on a terminal', async () => {
  const machine = await useMachine();
  const file = join(await useDirectory(), 'findings.txt');
  const { code, stdout } = await machine.run(['doctor', '-f', 'table', '-o', file]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(readFileSync(file, 'utf8')).toMatch(/^check +status +message +fix\n[─ ]+\nconfig +ok /);
  const data = await machine.run(['doctor', '-f', 'csv', '--fields', 'check,status'], { tty: true });
  expect(data.stdout).toContain('base-url,fail');
  expect(stripVTControlCharacters(data.stdout)).toContain('qrctl: no base URL is configured');
});

test('doctor prints messages and fixes untruncated on a terminal', async () => {
  const machine = await useMachine();
  const { code, stdout } = await machine.run(['doctor', '--no-color'], { tty: true });
  expect(code).toBe(2);
  expect(stdout).toContain(`ok    config    ${machine.file}: no profile is stored yet\r\n`);
  expect(stdout).toContain(
    'fail  base-url  no base URL is configured\r\n' +
      '                → Run `qrctl auth login --base-url https://HOST/api/v1`, or try `qrctl demo`.\r\n',
  );
});
