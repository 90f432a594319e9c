/** Errors of the system while appending, in words. */
import { systemCode } from '../durable/write.ts';
import { LocalError, UsageError } from '../errors.ts';

/** What is wrong with the path, not with the machine. */
const BAD_PATH = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EISDIR', 'ENOTSUP']);

/** An error of the system as the failure it is; all else unchanged. `opening`: nothing was sent yet. */
export function inWords(error: unknown, path: string, opening = false): unknown {
  const code = systemCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  const message = `cannot append to ${path}: ${error.message}`;
  if (opening && BAD_PATH.has(code)) {
    return new UsageError(message, { cause: error, hint: 'Choose a file that can be written, with --output.' });
  }
  return new LocalError(message, {
    cause: error,
    hint: 'Everything up to the last commit is safe. Mend that and run this again: it goes on from there.',
  });
}
