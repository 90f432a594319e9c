/** The formats that rows are written in, and the delimiters of CSV. */

/** What `--format` takes. Its formatters stand in rows/create-formatter.ts. */
export const FORMATS = ['table', 'csv', 'json', 'ndjson'] as const;

/** What help says of each. */
export const FORMAT_MEANINGS: Readonly<Record<(typeof FORMATS)[number], string>> = {
  table: 'Default on a terminal. Omits the least important columns if they do not fit; shows control characters',
  csv: 'Default elsewhere for lists and scans: RFC 4180, UTF-8, LF; null is an empty cell',
  json: 'Default elsewhere for one record. A list is one document, regardless of the number of pages',
  ndjson: 'One JSON object per line',
};

/** What it takes where scans are written, which engines read by the million. */
export const SCAN_FORMATS = [...FORMATS, 'parquet'] as const;

export type Format = (typeof SCAN_FORMATS)[number];

/** What a file may be; a workbook is asked for by its name alone. */
export type FileFormat = Exclude<Format, 'table'> | 'xlsx';

/** What a file of each format is called; a table is for reading and has no files of its own. */
export const EXTENSIONS: Readonly<Record<FileFormat, readonly string[]>> = {
  csv: ['csv', 'tsv'],
  json: ['json'],
  ndjson: ['ndjson', 'jsonl'],
  parquet: ['parquet'],
  xlsx: ['xlsx'],
};

/** Those of a list in text, each with its dot. */
export const ENDINGS: readonly string[] = FORMATS.flatMap((format) => (format === 'table' ? [] : EXTENSIONS[format])).map(
  (extension) => `.${extension}`,
);

/** What `--delimiter` takes, and the character that it means. */
export const DELIMITERS = { ',': ',', ';': ';', tab: '\t' } as const;

export type Delimiter = (typeof DELIMITERS)[keyof typeof DELIMITERS];
