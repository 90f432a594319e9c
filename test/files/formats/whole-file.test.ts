import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ClosedPipeError, LocalError, UsageError } from '#base/errors';
import type { Disk } from '#files/durable/disk';
import { nodeDisk } from '#files/durable/node-disk';
import type { Processes } from '#files/durable/replace-file';
import {
  checkWholeFile,
  isWrittenDirectly,
  makeOutputDirectory,
  namesDevice,
  openWholeFile,
  writeWholeFile,
} from '#files/formats/whole-file';

const processes: Processes = { pid: 4_000_000, isRunning: () => false };
const posix = platform() !== 'win32';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'qrctl-whole-file-'));
  path = join(directory, 'out.csv');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (options: { gzip?: boolean } = {}, at = path) => openWholeFile(at, { processes, ...options });
const names = () => readdirSync(directory).sort();

test('Windows devices are recognized by the last part of a path, but only on Windows', () => {
  for (const path of ['NUL', 'nul', 'C:\\lists\\NUL', './con', 'COM1'])
    expect(namesDevice(path, 'win32')).toBe(true);
  for (const path of ['NUL.csv', 'nulls', 'NUL\\x.csv', 'COM'])
    expect(namesDevice(path, 'win32')).toBe(false);
  expect(namesDevice('NUL', 'linux')).toBe(false);
});

test('a file that is mounted as a single file is refused before anything is written (D18)', async () => {
  writeFileSync(path, 'old');
  const real = await nodeDisk.realpath(path);
  const disk: Disk = { ...nodeDisk, mountPoints: async () => new Set([real]) };
  await expect(openWholeFile(path, { processes, disk })).rejects.toMatchObject({
    message: expect.stringContaining('mounted as a single file'),
    hint: expect.stringContaining('directory'),
  });
  expect(names()).toEqual(['out.csv']);
});

describe('a file', () => {
  test('appears at the commit, and the old file stays until then', async () => {
    writeFileSync(path, 'old');
    const file = await open();
    await file.write('new '.repeat(200_000));
    expect(readFileSync(path, 'utf8')).toBe('old');
    await file.write(Buffer.from('end'));
    await file.commit();
    expect(readFileSync(path, 'utf8')).toBe(`${'new '.repeat(200_000)}end`);
    expect(names()).toEqual(['out.csv']);
  });

  test('does not appear, and leaves no temporary file, if it is discarded', async () => {
    writeFileSync(path, 'old');
    const file = await open();
    await file.write('x'.repeat(1_000_000));
    await file.discard();
    await file.discard();
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(names()).toEqual(['out.csv']);
  });

  test('lacks the data that was rolled back, even if all of its data was rolled back', async () => {
    const file = await open();
    await file.write('a'.repeat(400_000));
    const toA = await file.checkpoint?.();
    await file.write('b'.repeat(400_000));
    await toA?.();
    await file.write('c');
    await file.commit();
    expect(readFileSync(path, 'utf8')).toBe(`${'a'.repeat(400_000)}c`);

    const again = await open();
    const back = await again.checkpoint?.();
    await again.write('x'.repeat(400_000));
    await back?.();
    await again.commit();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  test('has the same compressed bytes whether it is written at once or line by line', async () => {
    const data = Array.from({ length: 50_000 }, (_, index) => `${index},Ann\n`);
    const whole = join(directory, 'whole.gz');
    await writeWholeFile(whole, data.join(''), { processes, gzip: true });
    const file = await open({ gzip: true });
    for (const line of data) await file.write(line);
    await file.commit();
    expect(readFileSync(path)).toEqual(readFileSync(whole));
    expect(gunzipSync(readFileSync(path)).toString()).toBe(data.join(''));
  });

  test('is valid gzip even if it is empty', async () => {
    await writeWholeFile(path, '', { processes, gzip: true });
    expect(gunzipSync(readFileSync(path))).toHaveLength(0);
  });

  test('has no empty gzip members, even if checkpoints follow each other', async () => {
    const expected = join(directory, 'whole.gz');
    await writeWholeFile(expected, 'a', { processes, gzip: true });
    const file = await open({ gzip: true });
    for (let count = 0; count < 3; count++) await (await file.checkpoint?.())?.();
    await file.write('a');
    await file.commit();
    expect(readFileSync(path)).toEqual(readFileSync(expected));
  });
});

describe('an output file', () => {
  test.runIf(posix)('replaces the target of a symbolic link, and keeps the link', async () => {
    mkdirSync(join(directory, 'real'));
    const real = join(directory, 'real', 'file.csv');
    writeFileSync(real, 'old');
    symlinkSync(real, path);
    const file = await open();
    expect(readdirSync(join(directory, 'real'))).toContain('.file.csv.4000000.partial');
    await file.write('new');
    await file.commit();
    expect(readFileSync(real, 'utf8')).toBe('new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(names()).toEqual(['out.csv', 'real']);
  });

  test.each([
    ['in a missing directory', () => join(directory, 'no', 'such', 'out.csv')],
    ['a directory', () => directory],
    ['a path that ends in a slash', () => `${path}/`],
    ['below a file', () => join(path, 'out.csv')],
  ])('is refused as a usage error before any file is created: %s', async (_what, at) => {
    writeFileSync(path, 'old');
    const failure = await open({}, at()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure).toMatchObject({
      message: expect.stringContaining('cannot write '),
      hint: expect.any(String),
    });
    expect(names()).toEqual(['out.csv']);
  });
});

describe.runIf(existsSync('/dev/full'))('a device or pipe', () => {
  test('(/dev/null) is written directly', async () => {
    await writeWholeFile('/dev/null', 'data', { processes });
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('is written directly through a link that this user created', async () => {
    symlinkSync('/dev/null', path);
    await writeWholeFile(path, 'data', { processes });
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test.each(['/dev/null', '/dev/stdout', '/dev'])(
    "is not written through another user's link to %s (D14)",
    async (target) => {
      symlinkSync(target, path);
      const lstat = async (at: string) => ({
        ...(await nodeDisk.lstat(at)),
        ...(at.endsWith('/out.csv') && { uid: 4711 }),
      });
      const writing = writeWholeFile(target === '/dev' ? join(path, 'null') : path, 'data', {
        processes,
        disk: { ...nodeDisk, lstat },
      });
      await expect(writing).rejects.toThrow(UsageError);
      await expect(writing).rejects.toThrow(
        "is a symbolic link to another user's file, created by user 4711",
      );
    },
  );

  test('is not written if it is a FIFO that another user created and could read (D14)', async () => {
    execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
    const lstat: Disk['lstat'] = async (at) => ({
      ...(await nodeDisk.lstat(at)),
      uid: at === path ? 4711 : 0,
    });
    const writing = writeWholeFile(path, 'data', { processes, disk: { ...nodeDisk, user: () => 0, lstat } });
    await expect(writing).rejects.toThrow('it is a named pipe of user 4711');
  });

  test('is not written if it was swapped for a link or a file before it is opened (D14)', async () => {
    execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
    const swapped = (swap: () => void): Disk => ({
      ...nodeDisk,
      open: (...where) => {
        rmSync(path);
        swap();
        return nodeDisk.open(...where);
      },
    });
    const toLink = writeWholeFile(path, 'data', {
      processes,
      disk: swapped(() => symlinkSync('/dev/null', path)),
    });
    await expect(toLink).rejects.toMatchObject({ message: expect.stringContaining('it is a symbolic link') });
    rmSync(path);
    execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
    const toFile = writeWholeFile(path, 'data', {
      processes,
      disk: swapped(() => writeFileSync(path, 'old')),
    });
    await expect(toFile).rejects.toThrow('it became a regular file in the meantime');
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  test('that is full causes the error for a full disk', async () => {
    const failure = await writeWholeFile('/dev/full', 'data', { processes }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LocalError);
    expect(failure).toMatchObject({ message: 'cannot write /dev/full: the disk is full (ENOSPC)' });
  });

  test.runIf(existsSync('/proc/self/fd'))('is closed after a failed write', async () => {
    for (const length of [1, 1_000_000])
      await expect(writeWholeFile('/dev/full', 'x'.repeat(length), { processes })).rejects.toThrow('full');
    const opened = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    });
    expect(opened).not.toContain('/dev/full');
  });

  test('(a FIFO) is written until its reader closes it', async () => {
    const fifo = join(directory, 'fifo');
    execFileSync('sh', ['-c', 'mkfifo "$0"', fifo]);
    const reader = spawn('head', ['-c', '5', fifo]);
    const read = new Promise<string>((resolve) =>
      reader.stdout.once('data', (data) => resolve(String(data))),
    );
    const file = await open({}, fifo);
    const left = new Promise((resolve) => reader.once('close', resolve));
    await file.write('hello'.repeat(100_000)).catch(() => undefined);
    expect(await read).toBe('hello');
    await left;
    await expect(file.write('x'.repeat(300_000))).rejects.toThrow(ClosedPipeError);
    await file.discard();
  });
});

describe.runIf(posix)('a path', () => {
  test('of a device or descriptor counts as written directly, but not the path of a file or directory', async () => {
    writeFileSync(path, '');
    for (const direct of ['/dev/null', '/dev/stdout', '/dev/fd/3', '/proc/self/fd/12'])
      expect(await isWrittenDirectly(direct), direct).toBe(true);
    for (const replaced of [path, directory, join(directory, 'missing'), join(path, 'x')])
      expect(await isWrittenDirectly(replaced), replaced).toBe(false);
  });

  test.runIf(platform() === 'linux')('of a descriptor is appended to the file of this process', async () => {
    writeFileSync(path, 'old\n');
    const descriptor = openSync(path, 'a');
    const file = await open({}, `/dev/fd/${descriptor}`);
    await file.write('new\n');
    await file.commit();
    closeSync(descriptor);
    expect([readFileSync(path, 'utf8'), names()]).toEqual(['old\nnew\n', ['out.csv']]);
  });

  test.each([
    ['new/', 'it is the path of a directory', 'Specify a different file with --output.'],
    ['old', 'it is a directory', 'Specify a different file with --output.'],
    [
      'link',
      'it is a symbolic link to a file that does not exist',
      'Specify the real file, or remove the link.',
    ],
    [
      'no/new',
      'its directory does not exist (ENOENT)',
      'Create the directory first, or specify a different file with --output.',
    ],
  ])('%s is refused because %s', async (name, why, hint) => {
    mkdirSync(join(directory, 'old'));
    symlinkSync('missing', join(directory, 'link'));
    const at = `${directory}/${name}`;
    const refused = { message: `cannot write ${at}: ${why}`, hint };
    await expect(checkWholeFile(at)).rejects.toBeInstanceOf(UsageError);
    await expect(checkWholeFile(at)).rejects.toMatchObject(refused);
    await expect(open({}, at)).rejects.toMatchObject(refused);
  });

  test('of a device is refused if the old content must be kept', async () => {
    await expect(openWholeFile('/dev/null', { processes, keeps: true })).rejects.toMatchObject({
      message: 'cannot write /dev/null: it is not a regular file',
      hint: 'Remove it, or specify a different path.',
    });
  });

  test('of an output directory is created with its parents, unless it is a file', async () => {
    const made = await makeOutputDirectory(join(directory, 'a', 'b'));
    expect(made).toBe(join(await nodeDisk.realpath(directory), 'a', 'b'));
    expect(statSync(made).isDirectory()).toBe(true);
    writeFileSync(path, '');
    await expect(makeOutputDirectory(path)).rejects.toMatchObject({
      message: `cannot create the directory ${path}: a file with that name already exists (EEXIST)`,
      hint: 'Specify a different directory with --output-dir.',
    });
  });
});
