/**
 * The state beside an appended file, `FILE.state.json`: what the file is an export of, how many of its bytes are committed and
 * their hash, and for each code the watermark and the ids inside the overlap. It ends with a checksum of itself: a state that
 * was cut or changed anywhere counts as unreadable, never as something else.
 */
import { createHash } from 'node:crypto';
import { type CodeWindow, emptyWindow } from './overlap.ts';

const VERSION = 1;

/** How rows become bytes, beside the columns. */
interface Dialect {
  /** CSV only: the file begins with a line of column names. */
  header: boolean;
  /** CSV only: BOM and CRLF. */
  excel: boolean;
  /** CSV only: formulas are not defused. */
  rawCells: boolean;
  /** NDJSON only: fields beyond the columns are kept too (no `--fields`). */
  keepExtra: boolean;
}

/** What a file is an export of. A run that differs in any of this must not add to it. */
export interface AppendIdentity {
  baseUrl: string;
  /** Ids of the codes, in any order. */
  codes: readonly string[];
  /** `--all`: the codes may come and go between runs. */
  all: boolean;
  /** Must have `id` and `ts`; with `qr_id` the file may hold several codes. */
  columns: readonly string[];
  format: 'csv' | 'ndjson';
  dialect: Dialect;
}

export interface AppendState {
  identity: AppendIdentity;
  /** Lower bound of the first run, ms since the epoch: no later run adds anything older. */
  sinceMs: number | undefined;
  /** Committed size of the file, and the SHA-256 (hex) of that many bytes. */
  bytes: number;
  sha256: string;
  /** The file may still stand at its `.restart` place: a rebuild was being put in place. */
  replacing: boolean;
  /** By id of the code. */
  windows: Map<string, CodeWindow>;
}

/** A state that cannot be read, in words that go on from "its state ". */
export class StateProblem extends Error {
  override name = 'StateProblem';
}

/** A state of a qrctl that came after this one: it knows better. */
export class LaterStateError extends Error {
  override name = 'LaterStateError';
}

/** The bytes of the state file. Of the ids those are listed that a run with the same overlap will need. */
export function formatState(state: AppendState, overlapMs: number): Buffer {
  const { identity, windows, ...rest } = state;
  const codes = [...identity.codes].sort();
  const positions = Object.fromEntries([...windows].map(([code, window]) => [code, formatWindow(window, overlapMs)]));
  const body = JSON.stringify({ version: VERSION, ...identity, codes, ...rest, positions });
  return Buffer.from(`${body.slice(0, -1)},"checksum":"${sha256(body)}"}\n`);
}

function formatWindow({ watermarkMs, rows, rereadFromMs, ids, idsFromMs }: CodeWindow, overlapMs: number): SavedWindow {
  const fromMs = Math.max(idsFromMs, (watermarkMs ?? Number.NEGATIVE_INFINITY) - overlapMs);
  const needed = [...ids].filter(([, timeMs]) => timeMs >= fromMs);
  return { watermarkMs, rows, rereadFromMs: orNull(rereadFromMs), idsFromMs: orNull(fromMs), ids: needed };
}

/**
 * The state of a file's bytes. Throws StateProblem where they are not a whole, untouched state, LaterStateError where it is not
 * of this version.
 */
export function parseState(bytes: Buffer): AppendState {
  const text = bytes.toString();
  const version = Number(/^\{"version":(\d+),/.exec(text)?.[1] ?? VERSION);
  if (version !== VERSION) throw new LaterStateError(`its state is of version ${version}, which this qrctl does not know`);
  const found = /^(.*),"checksum":"([0-9a-f]{64})"\}\n$/s.exec(text);
  if (!found || sha256(`${found[1]}}`) !== found[2]) throw new StateProblem('cannot be read: it was cut or changed');
  const saved = JSON.parse(text) as SavedState;
  const { baseUrl, codes, all, columns, format, dialect, bytes: size, sha256: hash, replacing, sinceMs, positions } = saved;
  return {
    identity: { baseUrl, codes, all, columns, format, dialect },
    sinceMs,
    bytes: size,
    sha256: hash,
    replacing,
    windows: new Map(Object.entries(positions).map(([code, position]) => [code, parseWindow(position)])),
  };
}

/** As JSON gives it back; the checksum vouches for the shape, since only `formatState` writes one. */
interface SavedState extends AppendIdentity, Omit<AppendState, 'identity' | 'windows'> {
  positions: Record<string, SavedWindow>;
}

interface SavedWindow extends Pick<CodeWindow, 'watermarkMs' | 'rows'> {
  /** Null for -Infinity, which JSON has not. */
  idsFromMs: number | null;
  rereadFromMs: number | null | undefined;
  ids: [string, number][];
}

function orNull<T extends number | undefined>(value: T): T | null {
  return value === Number.NEGATIVE_INFINITY ? null : value;
}

function parseWindow({ watermarkMs, rows, rereadFromMs, idsFromMs, ids }: SavedWindow): CodeWindow {
  return {
    ...emptyWindow(),
    ...{ watermarkMs, rows, ids: new Map(ids) },
    idsFromMs: idsFromMs ?? Number.NEGATIVE_INFINITY,
    rereadFromMs: rereadFromMs === null ? Number.NEGATIVE_INFINITY : rereadFromMs,
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** For each format the flags that change its bytes, the part of the dialect behind each, and the value that giving it makes. */
const DIALECT_FLAGS = {
  csv: [
    ['header', '--no-header', false],
    ['excel', '--excel', true],
    ['rawCells', '--raw-cells', true],
  ],
  ndjson: [['keepExtra', '--fields', false]],
} as const;

/** How a run differs from what the file was written as, in words that go on from "it ", or undefined where it does not. */
export function differenceOf(was: AppendIdentity, is: AppendIdentity): string | undefined {
  if (was.format !== is.format) return `was written as ${was.format}, not ${is.format}`;
  if (was.baseUrl !== is.baseUrl) return `was exported from ${was.baseUrl}, not ${is.baseUrl}`;
  if (codesOf(was) !== codesOf(is)) return `holds the scans of ${codesOf(was)}, not of ${codesOf(is)}`;
  if (was.columns.join() !== is.columns.join()) return `has the columns ${was.columns.join()}, not ${is.columns.join()}`;
  for (const [key, flag, sense] of DIALECT_FLAGS[is.format]) {
    if (was.dialect[key] !== is.dialect[key]) return `was written ${was.dialect[key] === sense ? 'with' : 'without'} ${flag}`;
  }
  return undefined;
}

function codesOf({ all, codes }: AppendIdentity): string {
  if (all) return 'all codes';
  return codes.length === 1 ? `code ${codes[0]}` : `codes ${[...codes].sort().join(', ')}`;
}
