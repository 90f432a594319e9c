/**
 * Stores the codes of a workspace as last seen, for lookups by slug and for completion: a small file in the user's own cache directory, one
 * per base URL and key.
 */
import { parseBounded } from '../../base/text/bounded-json.ts';
import { openOwnCache, quietly, type User } from '../../files/durable/own-cache.ts';
import type { SlugStore } from '../../service/slug-memory.ts';

/** Size of the most codes with the longest names, and number of files: one per workspace. */
const BOUNDS = { largest: 16 * 1024 * 1024, most: 32, content: 'data' } as const;

/** Workspace of the codes: two keys count as two workspaces, and neither can be derived from the name of the file. */
export interface Workspace {
  baseUrl: string;
  apiKey: string;
}

export interface CodeCache extends SlugStore {
  /** Removes the file of a workspace that no longer exists. Never throws. */
  remove(): void;
}

/** Creates the store. Never throws: after any failure, nothing is remembered. */
export function createCodeCache(user: User & { pid: number }, workspace: Workspace): CodeCache {
  const name = `${workspaceName(workspace)}.json`;
  const open = () => openOwnCache(user, 'codes', BOUNDS);
  return {
    read: async () => quietly(() => parseBounded(open().read(name).toString('utf8'))),
    // An entry is JSON, and within a text of JSON its quotes would be escaped. Those that were seen last are at the end.
    has: async (codes) =>
      quietly(() => {
        const bytes = open().read(name);
        return codes.every((code) => bytes.lastIndexOf(JSON.stringify(code)) >= 0);
      }) ?? false,
    write: async (kept) => quietly(() => open().replace(name, Buffer.from(JSON.stringify(kept)))),
    remove: () => quietly(() => open().remove(name)),
  };
}

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/**
 * Returns 16 hex digits for a base URL and an API key (FNV-1a, 64 bits). Two keys are two workspaces, and the key can't be derived from
 * the name, which holds 64 bits of a key of twice as many. Does not use node:crypto, whose loading costs `qr list` several milliseconds;
 * the name protects nothing, and two workspaces with one name would still differ by their codes.
 */
function workspaceName({ baseUrl, apiKey }: Workspace): string {
  let hash = OFFSET;
  for (const byte of Buffer.from(`${baseUrl}\n${apiKey}`))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, '0');
}
