/** The new scans of one code, each once: what is read overlaps what was, and what was shown is remembered for as long. */
import { exportScans } from '../../../complete/export-scans.ts';
import { type FetchInOrder, type ReadScans, widened } from '../../../complete/range.ts';
import type { Row } from '../../../row-sink.ts';

export interface FollowedCode {
  /** Scans that were not given before, oldest first, with their times; all that the service has, proven as an export is. */
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
  note(line: string): void;
}

/** Scans are looked for so far before the newest: they may be listed late. */
const OVERLAP_MS = 3_600_000;
/** So many known scans are read again at the most, that a page has room for what is new. */
const MOST_KNOWN = 250;
/** The end of time: a range that is open. */
const FOREVER_MS = 8_640_000_000_000_000;

export function followCode(job: FollowJob): FollowedCode {
  /** When each scan was that could be shown again, by its id. */
  let seen = new Map<unknown, number>();
  let fromMs = job.sinceMs;

  return {
    async next() {
      const found = new Map<unknown, { ms: number; row: Row }>();
      const range = { sinceMs: fromMs, untilMs: FOREVER_MS };
      const asked = widened({ sinceMs: fromMs });
      await exportScans(
        { ...job, code: job.name, range, asked, isKnown: true },
        {
          async write({ rows, times }) {
            rows.forEach((row, i) => {
              if (!seen.has(row.id)) found.set(row.id, { ms: times[i] as number, row });
            });
            return rows.length;
          },
          // What comes again is known by its id.
          checkpoint: async () => async () => true,
        },
      );
      for (const [id, { ms }] of found) seen.set(id, ms);
      const times = [...seen.values()].sort((a, b) => b - a);
      const newestMs = times[0] ?? job.sinceMs;
      fromMs = Math.max(job.sinceMs, newestMs - OVERLAP_MS, times[MOST_KNOWN] ?? 0);
      seen = new Map([...seen].filter(([, ms]) => ms >= fromMs));
      return [...found.values()].sort((a, b) => a.ms - b.ms);
    },
  };
}
