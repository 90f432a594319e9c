import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
  type Stats,
  statSync,
} from 'node:fs';
import { homedir, platform, userInfo } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { geteuid } from 'node:process';
import { orUndefined, systemCode, UsageError } from '#base/errors';

/** Returns the config directory's path. Throws UsageError without QRCTL_CONFIG_DIR or a home. */
export async function configDirectory(env: NodeJS.Dict<string>): Promise<string> {
  if (env.QRCTL_CONFIG_DIR) return resolve(env.QRCTL_CONFIG_DIR);
  try {
    const { default: envPaths } = await import('env-paths');
    const path = envPaths('qrctl', { suffix: '' }).config;
    if (isAbsolute(path)) return path;
    // Ignores a relative path, as XDG requires: keys must not be stored in the current directory.
    const home = isAbsolute(homedir()) ? homedir() : userInfo().homedir;
    return platform() === 'linux' ? join(home, '.config', 'qrctl') : join(home, relative(homedir(), path));
  } catch (cause) {
    throw new UsageError('cannot find a home directory for the configuration', {
      hint: 'Set QRCTL_CONFIG_DIR to a directory that you own.',
      cause,
    });
  }
}

export const FILE_MODE = 0o600;
export const DIRECTORY_MODE = 0o700;

const ACCESS_OF_OTHERS = 0o077;
const STICKY = 0o1000;
const OURS = /^(?:config\.json|\.config\.json\..*|cache)$/;

/** Tries to restrict the config to this user, except on Windows. Returns a sentence per exposed path. */
export function restrictPermissions(file: string): string[] {
  if (platform() === 'win32') return [];
  return [restrict(dirname(file), DIRECTORY_MODE), restrict(file, FILE_MODE)].filter(
    (sentence) => sentence !== undefined,
  );
}

export function closeNewDirectory(path: string): void {
  try {
    withDescriptor(path, (descriptor) => fchmodSync(descriptor, DIRECTORY_MODE));
  } catch (error) {
    // Changes by path, because a umask such as 0777 prevents opening the directory.
    if (systemCode(error) !== 'EACCES') throw error;
    chmodSync(path, DIRECTORY_MODE);
  }
}

function restrict(path: string, mode: number): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.mode & ACCESS_OF_OTHERS) === 0) return undefined;
  const found = `${path} was accessible to other users (permissions ${formatMode(stats.mode)})`;
  try {
    return withDescriptor(path, (descriptor) => {
      // Checks the open file, because the path may lead elsewhere now (TOCTOU).
      if (isShared(path, fstatSync(descriptor)))
        return `${found} and was left unchanged because other programs also use it; set QRCTL_CONFIG_DIR to a separate directory`;
      fchmodSync(descriptor, mode);
      return `${found}; changed to ${formatMode(mode)}`;
    });
  } catch {
    return `${found} and could not be changed; run \`chmod ${formatMode(mode)} ${path}\` as its owner`;
  }
}

function isShared(path: string, stats: Stats): boolean {
  if (stats.uid !== geteuid?.()) return true;
  if (!stats.isDirectory()) return !stats.isFile();
  const home = orUndefined(homedir);
  return (stats.mode & STICKY) !== 0 || path === home || readdirSync(path).some((name) => !OURS.test(name));
}

/** Runs `work` with an open file. O_NONBLOCK prevents waiting for a FIFO. */
export function withDescriptor<T>(path: string, work: (descriptor: number) => T): T {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function formatMode(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
