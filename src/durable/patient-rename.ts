/**
 * Rename with retry for Windows, which refuses to replace a file while a program has it open: a virus scanner or an indexer does for an
 * instant, right after it was written. Excel may for an hour: that ends with the system's error.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from './path-errors.ts';

const HELD: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** Together two and a half seconds. */
const WAITS_MS = [10, 20, 50, 100, 200, 400, 800, 1000];

/** `rename`, again and again while one of the files is held. Rejects with the last error of the system. */
export function createPatientRename(
  rename: (from: string, to: string) => Promise<void>,
  wait: (ms: number) => Promise<unknown> = sleep,
): (from: string, to: string) => Promise<void> {
  return async (from, to) => {
    for (const ms of WAITS_MS) {
      try {
        return await rename(from, to);
      } catch (error) {
        if (!HELD.has(systemCode(error))) throw error;
      }
      await wait(ms);
    }
    return rename(from, to);
  };
}
