/** Reads the input of a bulk run: the file of rows, and the results of an earlier run. */

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Input, ReadOptions } from '../../bulk/input.ts';
import { parseInput, parseWithFaults } from '../../bulk/read-input.ts';
import { listedRows } from '../../bulk/read-results.ts';
import type { UtmTags } from '../../codes/utm.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { CreateJob } from '../../once/create-job.ts';
import type { ListedCode } from '../../once/journal-records.ts';
import { nameOfGiven, readGiven, tooLarge } from '../read-given.ts';

/** Summary of earlier results: small, because the results are as large as the input. */
export type ResultsSummary =
  | {
      is: 'table';
      /** Rows by outcome; undefined if the table is not a results file. */
      outcomes: ReadonlyMap<unknown, number> | undefined;
      /** The codes that they list, if a create run wrote them. */
      listed: readonly ListedCode[];
    }
  | { is: 'missing' | 'not-a-table' };

/** Results of an earlier run, read once for all that use them. */
export interface ResultsBefore {
  /** As they are on disk: another run may have replaced them while this one waited for it. */
  summary(): Promise<ResultsSummary>;
  /** Frees the memory: it is as large as the IDs of all codes. */
  forget(): void;
  /** Returns all rows; undefined if there is no file. Throws UsageError if it is not a table. */
  table(): Promise<Input | undefined>;
}

/** More than any spreadsheet has, and little enough to be held in memory. */
export const MOST_BYTES = 128 * 2 ** 20;
const WHEN_LARGER = 'split the file; each part gets its own results';

/** Reads `--from`. Throws UsageError if it cannot be read, is endless or has no rows; the result contains other faults of form. */
export async function readInput(context: Context, from: string, options: ReadOptions): Promise<Input> {
  const bytes = await readGiven(context, from, { flag: '--from', mostBytes: MOST_BYTES, whenLarger: WHEN_LARGER });
  return parseRows(bytes, nameOfGiven(from), { ...options, signal: context.signal }, parseWithFaults);
}

/**
 * Returns functions that read what the results of an earlier create run list: nothing if there is no file, or one of another kind. The codes
 * are undefined for a file that is not a table. `common` are the tags of this run's flags.
 */
export function listedIn(
  before: ResultsBefore | undefined,
  common: UtmTags | undefined,
): Pick<CreateJob, 'readListedCodes' | 'readListed'> {
  let isTable = true;
  return {
    async readListedCodes() {
      const summary = await before?.summary();
      before?.forget();
      isTable = summary?.is !== 'not-a-table';
      if (!isTable) return undefined;
      return summary?.is === 'table' ? summary.listed : [];
    },
    async readListed() {
      const results = isTable ? await before?.table() : undefined;
      return results ? listedRows(results, common) : [];
    },
  };
}

/** Like `parseInput`, also for compressed files: `-o codes.csv.gz` can be read back. */
export async function parseRows(bytes: Buffer, name: string, options: ReadOptions, parse = parseInput): Promise<Input> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return parse(bytes, name, options);
  const plain = await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES }).catch((error) => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(name, MOST_BYTES, WHEN_LARGER);
    throw new UsageError(`cannot read ${name}: the compressed data is damaged`, { cause: error });
  });
  return { ...(await parse(plain, name.replace(/\.gz$/i, ''), options)), name };
}
