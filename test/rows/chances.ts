/** What happens by chance: which command people type, when it is killed, and what becomes of the memory of a machine. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../codes/engine/plan/world/random.ts';
import type { Kill } from './command.ts';
import { LEDGER } from './memory-file.ts';

/** System calls at which a run is killed. */
const CALLS = ['fdatasync', 'fsync', 'pwrite64', 'write', 'rename', 'openat', 'ftruncate', 'unlink', 'close'];

/** Returns how the next run is killed; undefined if it is not. */
export function someKill(random: Random, kind: 'none' | Kill['at']): Kill | undefined {
  if (kind === 'none' || !random.chance(kind === 'call' ? 0.5 : 0.3)) return undefined;
  if (kind === 'request') return { at: 'request', n: random.below(6) };
  return { at: 'call', call: random.pick(CALLS), n: 1 + random.below(8) };
}

/** Loses the ledger of a machine, puts an older one in its place, or that of another machine. */
export async function spoilMemory(random: Random, state: string, other: string): Promise<string> {
  const ledger = join(state, LEDGER);
  const what = random.pick(['lost', 'older', 'foreign'] as const);
  if (what === 'older') {
    const lines = (await readFile(ledger, 'utf8').catch(() => '')).split('\n').slice(0, -1);
    if (lines.length > 1)
      await writeFile(ledger, `${lines.slice(0, 1 + random.below(lines.length)).join('\n')}\n`);
  } else if (what === 'lost' || other !== state) {
    await rm(state, { recursive: true, force: true });
    if (what === 'foreign') await cp(other, state, { recursive: true }).catch(() => undefined);
  }
  return what;
}
