import { messageOf, UnprovenError } from '../../base/errors.ts';
import type { Scan } from '../../service/shapes.ts';
import { exportScans } from './export-scans.ts';
import { type CodeReader, type ReadScans, widened } from './range.ts';

export interface FollowedCode {
  /** Returns new scans, oldest first. After an error of the service, the next call returns them. */
  next(): Promise<{ ms: number; row: Scan }[]>;
  /** Returns whether a reading from the start on was complete. */
  hasBegun(): boolean;
}

interface FollowJob extends CodeReader {
  sinceMs: number;
  seen?: ReadonlyMap<number | bigint, number>;
  nowMs(): number;
  note(line: string): void;
}

/** Readings overlap by this time, because scans may be listed late. */
export const OVERLAP_MS = 3_600_000;
/**
 * Known scans that a short reading repeats, so that new ones fit on the page. The whole overlap is read again
 * often enough, at two requests on average.
 */
const MOST_KNOWN = 250;
/** Latest time of a Date. */
const FOREVER_MS = 8_640_000_000_000_000;

export function followCode(job: FollowJob): FollowedCode {
  let seen = new Map<number | bigint, number>(job.seen);
  let fromMs = job.sinceMs;
  let shortReadings = 0;
  let hasBegun = false;
  let hasDoubted = false;

  return {
    hasBegun: () => hasBegun,
    async next() {
      const found = new Map<number | bigint, { ms: number; row: Scan }>();
      const range = { sinceMs: fromMs, untilMs: FOREVER_MS };
      const asked = widened({ sinceMs: fromMs });
      async function read(request: Parameters<ReadScans>[0]) {
        const page = await job.read(request);
        for (const [at, row] of page.rows.entries()) {
          const ms = page.times[at] ?? 0;
          if (ms >= fromMs && !seen.has(row.id)) found.set(row.id, { ms, row });
        }
        return page;
      }
      const reading = exportScans(
        { ...job, read, range, asked, isKnown: true },
        // Repeated scans are recognized by ID.
        { write: async ({ rows }) => rows.length, checkpoint: async () => async () => true },
      );
      // Returned scans exist even if the pages don't add up; the next overlap finds missing ones.
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
      if (!hasBegun) return given;
      // A scan dated in the future does not show how far the others are.
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
