/** Bytes of files that other processes write to while they are read. */
import { randomBytes } from 'node:crypto';
import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readInputBytes } from '#files/formats/read/input-bytes';
import { useDirectory } from '../../../support/cli.ts';

/** Reads a file of 100,000 bytes. Calls `change` after the first piece. */
async function read(change: (path: string) => Promise<void>) {
  const path = join(await useDirectory(), 'a.csv');
  const content = randomBytes(100_000);
  await writeFile(path, content);
  const pieces: Buffer[] = [];
  for await (const piece of readInputBytes(path)) {
    if (pieces.length === 0) await change(path);
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces).equals(content);
}

it('a file is read up to its size at opening, even if another process appends to it', async () => {
  expect(await read((path) => appendFile(path, 'more'.repeat(100_000)))).toBe(true);
});

it('a file that is truncated while it is read is refused', async () => {
  await expect(read((path) => truncate(path, 50_000))).rejects.toMatchObject({
    message: expect.stringMatching(/a\.csv was truncated while it was read$/),
    hint: 'When no other process is writing to the file, run the command again.',
  });
});
