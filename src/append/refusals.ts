/** Why an append cannot start or go on, in words, with the way out. */
import { systemCode } from '../durable/write.ts';
import { LocalError, UsageError } from '../errors.ts';
import type { AppendIdentity } from './state.ts';

/** A refusal to touch the file; `reason` goes on from "cannot append to FILE: ". */
export function refusal(file: string, reason: string, cause?: unknown): UsageError {
  return new UsageError(`cannot append to ${file}: ${reason}`, {
    hint: 'Nothing was changed. Put the file and its state back as they were, or add --restart to export it from the beginning.',
    cause,
  });
}

/** Throws UsageError where an append of this kind is not possible at all. */
export function checkIdentity(path: string, { columns, codes, all, format }: AppendIdentity): void {
  const missing = ['id', 'ts', ...(all || codes.length > 1 ? ['qr_id'] : [])].filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new UsageError(`--append needs the column ${missing.join(' and ')} to know which scans the file has`, {
      hint: `Add it to --fields, for example --fields ${[...missing, ...columns].join()}.`,
    });
  }
  if (path.endsWith('.gz') || path === '-' || (format !== 'csv' && format !== 'ndjson')) {
    throw new UsageError(`--append adds to a plain CSV or NDJSON file, not to ${path}`, {
      hint: 'Choose a file with --output that ends in .csv, .ndjson or .jsonl.',
    });
  }
}

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
