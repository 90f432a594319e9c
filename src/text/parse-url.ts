/**
 * An address as its parts, or undefined where it is none. Not by `URL.canParse`: that of Node 20, once it is compiled (after some 6,000
 * calls), takes every address with a letter such as ü for none, because it reads Latin-1 as UTF-8. `URL.parse` is not in Node 20.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Whether the host of a web address is a name that only a private network knows, or a placeholder: one without a dot, but for localhost. */
export function isDotless({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '');
  return name !== 'localhost' && !name.startsWith('[') && !name.includes('.');
}
