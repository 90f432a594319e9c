/** The slugs of a workspace as they were last seen: a small file in the user's own cache directory, for each base URL and key. */
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SlugStore } from '../service/slug-memory.ts';
import {
  cacheDirectory,
  isClosed,
  makeClosed,
  ownerOf,
  quietly,
  readOwn,
  removeOldest,
  replaceOwn,
  type User,
} from '../start/own-cache.ts';
import { keyPrefix } from './key.ts';

/** Twice what the most slugs take. */
const LARGEST_FILE = 4 * 1024 * 1024;
/** One for each workspace, and for each sandbox that was tried. */
const MOST_FILES = 32;

/** Whose slugs: two keys are two workspaces, as far as anyone here can know. */
export interface Workspace {
  baseUrl: string;
  apiKey: string;
}

/** Never throws: whatever is wrong, nothing is remembered. */
export function createSlugFile(user: User & { pid: number }, workspace: Workspace): SlugStore {
  return {
    read: async () =>
      quietly(() => {
        const { directory, file, owner } = placeOf(user, workspace);
        if (!isClosed(lstatSync(directory), owner)) return undefined;
        return JSON.parse(readOwn(file, owner, LARGEST_FILE).toString('utf8'));
      }),
    write: async (kept) =>
      quietly(() => {
        const { directory, file, owner } = placeOf(user, workspace);
        makeClosed(directory, owner);
        replaceOwn(file, Buffer.from(JSON.stringify(kept)), user.pid);
        removeOldest(directory, MOST_FILES);
      }),
  };
}

/** Leaves nothing of a workspace that is no more. Never throws. */
export function removeSlugFile(user: User, workspace: Workspace): void {
  quietly(() => rmSync(placeOf(user, workspace).file, { force: true }));
}

/** Throws where there is no safe place. Of the key only what is printed is in the name; two keys of one name would still be told apart by their codes. */
function placeOf(user: User, { baseUrl, apiKey }: Workspace): { directory: string; file: string; owner: number } {
  const owner = ownerOf(user);
  const directory = owner === undefined ? undefined : cacheDirectory(user.env, owner, 'slugs');
  if (owner === undefined || directory === undefined) throw new Error('there is no cache here');
  const name = encodeURIComponent(`${baseUrl} ${keyPrefix(apiKey)}`);
  return { directory, file: join(directory, `${name}.json`), owner };
}
