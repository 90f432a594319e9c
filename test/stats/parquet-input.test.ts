/** Figures out of Parquet are those out of CSV. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCsvFormatter } from '../../src/output/csv.ts';
import { createParquetFormatter } from '../../src/output/parquet.ts';
import { readInputs } from '../../src/stats/input/read-scans.ts';
import { useDirectory } from '../support/cli.ts';

const NAMES = ['qr_id', 'qr_slug', 'qr_name', 'id', 'ts', 'country', 'referrer'];
const ROWS = [1n, 2n, 9_007_199_254_740_993n].map((id, i) => ({
  ...{ qr_id: '11111111-1111-4111-8111-111111111111', qr_slug: 'menu', qr_name: 'Menu' },
  ...{ id, ts: `2026-10-0${i + 1}T01:02:03.004Z`, country: i === 1 ? null : 'DE', referrer: '東京 🎌' },
}));

async function read(path: string): Promise<unknown[]> {
  const found: unknown[] = [];
  const start =
    () =>
    (ms: number, { id, referrer }: Readonly<Record<string, unknown>>, code: string) => {
      found.push([ms, String(id), referrer, code]);
    };
  await readInputs({
    paths: [path],
    dimensions: ['country', 'referrer'],
    start,
    note: () => undefined,
    pause: async () => undefined,
  });
  return found;
}

it('reads the same scans from Parquet as from CSV, and refuses what is cut', async () => {
  const directory = await useDirectory();
  await mkdir(join(directory, 'dt=2026-10-01'));
  const [csv, parquet] = ['a.csv', 'dt=2026-10-01/a.parquet'].map((name) => join(directory, name)) as [string, string];
  const text = createCsvFormatter(NAMES, { header: true, rawCells: false, excel: false });
  await writeFile(csv, Buffer.concat([Buffer.from(text.begin()), Buffer.from(text.rows(ROWS) as Uint8Array)]));
  const formatter = createParquetFormatter(NAMES);
  const bytes = Buffer.concat([Buffer.from(formatter.rows(ROWS) as Uint8Array), Buffer.from(formatter.end() as Uint8Array)]);
  await writeFile(parquet, bytes);
  expect(await read(parquet)).toEqual(await read(csv));
  await writeFile(parquet, bytes.subarray(0, bytes.length - 9));
  await expect(read(parquet)).rejects.toThrow(/is no file of scans: it is no whole Parquet file/);
});
