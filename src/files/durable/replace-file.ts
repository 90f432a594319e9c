/**
 * Replaces a file atomically: writes the new content under a temporary name in the same directory, flushes it, and renames it over the old file. At
 * every instant, also after a power cut, the name leads to all of the old bytes or all of the new ones. (If a restart of an append was stopped after it
 * had written its file, the next run renames it, in src/scans/append/current-state.ts.)
 */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { LocalError } from '../../base/errors.ts';
import { type Disk, type DiskDirectory, type DiskFile, type DiskStat, ifPresent } from './disk.ts';
import { inDirectory, removeFile } from './held-directory.ts';
import { expectAtPath, isSameFile } from './trusted-file.ts';
import { createEarlyFlush, writeFully } from './write.ts';

/** Own process ID, and whether another process still runs: the temporary file of a dead process is a leftover. */
export interface Processes {
  readonly pid: number;
  isRunning(pid: number): boolean;
}

export interface ReplaceOptions {
  /**
   * For files that several runs may replace at the same time: each writes under its own name, and removes leftovers of dead processes.
   * Unset if the caller holds a lock on the file: then any file under the temporary name is a leftover.
   */
  processes?: Processes;
  /**
   * Permissions of the new file, regardless of the umask: for a file that only one user may read, so the old owner keeps it only in a
   * directory of theirs. Default: those of the old file, or 0666 less the umask.
   */
  mode?: number;
}

/** File that will replace another. After a step fails, every later step fails with the same error, and the old file stays. */
export interface Replacement {
  /** Returns the number of bytes written so far. */
  size(): number;
  /** Time of its creation by the clock of the file system; see DiskStat. */
  readonly createdNs: bigint;
  /** Adds bytes. Throws the system's error (full disk, device). */
  write(bytes: Uint8Array): Promise<void>;
  /** Returns a checkpoint function that discards everything written since this point. No write may be in progress. */
  checkpoint(): () => Promise<void>;
  /**
   * Flushes, and durably puts the file in place. `beforeRename` is called when every step but the rename that could leave the old file in
   * place has succeeded. Throws the system's error, LocalError, and the errors of `beforeRename`.
   */
  commit(beforeRename?: () => void | Promise<void>): Promise<void>;
  /** Keeps the old content and removes the temporary file. Idempotent; without effect after `commit`. Never throws. */
  discard(): Promise<void>;
}

/**
 * Starts to replace the file at `path`, which does not need to exist. Links are not followed: a rename would replace the link, so pass the
 * real path (`realPath`). Throws the system's error, and UsageError if another user changes names meanwhile (D14).
 */
export async function openReplacement(
  disk: Disk,
  path: string,
  options: ReplaceOptions = {},
): Promise<Replacement> {
  const temporary = temporaryOf(path, options.processes?.pid);
  await removeLeftovers(disk, path, options.processes);
  const file = await createTemporary(disk, path, temporary, options.mode);
  const identity = await file.stat();
  const flush = createEarlyFlush(file);
  let size = 0;
  let failure: { error: unknown } | undefined;
  let ended = false;

  /**
   * D3: after a failed write or flush the content of the disk is unknown, and a second flush would not show it: nothing more is put in
   * place.
   */
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
        if (failure) return; // the file will not be put in place anyway
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
      await file.close().catch(() => undefined); // first, because Windows can't remove an open file
      await inDirectory(disk, dirname(path), ({ at }) =>
        removeOurs(disk, identity, at(basename(temporary))),
      ).catch(() => undefined);
    },
  };
}

/** Like `openReplacement`, for bytes in memory. On failure the old file stays, without a leftover. */
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

/** Returns the temporary path for the new content of `path`. `pid`: of that process, if several may write at the same time. */
export function temporaryOf(path: string, pid?: number): string {
  return join(dirname(path), `${temporaryStart(path)}${pid === undefined ? '' : `${pid}.`}partial`);
}

/** File systems limit a name to 255 bytes; a longer one is distinguished by its digest. */
function temporaryStart(path: string): string {
  const name = basename(path);
  const fits = Buffer.byteLength(name) <= 200;
  return `.${fits ? name : createHash('sha256').update(name).digest('hex')}.`;
}

/** D7: leftovers of a killed run are removed; files of a running one stay. */
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

/** Bits for reading, writing and executing; setuid and setgid are never copied. */
const PERMISSIONS = 0o777;

/**
 * Creates `temporary` for the new content of `path`, the first step of a replacement, with the old file's owner and permissions, as if it
 * were rewritten in place, or with `mode`. Throws the system's error, EEXIST if the name is taken.
 */
export function createTemporary(
  disk: Disk,
  path: string,
  temporary: string,
  mode?: number,
): Promise<DiskFile> {
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
  // D14: `path` is a real path; if it is a link by now, another user created it.
  if (old && !old.isFile())
    throw Object.assign(new Error(`${path} is not a regular file`), { code: 'ENOTSUP' });
  const wanted = mode ?? (old && old.mode & PERMISSIONS);
  // Never wider permissions than requested, not even for an instant.
  const file = await disk.open(entry, 'wx+', wanted ?? 0o666);
  try {
    await expectAtPath(disk, file, temporary);
    // D6: by descriptor, because the name may lead to another user's file by now.
    const isTheirs = old && (mode === undefined || (await directory.stat()).uid === old.uid);
    if (isTheirs) await file.chown(old.uid, old.gid).catch(() => undefined); // only root can; other users own the new file
    if (wanted !== undefined) await file.chmod(wanted); // the umask may have removed some bits
    return file;
  } catch (error) {
    const identity = await file.stat();
    await file.close();
    // D16: even if the directory was moved after it was opened, no leftover stays in it, and no other file is removed.
    await removeOurs(disk, identity, entry);
    throw error;
  }
}

/**
 * Durably renames `file`, which is at `temporary`, to `path`, and closes it: the last steps of a replacement, also for a file that was
 * written by other means. Throws like `commit` of a Replacement; until the rename the old file stays.
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
        hint: 'Run the same command again. Only one run at a time can write to the file.',
      });
    }
    await beforeRename?.();
    await file.close(); // Windows can't rename an open file
    await disk.rename(entry, at(basename(path)));
  });
  // D2: makes the rename durable. Without it, a power cut brings the old file back after the replacement was reported.
  await disk.flushDirectory(dirname(path));
}

/** Returns whether the identified file is still at the path. */
async function isAt(disk: Disk, identity: DiskStat, path: string): Promise<boolean> {
  return isSameFile(identity, await disk.lstat(path).catch(() => undefined));
}

/** D4: removes the file that was identified, if it still has that name. Never throws. */
async function removeOurs(disk: Disk, identity: DiskStat, path: string): Promise<void> {
  if (await isAt(disk, identity, path)) await disk.unlink(path).catch(() => undefined);
}
