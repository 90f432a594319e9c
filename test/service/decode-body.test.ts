import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBody } from '#service/decode-body';
import { anyCharacter } from '../support/any-character.ts';
import { runs } from '../support/property-runs.ts';

/** Longer than the bodies that are decoded as they are. */
const PADDING = 'x'.repeat(64 * 1024);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return 'not JSON';
  }
}

test('a large JSON body is decoded with escapes in place of characters beyond ASCII', async () => {
  const body = JSON.stringify({ city: 'Łódź', emoji: '😀', quoted: '"é', padding: PADDING });
  const text = await decodeBody(Buffer.from(body), '', true);
  expect(text).toMatch(/^[\0-\x7f]+$/);
  expect(text).toContain('"\\u0141\\u00f3d\\u017a","emoji":"\\ud83d\\ude00"');
  expect(JSON.parse(text)).toEqual(JSON.parse(body));
  expect(await decodeBody(gzipSync(body), 'gzip', true)).toBe(text);
});

test.each([
  ['is printed', JSON.stringify({ city: 'Łódź', padding: PADDING }), false],
  ['is small', JSON.stringify({ city: 'Łódź' }), true],
  ['is not a JSON object', `<p>Łódź</p>${PADDING}`, true],
  ['has a backslash before such a character', `{"city":"\\é","padding":"${PADDING}"}`, true],
])('a body keeps its non-ASCII characters if it %s', async (_, body, escapes) => {
  expect(await decodeBody(Buffer.from(body), '', escapes)).toBe(body);
});

test('a body with escapes is JSON if and only if the original is, and has the same value', async () => {
  const piece = fc.oneof(
    fc.string({ unit: anyCharacter }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('\\', '\\\\', '"', '\\u', 'é', '\ufeff').map((text) => Buffer.from(text)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const body = Buffer.concat([Buffer.from(`{"${PADDING}":"`), ...pieces, Buffer.from('"}')]);
      expect(parsed(await decodeBody(body, '', true))).toEqual(parsed(await decodeBody(body, '')));
    }),
    runs(20),
  );
});
