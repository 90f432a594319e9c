/** Where the next append would begin, by the state beside its file; nothing is opened, locked or mended. */

import { nodeDisk } from '../durable/disk.ts';
import { systemCode } from '../durable/write.ts';
import { resolvePaths } from './open.ts';
import { readFrom } from './overlap.ts';
import { LaterStateError, parseState, StateProblem } from './state.ts';

/** Lower bound (ms since the epoch) by id of the code; a code without a usable state is not there and is read from the start. */
export async function readPositions(file: string, overlapMs: number): Promise<Map<string, number>> {
  const positions = new Map<string, number>();
  try {
    const { state } = await resolvePaths(nodeDisk, file);
    const { windows, sinceMs } = parseState(await nodeDisk.readFile(state));
    for (const [code, window] of windows) {
      const fromMs = readFrom(window, overlapMs, sinceMs);
      if (fromMs !== undefined) positions.set(code, fromMs);
    }
  } catch (error) {
    const unusable = error instanceof StateProblem || error instanceof LaterStateError || systemCode(error) !== undefined;
    if (!unusable) throw error;
  }
  return positions;
}
