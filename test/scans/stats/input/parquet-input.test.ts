/** Figures out of Parquet are those out of CSV. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetMetadata } from 'hyparquet';
import { expect, it } from 'vitest';
import { UnprovenError, UsageError } from '#base/errors';
import { createCsvFormatter } from '#files/formats/csv';
import { createParquetFormatter } from '#files/formats/parquet/parquet';
import { readParquetRows } from '#files/formats/parquet/parquet-rows';
import type { Row } from '#files/formats/row-sink';
import { readInputs } from '#scans/stats/input/read-scans';
import { useDirectory } from '../../../support/cli.ts';
import { SOAK } from '../../../support/property-runs.ts';

const NAMES = ['qr_id', 'qr_slug', 'qr_name', 'id', 'ts', 'country', 'referrer'];
const ROWS = [1n, 2n, 9_007_199_254_740_993n].map((id, i) => ({
  qr_id: '11111111-1111-4111-8111-111111111111',
  qr_slug: 'menu',
  qr_name: 'Menu',
  id,
  ts: `2026-10-0${i + 1}T01:02:03.004Z`,
  country: i === 1 ? null : 'DE',
  referrer: '東京 🎌',
}));

async function read(path: string): Promise<unknown[]> {
  const found: unknown[] = [];
  const start =
    () =>
    (ms: number, { id, referrer }: Readonly<Record<string, unknown>>, { value: code }: { value: string }) => {
      found.push([ms, String(id), referrer, code]);
    };
  await readInputs({ paths: [path], fields: ['country', 'referrer'], start, note: () => undefined });
  return found;
}

/** A file of these rows. */
function parquetOf(rows: readonly Row[]): Buffer {
  const formatter = createParquetFormatter(NAMES);
  return Buffer.concat([
    Buffer.from(formatter.rows(rows) as Uint8Array),
    Buffer.from(formatter.end() as Uint8Array),
  ]);
}

it('a Parquet file has the same scans as its CSV, and a truncated one is refused', async () => {
  const directory = await useDirectory();
  await mkdir(join(directory, 'dt=2026-10-01'));
  const [csv, parquet] = ['a.csv', 'dt=2026-10-01/a.parquet'].map((name) => join(directory, name)) as [
    string,
    string,
  ];
  const text = createCsvFormatter(NAMES, { header: true, rawCells: false, excel: false });
  await writeFile(
    csv,
    Buffer.concat([Buffer.from(text.begin()), Buffer.from(text.rows(ROWS) as Uint8Array)]),
  );
  const bytes = parquetOf(ROWS);
  await writeFile(parquet, bytes);
  expect(await read(parquet)).toEqual(await read(csv));
  await writeFile(parquet, bytes.subarray(0, bytes.length - 9));
  await expect(read(parquet)).rejects.toThrow(/cannot read scans from .*: not a complete Parquet file/);
});

it('a Parquet file with a changed byte is read or is refused with a UsageError or UnprovenError', async () => {
  const path = join(await useDirectory(), 'a.parquet');
  const rows = Array.from({ length: 20 }, (_, i) => ({
    ...ROWS[0],
    id: i + 1,
    ts: '2026-10-01T01:02:03.004Z',
  }));
  const whole = parquetOf(rows);
  const step = SOAK ? 1 : 1021;
  for (let at = 4; at < whole.length; at += step) {
    for (const bit of [0x10, 0x80]) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ bit;
      await writeFile(path, damaged);
      const failure = await read(path).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure !== undefined)
        expect(failure).toSatisfy((error) => error instanceof UsageError || error instanceof UnprovenError);
    }
  }
}, 600_000);

it('impossible counts in a Parquet page are refused before decoding, which could take minutes (F19)', async () => {
  const path = join(await useDirectory(), 'a.parquet');
  const whole = parquetOf(ROWS);
  const name = Buffer.from('qr_id');
  const { schema, row_groups } = parquetMetadata(new Uint8Array(whole).buffer);
  expect([schema.length, row_groups.length, whole.includes(name)]).toEqual([NAMES.length + 1, 1, true]);
  // From the first page on, the header of each has its number of values.
  const found: string[] = [];
  // By day at the counts of the first columns.
  const places = SOAK ? Array.from({ length: 196 }, (_, n) => n + 4) : [4, 61, 70, 94, 121];
  for (const at of places) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 0x80;
    await writeFile(path, damaged);
    await read(path).catch((error: Error) => found.push(error.message));
  }
  expect(found.filter((message) => message.includes('has an impossible size')).length).toBeGreaterThan(3);
}, 120_000);

it('a Parquet page with a changed bit is refused unless its rows are unchanged (F19)', async () => {
  const path = join(await useDirectory(), 'a.parquet');
  const rows = Array.from({ length: 400 }, (_, i) => ({
    ...ROWS[0],
    id: i + 1,
    country: ['DE', 'FR'][i % 2],
    referrer: `r${i}`,
  }));
  const whole = parquetOf(rows);
  await writeFile(path, whole);
  const before = await read(path);
  const { row_groups } = parquetMetadata(new Uint8Array(whole).buffer);
  const end = Math.max(
    ...(row_groups[0]?.columns.map(
      ({ file_offset, meta_data }) => Number(file_offset) + Number(meta_data?.total_compressed_size),
    ) ?? []),
  );
  expect(end).toBeGreaterThan(1000);
  for (let at = 4; at < end; at += SOAK ? 1 : 811) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    await writeFile(path, damaged);
    const found = await read(path).catch((error: unknown) => error);
    if (!(found instanceof UsageError)) expect([at, found]).toEqual([at, before]);
  }
}, 600_000);

it('reading Parquet ends when its signal aborts', async () => {
  const controller = new AbortController();
  const reason = new Error('aborted');
  const file = { read: async () => ({ bytesRead: 1 }) as never };
  const reading = readParquetRows(file, 50_000_000, { signal: controller.signal }).next();
  controller.abort(reason);
  await expect(reading).rejects.toBe(reason);
});
