/** Names of files that hold one code each: its id, or its slug where that is safe as a name and nobody else's. */
import { UsageError } from '../errors.ts';
import { isUuid } from '../service/checks.ts';

export const FILE_NAMES = ['id', 'slug'] as const;
export type FileNames = (typeof FILE_NAMES)[number];

/** Letters, digits, `-` and `_` mean themselves in every shell and file system; a slug is written by others, and may hold anything. */
const SAFE = /^[a-z0-9][a-z0-9_-]{0,99}$/i;
/** Windows has devices of these names, whatever the extension. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

interface NamedCode {
  id: string;
  slug?: string;
  created_at?: string;
}

/**
 * The name, without an extension, of the file of each of these codes. Of slugs that differ by case only, which many file systems do not tell
 * apart, the oldest code's is taken: so a name stays with its code when another comes. Throws UsageError for an id that is no uuid.
 */
export function createFileNames(codes: readonly NamedCode[], names: FileNames): (code: NamedCode) => string {
  const owners = new Map<string, string>();
  if (names === 'slug') {
    const byAge = [...codes].sort((a, b) => ((a.created_at ?? '') < (b.created_at ?? '') ? -1 : 1));
    for (const { id, slug = '' } of byAge) {
      const folded = slug.toLowerCase();
      if (SAFE.test(slug) && !DEVICES.test(slug) && !isUuid(slug) && !owners.has(folded)) owners.set(folded, id);
    }
  }
  return ({ id, slug = '' }) => {
    if (!isUuid(id)) throw new UsageError(`cannot use the id ${JSON.stringify(id)} as a file name: not a UUID`);
    return owners.get(slug.toLowerCase()) === id ? slug : id.toLowerCase();
  };
}
