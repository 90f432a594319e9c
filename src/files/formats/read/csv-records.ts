import { MOST_BYTES } from '../../../base/bounds.ts';
import { restore } from '../../../base/text/defuse.ts';
import { countOf } from '../../../base/text/quote.ts';
import { likelyDelimiter } from '../formats.ts';
import type { Row } from '../row-sink.ts';
import { CsvFault, type CsvReader, loadCsvReader } from './csv-reader.ts';
import { countEnds, notOurs, type Records, type TextPiece } from './input-text.ts';

interface Header {
  columns: readonly string[];
  places: readonly { name: string; at: number }[];
}

/**
 * Omits an incomplete last line, unless the file `isClosed` and the line has all cells. Throws UsageError if
 * cells and header do not match.
 */
export async function* readCsv(
  pieces: AsyncIterable<TextPiece>,
  path: string,
  wanted: readonly string[],
  isClosed = false,
): AsyncGenerator<Records & { columns: readonly string[] }> {
  let header: Header | undefined;
  let reader: CsvReader | undefined;
  let rows: Row[] = [];
  let firstLine = 1;
  let mayBeEscaped = false;

  function addRecord(cells: readonly string[], line: number): void {
    if (!header) {
      header = headerOf(cells, wanted);
      return;
    }
    if (cells.length !== header.columns.length) {
      const counts = `${countOf(cells.length, 'cell')}, but the header has ${header.columns.length}`;
      throw new CsvFault(line, `has ${counts}`);
    }
    if (rows.length === 0) firstLine = line;
    rows.push(rowOf(cells, header, mayBeEscaped));
  }

  try {
    for await (const { text, line, isLast } of pieces) {
      if (!reader) {
        const separator = likelyDelimiter(text.split('\n', 1)[0] ?? '');
        reader = (await loadCsvReader())({ separator, longest: MOST_BYTES.scanRecord }, addRecord);
      }
      const isOpen = isLast && !text.endsWith('\n');
      const lines = isOpen ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
      // F4: only a text with an apostrophe is escaped.
      mayBeEscaped = reader.isOpen() || text.includes("'");
      rows = [];
      reader.read(lines);
      const last = isOpen && isClosed && header ? reader.cellsOfLast(text.slice(lines.length)) : undefined;
      const isComplete = last !== undefined && last.length === header?.columns.length;
      if (isComplete) addRecord(last, line + countEnds(lines));
      // The last cell of a file that is being written may lack its closing quote.
      if (isLast && !isOpen) reader.end();
      const torn = isOpen && !isComplete;
      if (header) yield { rows, line: firstLine, torn, columns: header.columns };
      else if (torn) throw notOurs(path, 'the first line is incomplete');
    }
  } catch (error) {
    throw error instanceof CsvFault ? notOurs(path, `line ${error.line}: ${error.message}`) : error;
  }
}

function headerOf(cells: readonly string[], wanted: readonly string[]): Header {
  const columns = cells.map(restore);
  const places = wanted.map((name) => ({ name, at: columns.indexOf(name) })).filter(({ at }) => at >= 0);
  return { columns, places };
}

function rowOf(cells: readonly string[], { places }: Header, mayBeEscaped: boolean): Row {
  const row: Record<string, unknown> = {};
  for (const { name, at } of places) {
    const cell = cells[at] as string;
    const value = mayBeEscaped ? restore(cell) : cell;
    row[name] = value === '' ? null : value;
  }
  return row;
}
