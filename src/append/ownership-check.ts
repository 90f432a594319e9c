/** Whether a file is of the code that a run means to add to it, where nothing but the service can tell. */
import { basename } from 'node:path';
import type { TimedRows } from '../rows/row-sink.ts';
import { orRestart, refusal } from './current-state.ts';
import type { OwnershipProof } from './read-back.ts';

interface OwnershipCheck {
  /** Takes rows and gives back those that may be added now: none while the row that is asked for has not been seen. */
  release(batch: TimedRows): TimedRows[];
  /** Throws UsageError unless that row was seen, or none is asked for. */
  check(): void;
}

/**
 * A13: a file whose state was lost and that does not say which code it belongs to. Before anything is added, the service must
 * show a row that the file has. Until then rows wait here; they are at most those of the overlap.
 */
export function createOwnershipCheck(proof: OwnershipProof | undefined, path: string): OwnershipCheck {
  let wanted = proof;
  const waiting: TimedRows[] = [];
  const refuse = () =>
    refusal(
      path,
      'its state file is missing or damaged, and the service does not return the newest row of the file for this code',
      `Pass the code whose scans the file contains, restore ${basename(path)}.state.json from a backup, ${orRestart(path)}`,
    );

  return {
    release(batch) {
      if (!wanted) return [batch];
      const { id, timeMs } = wanted;
      waiting.push(batch);
      if (batch.rows.some((row, i) => batch.times[i] === timeMs && String(row.id) === id)) {
        wanted = undefined;
        return waiting;
      }
      if (batch.times.some((time) => time > timeMs)) throw refuse();
      return [];
    },
    check() {
      if (wanted) throw refuse();
    },
  };
}
