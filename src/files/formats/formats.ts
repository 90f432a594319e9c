export const FORMATS = ['table', 'csv', 'json', 'ndjson', 'markdown'] as const;

export const FORMAT_MEANINGS: Readonly<Record<(typeof FORMATS)[number], string>> = {
  table:
    'Default on a terminal. Omits the least important columns if they do not fit. Makes control characters visible.',
  csv: 'Default for lists and scans if the output is not a terminal (RFC 4180, UTF-8, LF, null as an empty cell)',
  json: 'Default for one record if the output is not a terminal. A list is one document, regardless of the number of pages.',
  ndjson: 'One JSON object per line',
  markdown:
    'Table for pull requests, job summaries and chat (GitHub Flavored Markdown). Not available for scans.',
};

export const SCAN_FORMATS = ['table', 'csv', 'json', 'ndjson', 'parquet'] as const;

export type Format = (typeof FORMATS)[number] | (typeof SCAN_FORMATS)[number];

export const DATA_FORMATS = ['csv', 'json', 'ndjson'] as const satisfies readonly Format[];

export type FileFormat = Exclude<Format, 'table'> | 'xlsx';

export const EXTENSIONS: Readonly<Record<FileFormat, readonly string[]>> = {
  csv: ['csv', 'tsv'],
  json: ['json'],
  ndjson: ['ndjson', 'jsonl'],
  markdown: ['md'],
  parquet: ['parquet'],
  xlsx: ['xlsx'],
};

/** Extensions of unsupported formats. Other extensions, such as `.txt`, imply no format. */
export const FOREIGN_EXTENSIONS: ReadonlySet<string> = new Set(
  (
    'xls xlsm xlsb xlt xltx xltm ods fods numbers gsheet doc docx odt rtf ppt pptx pdf eps ps png svg jpg jpeg gif webp ' + // words-ok: a list of names
    'html htm xhtml xml yaml yml toml ini json5 jsonc geojson protobuf pb sql sqlite sqlite3 db duckdb mdb accdb dbf ' +
    'feather arrow ipc orc avro h5 hdf5 rds pickle pkl zip zipx 7z rar tar tgz tbz txz bz2 xz zst lz4 lzma lzo br z cab exe'
  ).split(' '),
);

export const ENDINGS: readonly string[] = DATA_FORMATS.flatMap((format) => EXTENSIONS[format]).map(
  (extension) => `.${extension}`,
);

export const DELIMITERS = { ',': ',', ';': ';', tab: '\t' } as const;

export type Delimiter = (typeof DELIMITERS)[keyof typeof DELIMITERS];

export function likelyDelimiter(header: string): Delimiter {
  const often = (delimiter: string) => header.split(delimiter).length;
  return Object.values(DELIMITERS).reduce((most, other) => (often(other) > often(most) ? other : most));
}

export const GZIP = [0x1f, 0x8b] as const;

export function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}
