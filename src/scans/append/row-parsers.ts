import { countOf } from '#base/text/quote';
import { parseInstant } from '#base/time/time';
import { isObject, parseJson } from '#service/json';
import type { AppendIdentity } from './identity.ts';

export interface SavedRow {
  code?: string;
  id: string;
  timeMs: number;
}

/** Error for data that this export did not write. Its message follows "the file has". */
export class UnrecognizedRowError extends Error {}

type Parser = (block: string) => SavedRow[] | Promise<SavedRow[]>;

export async function createCsvParser({ columns, codes, dialect }: AppendIdentity): Promise<Parser> {
  const { parse } = await import('csv-parse/sync');
  const { delimiter = ',', excel } = dialect;
  const recordEnd = excel ? '\r\n' : '\n';
  const codeAt = columns.indexOf('qr_id');
  const idAt = columns.indexOf('id');
  const tsAt = columns.indexOf('ts');
  return (block) => {
    let records: string[][];
    try {
      // Throws for a quote in an unquoted cell, because an overwritten row may contain one.
      records = parse(block, {
        delimiter,
        record_delimiter: recordEnd,
        relax_column_count: true,
        skip_empty_lines: false,
      });
    } catch (error) {
      return unparsable(error);
    }
    return records.map((cells) => {
      if (cells.length !== columns.length)
        throw new UnrecognizedRowError(
          `a row with ${countOf(cells.length, 'cell')} instead of ${columns.length}`,
        );
      return checkedRow(codeAt < 0 ? codes[0] : cells[codeAt], cells[idAt], cells[tsAt]);
    });
  };
}

export function createNdjsonParser({ columns, codes }: AppendIdentity, strict: boolean): Parser {
  const keys = columns.join();
  const hasCode = columns.includes('qr_id');
  return async (block) => {
    const rows: SavedRow[] = [];
    for (const line of block.slice(0, -1).split('\n')) {
      const row: unknown = await parseJson(line).catch(unparsable);
      if (!isObject(row)) throw new UnrecognizedRowError('a line that is not a JSON object');
      if (strict && Object.keys(row).join() !== keys)
        throw new UnrecognizedRowError('a row with different columns');
      const id = typeof row.id === 'number' || typeof row.id === 'bigint' ? `${row.id}` : undefined;
      rows.push(checkedRow(hasCode ? row.qr_id : codes[0], id, row.ts));
    }
    return rows;
  };
}

function checkedRow(code: unknown, id = '', ts: unknown): SavedRow {
  const timeMs = typeof ts === 'string' ? parseInstant(ts) : undefined;
  if (!/^-?\d+$/.test(id) || timeMs === undefined) throw new UnrecognizedRowError('a row that is not a scan');
  return { code: typeof code === 'string' ? code : undefined, id, timeMs };
}

function unparsable(cause: unknown): never {
  throw new UnrecognizedRowError('a row that cannot be parsed', { cause });
}
