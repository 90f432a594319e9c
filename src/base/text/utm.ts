import { parseUrl } from './parse-url.ts';

export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
type UtmName = (typeof UTM_NAMES)[number];

export type UtmTags = Readonly<Partial<Record<UtmName, string>>>;

/** Normalizes a UTM value, because web analytics count `Spring Sale` and `spring_sale ` separately. */
export function normalizeUtm(value: string): string {
  return value
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[\s_]*\s[\s_]*/gu, '_');
}

/** Adds or replaces UTM tags (at least one). Throws RangeError if `address` is not a web address. */
export function addUtm(address: string, tags: UtmTags): string {
  if (!isWeb(address)) throw new RangeError("is not a web address, so UTM tags can't be added");
  const { before, parts, fragment } = splitQuery(address);
  for (const name of UTM_NAMES) {
    const value = tags[name];
    if (value === undefined) continue;
    const part = `utm_${name}=${encodeURIComponent(normalizeUtm(value))}`;
    const isSame = (other: string) => nameOf(other) === `utm_${name}`;
    const at = parts.findIndex(isSame);
    if (at < 0) parts.push(part);
    else parts.splice(at, parts.length, part, ...parts.slice(at + 1).filter((other) => !isSame(other)));
  }
  return `${before}?${parts.join('&')}${fragment}`;
}

export function droppedUtm(old: string, address: string): string[] {
  if (!isWeb(address)) return [];
  const kept = new Set(splitQuery(address).parts.map(nameOf));
  return splitQuery(old).parts.filter((part) => /^utm_[^=]+=./i.test(part) && !kept.has(nameOf(part)));
}

export function carryUtm(old: string, address: string): string {
  const dropped = droppedUtm(old, address);
  if (dropped.length === 0) return address;
  const { before, parts, fragment } = splitQuery(address);
  return `${before}?${[...parts, ...dropped].join('&')}${fragment}`;
}

export function isWeb(address: string): boolean {
  return /^\s*https?:\/\//i.test(address) && parseUrl(address.trim()) !== undefined;
}

function splitQuery(address: string): { before: string; parts: string[]; fragment: string } {
  const [, before = '', query = '', fragment = ''] =
    /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(address.trim()) ?? [];
  return { before, parts: query.split('&').filter((part) => part !== ''), fragment };
}

function nameOf(part: string): string {
  return part.replace(/=.*/s, '').toLowerCase();
}

export function utmOf(destination: string | null | undefined, parameter: `utm_${UtmName}`): string | null {
  const [, query = ''] = /^[^?#]*\?([^#]*)/s.exec(destination ?? '') ?? [];
  for (const [key, value] of new URLSearchParams(query)) {
    if (key.toLowerCase() === parameter) return value.trim() || null;
  }
  return null;
}
