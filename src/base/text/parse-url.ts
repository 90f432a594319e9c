/**
 * Parses an address; returns undefined if it is invalid. Without `URL.canParse`: in Node 20, once compiled (after some 6,000
 * calls), it rejects every address with a letter such as ü, because it reads Latin-1 as UTF-8. `URL.parse` is not in Node 20.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  // An exception costs twenty times as much as an address, and a file may have a million rows without one.
  if (base === undefined && !text.includes(':')) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Returns whether the host is a name without a dot (except localhost): a name of a private network, or a placeholder. */
export function isDotless({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '');
  return name !== 'localhost' && !name.startsWith('[') && !name.includes('.');
}
