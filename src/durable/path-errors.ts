/** Errors of the system on files: what they mean in words, and whether the path is to blame or the machine. The only such list. */

import { ClosedPipeError, Failure, isDiskFull, LocalError, messageOf, UsageError } from '../errors.ts';
import { asSentence } from '../text/sentence.ts';

/** The `code` of a system error (`ENOENT`), or undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What is wrong with the path itself: bad input, found before anything is sent. */
const BAD_PATH: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
  EEXIST: 'a file with that name already exists',
  ENOTDIR: 'part of the path is not a directory',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'it is a symbolic link, or its links form a loop',
  EINVAL: 'the system does not accept that name',
  ENOTSUP: 'it is not a regular file',
  ETXTBSY: 'it is a running program',
  ERR_FS_FILE_TOO_LARGE: 'it is too large to be a file that qrctl wrote',
  ENXIO: 'the device or socket is not connected',
};

/** What is wrong with the machine. */
const MACHINE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file would exceed the size limit of the system',
  EIO: 'the device reported an input/output error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on the whole system',
};

/** `EIO` as a clause; an unknown error keeps its own message. */
export function describeSystemError(error: unknown): string {
  const code = systemCode(error) ?? '';
  const words = BAD_PATH[code] ?? MACHINE[code];
  if (words) return `${words} (${code})`;
  return messageOf(error);
}

/** A way out where the path of `--output` is to blame. */
export const OTHER_FILE = 'specify a different file with --output';

/**
 * What to throw where a file could not be opened: UsageError where the path is to blame, LocalError otherwise. `task` says what cannot be
 * done, such as `write scans.csv`; `choice` is a way out where another path is one. What is no error of the system is given back as it is.
 */
export function cannotOpen(task: string, error: unknown, choice = OTHER_FILE): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const message = `cannot ${task}: ${describeSystemError(error)}`;
  // That nothing was changed only the caller can say: others may have been opened before, and be done.
  if (!Object.hasOwn(BAD_PATH, code)) return new LocalError(message, { cause: error, hint: adviceFor(error) });
  return new UsageError(message, {
    cause: error,
    hint: asSentence(code === 'ENOENT' ? `create the directory first, or ${choice}` : choice),
  });
}

/**
 * What to throw where a write failed after opening. `state` is a clause on what is there now, such as "the file is untouched". What is no
 * error of the system is given back as it is.
 */
export function cannotWrite(task: string, error: unknown, state: string): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === 'EPIPE') return new ClosedPipeError('the reader closed the pipe', { cause: error });
  return new LocalError(`cannot ${task}: ${describeSystemError(error)}`, {
    cause: error,
    hint: `${asSentence(state)} ${adviceFor(error)}`,
  });
}

/** Puts an error into words that nothing else did, if the disk is full; returns any other as it is. */
export function ifDiskFull(error: unknown): unknown {
  if (error instanceof Failure || !isDiskFull(error)) return error;
  return new LocalError(`cannot write a file: ${describeSystemError(error)}`, { cause: error, hint: adviceFor(error) });
}

/** What to do about an error of the machine. */
export function adviceFor(error: unknown): string {
  return isDiskFull(error)
    ? 'Free up disk space, then run the same command again.'
    : 'Fix the problem, then run the same command again.';
}
