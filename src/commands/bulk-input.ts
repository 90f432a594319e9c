import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { MOST_BYTES } from '#base/bounds';
import { UsageError } from '#base/errors';
import { parseInput, parseWithFaults } from '#codes/input/read-input';
import type { Context } from '#context';
import { nodeDisk } from '#files/durable/node-disk';
import { readBack } from '#files/durable/trusted-file';
import { GZIP, startsWith } from '#files/formats/formats';
import type { Input, ReadOptions } from '#files/formats/read/input';
import { nameOfGiven, readGiven, tooLarge } from './read-given.ts';

const WHEN_LARGER = 'split the file; each part gets its own results';

/** Reads the input of a flag. Returns format faults in `faults`. Throws UsageError for unreadable input. */
export async function readInput(
  context: Context,
  from: string,
  options: ReadOptions,
  { flag = '--from', whenLarger = WHEN_LARGER } = {},
): Promise<Input> {
  const bytes = await readGiven(context, from, { flag, mostBytes: MOST_BYTES.rowsFile, whenLarger });
  return parseRows(bytes, nameOfGiven(from), { ...options, signal: context.signal }, parseWithFaults);
}

/**
 * Reads a table that an earlier run wrote. Throws system errors, and UsageError if the file is not a table.
 */
export async function readWritten(path: string): Promise<Input> {
  return parseRows(await readBack(nodeDisk, path, MOST_BYTES.rowsFile), path, {});
}

export async function parseRows(
  bytes: Buffer,
  name: string,
  options: ReadOptions,
  parse = parseInput,
): Promise<Input> {
  if (!startsWith(bytes, GZIP)) return parse(bytes, name, options);
  const plain = await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES.rowsFile }).catch((error) => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(name, MOST_BYTES.rowsFile, WHEN_LARGER);
    throw new UsageError(`cannot read ${name}: the compressed data is damaged`, { cause: error });
  });
  return { ...(await parse(plain, name.replace(/\.gz$/i, ''), options)), name };
}
