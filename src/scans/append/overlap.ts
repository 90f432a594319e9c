import { getOrAdd } from '#base/collections';
import { DAY_MS } from '#base/time/time';

export interface ClockReading {
  serviceMs?: number;
  machineMs: number;
}

export interface CodeOverlap {
  watermarkMs?: number;
  rows: number;
  idsFromMs: number;
  ids: Map<string, number>;
  rereadFromMs?: number;
  movedUntilMs?: number;
  movedIdsFromMs?: number;
  /** Clock readings when the export of the newest rows began, if known. */
  writtenAt?: ClockReading;
  /** A42: end of the last range that was verified as complete. */
  readUntilMs?: number;
  /** A43: whether the service no longer has the code. */
  isGone: boolean;
  idLimit: number;
}

const LOWEST_ID_LIMIT = 10_000;

export function emptyOverlap(): CodeOverlap {
  return { rows: 0, idsFromMs: -Infinity, ids: new Map(), isGone: false, idLimit: LOWEST_ID_LIMIT };
}

export function overlapOf(overlaps: Map<string, CodeOverlap>, code: string): CodeOverlap {
  return getOrAdd(overlaps, code, emptyOverlap);
}

export function contentsOf(parts: Iterable<Pick<CodeOverlap, 'rows' | 'watermarkMs'>>) {
  let rows = 0;
  let watermarkMs: number | undefined;
  for (const part of parts) {
    rows += part.rows;
    if (part.watermarkMs !== undefined)
      watermarkMs = Math.max(watermarkMs ?? part.watermarkMs, part.watermarkMs);
  }
  return { rows, watermarkMs };
}

export function isRotated(overlaps: ReadonlyMap<string, CodeOverlap>): boolean {
  return [...overlaps.values()].some(({ movedUntilMs }) => movedUntilMs !== undefined);
}

export function readingPositions(
  { overlaps, sinceMs }: { overlaps: ReadonlyMap<string, CodeOverlap>; sinceMs?: number },
  overlapMs: number,
  untilMs = Infinity,
): Map<string, number> {
  const positions = new Map<string, number>();
  for (const [code, overlap] of overlaps) {
    const fromMs = readFrom(overlap, overlapMs, sinceMs, Math.min(positionOf(overlap), untilMs));
    if (fromMs !== undefined) positions.set(code, fromMs);
  }
  return positions;
}

/** Records the end of a code's verified range. Returns whether to save the state even without new rows. */
export function noteRead(overlap: CodeOverlap, untilMs: number | undefined): boolean {
  const { isGone, rereadFromMs, readUntilMs } = overlap;
  Object.assign(overlap, { isGone: false, rereadFromMs: undefined, readUntilMs: untilMs ?? readUntilMs });
  return isGone || rereadFromMs !== undefined || (readUntilMs === undefined && untilMs !== undefined);
}

export function addRow(overlap: CodeOverlap, id: string, timeMs: number): void {
  overlap.rows++;
  overlap.ids.set(id, timeMs);
  if (overlap.watermarkMs === undefined || timeMs > overlap.watermarkMs) overlap.watermarkMs = timeMs;
}

/** Above `idLimit` IDs, drops those before the overlap and `keepFromMs`, except of rotated rows. */
export function forgetOldIds(overlap: CodeOverlap, overlapMs: number, keepFromMs = Infinity): void {
  if (overlap.ids.size <= overlap.idLimit) return;
  const fromMs = Math.max(Math.min(positionOf(overlap) - overlapMs, keepFromMs), overlap.idsFromMs);
  // A25: keeps IDs of rotated rows, which can't be read back.
  const { movedUntilMs = -Infinity } = overlap;
  for (const [id, timeMs] of overlap.ids)
    if (timeMs < fromMs && timeMs > movedUntilMs) overlap.ids.delete(id);
  overlap.idsFromMs = fromMs;
  overlap.idLimit = Math.max(LOWEST_ID_LIMIT, 2 * overlap.ids.size);
}

export function neededOverlap(overlap: CodeOverlap, overlapMs: number): CodeOverlap {
  const { rereadFromMs = Infinity, movedUntilMs = -Infinity, movedIdsFromMs } = overlap;
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

export function positionOf({ watermarkMs, writtenAt }: CodeOverlap): number {
  return Math.min(watermarkMs ?? -Infinity, writtenAt?.serviceMs ?? Infinity);
}

/**
 * A22: returns the time from which new scans are expected, also if the service's clock was set back. A25: if
 * only this machine's clock shows the set-back, the known IDs of rotated rows limit the time.
 */
export function positionBy(
  overlap: CodeOverlap,
  now: ClockReading,
  overlapMs: number,
  untilMs = Infinity,
): number {
  const { serviceMs = Infinity } = now;
  const position = Math.min(positionOf(overlap), untilMs, serviceMs);
  const back = setBackOf(overlap, now, overlapMs);
  if (!back) return position;
  const { movedIdsFromMs = -Infinity } = overlap;
  const checkedMs = back.isCertain ? -Infinity : movedIdsFromMs + overlapMs;
  return Math.min(position, Math.max(back.toMs, checkedMs));
}

export interface SetBack {
  byMs: number;
  toMs: number;
  isCertain: boolean;
}

/** Returns how far the service's clock was set back; undefined without clear evidence. */
export function setBackOf(
  { writtenAt: before }: Pick<CodeOverlap, 'writtenAt'>,
  { serviceMs = Infinity, machineMs }: ClockReading,
  overlapMs: number,
): SetBack | undefined {
  if (before?.serviceMs === undefined) return undefined;
  const noiseMs = Math.min(CLOCK_NOISE_MS, overlapMs / 2);
  const toMs = serviceMs - Math.max(machineMs - before.machineMs, 0);
  const byMs = before.serviceMs - toMs;
  const isCertain = before.serviceMs - serviceMs > noiseMs;
  return byMs > noiseMs && (isCertain || byMs <= MOST_DOUBTFUL_MS) ? { byMs, toMs, isCertain } : undefined;
}

/** Maximum set-back of the service's clock, in ms, that is accepted if only this machine's clock shows it. */
const MOST_DOUBTFUL_MS = 2 * DAY_MS;

/** Time in ms that, by default, two consecutive runs both read, because the service may list scans late. */
export const OVERLAP_MS = 3_600_000;
/** Maximum clock difference in ms explained by drift or the whole seconds of the service's Date header. */
export const CLOCK_NOISE_MS = 60_000;

/** Returns the time, in ms, to read from next; undefined to read from the first scan. */
export function readFrom(
  overlap: CodeOverlap,
  overlapMs: number,
  sinceMs: number | undefined,
  position = positionOf(overlap),
): number | undefined {
  // A9, A10: reads the overlap and any unverified period again.
  const unbounded = Math.min(position - overlapMs, overlap.rereadFromMs ?? Infinity);
  const fromMs = Math.max(unbounded, sinceMs ?? -Infinity);
  return fromMs === -Infinity ? undefined : fromMs;
}
