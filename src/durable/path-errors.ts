/** System errors on files, in words, and as the failure they are. */

import { ClosedPipeError, type Failure, LocalError, UsageError } from '../errors.ts';
import { systemCode } from './write.ts';

const WORDS: Record<string, string> = {
  ENOENT: 'its directory does not exist',
  EEXIST: 'there is a file of that name',
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
  ENOTDIR: 'part of the path is not a directory',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links go in circles',
  ETXTBSY: 'it is a program that is running',
  ENXIO: 'nothing is behind that device or socket',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than the system allows',
  EIO: 'the device failed',
  EMFILE: 'too many files are open',
};

/** What is wrong with the path itself, as opposed to the machine: bad input, found before anything is sent. */
const BAD_PATH = new Set([
  'ENOENT',
  'EACCES',
  'EPERM',
  'EROFS',
  'EISDIR',
  'ENOTDIR',
  'ENAMETOOLONG',
  'ELOOP',
  'ETXTBSY',
  'ENXIO',
]);

const ROOM = new Set(['ENOSPC', 'EDQUOT']);

/** `EIO` as a clause; an unknown error keeps its own message. */
export function describeSystemError(error: unknown): string {
  const code = systemCode(error);
  const words = code === undefined ? undefined : WORDS[code];
  if (words) return `${words} (${code})`;
  return error instanceof Error ? error.message : String(error);
}

/** The failure to open `path` for writing: UsageError where the path is to blame, LocalError otherwise. */
export function cannotOpen(path: string, error: unknown): Failure {
  const message = `cannot write ${path}: ${describeSystemError(error)}`;
  const code = systemCode(error) ?? '';
  if (!BAD_PATH.has(code)) return new LocalError(message, { cause: error, hint: 'nothing was sent; mend that and run again' });
  const hint = code === 'ENOENT' ? 'create the directory first, or choose another file' : 'choose another file with --output';
  return new UsageError(message, { cause: error, hint });
}

/** The failure of a write after opening. `state` is a clause on what is there now, such as "the file is untouched". */
export function cannotWrite(path: string, error: unknown, state: string): Failure {
  if (systemCode(error) === 'EPIPE') return new ClosedPipeError('the reader went away', { cause: error });
  const advice = ROOM.has(systemCode(error) ?? '') ? 'make room and run again' : 'check the device and run again';
  return new LocalError(`cannot write ${path}: ${describeSystemError(error)}`, { cause: error, hint: `${state}; ${advice}` });
}
