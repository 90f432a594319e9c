import { UsageError } from '#base/errors';
import { nearest } from '#base/text/nearest';
import { inQuotes, quote } from '#base/text/quote';
import { plainText } from './json.ts';
import type { Row } from './row-sink.ts';

export type ColorName = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

export interface Column {
  name: string;
  /** Rank: a narrow table omits the columns with the lowest value first (default: 0). */
  importance?: number;
  align?: 'left' | 'right';
  keepWhole?: boolean;
  leastWidth?: number;
  /** Width below which a narrow table omits less important `keepWhole` columns (default: `leastWidth`). */
  wishedWidth?: number;
  /** Whether narrow cells show an ellipsis instead of an origin that at least half of the cells share. */
  isUrl?: boolean;
  /** Whether a table prints cells that don't fit below their row. */
  below?: boolean;
  color?: (value: unknown) => ColorName | undefined;
  /** Whether a workbook stores the texts as dates: in the output's zone (true), or in UTC. */
  isTime?: boolean | 'utc';
  isPercent?: boolean;
  /** Choices for a cell in a workbook. With commas between them, Excel allows at most 255 characters. */
  choices?: readonly string[];
  width?: number;
  format?: (value: unknown) => string;
}

export function colorBy<V extends string>(
  colors: Partial<Record<ColorName, readonly V[]>>,
  other?: ColorName,
): (value: unknown) => ColorName | undefined {
  const known = new Map<unknown, string>();
  for (const [color, values] of Object.entries(colors)) for (const value of values) known.set(value, color);
  return (value) => (known.get(value) as ColorName | undefined) ?? other;
}

export function wholeColumn(name: string, importance = 0): Column {
  return { name, importance, keepWhole: true };
}

export function numberColumn(name: string, importance: number): Column {
  return { name, importance, align: 'right' };
}

/** Returns the columns in `--fields`, in order (default: all). Throws UsageError for invalid fields. */
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

export function textOf({ name, format = plainText }: Column, row: Row): string {
  return format(row[name]);
}
