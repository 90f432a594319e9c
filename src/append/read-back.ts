/** Reads an appended file back: whose row, which id, which time. For a lost state, and for ids older than the state lists. */

import { type DiskFile, readPieces } from '../durable/disk.ts';
import { parseJson } from '../service/json.ts';
import { parseInstant } from '../time.ts';
import type { AppendIdentity } from './state.ts';

export interface SavedRow {
  /** The `qr_id` column; undefined in a file that has none. */
  code: string | undefined;
  /** Digits. */
  id: string;
  timeMs: number;
}

/** A row that this tool cannot have written with this identity. */
export class ForeignRowError extends Error {
  override name = 'ForeignRowError';
}

/** What to read of the file, in bytes. `strict`: the file may be anything, so every column must be there. */
interface Stretch {
  start: number;
  end: number;
  strict?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Calls `onRow` for each whole row between two offsets and returns the offset after the last; a torn row at the end is left
 * out. Throws ForeignRowError at a row that does not belong there.
 */
export async function scanRows(
  file: DiskFile,
  { start, end, strict = false, signal }: Stretch,
  identity: AppendIdentity,
  onRow: (row: SavedRow) => void,
): Promise<number> {
  const parse = identity.format === 'csv' ? await csvParser(identity) : ndjsonParser(identity, strict);
  let offset = start;
  for await (const block of wholeLines(readPieces(file, start, end, signal), identity.format === 'csv')) {
    for (const row of await parse(block.toString())) onRow(row);
    offset += block.length;
  }
  return offset;
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/** Regroups pieces so that each ends with a whole line. In CSV a line feed between quotes is part of a cell. */
async function* wholeLines(pieces: AsyncIterable<Buffer>, quoting: boolean): AsyncGenerator<Buffer> {
  let left: Buffer[] = [];
  let quoted = false;
  for await (const piece of pieces) {
    let end = 0;
    for (let i = 0; i < piece.length; i++) {
      if (piece[i] === LINE_FEED && !quoted) end = i + 1;
      else if (piece[i] === QUOTE && quoting) quoted = !quoted;
    }
    // Copied: the reader uses its buffer again.
    if (end > 0) yield Buffer.concat([...left, piece.subarray(0, end)]);
    left = end > 0 ? [Buffer.from(piece.subarray(end))] : [...left, Buffer.from(piece)];
  }
}

type Parser = (block: string) => SavedRow[] | Promise<SavedRow[]>;

async function csvParser({ columns, dialect }: AppendIdentity): Promise<Parser> {
  const { parse } = await import('csv-parse/sync');
  const [idAt, tsAt, codeAt] = ['id', 'ts', 'qr_id'].map((name) => columns.indexOf(name)) as [number, number, number];
  return (block) => {
    // An unquoted cell may not hold a quote: that is how a row torn and written over would show.
    const records = refusing(() =>
      parse(block, { record_delimiter: dialect.excel ? '\r\n' : '\n', relax_column_count: true, skip_empty_lines: false }),
    ) as string[][];
    return records.map((cells) => {
      if (cells.length !== columns.length) throw new ForeignRowError(`a row of ${cells.length} cells, not ${columns.length}`);
      return checkedRow(codeAt < 0 ? undefined : cells[codeAt], cells[idAt], cells[tsAt]);
    });
  };
}

function ndjsonParser({ columns, dialect }: AppendIdentity, strict: boolean): Parser {
  const keys = columns.join();

  const hasCode = columns.includes('qr_id');
  return async (block) => {
    const rows: SavedRow[] = [];
    for (const line of block.slice(0, -1).split('\n')) {
      const value = await parseJson(line).catch(foreign);
      if (typeof value !== 'object' || value === null) throw new ForeignRowError('a line that is no object');
      const row = value as Record<string, unknown>;
      const fits = dialect.keepExtra ? columns.every((name) => Object.hasOwn(row, name)) : Object.keys(row).join() === keys;
      if (strict && !fits) throw new ForeignRowError('a row with other columns');
      const id = typeof row.id === 'number' || typeof row.id === 'bigint' ? `${row.id}` : undefined;
      rows.push(checkedRow(hasCode ? row.qr_id : undefined, id, row.ts));
    }
    return rows;
  };
}

function checkedRow(code: unknown, id: string | undefined, ts: unknown): SavedRow {
  const timeMs = typeof ts === 'string' ? parseInstant(ts) : undefined;
  if (id === undefined || !/^-?\d+$/.test(id) || timeMs === undefined) throw new ForeignRowError('a row that is no scan');
  return { code: typeof code === 'string' ? code : undefined, id, timeMs };
}

function refusing<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    return foreign(error);
  }
}

function foreign(cause: unknown): never {
  throw new ForeignRowError('a row that cannot be parsed', { cause });
}
