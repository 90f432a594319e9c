import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openOwnCache } from '#files/durable/own-cache';
import { useDirectory } from '../../support/cli.ts';

const BOUNDS = { largest: 10, most: 2, content: 'code' } as const;
const OTHER = 4711;
const uid = process.geteuid?.() ?? 0;

let home: string;
let directory: string;
beforeEach(async () => {
  home = await useDirectory();
  directory = join(home, 'qrctl', 'c');
});

const user = (env: Record<string, string>, owner: number | undefined = uid) => ({
  env,
  pid: 7,
  getuid: () => owner as number,
  geteuid: () => owner as number,
});
const open = (owner?: number, bounds = {}) =>
  openOwnCache(user({ XDG_CACHE_HOME: home }, owner), 'c', { ...BOUNDS, ...bounds });
const modeOf = (path: string) => statSync(path).mode & 0o777;
const bytes = Buffer.from('0123456789');

describe.skipIf(platform() === 'win32')('a cache', () => {
  it('has private files in a private directory, and no temporary file', () => {
    const cache = open();
    cache.replace('a', Buffer.from('old'));
    cache.replace('a', bytes);
    expect(cache.read('a')).toEqual(bytes);
    expect([modeOf(join(home, 'qrctl')), modeOf(directory), modeOf(join(directory, 'a'))]).toEqual([
      0o700, 0o700, 0o600,
    ]);
    expect(readdirSync(directory)).toEqual(['a']);
    cache.remove('a');
    cache.remove('a');
    expect(() => cache.read('a')).toThrow('ENOENT');
  });

  it('does not write to a temporary file that already exists, but removes it so that the next replacement succeeds', () => {
    const cache = open();
    cache.replace('a', bytes);
    writeFileSync(join(directory, 'a.7'), '');
    expect(() => cache.replace('a', Buffer.from('b'))).toThrow('EEXIST');
    cache.replace('a', Buffer.from('b'));
    expect(cache.read('a').toString()).toBe('b');
  });

  it('keeps at most the specified number of files, and removes the oldest ones', () => {
    const cache = open();
    for (const [at, name] of ['b', 'a'].entries()) {
      cache.replace(name, bytes);
      utimesSync(join(directory, name), 1000 - at, 1000 - at);
    }
    cache.replace('c', bytes);
    expect(readdirSync(directory).sort()).toEqual(['b', 'c']);
  });

  it('is read only if its directory is private, and its file is private, regular and at most as large as specified', () => {
    const cache = open();
    cache.replace('a', bytes);
    symlinkSync('a', join(directory, 'link'));
    mkdirSync(join(directory, 'd'), 0o700);
    expect(() => open(uid, { largest: 9 }).read('a')).toThrow('not ours');
    expect(() => cache.read('link')).toThrow('ELOOP');
    expect(() => cache.read('d')).toThrow('not ours');
    chmodSync(join(directory, 'a'), 0o640);
    expect(() => cache.read('a')).toThrow('not ours');
    chmodSync(join(directory, 'a'), 0o600);
    chmodSync(directory, 0o701);
    expect(() => cache.read('a')).toThrow('not private');
    expect(() => open(OTHER).read('a')).toThrow('not private');
  });

  it('is not written if its directory is not private, or if another user owns or could change an existing parent', () => {
    expect(() => open(OTHER).replace('a', bytes)).toThrow('not ours');
    chmodSync(home, 0o720);
    expect(() => open().replace('a', bytes)).toThrow('not ours');
    expect(readdirSync(home)).toEqual([]);
    chmodSync(home, 0o755);
    open().replace('a', bytes);
    chmodSync(directory, 0o750);
    expect(() => open().replace('a', bytes)).toThrow('not private');
    chmodSync(directory, 0o702);
    expect(() => open().replace('a', bytes)).toThrow('not ours');
  });

  it('is in the home directory of the user unless XDG_CACHE_HOME is an absolute path', () => {
    const env = { XDG_CACHE_HOME: 'x', HOME: home, LOCALAPPDATA: join(home, 'local') };
    openOwnCache(user(env), 'c', BOUNDS).replace('a', bytes);
    expect(readdirSync(join(home, '.cache', 'qrctl', 'c'))).toEqual(['a']);
    const fault = 'no home of this user';
    expect(() => openOwnCache(user(env, OTHER), 'c', BOUNDS)).toThrow(fault);
    expect(() => openOwnCache(user({ HOME: '.' }), 'c', BOUNDS)).toThrow(fault);
  });

  it('of code is refused in a set-uid program, or if the owner is unknown', () => {
    const env = { XDG_CACHE_HOME: home };
    expect(() => openOwnCache({ ...user(env), getuid: () => OTHER }, 'c', BOUNDS)).toThrow(
      'the owner is unknown',
    );
    expect(() => openOwnCache({ env, pid: 7 }, 'c', BOUNDS)).toThrow('the owner is unknown');
  });

  it('of data is in the local application data on Windows, which has no owners and permissions', () => {
    const cache = openOwnCache({ env: { LOCALAPPDATA: home }, pid: 7 }, 'c', { ...BOUNDS, content: 'data' });
    chmodSync(home, 0o777);
    cache.replace('a', bytes);
    const own = join(home, 'qrctl', 'Cache', 'c');
    chmodSync(join(own, 'a'), 0o644);
    chmodSync(own, 0o755);
    cache.replace('b', bytes);
    expect(cache.read('a')).toEqual(bytes);
    const noPlace = { env: { LOCALAPPDATA: 'x' }, pid: 7 };
    expect(() => openOwnCache(noPlace, 'c', { ...BOUNDS, content: 'data' })).toThrow('no home of this user');
  });
});
