/** Salted fingerprints of an API key, by which a file recognizes the key without holding it. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SALT_BYTES = 16;

/** Returns `SALT:SHA-256`, both in hex, with a new random salt. A key is long and random, so that no slow hash is needed. */
export function createFingerprint(apiKey: string): string {
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return `${salt}:${hashOf(salt, apiKey).toString('hex')}`;
}

/** Returns whether a fingerprint is of this key; false for any other text. */
export function matchesFingerprint(fingerprint: string, apiKey: string): boolean {
  const [salt = '', hash = ''] = fingerprint.split(':');
  const [found, wanted] = [Buffer.from(hash, 'hex'), hashOf(salt, apiKey)];
  return found.length === wanted.length && timingSafeEqual(found, wanted);
}

function hashOf(salt: string, apiKey: string): Buffer {
  return createHash('sha256').update(`qrctl workspace\n${salt}\n${apiKey}`).digest();
}
