import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Disk, DiskStat } from '#files/durable/disk';
import { nodeDisk } from '#files/durable/node-disk';
import { replaceFile } from '#files/durable/replace-file';
import { createEarlyFlush, makeDirectories, truncateTo, writeFully } from '#files/durable/write';
import { useDirectory } from '../../support/cli.ts';
import { createMemoryDisk } from '../../support/memory-disk.ts';
import { atEveryStep } from './every-step.ts';

/** A disk that takes at most `atOnce` bytes a write, and `free` bytes in all. */
function smallDisk(atOnce: number, free = Number.POSITIVE_INFINITY) {
  const taken: number[] = [];
  const positions: (number | null)[] = [];
  return {
    taken,
    positions,
    async write(data: Uint8Array, offset: number, length: number, position: number | null) {
      positions.push(position);
      expect(offset + length).toBeLessThanOrEqual(data.length);
      const bytesWritten = Math.min(atOnce, length, free - taken.length);
      taken.push(...data.subarray(offset, offset + bytesWritten));
      return { bytesWritten };
    },
  };
}

describe('a write', () => {
  test.each([100, null])('continues after partial writes from the position %s (D5)', async (position) => {
    const disk = smallDisk(3);
    await writeFully(disk, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), position);
    expect(disk.taken).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(disk.positions).toEqual(position === null ? [null, null, null] : [100, 103, 106]);
  });

  test('fails if the disk accepts nothing more (D5)', async () => {
    await expect(writeFully(smallDisk(3, 4), new Uint8Array(8), null)).rejects.toMatchObject({
      code: 'EIO',
      message: 'EIO: the device accepts no more data',
    });
  });

  test('writes nothing for empty data', async () => {
    const disk = smallDisk(3);
    await writeFully(disk, new Uint8Array(0), null);
    expect(disk.positions).toEqual([]);
  });
});

test.each([
  [5, 3, ['truncate 3', 'sync']],
  [3, 3, []],
  [2, 3, []],
])(
  'truncateTo() flushes a truncated file, and never makes a file longer: %i to %i bytes',
  async (size, to, expected) => {
    const calls: string[] = [];
    const file = {
      stat: async () => ({ size }) as DiskStat,
      truncate: async (bytes: number) => void calls.push(`truncate ${bytes}`),
      sync: async () => void calls.push('sync'),
    };
    await truncateTo(file, to);
    expect(calls).toEqual(expected);
  },
);

describe('directories', () => {
  test('are created with parents and permissions, and the result states whether they were missing', async () => {
    const path = join(await useDirectory(), 'a', 'b', 'c');
    expect(await makeDirectories(nodeDisk, path, 0o700)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(await makeDirectories(nodeDisk, path, 0o700)).toBe(false);
  });

  test('are created if another process creates the parent at the same time', async () => {
    const { disk } = createMemoryDisk();
    let isFirst = true;
    const racing: Disk = {
      ...disk,
      async mkdir(path, mode) {
        const wasFirst = isFirst;
        isFirst = false;
        try {
          await disk.mkdir(path, mode);
        } finally {
          if (wasFirst) await disk.mkdir('/data/deep');
        }
      },
    };
    expect(await makeDirectories(racing, '/data/deep/config')).toBe(true);
    expect((await disk.stat('/data/deep/config')).isDirectory()).toBe(true);
  });

  test('cannot be created if the root is missing, as on a missing drive', async () => {
    const missing = () => Promise.reject(Object.assign(new Error('ENOENT: not there'), { code: 'ENOENT' }));
    const nowhere: Disk = { ...createMemoryDisk().disk, mkdir: missing, stat: missing };
    await expect(makeDirectories(nowhere, '/a/b')).rejects.toThrow('ENOENT');
  });

  test('exist after a power cut, with their files (D12)', async () => {
    const work = async ({ disk }: { disk: typeof nodeDisk }) => {
      await makeDirectories(disk, '/data/a/b');
      await replaceFile(disk, '/data/a/b/out.csv', Buffer.from('new'));
    };
    const memory = createMemoryDisk();
    await work(memory);
    memory.revive({ keep: () => 0 });
    expect(memory.read('/data/a/b/out.csv')).toBe('new');

    const nothing = () => undefined;
    await atEveryStep(nothing, work, ['end-before', 'end-after'], async (attempt) => {
      attempt.memory.revive({ keep: () => 0 });
      await work(attempt.memory);
      expect(attempt.memory.read('/data/a/b/out.csv')).toBe('new');
    });
  });

  test('are not created at or below the path of a file', async () => {
    const { disk, write } = createMemoryDisk();
    write('/data/file', '');
    await expect(makeDirectories(disk, '/data/file')).rejects.toThrow('EEXIST');
    await expect(makeDirectories(disk, '/data/file/x')).rejects.toThrow('ENOTDIR');
  });

  test('are not created in a second attempt after an error other than a missing parent', async () => {
    const { disk } = createMemoryDisk();
    let tries = 0;
    const full = {
      ...disk,
      mkdir: async () => Promise.reject(Object.assign(new Error(`${tries++}`), { code: 'ENOSPC' })),
    };
    await expect(makeDirectories(full, '/data/no/x')).rejects.toThrow('0');
    expect(tries).toBe(1);
  });

  test.runIf(process.platform === 'linux')(
    'cause an error, not an endless loop, if the system refuses them with ENOENT',
    async () => {
      await expect(makeDirectories(nodeDisk, '/proc/x/y')).rejects.toThrow('ENOENT');
    },
  );
});

describe('an early flush', () => {
  const MIB = 1024 * 1024;

  /** A file whose flushes end when told to: well, or with an error. */
  function slowFile() {
    const pending: ((error?: Error) => void)[] = [];
    const datasync = () =>
      new Promise<void>((resolve, reject) => {
        pending.push((error) => (error ? reject(error) : resolve()));
      });
    return { pending, flush: createEarlyFlush({ datasync }) };
  }

  test('begins after every 16 MiB, one at a time, without delaying writes', async () => {
    const { pending, flush } = slowFile();
    for (let i = 0; i < 15; i++) flush.wrote(MIB);
    flush.wrote(MIB - 1);
    expect(pending).toHaveLength(0);
    flush.wrote(1);
    expect(pending).toHaveLength(1);
    for (let i = 0; i < 40; i++) flush.wrote(MIB);
    expect(pending).toHaveLength(1);
    pending[0]?.();
    await flush.settled();
    flush.wrote(MIB);
    expect(pending).toHaveLength(2);
    pending[1]?.();
    await flush.settled();
    flush.wrote(MIB);
    expect(pending).toHaveLength(2); // that was one of the next sixteen
  });

  test('makes the next write throw if it failed, and settled() reject with its error (D3)', async () => {
    const { pending, flush } = slowFile();
    flush.wrote(16 * MIB);
    const end = flush.settled();
    pending[0]?.(new Error('EIO: lost'));
    await expect(end).rejects.toMatchObject({ message: 'EIO: lost' });
    expect(() => flush.wrote(1)).toThrow(Error);
    await expect(flush.settled()).rejects.toThrow('EIO: lost');
  });
});
