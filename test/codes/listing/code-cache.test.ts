import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createCodeCache } from '#codes/listing/code-cache';

const WORKSPACE = { baseUrl: 'https://far.example/api/v1', apiKey: 'svc_live_0123456789' };
const KEPT = { codes: [['slug-1', '11111111-2222-4333-8444-555555555555', 'Menu']] } as const;
const owner = process.getuid?.() ?? 0;
let home: string;
let user: { env: Record<string, string>; pid: number; getuid: () => number; geteuid: () => number };

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'qrctl-test-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  user = { env: { HOME: home }, pid: process.pid, getuid: () => owner, geteuid: () => owner };
});

const directory = () => join(home, '.cache', 'qrctl', 'codes');
const file = () => join(directory(), readdirSync(directory())[0] ?? '');

test('the cache is a private file in a private directory, without the key or base URL in its name or content', async () => {
  const cache = createCodeCache(user, WORKSPACE);
  expect(await cache.read()).toBeUndefined();
  await cache.write(KEPT);
  expect(await cache.read()).toEqual(KEPT);
  expect(statSync(directory()).mode & 0o777).toBe(0o700);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(file() + readFileSync(file(), 'utf8')).not.toMatch(/0123|456789|far\.example/);
});

test('the cache finds a code only with exactly the values that were written', async () => {
  const cache = createCodeCache(user, WORKSPACE);
  const [[slug, id]] = KEPT.codes;
  expect(await cache.has(KEPT.codes)).toBe(false);
  await cache.write({ codes: [...KEPT.codes, ['slug-2', id, `["slug-3","${id}","x"]`]] });
  expect(await cache.has([])).toBe(true);
  expect(await cache.has(KEPT.codes)).toBe(true);
  expect(await cache.has([...KEPT.codes, [slug, id, 'Other']])).toBe(false);
  expect(await cache.has([['slug-3', id, 'x']])).toBe(false);
});

test('each base URL and key has a separate cache', async () => {
  await createCodeCache(user, WORKSPACE).write(KEPT);
  expect(
    await createCodeCache(user, { ...WORKSPACE, baseUrl: 'https://other.example/api/v1' }).read(),
  ).toBeUndefined();
  expect(await createCodeCache(user, { ...WORKSPACE, apiKey: 'svc_live_other56789' }).read()).toBeUndefined();
  // What is printed of the two keys is the same.
  expect(await createCodeCache(user, { ...WORKSPACE, apiKey: 'svc_live_0123999999' }).read()).toBeUndefined();
});

test.each([
  ['damaged', () => writeFileSync(file(), '[["slug')],
  ['accessible to other users', () => chmodSync(file(), 0o644)],
  ['in a directory that is accessible to other users', () => chmodSync(directory(), 0o755)],
  ['larger than 16 MiB', () => writeFileSync(file(), `[${' '.repeat(17 * 1024 * 1024)}]`)],
  [
    'a link to another file',
    () => {
      const path = file();
      writeFileSync(join(home, 'elsewhere'), JSON.stringify(KEPT), { mode: 0o600 });
      rmSync(path);
      symlinkSync(join(home, 'elsewhere'), path);
    },
  ],
  [
    'a directory',
    () => {
      const path = file();
      rmSync(path);
      mkdirSync(path);
    },
  ],
])('the cache is treated as missing if it is %s', async (_, spoil) => {
  const cache = createCodeCache(user, WORKSPACE);
  await cache.write(KEPT);
  spoil();
  expect(await cache.read()).toBeUndefined();
  await cache.write(KEPT);
});

test.each([
  ['no home directory', { HOME: '' }],
  ['a relative path to the home directory', { HOME: 'home', XDG_CACHE_HOME: 'cache' }],
  ["another user's home directory", { HOME: '/' }],
])('with %s, the cache is not used', async (_, env) => {
  const stranger = () => 65_533;
  const cache = createCodeCache({ ...user, env, getuid: stranger, geteuid: stranger }, WORKSPACE);
  await cache.write(KEPT);
  expect(await cache.read()).toBeUndefined();
});

test('at most 32 caches exist, and remove() deletes only the cache of its workspace', async () => {
  for (let port = 1; port <= 40; port++) {
    await createCodeCache(user, { ...WORKSPACE, baseUrl: `http://127.0.0.1:${port}/api/v1` }).write(KEPT);
  }
  expect(readdirSync(directory())).toHaveLength(32);
  createCodeCache(user, { ...WORKSPACE, baseUrl: 'http://127.0.0.1:40/api/v1' }).remove();
  expect(readdirSync(directory())).toHaveLength(31);
  expect(
    await createCodeCache(user, { ...WORKSPACE, baseUrl: 'http://127.0.0.1:40/api/v1' }).read(),
  ).toBeUndefined();
});

test("on Windows, which has no user IDs, the cache is in the user's own directory", async () => {
  const onWindows = { ...user, env: { LOCALAPPDATA: home }, getuid: undefined, geteuid: undefined };
  const cache = createCodeCache(onWindows, WORKSPACE);
  await cache.write(KEPT);
  expect(await cache.read()).toEqual(KEPT);
  expect(readdirSync(join(home, 'qrctl', 'Cache', 'codes'))).toHaveLength(1);
  await createCodeCache({ ...onWindows, env: {} }, WORKSPACE).write(KEPT);
});
