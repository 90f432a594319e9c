import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEarlier, readEarlierIds } from '#commands/qr/rows/earlier-results';
import { useDirectory } from '../../../support/cli.ts';

const RESULTS = 'id,outcome\nID-1,created\n,failed\n';

async function fileWith(text: string | Buffer, name = 'codes.results.csv'): Promise<string> {
  const path = join(await useDirectory(), name);
  await writeFile(path, text);
  return path;
}

it('earlier results are read, and a missing or empty file contains none', async () => {
  const path = await fileWith(RESULTS);
  expect((await readEarlier(path, false))?.rows).toHaveLength(2);
  expect(await readEarlierIds(path)).toEqual(new Set(['id-1']));
  expect(await readEarlier(await fileWith(''), false)).toBeUndefined();
  expect(await readEarlier(`${path}.new`, false)).toBeUndefined();
});

it.each([
  ['has no column outcome', 'id,name\n1,a\n'],
  ['is not a table', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2])],
])('a file that %s is replaced by results only with --overwrite', async (_, text) => {
  const path = await fileWith(text, 'results.csv');
  await expect(readEarlier(path, false)).rejects.toMatchObject({
    message: `cannot write ${path}: it is not a results file`,
    hint: 'Specify a different file with --results, or add --overwrite to replace this file.',
  });
  expect(await readEarlier(path, true)).toBeUndefined();
  expect(await readEarlierIds(path)).toEqual(new Set());
});

it('results cannot be written to a device', async () => {
  await expect(readEarlier('/dev/null', true)).rejects.toMatchObject({
    message: 'cannot write results to /dev/null: it is not a regular file',
    hint: 'Specify a regular file with --results.',
  });
});

it('there are no earlier IDs without a file, or in a missing file', async () => {
  expect(await readEarlierIds(undefined)).toEqual(new Set());
  expect(await readEarlierIds(join(await useDirectory(), 'none.csv'))).toEqual(new Set());
});
