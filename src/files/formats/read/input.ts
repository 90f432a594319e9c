import { MOST_ROWS, MOST_VALUES } from '#base/bounds';
import { inChunks } from '#base/collections';
import { type RowProblem, UsageError } from '#base/errors';
import { countOf, formatCount, inQuotes, quote } from '#base/text/quote';
import { UTM_NAMES } from '#base/text/utm';
import { letSignalsIn } from '#base/time/time';
import { CODE_FIELDS } from '#service/shapes';

export interface InputRow {
  row: number;
  /** Line in a text file, row in a sheet, or item number in a JSON array. */
  line: number;
  /** Cells by column: text from CSV, any value from JSON (integers with all digits). */
  values: Pick<ReadonlyMap<string, unknown>, 'get' | 'has'>;
  /** Cells as written in a CSV file, if their text is escaped (defuse.ts). */
  defused?: ReadonlyMap<string, string>;
}

type InputForm =
  | { is: 'csv'; delimiter: string; bom: boolean; lineEnd: '\n' | '\r\n' }
  | { is: 'json' | 'ndjson' | 'xlsx' };

export interface Input {
  name: string;
  columns: readonly string[];
  headerLine: number | undefined;
  rows: readonly InputRow[];
  dateColumns?: ReadonlySet<string>;
  form?: InputForm;
  isBare?: true;
  isRecord?: true;
  hiddenRows?: number;
  named?: NamedColumns;
  faults?: readonly Fault[];
}

/** Field per column ('' if none), and candidate columns per ambiguous field. */
export interface NamedColumns {
  fields: ReadonlyMap<string, string>;
  ambiguous: ReadonlyMap<string, readonly string[]>;
}

export type Source = Pick<Input, 'name' | 'form'>;

export interface ReadOptions {
  signal?: AbortSignal;
  rawCells?: boolean;
  bareNames?: boolean;
  sheetName?: string;
  visibleOnly?: boolean;
  key?: string;
  column?: readonly (readonly [field: string, header: string])[];
  isDated?: boolean;
}

/** Columns with a fixed meaning in files of codes, except UTM columns and the key column. */
export const OUR_COLUMNS: ReadonlySet<string> = new Set([
  ...CODE_FIELDS,
  ...['short_url', 'at', 'outcome', 'error', 'base', 'decision'],
]);

export const UTM_COLUMNS: readonly string[] = UTM_NAMES.map((name) => `utm_${name}`);

export function isAddress(cell: string): boolean {
  return /^\s*(https?:\/\/|www\.)/i.test(cell);
}

export function fold(column: string): string {
  return column.trim().toLowerCase();
}

/** Refuses too many rows or cells while reading, because a few kilobytes may expand to billions of cells. */
export function refuseMany(name: string, rows: number, columns: number): void {
  if (rows <= MOST_ROWS && rows * columns <= MOST_VALUES) return;
  const most = Math.min(MOST_ROWS, Math.floor(MOST_VALUES / columns));
  const among = columns === 1 ? '' : ` of ${columns} columns`;
  throw new UsageError(`${name} has more than ${most} rows${among}`, {
    hint: 'Split the file and run each part separately. Each part has its own results.',
  });
}

export const MOST_FAULTS = 1000;

const MOST_TOLD = 50;

export interface Fault {
  line?: number;
  column?: string;
  message: string;
  explanation?: string;
  mayForce?: true;
  isSorted?: true;
  isOfFlag?: true;
}

export interface Checked<R> {
  rows: R[];
  faults: Fault[];
  warnings: Fault[];
  /** Invalid or questionable values, which are faults unless the code already has them (`Doubt`). */
  doubts: Fault[];
  unread: string[];
  notes: string[];
  start: string;
}

const CHECKED_AT_ONCE = 5000;

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

export function faultsOfHeader(columns: readonly string[], line: number): Fault[] {
  const seen = new Map<string, number>();
  return columns.flatMap((column, index) => {
    if (column === '') return [{ line, message: `the header of column ${index + 1} is empty` }];
    const times = (seen.get(column) ?? 0) + 1;
    seen.set(column, times);
    return times === 2 ? [{ line, column, message: 'appears twice in the header' }] : [];
  });
}

/** Returns the faults, except those in columns that the command does not read. Keeps header faults. */
export function faultsOfRead(
  { faults = [], headerLine }: Input,
  read: ReadonlySet<string | undefined>,
): Fault[] {
  return faults.filter(({ line, column }) => column === undefined || line === headerLine || read.has(column));
}

export function refuseChecked(
  file: Source,
  { faults, warnings, doubts, start }: Checked<unknown>,
  strict = false,
): void {
  const refused = strict ? [...faults, ...warnings] : faults;
  refuseFaults(file, refused, { start, warnings: [...(strict ? [] : warnings), ...doubts] });
}

/** If there are faults, throws UsageError (exit 2) with the first ones in its message, and all in `rows`. */
export function refuseFaults(
  file: Source,
  found: readonly Fault[],
  { start, warnings = [] }: { start?: string; warnings?: readonly Fault[] } = {},
): void {
  if (found.length === 0) return;
  // Removes repetitions, because a fault in the whole file may be listed once per row.
  const faults = [...new Set(found)];
  const counts = [
    atLeast(faults.length) + countOf(faults.length, 'fault'),
    warnings.length > 0 && countOf(warnings.length, 'warning'),
  ];
  const explanations = new Set([...faults, ...warnings].flatMap(({ explanation }) => explanation ?? []));
  const lines = [
    ...describeFaults(file, faults),
    ...explanations,
    ...describeFaults(file, warnings).map((line) => (line.startsWith('and ') ? line : `warning: ${line}`)),
  ];
  const ofFlags = faults.filter(({ isOfFlag }) => isOfFlag).length;
  const both = ofFlags === 0 ? 'Fix the file' : 'Fix the file, correct the flag,';
  const ways = [
    `${ofFlags === faults.length ? 'Correct the flag' : both} and run the command again.`,
    start,
    faults.some((fault) => fault.isSorted) && 'Sort whole rows, not single columns.',
    faults.some((fault) => fault.mayForce) && FORCE,
  ];
  const title = `${file.name}: ${counts.filter(Boolean).join(' and ')} (no changes were made)`;
  throw new UsageError([title, ...lines.map((line) => `  ${line}`)].join('\n'), {
    hint: ways.filter(Boolean).join(' '),
    rows: sortedFaults(faults).map((fault) => problemOf(file, fault)),
  });
}

const FORCE = 'To accept these destinations, add --force.';

export function describeFaults(file: Source, faults: readonly Fault[]): string[] {
  const sorted = sortedFaults(faults);
  const lines = sorted.slice(0, MOST_TOLD).map((fault) => formatFault(fault, file));
  return sorted.length > MOST_TOLD
    ? [...lines, `and ${atLeast(sorted.length)}${formatCount(sorted.length - MOST_TOLD)} more`]
    : lines;
}

function sortedFaults(faults: readonly Fault[]): Fault[] {
  return [...faults].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

export const STANDARD_INPUT = 'standard input';

const IN_LINES: ReadonlySet<string> = new Set(['csv', 'ndjson']);

export function problemOf(file: Source, fault: Fault): RowProblem {
  const name = file.name === STANDARD_INPUT ? undefined : file.name;
  const isLine = name !== undefined && IN_LINES.has(file.form?.is ?? 'csv') && !/\.gz$/i.test(name);
  const { line: _, ...rest } = fault;
  return isLine
    ? { file: name, line: fault.line, message: formatFault(rest, file) }
    : { file: name, message: formatFault(fault, file) };
}

function atLeast(faults: number): string {
  return faults >= MOST_FAULTS ? 'at least ' : '';
}

export function formatFault({ line, column, message }: Fault, file: Pick<Source, 'form'>): string {
  const places = [
    line !== undefined && placeOf(file, line),
    column !== undefined && `column ${quote(column)}`,
  ].filter(Boolean);
  return places.length > 0 ? `${places.join(', ')}: ${message}` : message;
}

export function placeOf({ form }: Pick<Source, 'form'>, line: number): string {
  return `${form?.is === 'json' ? 'item' : 'line'} ${line}`;
}

const LONGEST_SHOWN = 60;

export function showValue(value: unknown): string {
  if (typeof value === 'string') return inQuotes(value);
  const text = JSON.stringify(typeof value === 'bigint' ? `${value}` : value) ?? 'nothing';
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
