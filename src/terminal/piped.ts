/** Whether another program reads standard output. */
import { fstatSync } from 'node:fs';

/** Returns whether standard output of this process is a pipe or a socket. Never throws. */
export function isPiped(): boolean {
  try {
    const stdout = fstatSync(1);
    return stdout.isFIFO() || stdout.isSocket();
  } catch {
    return false;
  }
}
