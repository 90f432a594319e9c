/** A bulk file from disk or standard input, and what is odd about it told before anything is sent. */
import { readFile } from 'node:fs/promises';
import { type Fault, formatFault } from '../../bulk/faults.ts';
import { parseInput } from '../../bulk/input.ts';
import type { Input } from '../../bulk/rows.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';

/** Reads `--from`. Throws UsageError when it cannot be read, or with every fault of form. */
export async function readInput(context: Context, from: string): Promise<Input> {
  if (from !== '-') return parseInput(await readBytes(from), from);
  const chunks: Uint8Array[] = [];
  for await (const chunk of context.stdin) chunks.push(chunk);
  context.signal.throwIfAborted();
  return parseInput(Buffer.concat(chunks), 'standard input');
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`cannot read ${path}: ${why}`, { hint: '--from takes a file, or - for standard input', cause: error });
  }
}

const MOST_WARNINGS = 10;

/** One line a warning, up to a screenful. */
export function tellWarnings({ console }: Context, warnings: readonly Fault[]): void {
  for (const warning of warnings.slice(0, MOST_WARNINGS)) console.warn(formatFault(warning));
  if (warnings.length > MOST_WARNINGS) console.warn(`and ${warnings.length - MOST_WARNINGS} more like these`);
}
