/** Replaces files by an atomic rename of a temporary file in the same directory. */
import { hash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { LocalError, UsageError } from '#base/errors';
import { type Disk, type DiskFile, type DiskStat, ifPresent } from './disk.ts';
import { notRegular } from './path-errors.ts';
import { expectAtPath, inDirectory, isSameFile, removeFile } from './trusted-file.ts';
import { createEarlyFlush, writeFully } from './write.ts';

export interface Processes {
  pid: number;
  isRunning(pid: number): boolean;
}

export interface ReplaceOptions {
  /** PIDs for a unique temporary name. Unset if the caller holds a lock on the file. */
  processes?: Processes;
  /** Permissions of the new file (default: those of the old file, or 0666 less the umask). */
  mode?: number;
}

export type Replacement = Awaited<ReturnType<typeof openReplacement>>;

/** Starts to replace the file at a real path. Throws system errors, or UsageError if its directory moves. */
export async function openReplacement(disk: Disk, path: string, options: ReplaceOptions = {}) {
  const temporary = temporaryOf(path, options.processes?.pid);
  await removeLeftovers(disk, path, options.processes);
  const file = await createTemporary(disk, path, temporary, options.mode);
  const identity = await file.stat();
  const flush = createEarlyFlush(file);
  let size = 0;
  let failure: { error: unknown } | undefined;
  let ended = false;

  /** D3: runs `work`. After a failure, always throws the same error, because the content is unknown. */
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
    createdNs: identity.ctimeNs,
    write: (bytes: Uint8Array) =>
      attempt(async () => {
        await writeFully(file, bytes, size);
        size += bytes.length;
        flush.wrote(bytes.length);
      }),
    /** Returns a function that rolls back, unless a write failed. No write may be in progress. */
    checkpoint() {
      const kept = size;
      return async () => {
        if (failure) return;
        await attempt(() => file.truncate(kept));
        size = kept;
      };
    },
    commit: (beforeRename?: () => void | Promise<void>) =>
      attempt(async () => {
        await flush.settled();
        await putInPlace(disk, file, temporary, path, beforeRename);
        ended = true;
      }),
    async discard() {
      if (ended) return;
      await file.close().catch(() => undefined); // Windows can't remove an open file
      await inDirectory(disk, dirname(path), ({ at }) =>
        removeOurs(disk, identity, at(basename(temporary))),
      ).catch(() => undefined);
    },
  };
}

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

export function temporaryOf(path: string, pid?: number): string {
  return join(dirname(path), `${temporaryStart(path)}${pid === undefined ? '' : `${pid}.`}partial`);
}

function temporaryStart(path: string): string {
  const name = basename(path);
  const fits = Buffer.byteLength(name) <= 200;
  return `.${fits ? name : hash('sha256', name)}.`;
}

/** D7: removes temporary files that killed runs left. */
async function removeLeftovers(disk: Disk, path: string, processes: Processes | undefined): Promise<void> {
  if (!processes) return removeFile(disk, temporaryOf(path));
  const start = temporaryStart(path);
  await inDirectory(disk, dirname(path), async (directory) => {
    for (const name of await directory.names().catch(() => [])) {
      const pid = name.startsWith(start) ? /^(\d+)\.partial$/.exec(name.slice(start.length))?.[1] : undefined;
      if (pid === undefined) continue;
      // This process has no file yet, so a file with its ID is a leftover.
      const left = Number(pid) === processes.pid || !processes.isRunning(Number(pid));
      if (left) await disk.unlink(directory.at(name)).catch(() => undefined);
    }
  });
}

const PERMISSIONS = 0o777;

export function createTemporary(
  disk: Disk,
  path: string,
  temporary: string,
  mode?: number,
): Promise<DiskFile> {
  return inDirectory(disk, dirname(path), async (directory) => {
    const entry = directory.at(basename(temporary));
    const old = await ifPresent(disk.lstat(directory.at(basename(path))));
    // D14: refuses a link or directory that was created after the path was resolved.
    if (old && !old.isFile()) throw notRegular(path);
    const wanted = mode ?? (old && old.mode & PERMISSIONS);
    const file = await disk.open(entry, 'wx+', wanted ?? 0o666);
    try {
      await expectAtPath(disk, file, temporary);
      // D6: with requested permissions, the file may contain keys, so only the directory's owner may get it.
      const isTheirs = old && (mode === undefined || (await directory.stat()).uid === old.uid);
      if (isTheirs) await file.chown(old.uid, old.gid).catch(() => undefined); // only root can chown
      if (wanted !== undefined) await file.chmod(wanted); // the umask may have removed some bits
      return file;
    } catch (error) {
      const identity = await file.stat();
      await file.close();
      // D16: uses `entry`, which is valid even if the directory was moved.
      await removeOurs(disk, identity, entry);
      throw error;
    }
  });
}

/** Durably renames the temporary file to `path`, and closes it. Throws LocalError if it was replaced. */
export async function putInPlace(
  disk: Disk,
  file: DiskFile,
  temporary: string,
  path: string,
  beforeRename?: () => void | Promise<void>,
): Promise<void> {
  // D1: flushes the content before the rename makes it visible.
  await file.sync();
  await inDirectory(disk, dirname(path), async ({ at }) => {
    const entry = at(basename(temporary));
    // D4: in another container with this volume, a run with the same process ID may have taken the name.
    if (!(await isAt(disk, await file.stat(), entry))) {
      throw new LocalError(`${temporary} was replaced by another process`, {
        hint: 'Run the same command again. Only one run at a time can write to the file.',
      });
    }
    await beforeRename?.();
    await file.close(); // Windows can't rename an open file
    await disk.rename(entry, at(basename(path)));
  });
  // D2: flushes, so that a power cut can't bring the old file back.
  await disk.flushDirectory(dirname(path));
}

async function isAt(disk: Disk, identity: DiskStat, path: string): Promise<boolean> {
  return isSameFile(identity, await disk.lstat(path).catch(() => undefined));
}

async function removeOurs(disk: Disk, identity: DiskStat, path: string): Promise<void> {
  if (await isAt(disk, identity, path)) await disk.unlink(path).catch(() => undefined);
}

/** D18: refuses a real path at which another file is mounted. */
export async function refuseMountPoint(disk: Disk, real: string): Promise<void> {
  if (!(await disk.mountPoints()).has(real)) return;
  throw new UsageError(`cannot replace ${real}: it is mounted as a single file`, {
    hint: 'Mount its directory instead of the file.',
  });
}
