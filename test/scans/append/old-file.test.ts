/** The second name of a file that `--restart` replaces: which it is, and what stands against it. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Disk } from '#files/durable/disk';
import { keepOldFile } from '#scans/append/current-state';
import { createOldFile } from '#scans/append/old-rows';
import { createMemoryDisk, type MemoryDisk } from '../../support/memory-disk.ts';
import { FILE } from './runs.ts';

const OLD = `${FILE}.old`;

let memory: MemoryDisk;
const keep = (changes: Partial<Disk> = {}) => keepOldFile({ ...memory.disk, ...changes }, FILE);
const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

beforeEach(() => {
  memory = createMemoryDisk();
  memory.write(FILE, 'rows');
});

it('keepOldFile adds a link to the file, and a second call returns the same name', async () => {
  expect([await keep(), await keep()]).toEqual([OLD, OLD]);
  expect(memory.names()).toEqual([FILE, OLD]);
});

it('keepOldFile uses the next unused name if FILE.old exists', async () => {
  memory.write(OLD, 'other');
  expect(await keep()).toBe(`${OLD}.1`);
});

it('keepOldFile uses the next name if another process creates FILE.old at the same time', async () => {
  const link: Disk['link'] = async (from, to) => {
    if (to.endsWith('.old')) memory.write(OLD, 'theirs');
    return memory.disk.link(from, to);
  };
  expect(await keep({ link })).toBe(`${OLD}.1`);
  expect(memory.read(OLD)).toBe('theirs');
});

it.each(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EISDIR', 'UNKNOWN'])(
  'keepOldFile renames the file if a link fails with %s',
  async (code) => {
    expect(await keep({ link: () => failing(code) })).toBe(OLD);
    expect(memory.names()).toEqual([OLD]);
  },
);

it('keepOldFile renames the file if the file system does not support hard links', async () => {
  expect(await keep({ link: () => failing('EPERM') })).toBe(OLD);
  expect(memory.names()).toEqual([OLD]);
});

it('keepOldFile rejects if the disk fails', async () => {
  await expect(keep({ link: () => failing('EIO') })).rejects.toMatchObject({ code: 'EIO' });
  await expect(keep({ link: () => Promise.reject(new Error('no code')) })).rejects.toThrow('no code');
  expect(memory.names()).toEqual([FILE]);
});

it('keepOldFile rejects if 10,000 names are taken', async () => {
  const other = await memory.disk.lstat('/data');
  const asked: string[] = [];
  const lstat: Disk['lstat'] = async (path) => {
    asked.push(path);
    return path.includes('.old') ? other : memory.disk.lstat(path);
  };
  await expect(keep({ lstat })).rejects.toMatchObject({
    name: 'LocalError',
    message: 'cannot keep scans.out: scans.out.old and 9999 other names are in use',
    hint: 'Move the old files to another directory, then run the same command again.',
  });
  expect(asked.at(-1)).toMatch(/\.old\.9999$/);
});

describe('no old file is kept for', () => {
  it('a missing file, and no message is printed', async () => {
    memory.remove(FILE);
    expect(await keep()).toBeUndefined();
    const remarks: string[] = [];
    const job = {
      disk: memory.disk,
      paths: { file: FILE, state: '', restart: '' },
      remark: (line: string) => remarks.push(line),
    };
    await createOldFile(job as never, undefined).keep();
    expect(remarks).toEqual([]);
  });

  it('a directory', async () => {
    memory.remove(FILE);
    await memory.disk.mkdir(FILE);
    expect(await keep()).toBeUndefined();
  });
});
