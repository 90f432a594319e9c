import type { Statistics } from 'hyparquet';
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { UnprovenError } from '#base/errors';
import type { Formatter } from '#files/formats/formatter';
import { plainText } from '#files/formats/json';
import type { Row } from '#files/formats/row-sink';
import { parseScanTime } from '#service/scan-times';
import { version } from '../../../../package.json';
import { addChecksums } from './parquet-checksums.ts';

/** Number of rows per group, as in DuckDB. */
const GROUP_ROWS = 122_880;
const SCHEMA_VERSION = '1';

interface ColumnKind {
  element: Omit<SchemaElement, 'name'>;
  encoding?: ColumnSource['encoding'];
  hold(value: unknown): Cell;
  statistics(cells: readonly Cell[]): Statistics;
}

/** Value to store. Safe integers are numbers, because millions of BigInts would be slow. */
type Cell = number | bigint | string | null;

const INTEGER: ColumnKind = {
  element: { type: 'INT64', repetition_type: 'REQUIRED' },
  encoding: 'DELTA_BINARY_PACKED',
  hold: int64,
  statistics: integerStatistics,
};

const TIME: ColumnKind = {
  element: {
    type: 'INT64',
    repetition_type: 'REQUIRED',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  encoding: 'DELTA_BINARY_PACKED',
  hold: microseconds,
  statistics: integerStatistics,
};

/** Kind of columns except `id` and `ts`. Query engines require one type per column in all files. */
const TEXT: ColumnKind = {
  element: {
    type: 'BYTE_ARRAY',
    repetition_type: 'OPTIONAL',
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
  },
  hold: (value) => (value === null || value === undefined ? null : plainText(value)),
  statistics: textStatistics,
};

const KINDS: Readonly<Record<string, ColumnKind>> = { id: INTEGER, ts: TIME };

interface Group {
  cells: Cell[][];
  rows: number;
}

/** Creates a formatter for Parquet. It throws UnprovenError for an ID that int64 can't hold. */
export function createParquetFormatter(names: readonly string[]): Formatter {
  const columns = names.map((name) => ({ name, ...(KINDS[name] ?? TEXT) }));
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'scans', num_children: columns.length },
      ...columns.map(({ name, element }) => ({ name, ...element })),
    ],
    createdBy: `qrctl version ${version}`,
    kvMetadata: [
      { key: 'qrctl', value: version },
      { key: 'qrctl.schema', value: SCHEMA_VERSION },
    ],
  });
  let group = emptyGroup();

  function emptyGroup(): Group {
    return { cells: columns.map(() => []), rows: 0 };
  }

  function add(row: Row): void {
    columns.forEach(({ name, hold }, at) => {
      group.cells[at]?.push(hold(row[name]));
    });
    group.rows += 1;
    if (group.rows === GROUP_ROWS) encode();
  }

  function encode(): void {
    const { cells, rows } = group;
    // Creates a new group, because a checkpoint may refer to the old one.
    group = emptyGroup();
    if (rows === 0) return;
    // Turns off the library's statistics, which would take a third of the time.
    const columnData = columns.map(({ name, encoding }, at) => ({
      name,
      data: cells[at] ?? [],
      encoding,
      statistics: false,
    }));
    const start = { index: bytes.index, offset: bytes.offset };
    const columnsBefore = writer.pendingIndexes.length;
    writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    const written = writer.row_groups.at(-1);
    if (written) addChecksums(bytes, start, writer.pendingIndexes.slice(columnsBefore), written);
    written?.columns.forEach(({ meta_data }, at) => {
      if (meta_data) meta_data.statistics = columns[at]?.statistics(cells[at] ?? []);
    });
  }

  function take(): Uint8Array {
    const taken = bytes.getBytes();
    bytes.index = 0;
    return taken;
  }

  return {
    begin: () => '',
    rows(rows) {
      for (const row of rows) add(row);
      return take();
    },
    end() {
      encode();
      writer.finish();
      return take();
    },
    checkpoint() {
      const kept = group;
      const { rows } = group;
      const [groups, indexes] = [writer.row_groups.length, writer.pendingIndexes.length];
      const { num_rows } = writer;
      const { offset } = bytes;
      return () => {
        group = kept;
        group.rows = rows;
        for (const cells of group.cells) cells.length = rows;
        writer.row_groups.length = groups;
        writer.pendingIndexes.length = indexes;
        writer.num_rows = num_rows;
        // Also discards groups that a refused batch completed.
        bytes.index = 0;
        bytes.offset = offset;
      };
    },
  };
}

const LOWEST = -(2n ** 63n);
const HIGHEST = 2n ** 63n - 1n;

function int64(value: unknown): number | bigint {
  if (typeof value !== 'bigint') return Number(value);
  if (value >= LOWEST && value <= HIGHEST) return value;
  throw new UnprovenError(`cannot write scan ID ${value} to Parquet: out of range for a 64-bit integer`, {
    hint: 'Use --format csv or --format ndjson, which keep every digit.',
  });
}

function microseconds(value: unknown): number | bigint {
  const text = String(value);
  const ms = parseScanTime(text) ?? Number.NaN;
  const more = text.length > CANONICAL ? /[.,]\d{3}(\d{1,3})/.exec(text)?.[1] : undefined;
  const rest = more === undefined ? 0 : Number(more.padEnd(3, '0'));
  const us = ms * 1000 + rest;
  return Number.isSafeInteger(us) ? us : BigInt(ms) * 1000n + BigInt(rest);
}

/** Length of `2026-10-01T01:08:15.123Z`. */
const CANONICAL = 24;

function integerStatistics(cells: readonly Cell[]): Statistics {
  let [least = null] = cells;
  let greatest = least;
  for (const cell of cells) {
    if (cell === null || least === null || greatest === null) continue;
    if (cell < least) least = cell;
    else if (cell > greatest) greatest = cell;
  }
  return { min_value: BigInt(least ?? 0), max_value: BigInt(greatest ?? 0), null_count: 0n };
}

function textStatistics(cells: readonly Cell[]): Statistics {
  let nulls = 0;
  const texts = new Set<string>();
  for (const cell of cells) {
    if (typeof cell === 'string') texts.add(cell);
    else nulls += 1;
  }
  let least: Buffer | undefined;
  let greatest: Buffer | undefined;
  for (const text of texts) {
    const bytes = Buffer.from(text);
    if (!least || bytes.compare(least) < 0) least = bytes;
    if (!greatest || bytes.compare(greatest) > 0) greatest = bytes;
  }
  return { min_value: least?.toString(), max_value: greatest?.toString(), null_count: BigInt(nulls) };
}
