/** An output file that appears whole or not at all (see durable/replace-file.ts), plain or compressed; what is no file is written as it is. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, sep } from 'node:path';
import { type Disk, ifPresent, nodeDisk } from '../durable/disk.ts';
import { cannotOpen, cannotWrite } from '../durable/path-errors.ts';
import { openReplacement, type Processes, type Replacement } from '../durable/replace-file.ts';
import { realPath } from '../durable/trusted-file.ts';
import { makeDirectories, writeFully } from '../durable/write.ts';
import { UsageError } from '../errors.ts';
import { createGatherer } from './gatherer.ts';
import { createGzipEncoder, type Encoder, plainEncoder } from './gzip.ts';

export interface WholeFile {
  /** Adds to the file; small pieces are gathered into large writes. Throws LocalError (full disk, device). */
  write(chunk: string | Uint8Array): Promise<void>;
  /** All is written: flushes, and puts the file in its place. */
  commit(): Promise<void>;
  /** Leaves what stood there before, and nothing beside it. Idempotent; harmless after `commit`. Never throws. */
  discard(): Promise<void>;
  /**
   * Remembers this point; what it gives throws away everything written since. A compressed file goes on with a new member (RFC
   * 1952, 2.2). Absent for devices and pipes, which cannot take bytes back.
   */
  checkpoint?: () => Promise<() => Promise<void>>;
}

export interface WholeFileOptions {
  processes: Processes;
  /** Compress; the bytes depend on the data alone. */
  gzip?: boolean;
  /** Refuse what is no regular file: what is written has to be there afterwards. */
  keeps?: boolean;
  disk?: Disk;
  /** What to do where nothing can be written there, by the flag that is meant (default: `--output`). */
  elsewhere?: string | undefined;
}

/**
 * Opens `path` for a file that appears whole. Symbolic links are followed, and the real target is replaced. What is not a
 * regular file (/dev/null, a FIFO, /dev/stdout) is written directly, unless `keeps`.
 *
 * @throws UsageError when the path cannot be written (no such directory, no permission, a directory), before any byte is.
 */
export async function openWholeFile(
  path: string,
  { processes, gzip = false, keeps = false, disk = nodeDisk, elsewhere = 'choose another file with --output' }: WholeFileOptions,
): Promise<WholeFile> {
  const encoder = () => (gzip ? createGzipEncoder() : plainEncoder());
  try {
    // By its own name: in a directory, as node would make it, the system takes it for that of a file.
    if (namesDevice(path, platform())) return directFile(path, await open(`\\\\.\\${basename(path)}`, 'w'), encoder());
    const real = await resolveFile(disk, path, elsewhere);
    if (real === undefined && keeps) throw refusal(path, 'is not a regular file', 'remove it, or choose another place');
    if (real === undefined) return directFile(path, await openDirectly(path), encoder());
    return wholeFile(path, await openReplacement(disk, real, { processes }), encoder);
  } catch (error) {
    throw cannotOpen(`write ${path}`, error, elsewhere);
  }
}

/** Replaces `path` by `data` as a whole. Throws as `openWholeFile`, `write` and `commit` do; on failure the old file stands. */
export async function writeWholeFile(path: string, data: string | Uint8Array, options: WholeFileOptions): Promise<void> {
  const file = await openWholeFile(path, options);
  try {
    await file.write(data);
    await file.commit();
  } finally {
    await file.discard();
  }
}

/** Descriptors of this process by name; what they lead to is not ours to replace. */
const DESCRIPTORS = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/** In any directory of Windows: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const DEVICES = /^(?:.*[\\/])?(?:NUL|CON|AUX|PRN|COM\d|LPT\d)$/i;

/** Whether a path names a device by its last part alone, as on Windows: nothing can be renamed to it. */
export function namesDevice(path: string, system: NodeJS.Platform): boolean {
  return system === 'win32' && DEVICES.test(path);
}

/** Whether `path` is no file that appears whole: what was written there before a failure stays. Never throws. */
export async function isWrittenDirectly(path: string): Promise<boolean> {
  if (namesDevice(path, platform()) || DESCRIPTORS.test(path)) return true;
  const found = await ifPresent(nodeDisk.stat(path)).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/**
 * The file that `path` means, all links followed, or undefined where it is no regular file. Throws UsageError or a system error where
 * nothing could be written.
 */
async function resolveFile(disk: Disk, path: string, elsewhere: string): Promise<string | undefined> {
  if (path.endsWith('/') || path.endsWith(sep)) throw refusal(path, 'names a directory', elsewhere);
  const old = await ifPresent(disk.stat(path));
  if (old?.isDirectory()) throw refusal(path, 'is a directory', elsewhere);
  if (DESCRIPTORS.test(path) || (old && !old.isFile())) return undefined;
  if (old) {
    await disk.checkWritable(path); // a rename would replace a file that was made read-only on purpose
    return realPath(disk, path);
  }
  if (await ifPresent(disk.lstat(path))) {
    throw refusal(path, 'is a symbolic link to a file that does not exist', 'name the real file, or remove the link');
  }
  return realPath(disk, path);
}

function refusal(path: string, what: string, hint: string): UsageError {
  return new UsageError(`cannot write ${path}: it ${what}`, { hint });
}

function wholeFile(path: string, replacement: Replacement, createEncoder: () => Encoder): WholeFile {
  let gatherer = createGatherer(createEncoder(), replacement.write);
  const failing = (error: unknown) => Promise.reject(inWords(path, error, `${path} is as it was`));
  return {
    write: (chunk) => gatherer.write(chunk).catch(failing),
    async commit() {
      // An empty compressed file has a member all the same.
      const end = gatherer.touched() || replacement.size() === 0 ? gatherer.end() : Promise.resolve();
      await end.then(() => replacement.commit()).catch(failing);
    },
    discard: replacement.discard,
    async checkpoint() {
      if (gatherer.touched()) await gatherer.end().catch(failing);
      const rewind = replacement.checkpoint();
      gatherer = createGatherer(createEncoder(), replacement.write);
      return async () => {
        await gatherer.settled();
        await rewind().catch(failing);
        gatherer = createGatherer(createEncoder(), replacement.write);
      };
    },
  };
}

/** Appends, because a descriptor may lead to a file that others write too. */
async function openDirectly(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
  // A device when its name was looked at, and a file that is opened: somebody swapped them.
  if (DESCRIPTORS.test(path) || !(await file.stat()).isFile()) return file;
  await file.close();
  throw refusal(path, 'became a regular file meanwhile', 'run this again');
}

function directFile(path: string, file: FileHandle, encoder: Encoder): WholeFile {
  let closed = false;
  const gatherer = createGatherer(encoder, (bytes) => writeFully(file, bytes, null));
  const failing = (error: unknown) => Promise.reject(inWords(path, error, 'not all was written'));
  const close = async () => {
    if (!closed) await file.close();
    closed = true;
  };
  return {
    write: (chunk) => gatherer.write(chunk).catch(failing),
    commit: () => gatherer.end().then(close).catch(failing),
    discard: () => close().catch(() => undefined),
  };
}

function inWords(path: string, error: unknown, state: string): unknown {
  return cannotWrite(`write ${path}`, error, state);
}

/** Where a file in the directory of `--output-dir` cannot be written. */
export const OTHER_DIRECTORY = 'choose another directory with --output-dir';

/** Makes the directory of `--output-dir`, and those above it. Throws UsageError where the path is to blame, LocalError otherwise. */
export async function makeOutputDirectory(path: string): Promise<void> {
  try {
    await makeDirectories(nodeDisk, path);
  } catch (cause) {
    throw cannotOpen(`make the directory ${path}`, cause, OTHER_DIRECTORY);
  }
}
