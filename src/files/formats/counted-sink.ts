/** Document that reports its written content to `--summary`. */
import { addFile, type RunFacts } from '../../base/run/run-summary.ts';
import type { DocumentSink } from './document-sink.ts';

/** Returns the sink; its rows count as they are printed or, in the file at `path`, once that is in its place. */
export function createCountedSink(
  sink: DocumentSink,
  facts: RunFacts,
  path: string | undefined,
): DocumentSink {
  let rows = 0;
  const tell = () => {
    facts.rows = rows;
  };
  return {
    ...sink,
    async write(batch) {
      const count = await sink.write(batch);
      rows += count;
      if (path === undefined) tell();
      return count;
    },
    async checkpoint() {
      const before = rows;
      const rewind = await sink.checkpoint();
      return async () => {
        const isRewound = await rewind();
        if (isRewound) rows = before;
        return isRewound;
      };
    },
    async commit() {
      await sink.commit();
      tell();
      if (path !== undefined) addFile(facts, path);
    },
  };
}
