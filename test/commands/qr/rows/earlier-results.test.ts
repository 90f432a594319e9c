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

it.each([
  ['results', 'id,outcome,error\n', ['id', 'outcome', 'error']],
  ['the rows of `qr check`', 'id,outcome,http_status\n', ['id', 'outcome', 'http_status']],
  ['the rows of `scans watch`', 'outcome,last_scan,expected\n', ['outcome', 'last_scan', 'expected']],
  ['a plan of `qr apply`', 'id,action,changes\n', undefined],
  ['the summary of a run', '{"command":"qr create"}\n', undefined],
  ['other data', 'id,name\n', undefined],
])('results can replace a file that has %s', async (_, text, columns) => {
  expect((await readEarlier(await fileWith(text), true))?.columns).toEqual(columns);
});

it.each([
  ['is a lock file of `qr apply`', '{"version": 1, "base_url": "https://qr.example"}\n'],
  ['is a ledger of qrctl, or the journal of an earlier version', '{"is":"journal","version":2}\n'],
  ['is the list of the images of `qr image`', 'id,outcome,sha256\n'],
])('results cannot replace a file that %s', async (what, text) => {
  const path = await fileWith(text);
  await expect(readEarlier(path, true)).rejects.toMatchObject({
    message: `cannot write ${path}: it ${what}`,
    hint: 'Specify a different file with --results.',
  });
});
