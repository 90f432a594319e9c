/** Results of an earlier run at the path of this run's results: only those of the same command are replaced without `--overwrite`. */
import { stat } from 'node:fs/promises';
import { type ResultsCommand, writersOf } from '../../bulk/results-writer.ts';
import { UsageError } from '../../errors.ts';
import { readJournalCommand } from '../../once/journal-envelope.ts';
import { formatCount } from '../../text/quote.ts';
import { journalOf } from './bulk-flags.ts';
import type { ResultsBefore } from './bulk-input.ts';

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
    hint: canReplace ? `${otherFile}, or add --overwrite to replace this one.` : `${otherFile}.`,
  });
}
