import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Compiled, openCompileCache, type Runtime } from '#build/compile-cache';
import { useDirectory } from '../support/cli.ts';

const SOURCE = Buffer.from('"use strict";exports.answer=42;');
const COMPILED: Compiled = {
  name: 'app.js',
  source: SOURCE,
  code: Buffer.from([0xc0, 0xde, 0x00, 0xff, 0x0a, 0x7b]),
};
const OTHER: Compiled = {
  name: 'list.js',
  source: Buffer.from('exports.list=1;'),
  code: Buffer.from([1, 2, 3]),
};

let home: string;
let directory: string;
let here: Runtime;

beforeEach(async () => {
  home = await useDirectory();
  directory = join(home, '.cache/qrctl/compiled');
  const { version, arch, platform, execPath, pid } = process;
  const owner = statSync(home).uid;
  here = {
    env: { HOME: home },
    version,
    arch,
    platform,
    execPath,
    execArgv: [],
    pid,
    getuid: () => owner,
    geteuid: () => owner,
  };
});

const PROGRAM = '/opt/qrctl/dist';

const open = (runtime: Runtime = here, command = 'qr-list') => openCompileCache(runtime, PROGRAM, command);
const write = (runtime: Runtime = here) => open(runtime)?.write([COMPILED]);
const read = (runtime: Runtime = here) => open(runtime)?.stored[0];
const stored = ({ name, code }: Compiled) => ({ name, code, isMadeFrom: expect.any(Function) });

/** The one file that was written. */
function onlyFile(): string {
  const [name = '', ...others] = readdirSync(directory);
  expect(others).toEqual([]);
  return join(directory, name);
}

describe('compiled code', () => {
  test('is read as it was written, and replaced by later code', () => {
    expect(read()).toBeUndefined();
    write();
    expect(read()).toEqual(stored(COMPILED));
    const more = { ...COMPILED, code: Buffer.alloc(100_000, 'x') };
    open()?.write([more, OTHER]);
    expect(open()?.stored).toEqual([more, OTHER].map(stored));
    onlyFile();
  });

  test('is aligned to 8 bytes for any length, so that V8 does not copy it', () => {
    for (let length = 100; length < 116; length++) {
      const compiled = { ...COMPILED, code: Buffer.alloc(length, ';') };
      open()?.write([compiled, OTHER]);
      expect(open()?.stored).toEqual([compiled, OTHER].map(stored));
      for (const { code } of open()?.stored ?? []) expect(code.byteOffset % 8, `${length}`).toBe(0);
    }
  });

  test('is used only for the source from which it was compiled', () => {
    write();
    expect(read()?.isMadeFrom(SOURCE)).toBe(true);
    for (let bit = 0; bit < SOURCE.length * 8; bit++) {
      const changed = Buffer.from(SOURCE);
      changed.writeUInt8(SOURCE.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(read()?.isMadeFrom(changed), `bit ${bit}`).toBe(false);
    }
    expect(read()?.isMadeFrom(SOURCE.subarray(1))).toBe(false);
  });

  test('is not used for a different command or a different installation', () => {
    write();
    expect(open(here, 'qr-get')?.stored).toEqual([]);
    expect(openCompileCache(here, '/opt/other/dist', 'qr-list')?.stored).toEqual([]);
  });

  test('is stored in a file with permissions 0600 that is named after command, Node version, platform and architecture', () => {
    write();
    const { version, platform, arch } = process;
    expect(onlyFile()).toMatch(new RegExp(`/qr-list-${version}-${platform}-${arch}-[0-9a-f]+$`));
    expect(
      [home, `${home}/.cache`, `${home}/.cache/qrctl`, directory].map((path) => statSync(path).mode & 0o777),
    ).toEqual(Array(4).fill(0o700));
    expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
  });

  test('is not used if any bit of its file is flipped', () => {
    write();
    const file = onlyFile();
    const whole = readFileSync(file);
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const flipped = Buffer.from(whole);
      flipped.writeUInt8(whole.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      writeFileSync(file, flipped);
      expect(read(), `bit ${bit}`).toBeUndefined();
    }
  });

  test('is not used if its file is truncated, too long, empty, huge or full of zeros', () => {
    write();
    const file = onlyFile();
    const whole = readFileSync(file);
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(file, whole.subarray(0, length));
      expect(read(), `${length} bytes`).toBeUndefined();
    }
    writeFileSync(file, Buffer.concat([whole, Buffer.alloc(1)]));
    expect(read()).toBeUndefined();
    writeFileSync(file, Buffer.alloc(whole.length));
    expect(read()).toBeUndefined();
    truncateSync(file, 2 ** 40);
    expect(read()).toBeUndefined();
  });

  const others: Record<string, Partial<Runtime>> = {
    version: { version: 'v20.19.99' },
    architecture: { arch: 'riscv64' },
    platform: { platform: 'plan9' },
    build: { execPath: import.meta.filename },
    flags: { execArgv: ['--no-opt'] },
  };
  test.each(Object.keys(others))('is not used by a Node process that differs in %s', (what) => {
    write();
    const other = { ...here, ...others[what] };
    expect(read(other)).toBeUndefined();
    // Nor when its file has the name that this node would look for.
    const file = onlyFile();
    write(other);
    const [name = ''] = readdirSync(directory).filter((entry) => join(directory, entry) !== file);
    renameSync(file, join(directory, name));
    expect(read(other)).toBeUndefined();
  });

  test('is not used with different NODE_OPTIONS', () => {
    write();
    expect(read({ ...here, env: { ...here.env, NODE_OPTIONS: '--no-opt' } })).toBeUndefined();
  });
});

describe('the compile cache', () => {
  test('reads nothing from a file or directory that other users can access', () => {
    write();
    for (const [path, closed] of [
      [onlyFile(), 0o600],
      [directory, 0o700],
    ] as const) {
      for (const open of [0o004, 0o020, 0o777]) {
        chmodSync(path, closed | open);
        expect(read()).toBeUndefined();
      }
      chmodSync(path, closed);
      expect(read()).toEqual(stored(COMPILED));
    }
  });

  test('writes nothing to a directory that other users can access, or below one that they can change', () => {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
    write();
    expect(readdirSync(directory)).toEqual([]);
    const shared = join(home, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    write({ ...here, env: { XDG_CACHE_HOME: join(shared, 'cache') } });
    expect(readdirSync(shared)).toEqual([]);
  });

  test('does not follow a symbolic link that replaces the file or the directory', () => {
    write();
    const file = onlyFile();
    renameSync(file, join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), file);
    expect(read()).toBeUndefined();
    write();
    expect(read()).toEqual(stored(COMPILED));
    renameSync(directory, join(home, 'elsewhere.d'));
    symlinkSync(join(home, 'elsewhere.d'), directory);
    expect(read()).toBeUndefined();
  });

  test('neither reads nor writes files that belong to another user', () => {
    write();
    const stranger = () => (here.geteuid?.() ?? 0) + 1;
    for (const env of [here.env, { XDG_CACHE_HOME: join(home, '.cache') }]) {
      const privileged = { ...here, env, getuid: stranger, geteuid: stranger };
      expect(read(privileged)).toBeUndefined();
      const before = readFileSync(onlyFile());
      open(privileged)?.write([]);
      expect(readFileSync(onlyFile())).toEqual(before);
    }
    const nowhere = {
      ...here,
      env: { XDG_CACHE_HOME: join(home, 'other') },
      getuid: stranger,
      geteuid: stranger,
    };
    write(nowhere);
    expect(readdirSync(home)).toEqual(['.cache']);
  });

  test.each<[string, Partial<Runtime>]>([
    ['no home', { env: {} }],
    ['an empty home', { env: { HOME: '', XDG_CACHE_HOME: '' } }],
    ['a relative home', { env: { HOME: 'home', XDG_CACHE_HOME: 'cache' } }],
    ['a missing home', { env: { HOME: '/nonexistent/home' } }],
    ['a system without users', { getuid: undefined, geteuid: undefined }],
    ['a program that runs as a different user than the one who started it', { geteuid: () => 12_345 }],
    ['a removed Node binary', { execPath: '/nonexistent/node' }],
  ])('is not used with %s', (_, runtime) => {
    expect(open({ ...here, ...runtime })).toBeUndefined();
  });

  test('is in XDG_CACHE_HOME if that is an absolute path', () => {
    write({ ...here, env: { HOME: '/nonexistent', XDG_CACHE_HOME: join(home, 'xdg') } });
    expect(readdirSync(join(home, 'xdg/qrctl/compiled'))).toHaveLength(1);
  });
});

test('a failed write of the compile cache is ignored without a message', () => {
  writeFileSync(join(home, '.cache'), 'a file');
  expect(write()).toBeUndefined();
  expect(readFileSync(join(home, '.cache'), 'utf8')).toBe('a file');
});

test('the compile cache keeps at most 48 files, including the newest', () => {
  for (let command = 0; command < 60; command++) open(here, `command-${command}`)?.write([COMPILED]);
  expect(readdirSync(directory)).toHaveLength(48);
  expect(open(here, 'command-59')?.stored).toEqual([stored(COMPILED)]);
});
