/** What `--append` knows of one code's rows in the file: how far they go, and the ids that a late or repeated row may have. */

export interface CodeWindow {
  /** Time of the newest row of this code in the file, ms since the epoch; undefined while it has none. */
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
  room: number;
}

const ROOM = 10_000;

/** The window of a code without rows. */
export function emptyWindow(): CodeWindow {
  return {
    watermarkMs: undefined,
    rows: 0,
    idsFromMs: Number.NEGATIVE_INFINITY,
    ids: new Map(),
    rereadFromMs: undefined,
    room: ROOM,
  };
}

/** Notes a row that is in the file now. */
export function addRow(window: CodeWindow, id: string, timeMs: number): void {
  window.rows++;
  window.ids.set(id, timeMs);
  if (window.watermarkMs === undefined || timeMs > window.watermarkMs) window.watermarkMs = timeMs;
}

/**
 * Keeps memory small: when there have become many, forgets ids older than `overlapMs` before the watermark, but none from
 * `keepFromMs` on. To be called after every batch of rows.
 */
export function trim(window: CodeWindow, overlapMs: number, keepFromMs = Number.POSITIVE_INFINITY): void {
  if (window.watermarkMs === undefined || window.ids.size <= window.room) return;
  const fromMs = Math.max(Math.min(window.watermarkMs - overlapMs, keepFromMs), window.idsFromMs);
  for (const [id, timeMs] of window.ids) if (timeMs < fromMs) window.ids.delete(id);
  window.idsFromMs = fromMs;
  window.room = Math.max(ROOM, 2 * window.ids.size);
}

/** From when on the next run must read: the overlap before the watermark, or an unproven stretch, but nothing before `sinceMs`. */
export function readFrom(window: CodeWindow, overlapMs: number, sinceMs: number | undefined): number | undefined {
  if (window.watermarkMs === undefined) return sinceMs;
  const unbounded = Math.min(window.watermarkMs - overlapMs, window.rereadFromMs ?? Number.POSITIVE_INFINITY);
  const fromMs = Math.max(unbounded, sinceMs ?? Number.NEGATIVE_INFINITY);
  return fromMs === Number.NEGATIVE_INFINITY ? undefined : fromMs;
}
