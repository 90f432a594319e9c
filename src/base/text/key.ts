import { UsageError } from '#base/errors';

const LIVE_PREFIX = 'svc_live_';
const LONGEST_KEY = 512;
const SHOWN = 4;

/** Returns the key if valid. Otherwise, throws UsageError, without the key in the message. */
export function checkKey(key: string, origin: string): string {
  const problem = keyProblem(key);
  if (problem === undefined) return key;
  throw new UsageError(`${origin} ${problem}`, {
    hint: 'Copy the key again from the API Keys page, without extra characters.',
  });
}

export function keyProblem(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (key.length > LONGEST_KEY) return `is longer than ${LONGEST_KEY} characters, the maximum for an API key`;
  if (/^[\x21-\x7e]+$/.test(key)) return undefined;
  return 'contains an invalid character (a space, a line break or a non-ASCII character)';
}

export function hasLivePrefix(key: string): boolean {
  return key.startsWith(LIVE_PREFIX);
}

/** Formats a key as `svc_live_ab12…`. Shows four characters of the secret, but at most half of it. */
export function keyPrefix(key: string): string {
  const start = hasLivePrefix(key) ? LIVE_PREFIX.length : 0;
  return `${key.slice(0, start + Math.min(SHOWN, Math.floor((key.length - start) / 2)))}…`;
}

const PUNCTUATION = '\'":.,)`';

/** Redacts keys that begin with `svc_live_`. In responses, excerpt.ts redacts the current key. */
export function redactKeys(text: string): string {
  return text.replace(/svc_live_([\x21-\x7e]+)/g, (key, secret: string, at: number) => {
    if (secret.length <= SHOWN && text.charAt(at + key.length) === '…') return key;
    let end = key.length;
    while (end > LIVE_PREFIX.length + 1 && PUNCTUATION.includes(key.charAt(end - 1))) end--;
    return keyPrefix(key.slice(0, end)) + key.slice(end);
  });
}
