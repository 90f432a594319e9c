import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_BYTES } from '#base/bounds';
import { addChunk, decodeBody } from '#service/decode-body';
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

test('a JSON body of more than 64 KiB is decoded with escapes in place of characters beyond ASCII', async () => {
  const body = JSON.stringify({ city: 'Łódź', emoji: '😀', quoted: '"é', padding: PADDING });
  const text = await decodeBody(Buffer.from(body), '', true);
  expect(text).toMatch(/^[\0-\x7f]+$/);
  expect(text).toContain('"\\u0141\\u00f3d\\u017a","emoji":"\\ud83d\\ude00"');
  expect(JSON.parse(text)).toEqual(JSON.parse(body));
  expect(await decodeBody(gzipSync(body), 'gzip', true)).toBe(text);
});

test.each([
  ['is printed', JSON.stringify({ city: 'Łódź', padding: PADDING }), false],
  ['is smaller than 64 KiB', JSON.stringify({ city: 'Łódź' }), true],
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

test.each(['gzip', 'x-gzip'])('a body encoded as %s is decompressed unless it is empty', async (encoding) => {
  expect(await decodeBody(gzipSync('{}'), encoding)).toBe('{}');
  expect(await decodeBody(Buffer.alloc(0), encoding)).toBe('');
  expect(await decodeBody(Buffer.from('\ufeff[]'), 'identity')).toBe('[]');
});

test('a body that is damaged, larger than 64 MiB or in an unrequested encoding causes an error for a request that was sent', async () => {
  const damaged = gzipSync('{}').subarray(0, 15);
  await expect(decodeBody(damaged, 'gzip')).rejects.toMatchObject({
    message: 'the response was truncated or damaged (gzip)',
    fault: 'network',
    sent: true,
  });
  await expect(decodeBody(Buffer.from('x'), 'br')).rejects.toMatchObject({
    message: 'the response is encoded as br, which was not requested',
    fault: 'answer',
    sent: true,
  });
  const chunk = Buffer.alloc(1);
  const full = { size: () => MOST_BYTES.body, add: () => undefined } as never;
  const most = MOST_BYTES.body / 2 ** 20;
  expect(() => addChunk(full, chunk)).toThrow(
    expect.objectContaining({
      message: `the response is larger than ${most} MiB`,
      fault: 'answer',
      sent: true,
    }),
  );
  expect(() =>
    addChunk({ size: () => MOST_BYTES.body - 1, add: () => undefined } as never, chunk),
  ).not.toThrow();
});
