/** Candidates that completion scripts request while the user types. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isBranch, TREE } from '#cli/tree';
import { ask } from '../support/api.ts';
import { argv } from '../support/argv.ts';
import { runCli, useDirectory } from '../support/cli.ts';
import { listen } from '../support/listen.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

async function useConfig() {
  const directory = await useDirectory();
  const env = { QRCTL_CONFIG_DIR: join(directory, 'config'), XDG_CACHE_HOME: directory };
  const cache = join(directory, 'qrctl', 'codes');
  const cacheFile = () => join(cache, readdirSync(cache)[0] ?? '');
  return { env, cache, cacheFile };
}

async function candidates(args: string[], env: Record<string, string>, run = runHere): Promise<string[]> {
  const result = await run(['__complete', ...args], { env });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.stdout.split('\n').slice(0, -1);
}

test('completion of --by offers dimensions and UTM tags', async () => {
  const { env } = await useConfig();
  const values = await candidates(['scans', 'stats', '--by', ''], env);
  for (const name of ['day', 'code', 'utm_source', 'utm_campaign']) expect(values).toContain(`${name}\t`);
  expect(await candidates(['scans', 'report', '--by', 'day', '--by=utm'], env)).toContain('--by=utm_term\t');
});

describe('the completion of codes', () => {
  test('lists all slugs, each with the name of its code', async () => {
    const { env } = await useConfig();
    const sandbox = await useSandbox({ codes: 120, scans: 1 });
    const codes = sandbox.workspace.codes();
    const all = await candidates(['qr', 'get', ''], { ...env, ...sandbox.env }, runCli);
    expect(all.map((line) => line.split('\t')[0]).sort()).toEqual(codes.map(({ slug }) => slug).sort());
    expect(all).toContain(`${codes[0]?.slug}\t${codes[0]?.name}`);
    expect(await candidates(['scans', 'export', '--all', 'x'], { ...env, ...sandbox.env })).toEqual(all);
  });

  test('queries the service once, and again only after the cache has expired', async () => {
    const { env, cacheFile } = await useConfig();
    const sandbox = await useSandbox({ codes: 3, scans: 1 });
    const first = await candidates(['qr', 'get', ''], { ...env, ...sandbox.env });
    expect(await candidates(['qr', 'get', ''], { ...env, ...sandbox.env })).toEqual(first);
    expect(sandbox.requests).toHaveLength(1);
    const cache = JSON.parse(readFileSync(cacheFile(), 'utf8'));
    cache.listing.atMs -= 3_600_000;
    writeFileSync(cacheFile(), JSON.stringify(cache));
    await candidates(['qr', 'get', ''], { ...env, ...sandbox.env });
    expect(sandbox.requests).toHaveLength(2);
  });

  test('uses the profile and base URL from the command line being completed', async () => {
    const { env } = await useConfig();
    const sandbox = await useSandbox({ codes: 2, scans: 1 });
    const { QRCTL_API_KEY, QRCTL_BASE_URL } = sandbox.env;
    await runHere(['auth', 'login', '--profile', 'work', '--base-url', QRCTL_BASE_URL, '--key-stdin'], {
      env,
      input: QRCTL_API_KEY,
    });
    expect(await candidates(['--profile', 'work', 'qr', 'get', ''], env)).toHaveLength(2);
    expect(
      await candidates([`--base-url=${QRCTL_BASE_URL}`, 'qr', 'get', ''], { ...env, QRCTL_API_KEY }),
    ).toHaveLength(2);
    expect(await candidates(['--profile', 'nobody', 'qr', 'get', ''], env)).toEqual([]);
  });

  test('does not run a key-command, because it may prompt', async () => {
    const { env } = await useConfig();
    const sandbox = await useSandbox({ codes: 2, scans: 1 });
    const { QRCTL_API_KEY, QRCTL_BASE_URL } = sandbox.env;
    const runs = join(env.XDG_CACHE_HOME, 'runs');
    const script = join(env.XDG_CACHE_HOME, 'key.sh');
    writeFileSync(script, `#!/bin/sh\necho run >> '${runs}'\necho ${QRCTL_API_KEY}\n`, { mode: 0o700 });
    const login = ['auth', 'login', '--base-url', QRCTL_BASE_URL, '--key-command', script];
    expect(await runHere(login, { env })).toMatchObject({ code: 0 });
    expect(await candidates(['qr', 'get', ''], env)).toEqual([]);
    expect(readFileSync(runs, 'utf8')).toBe('run\n');
  });

  test('prints nothing if no response arrives in time, and the next completion does not query the service again', async () => {
    const { env } = await useConfig();
    const connections: unknown[] = [];
    const port = await listen(createServer((socket) => connections.push(socket)));
    const QRCTL_BASE_URL = `http://127.0.0.1:${port}/api/v1`;
    const service = { QRCTL_BASE_URL, QRCTL_API_KEY: 'svc_live_x' };
    for (let i = 0; i < 2; i++)
      expect(await candidates(['qr', 'get', ''], { ...env, ...service }, runCli)).toEqual([]);
    expect(connections).toHaveLength(1);
  });

  test("offers the codes from an expired cache if the service can't be reached", async () => {
    const { env, cacheFile } = await useConfig();
    const sandbox = await useSandbox({ codes: 3, scans: 1 });
    const known = await candidates(['qr', 'get', ''], { ...env, ...sandbox.env });
    await sandbox.close();
    writeFileSync(cacheFile(), readFileSync(cacheFile(), 'utf8').replace(/"atMs":\d+/, '"atMs":0'));
    expect(await candidates(['qr', 'get', ''], { ...env, ...sandbox.env })).toEqual(known);
  });

  test('prints nothing without a valid key or config, and queries the service if the cache is damaged', async () => {
    const { env, cache, cacheFile } = await useConfig();
    const sandbox = await useSandbox({ codes: 1, scans: 1 });
    expect(await candidates(['qr', 'get', ''], env)).toEqual([]);
    expect(
      await candidates(['qr', 'get', ''], { ...env, ...sandbox.env, QRCTL_API_KEY: 'svc_live_wrong' }),
    ).toEqual([]);
    expect(
      await candidates(['qr', 'get', ''], {
        ...env,
        QRCTL_BASE_URL: 'nonsense',
        QRCTL_API_KEY: 'svc_live_x',
      }),
    ).toEqual([]);
    writeFileSync(cacheFile(), '{"listing": {"atMs": 1e300}, "codes": [null, 5, ["x"]]}');
    expect(await candidates(['qr', 'get', ''], { ...env, ...sandbox.env })).toHaveLength(1);
    for (const name of readdirSync(cache)) writeFileSync(join(cache, name), 'null');
    expect(await candidates(['qr', 'get', ''], { ...env, ...sandbox.env })).toHaveLength(1);
    mkdirSync(join(env.QRCTL_CONFIG_DIR, 'config.json'), { recursive: true });
    expect(await candidates(['qr', 'get', ''], env)).toEqual([]);
    expect(await candidates(['auth', 'use', ''], env)).toEqual([]);
  });

  test('escapes control characters in a hostile name, and truncates the name so that its line has fewer than 70 characters', async () => {
    const { env } = await useConfig();
    const sandbox = await useSandbox({ codes: 0 });
    await ask(sandbox, 'POST', '/qr', { body: { name: `a\n\tb\u001b[31m\u202e${'x'.repeat(100)}` } });
    const [line = ''] = await candidates(['qr', 'get', ''], { ...env, ...sandbox.env });
    expect(line).toMatch(/^[\w]+\ta\\n\\tb\\x1b\[31m\\u\{202e\}x+…$/);
    expect(line.length).toBeLessThan(70);
  });
});

describe('the completion of profiles', () => {
  test('lists the profile names with their base URLs, and sends no request', async () => {
    const { env } = await useConfig();
    const sandbox = await useSandbox({ codes: 0 });
    for (const profile of ['work', 'home']) {
      const args = argv`
        auth login --profile ${profile} --base-url ${sandbox.baseUrl} --key-stdin --no-verify
      `;
      await runHere(args, { env, input: sandbox.apiKey });
    }
    const file = join(env.QRCTL_CONFIG_DIR, 'config.json');
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...stored, profiles: { ...stored.profiles, far: {} } }));
    expect((await candidates(['auth', 'use', ''], env)).sort()).toEqual([
      'far\t',
      `home\t${sandbox.baseUrl}`,
      `work\t${sandbox.baseUrl}`,
    ]);
    expect(await candidates(['qr', 'list', '--profile=w'], env)).toContain(
      `--profile=work\t${sandbox.baseUrl}`,
    );
    expect(sandbox.requests).toEqual([]);
  });
});

const namesIn = (group: string) =>
  TREE.flatMap((node) =>
    node.name === group && isBranch(node) ? node.commands.map(({ name }) => name) : [],
  );

describe('completion candidates', () => {
  const words = async (line: string) =>
    (await candidates(line.split(' '), {})).map((candidate) => candidate.split('\t')[0]);

  test.each([
    ['qr ', namesIn('qr')],
    ['help scans e', namesIn('scans')],
    ['help qr get ', []],
    ['qr frobnicate ', []],
    ['config path ', []],
    ['qr list --status ', ['active', 'paused', 'expired']],
    ['qr list --status=pau', ['--status=active', '--status=paused', '--status=expired']],
    ['-q --concurrency 3 qr list --status ', ['active', 'paused', 'expired']],
    ['qr list --limit ', []],
    ['qr list --quiet=', []],
    ['qr create --from ', ['files']],
    ['qr create --from=', ['files']],
    ['scans export --output-dir ', ['directories']],
    ['completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['completion -- ', ['bash', 'zsh', 'fish', 'powershell']],
    ['completion bash ', []],
    ['nonsense x', []],
    ['', [...TREE.map(({ name }) => name), 'help']],
  ])(
    'after `%s` are exactly the known words, or `files` or `directories` for a path',
    async (line, expected) => {
      expect(await words(line)).toEqual(expected);
    },
  );

  test('include flags in both forms, but not a flag that was already used, unless it is repeatable', async () => {
    const found = await words('qr create --name x --adopt 2=a -');
    expect(found).toEqual(expect.arrayContaining(['--destination', '--adopt', '-q', '--quiet', '--profile']));
    expect(found).not.toContain('--name');
    expect(await words('-q qr list -q=1 --quiet -')).not.toContain('-q');
  });

  test('are printed by a command that help does not list', async () => {
    expect(await candidates([], {})).toHaveLength(TREE.length + 1);
    expect((await runCli(['--help'])).stdout).not.toContain('__complete');
  });
});
