/**
 * One rule for where codes point to, whichever command meets it: what would lead nowhere when it is scanned is worth a warning and no
 * more, because the service's own rules for destinations are not known; it refuses (400) what it does not take.
 */
import { parseUrl } from './parse-url.ts';
import { quote } from './quote.ts';

/** `empty` and `not-web` are called so by `qr check` too; `unusable`: no browser could go there; `odd`: most could, all the same. */
export type DestinationProblem = { kind: 'empty' | 'not-web' | 'unusable' | 'odd'; words: string };

const SCHEME = /^\s*([a-z][a-z0-9+.-]*):/i;

/**
 * What is wrong with a destination, in words that go on from "destination ", or undefined. Of `type` url, which a code has unless another is
 * said: for the others the specification does not say what a destination is, and nothing is wrong with any.
 */
export function findDestinationProblem(
  destination: string | null | undefined,
  type: string = 'url',
): DestinationProblem | undefined {
  if (type !== 'url') return undefined;
  if (destination === undefined || destination === null || destination.trim() === '')
    return { kind: 'empty', words: 'is empty: the code will point nowhere' };
  const scheme = SCHEME.exec(destination)?.[1]?.toLowerCase();
  const shown = quote(destination);
  if (scheme === undefined || looksLikeHostAndPort(destination.trim())) {
    const words = `${shown} leads nowhere when it is scanned: an address begins with https:// or another scheme`;
    return { kind: 'unusable', words };
  }
  if (!/^https?$/.test(scheme)) return { kind: 'not-web', words: `${shown} is no web address: not every phone can open it` };
  if (!/^\s*https?:\/\/[^/?#\s]/i.test(destination) || !parseUrl(destination))
    return { kind: 'unusable', words: `${shown} leads nowhere when it is scanned: no browser can open it` };
  if (/\s/.test(destination)) return { kind: 'odd', words: `${shown} has a space in it` };
  return undefined;
}

/** `example.com:8080/menu`, whose beginning reads like a scheme. */
function looksLikeHostAndPort(text: string): boolean {
  const colon = text.indexOf(':');
  return colon > 0 && text.slice(0, colon).includes('.') && /^:\d+(\/|$)/.test(text.slice(colon));
}
