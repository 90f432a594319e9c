/**
 * The one way in which a file is replaced as a whole: the new content is written under a temporary name in the same directory, flushed,
 * and renamed over the old file. At every instant, also after a power cut, the name shows either all of the old bytes or all of the new.
 * (What a stopped restart of an append had written in this way is renamed by the next run, in src/append/committed-point.ts.)
 */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { LocalError } from '../errors.ts';
import { type Disk, type DiskDirectory, type DiskFile, type DiskStat, ifPresent } from './disk.ts';
import { inDirectory, removeFile } from './held-directory.ts';
import { checkPlace, isSameFile } from './trusted-file.ts';
import { createEarlyFlush, writeFully } from './write.ts';

/** Our own process id, and which others still run: a temporary file of a dead process is rubbish to be removed. */
export interface Processes {
  readonly pid: number;
  isRunning(pid: number): boolean;
}

export interface ReplaceOptions {
  /**
   * For files that several runs may replace at the same time: each writes under a name of its own, and removes what dead processes left.
   * Absent where the caller holds a lock on the file: then whatever lies under the temporary name is a dead run's.
   */
  processes?: Processes;
  /**
   * The permissions of the new file, whatever the umask says: a file for one user alone, so that the old owner keeps it only in a directory
   * of theirs. Default: those of the old file, or what the umask makes of 0666.
   */
  mode?: number;
}

/** A file on its way to its place. After a failure of any step every later one fails with it, and nothing is put in place. */
export interface Replacement {
  /** How many bytes it has so far. */
  size(): number;
  /** When it was created, by the clock of its file system; see DiskStat. */
  readonly createdNs: bigint;
  /** Adds bytes. Throws the system's error (full disk, device). */
  write(bytes: Uint8Array): Promise<void>;
  /** Remembers this point; what it gives throws away everything written since. No write may be under way. */
  checkpoint(): () => Promise<void>;
  /**
   * All is written: flushes, and puts the file in its place for good. `beforeRename` is called when everything that can leave the old
   * one in place has succeeded, but the rename. Throws the system's error, LocalError, and what `beforeRename` throws.
   */
  commit(beforeRename?: () => void | Promise<void>): Promise<void>;
  /** Leaves what stood there before, and nothing beside it. Idempotent; harmless after `commit`. Never throws. */
  discard(): Promise<void>;
}

/**
 * Begins to replace the file at `path`, which need not exist. Links are not followed: a rename would replace the link, so name the real
 * file (`realPath`). Throws the system's error, and UsageError where somebody swaps names meanwhile (D14).
 */
export async function openReplacement(disk: Disk, path: string, options: ReplaceOptions = {}): Promise<Replacement> {
  const temporary = temporaryOf(path, options.processes?.pid);
  await removeLeftovers(disk, path, options.processes);
  const file = await openBeside(disk, path, temporary, options.mode);
  const identity = await file.stat();
  const flush = createEarlyFlush(file);
  let size = 0;
  let failure: { error: unknown } | undefined;
  let ended = false;

  /** D3: after a failed write or flush nobody knows what the disk has, and a second flush would not say: nothing more is claimed. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    if (failure) throw failure.error;
    try {
      await work();
    } catch (error) {
      failure = { error };
      throw error;
    }
  }

  return {
    size: () => size,
    createdNs: identity.ctimeNs,
    write: (bytes) =>
      attempt(async () => {
        await writeFully(file, bytes, size);
        size += bytes.length;
        flush.wrote(bytes.length);
      }),
    checkpoint() {
      const kept = size;
      return async () => {
        if (failure) return; // nothing will be put in place, so there is nothing to be thrown away
        await attempt(() => file.truncate(kept));
        size = kept;
      };
    },
    commit: (beforeRename) =>
      attempt(async () => {
        await flush.settled();
        await putInPlace(disk, file, temporary, path, beforeRename);
        ended = true;
      }),
    async discard() {
      if (ended) return;
      await file.close().catch(() => undefined); // first, for Windows removes no open file
      await inDirectory(disk, dirname(path), ({ at }) => removeOurs(disk, identity, at(basename(temporary)))).catch(
        () => undefined,
      );
    },
  };
}

/** As `openReplacement`, for bytes that are at hand. On failure the old file stands, and nothing beside it. */
export async function replaceFile(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  { beforeRename, ...options }: ReplaceOptions & { beforeRename?: () => void } = {},
): Promise<void> {
  const replacement = await openReplacement(disk, path, options);
  try {
    await replacement.write(bytes);
    await replacement.commit(beforeRename);
  } finally {
    await replacement.discard();
  }
}

/** Where the new content of `path` is written first. `pid`: by that process, where several may do so at the same time. */
export function temporaryOf(path: string, pid?: number): string {
  return join(dirname(path), `${temporaryStart(path)}${pid === undefined ? '' : `${pid}.`}partial`);
}

/** File systems bound a name at 255 bytes; a longer one is told apart from others by its digest. */
function temporaryStart(path: string): string {
  const name = basename(path);
  const fits = Buffer.byteLength(name) <= 200;
  return `.${fits ? name : createHash('sha256').update(name).digest('hex')}.`;
}

/** D7: what a killed run left goes; what a living one writes stays. */
async function removeLeftovers(disk: Disk, path: string, processes: Processes | undefined): Promise<void> {
  if (!processes) return removeFile(disk, temporaryOf(path));
  const start = temporaryStart(path);
  await inDirectory(disk, dirname(path), async (directory) => {
    for (const name of await directory.names().catch(() => [])) {
      const pid = name.startsWith(start) ? /^(\d+)\.partial$/.exec(name.slice(start.length))?.[1] : undefined;
      if (pid === undefined) continue;
      // One with our own id is of an earlier process that had the same number: no run opens an output twice.
      const left = Number(pid) === processes.pid || !processes.isRunning(Number(pid));
      if (left) await disk.unlink(directory.at(name)).catch(() => undefined);
    }
  });
}

/** Bits for reading, writing and executing; those that lend the owner's rights (setuid, setgid) are never handed on. */
const PERMISSIONS = 0o777;

/**
 * The first step of a replacement: creates `temporary` for what is to take the place of `path`, with the old file's owner and
 * permissions, as if that had been rewritten in place, or with `mode`. Throws the system's error, EEXIST where something is there.
 */
export function openBeside(disk: Disk, path: string, temporary: string, mode?: number): Promise<DiskFile> {
  return inDirectory(disk, dirname(path), (directory) => openIn(directory, { disk, path, temporary, mode }));
}

interface Opening {
  disk: Disk;
  path: string;
  temporary: string;
  mode: number | undefined;
}

async function openIn(directory: DiskDirectory, { disk, path, temporary, mode }: Opening): Promise<DiskFile> {
  const entry = directory.at(basename(temporary));
  const old = await ifPresent(disk.lstat(directory.at(basename(path))));
  // D14: the real file was named; what is a link by now was put there by somebody else.
  if (old && !old.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: 'ENOTSUP' });
  const wanted = mode ?? (old && old.mode & PERMISSIONS);
  // Never wider than wanted, from its first moment.
  const file = await disk.open(entry, 'wx+', wanted ?? 0o666);
  try {
    await checkPlace(disk, file, temporary);
    // D6: by descriptor, for by now the name may lead to somebody else's file.
    const isTheirs = old && (mode === undefined || (await directory.stat()).uid === old.uid);
    if (isTheirs) await file.chown(old.uid, old.gid).catch(() => undefined); // only root may; anyone else's new file is their own
    if (wanted !== undefined) await file.chmod(wanted); // the umask may have taken some away
    return file;
  } catch (error) {
    const identity = await file.stat();
    await file.close();
    // D16: also where the directory was moved after it was opened, nothing of ours stays in it, and nothing else goes.
    await removeOurs(disk, identity, entry);
    throw error;
  }
}

/**
 * The last steps of a replacement, the same for a file that was written by other means: `file`, which stands at `temporary`, takes the
 * place of `path` for good, and is closed. Throws as `commit` of a Replacement; until the rename the old file stands.
 */
export async function putInPlace(
  disk: Disk,
  file: DiskFile,
  temporary: string,
  path: string,
  beforeRename?: () => void | Promise<void>,
): Promise<void> {
  // D1: the content before the name. A name that outlives a power cut must not lead to a part of a file, or to an empty one.
  await file.sync();
  await inDirectory(disk, dirname(path), async ({ at }) => {
    const entry = at(basename(temporary));
    // D4: process ids are only unique on one machine. In two containers that share a volume another qrctl may have taken our temporary
    // name for a dead one's, and its file must not be renamed as if it were ours.
    if (!(await isAt(disk, await file.stat(), entry))) {
      throw new LocalError(`${temporary} was replaced by another process`, {
        hint: 'Run the same command again, and let only one run write the file at a time.',
      });
    }
    await beforeRename?.();
    await file.close(); // Windows does not move an open file
    await disk.rename(entry, at(basename(path)));
  });
  // D2: the rename itself. Without it a power cut brings the old file back after we said that it was replaced.
  await disk.flushDirectory(dirname(path));
}

/** Whether the file that was identified stands under that name (yet). */
async function isAt(disk: Disk, identity: DiskStat, path: string): Promise<boolean> {
  return isSameFile(identity, await disk.lstat(path).catch(() => undefined));
}

/** D4: removes the file that was identified, if it still has that name. Never throws. */
async function removeOurs(disk: Disk, identity: DiskStat, path: string): Promise<void> {
  if (await isAt(disk, identity, path)) await disk.unlink(path).catch(() => undefined);
}
