/** Renames with retry on Windows, which refuses to replace an open file: virus scanners open a file for an instant after it was written. */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from './path-errors.ts';

const IN_USE: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** Sum: 2.58 s. */
const WAITS_MS = [10, 20, 50, 100, 200, 400, 800, 1000];

/** Returns a `rename` that is retried while one of the files is open. It rejects with the last error of the system. */
export function createRenameWithRetry(
  rename: (from: string, to: string) => Promise<void>,
  wait: (ms: number) => Promise<unknown> = sleep,
): (from: string, to: string) => Promise<void> {
  return async (from, to) => {
    for (const ms of WAITS_MS) {
      try {
        return await rename(from, to);
      } catch (error) {
        if (!IN_USE.has(systemCode(error))) throw error;
      }
      await wait(ms);
    }
    return rename(from, to);
  };
}
