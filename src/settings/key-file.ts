/** Reads a file that holds a key and nothing else: a secret of Docker or Kubernetes, or a credential of systemd. */
import { constants, fstatSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { platform } from 'node:process';
import { AuthError } from '../base/errors.ts';
import { inShellOr } from '../base/text/quote.ts';
import { describeSystemError, systemCode } from '../files/durable/path-errors.ts';
import { formatMode } from './config-directory.ts';
import { plantedBy } from './planted.ts';

/** Far more than a key and its line end; a larger file is something else. */
const MOST_BYTES = 4096;
const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o044;

/**
 * Returns the text of a key file, and a note if other users can read it. Follows links, as secrets of Kubernetes are links, and never waits
 * for a device or a pipe. Throws AuthError if the file is missing, not a regular file, too large, or not under the control of this user alone.
 */
export async function readKeyFile(path: string): Promise<{ text: string; note: string | undefined }> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause: unknown) => {
    throw unreadable(
      path,
      systemCode(cause) === 'ENOENT' ? 'no such file' : describeSystemError(cause),
      cause,
    );
  });
  try {
    const stats = fstatSync(file.fd);
    if (!stats.isFile()) throw unreadable(path, 'it is not a regular file');
    const note = platform === 'win32' ? undefined : checkAccess(path, stats);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MOST_BYTES + 1), 0, MOST_BYTES + 1, 0);
    if (bytesRead > MOST_BYTES)
      throw unreadable(path, `it is larger than ${MOST_BYTES} bytes, the maximum size of a key`);
    return { text: buffer.toString('utf8', 0, bytesRead), note };
  } catch (cause) {
    throw cause instanceof AuthError ? cause : unreadable(path, describeSystemError(cause), cause);
  } finally {
    await file.close();
  }
}

/** Returns a note if other users can read the file. Throws AuthError if one of them can have written it. */
function checkAccess(path: string, stats: Stats): string | undefined {
  const permissions = `permissions ${formatMode(stats.mode)}`;
  if ((stats.mode & OTHERS_WRITE) !== 0) {
    throw new AuthError(`cannot use the key file ${path}: other users can change it (${permissions})`, {
      hint: `Check the key, then run \`chmod 600 ${inShellOr('FILE', path)}\` as the owner of the file.`,
    });
  }
  const stranger = plantedBy(path, stats);
  if (stranger !== undefined) {
    throw new AuthError(`cannot use the key file ${path}: user ${stranger} may have created it`, {
      hint: 'Move the file to a directory that only you can change.',
    });
  }
  return (stats.mode & OTHERS_READ) === 0
    ? undefined
    : `Other users can read the key file ${path} (${permissions})`;
}

function unreadable(path: string, reason: string, cause?: unknown): AuthError {
  return new AuthError(`cannot read the key file ${path}: ${reason}`, {
    hint: 'Specify a file that contains only the key.',
    cause,
  });
}
