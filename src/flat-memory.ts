/** Keeps what V8 holds in memory near what is in use, as long as a command runs. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const YOUNG_BYTES = 8 * 1024 * 1024;

/**
 * Bounds the heap for work in a long stream, at the cost of no measurable time. Left alone, V8 lets garbage pile up to several times
 * what is in use, the more the longer the stream. The function returned is to be called now and then.
 */
export function keepMemoryFlat(): () => void {
  // Old objects are collected when they have grown by a fifth, not by a multiple.
  setFlagsFromString('--heap-growing-percent=20');
  let bounded = false;
  return () => {
    if (bounded) return;
    // The size that new objects may take is fixed when node starts, at two to ten times this; what it grows by is not.
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    bounded = young === undefined || young.space_size >= YOUNG_BYTES;
    if (bounded) setFlagsFromString('--semi-space-growth-factor=1');
  };
}
