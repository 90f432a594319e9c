/** Sink that adds the scans of one code to tallies once they are verified as complete. */
import type { CodeSink } from '../../files/formats/row-sink.ts';
import type { CodeOfScans } from './code-of-scans.ts';
import type { Tallies } from './counted.ts';

export interface TallySink {
  sinceMs: number | undefined;
  fresh(): Tallies;
  /** Takes the tallies when the code is verified as complete. */
  into(tallies: Tallies): void;
  code: CodeOfScans;
}

export function createTallySink({ sinceMs, fresh, into, code }: TallySink): CodeSink {
  let tallies: Tallies | undefined;
  let added = 0;
  return {
    sinceMs,
    added: () => added,
    async write({ rows, times }) {
      tallies ??= fresh();
      for (const [i, row] of rows.entries()) tallies.add(times[i] as number, row, code);
      added += rows.length;
      return rows.length;
    },
    async checkpoint() {
      const before = added;
      return async () => {
        // A tally goes back to nothing only.
        if (added === before) return true;
        if (before > 0) return false;
        tallies = undefined;
        added = 0;
        return true;
      };
    },
    async commit() {
      if (tallies) into(tallies);
      tallies = undefined;
    },
    async discard() {
      if (tallies) added = 0;
      tallies = undefined;
    },
  };
}
