import { orUndefined } from '#base/errors';
import { isDotless, parseUrl } from './parse-url.ts';

const PLACES = /\{(slug|id)\}/g;

const ANY_CODE = '0short0url0';

const HALF_CHARACTER = /\p{Surrogate}/gu;

/** Maximum length of a template in characters. A QR code holds at most 2,953 bytes. */
const LONGEST = 4096;

/**
 * Parses a template: an http or https URL without credentials, or braces other than `{slug}` and `{id}`.
 * Appends `/{slug}` if there is no placeholder.
 */
export function parseShortUrl(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const template = text.match(PLACES) ? text : text.replace(/\/?$/, '/{slug}');
  // Tests two codes, because some templates are valid hosts only for some codes (`xn--80a{slug}.example`).
  const [url, other] = ['x', ANY_CODE].map((code) => parseUrl(template.replace(PLACES, code)));
  if (!url || !other || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  // Rejects a query or fragment, which an appended `/{slug}` would become part of.
  if (template !== text && /[?#]/.test(text)) return undefined;
  return /[{}\s\p{Cc}]/u.test(template.replace(PLACES, '')) ? undefined : template;
}

export function findTemplateProblem(template: string): string | undefined {
  const url = parseUrl(template.replace(PLACES, 'x'));
  if (url && !isDotless(url)) return undefined;
  return 'has a host without a dot; replace it with the host that opens when you scan one of your codes (HOST is a placeholder)';
}

/** Returns a code's short URL in ASCII, because QR decoders disagree about other text. */
export function fillShortUrl(template: string, code: { id: string; slug: string }): string {
  const encode = (text: string) => encodeURIComponent(text.replace(HALF_CHARACTER, '\ufffd'));
  const filled = template.replace(PLACES, (_, place: 'slug' | 'id') => encode(code[place]));
  const [, start = '', host = '', rest = filled] = /^(https?:\/\/)([^/?#:[\]]*)(.*)$/is.exec(filled) ?? [];
  return start + inAscii(host) + rest.replace(BEYOND_ASCII, encode);
}

const BEYOND_ASCII = /[^\0-\x7f]+/g;

function inAscii(host: string): string {
  return /[^\0-\x7f]|%/.test(host) ? (parseUrl(`http://${host}`)?.hostname ?? host) : host;
}

/** Returns whether an address is a short URL in any spelling: a request to one counts as a scan. */
export function isShortUrl(template: string, address: URL): boolean {
  return patternOf(template).test(plainForm(address));
}

export function codeOfShortUrl(template: string, text: string): string | undefined {
  const address = parseUrl(text.trim());
  const [, code] = (address && patternOf(template).exec(plainForm(address))) ?? [];
  return code === undefined ? undefined : orUndefined(() => decodeURIComponent(code));
}

function patternOf(template: string): RegExp {
  const pattern = plainForm(new URL(template.replace(PLACES, ANY_CODE)))
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(ANY_CODE, '([^/?#&]+)')
    .replaceAll(ANY_CODE, '[^/?#&]+');
  return new RegExp(`^${pattern}/?([?#]|$)`, 'i');
}

function plainForm({ hostname, port, pathname, search }: URL): string {
  const path = pathname.replace(/\/{2,}/g, '/').replace(/%[2-7][0-9a-f]/gi, (encoded) => {
    const letter = decodeURIComponent(encoded);
    return /[\w.~-]/.test(letter) ? letter : encoded;
  });
  return `${hostname.replace(/\.$/, '')}:${port}${path}${search}`;
}
