/** Parquet, read back by hyparquet: cell for cell what was given. */
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects, readOffsetIndex } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { describe, expect, it } from 'vitest';
import { decodeGroups } from '#files/formats/parquet/decode';
import { createParquetFormatter } from '#files/formats/parquet/parquet';
import type { Row } from '#files/formats/row-sink';
import { anyCharacter } from '../../../support/any-character.ts';
import { SOAK } from '../../../support/property-runs.ts';

const NAMES = ['id', 'ts', 'country', 'referrer'];
const ROW = { id: 1, ts: '2026-10-01T01:08:15.123Z', country: 'DE', referrer: null };

function fileOf(batches: readonly (readonly Row[])[], names = NAMES): ArrayBuffer {
  const formatter = createParquetFormatter(names);
  const pieces = batches.map((rows) => Buffer.from(formatter.rows(rows) as Uint8Array));
  return bufferOf([...pieces, Buffer.from(formatter.end() as Uint8Array)]);
}

function bufferOf(pieces: readonly Buffer[]): ArrayBuffer {
  return new Uint8Array(Buffer.concat(pieces)).buffer;
}

function read(file: ArrayBuffer): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file, parsers: { timestampFromMicroseconds: (us) => us } });
}

describe('a Parquet file', () => {
  it('keeps IDs beyond 2^53, nulls, empty strings and emoji, and converts other values to text', async () => {
    const rows = [
      { ...ROW, id: 9_007_199_254_740_993n, country: null, referrer: '' },
      { ...ROW, id: -(2n ** 63n), country: '👩‍👩‍👧 東京', referrer: '=1+1' },
      { ...ROW, id: 2n ** 63n - 1n, country: 7, referrer: { a: [1n] } },
      { ts: ROW.ts, id: 0 },
    ];
    expect(await read(fileOf([rows]))).toEqual([
      { id: 9_007_199_254_740_993n, ts: 1_790_816_895_123_000n, country: null, referrer: '' },
      { id: -(2n ** 63n), ts: 1_790_816_895_123_000n, country: '👩‍👩‍👧 東京', referrer: '=1+1' },
      { id: 2n ** 63n - 1n, ts: 1_790_816_895_123_000n, country: '7', referrer: '{"a":[1]}' },
      { id: 0n, ts: 1_790_816_895_123_000n, country: null, referrer: null },
    ]);
  });

  it.each([
    ['2026-10-01T01:08:15Z', 1_790_816_895_000_000n],
    ['2026-10-01T01:08:15.123456Z', 1_790_816_895_123_456n],
    ['2026-10-01T01:08:15.1234567+00:00', 1_790_816_895_123_456n],
    ['2026-10-01T03:08:15.1+02:00', 1_790_816_895_100_000n],
    ['9999-12-31T23:59:59.999999Z', 253_402_300_799_999_999n],
    ['1969-12-31T23:59:59.999Z', -1000n],
  ])('stores the time %s to the microsecond', async (ts, us) => {
    expect(await read(fileOf([[{ ...ROW, ts }]]))).toEqual([
      { id: 1n, ts: us, country: 'DE', referrer: null },
    ]);
  });

  it('keeps a byte order mark at the beginning of a text', async () => {
    const file = fileOf([[{ ...ROW, country: '\ufeffDE' }]]);
    const slice = async (start: number, end?: number) => file.slice(start, end);
    const groups = decodeGroups({ byteLength: file.byteLength, slice }, ['country']);
    for await (const { columns } of groups) expect(JSON.stringify(columns)).toContain('\ufeffDE');
  });

  it('is decoded by row group into integers, times in microseconds, and distinct texts with their indexes', async () => {
    const rows = Array.from({ length: 122_882 }, (_, id) => ({ ...ROW, id, country: ['DE', null][id % 2] }));
    const time = 1_790_816_895_123_000n;
    for (const [first, columns] of [
      [0, undefined],
      [122_880, NAMES],
    ] as const) {
      const file = fileOf([rows.slice(-2 - first)]);
      const slice = async (start: number, end?: number) => file.slice(start, end);
      const found: unknown[] = [];
      for await (const group of decodeGroups({ byteLength: file.byteLength, slice }, columns && [...columns]))
        found.push(group);
      expect(found.at(-1)).toEqual({
        rows: 2,
        columns: [
          { name: 'id', column: { is: 'integers', values: BigInt64Array.of(122_880n, 122_881n) } },
          { name: 'ts', column: { is: 'microseconds', values: BigInt64Array.of(time, time) } },
          { name: 'country', column: { is: 'texts', texts: ['DE', null], indexes: Uint32Array.of(0, 1) } },
          { name: 'referrer', column: { is: 'texts', texts: [null], indexes: Uint32Array.of(0, 0) } },
        ],
      });
    }
  });

  it('with a changed page or a column outside of the file is refused, unless the column is not read (F19)', async () => {
    const rows = Array.from({ length: 2000 }, (_, id) => ({ ...ROW, id, referrer: `https://x.test/${id}` }));
    const whole = fileOf([rows]);
    const reasonOf = async (file: ArrayBuffer, columns?: string[]) => {
      const slice = async (start: number, end?: number) => file.slice(start, end);
      const first = decodeGroups({ byteLength: file.byteLength, slice }, columns).next();
      return first.then(() => undefined).catch((error: Error) => error.message);
    };
    expect(await reasonOf(whole)).toBeUndefined();
    for (const { meta_data } of parquetMetadata(whole).row_groups[0]?.columns ?? []) {
      const [name = ''] = meta_data?.path_in_schema ?? [];
      const start = Number(meta_data?.dictionary_page_offset ?? meta_data?.data_page_offset);
      const end = start + Number(meta_data?.total_compressed_size);
      const changed = whole.slice(0);
      const last = new Uint8Array(changed, end - 1, 1);
      last.set([~Number(last[0])]);
      expect(await reasonOf(changed)).toBe(`the checksum of a page of the column ${name} is wrong`);
      expect(
        await reasonOf(
          changed,
          NAMES.filter((other) => other !== name),
        ),
      ).toBeUndefined();
    }
    const footer = new DataView(whole).getUint32(whole.byteLength - 8, true) + 8;
    expect(await reasonOf(whole.slice(-footer))).toBe('the column referrer lies outside of the file');
  });

  it('with 1001 columns is refused (F19)', async () => {
    const file = fileOf(
      [[ROW]],
      Array.from({ length: 1001 }, (_, i) => `c${i}`),
    );
    const slice = async (start: number, end?: number) => file.slice(start, end);
    await expect(decodeGroups({ byteLength: file.byteLength, slice }, undefined).next()).rejects.toThrow(
      'the file has 1001 columns',
    );
  });

  it('with metadata of more than 8 MiB is refused before it is decoded (F19)', async () => {
    const byteLength = 10 * 2 ** 20;
    const end = Buffer.alloc(8, 'PAR1');
    end.writeUInt32LE(9 * 2 ** 20);
    const slice = async (start: number) => {
      if (start !== byteLength - end.length) throw new Error('only the end was to be read');
      return new Uint8Array(end).buffer;
    };
    await expect(decodeGroups({ byteLength, slice }, undefined).next()).rejects.toThrow(
      'the file has 9437184 bytes of metadata',
    );
  });

  it('states its columns, the type of its times, its writer and its metadata keys, even without rows', () => {
    const { schema, key_value_metadata, created_by, num_rows } = parquetMetadata(fileOf([]));
    expect(num_rows).toBe(0n);
    expect(schema.map(({ name }) => name)).toEqual(['scans', ...NAMES]);
    expect(schema[2]).toMatchObject({
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    });
    expect(created_by).toMatch(/^qrctl version \d/);
    expect(key_value_metadata?.map(({ key }) => key)).toEqual(['qrctl', 'qrctl.schema']);
  });

  it('has minimum and maximum values in UTF-8 order, which let readers skip row groups', () => {
    const values = ['b', null, '\u{1f600}', '\uffee', 'a', ''];
    const file = fileOf([values.map((country, i) => ({ ...ROW, id: 5 - i, country }))]);
    const [id, ts, country] =
      parquetMetadata(file).row_groups[0]?.columns.map(({ meta_data }) => meta_data?.statistics) ?? [];
    expect(id).toMatchObject({ min_value: 0n, max_value: 5n, null_count: 0n });
    expect(ts?.max_value).toEqual(ts?.min_value);
    expect(country).toMatchObject({ min_value: '', max_value: '\u{1f600}', null_count: 1n });
  });

  it('has a checksum in each page header, and the offsets of all pages', async () => {
    const rows = Array.from({ length: 60_000 }, (_, i) => ({
      ...ROW,
      id: i,
      referrer: `https://example.com/?q=${i * 7919}`,
    }));
    const file = fileOf([rows.slice(0, 7), rows.slice(7)]);
    const { row_groups } = parquetMetadata(file);
    let pages = 0;
    for (const { columns, total_byte_size, total_compressed_size } of row_groups) {
      const sums = { whole: 0n, packed: 0n };
      for (const { file_offset, meta_data, offset_index_offset, offset_index_length } of columns) {
        if (!meta_data) throw new Error('no metadata');
        sums.whole += meta_data.total_uncompressed_size;
        sums.packed += meta_data.total_compressed_size;
        const end = Number(file_offset) + Number(meta_data.total_compressed_size);
        const reader = {
          view: new DataView(file),
          offset: Number(meta_data.dictionary_page_offset ?? meta_data.data_page_offset),
        };
        const found: number[] = [];
        while (reader.offset < end) {
          const start = reader.offset;
          const { type, crc, compressed_page_size: size } = parquetHeader(reader);
          expect(crc).toBe(crc32(new Uint8Array(file, reader.offset, size)) | 0);
          reader.offset += size;
          if (type !== 'DICTIONARY_PAGE') found.push(start);
          pages += 1;
        }
        expect([reader.offset, found[0]]).toEqual([end, Number(meta_data.data_page_offset)]);
        if (!offset_index_offset || !offset_index_length) continue;
        const at = Number(offset_index_offset);
        const { page_locations } = readOffsetIndex({
          view: new DataView(file, at, offset_index_length),
          offset: 0,
        });
        expect(page_locations.map(({ offset }) => Number(offset))).toEqual(found);
      }
      expect([total_byte_size, total_compressed_size]).toEqual([sums.whole, sums.packed]);
    }
    expect(pages).toBeGreaterThan(5);
    const read = await parquetReadObjects({ file, rowStart: 59_990, rowEnd: 60_000, useOffsetIndex: true });
    expect(read.map(({ referrer }) => referrer)).toEqual(rows.slice(-10).map(({ referrer }) => referrer));
  });

  it('cannot have an ID that does not fit in a 64-bit integer', () => {
    for (const id of [2n ** 63n, -(2n ** 63n) - 1n, 10n ** 30n]) {
      expect(() => fileOf([[{ ...ROW, id }]])).toThrow(
        /^cannot write scan ID -?\d+ to Parquet: out of range for a 64-bit integer$/,
      );
    }
  });

  it('can be rolled back to a checkpoint, even across row groups', async () => {
    const rows = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...ROW, id: from + i }));
    for (const [kept, gone] of [
      [0, 5],
      [3, 5],
      [3, 122_900],
    ] as const) {
      const formatter = createParquetFormatter(NAMES);
      const pieces = [Buffer.from(formatter.rows(rows(0, kept)) as Uint8Array)];
      const rewind = formatter.checkpoint?.();
      formatter.rows(rows(1_000_000, gone));
      rewind?.();
      formatter.rows(rows(2_000_000, SOAK ? gone : 5));
      rewind?.();
      pieces.push(
        Buffer.from(formatter.rows(rows(kept, 2)) as Uint8Array),
        Buffer.from(formatter.end() as Uint8Array),
      );
      const found = await read(bufferOf(pieces));
      expect(found.map(({ id }) => Number(id))).toEqual(rows(0, kept + 2).map(({ id }) => id));
    }
  });

  it('keeps any IDs and texts unchanged, in any batches', async () => {
    const text = fc.option(fc.string({ unit: anyCharacter, maxLength: 12 }), { nil: null });
    const row = fc.record({
      id: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      ts: fc.constant(ROW.ts),
      country: text,
      referrer: text,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(row, { maxLength: 20 }), { maxLength: 4 }), async (batches) => {
        const wanted = batches.flat().map((one) => ({ ...one, ts: 1_790_816_895_123_000n }));
        expect(await read(fileOf(batches))).toEqual(wanted);
      }),
      { numRuns: SOAK ? 1000 : 10, seed: 1 },
    );
  });
});
