import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, sep } from 'node:path';
import { UsageError } from '#base/errors';
import { asSentence } from '#base/text/quote';
import { checked, type Disk, type DiskFile, ifPresent } from '#files/durable/disk';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen, cannotWrite, OTHER_FILE } from '#files/durable/path-errors';
import {
  openReplacement,
  type Processes,
  type Replacement,
  refuseMountPoint,
} from '#files/durable/replace-file';
import { checkFifo, expectAtPath, makeRealDirectories, realPath } from '#files/durable/trusted-file';
import { writeFully } from '#files/durable/write';
import type { ByteSink } from './document-sink.ts';
import { createEncoder, createGatherer, type Encoder } from './gatherer.ts';
import { FILE_KINDS, type FileKind, kindOfFile, ORDINARY_FILES } from './kept-file.ts';

export interface OutputPlace {
  elsewhere?: string;
  replaces?: readonly FileKind[];
}

interface WholeFileOptions extends OutputPlace {
  processes: Processes;
  gzip?: boolean;
  /** Whether the file must be regular, because later runs read it. Doesn't apply to Windows devices. */
  keeps?: boolean;
  disk?: Disk;
  /** Called before the rename. If it throws, the old file is kept. */
  beforeReplace?: () => Promise<void>;
}

/**
 * Opens a file that a commit replaces, following links. Writes devices, FIFOs and descriptors directly,
 * without rollback. With gzip, each checkpoint begins a new member (RFC 1952, 2.2).
 */
export async function openWholeFile(path: string, options: WholeFileOptions): Promise<ByteSink> {
  const {
    processes,
    gzip = false,
    keeps = false,
    disk = nodeDisk,
    elsewhere = OTHER_FILE,
    beforeReplace,
  } = options;
  const encoder = () => createEncoder(gzip);
  try {
    // Omits the directory of a device, because the system would create a file in it.
    if (namesDevice(path, platform()))
      return directFile(path, await open(`\\\\.\\${basename(path)}`, 'w'), encoder());
    const { real, isFile } = await resolveFile(disk, path, options);
    if (isFile)
      return wholeFile(path, await openReplacement(disk, real, { processes }), encoder, beforeReplace);
    if (keeps) throw refusal(path, 'is not a regular file', 'remove it, or specify a different path');
    return directFile(path, await openDirectly(disk, path, real, processes.pid), encoder());
  } catch (error) {
    throw cannotOpen(`write ${path}`, error, elsewhere);
  }
}

export async function writeWholeFile(
  path: string,
  data: string | Uint8Array,
  options: WholeFileOptions,
): Promise<void> {
  const file = await openWholeFile(path, options);
  try {
    await file.write(data);
    await file.commit();
  } finally {
    await file.discard();
  }
}

/** Matches paths of open descriptors, such as /dev/stdout, whose files must not be replaced. */
const DESCRIPTORS = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/** Matches Windows device names: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const DEVICES = /^(?:.*[\\/])?(?:NUL|CON|AUX|PRN|COM\d|LPT\d)$/i;

export function namesDevice(path: string, system: NodeJS.Platform): boolean {
  return system === 'win32' && DEVICES.test(path);
}

/** Returns whether data stays written after a failure, as on a device. Never throws. */
export async function isWrittenDirectly(path: string): Promise<boolean> {
  if (namesDevice(path, platform()) || DESCRIPTORS.test(path)) return true;
  const found = await ifPresent(nodeDisk.stat(path)).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

export async function checkWholeFile(path: string, place: OutputPlace = {}): Promise<void> {
  if (namesDevice(path, platform())) return;
  try {
    await resolveFile(nodeDisk, path, place);
  } catch (error) {
    throw cannotOpen(`write ${path}`, error, place.elsewhere);
  }
}

/** Resolves a path. Refuses untrusted links and FIFOs (D14), and files that later runs need (T14). */
async function resolveFile(
  disk: Disk,
  path: string,
  place: OutputPlace,
): Promise<{ real: string; isFile: boolean }> {
  const { elsewhere = OTHER_FILE, replaces = ORDINARY_FILES } = place;
  if (path.endsWith('/') || path.endsWith(sep)) throw refusal(path, 'is the path of a directory', elsewhere);
  const old = await ifPresent(disk.stat(path));
  if (old?.isDirectory()) throw refusal(path, 'is a directory', elsewhere);
  if (DESCRIPTORS.test(path)) return { real: path, isFile: false };
  if (!old && (await ifPresent(disk.lstat(path)))) {
    throw refusal(
      path,
      'is a symbolic link to a file that does not exist',
      'specify the real file, or remove the link',
    );
  }
  const isFile = old === undefined || old.isFile();
  if (old && isFile) await disk.checkWritable(path); // a rename would replace a read-only file
  const real = await realPath(disk, path);
  await checkFifo(disk, real);
  if (isFile) {
    await refuseMountPoint(disk, real);
    // T14: checks the kind of the file before requests and again on opening: another run may have written it.
    const kind = await kindOfFile(disk, real);
    if (!replaces.includes(kind)) throw refusal(path, FILE_KINDS[kind], elsewhere);
  }
  return { real, isFile };
}

function refusal(path: string, what: string, hint: string): UsageError {
  return new UsageError(`cannot write ${path}: it ${what}`, { hint: asSentence(hint) });
}

function wholeFile(
  path: string,
  replacement: Replacement,
  encoder: () => Encoder,
  beforeReplace: WholeFileOptions['beforeReplace'],
): ByteSink {
  const gather = () => createGatherer(encoder(), replacement.write);
  let gatherer = gather();
  const failing = (error: unknown) =>
    Promise.reject(cannotWrite(`write ${path}`, error, `no changes were made to ${path}`));
  return {
    write: (chunk) => gatherer.write(chunk).catch(failing),
    commit: () =>
      gatherer
        .end()
        .then(() => replacement.commit(beforeReplace))
        .catch(failing),
    discard: replacement.discard,
    async checkpoint() {
      if (gatherer.touched()) await gatherer.end().catch(failing);
      const rewind = replacement.checkpoint();
      gatherer = gather();
      return async () => {
        await gatherer.settled();
        await rewind().catch(failing);
        gatherer = gather();
      };
    },
  };
}

type Direct = Pick<DiskFile, 'write' | 'close'>;

/** Opens a device, FIFO or descriptor for appending, because other processes may write to it too. */
async function openDirectly(disk: Disk, path: string, real: string, pid: number): Promise<Direct> {
  const isOurs = real === path || real.startsWith(`/proc/${pid}/`);
  if (DESCRIPTORS.test(real) && isOurs) return open(real, constants.O_WRONLY | constants.O_APPEND);
  return checked(await disk.open(real, 'w'), async (file) => {
    await expectAtPath(disk, file, real);
    if ((await file.stat()).isFile())
      throw refusal(path, 'became a regular file in the meantime', 'run the same command again');
  });
}

function directFile(path: string, file: Direct, encoder: Encoder): ByteSink {
  const gatherer = createGatherer(encoder, (bytes) => writeFully(file, bytes, null));
  const failing = (error: unknown) =>
    Promise.reject(cannotWrite(`write ${path}`, error, 'the output is incomplete'));
  return {
    write: (chunk) => gatherer.write(chunk).catch(failing),
    commit: () =>
      gatherer
        .end()
        .then(() => file.close())
        .catch(failing),
    discard: () => file.close().catch(() => undefined),
  };
}

export const OTHER_DIRECTORY = 'specify a different directory with --output-dir';

/** Creates a directory, and returns its real path. Throws LocalError or UsageError (D14). */
export async function makeOutputDirectory(path: string, elsewhere = OTHER_DIRECTORY): Promise<string> {
  try {
    return await makeRealDirectories(nodeDisk, path);
  } catch (cause) {
    throw cannotOpen(`create the directory ${path}`, cause, elsewhere);
  }
}
