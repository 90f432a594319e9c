/**
 * Overlap of one code in an appended file. Rows may arrive late, so each run reads the overlap before its watermark again and drops the rows that the
 * file contains (dedup by ID). Older IDs are read back from the file if needed (add-rows.ts).
 */
import { DAY_MS } from '../../base/time/time.ts';

/** One instant by two clocks, ms since the epoch. */
export interface ClockReading {
  /** Undefined if the service has shown no time. */
  serviceMs: number | undefined;
  machineMs: number;
}

export interface CodeOverlap {
  /** Watermark: time of the newest row, ms since the epoch. */
  watermarkMs: number | undefined;
  rows: number;
  /** `ids` has every row from this time on; -Infinity: all. */
  idsFromMs: number;
  ids: Map<string, number>;
  /** Rows from this time on (-Infinity: all) are not verified as complete: the next run reads from here. */
  rereadFromMs: number | undefined;
  /** Rows up to this time may be in rotated files; undefined if there are none. */
  movedUntilMs: number | undefined;
  movedIdsFromMs: number | undefined;
  /** When the newest rows were written; undefined also in a state of qrctl 1.0. */
  writtenAt: ClockReading | undefined;
  /** A42: end of the last range of which every scan was read and verified, ms since the epoch. */
  readUntilMs: number | undefined;
  /** A43: the service has no such code any more, and a run reported it. */
  isGone: boolean;
  idLimit: number;
}

const LOWEST_ID_LIMIT = 10_000;

export function emptyOverlap(): CodeOverlap {
  return {
    watermarkMs: undefined,
    rows: 0,
    idsFromMs: Number.NEGATIVE_INFINITY,
    ids: new Map(),
    rereadFromMs: undefined,
    movedUntilMs: undefined,
    movedIdsFromMs: undefined,
    writtenAt: undefined,
    readUntilMs: undefined,
    isGone: false,
    idLimit: LOWEST_ID_LIMIT,
  };
}

export function overlapOf(overlaps: Map<string, CodeOverlap>, code: string): CodeOverlap {
  const overlap = overlaps.get(code) ?? emptyOverlap();
  overlaps.set(code, overlap);
  return overlap;
}

/** Returns the number of rows in a file, and the time of the newest one, ms since the epoch. */
export function contentsOf(overlaps: ReadonlyMap<string, CodeOverlap>) {
  let rows = 0;
  let watermarkMs: number | undefined;
  for (const overlap of overlaps.values()) {
    rows += overlap.rows;
    if (overlap.watermarkMs !== undefined)
      watermarkMs = Math.max(watermarkMs ?? overlap.watermarkMs, overlap.watermarkMs);
  }
  return { rows, watermarkMs };
}

export function isRotated(overlaps: ReadonlyMap<string, CodeOverlap>): boolean {
  return [...overlaps.values()].some(({ movedUntilMs }) => movedUntilMs !== undefined);
}

/**
 * Returns where the next run would begin: maps the ID of a code to its lower bound, ms since the epoch. A code that would be read from its first scan
 * is missing.
 */
export function readingPositions(
  { overlaps, sinceMs }: { overlaps: ReadonlyMap<string, CodeOverlap>; sinceMs: number | undefined },
  overlapMs: number,
  untilMs: number,
): Map<string, number> {
  const positions = new Map<string, number>();
  for (const [code, overlap] of overlaps) {
    const fromMs = readFrom(overlap, overlapMs, sinceMs, Math.min(positionOf(overlap), untilMs));
    if (fromMs !== undefined) positions.set(code, fromMs);
  }
  return positions;
}

/** Records that every scan up to `untilMs` was read and verified. Returns whether a state must be written although no row is new. */
export function noteRead(overlap: CodeOverlap, untilMs: number | undefined): boolean {
  const { isGone, rereadFromMs, readUntilMs } = overlap;
  Object.assign(overlap, { isGone: false, rereadFromMs: undefined, readUntilMs: untilMs ?? readUntilMs });
  return isGone || rereadFromMs !== undefined || (readUntilMs === undefined && untilMs !== undefined);
}

/** Records that the code was deleted. Returns whether an earlier run did so; undefined for no code of the file. */
export function markGone(overlap: CodeOverlap | undefined): boolean | undefined {
  const wasGone = overlap?.isGone;
  if (overlap) overlap.isGone = true;
  return wasGone;
}

/** Returns the codes of a run or a state without deleted ones, which a run may pass or omit. */
export function withoutGone<T extends { codes: readonly string[] }>(
  run: T,
  overlaps: ReadonlyMap<string, CodeOverlap>,
): T {
  return { ...run, codes: run.codes.filter((code) => !overlaps.get(code)?.isGone) };
}

export function addRow(overlap: CodeOverlap, id: string, timeMs: number): void {
  overlap.rows++;
  overlap.ids.set(id, timeMs);
  if (overlap.watermarkMs === undefined || timeMs > overlap.watermarkMs) overlap.watermarkMs = timeMs;
}

/** Forgets IDs older than `overlapMs` before the watermark if there are many, but none from `keepFromMs` on. */
export function forgetOldIds(
  overlap: CodeOverlap,
  overlapMs: number,
  keepFromMs = Number.POSITIVE_INFINITY,
): void {
  if (overlap.ids.size <= overlap.idLimit) return;
  const fromMs = Math.max(Math.min(positionOf(overlap) - overlapMs, keepFromMs), overlap.idsFromMs);
  // A25: rotated rows cannot be read back.
  const { movedUntilMs = Number.NEGATIVE_INFINITY } = overlap;
  for (const [id, timeMs] of overlap.ids)
    if (timeMs < fromMs && timeMs > movedUntilMs) overlap.ids.delete(id);
  overlap.idsFromMs = fromMs;
  overlap.idLimit = Math.max(LOWEST_ID_LIMIT, 2 * overlap.ids.size);
}

/** Returns the overlap with the IDs that a run with the same overlap, and after the same rotations, will need. */
export function neededOverlap(overlap: CodeOverlap, overlapMs: number): CodeOverlap {
  const {
    rereadFromMs = Number.POSITIVE_INFINITY,
    movedUntilMs = Number.NEGATIVE_INFINITY,
    movedIdsFromMs,
  } = overlap;
  const fromMs = positionOf(overlap) - overlapMs;
  const idsFromMs = Math.max(overlap.idsFromMs, fromMs);
  // A29: the IDs of unverified rows in rotated files stay.
  const movedFromMs =
    movedIdsFromMs === undefined ? undefined : Math.max(movedIdsFromMs, Math.min(fromMs, rereadFromMs));
  const isNeeded = (timeMs: number) =>
    timeMs >= idsFromMs || (timeMs <= movedUntilMs && timeMs >= (movedFromMs ?? idsFromMs));
  const ids = new Map([...overlap.ids].filter(([, timeMs]) => isNeeded(timeMs)));
  return { ...overlap, idsFromMs, movedIdsFromMs: movedFromMs, ids };
}

/**
 * Returns up to when the rows of a code are in the file: the watermark, or the service's time when they were written if scans are dated later (A22).
 * -Infinity if there is none.
 */
export function positionOf({ watermarkMs, writtenAt }: CodeOverlap): number {
  return Math.min(watermarkMs ?? Number.NEGATIVE_INFINITY, writtenAt?.serviceMs ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns the same for a range that ends at `untilMs`. A22: if the service's clock was set back since, later scans are dated before the watermark;
 * the machine's clock shows by how much. A25: what only that clock shows leads to no scan that can't be checked.
 */
export function positionBy(
  overlap: CodeOverlap,
  now: ClockReading,
  overlapMs: number,
  untilMs = Number.POSITIVE_INFINITY,
): number {
  const { serviceMs = Number.POSITIVE_INFINITY } = now;
  const position = Math.min(positionOf(overlap), untilMs, serviceMs);
  const back = setBackOf(overlap, now, overlapMs);
  if (!back) return position;
  const { movedIdsFromMs = Number.NEGATIVE_INFINITY } = overlap;
  const checkedMs = back.isCertain ? Number.NEGATIVE_INFINITY : movedIdsFromMs + overlapMs;
  return Math.min(position, Math.max(back.toMs, checkedMs));
}

export interface SetBack {
  byMs: number;
  /** The service's time when the rows were written, by its clock of now. */
  toMs: number;
  /** The service's clock itself shows it. Otherwise the machine's clock may have been set instead. */
  isCertain: boolean;
}

export function setBackOf(
  { writtenAt: before }: Pick<CodeOverlap, 'writtenAt'>,
  { serviceMs = Number.POSITIVE_INFINITY, machineMs }: ClockReading,
  overlapMs: number,
): SetBack | undefined {
  if (before?.serviceMs === undefined) return undefined;
  const noiseMs = Math.min(CLOCK_NOISE_MS, overlapMs / 2);
  const toMs = serviceMs - Math.max(machineMs - before.machineMs, 0);
  const byMs = before.serviceMs - toMs;
  const isCertain = before.serviceMs - serviceMs > noiseMs;
  return byMs > noiseMs && (isCertain || byMs <= MOST_DOUBTFUL_MS) ? { byMs, toMs, isCertain } : undefined;
}

/** Maximum set-back that only the machine's clock shows (A22). More is an error of that clock. */
const MOST_DOUBTFUL_MS = 2 * DAY_MS;

/** Maximum drift of two clocks of which none was set; a service shows whole seconds. */
export const CLOCK_NOISE_MS = 60_000;

/** Returns the lower bound of the next run: the overlap before `position`, or an unverified period, but nothing before `sinceMs`. */
export function readFrom(
  overlap: CodeOverlap,
  overlapMs: number,
  sinceMs: number | undefined,
  position = positionOf(overlap),
): number | undefined {
  // A9, A10: rows may have arrived late, and an unverified period is read again, however old it is.
  const unbounded = Math.min(position - overlapMs, overlap.rereadFromMs ?? Number.POSITIVE_INFINITY);
  const fromMs = Math.max(unbounded, sinceMs ?? Number.NEGATIVE_INFINITY);
  return fromMs === Number.NEGATIVE_INFINITY ? undefined : fromMs;
}
