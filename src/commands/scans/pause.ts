/** The pause between two pieces of files that are read. */

import { keepMemoryFlat } from '../../base/run/v8-flags.ts';
import { letSignalsIn } from '../../base/time/time.ts';

/** Returns a function that bounds the heap, and throws the reason of an aborted signal. */
export function createPause(signal: AbortSignal): () => Promise<void> {
  const keepFlat = keepMemoryFlat();
  return () => {
    keepFlat();
    return letSignalsIn(signal);
  };
}
