import {
  ClosedPipeError,
  Failure,
  isDiskFull,
  LocalError,
  messageOf,
  systemCode,
  UsageError,
} from '#base/errors';
import { asSentence } from '#base/text/quote';

export function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

export function notRegular(path: string): Error {
  return systemError('ENOTSUP', `${path} is not a regular file`);
}

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
  ERR_FS_FILE_TOO_LARGE: 'it is too large to have been written by qrctl',
  ENXIO: 'the device or socket is not connected',
};

const MACHINE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file would exceed the size limit of the system',
  EIO: 'the device reported an input/output error',
  EMFILE: 'too many files are open',
  EBUSY: 'it is in use, or mounted as a single file',
  ENFILE: 'too many files are open on the whole system',
};

export function describeSystemError(error: unknown): string {
  const code = systemCode(error) ?? '';
  const words = BAD_PATH[code] ?? MACHINE[code];
  return words ? `${words} (${code})` : messageOf(error);
}

export const OTHER_FILE = 'specify a different file with --output';

/** Converts a system error to a Failure. Returns other errors. `task` is an infinitive (`write a.csv`). */
export function cannotOpen(task: string, error: unknown, choice = OTHER_FILE): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const message = `cannot ${task}: ${describeSystemError(error)}`;
  if (!Object.hasOwn(BAD_PATH, code))
    return new LocalError(message, { cause: error, hint: adviceFor(error) });
  const hint = asSentence(code === 'ENOENT' ? `create the directory first, or ${choice}` : choice);
  return new UsageError(message, { cause: error, hint });
}

/** Like `cannotOpen`, for an open file. `state` is a clause such as `no changes were made`. */
export function cannotWrite(task: string, error: unknown, state: string): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === 'EPIPE') return new ClosedPipeError('the reader closed the pipe', { cause: error });
  return new LocalError(`cannot ${task}: ${describeSystemError(error)}`, {
    cause: error,
    hint: `${asSentence(state)} ${adviceFor(error)}`,
  });
}

export function ifDiskFull(error: unknown): unknown {
  return error instanceof Failure || !isDiskFull(error) ? error : cannotOpen('write a file', error);
}

export function adviceFor(error: unknown): string {
  return isDiskFull(error)
    ? 'Free up disk space, then run the same command again.'
    : 'Fix the problem, then run the same command again.';
}
