/** Rows to text: pure formatters, one for each format, all of one shape. */
import type { Column } from './columns.ts';
import { type CsvOptions, createCsvFormatter } from './csv.ts';
import type { Format } from './formats.ts';
import { createIdsFormatter, type Formatter, type Shape } from './formatter.ts';
import { createJsonFormatter, createNdjsonFormatter } from './json.ts';
import { createMarkdownFormatter } from './markdown.ts';

/** `header` and the options after it are for CSV. */
export interface FormatterOptions extends CsvOptions {
  columns: readonly Column[];
  shape: Shape;
  /** JSON: also the fields the service sent beyond the columns; that is, the records as they are. */
  keepExtra: boolean;
}

type Create = (names: readonly string[], options: FormatterOptions) => Formatter;

/** Every format but the table (see table.ts) and Parquet (parquet.ts), which need libraries of their own. */
const FORMATTERS: Readonly<Record<Exclude<Format, 'table' | 'parquet'> | 'ids', Create>> = {
  csv: createCsvFormatter,
  json: (names, { keepExtra, shape }) => createJsonFormatter(keepExtra ? undefined : names, shape),
  ndjson: (names, { keepExtra }) => createNdjsonFormatter(keepExtra ? undefined : names),
  markdown: (_names, { columns, shape }) => createMarkdownFormatter(columns, shape),
  ids: createIdsFormatter,
};

/** A formatter for one document. */
export function createFormatter(format: keyof typeof FORMATTERS, options: FormatterOptions): Formatter {
  const names = options.columns.map(({ name }) => name);
  return FORMATTERS[format](names, options);
}
