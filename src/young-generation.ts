/** How much memory V8 takes for what is new, and mostly soon forgotten. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const BOUND_BYTES = 16 * 1024 * 1024;

/**
 * A function to be called now and then: it stops the growth of V8's young generation at 16 MB. Left alone, V8 makes it two to ten times
 * as large, by version, and a long export fills all of it with pages that are written already, for a few percent of speed.
 */
export function createYoungGenerationBound(): () => void {
  let bounded = false;
  return () => {
    if (bounded) return;
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    bounded = young === undefined || young.space_size >= BOUND_BYTES;
    // The size itself is fixed when node starts; what it grows by is not.
    if (bounded) setFlagsFromString('--semi-space-growth-factor=1');
  };
}
