import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createFileHash, hashFile } from '#scans/append/file-hash';
import { createMemoryDisk } from '../../support/memory-disk.ts';

const BLOCK = 64 * 1024;
const CONTENT = Buffer.from(Array.from({ length: 3 * BLOCK + 100 }, (_, i) => (i * 7) % 253));

async function openContent(content = CONTENT) {
  const memory = createMemoryDisk();
  memory.write('/data/x', content);
  return memory.disk.open('/data/x', 'r+');
}

it('a file hash does not depend on the sizes of the updates', () => {
  const whole = createFileHash();
  whole.update(CONTENT);
  for (const size of [1000, BLOCK, BLOCK + 1, 2 * BLOCK]) {
    const pieces = createFileHash();
    for (let at = 0; at < CONTENT.length; at += size) pieces.update(CONTENT.subarray(at, at + size));
    expect(pieces.digests()).toEqual(whole.digests());
  }
  const blocks = createFileHash();
  blocks.update(CONTENT.subarray(0, 3 * BLOCK));
  expect(blocks.digests().blocks).toBe(whole.digests().blocks);
  expect(blocks.digests().sha256).not.toBe(whole.digests().sha256);
});

it('a file hash chains the blocks: the input of each SHA-256 begins with the digest of the previous block', () => {
  const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const hash = createFileHash();
  expect(hash.digests()).toEqual({ sha256: sha256().toString('hex'), blocks: '' });
  hash.update(CONTENT.subarray(0, BLOCK + 5));
  const first = sha256(CONTENT.subarray(0, BLOCK));
  const second = sha256(first, CONTENT.subarray(BLOCK, BLOCK + 5));
  expect(hash.digests()).toEqual({ sha256: second.toString('hex'), blocks: first.toString('hex') });
});

it.each([0, 5, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, CONTENT.length])(
  'a file hash of %i bytes is resumed from the digest of its complete blocks by reading less than one block (A19)',
  async (bytes) => {
    const { blocks } = (await hashFile(await openContent(), bytes)).digests();
    const file = await openContent();
    let read = 0;
    const counted: typeof file = {
      ...file,
      async read(...given) {
        const result = await file.read(...given);
        read += result.bytesRead;
        return result;
      },
    };
    const going = await hashFile(counted, bytes, blocks);
    expect(read).toBe(bytes % BLOCK);
    going.update(CONTENT.subarray(bytes));
    expect(going.digests()).toEqual((await hashFile(await openContent(), CONTENT.length)).digests());
  },
);

it('a file hash changes if one bit of any byte changes', async () => {
  const small = CONTENT.subarray(0, 40);
  const { sha256 } = (await hashFile(await openContent(small), 40)).digests();
  for (let at = 0; at < 40; at++) {
    const changed = Buffer.from(small);
    changed[at] = (changed[at] as number) ^ 1;
    expect((await hashFile(await openContent(changed), 40)).digests().sha256).not.toBe(sha256);
  }
});

it('hashing a file rejects with the abort reason of its signal', async () => {
  const signal = AbortSignal.abort(new Error('interrupted'));
  await expect(hashFile(await openContent(), 9, undefined, signal)).rejects.toThrow('interrupted');
});
