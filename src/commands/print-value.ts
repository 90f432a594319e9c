import type { Context } from '../context.ts';
import { clean } from '../output/clean.ts';

/** One bare value on a line of its own: exact for scripts, with control characters made visible on a terminal. */
export async function printValue({ console }: Context, value: string): Promise<void> {
  await console.write(`${console.isTerminal ? clean(value) : value}\n`);
}
