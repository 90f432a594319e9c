import { MOST_BYTES } from '#base/bounds';
import type { Headers } from '#service/transport';

const MOST_COOKIES = 50;

/**
 * Stores cookies, because some pages redirect to themselves until a cookie is sent. Supports `Domain` (RFC
 * 6265, 5.1.3) and removal by `Max-Age`.
 */
export function createCookies() {
  const all = new Map<string, { name: string; value: string; domain: string; exact: boolean }>();
  return {
    take({ hostname }: URL, headers: Headers) {
      for (const line of [headers['set-cookie'] ?? ''].flat()) {
        const [pair = '', ...attributes] = line.split(';');
        const at = pair.indexOf('=');
        if (at < 1 || pair.length > MOST_BYTES.cookies) continue;
        const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
        if (!/^[\x21-\x7e]*$/.test(name + value)) continue;
        const parent = attribute(attributes, 'domain')?.replace(/^\./, '').toLowerCase() ?? '';
        // Accepts the host and its parent domains except a top-level one. Any other `Domain` limits the
        // cookie to the host.
        const exact = !parent.includes('.') || !`.${hostname}`.endsWith(`.${parent}`);
        const domain = exact ? hostname : parent;
        const key = `${domain} ${name}`;
        if (Number(attribute(attributes, 'max-age') ?? 1) <= 0) all.delete(key);
        else if (all.has(key) || all.size < MOST_COOKIES) all.set(key, { name, value, domain, exact });
      }
    },
    for: ({ hostname }: URL): string =>
      [...all.values()]
        .filter(({ domain, exact }) => hostname === domain || (!exact && hostname.endsWith(`.${domain}`)))
        .map(({ name, value }) => `${name}=${value}`)
        .join('; '),
  };
}

function attribute(attributes: readonly string[], name: string): string | undefined {
  const found = attributes.find((text) => text.trim().toLowerCase().startsWith(`${name}=`));
  return found?.slice(found.indexOf('=') + 1).trim();
}
