/** The settings in force for one command: flag > variable > profile > default. */
import type { Reserve } from '../limit/rate-window.ts';

/** What `--format` takes. Its formatters stand in rows/create-formatter.ts. */
export const FORMATS = ['table', 'csv', 'json', 'ndjson'] as const;
/** What help says of each. */
export const FORMAT_MEANINGS: Readonly<Record<(typeof FORMATS)[number], string>> = {
  table: 'the default on a terminal; fits its width, leaving out what matters least; control characters are shown',
  csv: 'the default elsewhere for lists and scans: RFC 4180, UTF-8, LF; null is an empty cell',
  json: 'the default elsewhere for one record; one document, however many pages it took',
  ndjson: 'one JSON object a line',
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

/** The environment variables, as the context holds them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What the global flags say; the values of settings as they were typed, already checked while parsing. */
export interface SettingFlags {
  profile?: string;
  baseUrl?: string;
  maxWait?: string;
  reserve?: string;
  concurrency?: string;
  /** `--timeout` in ms. */
  timeout?: number;
  /** `--retry-for` in ms. */
  retryFor?: number;
}

export interface Settings {
  /** Name of the profile in force, whether stored or not. */
  profile: string;
  /** Ends in /api/v1, no trailing slash; undefined when nothing names one. */
  baseUrl: string | undefined;
  /** The key that may be sent to `baseUrl`; undefined when there is none. Never print it: see keyPrefix in text/key.ts. */
  apiKey: string | undefined;
  /** Where `apiKey` comes from; undefined for none, and for one that is being stored. */
  keySource: 'variable' | 'profile' | undefined;
  /** Why there is no usable key although one is stored (it belongs to another base URL); one sentence. */
  apiKeyProblem: string | undefined;
  format: Format | undefined;
  /** Between the cells of CSV. */
  delimiter: Delimiter | undefined;
  timezone: string | undefined;
  /** The address of a code as a template: it has `{slug}` or `{id}`. See text/short-url.ts. */
  shortUrl: string | undefined;
  reserve: Reserve;
  concurrency: number;
  /** Undefined: no bound. */
  maxWaitMs: number | undefined;
  timeoutMs: number;
  /** How long an outage may last before a command gives up. */
  retryForMs: number;
  /** What the person should be told once: a base URL that was completed, modes of the config that were mended. */
  notes: readonly string[];
}
