/** UTM tags: the five parameters of an address by which web statistics tell campaigns apart, written the same way each time. */
import { parseUrl } from '../text/parse-url.ts';

export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
type UtmName = (typeof UTM_NAMES)[number];

/** Values as a person gave them; what is not there stays as the address has it. */
export type UtmTags = Readonly<Partial<Record<UtmName, string>>>;

/**
 * The one form of a value: composed (NFC), lower case whatever the machine's language, and blanks as one underscore. Statistics tell
 * `Spring Sale`, `spring sale` and `spring_sale ` apart, and nobody meant that. Empty where there is nothing but blanks.
 */
export function normaliseUtm(value: string): string {
  return value
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[\s_]*\s[\s_]*/gu, '_');
}

/**
 * The address with these tags, in the order of their names, each in its one form; a tag that the address has already is replaced where it
 * stands. All else stays as it is, to the character. Throws a RangeError where it is no web address.
 */
export function addUtm(address: string, tags: UtmTags): string {
  const trimmed = address.trim();
  if (!/^https?:\/\//i.test(trimmed) || !parseUrl(trimmed))
    throw new RangeError("is not a web address, so UTM tags can't be added");
  const [, before = '', query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(trimmed) ?? [];
  const parts = (query ?? '').split('&').filter((part) => part !== '');
  for (const name of UTM_NAMES) {
    const value = tags[name];
    if (value === undefined) continue;
    const part = `utm_${name}=${encodeURIComponent(normaliseUtm(value))}`;
    const isSame = (other: string) => other.split('=', 1)[0]?.toLowerCase() === `utm_${name}`;
    const at = parts.findIndex(isSame);
    if (at < 0) parts.push(part);
    else parts.splice(at, parts.length - at, part, ...parts.slice(at + 1).filter((other) => !isSame(other)));
  }
  return `${before}${parts.length > 0 ? `?${parts.join('&')}` : ''}${fragment}`;
}
