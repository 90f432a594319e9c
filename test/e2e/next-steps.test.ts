import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { argv } from '../support/argv.ts';
import { type CliOptions, useDirectory } from '../support/cli.ts';
import { applyThenDrop } from '../support/faults.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const WRONG = 'svc_live_wrongwrongwrong';
const NOTHING_LISTENS = 'http://jane:hunter2@127.0.0.1:1';

/** A machine with the profile `kundeb`, which works, and `bad`, whose key the service refuses. */
async function useProfiles() {
  const cwd = await useDirectory();
  const sandbox = await useSandbox({ codes: 3, scans: 10 });
  const env = { QRCTL_CONFIG_DIR: join(cwd, 'config'), XDG_CACHE_HOME: join(cwd, 'cache') };
  const qr = (args: string[], options: CliOptions = {}) =>
    runByDay(args, { cwd, ...options, env: { ...env, ...options.env } });
  const login = (profile: string, input: string) =>
    qr(['auth', 'login', '--profile', profile, '--base-url', sandbox.baseUrl, '--key-stdin', '--no-verify'], {
      input,
    });
  await login('kundeb', sandbox.apiKey);
  await login('bad', WRONG);
  return { cwd, sandbox, qr };
}

const slugOf = ({ workspace }: TestSandbox) => workspace.codes()[0]?.slug ?? '';

describe('a rejected key', () => {
  test('leads to a hint that fits its source: a variable, a profile or a login', async () => {
    const { qr, sandbox } = await useProfiles();
    const variable = { QRCTL_API_KEY: WRONG, QRCTL_BASE_URL: sandbox.baseUrl };
    const ofVariable = await qr(['qr', 'list'], { env: variable });
    expect([ofVariable.code, ofVariable.stderr]).toEqual([
      3,
      expect.stringContaining('QRCTL_API_KEY is set and was rejected.'),
    ]);
    const ofProfile = await qr(['qr', 'list', '-f', 'json', '--profile', 'bad']);
    expect([ofProfile.code, JSON.parse(ofProfile.stderr).error.hint]).toEqual([
      3,
      'Run `qrctl auth login --profile bad` to store a valid key.',
    ]);
    const ofLogin = await qr(['auth', 'login', '--base-url', sandbox.baseUrl, '--key-stdin'], {
      input: WRONG,
    });
    expect([ofLogin.code, ofLogin.stderr]).toEqual([3, expect.stringContaining('Copy the whole key again')]);
    for (const { stderr } of [ofVariable, ofLogin]) expect(stderr).not.toContain('qrctl auth login');
    const doctor = await qr(['doctor', '--format', 'json'], { env: variable });
    expect(doctor.stdout).toContain('QRCTL_API_KEY is set and was rejected');
  });
});

describe('a proxy that is down', () => {
  test.each([
    ['HTTP_PROXY', 'http://127.0.0.1:2/api/v1'],
    ['HTTPS_PROXY', 'https://qr.example/api/v1'],
  ])('is reported without its password: %s', async (variable, baseUrl) => {
    const env = { QRCTL_BASE_URL: baseUrl, QRCTL_API_KEY: WRONG, [variable]: NOTHING_LISTENS };
    for (const args of [['qr', 'list', '--retry-for', '0'], ['doctor']]) {
      const { code, stdout, stderr } = await runByDay(args, { env });
      expect(code).toBe(7);
      expect(stderr).toContain('cannot connect through the proxy 127.0.0.1:1: connection refused');
      expect(stderr).toContain(`Check ${variable}, or add the host to NO_PROXY`);
      expect(stdout + stderr).not.toMatch(/hunter2|qrctl doctor/);
    }
  });
});

describe('a suggested command has --profile and --base-url from the run', () => {
  test('in the error for a code that does not exist, as text and as JSON', async () => {
    const { qr, sandbox } = await useProfiles();
    const text = await qr(['qr', 'get', 'no such', '--profile', 'kundeb']);
    expect([text.code, text.stderr]).toEqual([
      4,
      expect.stringContaining('qrctl qr list --profile kundeb --name TEXT'),
    ]);
    const json = await qr(argv`qr get nosuch -f json --profile=kundeb --base-url ${sandbox.baseUrl}`);
    expect(JSON.parse(json.stderr).error.hint).toBe(
      `Run \`qrctl qr list --profile kundeb --base-url ${sandbox.baseUrl}\` to see all slugs.`,
    );
    expect((await qr(['qr', 'get', 'nosuch'], { env: sandbox.env })).stderr).toContain(
      'Run `qrctl qr list` to see',
    );
  });

  test('in the error for an invalid command line, each flag only once', async () => {
    const { qr } = await useProfiles();
    expect((await qr(['--profile', 'kundeb', 'qr', 'lst'])).stderr).toContain(
      'Did you mean `qrctl qr list --profile kundeb`?',
    );
    expect((await qr(['qr', 'lst', '--profile', 'kundeb'])).stderr).toContain(
      'Did you mean `qrctl qr list --profile kundeb`?',
    );
  });

  test('in the error for an export in which a code failed, in the output of doctor, and in the summary of a run', async () => {
    const { qr, cwd, sandbox } = await useProfiles();
    const missing = '00000000-0000-4000-8000-000000000000';
    const exported = await qr(argv`scans export ${sandbox.codeId()} ${missing} -o x.csv --profile kundeb`);
    expect([exported.code, exported.stderr]).toEqual([
      8,
      expect.stringContaining(`qrctl scans export --profile kundeb ${missing}`),
    ]);
    const doctor = await qr(argv`doctor --format json --profile kundeb --base-url https://qr.example/api/v1`);
    expect(JSON.parse(doctor.stdout).find(({ check }: { check: string }) => check === 'key').fix).toBe(
      'Run `qrctl auth login --profile kundeb --base-url https://qr.example/api/v1`.',
    );
    await qr(['qr', 'get', 'nosuch', '--profile', 'kundeb', '--summary', join(cwd, 'run.json')]);
    const { default: run } = await import(join(cwd, 'run.json'), { with: { type: 'json' } });
    expect(run.error.hint).toContain('qrctl qr list --profile kundeb');
  });

  test('in the error for `qr create` without a response', async () => {
    const { qr, sandbox } = await useProfiles();
    const lost = await useSandbox({ codes: 0, intercept: applyThenDrop });
    const env = { QRCTL_API_KEY: lost.apiKey };
    const args = argv`qr create --name Menu --type wifi --profile kundeb --base-url ${lost.baseUrl}`;
    const { stderr } = await qr(args, { env });
    expect(sandbox.requests).toEqual([]);
    expect(stderr).toContain(`qrctl qr list --profile kundeb --base-url ${lost.baseUrl} --name Menu`);
  });
});

describe('the prompt before a deletion', () => {
  test('shows profile, host and backup directory, and suggests pausing the code in the same workspace', async () => {
    const { qr, sandbox } = await useProfiles();
    const slug = slugOf(sandbox);
    const { host } = new URL(sandbox.baseUrl);
    const args = ['qr', 'delete', slug, '--profile', 'kundeb', '--backup', 'saved'];
    const no = await qr(args, { tty: 400, input: 'n\n' });
    expect(no.stdout).toContain(`\`qrctl qr update --profile kundeb ${slug} --status paused\``);
    expect(no.stdout).toContain(
      'Before deleting a code, qrctl pauses it if it is active, and saves it with its scans in saved',
    );
    expect(no.stdout).toContain(`and its 10 scans in profile kundeb (${host})? This can't be undone. [y/N] `);
    expect(sandbox.workspace.codes()).toHaveLength(3);
  });

  test('wraps between words, and the reply is read after its last line', async () => {
    const { qr, sandbox } = await useProfiles();
    const slug = slugOf(sandbox);
    const { stdout, code } = await qr(['qr', 'delete', slug, '--profile', 'kundeb'], {
      tty: 50,
      input: 'y\n',
    });
    const shown = stdout.slice(stdout.indexOf('Delete "'), stdout.indexOf('[y/N]'));
    const lines = shown.replace(/\u001b\[[\d;]*[A-Z]/g, '').split('\r\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.every((line) => line.length <= 50)).toBe(true);
    expect(lines.map((line) => line.trim()).join(' ')).toMatch(
      /^Delete ".*" \(slug [\w-]+\) and its 10 scans in profile kundeb \(.*\)\? This can't be undone\. ?$/,
    );
    expect([code, sandbox.workspace.codes().length]).toEqual([0, 2]);
  });
});
