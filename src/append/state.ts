/**
 * The state beside an appended file, `FILE.state.json`: what the file is an export of, how many of its bytes are committed and
 * their hash, and for each code the watermark and the ids inside the overlap. It ends with a checksum of itself: a state that
 * was cut or changed anywhere counts as unreadable, never as something else.
 */
import { createHash } from 'node:crypto';
import { type FileStamp, formatStamp, isSavedStamp, parseStamp, type SavedStamp } from './file-stamp.ts';
import { type ClockReading, type CodeOverlap, emptyOverlap, neededOverlap } from './overlap.ts';

const VERSION = 2;
/** Its `sha256` is of all bytes at once, and it has no `blocks`. */
const FIRST_VERSION = 1;

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
export type AppendFormat = 'csv' | 'ndjson' | 'parquet';

/** What a file is an export of. A run that differs in any of this must not add to it. */
export interface AppendIdentity {
  baseUrl: string;
  /** Ids of the codes, in any order. */
  codes: readonly string[];
  /** `--all`: the codes may come and go between runs. */
  all: boolean;
  /** Must have `id` and `ts`; with `qr_id` the file may hold several codes. */
  columns: readonly string[];
  format: AppendFormat;
  dialect: Dialect;
}

export interface AppendState {
  identity: AppendIdentity;
  /** Lower bound of the first run, ms since the epoch: no later run adds anything older. */
  sinceMs: number | undefined;
  /** Committed size of the file, and the digests of that many bytes (file-hash.ts); no `blocks` in a state of qrctl 1.0. */
  bytes: number;
  sha256: string;
  blocks: string | undefined;
  /**
   * As the run that wrote this left the file, when it was through. Undefined while a run is under way, after one that was killed, and
   * where the file system's clock is too coarse.
   */
  stamp: FileStamp | undefined;
  /** The inode of the file, also while a run is under way; undefined before there is one, and in a state of an earlier qrctl. */
  ino: bigint | undefined;
  /** The file may still stand at its `.restart` place: a rebuild was being put in place. */
  replacing: boolean;
  /** By id of the code. */
  overlaps: Map<string, CodeOverlap>;
}

/** A state that cannot be read, in words that go on from "its state ". */
export class StateProblem extends Error {
  override name = 'StateProblem';
}

/** A whole state that this qrctl does not know, such as one of a version that came after it: that one knows better. */
export class UnknownStateError extends Error {
  override name = 'UnknownStateError';
}

/** The bytes of the state file. Of the ids those are listed that a run with the same overlap will need. */
export function formatState(state: AppendState, overlapMs: number): Buffer {
  const { identity, overlaps, stamp, ino, ...rest } = state;
  const codes = [...identity.codes].sort();
  const positions = formatPositions(overlaps, overlapMs);
  return seal({
    version: VERSION,
    ...identity,
    codes,
    ...rest,
    stamp: stamp && formatStamp(stamp),
    ino: ino === undefined ? undefined : `${ino}`,
    positions,
  });
}

/**
 * The state of a file's bytes. Throws StateProblem where they are not a whole, untouched state, UnknownStateError where it is
 * whole, but of another version or form.
 */
export function parseState(bytes: Buffer): AppendState {
  const saved = unseal(bytes, [VERSION, FIRST_VERSION], isSavedState);
  const {
    baseUrl,
    codes,
    all,
    columns,
    format,
    dialect,
    bytes: size,
    sha256: hash,
    blocks,
    replacing,
    stamp,
    ino,
    sinceMs,
    positions,
  } = saved;
  return {
    identity: { baseUrl, codes, all, columns, format, dialect },
    sinceMs,
    bytes: size,
    sha256: hash,
    blocks,
    stamp: stamp && parseStamp(stamp),
    ino: ino === undefined ? undefined : BigInt(ino),
    replacing,
    overlaps: parsePositions(positions),
  };
}

/** As JSON gives it back. */
interface SavedState extends AppendIdentity, Omit<AppendState, 'identity' | 'overlaps' | 'stamp' | 'ino'> {
  stamp: SavedStamp | undefined;
  ino: string | undefined;
  positions: SavedPositions;
}

/** What is known of the rows of each code, by its id. */
export type SavedPositions = Record<string, SavedOverlap>;

interface SavedOverlap extends Pick<CodeOverlap, 'watermarkMs' | 'rows' | 'movedUntilMs' | 'writtenAt'> {
  /** Null for -Infinity, which JSON has not. */
  idsFromMs: number | null;
  rereadFromMs: number | null | undefined;
  movedIdsFromMs: number | null | undefined;
  ids: [string, number][];
}

/** A state as bytes: its JSON, with a checksum of itself at the end. `version` must be its first key. */
export function seal(state: { version: number } & Record<string, unknown>): Buffer {
  const body = JSON.stringify(state);
  return Buffer.from(`${body.slice(0, -1)},"checksum":"${sha256(body)}"}\n`);
}

/** What `seal` made bytes of, where `isForm` finds that it is one. Throws StateProblem and UnknownStateError. */
export function unseal<T>(
  bytes: Buffer,
  versions: readonly number[],
  isForm: (value: Record<string, unknown>) => value is Record<string, unknown> & T,
): T {
  const text = bytes.toString();
  const version = Number(/^\{"version":(\d+),/.exec(text)?.[1] ?? versions[0]);
  if (!versions.includes(version))
    throw new UnknownStateError(`its state is of version ${version}, which this qrctl does not know`);
  const found = /^(.*),"checksum":"([0-9a-f]{64})"\}\n$/s.exec(text);
  // A2: a state that was cut or changed anywhere counts as damaged, never as something else.
  if (!found || sha256(`${found[1]}}`) !== found[2]) throw new StateProblem('cannot be read: it was cut or changed');
  const saved = parseJson(text);
  if (!isObject(saved) || !isForm(saved)) throw new UnknownStateError('its state has a form that this qrctl does not know');
  return saved;
}

/** Of the ids those are listed that a run with the same overlap will need. */
export function formatPositions(overlaps: ReadonlyMap<string, CodeOverlap>, overlapMs: number): SavedPositions {
  return Object.fromEntries([...overlaps].map(([code, overlap]) => [code, formatOverlap(overlap, overlapMs)]));
}

function formatOverlap(overlap: CodeOverlap, overlapMs: number): SavedOverlap {
  const needed = neededOverlap(overlap, overlapMs);
  const { watermarkMs, rows, rereadFromMs, ids, idsFromMs, movedUntilMs, movedIdsFromMs, writtenAt } = needed;
  return {
    watermarkMs,
    rows,
    rereadFromMs: orNull(rereadFromMs),
    idsFromMs: orNull(idsFromMs),
    movedUntilMs,
    movedIdsFromMs: orNull(movedIdsFromMs),
    writtenAt,
    ids: [...ids],
  };
}

export function parsePositions(positions: SavedPositions): Map<string, CodeOverlap> {
  return new Map(Object.entries(positions).map(([code, position]) => [code, parseOverlap(position)]));
}

export function isPositions(value: unknown): value is SavedPositions {
  return isObject(value) && Object.values(value).every(isSavedOverlap);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A6: also a state whose checksum is right may have been made by anybody: every value is looked at before it is believed. */
function isSavedState(value: Record<string, unknown>): value is Record<string, unknown> & SavedState {
  const { version, bytes, sha256, blocks, replacing, stamp, ino, sinceMs, positions } = value;
  return (
    isIdentity(value, ['csv', 'ndjson']) &&
    isDigest(sha256) &&
    (version === FIRST_VERSION ? blocks === undefined : blocks === '' || isDigest(blocks)) &&
    (stamp === undefined || isSavedStamp(stamp)) &&
    (ino === undefined || (typeof ino === 'string' && /^\d{1,20}$/.test(ino))) &&
    isTimeOr(undefined, sinceMs) &&
    isCount(bytes) &&
    typeof replacing === 'boolean' &&
    isPositions(positions)
  );
}

export function isIdentity(value: Record<string, unknown>, formats: readonly AppendFormat[]): boolean {
  const { baseUrl, codes, all, columns, format, dialect } = value;
  const { header, excel, rawCells, keepExtra, timezone, delimiter } = isObject(dialect) ? dialect : {};
  return (
    typeof baseUrl === 'string' &&
    formats.some((known) => known === format) &&
    [codes, columns].every((list) => Array.isArray(list) && list.every((item) => typeof item === 'string')) &&
    [all, header, excel, rawCells, keepExtra].every((item) => typeof item === 'boolean') &&
    [timezone, delimiter].every((item) => item === undefined || typeof item === 'string')
  );
}

function isSavedOverlap(value: unknown): value is SavedOverlap {
  if (!isObject(value)) return false;
  const { watermarkMs, rows, idsFromMs, rereadFromMs, movedUntilMs, movedIdsFromMs, writtenAt, ids } = value;
  return (
    isTimeOr(undefined, watermarkMs) &&
    isTimeOr(undefined, movedUntilMs) &&
    isCount(rows) &&
    isTimeOr(null, idsFromMs) &&
    [rereadFromMs, movedIdsFromMs].every((time) => time === undefined || isTimeOr(null, time)) &&
    (writtenAt === undefined || isClockReading(writtenAt)) &&
    Array.isArray(ids) &&
    ids.every((entry) => Array.isArray(entry) && typeof entry[0] === 'string' && isTime(entry[1]))
  );
}

function isClockReading(value: unknown): value is ClockReading {
  return isObject(value) && isTimeOr(undefined, value.serviceMs) && isTime(value.machineMs);
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The furthest time from 1970 that a Date can be. */
const FURTHEST_MS = 8.64e15;

function isTimeOr(other: null | undefined, value: unknown): boolean {
  return isTime(value) || value === other;
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= FURTHEST_MS;
}

function orNull<T extends number | undefined>(value: T): T | null {
  return value === Number.NEGATIVE_INFINITY ? null : value;
}

function parseOverlap({ watermarkMs, rows, movedUntilMs, writtenAt, ids, ...saved }: SavedOverlap): CodeOverlap {
  // A state from before this was kept knows the ids of what was moved away as far as the others.
  const { idsFromMs, rereadFromMs, movedIdsFromMs = movedUntilMs === undefined ? undefined : idsFromMs } = saved;
  return {
    ...emptyOverlap(),
    ...{ watermarkMs, rows, movedUntilMs, writtenAt, ids: new Map(ids) },
    idsFromMs: idsFromMs ?? Number.NEGATIVE_INFINITY,
    rereadFromMs: fromNull(rereadFromMs),
    movedIdsFromMs: fromNull(movedIdsFromMs),
  };
}

function fromNull(value: number | null | undefined): number | undefined {
  return value === null ? Number.NEGATIVE_INFINITY : value;
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
  parquet: [],
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
  // A6: times of two zones in one column mean nothing.
  if (was.dialect.timezone !== is.dialect.timezone)
    return `has its ts_local in ${was.dialect.timezone}, not in ${is.dialect.timezone}: add --timezone ${was.dialect.timezone}`;
  if (delimiterOf(was) !== delimiterOf(is)) return `was written with --delimiter ${delimiterOf(was)}, not ${delimiterOf(is)}`;
  return undefined;
}

/** As `--delimiter` takes it. */
function delimiterOf({ dialect: { delimiter = ',' } }: AppendIdentity): string {
  return delimiter === '\t' ? 'tab' : delimiter;
}

function codesOf({ all, codes }: AppendIdentity): string {
  if (all) return 'all codes';
  return codes.length === 1 ? `code ${codes[0]}` : `codes ${[...codes].sort().join(', ')}`;
}
