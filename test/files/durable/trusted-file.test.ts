import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import type { Disk, DiskStat } from '#files/durable/disk';
import { nodeDisk } from '#files/durable/node-disk';
import { openReplacement, replaceFile } from '#files/durable/replace-file';
import { expectAtPath, makeRealDirectories, openTrusted, realPath } from '#files/durable/trusted-file';
import { useDirectory } from '../../support/cli.ts';
import { createMemoryDisk } from '../../support/memory-disk.ts';

const FILE = '/data/scans.csv';

let directory: string;

beforeEach(async () => {
  directory = await useDirectory();
});

/** The disk of node where some paths are described otherwise, as another user's run or another user's file would be. */
function told(change: (path: string, stat: DiskStat) => Partial<DiskStat>, user?: number): Disk {
  const lstat = async (path: string) => {
    const stat = await nodeDisk.lstat(path);
    return { ...stat, ...change(path, stat) };
  };
  return { ...nodeDisk, lstat, user: () => user ?? nodeDisk.user() };
}

describe('the real path of a file', () => {
  it('is the same through links, and exists for a missing file', async () => {
    mkdirSync(join(directory, 'a'));
    symlinkSync('a', join(directory, 'b'));
    writeFileSync(join(directory, 'a', 'x'), '');
    symlinkSync('x', join(directory, 'a', 'y'));
    const [dir] = [await nodeDisk.realpath(directory)];
    expect(await realPath(nodeDisk, join(directory, 'b', 'y'))).toBe(join(dir ?? '', 'a', 'x'));
    expect(await realPath(nodeDisk, join(directory, 'b', 'new'))).toBe(join(dir ?? '', 'a', 'new'));
    await expect(realPath(nodeDisk, join(directory, 'no', 'new'))).rejects.toMatchObject({ code: 'ENOENT' });
    // Windows, by its own word for it: no owner is asked for.
    const windows: Disk = {
      ...nodeDisk,
      user: () => undefined,
      lstat: () => Promise.reject(new Error('asked')),
    };
    expect(await realPath(windows, join(directory, 'b', 'y'))).toBe(join(dir ?? '', 'a', 'x'));
    expect(await realPath(windows, join(directory, 'b', 'new'))).toBe(join(dir ?? '', 'a', 'new'));
  });

  it("is refused if the path has one user's link to another user's file (D14)", async () => {
    mkdirSync(join(directory, 'a'));
    writeFileSync(join(directory, 'a', 'x'), '');
    symlinkSync('a', join(directory, 'b'));
    symlinkSync(join(directory, 'b', 'x'), join(directory, 'c'));
    const foreign = told((path) => (path.endsWith('/b') ? { uid: 4711 } : {}));
    for (const path of ['b/x', 'c', 'b/new']) {
      const resolving = realPath(foreign, join(directory, path));
      await expect(resolving, path).rejects.toThrow(UsageError);
      await expect(resolving).rejects.toThrow(
        `${join(directory, 'b')} is a symbolic link to another user's file, created by user 4711`,
      );
    }
    expect(await realPath(foreign, join(directory, 'a', 'x'))).toContain('/a/x');
  });

  it('follows links that root owns, and links from users to their own files', async () => {
    mkdirSync(join(directory, 'a'));
    symlinkSync('a', join(directory, 'b'));
    const ofRoot = told((path) => (path.endsWith('/b') ? { uid: 0 } : {}), 4711);
    expect(await realPath(ofRoot, join(directory, 'b', 'x'))).toContain('/a/x');
    const theirs = told((path) => (/\/[ab]$/.test(path) ? { uid: 4711 } : {}));
    expect(await realPath(theirs, join(directory, 'b', 'x'))).toContain('/a/x');
    const ours = told((path) => (path.endsWith('/b') ? { uid: 5 } : {}), 5);
    expect(await realPath(ours, join(directory, 'b', 'x'))).toContain('/a/x');
  });

  it('is refused if links form a loop', async () => {
    symlinkSync('b', join(directory, 'a'));
    symlinkSync('a', join(directory, 'b'));
    await expect(realPath(nodeDisk, join(directory, 'a', 'x'))).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('exists for a link to a missing file, but no file can be created there', async () => {
    symlinkSync('nowhere', join(directory, 'b'));
    expect(await realPath(nodeDisk, join(directory, 'b'))).toContain('/b');
    await expect(nodeDisk.open(join(directory, 'b'), 'wx+')).rejects.toMatchObject({ code: 'EEXIST' });
  });
});

describe('makeRealDirectories', () => {
  it('creates a directory with its parents, even if the path has links', async () => {
    mkdirSync(join(directory, 'a'));
    symlinkSync('a', join(directory, 'b'));
    const real = await nodeDisk.realpath(directory);
    expect(await makeRealDirectories(nodeDisk, join(directory, 'b', 'c', 'd'))).toBe(
      join(real, 'a', 'c', 'd'),
    );
    expect((await nodeDisk.stat(join(directory, 'a', 'c', 'd'))).isDirectory()).toBe(true);
    const windows: Disk = { ...nodeDisk, user: () => undefined };
    expect(await makeRealDirectories(windows, join(directory, 'b', 'e'))).toBe(join(real, 'a', 'e'));
  });

  it("creates no directory through one user's link to another user's directory (D14)", async () => {
    mkdirSync(join(directory, 'a'));
    symlinkSync('a', join(directory, 'b'));
    const foreign = told((path) => (path.endsWith('/b') ? { uid: 4711 } : {}));
    for (const path of ['b', 'b/c', 'b/c/d']) {
      await expect(makeRealDirectories(foreign, join(directory, path)), path).rejects.toThrow(UsageError);
    }
    expect(await nodeDisk.readdir(join(directory, 'a'))).toEqual([]);
  });
});

describe('opening a file', () => {
  it('returns undefined for a missing file, and refuses a file that is not regular', async () => {
    expect(await openTrusted(nodeDisk, join(directory, 'no'))).toBeUndefined();
    const memory = createMemoryDisk();
    memory.write(FILE, '');
    const open: Disk['open'] = async (...where) => {
      const file = await memory.disk.open(...where);
      return { ...file, stat: async () => ({ ...(await file.stat()), isFile: () => false }) };
    };
    const opening = openTrusted({ ...memory.disk, open }, FILE);
    await expect(opening).rejects.toMatchObject({
      code: 'ENOTSUP',
      message: `${FILE} is not a regular file`,
    });
  });

  it('follows no link at the end of the path (D14)', async () => {
    writeFileSync(join(directory, 'secret'), 'secret');
    symlinkSync('secret', join(directory, 'x'));
    await expect(openTrusted(nodeDisk, join(directory, 'x'))).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(nodeDisk.readFile(join(directory, 'x'))).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('refuses a file that was moved, or whose directory was swapped (D14)', async () => {
    const dir = await nodeDisk.realpath(directory);
    const path = join(dir, 'a', 'x');
    mkdirSync(join(dir, 'a'));
    writeFileSync(path, '');
    const file = await nodeDisk.open(path, 'r+');
    await expectAtPath(nodeDisk, file, path);
    renameSync(join(dir, 'a'), join(dir, 'b'));
    await expect(expectAtPath(nodeDisk, file, path)).rejects.toThrow(
      'it or a directory in its path was moved or replaced in the meantime',
    );
    symlinkSync('b', join(dir, 'a'));
    // The name leads to the very file again, by another way: only root is lured so, and is told.
    const moved = { ...file, currentPath: async () => join(dir, 'b', 'x') };
    await expect(expectAtPath(nodeDisk, moved, path)).rejects.toThrow(UsageError);
    const hint = expect.stringContaining('Run the command as the user who owns the files');
    await expect(expectAtPath(nodeDisk, moved, path)).rejects.toMatchObject({ hint });
    await file.close();
  });

  const cases: [string, Partial<DiskStat>, Partial<DiskStat>, RegExp | undefined][] = [
    ["that root owns, in root's directory", {}, { uid: 0, mode: 0o755 }, undefined],
    [
      'that any user owns, in a directory where only root can write',
      { uid: 7, nlink: 2 },
      { uid: 0, mode: 0o755 },
      undefined,
    ],
    ["that the directory's owner owns", { uid: 7 }, { uid: 7, mode: 0o755 }, undefined],
    ["that root owns, in another user's directory", { uid: 0 }, { uid: 7, mode: 0o755 }, undefined],
    [
      "that one user owns, in another user's directory",
      { uid: 8 },
      { uid: 7, mode: 0o755 },
      /it belongs to user 8, and its directory is writable by users other than root/,
    ],
    ['that another user owns, in /tmp', { uid: 8 }, { uid: 0, mode: 0o1777 }, /it belongs to user 8/],
    [
      'that another user owns, in a directory where a group can write',
      { uid: 8 },
      { uid: 0, mode: 0o775 },
      /it belongs to user 8/,
    ],
    [
      'that root owns, with a second hard link',
      { uid: 0, nlink: 2 },
      { uid: 7, mode: 0o755 },
      /it has more than one hard link/,
    ],
  ];
  it.each(cases)(
    'by root is refused only if another user may have put the file there: a file %s (D14)',
    async (_, ofFile, ofDirectory, refused) => {
      const memory = createMemoryDisk();
      memory.user = 0;
      memory.write(FILE, 'x');
      const open: Disk['open'] = async (...where) => {
        const file = await memory.disk.open(...where);
        return { ...file, stat: async () => ({ ...(await file.stat()), uid: 0, ...ofFile }) };
      };
      const lstat = async (path: string) => ({
        ...(await memory.disk.lstat(path)),
        ...(path === '/data' ? ofDirectory : {}),
      });
      const opening = openTrusted({ ...memory.disk, open, lstat }, FILE);
      if (refused) await expect(opening).rejects.toThrow(refused);
      else expect(await opening).toBeDefined();
    },
  );

  it('checks the file owner only if root opens the file', async () => {
    const memory = createMemoryDisk();
    memory.write(FILE, 'x');
    memory.user = 1001;
    const lstat = async (path: string) => ({
      ...(await memory.disk.lstat(path)),
      ...(path === '/data' ? { uid: 7, mode: 0o777 } : {}),
    });
    expect(await openTrusted({ ...memory.disk, lstat }, FILE)).toBeDefined();
  });
});

describe('a file that is replaced', () => {
  it('leaves the target of a symbolic or hard link at its path unchanged (D14)', async () => {
    const path = join(directory, 'out.csv');
    writeFileSync(join(directory, 'secret'), 'secret');
    symlinkSync('secret', path);
    await expect(replaceFile(nodeDisk, path, Buffer.from('new'))).rejects.toMatchObject({ code: 'ENOTSUP' });
    rmSync(path);
    linkSync(join(directory, 'secret'), path);
    await replaceFile(nodeDisk, path, Buffer.from('new'));
    expect(String(await nodeDisk.readFile(join(directory, 'secret')))).toBe('secret');
  });

  it('gets no replacement, and no temporary file is left, if the directory was swapped (D14)', async () => {
    const memory = createMemoryDisk();
    const open: Disk['open'] = async (...where) => ({
      ...(await memory.disk.open(...where)),
      currentPath: async () => '/etc/cron.d/.scans.csv.partial',
    });
    await expect(openReplacement({ ...memory.disk, open }, FILE)).rejects.toThrow(
      'it or a directory in its path was moved',
    );
    expect(memory.names()).toEqual([]);
  });
});
