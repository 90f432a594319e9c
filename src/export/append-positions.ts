/** Where the next append would begin, by the state beside its file; nothing is opened, locked or mended. */
import { readFile } from 'node:fs/promises';
import { parseState, StateProblem } from './append-state.ts';
import { readFrom } from './append-window.ts';

/** Lower bound (ms since the epoch) by id of the code; a code without a usable state is not there and is read from the start. */
export async function readPositions(file: string, overlapMs: number): Promise<Map<string, number>> {
  const positions = new Map<string, number>();
  try {
    const { windows, sinceMs } = parseState(await readFile(`${file}.state.json`));
    for (const [code, window] of windows) {
      const fromMs = readFrom(window, overlapMs, sinceMs);
      if (fromMs !== undefined) positions.set(code, fromMs);
    }
  } catch (error) {
    if (!(error instanceof StateProblem) && !(error instanceof Error && 'code' in error)) throw error;
  }
  return positions;
}
