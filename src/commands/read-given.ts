import { readdirSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { MOST_BYTES } from '#base/bounds';
import { orUndefined, systemCode, UsageError } from '#base/errors';
import { nearest } from '#base/text/nearest';
import { quote } from '#base/text/quote';
import type { Fault } from '#codes/images/draw-image';
import type { Context } from '#context';
import { openInput } from '#files/durable/open-input';
import { describeSystemError } from '#files/durable/path-errors';
import { STANDARD_INPUT } from '#files/formats/read/input';

export function nameOfGiven(path: string): string {
  return path === '-' ? STANDARD_INPUT : path;
}

/** Reads a file or standard input. Throws UsageError if it can't be read or is too large. */
export async function readGiven(
  context: Context,
  path: string,
  { flag, mostBytes, whenLarger }: { flag: string; mostBytes: number; whenLarger: string },
): Promise<Buffer> {
  const { signal } = context;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of path === '-' ? context.stdin : (await openInput(path)).createReadStream()) {
      signal.throwIfAborted();
      bytes += chunk.length;
      if (bytes > mostBytes) throw tooLarge(nameOfGiven(path), mostBytes, whenLarger);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (signal.aborted || cause instanceof UsageError) throw cause;
    const isMissing = systemCode(cause) === 'ENOENT';
    const why = isMissing ? 'no such file' : describeSystemError(cause);
    const meant = isMissing ? similarFile(path) : undefined;
    const otherwise = isMissing
      ? 'Correct the path, and run the command again.'
      : `Pass a file to ${flag}, or - for standard input.`;
    throw new UsageError(`cannot read ${nameOfGiven(path)}: ${why}`, {
      hint: meant === undefined ? otherwise : `Did you mean ${quote(meant)}?`,
      cause,
    });
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks);
}

function similarFile(path: string): string | undefined {
  const names = orUndefined(() => readdirSync(dirname(path))) ?? [];
  const meant = nearest(
    parse(path).name,
    names.map((name) => parse(name).name),
  );
  const name = names.find((found) => parse(found).name === meant);
  return name === undefined ? undefined : join(dirname(path), name);
}

export function tooLarge(name: string, mostBytes: number, hint: string): UsageError {
  return new UsageError(`${name} is larger than ${mostBytes / 2 ** 20} MiB`, { hint });
}

export async function readLogo<T extends object>(
  context: Context,
  path: string,
  load: (bytes: Buffer, signal: AbortSignal) => Promise<T | Fault>,
): Promise<T> {
  const whenLarger = 'save a smaller logo; 600 pixels are enough for print';
  const bytes = await readGiven(context, path, { flag: '--logo', mostBytes: MOST_BYTES.logo, whenLarger });
  const logo = await load(bytes, context.signal);
  if (!('fault' in logo)) return logo;
  throw new UsageError(`${nameOfGiven(path)} ${logo.fault}`, {
    hint: 'Specify a PNG or SVG file with --logo.',
  });
}
