/** Bulk file as read: rows of named values before they are interpreted, and every fault of its form. */
import { inChunks } from '../../../base/collections.ts';
import { type RowProblem, UsageError } from '../../../base/errors.ts';
import { countOf, formatCount, inQuotes, quote } from '../../../base/text/quote.ts';
import { UTM_NAMES } from '../../../base/text/utm.ts';
import { letSignalsIn } from '../../../base/time/time.ts';
import { CODE_FIELDS } from '../../../service/shapes.ts';
import { MOST_ROWS, MOST_VALUES } from '../table-bounds.ts';

export interface InputRow {
  /** 1-based number of the data row: the first below the CSV header is row 1. */
  readonly row: number;
  /**
   * Line of the file where the row begins, 1-based; the row of a workbook's sheet; the number of a JSON array's item. The one number that
   * users see.
   */
  readonly line: number;
  /** By column as the file spells it. Text from CSV; any JSON value, exact, from JSON and NDJSON. Missing: no key. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Cells of a CSV whose text is escaped, unlike the values (src/base/text/defuse.ts). */
  readonly defused?: ReadonlyMap<string, string> | undefined;
}

/** How a file is written; its results are written alike. */
type InputForm =
  | { readonly is: 'csv'; readonly delimiter: string; readonly bom: boolean; readonly lineEnd: '\n' | '\r\n' }
  | { readonly is: 'json' | 'ndjson' | 'xlsx' };

export interface Input {
  /** Name in messages: the path, or `standard input`. */
  readonly name: string;
  /** In the order of the header, or of first appearance in JSON. */
  readonly columns: readonly string[];
  /** Line of the header, where faults of a column are; undefined for JSON. */
  readonly headerLine: number | undefined;
  readonly rows: readonly InputRow[];
  /** Columns of a workbook whose cells are all dates, or empty: the results have them as dates again. */
  readonly dateColumns?: ReadonlySet<string>;
  /** Missing if the input is not a file. */
  readonly form?: InputForm;
  /** A list of IDs and slugs without a header and other values. */
  readonly isBare?: true;
  /** One JSON object instead of rows: a code as `qr get` and `qr delete --backup` write it. */
  readonly isRecord?: true;
  /** Number of rows that are hidden in their sheet: by a filter, or manually. */
  readonly hiddenRows?: number;
  /** Faults of form, if the rows could be read. */
  readonly faults?: readonly Fault[];
}

/** Properties of a file that messages need. */
export type Source = Pick<Input, 'name' | 'form'>;

/** Options for reading the bytes of a bulk file. */
export interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** The cells of a CSV are exact: it was written with `--raw-cells`. */
  rawCells?: boolean | undefined;
  /** Text may be a list of ids or slugs, one a line, in place of a table. */
  bareNames?: boolean | undefined;
  /** Of a workbook; its first sheet when absent. */
  sheetName?: string | undefined;
  /** Of a workbook only the rows that are not hidden. */
  visibleOnly?: boolean | undefined;
  /** Column of keys, which are text as the columns of qrctl are. */
  key?: string | undefined;
}

/** Columns whose values qrctl writes and reads; all others belong to the user. */
export const OUR_COLUMNS: ReadonlySet<string> = new Set([
  ...CODE_FIELDS,
  ...['short_url', 'at', 'outcome', 'error', 'base', 'decision'],
]);

/** Columns of tags that are added to the destination. */
export const UTM_COLUMNS: readonly string[] = UTM_NAMES.map((name) => `utm_${name}`);

/** Headers that mean `destination`, if there is no column of that name. */
export const ALIASES: ReadonlySet<string> = new Set(['url', 'link', 'target', 'address']);

/** Tests whether a cell is a web address. */
export function isAddress(cell: string): boolean {
  return /^\s*(https?:\/\/|www\.)/i.test(cell);
}

/** Returns the name of a column for comparison: without case and surrounding spaces. */
export function fold(column: string): string {
  return column.trim().toLowerCase();
}

/** More than any spreadsheet has; checks go through them one by one. */
export const MOST_COLUMNS = 1000;

/** Throws UsageError at a file with more than is read at once, while it is being read: a few kilobytes may be unpacked to billions of cells. */
export function refuseMany(name: string, rows: number, columns: number): void {
  if (rows <= MOST_ROWS && rows * columns <= MOST_VALUES) return;
  const most = Math.min(MOST_ROWS, Math.floor(MOST_VALUES / columns));
  const among = columns === 1 ? '' : ` of ${columns} columns`;
  throw new UsageError(`${name} has more than ${most} rows${among}`, {
    hint: 'Split the file and run each part separately. Each part has its own results.',
  });
}

/** Maximum number of faults collected. */
export const MOST_FAULTS = 1000;

/** Number of faults, and of warnings, that are listed: a file of the wrong kind has one in every line. */
const MOST_TOLD = 50;

/** Fault of a file; collected, so that one run reports all of them. */
export interface Fault {
  /** Of the file, or the number of the item for a JSON array. */
  line?: number | undefined;
  column?: string | undefined;
  message: string;
  /** Valid forms of such a value; listed once, however many faults have it. */
  explanation?: string;
  /** `--force` accepts it. */
  mayForce?: true;
}

/** The rows of a file with the codes they request, and all faults and warnings. */
export interface Checked<R> {
  rows: R[];
  faults: Fault[];
  warnings: Fault[];
  /** Cells that only the service can confirm: see `Doubt`. */
  doubts: Fault[];
  /** Columns that the command does not read. */
  unread: string[];
  /** How a column was understood. */
  notes: string[];
  /** Advice on how to get a file without faults. */
  start: string;
}

/** Number of rows that are checked before signals are handled. */
const CHECKED_AT_ONCE = 5000;

/** Maps rows like `map`, with turns for signals in between: a million rows take seconds. Throws the signal's reason. */
export async function mapRows<R, T>(
  rows: readonly R[],
  map: (row: R) => T,
  signal: AbortSignal | undefined,
): Promise<T[]> {
  const mapped: T[] = [];
  for (const some of inChunks(rows, CHECKED_AT_ONCE)) {
    for (const row of some) mapped.push(map(row));
    if (mapped.length < rows.length) await letSignalsIn(signal);
  }
  return mapped;
}

/** Returns a fault for each empty or repeated column name. */
export function faultsOfHeader(columns: readonly string[], line: number): Fault[] {
  const seen = new Set<string>();
  return columns.flatMap((column, index) => {
    if (column === '') return [{ line, message: `the header of column ${index + 1} is empty` }];
    if (seen.has(column)) return [{ line, column, message: 'appears twice in the header' }];
    seen.add(column);
    return [];
  });
}

/** Returns the faults of form of a file, but of cells only those in the columns that are read: others may contain anything. */
export function faultsOfRead(
  { faults = [], headerLine }: Input,
  read: ReadonlySet<string | undefined>,
): Fault[] {
  return faults.filter(({ line, column }) => column === undefined || line === headerLine || read.has(column));
}

/** Throws UsageError if a file has faults, or with `strict` warnings. */
export function refuseChecked(
  file: Source,
  { faults, warnings, doubts, start }: Checked<unknown>,
  strict = false,
): void {
  const refused = strict ? [...faults, ...warnings] : faults;
  refuseFaults(file, refused, { start, warnings: [...(strict ? [] : warnings), ...doubts] });
}

interface Refusal {
  /** Advice on how to get a file without faults. */
  start?: string | undefined;
  /** Told with the faults, so that one pass shows all there is to fix. */
  warnings?: readonly Fault[];
}

/** Throws UsageError (exit 2) listing every fault once, one a line, top to bottom; returns if there is none. */
export function refuseFaults(
  file: Source,
  found: readonly Fault[],
  { start, warnings = [] }: Refusal = {},
): void {
  if (found.length === 0) return;
  // That of a whole file may have been found by many rows.
  const faults = [...new Set(found)];
  const counts = [
    atLeast(faults.length) + countOf(faults.length, 'fault'),
    warnings.length > 0 && countOf(warnings.length, 'warning'),
  ];
  const explanations = new Set([...faults, ...warnings].flatMap(({ explanation }) => explanation ?? []));
  const lines = [
    ...tellFaults(file, faults),
    ...explanations,
    ...tellFaults(file, warnings).map((line) => (line.startsWith('and ') ? line : `warning: ${line}`)),
  ];
  const ways = [
    'Fix the file and run the command again.',
    start,
    faults.some((fault) => fault.mayForce) && FORCE,
  ];
  const title = `${file.name}: ${counts.filter(Boolean).join(' and ')} (no changes were made)`;
  throw new UsageError([title, ...lines.map((line) => `  ${line}`)].join('\n'), {
    hint: ways.filter(Boolean).join(' '),
    rows: sortedFaults(faults).map((fault) => problemOf(file, fault)),
  });
}

const FORCE = 'To accept these destinations, add --force.';

/** Formats the first faults, top to bottom, and the number of the others. */
export function tellFaults(file: Source, faults: readonly Fault[]): string[] {
  const sorted = sortedFaults(faults);
  const lines = sorted.slice(0, MOST_TOLD).map((fault) => formatFault(fault, file));
  return sorted.length > MOST_TOLD
    ? [...lines, `and ${atLeast(sorted.length)}${formatCount(sorted.length - MOST_TOLD)} more`]
    : lines;
}

function sortedFaults(faults: readonly Fault[]): Fault[] {
  return [...faults].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** Name of standard input in messages. */
export const STANDARD_INPUT = 'standard input';

/** Formats that have a line per row which an editor shows. */
const IN_LINES: ReadonlySet<string> = new Set(['csv', 'ndjson']);

/** Returns the fault of a row for annotations: with its line, or in other formats with its place in the message. */
export function problemOf(file: Source, fault: Fault): RowProblem {
  const name = file.name === STANDARD_INPUT ? undefined : file.name;
  const isLine = name !== undefined && IN_LINES.has(file.form?.is ?? 'csv') && !/\.gz$/i.test(name);
  const { line: _, ...rest } = fault;
  return isLine
    ? { file: name, line: fault.line, message: formatFault(rest, file) }
    : { file: name, message: formatFault(fault, file) };
}

/** No more are gathered of some kinds. */
function atLeast(faults: number): string {
  return faults >= MOST_FAULTS ? 'at least ' : '';
}

/** `line 3, column type: …` */
export function formatFault({ line, column, message }: Fault, file: Pick<Source, 'form'>): string {
  const place = [
    line === undefined ? '' : placeOf(file, line),
    column === undefined ? '' : `column ${quote(column)}`,
  ]
    .filter(Boolean)
    .join(', ');
  return place ? `${place}: ${message}` : message;
}

/** `line 3`, or `item 3` of a JSON array, which may be one line. */
export function placeOf({ form }: Pick<Source, 'form'>, line: number): string {
  return `${form?.is === 'json' ? 'item' : 'line'} ${line}`;
}

const LONGEST_SHOWN = 60;

/** Formats a cell for a message: quoted, escaped and truncated. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return inQuotes(value);
  const text = JSON.stringify(typeof value === 'bigint' ? `${value}` : value) ?? 'nothing';
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
