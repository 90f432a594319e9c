import type { Column } from './columns.ts';
import { type CsvOptions, createCsvFormatter } from './csv.ts';
import type { Format } from './formats.ts';
import { createIdsFormatter, type Formatter, type Shape } from './formatter.ts';
import { createJsonFormatter, createNdjsonFormatter } from './json.ts';
import { createMarkdownFormatter } from './markdown.ts';

interface FormatterOptions extends CsvOptions {
  columns: readonly Column[];
  shape?: Shape;
  keepExtra?: boolean;
}

type Create = (names: readonly string[], options: FormatterOptions) => Formatter;

const FORMATTERS: Readonly<Record<Exclude<Format, 'table' | 'parquet'> | 'ids', Create>> = {
  csv: createCsvFormatter,
  json: (names, { keepExtra, shape = 'list' }) => createJsonFormatter(keepExtra ? undefined : names, shape),
  ndjson: (names, { keepExtra }) => createNdjsonFormatter(keepExtra ? undefined : names),
  markdown: (_names, { columns, shape = 'list' }) => createMarkdownFormatter(columns, shape),
  ids: createIdsFormatter,
};

export function createFormatter(format: keyof typeof FORMATTERS, options: FormatterOptions): Formatter {
  const names = options.columns.map(({ name }) => name);
  return FORMATTERS[format](names, options);
}
