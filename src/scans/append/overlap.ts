/**
 * Overlap of one code in an appended file: the time up to which rows are in the file, and the IDs that a late or repeated row may have.
 *
 * Rows may arrive late, so each run reads the overlap before its watermark again and drops rows that the file contains (dedup). The IDs of that
 * period are enough for this; older ones are read back from the file if needed (see add-rows.ts).
 */
import { DAY_MS } from '../../base/time/units.ts';

/** One instant by two clocks, ms since the epoch. */
export interface ClockReading {
  /** By the clock of the service; undefined if it has shown no time. */
  serviceMs: number | undefined;
  /** By the clock of this machine, which may be wrong by days. */
  machineMs: number;
}

/** The rows of one code. */
export interface CodeOverlap {
  /** The watermark: time of the newest row of this code in the file, ms since the epoch; undefined while it has none. */
  watermarkMs: number | undefined;
  /** Rows of this code in the file. */
  rows: number;
  /** `ids` holds every row of this code in the file that is not older than this; -Infinity: all of them. */
  idsFromMs: number;
  /** IDs as digits, with their times in ms since the epoch. */
  ids: Map<string, number>;
  /** Rows from this time on (-Infinity: all) were written without verification that there are no more: the next run reads from here. */
  rereadFromMs: number | undefined;
  /** Rows up to this time may be in rotated files, ms since the epoch; undefined: all rows are in the file. */
  movedUntilMs: number | undefined;
  /** As `idsFromMs`, for the rows in rotated files; undefined if there are none. */
  movedIdsFromMs: number | undefined;
  /** When its newest rows were written, by two clocks; undefined while it has none, and in a state of qrctl 1.0. */
  writtenAt: ClockReading | undefined;
  /**
   * End of the last range of which every scan was read and verified, ms since the epoch: the rows up to here are those of the service (A42); undefined
   * until a run was complete.
   */
  readUntilMs: number | undefined;
  /** The service had no such code any more, and the user was told (A43). */
  isGone: boolean;
  /** Number of IDs above which `forgetOldIds` removes old ones. */
  idLimit: number;
}

const LOWEST_ID_LIMIT = 10_000;

/** The overlap of a code without rows. */
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

/** Returns the overlap of `code`, and adds an empty one if there is none. */
export function overlapOf(overlaps: Map<string, CodeOverlap>, code: string): CodeOverlap {
  const overlap = overlaps.get(code) ?? emptyOverlap();
  overlaps.set(code, overlap);
  return overlap;
}

/** Returns the number of rows in a file, and the time of the newest one, ms since the epoch; undefined if there is none. */
export function contentsOf(overlaps: ReadonlyMap<string, CodeOverlap>): {
  rows: number;
  watermarkMs: number | undefined;
} {
  let rows = 0;
  let newestMs: number | undefined;
  for (const overlap of overlaps.values()) {
    rows += overlap.rows;
    newestMs = Math.max(
      newestMs ?? Number.NEGATIVE_INFINITY,
      overlap.watermarkMs ?? Number.NEGATIVE_INFINITY,
    );
  }
  return { rows, watermarkMs: newestMs === Number.NEGATIVE_INFINITY ? undefined : newestMs };
}

/** Returns whether rows of a file were moved away, by log rotation. */
export function isRotated(overlaps: ReadonlyMap<string, CodeOverlap>): boolean {
  return [...overlaps.values()].some(({ movedUntilMs }) => movedUntilMs !== undefined);
}

/**
 * Returns where the next run would begin, from the overlaps of a state: maps the ID of a code to its lower bound (ms since the epoch). A code whose
 * scans would be read from the first one is missing.
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

/**
 * Records that every scan of a range that ends at `untilMs` (undefined: unknown) was read and verified. A42: its rows are written before, so no state
 * records a longer range than its file has. Returns whether a state must be written although no row is new.
 */
export function noteRead(overlap: CodeOverlap, untilMs: number | undefined): boolean {
  const { isGone, rereadFromMs, readUntilMs } = overlap;
  Object.assign(overlap, { isGone: false, rereadFromMs: undefined, readUntilMs: untilMs ?? readUntilMs });
  return isGone || rereadFromMs !== undefined || (readUntilMs === undefined && untilMs !== undefined);
}

/** A43: records that the code was deleted: its rows stay, and no later run reports it. Returns whether it was recorded; undefined for no code of the file. */
export function markGone(overlap: CodeOverlap | undefined): boolean | undefined {
  const wasGone = overlap?.isGone;
  if (overlap) overlap.isGone = true;
  return wasGone;
}

/** Returns the codes of a run or a state without deleted ones: a run may still pass them, or omit them. */
export function withoutGone<T extends { codes: readonly string[] }>(
  run: T,
  overlaps: ReadonlyMap<string, CodeOverlap>,
): T {
  return { ...run, codes: run.codes.filter((code) => !overlaps.get(code)?.isGone) };
}

/** Records a row that was added to the file. */
export function addRow(overlap: CodeOverlap, id: string, timeMs: number): void {
  overlap.rows++;
  overlap.ids.set(id, timeMs);
  if (overlap.watermarkMs === undefined || timeMs > overlap.watermarkMs) overlap.watermarkMs = timeMs;
}

/**
 * Bounds memory: above the limit of IDs, forgets those older than `overlapMs` before the watermark, but none from `keepFromMs` on. Call it after every
 * batch of rows.
 */
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

/** Returns the overlap as a state keeps it: with the IDs that a run with the same overlap, and after the same rotations, will need. */
export function neededOverlap(overlap: CodeOverlap, overlapMs: number): CodeOverlap {
  const {
    rereadFromMs = Number.POSITIVE_INFINITY,
    movedUntilMs = Number.NEGATIVE_INFINITY,
    movedIdsFromMs,
  } = overlap;
  const fromMs = positionOf(overlap) - overlapMs;
  const idsFromMs = Math.max(overlap.idsFromMs, fromMs);
  // A29: for a period that is not verified, the next run reads the remaining IDs from the file; those of rotated rows stay.
  const movedFromMs =
    movedIdsFromMs === undefined ? undefined : Math.max(movedIdsFromMs, Math.min(fromMs, rereadFromMs));
  const isNeeded = (timeMs: number) =>
    timeMs >= idsFromMs || (timeMs <= movedUntilMs && timeMs >= (movedFromMs ?? idsFromMs));
  const ids = new Map([...overlap.ids].filter(([, timeMs]) => isNeeded(timeMs)));
  return { ...overlap, idsFromMs, movedIdsFromMs: movedFromMs, ids };
}

/**
 * Returns up to when the rows of a code are in the file: its watermark or, if scans are dated later, the service's time when they were written (A22).
 * Scans that arrived after that time are not in the file, however far ahead a scan is dated. -Infinity if there is none.
 */
export function positionOf({ watermarkMs, writtenAt }: CodeOverlap): number {
  return Math.min(watermarkMs ?? Number.NEGATIVE_INFINITY, writtenAt?.serviceMs ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns the same for a range that ends at `untilMs`, at the instant `now`. A22: if the service's clock was set back since, scans that it dated
 * afterwards are before the watermark; the machine's clock shows by how much. A25: what only that clock shows leads to no scan that can't be checked.
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

/** How the service's clock was set back since the newest rows were written. */
export interface SetBack {
  byMs: number;
  /** The time that the service showed when the rows were written, by its clock of now. */
  toMs: number;
  /** The service's clock itself shows it. Otherwise the machine's clock may have been set instead. */
  isCertain: boolean;
}

/** Returns how the service's clock was set back, as far as the machine's clock shows; undefined if it was not. */
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
  // A22: a clock that is wrong by more is a machine's, for example one that lost its battery.
  return byMs > noiseMs && (isCertain || byMs <= MOST_DOUBTFUL_MS) ? { byMs, toMs, isCertain } : undefined;
}

/** Maximum time by which the service's clock may have been set back if only the machine's clock shows it. */
const MOST_DOUBTFUL_MS = 2 * DAY_MS;

/** Maximum drift of two clocks without one being set, given that a service shows whole seconds; the overlap compensates for it. */
export const CLOCK_NOISE_MS = 60_000;

/**
 * Returns the time from which the next run must read: the overlap before `position`, or a period that is not verified, but nothing before `sinceMs`.
 */
export function readFrom(
  overlap: CodeOverlap,
  overlapMs: number,
  sinceMs: number | undefined,
  position = positionOf(overlap),
): number | undefined {
  // A10: rows may have arrived late. A9: a period that is not verified is read again, however old it is.
  const unbounded = Math.min(position - overlapMs, overlap.rereadFromMs ?? Number.POSITIVE_INFINITY);
  const fromMs = Math.max(unbounded, sinceMs ?? Number.NEGATIVE_INFINITY);
  return fromMs === Number.NEGATIVE_INFINITY ? undefined : fromMs;
}
