/** Who holds a lock of lock.ts on Linux: anybody may take the name of a lock, also who is no run of qrctl and not this user. */
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';

interface LockHolder {
  /** Undefined where this user may not look at the process. */
  process: { pid: number; user: number } | undefined;
}

/** The holder of the abstract socket of that name (without its NUL); undefined where nobody has it, or the system does not say. */
export async function findHolder(name: string, proc = '/proc'): Promise<LockHolder | undefined> {
  const inode = await inodeOf(name, proc);
  if (inode === undefined) return undefined;
  const names = await readdir(proc).catch(() => []);
  for (const pid of names.filter((entry) => /^\d+$/.test(entry))) {
    if (!(await hasSocket(join(proc, pid, 'fd'), inode))) continue;
    const found = await stat(join(proc, pid)).catch(() => undefined);
    return found && { process: { pid: Number(pid), user: found.uid } };
  }
  // One that ended meanwhile was not hidden.
  return (await inodeOf(name, proc)) === inode ? { process: undefined } : undefined;
}

async function inodeOf(name: string, proc: string): Promise<string | undefined> {
  const sockets = await readFile(join(proc, 'net/unix'), 'utf8').catch(() => '');
  const line = sockets.split('\n').find((text) => text.endsWith(` @${name}`));
  return line?.trim().split(/\s+/)[INODE_COLUMN];
}

/**
 * The refusal where the lock on `path` is not held by a process of this user: names of locks can be worked out, and taken by anybody.
 * Undefined where it is, or where nothing is known of its holder.
 */
export function foreignHolder(path: string, holder: LockHolder | undefined, user: number | undefined): UsageError | undefined {
  if (!holder || holder.process?.user === user) return undefined;
  const { process: found } = holder;
  const who = found ? `process ${found.pid} of user ${found.user}` : 'a process of another user, or outside this container,';
  return new UsageError(`${who} holds the lock on ${path}`, {
    hint: 'No changes were made. If that process is not a qrctl run on this file, end it, then run the same command again.',
  });
}

/** Num RefCount Protocol Flags Type St Inode Path: proc(5). */
const INODE_COLUMN = 6;

async function hasSocket(descriptors: string, inode: string): Promise<boolean> {
  for (const descriptor of await readdir(descriptors).catch(() => [])) {
    const target = await readlink(join(descriptors, descriptor)).catch(() => undefined);
    if (target === `socket:[${inode}]`) return true;
  }
  return false;
}
