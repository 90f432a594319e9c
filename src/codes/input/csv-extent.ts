/** Counts the records and cells of a CSV before a parser allocates anything for them: 120 MB of commas would become as many strings. */
import { LINE_FEED, QUOTE, RETURN } from '../../base/text/ascii.ts';
import { MOST_COLUMNS, refuseFaults, refuseMany } from '../../files/formats/read/input.ts';
import { MOST_RECORD, MOST_VALUES } from '../../files/formats/table-bounds.ts';

/** Empty lines are skipped by the parser, one by one. */
const MOST_EMPTY = 2 ** 20;

/** Throws UsageError at the first record with which the file is more than is read. `first`: the line it begins on. */
export function checkExtent(bytes: Uint8Array, separator: string, name: string, first = 1): void {
  const cellEnd = separator.charCodeAt(0);
  const found = { records: 0, empty: 0, columns: 0, cells: 0 };
  /** Of the record that is being counted. */
  let own = { start: 0, line: first, cells: 1 };
  let line = first;
  let inQuotes = false;

  const refuse = (message: string) => refuseFaults({ name }, [{ line: own.line, message }]);

  function endRecord(at: number): void {
    if (own.cells > MOST_COLUMNS) refuse(`has ${own.cells} cells (limit: ${MOST_COLUMNS})`);
    if (at - own.start > MOST_RECORD) refuse(`is longer than ${MOST_RECORD / 2 ** 20} MiB`);
    const isEmpty = at === own.start || (at === own.start + 1 && bytes[own.start] === RETURN);
    if (isEmpty) found.empty += 1;
    else {
      // The first is the header, whose columns all rows have.
      if (found.records === 0) found.columns = own.cells;
      else refuseMany(name, found.records, found.columns);
      found.records += 1;
      found.cells += own.cells;
    }
    if (found.empty > MOST_EMPTY) refuse(`exceeds the limit of ${MOST_EMPTY} empty lines per file`);
    if (found.cells > MOST_VALUES + found.columns)
      refuse(`exceeds the limit of ${MOST_VALUES} cells per file`);
    own = { start: at + 1, line, cells: 1 };
  }

  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) inQuotes = !inQuotes;
    else if (byte === cellEnd) {
      if (!inQuotes) own.cells += 1;
    } else if (byte === LINE_FEED || (byte === RETURN && bytes[at + 1] !== LINE_FEED)) {
      line += 1;
      if (!inQuotes) endRecord(at);
    }
  }
  endRecord(bytes.length);
}
