import { UsageError } from '../../base/errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { inQuotes, quote } from '../../base/text/quote.ts';
import { plainText } from './json.ts';
import type { Row } from './row-sink.ts';

export type ColorName = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

export interface Column {
  name: string;
  /** Rank: columns of the lowest are omitted first from a narrow table (default: 0). */
  importance?: number;
  align?: 'left' | 'right';
  keepWhole?: boolean;
  leastWidth?: number;
  /** Granted before a less important `keepWhole` column (default: `leastWidth`). */
  wishedWidth?: number;
  /** Replaces the origin that most rows share by an ellipsis. */
  isUrl?: boolean;
  /** Moves a sentence below its row if the table is narrow. */
  below?: boolean;
  color?: (value: unknown) => ColorName | undefined;
  /** Texts become dates in a workbook, in the zone of the output or in UTC. */
  isTime?: boolean | 'utc';
  isPercent?: boolean;
  /** At most 255 characters with commas (Excel). */
  choices?: readonly string[];
  width?: number;
  format?: (value: unknown, record: Row) => string;
}

/** Returns the columns of `--fields`, in that order. Throws UsageError for an unknown or repeated name. */
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

export function textOf({ format }: Column, value: unknown, record: Row): string {
  return format ? format(value, record) : plainText(value);
}
