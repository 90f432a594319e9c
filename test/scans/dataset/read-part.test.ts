/** A part that was damaged is named, and nothing is made of it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exitCodeOf, LocalError } from '#base/errors';
import { nodeDisk } from '#files/durable/node-disk';
import { createParquetFormatter } from '#files/formats/parquet/parquet';
import type { DatasetIdentity } from '#scans/dataset/manifest';
import { readPart } from '#scans/dataset/parts';
import { useDirectory } from '../../support/cli.ts';

const NAMES = ['qr_id', 'id', 'ts'];
const identity = { format: 'parquet' } as DatasetIdentity;

it('reading a part whose metadata length was changed fails with exit code 1, the path of the file and a hint', async () => {
  const formatter = createParquetFormatter(NAMES);
  const rows = [1, 2, 3].map((id) => ({ qr_id: 'a', id, ts: '2026-10-01T01:02:03.004Z' }));
  const whole = Buffer.concat([
    Buffer.from(formatter.rows(rows) as Uint8Array),
    Buffer.from(formatter.end() as Uint8Array),
  ]);
  const path = join(await useDirectory(), 'part-000001.parquet');
  const part = { bytes: whole.length };
  const read = async () => {
    const ids: string[] = [];
    await readPart({ disk: nodeDisk, path, part, identity, begin: '' }, ({ id }) => ids.push(id));
    return ids;
  };
  await writeFile(path, whole);
  expect(await read()).toEqual(['1', '2', '3']);

  whole[whole.length - 6] = 0xff; // how long the metadata is
  await writeFile(path, whole);
  const error: unknown = await read().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LocalError);
  expect(exitCodeOf(error)).toBe(1);
  expect((error as LocalError).message).toContain(`cannot read ${path}: the file is damaged (`);
  expect((error as LocalError).hint).toMatch(/^Restore the file from a backup, or /);
});
