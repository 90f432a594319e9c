import { orUndefined } from '#base/or-undefined';
import { parseBounded } from '#base/text/bounded-json';
import { openOwnCache, type User } from '#files/durable/own-cache';
import type { SlugStore } from '#service/slug-memory';

const BOUNDS = { largest: 16 * 1024 * 1024, most: 32, content: 'data' } as const;

export interface Workspace {
  baseUrl: string;
  apiKey: string;
}

export interface CodeCache extends SlugStore {
  remove(): void;
}

/** Creates a workspace's cache. Never throws: after any failure, the cache is empty. */
export function createCodeCache(user: User & { pid: number }, workspace: Workspace): CodeCache {
  const name = `${workspaceName(workspace)}.json`;
  const open = () => openOwnCache(user, 'codes', BOUNDS);
  return {
    read: async () => orUndefined(() => parseBounded(open().read(name).toString('utf8'))),
    // A text match is an entry, because JSON escapes quotes. Recent entries are at the end.
    has: async (codes) =>
      orUndefined(() => {
        const bytes = open().read(name);
        return codes.every((code) => bytes.lastIndexOf(JSON.stringify(code)) >= 0);
      }) ?? false,
    write: async (kept) => orUndefined(() => open().replace(name, Buffer.from(JSON.stringify(kept)))),
    remove: () => orUndefined(() => open().remove(name)),
  };
}

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/**
 * Hashes base URL and API key to 16 hex digits (FNV-1a, 64 bits), from which the key can't be derived.
 * node:crypto takes several milliseconds to load, and a collision is harmless, because codes are told apart
 * by ID.
 */
function workspaceName({ baseUrl, apiKey }: Workspace): string {
  let hash = OFFSET;
  for (const byte of Buffer.from(`${baseUrl}\n${apiKey}`))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, '0');
}
