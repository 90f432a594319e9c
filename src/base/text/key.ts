import { UsageError } from '../errors.ts';

const LIVE_PREFIX = 'svc_live_';
const LONGEST_KEY = 512;
const SHOWN = 4;

/**
 * Returns the key if it is valid in a header. Throws UsageError with `origin` (the source of the key), never
 * with the key.
 */
export function checkKey(key: string, origin: string): string {
  const problem = keyProblem(key);
  if (problem === undefined) return key;
  throw new UsageError(`${origin} ${problem}`, {
    hint: 'Copy the key again from the API Keys page, without extra characters.',
  });
}

/** Returns a clause without a subject. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (key.length > LONGEST_KEY) return `is longer than ${LONGEST_KEY} characters, the maximum for an API key`;
  if (/^[\x21-\x7e]+$/.test(key)) return undefined;
  return 'contains an invalid character (a space, a line break or a non-ASCII character)';
}

/** Returns whether the key begins like the service's keys. If not, a note is enough. */
export function hasLivePrefix(key: string): boolean {
  return key.startsWith(LIVE_PREFIX);
}

/**
 * Formats a key for display: prefix and four characters, `svc_live_ab12…`, but at most half of the secret
 * part.
 */
export function keyPrefix(key: string): string {
  const start = hasLivePrefix(key) ? LIVE_PREFIX.length : 0;
  return `${key.slice(0, start + Math.min(SHOWN, Math.floor((key.length - start) / 2)))}…`;
}

/** Punctuation that may follow a key in a sentence. */
const PUNCTUATION = '\'":.,)`';

/**
 * Redacts every key with the service's prefix. In text from responses, service/excerpt.ts redacts the current
 * key.
 */
export function redactKeys(text: string): string {
  let redacted = '';
  let from = 0;
  for (let at = text.indexOf(LIVE_PREFIX); at >= 0; at = text.indexOf(LIVE_PREFIX, from)) {
    const start = at + LIVE_PREFIX.length;
    let end = start;
    while (isVisibleAscii(text.charCodeAt(end))) end++;
    const isCut = text.charAt(end) === '…' && end - start <= SHOWN;
    if (end === start || isCut) {
      redacted += text.slice(from, end);
    } else {
      let last = end;
      while (last > start + 1 && PUNCTUATION.includes(text.charAt(last - 1))) last--;
      redacted += text.slice(from, at) + keyPrefix(text.slice(at, last)) + text.slice(last, end);
    }
    from = end;
  }
  return redacted + text.slice(from);
}

function isVisibleAscii(unit: number): boolean {
  return unit >= 0x21 && unit <= 0x7e;
}
