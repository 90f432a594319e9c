/** How each row of an update or delete run ended, and what that means for the whole. */
import { NotFoundError, PartialError, RejectedError, UnexpectedAnswerError } from '../errors.ts';
import type { ChangeEnd } from './change-rows.ts';
import type { RowResult } from './results.ts';

/** The results in the order of the rows. */
export function changeResults(rows: readonly { row: number }[], { results }: ChangeEnd): RowResult[] {
  return rows.map(({ row }) => results.get(row) ?? { outcome: 'not-attempted' });
}

/** What the command throws at the end, or undefined when every row is done. */
export function failureOf({ stop }: ChangeEnd, results: readonly RowResult[], resultsPath?: string): unknown {
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  // With --fail-fast a row's own fault stops the run: a failed row like others.
  const rowsFault = [NotFoundError, RejectedError, UnexpectedAnswerError].some((failure) => stop instanceof failure);
  if (stop !== undefined && !rowsFault) return stop;
  if (failed === 0) return undefined;
  return new PartialError(`${failed} of ${results.length} ${resultsPath ? 'rows' : 'codes'} failed`, {
    hint: `${resultsPath ?? 'the output'} says which and why; it is safe to run this again`,
    cause: stop,
  });
}
