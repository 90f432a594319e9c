/** Locates and creates the directory of the ledgers. It belongs to the user alone: 0700. */
import { platform } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { type Disk, ifPresent } from '../../../files/durable/disk.ts';
import { makeRealDirectories } from '../../../files/durable/trusted-file.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const DIRECTORY_MODE = 0o700;

/**
 * Returns the path of the state directory: QRCTL_STATE_DIR, or the system's directory for the state of programs. Undefined if there is no
 * home directory. A path that is not absolute is ignored, as the XDG specification requires.
 */
export function stateDirectory(env: Variables, system: string = platform()): string | undefined {
  const { QRCTL_STATE_DIR: own, XDG_STATE_HOME: xdg = '', HOME: home = '', LOCALAPPDATA: local = '' } = env;
  if (own) return resolve(own);
  if (system === 'win32') return isAbsolute(local) ? join(local, 'qrctl') : undefined;
  if (isAbsolute(xdg)) return join(xdg, 'qrctl');
  if (!isAbsolute(home)) return undefined;
  return system === 'darwin'
    ? join(home, 'Library', 'Application Support', 'qrctl')
    : join(home, '.local', 'state', 'qrctl');
}

/** Creates the state directory, and returns its real path. Throws the system's error, and UsageError if it can't be this user's. */
export async function makeStateDirectory(disk: Disk, env: Variables): Promise<string> {
  const path = stateDirectory(env);
  if (path === undefined) throw new UsageError('there is no home directory');
  if (!env.QRCTL_STATE_DIR) await expectOwn(disk, path);
  return makeRealDirectories(disk, path, DIRECTORY_MODE);
}

/** With the HOME of another user (sudo), the ledger would belong to this user, and that user could not write to it. */
async function expectOwn(disk: Disk, path: string): Promise<void> {
  const found = await ifPresent(disk.stat(path));
  const parent = dirname(path);
  if (!found && parent !== path) return expectOwn(disk, parent);
  const user = disk.user();
  if (user !== undefined && found && found.uid !== user)
    throw new UsageError(`${path} belongs to another user`);
}
