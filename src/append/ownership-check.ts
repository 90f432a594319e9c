/**
 * A file whose state was lost and that does not say which code it belongs to: before anything is added, the service must show
 * a row that the file has. Until then rows are held back; they are at most those of the overlap.
 */

import type { Row } from '../row-sink.ts';
import type { Anchor } from './rebuild.ts';

interface Held {
  rows: readonly Row[];
  times: readonly number[];
}

export interface Gate {
  /** Takes rows and gives back those that may pass now: none while the anchor has not been seen. */
  pass(rows: readonly Row[], times: readonly number[]): Held[];
  /** The anchor was seen, or there is none. */
  isOpen(): boolean;
}

/** `refuse` is thrown when newer rows come and the anchor did not. */
export function createGate(anchor: Anchor | undefined, refuse: () => Error): Gate {
  let held: Held[] = [];
  let wanted = anchor;
  return {
    isOpen: () => wanted === undefined,
    pass(rows, times) {
      if (!wanted) return [{ rows, times }];
      const { id, timeMs } = wanted;
      held.push({ rows, times });
      if (rows.some((row, i) => times[i] === timeMs && String(row.id) === id)) {
        const all = held;
        held = [];
        wanted = undefined;
        return all;
      }
      if (times.some((time) => time > timeMs)) throw refuse();
      return [];
    },
  };
}
