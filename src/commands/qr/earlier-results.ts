/**
 * Results of an earlier run at the path of this run's results: they may list codes, and only those of the same command are replaced without
 * `--overwrite`.
 */
import { stat } from 'node:fs/promises';
import { UsageError } from '../../base/errors.ts';
import { formatCount } from '../../base/text/quote.ts';
import type { UtmTags } from '../../base/text/utm.ts';
import type { CreateJob } from '../../codes/engine/creation/create-job.ts';
import { readJournalCommand } from '../../codes/engine/creation/journal-envelope.ts';
import type { ListedCode } from '../../codes/engine/creation/journal-records.ts';
import { listedCodes, listedRows } from '../../codes/engine/read-results.ts';
import { outcomesIn, type ResultsCommand, writersOf } from '../../codes/input/results-writer.ts';
import { readBack } from '../../files/durable/held-directory.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { systemCode } from '../../files/durable/path-errors.ts';
import { ORDINARY_FILES } from '../../files/formats/kept-file.ts';
import type { Input } from '../../files/formats/read/input.ts';
import { checkWholeFile, type OutputPlace } from '../../files/formats/whole-file.ts';
import { MOST_BYTES, parseRows } from '../bulk-input.ts';
import { journalOf } from './bulk-flags.ts';

/** Summary of earlier results: small, because the results are as large as the input. */
type ResultsSummary =
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

/** Creates the reader of the results at `path`. */
export function openResultsBefore(path: string): ResultsBefore {
  let known: { stamp: string; summary: Promise<ResultsSummary> } | undefined;

  async function table(): Promise<Input | undefined> {
    const bytes = await readBack(nodeDisk, path, MOST_BYTES).catch((error) => {
      if (systemCode(error) === 'ERR_FS_FILE_TOO_LARGE') throw error;
      return Buffer.of(); // writing it reports the error
    });
    return bytes.length > 0 ? parseRows(bytes, path, {}) : undefined;
  }

  return {
    table,
    forget() {
      known = undefined;
    },
    async summary() {
      const stamp = await stampOf(path);
      if (known?.stamp !== stamp) known = { stamp, summary: table().then(summarize, () => ({ is: 'not-a-table' })) };
      return known.summary;
    },
  };
}

function summarize(results: Input | undefined): ResultsSummary {
  if (results === undefined) return { is: 'missing' };
  return { is: 'table', outcomes: outcomesIn(results), listed: listedCodes(results) };
}

/** Another after each change of the file. */
async function stampOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found ? [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join() : '';
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

/** Tables with outcomes are compared by their outcomes, and replaced with `--overwrite`; other kept files are not. */
export const RESULTS_PLACE: OutputPlace = {
  elsewhere: 'specify a different file with --results',
  replaces: [...ORDINARY_FILES, 'results', 'check', 'watch', 'plan'],
};

interface ResultsPlace {
  /** Of the results of this run. */
  path: string;
  /** Content of the file. */
  before: ResultsBefore;
  command: ResultsCommand;
  /** `--overwrite` */
  overwrite: boolean;
}

/**
 * Checks that this run may replace the file at the path of its results, and returns the rows of an earlier run of the same command by
 * outcome, in words (`2 updated, 1 failed`); undefined if there are none.
 *
 * @throws UsageError if the file is of another command, or is not a results file, unless `--overwrite` is set
 */
export async function checkResultsPlace({ path, before, command, overwrite }: ResultsPlace): Promise<string | undefined> {
  await checkWholeFile(path, RESULTS_PLACE);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile() || found.size === 0) return undefined;
  const journal = await readJournalCommand(journalOf(path));
  const summary = await before.summary();
  const outcomes = summary.is === 'table' ? summary.outcomes : undefined;
  if (summary.is !== 'table' && command === 'qr create' && journal !== command) {
    return undefined; // O22: they may list codes, so the creation itself refuses them
  }
  if (outcomes === undefined) {
    if (overwrite) return undefined;
    throw refusal(path, `it is not a results file of \`${command}\``);
  }
  // A run that applies a file writes no results.
  const writers = writersOf(outcomes.keys(), journal === 'qr apply' ? undefined : journal);
  if (writers.includes(command)) {
    return [...outcomes].map(([outcome, rows]) => `${formatCount(rows)} ${outcome}`).join(', ') || undefined;
  }
  // Its journal stays valid, whatever happens to the results; a run that keeps a journal requires another path.
  const canReplace = journal === undefined || command === 'qr update';
  if (overwrite && canReplace) return undefined;
  throw refusal(path, `it holds the results of \`${writers[0] ?? 'another command'}\``, canReplace);
}

function refusal(path: string, reason: string, canReplace = true): UsageError {
  const otherFile = 'Specify a different file with --results';
  return new UsageError(`cannot write ${path}: ${reason}`, {
    hint: canReplace ? `${otherFile}, or add --overwrite to replace this file.` : `${otherFile}.`,
  });
}
