/** Where the stored config is, and what can be fetched again. */
import { join, resolve } from 'node:path';
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
