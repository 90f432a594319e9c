/** UTM tags: the five parameters of a URL by which web analytics distinguish campaigns. */
import { parseUrl } from './parse-url.ts';

export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
type UtmName = (typeof UTM_NAMES)[number];

export type UtmTags = Readonly<Partial<Record<UtmName, string>>>;

/** Normalizes a value, because web analytics distinguish `Spring Sale` and `spring_sale `. */
export function normaliseUtm(value: string): string {
  return value
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[\s_]*\s[\s_]*/gu, '_');
}

/**
 * Adds normalized tags to a URL; an existing tag is replaced in place. The rest stays exact. Throws
 * RangeError if it is not a web address.
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

/** Returns the decoded value of the first such tag of a destination, as web analytics do. */
export function utmOf(destination: string | null | undefined, parameter: `utm_${UtmName}`): string | null {
  const [, query = ''] = /^[^?#]*\?([^#]*)/s.exec(destination ?? '') ?? [];
  for (const [key, value] of new URLSearchParams(query)) {
    if (key.toLowerCase() === parameter) return value.trim() || null;
  }
  return null;
}
