/** Binary min-heap of rows, ordered by the end of their time, then by their number: files may have thousands of equal rows. */
import type { TimeBounds } from './time-bounds.ts';

interface TimedRow {
  row: number;
  bounds: Pick<TimeBounds, 'toMs'>;
}

interface RowHeap<R extends TimedRow> {
  /** Key of the top item, ms since the epoch; infinity if there is none. */
  endMs(): number;
  push(row: R): void;
  /** Takes the one on top away. */
  pop(): R | undefined;
}

/** Creates an empty heap. */
export function createRowHeap<R extends TimedRow>(): RowHeap<R> {
  const rows: (R | undefined)[] = [];
  /** Neither of the two positions is ever empty. */
  const isBefore = (a: number, b: number) => {
    const [one, other] = [rows[a], rows[b]];
    if (!one || !other) return false;
    return one.bounds.toMs < other.bounds.toMs || (one.bounds.toMs === other.bounds.toMs && one.row < other.row);
  };
  const swap = (a: number, b: number) => {
    [rows[a], rows[b]] = [rows[b], rows[a]];
  };
  return {
    endMs: () => rows[0]?.bounds.toMs ?? Number.POSITIVE_INFINITY,
    push(row) {
      rows.push(row);
      for (let at = rows.length - 1; isBefore(at, (at - 1) >> 1); at = (at - 1) >> 1) swap(at, (at - 1) >> 1);
    },
    pop() {
      const [top] = rows;
      // The last item takes its place, and sinks to its position.
      rows.copyWithin(0, -1);
      rows.pop();
      for (let at = 0; ; ) {
        const least = isBefore(2 * at + 2, 2 * at + 1) ? 2 * at + 2 : 2 * at + 1;
        if (!isBefore(least, at)) return top;
        swap(at, least);
        at = least;
      }
    },
  };
}
