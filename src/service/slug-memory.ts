/**
 * Remembers which code a slug last belonged to. Slugs and ids never change, so a remembered pair mostly holds; each use verifies it by
 * reading the code. A wrong entry can therefore only cost a request, never cause a wrong result.
 */
import { isUuid } from './checks.ts';
import type { QrCode } from './shapes.ts';

type SlugOfCode = Pick<QrCode, 'id' | 'slug'>;

/** Storage between runs; its methods must not throw. */
export interface SlugStore {
  /** What was kept, or undefined where there is nothing that can be read. */
  read(): Promise<unknown>;
  write(kept: readonly (readonly [slug: string, id: string])[]): Promise<void>;
}

export interface SlugMemory {
  idOf(slug: string): Promise<string | undefined>;
  /** How many are known: at least as many codes were listed once. */
  size(): Promise<number>;
  /** Takes note of codes that the service showed. */
  note(codes: readonly SlugOfCode[]): void;
  /** What was known of the slug is no longer true. */
  forget(slug: string): void;
  /** As `forget`, for the code that is gone. */
  forgetCode(id: string): void;
  /** Keeps what has changed for the next run. Never throws. */
  save(): Promise<void>;
}

/** More than a workspace has, and little enough to be read at once: a megabyte. */
const MOST_SLUGS = 20_000;
/** A longer one is asked for by its id. */
const LONGEST_SLUG = 64;

export function createSlugMemory(store: SlugStore): SlugMemory {
  let kept: Promise<Map<string, string>> | undefined;
  /** Seen in this run; undefined is forgotten. The last seen come last. */
  const seen = new Map<string, string | undefined>();
  const gone = new Set<string>();

  const read = () => {
    kept ??= store.read().then(checked);
    return kept;
  };

  /** What was kept and what was seen, the oldest first. */
  async function known(): Promise<Map<string, string>> {
    const all = new Map(await read());
    for (const [slug, id] of seen) {
      if (all.get(slug) === id) continue;
      all.delete(slug);
      if (id !== undefined) all.set(slug, id);
    }
    for (const [slug, id] of gone.size > 0 ? [...all] : []) if (gone.has(id)) all.delete(slug);
    return all;
  }

  return {
    async idOf(slug) {
      const id = seen.has(slug) ? seen.get(slug) : (await read()).get(slug);
      return id === undefined || gone.has(id) ? undefined : id;
    },
    size: async () => (await known()).size,
    note(codes) {
      for (const { slug, id } of codes) {
        if (slug.length > LONGEST_SLUG) continue;
        seen.delete(slug);
        seen.set(slug, id.toLowerCase());
      }
    },
    forget(slug) {
      seen.set(slug, undefined);
    },
    forgetCode(id) {
      gone.add(id);
    },
    async save() {
      if (seen.size === 0 && gone.size === 0) return;
      const before = await read();
      const all = await known();
      const isSame = all.size === before.size && [...all].every(([slug, id]) => before.get(slug) === id);
      if (!isSame) await store.write([...all].slice(-MOST_SLUGS));
    },
  };
}

/** Remembers nothing between runs. */
export const NO_SLUG_STORE: SlugStore = { read: async () => undefined, write: async () => undefined };

/** Whatever was read, as far as it is slugs and ids. */
function checked(data: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const pair of Array.isArray(data) ? data.slice(0, MOST_SLUGS) : []) {
    const [slug, id]: unknown[] = Array.isArray(pair) ? pair : [];
    if (typeof slug === 'string' && typeof id === 'string' && isUuid(id)) found.set(slug, id);
  }
  return found;
}
