/** Files that a flag names, read whole and within a bound; `-` is standard input. */
import { createReadStream } from 'node:fs';
import type { Context } from '../context.ts';
import { messageOf, UsageError } from '../errors.ts';

export interface GivenFile {
  /** The flag, for what is said where the file cannot be read. */
  flag: string;
  mostBytes: number;
  /** What to do about a file that has more. */
  whenLarger: string;
}

/** How a file is called in a message. */
export function nameOfGiven(path: string): string {
  return path === '-' ? 'standard input' : path;
}

/** All bytes of it. Throws UsageError where it cannot be read, or has more than its bound: /dev/zero has no end. */
export async function readGiven(context: Context, path: string, { flag, mostBytes, whenLarger }: GivenFile): Promise<Buffer> {
  const { signal } = context;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of path === '-' ? context.stdin : createReadStream(path)) {
      signal.throwIfAborted();
      bytes += chunk.length;
      // Before anything is made of it.
      if (bytes > mostBytes) throw tooLarge(nameOfGiven(path), mostBytes, whenLarger);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (signal.aborted || cause instanceof UsageError) throw cause;
    throw new UsageError(`cannot read ${nameOfGiven(path)}: ${messageOf(cause)}`, {
      hint: `${flag} takes a file, or - for standard input`,
      cause,
    });
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks);
}

export function tooLarge(name: string, mostBytes: number, hint: string): UsageError {
  return new UsageError(`${name} has more than ${mostBytes / 2 ** 20} MiB`, { hint });
}
