/** Errors of the system while appending, in words. */
import { cannotOpen, cannotWrite, systemCode } from '../durable/path-errors.ts';

/** An error of the system as the failure it is; all else unchanged. `opening`: nothing was sent yet. */
export function inWords(error: unknown, path: string, opening = false): unknown {
  if (systemCode(error) === undefined) return error;
  const task = `append to ${path}`;
  return opening ? cannotOpen(task, error) : cannotWrite(task, error, 'everything up to the last commit is safe');
}
