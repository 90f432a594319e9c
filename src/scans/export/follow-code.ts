/**
 * Returns the new scans of one code, each once: requests overlap with earlier ones, and returned scans are remembered for that period
 * (dedup).
 */
import { messageOf, UnprovenError } from '../../base/errors.ts';
import type { Row } from '../../files/formats/row-sink.ts';
import { exportScans } from './export-scans.ts';
import { type FetchInOrder, type ReadScans, widened } from './range.ts';

export interface FollowedCode {
  /**
   * Returns scans that were not returned before, oldest first. Throws the service's errors; then these scans
   * are returned next time.
   */
  next(): Promise<{ ms: number; row: Row }[]>;
  /** Returns whether all scans from the start on were returned: later readings begin an hour before the newest. */
  hasBegun(): boolean;
}

export interface FollowJob {
  name: string;
  read: ReadScans;
  checkExists(): Promise<unknown>;
  fetchInOrder: FetchInOrder;
  width: number;
  sinceMs: number;
  /** Times of scans that an earlier run returned, by ID; they are not returned again. */
  seen?: ReadonlyMap<number | bigint, number>;
  nowMs(): number;
  note(line: string): void;
}

/** Each reading begins this long before the newest scan, because scans may be listed late. */
export const OVERLAP_MS = 3_600_000;
/**
 * Number of known scans per code and hour that are read again each time, so that a page has room for new ones. All of the overlap is read
 * whenever as many requests have passed as it has such parts. So no late scan is missed, and the average is two requests at most.
 */
const MOST_KNOWN = 250;
/** End of an open range. */
const FOREVER_MS = 8_640_000_000_000_000;

export function followCode(job: FollowJob): FollowedCode {
  /** Times of scans that the service may return again, by ID. */
  let seen = new Map<number | bigint, number>(job.seen);
  let fromMs = job.sinceMs;
  let shortReadings = 0;
  let hasBegun = false;
  let hasDoubted = false;

  return {
    hasBegun: () => hasBegun,
    async next() {
      const found = new Map<number | bigint, { ms: number; row: Row }>();
      const range = { sinceMs: fromMs, untilMs: FOREVER_MS };
      const asked = widened({ sinceMs: fromMs });
      /** Also collects from pages that failed verification. */
      async function read(request: Parameters<ReadScans>[0]) {
        const page = await job.read(request);
        for (const [at, row] of page.rows.entries()) {
          const ms = page.times[at] ?? 0;
          if (ms >= fromMs && !seen.has(row.id)) found.set(row.id, { ms, row });
        }
        return page;
      }
      const reading = exportScans(
        { ...job, read, code: job.name, range, asked, isKnown: true },
        // Repeated scans are recognized by ID.
        { write: async ({ rows }) => rows.length, checkpoint: async () => async () => true },
      );
      // Returned scans exist, whether or not the page adds up; missing ones are found by the next overlap.
      const doubt = await reading.then(
        () => undefined,
        (error) => (error instanceof UnprovenError ? error : Promise.reject(error)),
      );
      if (doubt && !hasDoubted) job.note(`${messageOf(doubt)}. Printing the scans that the service returned`);
      hasDoubted = doubt !== undefined;
      hasBegun ||= !hasDoubted;
      for (const [id, { ms }] of found) seen.set(id, ms);
      const given = [...found]
        .sort(([a, { ms: aMs }], [b, { ms: bMs }]) => aMs - bMs || (a < b ? -1 : 1))
        .map(([, scan]) => scan);
      // It is unknown which scans of the start are missing: all of it is read again.
      if (!hasBegun) return given;
      // A scan dated in the future does not show how far the others are: reading from there would find nothing.
      const nowMs = job.nowMs();
      const times = [...seen.values()].filter((ms) => ms <= nowMs).sort((a, b) => b - a);
      const overlapMs = Math.max(job.sinceMs, (times[0] ?? job.sinceMs) - OVERLAP_MS);
      seen = new Map([...seen].filter(([, ms]) => ms >= overlapMs));
      const isShort = shortReadings < seen.size / MOST_KNOWN;
      shortReadings = isShort ? shortReadings + 1 : 0;
      fromMs = isShort ? Math.max(overlapMs, times[MOST_KNOWN] ?? 0) : overlapMs;
      return given;
    },
  };
}
