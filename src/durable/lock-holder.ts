/** Who holds a lock of lock.ts on Linux: anybody may take the name of a lock, also who is no run of qrctl and not this user. */
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface LockHolder {
  /** Undefined where this user may not look at the process. */
  process: { pid: number; user: number } | undefined;
}

/** The holder of the abstract socket of that name (without its NUL); undefined where nobody has it, or the system does not say. */
export async function findHolder(name: string, proc = '/proc'): Promise<LockHolder | undefined> {
  const sockets = await readFile(join(proc, 'net/unix'), 'utf8').catch(() => '');
  const line = sockets.split('\n').find((text) => text.endsWith(` @${name}`));
  const inode = line?.trim().split(/\s+/)[INODE_COLUMN];
  if (inode === undefined) return undefined;
  const names = await readdir(proc).catch(() => []);
  for (const pid of names.filter((entry) => /^\d+$/.test(entry))) {
    if (await hasSocket(join(proc, pid, 'fd'), inode))
      return { process: { pid: Number(pid), user: await ownerOf(join(proc, pid)) } };
  }
  return { process: undefined };
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

async function ownerOf(path: string): Promise<number> {
  return (await stat(path)).uid;
}
