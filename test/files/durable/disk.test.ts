import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ifPresent, readPieces } from '#files/durable/disk';
import { nodeDisk } from '#files/durable/node-disk';
import { useDirectory } from '../../support/cli.ts';
import { createMemoryDisk } from '../../support/memory-disk.ts';

const MIB = 1 << 20;

describe('nodeDisk', () => {
  test('has the user of this process', () => {
    expect(nodeDisk.user()).toBe(process.geteuid?.());
  });

  test('lists, creates, renames and removes files', async () => {
    const directory = await useDirectory();
    await nodeDisk.mkdir(join(directory, 'a'), 0o700);
    const file = await nodeDisk.open(join(directory, 'b'), 'wx+', 0o600);
    await file.close();
    await nodeDisk.rename(join(directory, 'b'), join(directory, 'c'));
    expect((await nodeDisk.readdir(directory)).sort()).toEqual(['a', 'c']);
    expect((await nodeDisk.lstat(join(directory, 'a'))).isDirectory()).toBe(true);
    expect((await nodeDisk.stat(join(directory, 'c'))).mode & 0o777).toBe(0o600);
    await nodeDisk.unlink(join(directory, 'c'));
    expect(await nodeDisk.readdir(directory)).toEqual(['a']);
  });

  test('reads and truncates open files, changes their permissions, and returns their path only for root', async () => {
    const path = join(await nodeDisk.realpath(await useDirectory()), 'file');
    writeFileSync(path, '0123456789');
    const file = await nodeDisk.open(path, 'r+');
    const found = Buffer.alloc(3);
    expect(await file.read(found, 0, 3, 4)).toMatchObject({ bytesRead: 3 });
    expect(String(found)).toBe('456');
    await file.truncate(2);
    await file.chmod(0o600);
    expect(statSync(path)).toMatchObject({ size: 2, mode: 0o100600 });
    expect(await file.currentPath()).toBe(process.geteuid?.() === 0 ? path : undefined);
    await file.close();
  });

  test.skipIf(platform() === 'win32')('refuses to read a FIFO without waiting for a writer', async () => {
    const path = join(await useDirectory(), 'fifo');
    execFileSync('python3', ['-c', 'import os, sys; os.mkfifo(sys.argv[1])', path]);
    await expect(nodeDisk.readFile(path)).rejects.toMatchObject({ code: 'ENOTSUP' });
  });

  test('reads regular files, and refuses directories and devices', async () => {
    const directory = await useDirectory();
    writeFileSync(join(directory, 'file'), 'text');
    expect(String(await nodeDisk.readFile(join(directory, 'file')))).toBe('text');
    await expect(nodeDisk.readFile(directory)).rejects.toMatchObject({ code: 'ENOTSUP' });
    await expect(nodeDisk.readFile('/dev/null')).rejects.toMatchObject({ code: 'ENOTSUP' });
  });

  test.runIf(platform() !== 'win32')(
    'leaves no hole in a file that another process truncates between two writes',
    async () => {
      const path = join(await useDirectory(), 'file');
      const file = await nodeDisk.open(path, 'wx+');
      await file.write(Buffer.from('0123456789'), 0, 10, 0);
      truncateSync(path, 4);
      await file.write(Buffer.from('ab'), 0, 2, 10);
      await file.close();
      expect(readFileSync(path, 'utf8')).toBe('0123ab');
      const again = await nodeDisk.open(path, 'r+');
      await again.write(Buffer.from('!'), 0, 1, 0);
      await again.close();
      expect(readFileSync(path, 'utf8')).toBe('0123ab!');
    },
  );

  test('flushes a directory, ignores a device that cannot be flushed, and fails if the directory does not exist', async () => {
    const directory = await useDirectory();
    await nodeDisk.flushDirectory(directory);
    await expect(nodeDisk.flushDirectory(join(directory, 'no'))).rejects.toMatchObject({ code: 'ENOENT' });
    await nodeDisk.flushDirectory('/dev/null'); // EINVAL: what cannot be flushed is as durable as it gets
  });

  test.runIf(process.getuid?.() !== 0)(
    'rejects checkWritable() if the user has no write permission for the file',
    async () => {
      const path = join(await useDirectory(), 'file');
      writeFileSync(path, '');
      await nodeDisk.checkWritable(path);
      chmodSync(path, 0o400);
      await expect(nodeDisk.checkWritable(path)).rejects.toMatchObject({ code: 'EACCES' });
    },
  );

  test('with ifPresent() returns undefined for a missing file, and throws other errors', async () => {
    const directory = await useDirectory();
    mkdirSync(join(directory, 'a'));
    expect(await ifPresent(nodeDisk.stat(join(directory, 'no')))).toBeUndefined();
    expect((await ifPresent(nodeDisk.stat(join(directory, 'a'))))?.isDirectory()).toBe(true);
    await expect(ifPresent(nodeDisk.readFile(directory))).rejects.toMatchObject({ code: 'ENOTSUP' });
  });
});

describe('reading a file in pieces', () => {
  const CONTENT = Buffer.from(Array.from({ length: 2 * MIB + 5 }, (_, i) => i % 251));

  async function openContent() {
    const memory = createMemoryDisk();
    memory.write('/data/x', CONTENT);
    return memory.disk.open('/data/x', 'r+');
  }

  async function piecesOf(start: number, end: number, signal?: AbortSignal): Promise<Buffer[]> {
    const pieces: Buffer[] = [];
    for await (const piece of readPieces(await openContent(), start, end, signal))
      pieces.push(Buffer.from(piece));
    return pieces;
  }

  test('yields the requested range', async () => {
    const pieces = await piecesOf(3, 2 * MIB + 4);
    expect(pieces.map(({ length }) => length)).toEqual([MIB, MIB, 1]);
    expect(Buffer.concat(pieces).equals(CONTENT.subarray(3, 2 * MIB + 4))).toBe(true);
    expect(await piecesOf(7, 7)).toEqual([]);
  });

  test('ends at the end of the file', async () => {
    const pieces = await piecesOf(2 * MIB, 9 * MIB);
    expect(Buffer.concat(pieces).equals(CONTENT.subarray(2 * MIB))).toBe(true);
  });

  test('rejects with the abort reason', async () => {
    await expect(piecesOf(0, 10, AbortSignal.abort(new Error('interrupted')))).rejects.toThrow('interrupted');
  });
});
