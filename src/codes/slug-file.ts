/** Stores the slugs of a workspace as last seen: a small file in the user's own cache directory, one per base URL and key. */
import { openOwnCache, quietly, type User } from '../durable/own-cache.ts';
import type { SlugStore } from '../service/slug-memory.ts';
import { workspaceName } from '../settings/workspace-name.ts';

/** Twice what the most slugs take; and a file for each workspace, and for each sandbox that was tried. */
const BOUNDS = { largest: 4 * 1024 * 1024, most: 32 };

/** Workspace of the slugs: two keys count as two workspaces. */
export interface Workspace {
  baseUrl: string;
  apiKey: string;
}

/** Creates the store. Never throws: after any failure, nothing is remembered. */
export function createSlugFile(user: User & { pid: number }, workspace: Workspace): SlugStore {
  const name = fileOf(workspace);
  const open = () => openOwnCache(user, 'slugs', BOUNDS);
  return {
    read: async () => quietly(() => JSON.parse(open().read(name).toString('utf8'))),
    write: async (kept) => quietly(() => open().replace(name, Buffer.from(JSON.stringify(kept)))),
  };
}

/** Removes the file of a workspace that no longer exists. Never throws. */
export function removeSlugFile(user: User & { pid: number }, workspace: Workspace): void {
  quietly(() => openOwnCache(user, 'slugs', BOUNDS).remove(fileOf(workspace)));
}

function fileOf(workspace: Workspace): string {
  return `${workspaceName(workspace)}.json`;
}
