/** Taking back what was written to a file since a checkpoint: the rows of one code among many. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFormatter } from '#files/formats/create-formatter';
import { createDocumentSink } from '#files/formats/document-sink';
import { createParquetFormatter } from '#files/formats/parquet/parquet';
import type { Row } from '#files/formats/row-sink';
import { openWholeFile } from '#files/formats/whole-file';
import { createWorkbookSink } from '#files/formats/xlsx/workbook-sink';
import { firstRows } from '../../support/property-runs.ts';

const processes = { pid: 4_000_000, isRunning: () => true };
const columns = [{ name: 'id' }];

async function open(format: 'csv' | 'json' | 'ndjson' | 'parquet' | 'xlsx', gzip: boolean, shown = columns) {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-marks-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'out');
  const options = {
    columns: shown,
    shape: 'list' as const,
    keepExtra: false,
    header: true,
    rawCells: false,
    excel: false,
  };
  const file = await openWholeFile(path, { processes, gzip });
  const formatter = () =>
    format === 'parquet' || format === 'xlsx'
      ? createParquetFormatter(shown.map(({ name }) => name))
      : createFormatter(format, options);
  const sink =
    format === 'xlsx'
      ? createWorkbookSink(file, { columns: shown, zone: { offsetMs: () => 0 } })
      : createDocumentSink(file, formatter());
  const read = async () =>
    gzip ? gunzipSync(await readFile(path)).toString() : await readFile(path, 'utf8');
  return { sink, read, directory, path };
}

const EXPECTED = { csv: 'id\n1\n4\n', json: '[\n{"id":1},\n{"id":4}\n]\n', ndjson: '{"id":1}\n{"id":4}\n' };

describe.each([false, true])('an output file (compressed: %s)', (gzip) => {
  test.each(['csv', 'json', 'ndjson'] as const)(
    'in %s omits the rows that were rolled back',
    async (format) => {
      const { sink, read, directory } = await open(format, gzip);
      const none = await sink.checkpoint();
      await sink.write([{ id: 9 }]);
      await none();
      await sink.write([{ id: 1 }]);
      const one = await sink.checkpoint();
      await sink.write([{ id: 2 }, { id: 3 }]);
      expect(await one()).toBe(true);
      await sink.write([{ id: 4 }]);
      await sink.checkpoint();
      await sink.commit();
      expect(await read()).toBe(EXPECTED[format]);
      expect(await readdir(directory)).toEqual(['out']);
    },
  );
});

/** Nested too deeply, with an integer that JSON.stringify refuses. */
const TOO_DEEP = Array.from({ length: 300 }).reduce<unknown>((inner) => [inner], 1n);

describe('a row that cannot be written is removed with all other rows since the last checkpoint', () => {
  const scans = (count: number, from: number) =>
    Array.from({ length: count }, (_, i) => ({
      id: from + i,
      ts: '2026-10-01T01:08:15.123Z',
      referrer: `r${from + i}`,
    }));
  const names = ['id', 'ts', 'referrer'].map((name) => ({ name }));

  const faults = [
    ['csv', { referrer: TOO_DEEP }, 3],
    ['json', { referrer: TOO_DEEP }, 3],
    ['ndjson', { referrer: TOO_DEEP }, 3],
    ['xlsx', { referrer: 'x'.repeat(40_000) }, 3],
    ['parquet', { id: 2n ** 64n }, 3],
    // The batch that fails has completed a row group.
    ['parquet', { id: 2n ** 64n }, 122_880],
  ] as const;
  test.each(firstRows(5, faults))('in %s', async (format, fault, count) => {
    async function documentOf(fails: boolean): Promise<Buffer> {
      const { sink, path } = await open(format, false, names);
      await sink.write(scans(3, 0));
      const rewind = await sink.checkpoint();
      if (fails) {
        const bad: Row[] = [...scans(count, 100), { ...scans(1, 500)[0], ...fault }, ...scans(1, 600)];
        await expect(sink.write(bad)).rejects.toThrow();
        expect(await rewind()).toBe(true);
      }
      await sink.write(scans(3, 3));
      await sink.commit();
      const bytes = await readFile(path);
      return format === 'xlsx' ? Buffer.from(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? '') : bytes;
    }
    const [torn, whole] = [await documentOf(true), await documentOf(false)];
    expect(torn.equals(whole)).toBe(true);
  });
});
