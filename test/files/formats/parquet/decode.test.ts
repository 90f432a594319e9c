/** Parquet files by other programs: other types of columns, and metadata or page headers that contradict the file. */
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { type DecodedGroup, decodeGroups } from '#files/formats/parquet/decode';

type Group = ParquetWriter['row_groups'][number];

interface Options {
  columns?: string[];
  /** Changes the metadata of the row group before it is written. */
  tamper?(group: Group): void;
  /** Changes bytes of the first page header, from its beginning. */
  bytes?: Readonly<Record<number, number>>;
  /** Number of bytes before the file that do not exist. */
  shift?: number;
}

async function decode(
  schema: readonly SchemaElement[],
  columnData: ColumnSource[],
  { columns, tamper, bytes = {}, shift = 0 }: Options = {},
): Promise<DecodedGroup[]> {
  const writer = new ByteWriter();
  const top = schema.filter(({ name }) => columnData.some((one) => one.name === name)).length;
  const parquet = new ParquetWriter({
    writer,
    schema: [{ name: 'root', num_children: top }, ...schema],
    codec: 'UNCOMPRESSED',
  });
  parquet.write({ columnData });
  const [group] = parquet.row_groups;
  if (!group) expect.fail('no row group');
  const start = Number(group.columns[0]?.meta_data?.data_page_offset);
  for (const { meta_data } of group.columns) if (meta_data) meta_data.data_page_offset += BigInt(shift);
  tamper?.(group);
  parquet.finish();
  const file = new Uint8Array(writer.getBytes());
  for (const [at, byte] of Object.entries(bytes)) file[start + Number(at)] = byte;
  const slice = async (from: number, to: number) => file.slice(from - shift, to - shift).buffer;
  const groups: DecodedGroup[] = [];
  for await (const found of decodeGroups({ byteLength: file.byteLength + shift, slice }, columns))
    groups.push(found);
  return groups;
}

const INT64 = { type: 'INT64', repetition_type: 'REQUIRED' } as const;
const MICROS = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } as const;
const MILLIS = { ...MICROS, unit: 'MILLIS' } as const;

describe('a column is decoded', () => {
  it.each<[string, Omit<SchemaElement, 'name'>, unknown[], object]>([
    ['integers', INT64, [1n, 2n], { is: 'integers', values: BigInt64Array.of(1n, 2n) }],
    ['integers and nulls', { type: 'INT64' }, [1n, null], { is: 'values', values: [1n, null] }],
    ['decimal numbers', { type: 'DOUBLE' }, [1.5, null], { is: 'values', values: [1.5, null] }],
    ['small integers', { type: 'INT32' }, [1, 2], { is: 'values', values: [1, 2] }],
    ['truth values and nulls', { type: 'BOOLEAN' }, [null, true], { is: 'values', values: [null, true] }],
    [
      'texts',
      { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
      ['b', 'a', 'b'],
      { is: 'texts', texts: ['b', 'a'], indexes: Uint32Array.of(0, 1, 0) },
    ],
    [
      'times by their converted type',
      { ...INT64, converted_type: 'TIMESTAMP_MICROS' },
      [5n],
      { is: 'microseconds', values: BigInt64Array.of(5n) },
    ],
    [
      'times by their logical type',
      { ...INT64, logical_type: MICROS },
      [5n],
      { is: 'microseconds', values: BigInt64Array.of(5n) },
    ],
    [
      'times and nulls',
      { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
      [5n, null],
      { is: 'values', values: [5n, null] },
    ],
    [
      'times in milliseconds',
      { ...INT64, logical_type: MILLIS, converted_type: 'TIMESTAMP_MILLIS' },
      [5n],
      { is: 'values', values: [new Date(5)] },
    ],
  ])('from %s', async (_, element, data, column) => {
    const groups = await decode([{ name: 'a', ...element }], [{ name: 'a', data }]);
    expect(groups).toEqual([{ rows: data.length, columns: [{ name: 'a', column }] }]);
  });

  it('from lists, which may have more values than rows', async () => {
    const schema: SchemaElement[] = [
      { name: 'a', num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
      { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
      { name: 'element', type: 'INT32', repetition_type: 'OPTIONAL' },
    ];
    const data = [[1, 2, 3], null, [4]];
    const groups = await decode(schema, [{ name: 'a', data }]);
    expect(groups).toEqual([{ rows: 3, columns: [{ name: 'a', column: { is: 'values', values: data } }] }]);
  });
});

describe('two columns of integers', () => {
  const schema = ['a', 'b'].map((name) => ({ name, ...INT64 }));
  const data = ['a', 'b'].map((name) => ({ name, data: [1n, 2n] }));
  const column = { is: 'integers', values: BigInt64Array.of(1n, 2n) };
  const change = (group: Group, more: object, at = 0) =>
    Object.assign(group.columns[at]?.meta_data ?? {}, more);

  const oneByteLess = ({ columns }: Group) => (columns[0]?.meta_data?.total_compressed_size ?? 0n) - 1n;

  it('are decoded wherever they are in the file, and only one of them if only it is wanted', async () => {
    const both = [{ rows: 2, columns: ['a', 'b'].map((name) => ({ name, column })) }];
    expect(await decode(schema, data, { shift: 400 * 2 ** 20 })).toEqual(both);
    expect(await decode(schema, data, { columns: ['b'] })).toEqual([
      { rows: 2, columns: [{ name: 'b', column }] },
    ]);
  });

  it.each<[string, Options]>([
    ['a row group has -1 rows', { tamper: (group) => Object.assign(group, { num_rows: -1n }) }],
    ['a row group has 2097153 rows', { tamper: (group) => Object.assign(group, { num_rows: 2_097_153n }) }],
    ['a column has 2 values for 3 rows', { tamper: (group) => Object.assign(group, { num_rows: 3n }) }],
    ['a column has no metadata', { tamper: ({ columns }) => delete columns[1]?.meta_data }],
    [
      'the column a lies outside of the file',
      { tamper: (group) => change(group, { data_page_offset: -1n }) },
    ],
    [
      'the column b lies outside of the file',
      { tamper: (group) => change(group, { total_compressed_size: -1n }, 1) },
    ],
    [
      'the column a lies outside of the file',
      { tamper: (group) => change(group, { total_compressed_size: 10_000n }) },
    ],
    [
      'a row group has more than 512 MiB',
      { shift: 600 * 2 ** 20, tamper: (group) => change(group, { data_page_offset: 4n }) },
    ],
    [
      'a page of the column a has an impossible size',
      { tamper: (group) => Object.assign(group, { num_rows: 1n }) },
    ],
    [
      'a page of the column a has an impossible size',
      { tamper: (group) => change(group, { total_compressed_size: oneByteLess(group) }) },
    ],
    // The header begins with the type and both sizes, and the number of values is at 8. 1 stands for -1.
    ['a page of the column a has an impossible size', { bytes: { 3: 1 } }],
    ['a page of the column a has an impossible size', { bytes: { 5: 1 } }],
    ['a page of the column a has an impossible size', { bytes: { 8: 1 } }],
  ])('are refused because %s', async (message, options) => {
    await expect(decode(schema, data, options)).rejects.toThrow(new Error(message));
  });
});
