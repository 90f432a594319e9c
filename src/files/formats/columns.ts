/** The columns a command can print. */
import { UsageError } from '../../base/errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { inQuotes, quote } from '../../base/text/quote.ts';
import { formatJson } from './json-lines.ts';
import type { Row } from './row-sink.ts';

/** Subset of chalk. Color only adds to the meaning of the text. */
export type ColourName = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

export interface Column {
  /** The service's own name: key of the record, header in every format. */
  name: string;
  /** In a table too wide for the terminal the lowest goes first; 0 when absent. */
  importance?: number;
  align?: 'left' | 'right';
  /** Never cut short in a table (an id is useless by half). */
  keepWhole?: boolean;
  /** A narrower cell is not useful: then a less important column is omitted; 10 if unset. */
  leastWidth?: number;
  /** Width that cells get before a less important column that is never truncated, such as an ID, gets any; `leastWidth` if unset. */
  wishedWidth?: number;
  /** Sentence that must not be truncated: if there is no room for it, it is below its row in a table, wrapped between words. */
  below?: boolean;
  /** Only adds to the meaning of the text. */
  colour?: (value: unknown) => ColourName | undefined;
  /** The texts are times: cells of a workbook have a date type, in the time zone of the output or in UTC. */
  isTime?: boolean | 'utc';
  /** The words that its cells take, to choose from in a workbook; 255 characters with commas between them at the most. */
  choices?: readonly string[];
  /** Of its column in a workbook, in characters. */
  width?: number;
  /** Formats the value for people; tables only, all other formats contain it exactly. */
  format?: (value: unknown, record: Row) => string;
}

/**
 * The columns named by `--fields`, in that order; all of them when it is absent.
 *
 * @throws UsageError on a name that is unknown (with the nearest one as the hint) or repeated.
 */
export function chooseColumns(
  fields: readonly string[] | undefined,
  columns: readonly Column[],
): readonly Column[] {
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

/** Formats a value for people, not yet cleaned. */
export function textOf({ format }: Column, value: unknown, record: Row): string {
  if (format) return format(value, record);
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? formatJson(value) : String(value);
}
