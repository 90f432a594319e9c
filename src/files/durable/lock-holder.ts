/** Finds the process that holds a lock of lock.ts on Linux: any process can take the name of a lock. */
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';

interface LockHolder {
  /** Undefined if this user may not inspect the process. */
  process: { pid: number; user: number } | undefined;
}

/** Returns the holder of an abstract socket; undefined if there is none, or if the system does not report it. */
export async function findHolder(name: string, proc = '/proc'): Promise<LockHolder | undefined> {
  const inode = await inodeOf(name, proc);
  if (inode === undefined) return undefined;
  const names = await readdir(proc).catch(() => []);
  for (const pid of names.filter((entry) => /^\d+$/.test(entry))) {
    if (!(await hasSocket(join(proc, pid, 'fd'), inode))) continue;
    const found = await stat(join(proc, pid)).catch(() => undefined);
    return found && { process: { pid: Number(pid), user: found.uid } };
  }
  return (await inodeOf(name, proc)) === inode ? { process: undefined } : undefined;
}

async function inodeOf(name: string, proc: string): Promise<string | undefined> {
  const sockets = await readFile(join(proc, 'net/unix'), 'utf8').catch(() => '');
  const line = sockets.split('\n').find((text) => text.endsWith(` @${name}`));
  return line?.trim().split(/\s+/)[INODE_COLUMN];
}

/** Returns the error if a process of another user holds the lock on `path`; undefined if the holder is unknown. */
export function otherUserError(
  path: string,
  holder: LockHolder | undefined,
  user: number | undefined,
): UsageError | undefined {
  if (!holder || holder.process?.user === user) return undefined;
  const { process: found } = holder;
  const who = found
    ? `process ${found.pid} of user ${found.user}`
    : 'a process of another user or outside this container';
  return new UsageError(`${who} holds the lock on ${path}`, {
    hint: 'No changes were made. If that process is not a qrctl run, end it. Then run the same command again.',
  });
}

/** Columns of /proc/net/unix: Num RefCount Protocol Flags Type St Inode Path (proc(5)). */
const INODE_COLUMN = 6;

async function hasSocket(descriptors: string, inode: string): Promise<boolean> {
  for (const descriptor of await readdir(descriptors).catch(() => [])) {
    const target = await readlink(join(descriptors, descriptor)).catch(() => undefined);
    if (target === `socket:[${inode}]`) return true;
  }
  return false;
}
