import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import { createUsedFiles } from '#base/run/used-files';
import { checkLockPlace, lockPathOf, readLock, useLock, writeLock } from '#codes/engine/lock/lock-store';
import { createWorkspace } from '#service/workspace';
import { useDirectory } from '../../../support/cli.ts';
import { createMemoryDisk } from '../../../support/memory-disk.ts';
import { codeOf } from '../plan/make.ts';
import { entryOf } from './make-entry.ts';

const WORKSPACE = createWorkspace({ baseUrl: 'https://qr.example/api/v1', apiKey: 'svc_live_a' });
const processes = { pid: 7, isRunning: () => false };

describe('the lock file on disk', () => {
  it("is read as undefined if it does not exist, and refused if it can't be read", async () => {
    const directory = await useDirectory();
    expect(await readLock(join(directory, 'none.lock.json'))).toBeUndefined();
    await mkdir(join(directory, 'codes.lock.json'));
    await expect(readLock(join(directory, 'codes.lock.json'))).rejects.toBeInstanceOf(UsageError);
  });

  it('is written only if its entries have changed, and is not created without entries (E22)', async () => {
    const memory = createMemoryDisk();
    const path = '/data/codes.lock.json';
    const workspace = await WORKSPACE.record();
    const empty = { workspace, entries: new Map() };
    const full = { workspace, entries: new Map([['a', entryOf('a', codeOf(1))]]) };
    await writeLock(path, empty, undefined, processes, memory.disk);
    expect(memory.read(path)).toBeUndefined();
    await writeLock(path, full, undefined, processes, memory.disk);
    expect((await readLock(path, undefined, memory.disk))?.entries).toEqual(full.entries);
    const steps = memory.steps();
    await writeLock(path, { ...full }, full, processes, memory.disk);
    expect(memory.steps()).toBe(steps);
    await writeLock(path, empty, full, processes, memory.disk);
    expect((await readLock(path, undefined, memory.disk))?.entries.size).toBe(0);
  });

  it('is not written to a device, such as /dev/null', async () => {
    const path = join(await useDirectory(), 'codes.lock.json');
    await symlink('/dev/null', path);
    const next = { workspace: await WORKSPACE.record(), entries: new Map([['a', entryOf('a', codeOf(1))]]) };
    const written = writeLock(path, next, undefined, processes);
    await expect(written).rejects.toBeInstanceOf(UsageError);
  });

  it('cannot be the same file as another file of the run, even one that is only read', async () => {
    const path = join(await useDirectory(), 'codes.lock.json');
    await writeFile(path, '');
    const files = createUsedFiles();
    files.use({ flag: '--from', path, writes: false });
    expect(() => useLock(files, path)).toThrow(`the lock file can't be the same file as --from: ${path}`);
  });

  it('is refused before a run if it is a directory, and accepted if it is missing or a lock file', async () => {
    const directory = await useDirectory();
    await expect(checkLockPlace(directory)).rejects.toMatchObject({
      message: `cannot write ${directory}: it is a directory`,
      hint: 'Specify a different lock file with --lock.',
    });
    const path = join(directory, 'codes.lock.json');
    await expect(checkLockPlace(path)).resolves.toBeUndefined();
    await writeLock(
      path,
      { workspace: await WORKSPACE.record(), entries: new Map([['a', entryOf('a', codeOf(1))]]) },
      undefined,
      processes,
    );
    await expect(checkLockPlace(path)).resolves.toBeUndefined();
  });
});

it.each([
  ['codes.csv', 'codes.lock.json'],
  ['dir/codes.csv.gz', 'dir/codes.lock.json'],
  ['codes.json.GZ', 'codes.lock.json'],
  ['my.codes.v2.xlsx', 'my.codes.v2.lock.json'],
  ['codes.gz.csv', 'codes.gz.lock.json'],
  ['codes', 'codes.lock.json'],
  ['.codes', '.codes.lock.json'],
])('the lock file for %s is %s', (file, lock) => {
  expect(lockPathOf(file)).toBe(join(lock));
});
