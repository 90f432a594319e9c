import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LocalError, UsageError } from '#base/errors';
import { systemClock } from '#base/time/time';
import type { Disk, DiskFile } from '#files/durable/disk';
import { acquireLock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { readStore, type Stored, type StoredProfile } from '#settings/store';
import { updateStore } from '#settings/write-store';
import { temporaryDirectory } from './temporary.ts';

function told(env: Record<string, string>) {
  return { env, clock: systemClock, signal: new AbortController().signal };
}

function place() {
  const directory = join(temporaryDirectory(), 'deep', 'config');
  const env = { QRCTL_CONFIG_DIR: directory };
  return { directory, file: join(directory, 'config.json'), env, given: told(env) };
}

function adding(name: string, profile: StoredProfile = { format: 'csv' }) {
  return (stored: Stored): Stored => ({
    current: name,
    profiles: new Map([...stored.profiles, [name, profile]]),
  });
}

/** The real disk, when it is nearly full: each file takes 512 bytes. */
const fullDisk: Disk = {
  ...nodeDisk,
  async open(...where) {
    const file = await nodeDisk.open(...where);
    const write: DiskFile['write'] = async (data, offset, length, position) => {
      const left = 512 - (await file.stat()).size;
      if (left > 0) return file.write(data, offset, Math.min(left, length), position);
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
        code: 'ENOSPC',
        syscall: 'write',
      });
    };
    return { ...file, write };
  },
};

function withUmask(umask: number) {
  const before = process.umask(umask);
  onTestFinished(() => {
    process.umask(before);
  });
}

describe('updateStore', () => {
  test.each([0o000, 0o022, 0o777])(
    'creates a file with permissions 0600 in a directory with permissions 0700 under umask %o',
    async (umask) => {
      const { directory, file, given, env } = place();
      mkdirSync(join(directory, '..'));
      withUmask(umask);
      const { corrections } = await updateStore(given, adding('work', { apiKey: 'svc_live_canary00' }));
      expect(corrections).toEqual([]);
      expect(statSync(directory).mode & 0o7777).toBe(0o700);
      expect(statSync(file).mode & 0o7777).toBe(0o600);
      expect((await readStore(env)).profiles.get('work')).toEqual({ apiKey: 'svc_live_canary00' });
    },
  );

  const byRoot = test.runIf(process.getuid?.() === 0);

  byRoot('by root keeps the owner of a file in a directory of the same owner', async () => {
    const { directory, file, given } = place();
    await updateStore(given, adding('home'));
    for (const path of [file, directory]) chownSync(path, 65534, 65534);
    await updateStore(given, adding('work'));
    expect([statSync(file).uid, statSync(file).mode & 0o777]).toEqual([65534, 0o600]);
  });

  byRoot(
    'by root writes no key to a file that another user created before or during the update',
    async () => {
      const { directory, file, given } = place();
      mkdirSync(directory, { recursive: true });
      chmodSync(directory, 0o1777);
      const plant = () => {
        writeFileSync(file, '{"version":1,"profiles":{}}', { mode: 0o644 });
        chownSync(file, 65534, 65534);
      };
      plant();
      await expect(updateStore(given, adding('work', { apiKey: 'svc_live_canary00' }))).rejects.toThrow(
        'belongs to user 65534',
      );
      expect(readFileSync(file, 'utf8')).not.toContain('canary');
      rmSync(file);
      const planting = adding('work', { apiKey: 'svc_live_canary00' });
      await updateStore(given, (stored) => {
        plant();
        return planting(stored);
      });
      expect([statSync(file).uid, statSync(file).mode & 0o777]).toEqual([0, 0o600]);
    },
  );

  test('leaves no temporary file in the directory', async () => {
    const { directory, given } = place();
    await updateStore(given, adding('one'));
    await updateStore(given, adding('two'));
    expect(readdirSync(directory)).toEqual(['config.json']);
  });

  test('stores a profile called __proto__ like any other', async () => {
    const { env, given } = place();
    await updateStore(given, adding('__proto__', { format: 'json' }));
    await updateStore(given, adding('other'));
    const { profiles } = await readStore(env);
    expect([...profiles.keys()].sort()).toEqual(['__proto__', 'other']);
    expect(profiles.get('__proto__')).toEqual({ format: 'json' });
  });

  test('restricts a directory that other users could access, and reports the change', async () => {
    const { directory, given } = place();
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
    const { corrections } = await updateStore(given, adding('one'));
    expect(corrections).toEqual([
      `${directory} was accessible to other users (permissions 0755); changed to 0700`,
    ]);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('refuses to change a file with a key-command that another user may have written, unless the change removes the key-command', async () => {
    const { file, given } = place();
    await updateStore(given, adding('work', { keyCommand: 'pass show qr' }));
    chmodSync(file, 0o666);
    const before = readFileSync(file, 'utf8');
    await expect(updateStore(given, adding('other'))).rejects.toMatchObject({
      message: expect.stringContaining('other users were able to change it, and it contains a key-command'),
      hint: expect.stringContaining(`chmod go-w ${file}`),
    });
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([before, 0o666]);
    const { corrections } = await updateStore(given, () => ({ current: undefined, profiles: new Map() }));
    expect(corrections).toEqual([expect.stringContaining(`${file} was accessible to other users`)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('keeps the old file if the disk becomes full while the new file is written', async () => {
    const { directory, file, given } = place();
    await updateStore(given, adding('one'));
    const before = readFileSync(file, 'utf8');
    const big = adding('big', { shortUrl: 'x'.repeat(3000) });
    const refused = await updateStore({ ...given, disk: fullDisk }, big).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LocalError);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/cannot write the config file .*config.json: .*ENOSPC/),
      hint: 'No changes were made. Free up disk space, correct the permissions, or set QRCTL_CONFIG_DIR.',
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(directory)).toEqual(['config.json']);
  });

  test.each(['{"version":1,"profiles":{}}', '{"version":2,"profiles":{}}', '{"version":1,'])(
    'fails if the file contains %s instead of the new settings after the write',
    async (text) => {
      const { given } = place();
      const damaging: Disk = {
        ...nodeDisk,
        async rename(from, to) {
          await nodeDisk.rename(from, to);
          writeFileSync(to, text);
        },
      };
      const refused = updateStore(
        { ...given, disk: damaging },
        adding('work', { apiKey: 'svc_live_canary00' }),
      );
      await expect(refused).rejects.toThrow(LocalError);
      await expect(refused).rejects.toThrow(
        /^cannot verify the config file .*: it differs from the stored settings$/,
      );
    },
  );

  test('does not overwrite a file that is not valid JSON', async () => {
    const { directory, file, given } = place();
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, '{"version":1,');
    await expect(updateStore(given, adding('one'))).rejects.toThrow(UsageError);
    expect(readFileSync(file, 'utf8')).toBe('{"version":1,');
  });

  test('keeps every profile if eight updates run concurrently', async () => {
    const { env } = place();
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => updateStore(told(env), adding(name))));
    expect([...(await readStore(env)).profiles.keys()].sort()).toEqual(names.sort());
  });

  test('removes the temporary file that a killed write left, because it may contain keys', async () => {
    const { directory, given } = place();
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, '.config.json.partial'), '{"profiles":{"old":{"apiKey":"svc_li');
    await updateStore(given, adding('one'));
    expect(readdirSync(directory)).toEqual(['config.json']);
  });

  test('stops waiting for the lock of another writer if it is interrupted', async () => {
    const { directory, file, env } = place();
    mkdirSync(directory, { recursive: true });
    const other = await acquireLock(file, { clock: systemClock });
    onTestFinished(() => other.release());
    const interrupt = new AbortController();
    const clock = {
      ...systemClock,
      sleep: async (_ms: number, sleeping?: AbortSignal) => {
        interrupt.abort(new Error('interrupted'));
        sleeping?.throwIfAborted();
      },
    };
    await expect(updateStore({ env, clock, signal: interrupt.signal }, adding('one'))).rejects.toThrow(
      'interrupted',
    );
    expect(existsSync(file)).toBe(false);
  });

  test('writes to the target if the config file is a symbolic link', async () => {
    const { directory, file, given, env } = place();
    const elsewhere = join(temporaryDirectory(), 'dotfile.json');
    mkdirSync(directory, { recursive: true });
    writeFileSync(elsewhere, '{"version":1,"profiles":{}}');
    symlinkSync(elsewhere, file);
    await updateStore(given, adding('one'));
    expect(readFileSync(elsewhere, 'utf8')).toContain('"one"');
    expect((await readStore(env)).profiles.has('one')).toBe(true);
  });

  test('reports the path of the config file if the directory cannot be created', async () => {
    const blocker = join(temporaryDirectory(), 'file');
    writeFileSync(blocker, '');
    const env = { QRCTL_CONFIG_DIR: join(blocker, 'config') };
    const refused = await updateStore(told(env), adding('one')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LocalError);
    expect(String(refused)).toContain(join(blocker, 'config', 'config.json'));
  });
});
