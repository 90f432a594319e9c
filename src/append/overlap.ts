/**
 * What `--append` knows of one code's rows in the file: how far they go, and the ids that a late or repeated row may have.
 *
 * Rows may arrive late, so each run reads the overlap before its watermark again and drops what the file has. For that the ids
 * of that stretch are enough; whoever needs older ones takes them from the file (see add-rows.ts).
 */

/** The rows of one code. */
export interface CodeOverlap {
  /** The watermark: time of the newest row of this code in the file, ms since the epoch; undefined while it has none. */
  watermarkMs: number | undefined;
  /** Rows of this code in the file. */
  rows: number;
  /** `ids` holds every row of this code in the file that is not older than this; -Infinity: all of them. */
  idsFromMs: number;
  /** Ids as digits, with their times in ms since the epoch. */
  ids: Map<string, number>;
  /** Rows from this time on (-Infinity: all) were written without a proof that there are no more: the next run reads from here. */
  rereadFromMs: number | undefined;
  /** How many ids may pile up before it is worth looking for old ones. */
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
    idLimit: LOWEST_ID_LIMIT,
  };
}

/** The overlap of `code` in a file's overlaps; a code that has none yet gets an empty one. */
export function overlapOf(overlaps: Map<string, CodeOverlap>, code: string): CodeOverlap {
  const overlap = overlaps.get(code) ?? emptyOverlap();
  overlaps.set(code, overlap);
  return overlap;
}

/** Notes a row that is in the file now. */
export function addRow(overlap: CodeOverlap, id: string, timeMs: number): void {
  overlap.rows++;
  overlap.ids.set(id, timeMs);
  if (overlap.watermarkMs === undefined || timeMs > overlap.watermarkMs) overlap.watermarkMs = timeMs;
}

/**
 * Keeps memory small: when there have become many, forgets ids older than `overlapMs` before the watermark, but none from
 * `keepFromMs` on. To be called after every batch of rows.
 */
export function forgetOldIds(overlap: CodeOverlap, overlapMs: number, keepFromMs = Number.POSITIVE_INFINITY): void {
  if (overlap.watermarkMs === undefined || overlap.ids.size <= overlap.idLimit) return;
  const fromMs = Math.max(Math.min(overlap.watermarkMs - overlapMs, keepFromMs), overlap.idsFromMs);
  for (const [id, timeMs] of overlap.ids) if (timeMs < fromMs) overlap.ids.delete(id);
  overlap.idsFromMs = fromMs;
  overlap.idLimit = Math.max(LOWEST_ID_LIMIT, 2 * overlap.ids.size);
}

/** From when on the next run must read: the overlap before the watermark, or an unproven stretch, but nothing before `sinceMs`. */
export function readFrom(overlap: CodeOverlap, overlapMs: number, sinceMs: number | undefined): number | undefined {
  if (overlap.watermarkMs === undefined) return sinceMs;
  // A10: rows may have come late. A9: an unproven stretch is read again, however old it has become.
  const unbounded = Math.min(overlap.watermarkMs - overlapMs, overlap.rereadFromMs ?? Number.POSITIVE_INFINITY);
  const fromMs = Math.max(unbounded, sinceMs ?? Number.NEGATIVE_INFINITY);
  return fromMs === Number.NEGATIVE_INFINITY ? undefined : fromMs;
}
