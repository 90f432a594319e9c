/** Where a file that appears whole really goes, and the temporary file it is written under. */
import { constants, type Stats } from 'node:fs';
import { access, chown, type FileHandle, lstat, open, readdir, realpath, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemCode } from '../durable/write.ts';
import { UsageError } from '../errors.ts';

/** Our own process id, and which others still run: a temporary file of a dead process is rubbish to be removed. */
export interface Processes {
  readonly pid: number;
  isRunning(pid: number): boolean;
}

export interface Target {
  /** The real file, all symbolic links followed. */
  path: string;
  /** Not a regular file: written as it is, without a temporary one. */
  direct: boolean;
  /** The file that stands there now. */
  old: Stats | undefined;
}

/** Descriptors of this process by name; what they lead to is not ours to replace. */
const DESCRIPTORS = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/** Follows `path` to the file it means. Throws UsageError or a system error when nothing could be written there. */
export async function resolveTarget(path: string): Promise<Target> {
  if (path.endsWith('/')) throw new UsageError(`cannot write ${path}: it names a directory`, { hint: 'give --output a file' });
  const old = await stat(path).catch(ifMissing);
  if (old?.isDirectory()) throw new UsageError(`cannot write ${path}: it is a directory`, { hint: 'give --output a file' });
  if (DESCRIPTORS.test(path) || (old && !old.isFile())) return { path, direct: true, old };
  if (old) {
    await access(path, constants.W_OK); // a rename would replace a file that was made read-only on purpose
    return { path: await realpath(path), direct: false, old };
  }
  if (await lstat(path).catch(ifMissing)) {
    throw new UsageError(`cannot write ${path}: it is a symbolic link to a file that does not exist`, {
      hint: 'name the real file, or remove the link',
    });
  }
  const absolute = resolve(path);
  return { path: join(await realpath(dirname(absolute)), basename(absolute)), direct: false, old: undefined };
}

function ifMissing(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error;
}

/** Opens a device, pipe or descriptor. Appends, because the descriptor may lead to a file that others write too. */
export function openDirectly(path: string): Promise<FileHandle> {
  return open(path, constants.O_WRONLY | constants.O_APPEND);
}

/**
 * Creates the temporary file beside its target, with the permissions of the file it is going to replace, after removing
 * what killed processes left there for the same target.
 */
export async function openTemporary(target: Target, processes: Processes): Promise<{ path: string; file: FileHandle }> {
  const directory = dirname(target.path);
  const start = `.${shortened(basename(target.path))}.`;
  await removeLeftovers(directory, start, processes);
  const path = join(directory, `${start}${processes.pid}.partial`);
  const mode = target.old ? target.old.mode & 0o7777 : 0o666;
  const file = await open(path, 'wx', mode); // the umask applies here, as it does to any new file
  try {
    if (target.old) await takeOver(path, file, target.old);
    return { path, file };
  } catch (error) {
    await file.close();
    await unlink(path);
    throw error;
  }
}

/** The replaced file's owner and mode stay, as if it had been rewritten in place. */
async function takeOver(path: string, file: FileHandle, old: Stats): Promise<void> {
  const now = await file.stat();
  if (now.uid !== old.uid || now.gid !== old.gid) {
    await chown(path, old.uid, old.gid).catch(() => undefined); // only root may; anyone else's new file is their own
  }
  if (((await file.stat()).mode & 0o7777) !== (old.mode & 0o7777)) await file.chmod(old.mode & 0o7777);
}

async function removeLeftovers(directory: string, start: string, processes: Processes): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const pid = name.startsWith(start) ? /^(\d+)\.partial$/.exec(name.slice(start.length))?.[1] : undefined;
    if (pid === undefined) continue;
    // One with our own id is of an earlier process that had the same number: no run opens an output twice.
    const left = Number(pid) === processes.pid || !processes.isRunning(Number(pid));
    if (left) await unlink(join(directory, name)).catch(() => undefined);
  }
}

/** File systems bound a name at 255 bytes: room is left for the process id and the ending. */
function shortened(name: string): string {
  const bytes = Buffer.from(name);
  return bytes.length <= 200
    ? name
    : bytes
        .subarray(0, 200)
        .toString('latin1')
        .replace(/[^\x20-\x7e]/g, '_');
}
