/** The columns a command can print. */
import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { inQuotes, quote } from '../text/quote.ts';
import type { Row } from './row-sink.ts';

/** What is used of chalk. Colour only adds to what the text already says. */
export type ColourName = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

export interface Column {
  /** The service's own name: key of the record, header in every format. */
  name: string;
  /** In a table too wide for the terminal the lowest goes first; 0 when absent. */
  importance?: number;
  align?: 'left' | 'right';
  /** Never cut short in a table (an id is useless by half). */
  keepWhole?: boolean;
  /** A cell cut to less than this says too little: then a less important column goes; 10 when absent. */
  leastWidth?: number;
  /** Cells are given so much room before a less important column that is kept whole, such as an id, gets any; `leastWidth` when absent. */
  wishedWidth?: number;
  /** A sentence that is of no use by half: where there is no room for it, it stands below its row in a table, broken between words. */
  below?: boolean;
  /** Only adds to what the text already says. */
  colour?: (value: unknown) => ColourName | undefined;
  /** Its texts are times: cells of a workbook that know it. */
  isTime?: boolean;
  /** The words that its cells take, to choose from in a workbook; 255 characters with commas between them at the most. */
  choices?: readonly string[];
  /** Of its column in a workbook, in characters. */
  width?: number;
  /** How people see the value; tables only, all other formats show it exactly. */
  format?: (value: unknown, record: Row) => string;
}

/**
 * The columns named by `--fields`, in that order; all of them when it is absent.
 *
 * @throws UsageError on a name that is unknown (with the nearest one as the hint) or repeated.
 */
export function chooseColumns(fields: readonly string[] | undefined, columns: readonly Column[]): readonly Column[] {
  if (!fields) return columns;
  const names = columns.map((column) => column.name);
  return fields.map((field, index) => {
    const column = columns.find(({ name }) => name === field);
    if (!column) throw unknownField(field, names);
    if (fields.indexOf(field) < index)
      throw new UsageError(`--fields contains ${quote(field)} twice`, { hint: 'Specify each field once.' });
    return column;
  });
}

function unknownField(field: string, names: readonly string[]): UsageError {
  const meant = nearest(field.toLowerCase(), names);
  return new UsageError(`unknown field ${inQuotes(field)} in --fields`, {
    hint: `${meant ? `Did you mean ${meant}? ` : ''}Valid fields: ${names.join(',')}`,
  });
}
