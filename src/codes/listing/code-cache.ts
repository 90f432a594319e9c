import { orUndefined } from '#base/errors';
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

export function createCodeCache(user: User & { pid: number }, workspace: Workspace): CodeCache {
  const name = nameOf(workspace);
  const open = () => openOwnCache(user, 'codes', BOUNDS);
  return {
    read: async () => orUndefined(() => parseBounded(open().read(name).toString('utf8'))),
    // Searches the bytes backward, because recent entries are last. An entry matches only as a whole.
    has: async (codes) =>
      orUndefined(() => {
        const bytes = open().read(name);
        return codes.every((code) => bytes.lastIndexOf(JSON.stringify(code)) >= 0);
      }) ?? false,
    write: async (kept) => orUndefined(() => open().replace(name, Buffer.from(JSON.stringify(kept)))),
    remove: () => orUndefined(() => open().remove(name)),
  };
}

/**
 * Names a file by a 32-bit hash (FNV-1a) of base URL and key, because node:crypto loads slowly. Collisions
 * are harmless, because codes are requested before use.
 */
function nameOf({ baseUrl, apiKey }: Workspace): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${baseUrl}\n${apiKey}`)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return `${hash.toString(16)}.json`;
}
