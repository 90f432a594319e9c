import type { Row, RowSink } from './row-sink.ts';

const MOST_ROWS = 10_000;

export function createBufferedSink(sink: Pick<RowSink, 'write' | 'commit' | 'discard'>): RowSink {
  let waiting: Row[] = [];
  let passedOn = 0;
  let failure: Promise<never> | undefined;

  async function passOn(): Promise<void> {
    passedOn += waiting.length;
    const rows = waiting;
    waiting = [];
    // Fails again after a failed write, because rows of complete codes may be lost.
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
    discard: () => sink.discard(),
  };
}
