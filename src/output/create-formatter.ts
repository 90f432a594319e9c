/** Rows to text: pure formatters, one for each format, all of one shape. */
import type { Format } from '../settings/settings.ts';
import type { Column } from './columns.ts';
import { createCsvFormatter } from './csv.ts';
import { createIdsFormatter, type Formatter, type Shape } from './formatter.ts';
import { createJsonFormatter, createNdjsonFormatter } from './json.ts';

export interface FormatterOptions {
  columns: readonly Column[];
  shape: Shape;
  /** JSON: also the fields the service sent beyond the columns; that is, the records as they are. */
  keepExtra: boolean;
  /** CSV: the row of column names. */
  header: boolean;
  /** CSV: cells that look like formulas are left as they are. */
  rawCells: boolean;
  /** CSV as Excel likes it: byte order mark and CRLF. */
  excel: boolean;
}

/** The formatter of anything but a table (see table.ts, which needs the terminal's width and its libraries). */
export function createFormatter(format: Exclude<Format, 'table'> | 'ids', options: FormatterOptions): Formatter {
  const names = options.columns.map(({ name }) => name);
  if (format === 'ids') return createIdsFormatter();
  if (format === 'csv') return createCsvFormatter(names, options);
  const picked = options.keepExtra ? undefined : names;
  return format === 'ndjson' ? createNdjsonFormatter(picked) : createJsonFormatter(picked, options.shape);
}
