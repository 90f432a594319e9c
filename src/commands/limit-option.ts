/** `--limit`, which every command with a bounded number of rows understands, also where the bound has a name of its own. */
import { integer } from './define.ts';
import { refuseTogether } from './refuse-together.ts';

/** Declares `--limit` beside the flag that it stands for. */
export function limitOption(flag: string, bounds: { min: number; max?: number }) {
  return integer('--limit <n>', `Alias of ${flag}`, bounds);
}

/** Returns the bound that either of them sets. Throws UsageError if both do. */
export function limitOf(flag: string, value: number | undefined, limit: number | undefined): number | undefined {
  if (value !== undefined) refuseTogether(flag, { '--limit': limit });
  return value ?? limit;
}
