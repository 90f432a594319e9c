import { orUndefined } from '../or-undefined.ts';

/**
 * Parses a valid address. `URL.canParse` of Node 20, once compiled, rejects every address with a letter such
 * as ü, and `URL.parse` is not in Node 20.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  // An exception takes twenty times as long as an address.
  if (base === undefined && !text.includes(':')) return undefined;
  return orUndefined(() => new URL(text, base));
}

/** Returns whether the host has no dot: a name of a private network, or a placeholder. */
export function isDotless({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '');
  return name !== 'localhost' && !name.startsWith('[') && !name.includes('.');
}
