import { UsageError } from '#base/errors';
import { isUuid } from '#service/checks';
import { oldestFirst } from './oldest-first.ts';

export const FILE_NAMES = ['id', 'slug'] as const;
export type FileNames = (typeof FILE_NAMES)[number];

const SAFE = /^[a-z0-9][a-z0-9_-]{0,99}$/i;

export function isDeviceName(name: string): boolean {
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name);
}

interface NamedCode {
  id: string;
  slug?: string;
  created_at?: string;
}

/**
 * Returns a function that names files by ID, or by a safe slug if `names` is `slug`. If slugs differ only in
 * case, the oldest code gets the name, so names are stable. The function throws UsageError for an ID that is
 * not a UUID.
 */
export function createFileNames(codes: readonly NamedCode[], names: FileNames): (code: NamedCode) => string {
  const owners = new Map<string, string>();
  if (names === 'slug') {
    for (const { id, slug = '' } of oldestFirst(codes)) {
      const folded = slug.toLowerCase();
      if (SAFE.test(slug) && !isDeviceName(slug) && !isUuid(slug) && !owners.has(folded))
        owners.set(folded, id);
    }
  }
  return ({ id, slug = '' }) => {
    if (!isUuid(id))
      throw new UsageError(`cannot use the ID ${JSON.stringify(id)} as a file name: not a UUID`);
    return owners.get(slug.toLowerCase()) === id ? slug : id.toLowerCase();
  };
}
