/** What completion scripts ask while somebody types. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask } from '../support/api.ts';
import { runCli, useDirectory } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

async function useConfig() {
  const QRCTL_CONFIG_DIR = join(await useDirectory(), 'config');
  const cache = join(QRCTL_CONFIG_DIR, 'cache');
  const cacheFile = () => join(cache, readdirSync(cache)[0] ?? '');
  return { env: { QRCTL_CONFIG_DIR }, cache, cacheFile };
}

async function candidates(args: string[], env: Record<string, string>, run = runHere): Promise<string[]> {
  const result = await run(['__complete', ...args], { env });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.stdout.split('\n').slice(0, -1);
}

describe('qrctl __complete codes', () => {
  test('gives the slugs that begin so, with names', async () => {
    const { env } = await useConfig();
    const sandbox = await useSandbox({ codes: 120, scans: 1 });
    const codes = sandbox.workspace.codes();
    const all = await candidates(['codes', ''], { ...env, ...sandbox.env }, runCli);
    expect(all.map((line) => line.split('\t')[0]).sort()).toEqual(codes.map(({ slug }) => slug).sort());
    expect(await candidates(['codes', '*'], { ...env, ...sandbox.env })).toEqual(all);
    const [first] = codes;
    const found = await candidates(['codes', first?.slug ?? ''], { ...env, ...sandbox.env });
    expect(found).toEqual([`${first?.slug}\t${first?.name}`]);
  });

  test('asks the service once, and again when it was long ago', async () => {
    const { env, cacheFile } = await useConfig();
    const sandbox = await useSandbox({ codes: 3, scans: 1 });
    const first = await candidates(['codes', ''], { ...env, ...sandbox.env });
    expect(await candidates(['codes', ''], { ...env, ...sandbox.env })).toEqual(first);
    expect(sandbox.requests).toHaveLength(1);
    const cache = JSON.parse(readFileSync(cacheFile(), 'utf8'));
    writeFileSync(cacheFile(), JSON.stringify({ ...cache, askedAtMs: cache.askedAtMs - 3_600_000 }));
    await candidates(['codes', ''], { ...env, ...sandbox.env });
    expect(sandbox.requests).toHaveLength(2);
  });

  test('keeps workspaces apart, in files of the owner alone that do not hold the key', async () => {
    const { env, cache, cacheFile } = await useConfig();
    const [one, two] = [await useSandbox({ codes: 1, scans: 1, seed: 1 }), await useSandbox({ codes: 1, scans: 1, seed: 2 })];
    const ofOne = await candidates(['codes', ''], { ...env, ...one.env });
    expect(statSync(cacheFile()).mode & 0o777).toBe(0o600);
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(cacheFile() + readFileSync(cacheFile(), 'utf8')).not.toContain('svc_live_');
    expect(await candidates(['codes', ''], { ...env, ...two.env })).not.toEqual(ofOne);
    expect(readdirSync(cache)).toHaveLength(2);
  });

  test('goes by the profile and base URL on the line being typed', async () => {
    const { env } = await useConfig();
    const sandbox = await useSandbox({ codes: 2, scans: 1 });
    const { QRCTL_API_KEY, QRCTL_BASE_URL } = sandbox.env;
    await runHere(['auth', 'login', '--profile', 'work', '--base-url', QRCTL_BASE_URL, '--key-stdin'], {
      env,
      input: QRCTL_API_KEY,
    });
    expect(await candidates(['codes', '', '--profile', 'work', 'qr', 'get'], env)).toHaveLength(2);
    expect(await candidates(['codes', '', `--base-url=${QRCTL_BASE_URL}`], { ...env, QRCTL_API_KEY })).toHaveLength(2);
    expect(await candidates(['codes', '', '--profile', 'nobody'], env)).toEqual([]);
  });

  test('says nothing, and does not ask again at once, where nobody answers in time', async () => {
    const { env } = await useConfig();
    const connections: unknown[] = [];
    const silent = createServer((socket) => connections.push(socket)).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const QRCTL_BASE_URL = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api/v1`;
    const service = { QRCTL_BASE_URL, QRCTL_API_KEY: 'svc_live_x' };
    for (let i = 0; i < 3; i++) expect(await candidates(['codes', ''], { ...env, ...service }, runCli)).toEqual([]);
    expect(connections).toHaveLength(1);
  });

  test('goes on with what it knows while the service is away', async () => {
    const { env, cacheFile } = await useConfig();
    const sandbox = await useSandbox({ codes: 3, scans: 1 });
    const known = await candidates(['codes', ''], { ...env, ...sandbox.env });
    await sandbox.close();
    writeFileSync(cacheFile(), readFileSync(cacheFile(), 'utf8').replace(/"askedAtMs":\d+/, '"askedAtMs":0'));
    expect(await candidates(['codes', ''], { ...env, ...sandbox.env })).toEqual(known);
  });

  test('is silent without a key, with a refused one, and with damage on disk', async () => {
    const { env, cache, cacheFile } = await useConfig();
    const sandbox = await useSandbox({ codes: 1, scans: 1 });
    expect(await candidates(['codes', ''], env)).toEqual([]);
    expect(await candidates(['codes', ''], { ...env, ...sandbox.env, QRCTL_API_KEY: 'svc_live_wrong' })).toEqual([]);
    expect(await candidates(['codes', ''], { ...env, QRCTL_BASE_URL: 'nonsense', QRCTL_API_KEY: 'svc_live_x' })).toEqual([]);
    writeFileSync(cacheFile(), '{"askedAtMs": 1e300, "codes": [null, 5, {"slug": "x"}]}');
    expect(await candidates(['codes', ''], { ...env, ...sandbox.env })).toHaveLength(1);
    for (const name of readdirSync(cache)) writeFileSync(join(cache, name), 'null');
    expect(await candidates(['codes', ''], { ...env, ...sandbox.env })).toHaveLength(1);
    mkdirSync(join(env.QRCTL_CONFIG_DIR, 'config.json'));
    expect(await candidates(['codes', ''], env)).toEqual([]);
    expect(await candidates(['profiles', ''], env)).toEqual([]);
  });

  test('makes hostile names harmless and one line each', async () => {
    const { env } = await useConfig();
    const sandbox = await useSandbox({ codes: 0 });
    await ask(sandbox, 'POST', '/qr', { body: { name: `a\n\tb\u001b[31m\u202e${'x'.repeat(100)}` } });
    const [line = ''] = await candidates(['codes', ''], { ...env, ...sandbox.env });
    expect(line).toMatch(/^[\w]+\ta\\n\\tb\\x1b\[31m\\u\{202e\}x+…$/);
    expect(line.length).toBeLessThan(70);
  });
});

describe('qrctl __complete profiles', () => {
  test('gives the names that begin so, with their base URLs, and asks nobody', async () => {
    const { env } = await useConfig();
    const sandbox = await useSandbox({ codes: 0 });
    for (const profile of ['work', 'home']) {
      const args = ['auth', 'login', '--profile', profile, '--base-url', sandbox.baseUrl, '--key-stdin', '--no-verify'];
      await runHere(args, { env, input: sandbox.apiKey });
    }
    expect((await candidates(['profiles', ''], env)).sort()).toEqual([`home\t${sandbox.baseUrl}`, `work\t${sandbox.baseUrl}`]);
    expect(await candidates(['profiles', 'w'], env)).toEqual([`work\t${sandbox.baseUrl}`]);
    expect(sandbox.requests).toEqual([]);
  });
});

test('qrctl __complete is silent on what it does not know, and in no help', async () => {
  expect(await candidates(['nonsense', '--x'], {})).toEqual([]);
  expect(await candidates([], {})).toEqual([]);
  expect((await runCli(['--help'])).stdout).not.toContain('__complete');
});
