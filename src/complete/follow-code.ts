/** The new scans of one code, each once: what is read overlaps what was, and what was shown is remembered for as long. */
import { messageOf, UnprovenError } from '../errors.ts';
import type { Row } from '../rows/row-sink.ts';
import { exportScans } from './export-scans.ts';
import { type FetchInOrder, type ReadScans, widened } from './range.ts';

export interface FollowedCode {
  /** Scans that were not given before, oldest first, with their times. Throws what the service throws; then they are given next time. */
  next(): Promise<{ ms: number; row: Row }[]>;
}

export interface FollowJob {
  name: string;
  read: ReadScans;
  checkExists(): Promise<unknown>;
  fetchInOrder: FetchInOrder;
  width: number;
  /** Scans from this time on, ms since the epoch. */
  sinceMs: number;
  /** The service's clock now, ms since the epoch. */
  nowMs(): number;
  note(line: string): void;
}

/** Scans are looked for so far before the newest: they may be listed late. */
const OVERLAP_MS = 3_600_000;
/**
 * Of a code with more scans an hour only so many known ones are read again each time, that a page has room for what is new; all of the overlap
 * whenever as many requests have passed as it has such parts. So no scan is missed for being late, and a request is two on average at the most.
 */
const MOST_KNOWN = 250;
/** The end of time: a range that is open. */
const FOREVER_MS = 8_640_000_000_000_000;

export function followCode(job: FollowJob): FollowedCode {
  /** When each scan was that could be shown again, by its id. */
  let seen = new Map<number | bigint, number>();
  let fromMs = job.sinceMs;
  let shortReadings = 0;
  /** All from the start on was given. */
  let hasBegun = false;
  let hasDoubted = false;

  return {
    async next() {
      const found = new Map<number | bigint, { ms: number; row: Row }>();
      const range = { sinceMs: fromMs, untilMs: FOREVER_MS };
      const asked = widened({ sinceMs: fromMs });
      /** Also of pages that the proof has refused. */
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
        // What comes again is known by its id.
        { write: async ({ rows }) => rows.length, checkpoint: async () => async () => true },
      );
      // What is shown is there, whether or not it adds up; what is missing is found by what is read again.
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
      // Nothing says what is missing of the start: it is all read again.
      if (!hasBegun) return given;
      // A scan dated in the future says nothing of how far the others have come: from there on nothing would be found.
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
