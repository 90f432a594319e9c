/** Bytes of files that other processes write to while they are read. */
import { randomBytes } from 'node:crypto';
import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
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

it.each([
  [
    'gone.csv',
    'cannot read gone.csv: no such file',
    'Correct the path, or write the file first with `qrctl scans export -o FILE --append`.',
    'ENOENT',
  ],
  ['.', 'cannot read .: it is a directory', undefined, undefined],
  ['a.csv/b.csv', /^cannot read a\.csv\/b\.csv: .*\(ENOTDIR\)$/, undefined, 'ENOTDIR'],
  [
    'short.gz',
    /^short\.gz is not a complete gzip file: unexpected end of file/,
    'The file may be truncated. Copy or export it again.',
    'Z_BUF_ERROR',
  ],
])("%s is refused if it can't be read, with the reason and a hint", async (name, message, hint, code) => {
  const directory = await useDirectory();
  await writeFile(join(directory, 'a.csv'), 'a');
  await writeFile(join(directory, 'short.gz'), gzipSync(randomBytes(1000)).subarray(0, 500));
  const read = async () => {
    for await (const _ of readInputBytes(join(directory, name)));
  };
  const error = await read().catch((caught: Error & { hint?: string }) => caught);
  expect(error?.message.replace(`${directory}/`, '').replace(directory, '.')).toMatch(message);
  expect(error).toMatchObject({ name: 'UsageError', hint });
  expect((error?.cause as NodeJS.ErrnoException | undefined)?.code).toBe(code);
});
