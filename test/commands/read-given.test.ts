import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readGiven, readLogo } from '#commands/read-given';
import type { Context } from '#context';
import { useDirectory } from '../support/cli.ts';

const limits = { flag: '--from', mostBytes: 2 ** 20, whenLarger: 'split the file' };

const contextOf = (input: Iterable<Buffer>, signal = new AbortController().signal) =>
  ({ stdin: Readable.from(input), signal }) as Partial<Context> as Context;

it.each([
  ['codes.csv', 'cvs.csv', 'no such file', 'Correct the path, and run the command again.'],
  ['codes.csv', 'code.csv', 'no such file', 'Did you mean DIR/codes.csv?'],
  ['codes.csv', 'no/codes.csv', 'no such file', 'Correct the path, and run the command again.'],
  [
    'codes.csv',
    'codes.csv/x',
    'part of the path is not a directory (ENOTDIR)',
    'Pass a file to --from, or - for standard input.',
  ],
])(
  'in a directory with %s, reading %s fails with the reason "%s" and the expected hint',
  async (name, path, why, hint) => {
    const directory = await useDirectory();
    await writeFile(join(directory, name), 'id\n');
    const error = await readGiven(contextOf([]), join(directory, path), limits).catch((thrown) => thrown);
    expect([error.message, error.hint]).toEqual([
      `cannot read ${join(directory, path)}: ${why}`,
      hint.replace('DIR', directory),
    ]);
  },
);

it('readGiven reads standard input of up to the maximum size, and refuses larger input', async () => {
  const most = [Buffer.alloc(2 ** 19, 'a'), Buffer.alloc(2 ** 19, 'b')];
  expect((await readGiven(contextOf(most), '-', limits)).equals(Buffer.concat(most))).toBe(true);
  await expect(readGiven(contextOf([...most, Buffer.from('c')]), '-', limits)).rejects.toMatchObject({
    message: 'standard input is larger than 1 MiB',
    hint: 'split the file',
  });
});

it('readGiven throws the reason of an abort even if all bytes were read', async () => {
  const stop = new AbortController();
  function* chunks() {
    yield Buffer.from('a');
    stop.abort(new Error('stopped'));
  }
  await expect(readGiven(contextOf(chunks(), stop.signal), '-', limits)).rejects.toThrow('stopped');
});

it('readLogo returns the parsed logo, and refuses a file that is not a logo', async () => {
  const read = (fault?: string) =>
    readLogo(contextOf([Buffer.from('<svg/>')]), '-', async (bytes) =>
      fault === undefined ? { text: String(bytes) } : { fault },
    );
  expect(await read()).toEqual({ text: '<svg/>' });
  await expect(read('is not an image')).rejects.toMatchObject({
    message: 'standard input is not an image',
    hint: 'Specify a PNG or SVG file with --logo.',
  });
});
