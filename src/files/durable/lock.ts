/**
 * D13: locks that the kernel releases when their process ends, but not while it is stopped (SIGSTOP).
 * - Linux: a listening socket in the abstract namespace, which containers usually don't share.
 * - Windows: a named pipe.
 * - macOS and the BSDs: a file in /tmp (cron changes $TMPDIR), opened with O_EXLOCK. It is never unlinked,
 * because two runs could otherwise lock different files with that name.
 */
import { hash } from 'node:crypto';
import { open, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { platform } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { LocalError, systemCode, UsageError } from '#base/errors';
import { type Clock, formatDuration } from '#base/time/time';
import { nodeDisk } from './node-disk.ts';
import { describeSystemError } from './path-errors.ts';

export interface Lock {
  release(): Promise<void>;
}

interface LockOptions {
  clock: Clock;
  signal?: AbortSignal;
  waitMs?: number;
  onWait?: () => void;
}

const DEFAULT_WAIT_MS = 5000;
const POLL_MS = 100;

/** Locks the file at `path`. Throws UsageError if it stays locked or its directory is missing. */
export async function acquireLock(path: string, options: LockOptions): Promise<Lock> {
  return acquire(await lockName(path), path, options);
}

export function acquireSharedLock(secret: string, options: LockOptions): Promise<Lock> {
  return acquire(hashedName(secret), 'this workspace', options);
}

async function acquire(name: string, path: string, options: LockOptions): Promise<Lock> {
  const { clock, signal, waitMs = DEFAULT_WAIT_MS, onWait } = options;
  const start = clock.monotonic();
  for (let waited = false; ; waited = true) {
    signal?.throwIfAborted();
    const lock = await tryLock(name);
    if (lock) return lock;
    if (!waited) onWait?.();
    const left = waitMs - (clock.monotonic() - start);
    if (left <= 0)
      throw otherUserError(path, await findHolder(inAbstract(name)), nodeDisk.user()) ?? inUse(path, waitMs);
    await clock.sleep(Math.min(left, POLL_MS * (0.5 + clock.random())), signal);
  }
}

function inUse(path: string, waitMs: number): UsageError {
  const waited = waitMs > 0 ? ` (waited ${formatDuration(waitMs)})` : '';
  return new UsageError(`another qrctl run is using ${path}${waited}`, {
    hint: 'When the other run has ended, run the command again. A paused run (Ctrl-Z) keeps its files locked until you resume or end it.',
  });
}

/** Returns a lock name that doesn't depend on links, mounts or letter case (some disks ignore case). */
async function lockName(path: string): Promise<string> {
  const target = await realpath(path).catch(() => resolve(path));
  const { dev, ino } = await stat(dirname(target), { bigint: true }).catch((cause: Error) => {
    throw new UsageError(`cannot open the directory of ${path}: ${cause.message}`, {
      cause,
      hint: 'Create the directory first.',
    });
  });
  return hashedName(`${dev}:${ino}:${basename(target).toLowerCase()}`);
}

function hashedName(key: string): string {
  return `qrctl-${hash('sha256', key)}`;
}

function tryLock(name: string): Promise<Lock | undefined> {
  const system = platform();
  if (system === 'linux' || system === 'android') return listen(`\0${inAbstract(name)}`);
  if (system === 'win32') return listen(`\\\\.\\pipe\\${name}`);
  return lockFile(join('/tmp', `${name}.lock`));
}

const ABSTRACT_NAME_BYTES = 108;

/** Pads a name to the length of `sun_path`. Otherwise, some versions of Node would pad it with NULs. */
function inAbstract(name: string): string {
  return name.padEnd(ABSTRACT_NAME_BYTES - 1, '-');
}

function listen(address: string): Promise<Lock | undefined> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EADDRINUSE') done(undefined);
      else fail(cannotLock(cause));
    });
    const release = () => new Promise<void>((closed) => server.close(() => closed()));
    // Without `exclusive`, a cluster worker would share its parent's socket.
    server.listen({ path: address, exclusive: true }, () => done({ release }));
  });
}

function cannotLock(cause: unknown): LocalError {
  const reason = describeSystemError(cause).replaceAll('\0', '@');
  return new LocalError(`cannot lock the file: ${reason}`, { cause });
}

/** Flags of open(2): O_RDWR, O_NONBLOCK, O_EXLOCK, O_CREAT, O_NOFOLLOW. */
const BSD_OPEN_LOCKED = 0x0002 | 0x0004 | 0x0020 | 0x0200 | 0x0100;
const BSD_SYSTEMS = new Set<string>(['darwin', 'freebsd', 'openbsd', 'netbsd']);

async function lockFile(path: string): Promise<Lock | undefined> {
  if (!BSD_SYSTEMS.has(platform()))
    throw new LocalError(`cannot lock the file: not supported on ${platform()}`);
  try {
    const file = await open(path, BSD_OPEN_LOCKED, 0o666);
    await file.chmod(0o666).catch(() => undefined);
    return { release: () => file.close() };
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'EAGAIN' || code === 'EWOULDBLOCK') return undefined;
    throw cannotLock(cause);
  }
}

interface LockHolder {
  process: { pid: number; user: number } | undefined;
}

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

/** Column of the inode in /proc/net/unix (proc(5)). */
const INODE_COLUMN = 6;

async function hasSocket(descriptors: string, inode: string): Promise<boolean> {
  for (const descriptor of await readdir(descriptors).catch(() => [])) {
    const target = await readlink(join(descriptors, descriptor)).catch(() => undefined);
    if (target === `socket:[${inode}]`) return true;
  }
  return false;
}
