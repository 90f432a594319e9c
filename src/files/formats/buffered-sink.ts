/** Rows kept back for a while from a sink that cannot take anything back, so that most exports still can. */
import type { Row, RowSink } from './row-sink.ts';

/** Rows kept back at the most: an export of fewer appears whole or not at all; a longer one streams on in flat memory. */
const MOST_ROWS = 10_000;

/** Passes rows on to `sink` when there are many, or at the end. Rewinding works for rows that have not been passed on. */
export function createBufferedSink(sink: Pick<RowSink, 'write' | 'commit' | 'discard'>): RowSink {
  let waiting: Row[] = [];
  let passedOn = 0;
  let failure: Promise<never> | undefined;

  async function passOn(): Promise<void> {
    passedOn += waiting.length;
    const rows = waiting;
    waiting = [];
    // The rows may be of codes that are complete by now, so no later code may end as if they were in the output.
    await failure;
    if (rows.length === 0) return;
    const written = sink.write(rows);
    await written.catch((error) => {
      failure = Promise.reject(error);
      return failure;
    });
  }

  return {
    async write(rows) {
      for (const row of rows) waiting.push(row);
      if (waiting.length > MOST_ROWS) await passOn();
      return rows.length;
    },
    async checkpoint() {
      const place = passedOn + waiting.length;
      return async () => {
        if (place < passedOn) return false;
        waiting.length = place - passedOn;
        return true;
      };
    },
    async commit() {
      await passOn();
      await sink.commit();
    },
    async discard() {
      waiting = [];
      await sink.discard();
    },
  };
}
