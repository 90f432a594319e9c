/** Where histories are played: a server, the command loaded once, and a directory in memory for each history. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tally } from '../codes/engine/plan/world/truth.ts';
import { loadCommand } from './command.ts';
import { playHistory } from './history.ts';
import { startServer } from './server.ts';

export interface Theatre {
  /** Plays the history of a seed. A fault of the test itself is a problem too. */
  play(seed: number, kill: 'none' | 'request' | 'call', onStep: (text: string) => void): Promise<Tally>;
  close(): Promise<void>;
}

/** A file system in memory, where a flush costs no time. */
const MEMORY = '/dev/shm';

/** Opens it for the command at `bin`. */
export async function openTheatre(bin: string): Promise<Theatre> {
  const server = await startServer();
  const sleeps = { listener: (_ms: number): void => undefined };
  const command = loadCommand(bin, (ms) => sleeps.listener(ms));
  // The tests set TMPDIR, and remove it whole at their end.
  const base = process.env.TMPDIR === undefined && existsSync(MEMORY) ? MEMORY : tmpdir();
  const home = await mkdtemp(join(base, 'qrctl-rows-'));
  return {
    async play(seed, kill, onStep) {
      const place = join(home, `${seed}`);
      try {
        return await playHistory(seed, { home, server, command, place, kill, onStep, sleeps });
      } catch (error) {
        server.failure = undefined;
        server.stage = undefined;
        return {
          problems: [`a fault of the test: ${error instanceof Error ? error.stack : error}`],
          counts: new Map(),
        };
      } finally {
        await rm(place, { recursive: true, force: true, maxRetries: 3 });
      }
    },
    async close() {
      await server.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
