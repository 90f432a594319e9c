/** The key stays where it belongs, and what is hostile (services, certificates, files, variables) gets nowhere. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UsageError } from '#base/errors';
import { systemClock } from '#base/time/time';
import { failure, type Intercept, json } from '#sandbox/exchange';
import { readStore } from '#settings/store';
import { updateStore } from '#settings/write-store';
import { argv } from '../support/argv.ts';
import { type CliOptions, runCli, startCli, until, useDirectory } from '../support/cli.ts';
import { gzipBomb, hang, redirects } from '../support/faults.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { type HereResult, runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../support/tls.ts';

const KEY = 'svc_live_canaryCANARY0123456789';
/** With anything that is no letter between its own, as a page might break it. */
const KEY_IN_PIECES = new RegExp([...KEY].join('[^A-Za-z0-9_]*'));

/** Twelve characters of its secret part in a row, in small letters. */
const SECRET = KEY.slice('svc_live_'.length).toLowerCase();
const PIECES = Array.from({ length: SECRET.length - 11 }, (_, at) => SECRET.slice(at, at + 12));

function showsPiece(text: string): boolean {
  const plain = text
    .replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .toLowerCase();
  return PIECES.some((piece) => plain.includes(piece));
}

/** Every file below a directory, but the config, which is where the key belongs. */
async function textsIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'config.json');
  const texts = files.map(
    async (entry) => `${entry.name}\n${await readFile(join(entry.parentPath, entry.name), 'latin1')}`,
  );
  return Promise.all(texts);
}

async function expectNoKey(results: readonly HereResult[], directory: string): Promise<void> {
  const written = [
    ...results.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ...(await textsIn(directory)),
  ];
  expect(written.filter((text) => KEY_IN_PIECES.test(text) || showsPiece(text))).toEqual([]);
}

describe('the key is never written', () => {
  test('to output, or to files other than the config, by ordinary commands with --verbose', async () => {
    const directory = await useDirectory();
    const sandbox = await useSandbox({ key: KEY, codes: 3, scans: 20, limit: 100_000 });
    const env = { QRCTL_CONFIG_DIR: join(directory, 'config'), XDG_CACHE_HOME: join(directory, 'cache') };
    const options: CliOptions = { cwd: directory, env };
    await writeFile(join(directory, 'codes.csv'), 'name,type\na,sms\nb,sms\n');
    const login = ['auth', 'login', '--base-url', sandbox.baseUrl, '--key-stdin', '-v'];
    const results = [await runByDay(login, { ...options, input: `${KEY}\n` })];
    const work = [
      ...[['status'], ['list']].map((words) => ['auth', ...words]),
      ['config', 'list'],
      ['qr', 'list'],
      ['qr', 'create', '--from', 'codes.csv'],
      ['scans', 'export', '--all', '-o', 'scans.csv', '--append'],
      ['doctor', '--format', 'json'],
      ['__complete', 'qr', 'get', ''],
    ];
    for (const args of work) results.push(await runByDay([...args, '-v'], options));
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 0));
    await expectNoKey(results, directory);
    expect(await readFile(join(directory, 'config', 'config.json'), 'utf8')).toContain(KEY);
  });

  const pieces = [...KEY].join(' \u200b\n');
  const echoes: [string, Intercept][] = [
    ['an error', ({ send }) => send(failure(400, `bad_${KEY}`, `the key ${KEY} or ${pieces} is bad`))],
    ['a refusal', ({ send }) => send(failure(401, KEY, `Bearer ${KEY}`))],
    ['a redirect', redirects(`http://evil.example/?key=${KEY}`)],
    ...[SECRET, SECRET.slice(0, 14), SECRET.slice(-14), KEY.replaceAll('_', '%5F'), KEY.toUpperCase()].map(
      (part): [string, Intercept] => [
        `an error, as ${part}`,
        ({ send }) => send(failure(400, part, `the key ${part} is bad`)),
      ],
    ),
    [
      'the name of its content encoding',
      ({ send }) => send({ status: 200, headers: { 'Content-Encoding': SECRET }, body: '{}' }),
    ],
    [
      'a page',
      ({ send }) =>
        send({ status: 200, headers: { 'Content-Type': 'text/html' }, body: `<p>${KEY} ${pieces}` }),
    ],
    // Not 200 for what may be repeated: that would be waited for.
    [
      'a truncated body',
      ({ send, request }) =>
        send({ status: request.method === 'POST' ? 201 : 418, headers: {}, body: `{"${KEY}": ` }),
    ],
    ['wrong fields', ({ send }) => send(json(200, { data: [{ id: KEY }], pagination: { total: KEY } }))],
    [
      'headers',
      ({ send, apply }) =>
        send({ ...apply(), headers: { ...apply().headers, 'X-RateLimit-Plan': KEY, [KEY]: KEY } }),
    ],
  ];

  test.each(echoes)('if the service returns it in %s', async (_, intercept) => {
    const directory = await useDirectory();
    const sandbox = await useSandbox({ key: KEY, intercept });
    const options: CliOptions = { cwd: directory, env: sandbox.env };
    await writeFile(join(directory, 'codes.csv'), 'name,type\na,sms\n');
    const commands = [
      ['qr', 'create', '--from', 'codes.csv', '-v'],
      ['qr', 'create', '--name', 'x', '--type', 'sms', '--format', 'json', '--summary', 'summary.json'],
      ['auth', 'status', '-v', '--max-wait', '0'],
      ['doctor', '--format', 'json'],
    ];
    await expectNoKey(await Promise.all(commands.map((args) => runByDay(args, options))), directory);
  });

  test('if it is passed as an argument', async () => {
    const directory = await useDirectory();
    const sandbox = await useSandbox({ key: KEY, codes: 3 });
    const options: CliOptions = { env: { ...sandbox.env, QRCTL_PROFILE: undefined } };
    const commands = [
      ['auth', 'login', KEY],
      ['auth', 'login', `--key=${KEY}`],
      ['auth', 'use', KEY],
      [KEY],
      ['qr', KEY],
      ['qr', 'get', KEY],
      ['qr', 'list', '--status', KEY],
      ['qr', 'list', '--profile', KEY],
      ['qr', 'list', '--base-url', `https://user:${KEY}@qr.example/api/v1`],
      ['qr', 'list', '--base-url', `https://qr.example/api/v1?key=${KEY}`],
      ['config', 'set', 'format', KEY],
      ['config', 'set', 'api-key', KEY],
    ];
    const results = await Promise.all(commands.map((args) => runByDay(args, options)));
    expect(results.filter(({ code }) => code === 0)).toEqual([]);
    await expectNoKey(results, directory);
  });

  test('by a crash, not even in its stack trace', async () => {
    const directory = await useDirectory();
    const crash = join(directory, 'crash.cjs');
    await writeFile(
      crash,
      `globalThis.URLSearchParams = function () { throw new TypeError('oops ' + process.env.QRCTL_API_KEY); };`,
    );
    const nodeArgs = ['--require', crash];
    const sandbox = await useSandbox({ key: KEY });
    const result = await runCli(['qr', 'list', '-v'], { nodeArgs, env: sandbox.env });
    expect(result.stderr).toMatch(/unexpected failure: oops svc_live_cana…[\s\S]* at /);
    await expectNoKey([result], directory);
  });

  test.runIf(existsSync('/proc/self/cmdline'))('to the arguments of the process', async () => {
    const sandbox = await useSandbox({ key: KEY, intercept: hang });
    const login = ['auth', 'login', '--base-url', sandbox.baseUrl, '--key-stdin'];
    const running = await startCli(login, { input: `${KEY}\n` });
    let line = '';
    while (running.child.exitCode === null && !line.includes('--key-stdin'))
      line = await readFile(`/proc/${running.child.pid}/cmdline`, 'latin1').catch(() => '');
    expect(line).toContain('--key-stdin');
    expect(line).not.toContain(KEY);
  });
});

async function listen(server: Server, onRequest: () => void): Promise<number> {
  server.on('request', onRequest);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

describe('the key is not sent', () => {
  // All of them are in test/service/faults.test.ts.
  test.each([302, 307])('to the target of a %i redirect', async (status) => {
    let asked = 0;
    const port = await listen(
      createHttpServer((_, response) => void response.end('{}')),
      () => asked++,
    );
    const sandbox = await useSandbox({ intercept: redirects(`http://127.0.0.1:${port}/api/v1/qr`, status) });
    const { code, stderr } = await runByDay(['qr', 'list'], { env: sandbox.env });
    expect(stderr).toMatch(/does not follow redirects/);
    expect(code).toBe(1);
    expect(asked).toBe(0);
  });

  // More of them are in test/service/base-url.test.ts.
  test.each([
    ['http://127.0.0.1.qr.example/api/v1', /unencrypted/],
    ['https://user:pass@qr.example/api/v1', /user name or password/],
    ['\u001b[2J', /http or https/],
  ])('to the refused base URL %j', async (url, message) => {
    const { code, stdout, stderr } = await runByDay(['qr', 'list', '--base-url', url], {
      env: { QRCTL_API_KEY: KEY },
    });
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toContain('pass@');
  });
});

describe('with TLS,', () => {
  async function useTls(): Promise<{ env: Record<string, string>; port: number; asked: () => number }> {
    let asked = 0;
    const page = { data: [], pagination: { page: 1, limit: 100, total: 0, pages: 0 } };
    const answer = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (_, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(page));
    });
    const port = await listen(answer, () => asked++);
    return {
      port,
      asked: () => asked,
      env: { QRCTL_BASE_URL: `https://localhost:${port}/api/v1`, QRCTL_API_KEY: KEY },
    };
  }

  test('an untrusted certificate makes the command exit with 7 and a hint without a retry, and no request is sent', async () => {
    const { env, asked } = await useTls();
    for (const args of [['qr', 'list'], ['qr', 'create', '--name', 'x', '--type', 'sms'], ['doctor']]) {
      const { code, stdout, stderr } = await runByDay([...args, '-v'], { env });
      expect(`${stdout}${stderr}`).toMatch(/self-signed/);
      expect(stderr).toMatch(/NODE_EXTRA_CA_CERTS/);
      expect(stderr.match(/failed \d+ ms/g)?.length ?? 0).toBeLessThanOrEqual(1);
      expect(stderr).not.toMatch(/trying again/);
      expect(code).toBe(7);
    }
    expect(asked()).toBe(0);
  });

  test('a certificate in NODE_EXTRA_CA_CERTS is trusted for its host names only', async () => {
    const { env, port } = await useTls();
    const directory = await useDirectory();
    const authority = join(directory, 'ca.pem');
    await writeFile(authority, CERTIFICATE);
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: authority };
    const other = { ...trusting, QRCTL_BASE_URL: `https://[::1]:${port}/api/v1` };
    const [right, wrong] = await Promise.all([
      runCli(['qr', 'list'], { env: trusting }),
      runCli(['qr', 'list'], { env: other }),
    ]);
    expect(right.code).toBe(0);
    expect(wrong.stderr).toMatch(/for another host name|refused/);
    expect(wrong.code).toBe(7);
  });

  test('NODE_TLS_REJECT_UNAUTHORIZED=0 is refused with exit code 2, except for a service on this machine', async () => {
    const { env } = await useTls();
    const off = { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const away = { ...off, QRCTL_BASE_URL: 'https://qr.example/api/v1' };
    const [here, there] = await Promise.all([
      runCli(['qr', 'list'], { env: off }),
      runCli(['qr', 'list'], { env: away }),
    ]);
    expect(here.code).toBe(0);
    expect(there.stderr).toMatch(/turns off certificate checks/);
    expect(there.code).toBe(2);
  });

  test('a port that does not respond with TLS makes the command exit with 7 and the advice to check the port', async () => {
    const port = await listen(createHttpServer(), () => undefined);
    const env = { QRCTL_BASE_URL: `https://localhost:${port}/api/v1`, QRCTL_API_KEY: KEY };
    const { code, stderr } = await runByDay(['qr', 'list'], { env });
    expect(stderr).toMatch(/did not respond with TLS \[GET .*\]\n {2}hint: Check the port/);
    expect(code).toBe(7);
  });
});

describe('responses', () => {
  test.runIf(SOAK)('with a gzip bomb are refused within a heap of 100 MB', async () => {
    const sandbox = await useSandbox({ intercept: gzipBomb(96 * 1024 * 1024) });
    const limited = { nodeArgs: ['--max-old-space-size=100'], env: sandbox.env };
    const { code, stderr } = await runCli(['qr', 'list'], limited);
    expect(stderr).toMatch(/larger than 64 MiB/);
    expect(code).toBe(1);
  });

  test.each(['text/plain', 'text/html; charset=x', 'application/octet-stream', ''])(
    'with content type %j are read as JSON',
    async (type) => {
      const sandbox = await useSandbox({
        codes: 2,
        intercept: ({ send, apply }) =>
          send({ ...apply(), headers: { ...apply().headers, 'Content-Type': type } }),
      });
      expect((await runByDay(['qr', 'list', '--ids'], { env: sandbox.env })).stdout.split('\n')).toHaveLength(
        3,
      );
    },
  );
});

const FIFO = (path: string) => void spawnSync('bash', ['-c', 'mkfifo "$0"', path]);

describe('config.json', () => {
  const deep = `{"version":1,"profiles":${'['.repeat(200_000)}`;
  const kinds: [string, (path: string) => Promise<void> | void][] = [
    ['a FIFO', FIFO],
    ['a directory', (path) => mkdir(path)],
    ['a link to itself', (path) => symlink(path, path)],
    ['a link to a device', (path) => symlink('/dev/zero', path)],
    ['huge', (path) => writeFile(path, KEY).then(() => truncate(path, 5 * 1024 * 1024 * 1024))],
    ['deep', (path) => writeFile(path, deep)],
  ];

  /** Reads it and writes it with `refuse`, which gives what was said each time. */
  async function expectLeftAlone(
    make: (path: string) => Promise<void> | void,
    refuse: (directory: string) => Promise<string[]>,
  ) {
    const directory = await useDirectory();
    const path = join(directory, 'config.json');
    await make(path);
    const before = await stat(path).catch((error) => error.code);
    for (const said of await refuse(directory)) {
      expect(said).toContain(path);
      expect(said).not.toContain(KEY);
    }
    const after = await stat(path).catch((error) => error.code);
    expect([after.ino, after.size, after.mtimeMs]).toEqual([before.ino, before.size, before.mtimeMs]);
  }

  test.each(kinds)('that is %s is refused with its path, and stays unchanged', async (_, make) => {
    await expectLeftAlone(make, async (directory) => {
      const given = {
        env: { QRCTL_CONFIG_DIR: directory },
        clock: systemClock,
        signal: new AbortController().signal,
      };
      const unread = await readStore(given.env).catch((error: unknown) => error);
      expect(unread).toBeInstanceOf(UsageError);
      const unwritten = await updateStore(given, (stored) => stored).catch((error: unknown) => error);
      expect(unwritten).toBeInstanceOf(Error);
      return [String(unread), String(unwritten)];
    });
  });

  const endless = ['a FIFO', 'a link to itself', 'a link to a device', 'huge', 'deep'];

  test.each(kinds.filter(([kind]) => endless.includes(kind)))(
    'that is %s makes commands exit with 2, and stays unchanged',
    async (_, make) => {
      await expectLeftAlone(make, async (directory) => {
        const options: CliOptions = { env: { QRCTL_CONFIG_DIR: directory }, input: `${KEY}\n` };
        const login = argv`auth login --base-url http://127.0.0.1:1/api/v1 --no-verify --key-stdin`;
        const results = await Promise.all([['qr', 'list'], login].map((args) => runByDay(args, options)));
        for (const { code } of results) expect(code).toBe(2);
        return results.map(({ stderr }) => stderr);
      });
    },
  );
});

describe('among the files of a command,', () => {
  const states: [string, string | ((path: string) => Promise<void> | void)][] = [
    ['empty', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a prototype', '{"__proto__":{"version":1,"bytes":0}}'],
    ['negative', '{"version":1,"bytes":-1}'],
    ['larger than numbers', '{"version":1,"bytes":1e308}'],
    ['deep', '['.repeat(200_000)],
    ['bytes that are no text', '\xff\xfe\0'],
    ['a FIFO', FIFO],
    ['a directory', (path) => mkdir(path)],
  ];

  test('a damaged state file is rebuilt or refused with a hint, and the log keeps its scans', async () => {
    const directory = await useDirectory();
    const sandbox = await useSandbox({ codes: 1, scans: 30, limit: 100_000 });
    const options: CliOptions = { cwd: directory, env: sandbox.env };
    const append = ['scans', 'export', sandbox.codeId(), '--append', '-o', 'scans.csv'];
    expect((await runByDay(append, options)).code).toBe(0);
    const whole = await readFile(join(directory, 'scans.csv'), 'utf8');
    const state = join(directory, 'scans.csv.state.json');
    for (const [kind, made] of firstRows(4, states)) {
      await rm(state, { recursive: true });
      await (typeof made === 'string' ? writeFile(state, made, 'latin1') : made(state));
      const { code, stderr } = await runByDay(append, options);
      // Rebuilt from the file, or refused with the way out; never begun anew.
      expect(code === 0 || (code === 2 && /--restart|--output/.test(stderr)), kind).toBe(true);
      expect(await readFile(join(directory, 'scans.csv'), 'utf8'), kind).toBe(whole);
    }
  });

  const ledgers: [string, string | ((path: string) => Promise<void> | void)][] = [
    ['deep', `${'['.repeat(200_000)}\n`],
    ['a FIFO', FIFO],
    ['a directory', (path) => mkdir(path)],
    ['a link to a device', (path) => symlink('/dev/zero', path)],
  ];

  test.each(ledgers)(
    'a ledger that is %s is refused with exit code 2, and no code is created',
    async (_, made) => {
      const directory = await useDirectory();
      const sandbox = await useSandbox({ codes: 0 });
      await writeFile(join(directory, 'codes.csv'), 'name,type\na,sms\n');
      const ledger = join(directory, 'own.jsonl');
      await (typeof made === 'string' ? writeFile(ledger, made) : made(ledger));
      const options: CliOptions = { cwd: directory, env: sandbox.env };
      const { code, stderr } = await runByDay(
        ['qr', 'create', '--from', 'codes.csv', '--ledger', 'own.jsonl'],
        options,
      );
      expect(stderr).toMatch(/own\.jsonl|\/dev\/zero/);
      expect(stderr).not.toMatch(/unexpected failure/);
      expect(code).toBe(2);
      expect(sandbox.workspace.codes()).toHaveLength(0);
    },
  );

  test('an output that is a link is written completely to the target of the link', async () => {
    const directory = await useDirectory();
    const sandbox = await useSandbox({ codes: 2 });
    await mkdir(join(directory, 'elsewhere'));
    await writeFile(join(directory, 'elsewhere', 'real.csv'), 'before\n');
    await symlink('elsewhere/real.csv', join(directory, 'codes.csv'));
    const options: CliOptions = { cwd: directory, env: sandbox.env };
    expect((await runByDay(['qr', 'list', '-o', 'codes.csv'], options)).code).toBe(0);
    expect((await readFile(join(directory, 'elsewhere', 'real.csv'), 'utf8')).split('\n')).toHaveLength(4);
    expect(await readdir(join(directory, 'elsewhere'))).toEqual(['real.csv']);
  });

  test.runIf(SOAK)(
    'a FIFO to which nothing is written does not prevent the command from ending on SIGTERM',
    async () => {
      const directory = await useDirectory();
      FIFO(join(directory, 'codes.csv'));
      const env = { QRCTL_BASE_URL: 'http://127.0.0.1:1/api/v1', QRCTL_API_KEY: KEY };
      const running = await startCli(['qr', 'create', '--from', 'codes.csv'], { cwd: directory, env });
      const threads = `/proc/${running.child.pid}/task`;
      const waits = (thread: string) =>
        readFileSync(`${threads}/${thread}/wchan`, 'utf8') === 'wait_for_partner';
      // Some kernels do not tell; then it may be ended a little earlier.
      const tells = readdirSync('/proc/self/task').some(
        (thread) => readFileSync(`/proc/self/task/${thread}/wchan`, 'utf8') !== '0',
      );
      await until(() => !tells || readdirSync(threads).some(waits));
      running.child.kill('SIGTERM');
      const { code, signal } = await running.done;
      expect(signal ?? code).toBe('SIGTERM');
    },
  );
});

describe('variables', () => {
  test.each<[Record<string, string>, number]>([
    [{ QRCTL_API_KEY: `${KEY}\nX-Evil: 1` }, 2],
    [{ QRCTL_API_KEY: `${KEY}\r` }, 2],
    [{ QRCTL_API_KEY: `${KEY} ` }, 2],
    [{ QRCTL_API_KEY: 'k'.repeat(100_000) }, 2],
    [{ QRCTL_API_KEY: '\u001b[2J' }, 2],
    [{ QRCTL_PROFILE: '__proto__' }, 2],
    [{ QRCTL_PROFILE: '\u001b[2J\n' }, 2],
    [{ QRCTL_BASE_URL: '\u001b]0;x\u0007' }, 2],
    [{ HTTP_PROXY: 'ftp://me:hunter2@127.0.0.1', NO_PROXY: '' }, 2],
    [{ COLUMNS: '1e9', LINES: '-1', TZ: '../../etc/passwd', LANG: '\u001b[2J' }, 0],
    [{ TERM: '\u001b[2J', NO_COLOR: '\u001b[2J', CI: '\u001b' }, 0],
    [{ HOME: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' }, 0],
    [{ TMPDIR: '/nonexistent' }, 0],
  ])("set to %j can't inject text, leak a secret, or crash the command", async (env, exit) => {
    const sandbox = await useSandbox({ codes: 1, key: KEY });
    const { code, stdout, stderr } = await runByDay(['qr', 'list', '--format', 'table'], {
      env: { ...sandbox.env, ...env },
    });
    expect(stderr).not.toMatch(/unexpected failure|hunter2|[^\P{Cc}\n]/u);
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
    expect(`${stdout}${stderr}`).not.toContain(KEY);
    expect(code).toBe(exit);
    if (exit === 2) expect(sandbox.requests).toEqual([]);
  });
});

describe('in scripts,', () => {
  test('the locale and the time zone of the machine do not change the data', async () => {
    const sandbox = await useSandbox({ codes: 3, scans: 50, limit: 100_000 });
    const range = ['--since', '2024-12-01', '--until', '2024-12-20', '--timezone', 'Europe/Berlin'];
    // The zone alone is in test/e2e/cron.test.ts.
    const commands = firstRows(1, [
      ['qr', 'list', '--format', 'table', '--sort', 'name'],
      ['qr', 'list'],
      ['scans', 'export', '--all', ...range],
    ]);
    const places = [
      { TZ: 'UTC', LANG: 'C' },
      { TZ: 'America/St_Johns', LANG: 'de_DE.ISO-8859-1', LC_ALL: 'tr_TR.UTF-8' },
      ...(SOAK ? [{ TZ: 'Asia/Kolkata', LANG: 'tr_TR.UTF-8', LC_ALL: 'ar_EG.UTF-8' }] : []),
    ];
    for (const args of commands) {
      const shown = places.map(
        async (place) => (await runCli(args, { env: { ...sandbox.env, ...place } })).stdout,
      );
      const [first, ...others] = await Promise.all(shown);
      expect(first?.split('\n').length).toBeGreaterThan(3);
      expect(others).toEqual(others.map(() => first));
    }
  });
});
