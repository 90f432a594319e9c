import { UsageError } from '../../base/errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { inQuotes, quote } from '../../base/text/quote.ts';
import { formatJson } from './json.ts';
import type { Row } from './row-sink.ts';

export type ColorName = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

export interface Column {
  /** Key of the record, and header in every format. */
  name: string;
  /** In a table that is too wide, the lowest is omitted first (default: 0). */
  importance?: number;
  align?: 'left' | 'right';
  /** Never truncated in a table. */
  keepWhole?: boolean;
  /** Width below which a less important column is omitted instead (default: 10). */
  leastWidth?: number;
  /** Width that cells get before a less important column that is never truncated, such as an ID, gets any; `leastWidth` if unset. */
  wishedWidth?: number;
  /** Sentence: if a table has no room for it, it is below its row, wrapped between words. */
  below?: boolean;
  color?: (value: unknown) => ColorName | undefined;
  /** Texts are times: dates in a workbook, in the time zone of the output or in UTC. */
  isTime?: boolean | 'utc';
  /** Values offered in a workbook, at most 255 characters with commas between them. */
  choices?: readonly string[];
  /** Width in a workbook, in characters. */
  width?: number;
  /** Formats the value in tables only. */
  format?: (value: unknown, record: Row) => string;
}

/**
 * Returns the columns of `--fields`, in that order; all by default. Throws UsageError for an unknown or
 * repeated name.
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
