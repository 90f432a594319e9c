/** Caches codes by slug. Commands fetch a code before use, so a wrong entry costs only one request. */
import { isUuid } from './checks.ts';
import { isObject } from './json.ts';
import type { QrCode } from './shapes.ts';

export type KnownCode = Pick<QrCode, 'id' | 'slug' | 'name'>;

/** Latest listing of all codes. `answered`: whether all pages arrived in time. */
export interface Listing {
  atMs: number;
  answered: boolean;
}

type KeptCode = readonly [slug: string, id: string, name: string];

interface Kept {
  listing?: Listing;
  codes: readonly KeptCode[];
}

/** Store on disk whose methods don't throw. */
export interface SlugStore {
  read(): Promise<unknown>;
  /** Returns whether the store contains all of `codes`, without parsing it. */
  has(codes: readonly KeptCode[]): Promise<boolean>;
  write(kept: Kept): Promise<void>;
}

const MOST_SLUGS = 20_000;
/** Maximum number of codes to search for in the unparsed cache, to keep short runs fast. */
const MOST_LOOKED_FOR = 500;
const LONGEST_SLUG = 64;
const LONGEST_NAME = 100;

export function createSlugMemory(store: SlugStore) {
  let kept: Promise<{ listing: Listing | undefined; codes: Map<string, KnownCode> }> | undefined;
  /** Codes received in this run; undefined for a forgotten slug. */
  let seen = new Map<string, KnownCode | undefined>();
  const deleted = new Set<string>();
  let listed: (Listing & { whole: boolean }) | undefined;

  const read = () => {
    kept ??= store.read().then(checked);
    return kept;
  };

  async function known(): Promise<Map<string, KnownCode>> {
    const all = new Map(listed?.whole ? [] : (await read()).codes);
    for (const [slug, code] of seen) {
      if (isSame(all.get(slug), code)) continue;
      all.delete(slug);
      if (code !== undefined) all.set(slug, code);
    }
    for (const [slug, { id }] of all) if (deleted.has(id)) all.delete(slug);
    return all;
  }

  async function isKept(codes: readonly (KnownCode | undefined)[]): Promise<boolean> {
    if (codes.length === 0) return true;
    const entries =
      codes.length <= MOST_LOOKED_FOR ? codes.flatMap((code) => (code ? [keptOf(code)] : [])) : [];
    return entries.length === codes.length && store.has(entries);
  }

  function remember(slug: string, code: KnownCode | undefined): void {
    seen.delete(slug);
    seen.set(slug, code);
    if (seen.size > 2 * MOST_SLUGS) seen = new Map([...seen].slice(-MOST_SLUGS));
  }

  return {
    async idOf(slug: string) {
      const code = (seen.has(slug) ? seen : (await read()).codes).get(slug);
      return code === undefined || deleted.has(code.id) ? undefined : code.id;
    },
    size: async () => (await known()).size,
    note(codes: readonly KnownCode[]) {
      for (const { slug, id, name } of codes) {
        if (slug.length > LONGEST_SLUG) continue;
        remember(slug, { slug, id: id.toLowerCase(), name: name.slice(0, LONGEST_NAME) });
      }
    },
    noteListing(listing: Listing & { whole: boolean }) {
      listed = listing;
    },
    listing: async () => listed ?? (await read()).listing,
    codes: async () => [...(await known()).values()],
    forget(slug: string) {
      remember(slug, undefined);
    },
    forgetCode(id: string) {
      deleted.add(id);
    },
    async save() {
      if (deleted.size === 0 && listed === undefined && (await isKept([...seen.values()]))) return;
      const { listing: before, codes } = await read();
      const all = await known();
      if (
        listed === undefined &&
        all.size === codes.size &&
        [...all].every(([slug, code]) => isSame(codes.get(slug), code))
      )
        return;
      const listing = listed ? { atMs: listed.atMs, answered: listed.answered } : before;
      const kept = [...all.values()].slice(-MOST_SLUGS).map(keptOf);
      await store.write({ listing, codes: kept });
    },
  };
}

function keptOf({ slug, id, name }: KnownCode): KeptCode {
  return [slug, id, name];
}

function isSame(one: KnownCode | undefined, other: KnownCode | undefined): boolean {
  return one?.id === other?.id && one?.name === other?.name;
}

function checked(data: unknown): { listing: Listing | undefined; codes: Map<string, KnownCode> } {
  const { listing, codes: all }: Partial<Record<keyof Kept, unknown>> = isObject(data) ? data : {};
  const { atMs, answered }: Partial<Record<keyof Listing, unknown>> = isObject(listing) ? listing : {};
  const codes = new Map<string, KnownCode>();
  for (const entry of Array.isArray(all) ? all.slice(0, MOST_SLUGS) : []) {
    const [slug, id, name]: unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof slug === 'string' && typeof id === 'string' && isUuid(id) && typeof name === 'string')
      codes.set(slug, { slug, id, name });
  }
  return {
    listing: Number.isSafeInteger(atMs) ? { atMs: Number(atMs), answered: answered === true } : undefined,
    codes,
  };
}
