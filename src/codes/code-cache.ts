/** Caches the codes of a workspace for completions: one file per base URL and key, readable by its owner only. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeDisk } from '../durable/disk.ts';
import { isBelowOwn, removeOldest } from '../durable/own-cache.ts';
import { type Processes, replaceFile } from '../durable/replace-file.ts';
import { realPath } from '../durable/trusted-file.ts';
import { makeDirectories } from '../durable/write.ts';
import type { QrCode } from '../service/shapes.ts';
import { cacheDirectory, DIRECTORY_MODE, FILE_MODE } from '../settings/config-directory.ts';
import type { Variables } from '../settings/settings.ts';
import { workspaceName } from '../settings/workspace-name.ts';

export type CachedCode = Pick<QrCode, 'slug' | 'name'>;

export interface CodeCache {
  /** When the service was last asked, by the machine's clock, ms since the epoch. */
  askedAtMs: number;
  /** It answered in time. */
  answered: boolean;
  codes: readonly CachedCode[];
}

/** Far more than the codes completions ask for. */
const LARGEST_FILE = 4 * 1024 * 1024;

/** Returns the path of the cache of a workspace. Two keys are two workspaces; neither can be derived from the name. */
export async function codeCacheFile(env: Variables, workspace: { baseUrl: string; apiKey: string }): Promise<string> {
  return join(await cacheDirectory(env), `codes-${workspaceName(workspace)}.json`);
}

/** Reads the cache, or returns undefined if it does not exist or is not a cache of qrctl. */
export function readCodeCache(file: string): CodeCache | undefined {
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > LARGEST_FILE) return undefined;
    return parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function parse(data: Partial<CodeCache> | null): CodeCache | undefined {
  if (data === null || !Number.isSafeInteger(data.askedAtMs) || !Array.isArray(data.codes)) return undefined;
  const codes = data.codes.filter((code) => typeof code?.slug === 'string' && typeof code.name === 'string');
  return { askedAtMs: data.askedAtMs ?? 0, answered: data.answered === true, codes };
}

/** A file for each workspace, and for each sandbox that was tried; and what they are called. */
const MOST_FILES = 32;
const NAME = /^codes-[0-9a-f]+\.json$/;

/**
 * Replaces the file, and removes the oldest ones if there are many. Throws the system's error, and Error in another user's home, in which
 * root would leave files. Several completions may write at the same time.
 */
export async function writeCodeCache(file: string, cache: CodeCache, processes: Processes): Promise<void> {
  const user = nodeDisk.user();
  if (user !== undefined && !isBelowOwn(dirname(file), user))
    throw new Error(`${dirname(file)} is not in a directory of this user`);
  await makeDirectories(nodeDisk, dirname(file), DIRECTORY_MODE);
  await replaceFile(nodeDisk, await realPath(nodeDisk, file), Buffer.from(JSON.stringify(cache)), { processes, mode: FILE_MODE });
  removeOldest(dirname(file), MOST_FILES, (name) => NAME.test(name));
}
