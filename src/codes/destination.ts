/**
 * Checks destinations, with the same rule for every command. A destination that cannot be opened when scanned is refused before it is
 * sent, unless `--force` is given, because a printed code can't be recalled; a questionable one is a warning.
 */
import { isDotless, parseUrl } from '../text/parse-url.ts';
import { quote } from '../text/quote.ts';

/**
 * Problem of a destination. `qr check` uses `empty` and `not-web` too; `unusable`: no browser can open it; `dotless`: only a browser in
 * the same private network can; `odd`: most can.
 */
export type DestinationProblem = { kind: 'empty' | 'not-web' | 'unusable' | 'dotless' | 'odd'; words: string };

/** Problems of a code that cannot be opened when scanned. */
const DEAD: ReadonlySet<DestinationProblem['kind']> = new Set(['empty', 'unusable', 'dotless']);

/** Returns whether a code with this problem cannot be opened when scanned. */
export function isDead({ kind }: DestinationProblem): boolean {
  return DEAD.has(kind);
}

const SCHEME = /^\s*([a-z][a-z0-9+.-]*):/i;

/**
 * Returns the problem of a destination, worded to follow "destination ", or undefined. Only for `type` url, the default: the specification
 * does not define destinations of other types.
 */
export function findDestinationProblem(
  destination: string | null | undefined,
  type: string = 'url',
): DestinationProblem | undefined {
  if (type !== 'url') return undefined;
  if (destination === undefined || destination === null || destination.trim() === '')
    return { kind: 'empty', words: 'is empty and cannot be opened when scanned' };
  const scheme = SCHEME.exec(destination)?.[1]?.toLowerCase();
  const shown = () => quote(destination);
  if (scheme === undefined || looksLikeHostAndPort(destination.trim())) {
    return { kind: 'unusable', words: `${shown()} cannot be opened when scanned: it does not begin with https://` };
  }
  if (!/^https?$/.test(scheme))
    return { kind: 'not-web', words: `${shown()} is not a web address, so not every phone can open it` };
  const url = /^\s*https?:\/\/[^/?#\s]/i.test(destination) ? parseUrl(destination) : undefined;
  if (!url) return { kind: 'unusable', words: `${shown()} cannot be opened when scanned: it is not a valid URL` };
  if (isDotless(url)) return { kind: 'dotless', words: `${shown()} cannot be opened when scanned: its host name has no dot` };
  if (/\s/.test(destination)) return { kind: 'odd', words: `${shown()} contains a space` };
  return undefined;
}

/** `example.com:8080/menu`, whose beginning looks like a scheme. */
function looksLikeHostAndPort(text: string): boolean {
  const colon = text.indexOf(':');
  return colon > 0 && text.slice(0, colon).includes('.') && /^:\d+(\/|$)/.test(text.slice(colon));
}
