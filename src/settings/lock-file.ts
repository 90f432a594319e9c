/** One writer at a time, by a file that only one process can create. */
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import type { Clock } from '../time.ts';
import { FILE_MODE } from './modes.ts';
import { hasCode } from './store.ts';

/** The work under the lock takes milliseconds: a lock that stands unchanged for so long was left by a killed process. */
const ABANDONED_MS = 5000;
const LONGEST_NAP_MS = 50;

/** Runs `work` while holding `path`; waits for another holder, and removes a lock that was left behind. */
export async function withLockFile<T>(
  path: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  await acquire(path, clock, signal);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

async function acquire(path: string, clock: Clock, signal: AbortSignal): Promise<void> {
  let seen: string | undefined;
  let since = 0;
  while (!create(path)) {
    const holder = identity(path);
    if (holder !== seen) {
      seen = holder;
      since = clock.monotonic();
    } else if (clock.monotonic() - since > ABANDONED_MS) {
      rmSync(path, { force: true });
    }
    await clock.sleep(1 + clock.random() * LONGEST_NAP_MS, signal);
  }
}

function create(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Tells one lock from the next: who creates it again gives it another time. */
function identity(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeNs}`;
}
