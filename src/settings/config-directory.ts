/** The directory of the config: where it is, and that nobody else gets in. The config holds keys: 0600 in a 0700 directory. */
import { chmodSync, statSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Variables } from './settings.ts';

/**
 * The config directory: QRCTL_CONFIG_DIR, else where this system keeps configuration (env-paths: XDG on Linux, Library on
 * macOS, AppData on Windows). Only names it, never creates it. Throws UsageError on a system without a home directory.
 */
export async function configDirectory(env: Variables): Promise<string> {
  if (env.QRCTL_CONFIG_DIR) return resolve(env.QRCTL_CONFIG_DIR);
  try {
    const { default: envPaths } = await import('env-paths');
    return envPaths('qrctl', { suffix: '' }).config;
  } catch (cause) {
    throw new UsageError('this system names no home directory to keep the config in', {
      hint: 'set QRCTL_CONFIG_DIR to a directory of your own',
      cause,
    });
  }
}

/** The cache directory: `cache` in QRCTL_CONFIG_DIR, else where this system keeps caches. Only names it; throws as above. */
export async function cacheDirectory(env: Variables): Promise<string> {
  const config = await configDirectory(env);
  if (env.QRCTL_CONFIG_DIR) return join(config, 'cache');
  const { default: envPaths } = await import('env-paths');
  return envPaths('qrctl', { suffix: '' }).cache;
}

export const FILE_MODE = 0o600;
export const DIRECTORY_MODE = 0o700;

/** Bits that let anyone but the owner in. */
const OTHERS = 0o077;
/** A directory with this bit (`/tmp`) is shared on purpose. */
const STICKY = 0o1000;

/**
 * Closes config.json and its directory where others can get in, and says so: one sentence for each path. Windows has no such modes,
 * and nothing is loose there.
 */
export function mendModes(file: string): string[] {
  if (platform() === 'win32') return [];
  return [mend(dirname(file), DIRECTORY_MODE), mend(file, FILE_MODE)].filter((sentence) => sentence !== undefined);
}

function mend(path: string, wanted: number): string | undefined {
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o7777;
  if ((mode & OTHERS) === 0) return undefined;
  const found = `${path} was open to others (mode ${formatMode(mode)})`;
  // Shared on purpose or not ours to close.
  if ((mode & STICKY) !== 0 || isHome(path)) return `${found} and is left so; point QRCTL_CONFIG_DIR at a directory of its own`;
  try {
    chmodSync(path, wanted);
    return `${found}; it is ${formatMode(wanted)} now`;
  } catch {
    return `${found} and could not be changed; run \`chmod ${formatMode(wanted)} ${path}\` as its owner`;
  }
}

function isHome(path: string): boolean {
  try {
    return path === homedir();
  } catch {
    return false; // a user without an entry has none
  }
}

/** `0644` of 0o644. */
function formatMode(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
