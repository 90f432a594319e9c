/** A bulk file as it was read: rows of named values, before anybody has asked what they mean, and everything wrong with it. */
import { UsageError } from '../errors.ts';
import { inQuotes, quote } from '../quote.ts';
import { CODE_FIELDS } from '../service/shapes.ts';

export interface InputRow {
  /** 1-based, counting rows of data: the first below the CSV header is row 1. What `--adopt` and `--not-created` take. */
  readonly row: number;
  /** Line of the file where the row begins, 1-based. */
  readonly line: number;
  /** By column as the file spells it. Text from CSV; any JSON value, exact, from JSON and NDJSON. Missing: no key. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Cells of a CSV that say something else than they mean: they are defused, which the values are not (src/defuse.ts). */
  readonly defused?: ReadonlyMap<string, string> | undefined;
}

/** How a file is written; its results are written alike. */
export type InputForm =
  | { readonly is: 'csv'; readonly delimiter: string; readonly bom: boolean; readonly lineEnd: '\n' | '\r\n' }
  | { readonly is: 'json' | 'ndjson' | 'xlsx' };

export interface Input {
  /** What messages call it: the path, or `standard input`. */
  readonly name: string;
  /** In the order of the header, or of first appearance in JSON. */
  readonly columns: readonly string[];
  /** Line of the header, where faults of a column are; undefined for JSON. */
  readonly headerLine: number | undefined;
  readonly rows: readonly InputRow[];
  /** Columns of a workbook whose cells are all dates, or empty: the results have them as dates again. */
  readonly dateColumns?: ReadonlySet<string>;
  /** Absent where it was no file. */
  readonly form?: InputForm;
  /** A list of ids and slugs without a header, which says nothing else about them. */
  readonly isBare?: true;
  /** How many of the rows are hidden in their sheet: by a filter, or by a person. */
  readonly hiddenRows?: number;
}

/** How the bytes of a bulk file are read. */
export interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** Cells of a CSV are as they stand there: it was written with `--raw-cells`. */
  rawCells?: boolean | undefined;
  /** Text may be a list of ids or slugs, one a line, in place of a table. */
  bareNames?: boolean | undefined;
  /** Of a workbook; its first sheet when absent. */
  sheetName?: string | undefined;
  /** Of a workbook only the rows that are not hidden. */
  visibleOnly?: boolean | undefined;
}

/** Columns whose values are qrctl's to write and to read; all others belong to the person. */
export const OUR_COLUMNS: ReadonlySet<string> = new Set([...CODE_FIELDS, 'short_url', 'at', 'outcome', 'error']);

/** The name of a column as it is compared: in any case, with any blanks around it. */
export function fold(column: string): string {
  return column.trim().toLowerCase();
}

/** More than any spreadsheet has; checks go through them one by one. */
export const MOST_COLUMNS = 1000;

/** What Excel has below a header. */
const MOST_ROWS = 1_048_575;
/** Rows times columns: what is held of a file takes so many times some hundred bytes. */
export const MOST_VALUES = 4_000_000;

/** Throws UsageError at a file with more than is read at once, while it is being read: a few kilobytes may be unpacked to billions of cells. */
export function refuseMany(name: string, rows: number, columns: number): void {
  if (rows <= MOST_ROWS && rows * columns <= MOST_VALUES) return;
  const most = Math.min(MOST_ROWS, Math.floor(MOST_VALUES / columns));
  const among = columns === 1 ? '' : ` of ${columns} columns`;
  throw new UsageError(`${name} has more than ${most} rows${among}`, {
    hint: 'split it: every part has its own results; nothing was sent',
  });
}

/** So many are gathered at most. */
export const MOST_FAULTS = 1000;

/** How many faults are told: a file of the wrong kind has one in every line. */
const MOST_TOLD = 100;

/** Something wrong with a file; gathered, so that one run tells it all. */
export interface Fault {
  line?: number | undefined;
  column?: string | undefined;
  message: string;
}

/** Names of columns that are missing or stand twice. */
export function faultsOfHeader(columns: readonly string[], line: number): Fault[] {
  const seen = new Set<string>();
  return columns.flatMap((column, index) => {
    if (column === '') return [{ line, message: `the header of column ${index + 1} is empty` }];
    if (seen.has(column)) return [{ line, column, message: 'stands twice in the header' }];
    seen.add(column);
    return [];
  });
}

/**
 * Throws UsageError (exit 2, nothing sent) listing every fault, one a line, top to bottom; returns when there is none. `start` says where a
 * file that has none comes from.
 */
export function refuseFaults(file: string, faults: readonly Fault[], start?: string): void {
  if (faults.length === 0) return;
  const sorted = [...faults].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const atLeast = sorted.length >= MOST_FAULTS ? 'at least ' : '';
  const count = sorted.length === 1 ? '1 fault' : `${atLeast}${sorted.length} faults`;
  const lines = sorted.slice(0, MOST_TOLD).map((fault) => `  ${formatFault(fault)}`);
  if (sorted.length > MOST_TOLD) lines.push(`  and ${sorted.length - MOST_TOLD} more`);
  throw new UsageError([`${file}: ${count}, nothing was sent`, ...lines].join('\n'), {
    hint: `mend the file and run this again${start === undefined ? '' : `; ${start}`}`,
  });
}

/** `line 3, column type: …` */
export function formatFault({ line, column, message }: Fault): string {
  const place = [line === undefined ? '' : `line ${line}`, column === undefined ? '' : `column ${quote(column)}`]
    .filter(Boolean)
    .join(', ');
  return place ? `${place}: ${message}` : message;
}

const LONGEST_SHOWN = 60;

/** A cell as a message shows it: quoted, escaped and cut. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return inQuotes(value);
  const text = JSON.stringify(typeof value === 'bigint' ? `${value}` : value) ?? 'nothing';
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
