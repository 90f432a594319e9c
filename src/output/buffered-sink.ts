/** A sink for a stream that cannot take anything back, with rows held back for a while, so that most exports still can. */
import type { Row, Sink } from '../row-sink.ts';

export interface Stream {
  write(rows: readonly Row[]): Promise<void>;
  finish(): Promise<void>;
  abort(): Promise<void>;
}

/** Rows held back at the most: an export of fewer appears whole or not at all; a longer one streams on in flat memory. */
const MOST_HELD = 10_000;

export function heldBack(stream: Stream): Sink {
  let held: Row[] = [];
  let released = 0;

  async function release(): Promise<void> {
    released += held.length;
    const rows = held;
    held = [];
    if (rows.length > 0) await stream.write(rows);
  }

  return {
    async write(rows) {
      for (const row of rows) held.push(row);
      if (held.length > MOST_HELD) await release();
    },
    async finish() {
      await release();
      await stream.finish();
    },
    async abort() {
      held = [];
      await stream.abort();
    },
    async mark() {
      const place = released + held.length;
      return async () => {
        if (place < released) return false;
        held.length = place - released;
        return true;
      };
    },
  };
}
