/** Overlap of a code in a log: the period that each run reads again, with dedup by ID. */
import { DAY_MS } from '../../base/time/time.ts';

/** Instant by two clocks, ms since the epoch. */
export interface ClockReading {
  serviceMs: number | undefined;
  machineMs: number;
}

export interface CodeOverlap {
  watermarkMs: number | undefined;
  rows: number;
  /** Time from which on `ids` has every row; -Infinity if it has all. */
  idsFromMs: number;
  ids: Map<string, number>;
  /** Time from which on rows are not verified, so that the next run reads them (-Infinity: all). */
  rereadFromMs: number | undefined;
  /** Maximum time of rows in rotated files; undefined if no file was rotated. */
  movedUntilMs: number | undefined;
  movedIdsFromMs: number | undefined;
  /** Time when the newest rows were written; undefined also in a state of qrctl 1.0. */
  writtenAt: ClockReading | undefined;
  /** A42: end of the last range that was verified as complete, ms since the epoch. */
  readUntilMs: number | undefined;
  /** A43: a run reported that the service no longer has the code. */
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

export function readingPositions(
  { overlaps, sinceMs }: { overlaps: ReadonlyMap<string, CodeOverlap>; sinceMs: number | undefined },
  overlapMs: number,
  untilMs = Number.POSITIVE_INFINITY,
): Map<string, number> {
  const positions = new Map<string, number>();
  for (const [code, overlap] of overlaps) {
    const fromMs = readFrom(overlap, overlapMs, sinceMs, Math.min(positionOf(overlap), untilMs));
    if (fromMs !== undefined) positions.set(code, fromMs);
  }
  return positions;
}

/** Records verified scans up to `untilMs`. Returns whether a state must be written even without new rows. */
export function noteRead(overlap: CodeOverlap, untilMs: number | undefined): boolean {
  const { isGone, rereadFromMs, readUntilMs } = overlap;
  Object.assign(overlap, { isGone: false, rereadFromMs: undefined, readUntilMs: untilMs ?? readUntilMs });
  return isGone || rereadFromMs !== undefined || (readUntilMs === undefined && untilMs !== undefined);
}

export function markGone(overlap: CodeOverlap | undefined): boolean | undefined {
  const wasGone = overlap?.isGone;
  if (overlap) overlap.isGone = true;
  return wasGone;
}

/** Omits deleted codes, which a run may pass or not. */
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

/** Drops IDs older than the overlap if there are many, but none from `keepFromMs` on. */
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

export function neededOverlap(overlap: CodeOverlap, overlapMs: number): CodeOverlap {
  const {
    rereadFromMs = Number.POSITIVE_INFINITY,
    movedUntilMs = Number.NEGATIVE_INFINITY,
    movedIdsFromMs,
  } = overlap;
  const fromMs = positionOf(overlap) - overlapMs;
  const idsFromMs = Math.max(overlap.idsFromMs, fromMs);
  // A29: keeps the IDs of unverified rows in rotated files.
  const movedFromMs =
    movedIdsFromMs === undefined ? undefined : Math.max(movedIdsFromMs, Math.min(fromMs, rereadFromMs));
  const isNeeded = (timeMs: number) =>
    timeMs >= idsFromMs || (timeMs <= movedUntilMs && timeMs >= (movedFromMs ?? idsFromMs));
  const ids = new Map([...overlap.ids].filter(([, timeMs]) => isNeeded(timeMs)));
  return { ...overlap, idsFromMs, movedIdsFromMs: movedFromMs, ids };
}

/**
 * Returns up to when a log has the rows of a code; of rows dated in the future, when they were written (A22).
 */
export function positionOf({ watermarkMs, writtenAt }: CodeOverlap): number {
  return Math.min(watermarkMs ?? Number.NEGATIVE_INFINITY, writtenAt?.serviceMs ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns the position for a range up to `untilMs`. A22: after a set-back of the service's clock, new scans
 * are dated before the watermark. A25: a set-back that only the machine's clock shows leads to no unchecked
 * scan.
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
  /** Time of writing by the service's current clock. */
  toMs: number;
  /** The service's clock shows the set-back. Otherwise, the machine's clock may have been set. */
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

/** Maximum set-back that only the machine's clock shows (A22); a greater one is an error. */
const MOST_DOUBTFUL_MS = 2 * DAY_MS;

/** Maximum drift of two clocks that were not set; the service shows whole seconds. */
export const CLOCK_NOISE_MS = 60_000;

/** Returns the lower bound of the next run; undefined for the first scan. Not before `sinceMs`. */
export function readFrom(
  overlap: CodeOverlap,
  overlapMs: number,
  sinceMs: number | undefined,
  position = positionOf(overlap),
): number | undefined {
  // A9, A10: late rows and unverified periods are read again, however old they are.
  const unbounded = Math.min(position - overlapMs, overlap.rereadFromMs ?? Number.POSITIVE_INFINITY);
  const fromMs = Math.max(unbounded, sinceMs ?? Number.NEGATIVE_INFINITY);
  return fromMs === Number.NEGATIVE_INFINITY ? undefined : fromMs;
}
