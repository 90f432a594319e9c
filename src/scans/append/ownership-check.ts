/** Checks that a file belongs to the code of a run, if only the service can show that. */
import { basename } from 'node:path';
import type { TimedRows } from '../../files/formats/row-sink.ts';
import { orRestart, refusal } from './current-state.ts';
import type { OwnershipProof } from './read-back.ts';

interface OwnershipCheck {
  /** Takes rows and returns those that may be added now: none until the required row was seen. */
  release(batch: TimedRows): TimedRows[];
  /** Throws UsageError unless that row was seen, or none is required. */
  check(): void;
}

/**
 * A13: for a file whose state was lost and whose rows don't contain their code. Rows of the overlap are buffered until the service returned the
 * required row.
 */
export function createOwnershipCheck(proof: OwnershipProof | undefined, path: string): OwnershipCheck {
  let wanted = proof;
  const waiting: TimedRows[] = [];
  const refuse = () =>
    refusal(
      path,
      'its state file is missing or damaged, and the service does not return the newest row in the file for this code',
      `Pass the code whose scans are in the file, restore ${basename(path)}.state.json from a backup, ${orRestart(path)}`,
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
