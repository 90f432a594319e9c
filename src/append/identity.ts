/** What an appended file or dataset is an export of, and how its rows become bytes: a run that differs in any of it must not add to it. */
import { quote, shown } from '../quote.ts';
import { isObject } from '../service/json.ts';

/** How rows become bytes, beside the columns. */
interface Dialect {
  /** CSV only: the file begins with a line of column names. */
  header: boolean;
  /** CSV only: BOM and CRLF. */
  excel: boolean;
  /** CSV only: formulas are not defused. */
  rawCells: boolean;
  /** CSV only: what stands between cells; absent for a comma. */
  delimiter?: string | undefined;
  /** NDJSON only: fields beyond the columns are kept too (no `--fields`). */
  keepExtra: boolean;
  /** The zone of the column `ts_local`, where there is one. */
  timezone?: string | undefined;
}

/** One file takes the first two; Parquet cannot be added to, only in parts. */
type AppendFormat = 'csv' | 'ndjson' | 'parquet';

/** What a file is an export of. A run that differs in any of this must not add to it. */
export interface AppendIdentity {
  baseUrl: string;
  /** Ids of the codes, in any order. */
  codes: readonly string[];
  /** `--all`: the codes may come and go between runs. A text is that of the filters they pass, as `--name menu`. */
  all: boolean | string;
  /** Must have `id` and `ts`; with `qr_id` the file may hold several codes. */
  columns: readonly string[];
  format: AppendFormat;
  dialect: Dialect;
}

export function isIdentity(value: Record<string, unknown>, formats: readonly AppendFormat[]): boolean {
  const { baseUrl, codes, all, columns, format, dialect } = value;
  const { header, excel, rawCells, keepExtra, timezone, delimiter } = isObject(dialect) ? dialect : {};
  return (
    typeof baseUrl === 'string' &&
    formats.some((known) => known === format) &&
    [codes, columns].every((list) => Array.isArray(list) && list.every((item) => typeof item === 'string')) &&
    (typeof all === 'string' || typeof all === 'boolean') &&
    [header, excel, rawCells, keepExtra].every((item) => typeof item === 'boolean') &&
    [timezone, delimiter].every((item) => item === undefined || typeof item === 'string')
  );
}

/** For each format the flags that change its bytes, the part of the dialect behind each, and the value that giving it makes. */
const DIALECT_FLAGS = {
  csv: [
    ['header', '--no-header', false],
    ['excel', '--excel', true],
    ['rawCells', '--raw-cells', true],
  ],
  ndjson: [['keepExtra', '--fields', false]],
  parquet: [],
} as const;

/** How a run differs from what the file was written as, in words that go on from "it ", or undefined where it does not. */
export function differenceOf(was: AppendIdentity, is: AppendIdentity): string | undefined {
  if (was.format !== is.format) return `was written as ${was.format}, not ${is.format}`;
  if (was.baseUrl !== is.baseUrl) return `was exported from ${quote(was.baseUrl)}, not ${quote(is.baseUrl)}`;
  if (!hasSameCodes(was, is)) return `holds the scans of ${codesOf(was)}, not of ${codesOf(is)}`;
  if (was.columns.join() !== is.columns.join()) return `has the columns ${namesOf(was.columns)}, not ${namesOf(is.columns)}`;
  for (const [key, flag, sense] of DIALECT_FLAGS[is.format]) {
    if (was.dialect[key] !== is.dialect[key]) return `was written ${was.dialect[key] === sense ? 'with' : 'without'} ${flag}`;
  }
  // A6: times of two zones in one column mean nothing.
  if (was.dialect.timezone !== is.dialect.timezone) {
    const [zone, other] = [was, is].map(({ dialect: { timezone } }) => quote(`${timezone}`));
    return `has its ts_local in ${zone}, not in ${other}: add --timezone ${zone}`;
  }
  if (delimiterOf(was) !== delimiterOf(is)) return `was written with --delimiter ${delimiterOf(was)}, not ${delimiterOf(is)}`;
  return undefined;
}

/** As `--delimiter` takes it. */
function delimiterOf({ dialect: { delimiter = ',' } }: AppendIdentity): string {
  return delimiter === '\t' ? 'tab' : shown(delimiter);
}

/** A30: not by what is said of them, which is cut where there are many. */
function hasSameCodes(was: AppendIdentity, is: AppendIdentity): boolean {
  if (was.all || is.all) return was.all === is.all;
  return was.codes.length === is.codes.length && [...was.codes].sort().join() === [...is.codes].sort().join();
}

function codesOf({ all, codes }: AppendIdentity): string {
  if (all) return typeof all === 'string' ? `all codes with ${shown(all)}` : 'all codes';
  return codes.length === 1 ? `code ${namesOf(codes)}` : `codes ${namesOf([...codes].sort(), ', ')}`;
}

/** What is listed of many names. */
const MOST_NAMES = 20;

function namesOf(names: readonly string[], separator = ','): string {
  const more = names.length > MOST_NAMES ? `${separator}…` : '';
  return names.slice(0, MOST_NAMES).map(quote).join(separator) + more;
}
