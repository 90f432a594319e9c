/**
 * Builds the results of a bulk run: the input's columns, then id, slug, outcome and error, one row per input row, in its order; and the
 * failure of the run as a whole.
 */
import {
  NotFoundError,
  PartialError,
  RejectedError,
  UnavailableError,
  UnexpectedAnswerError,
  UnprovenError,
} from '../../base/errors.ts';
import { countOf, formatCount } from '../../base/text/quote.ts';
import { fold, type Input, type InputRow, showValue } from '../../files/formats/read/input.ts';
import type { RowResult } from '../input/outcomes.ts';
import type { ChangeEnd } from './change-rows.ts';
import { nameRow } from './creation/new-row.ts';
import type { CreateEnd, RowEnd } from './creation/row-ends.ts';
import { createEditedRows, tellEdit } from './edited-rows.ts';
import { nameIds, type Undecided, undecidedError } from './undecided-error.ts';

export const RESULT_COLUMNS = ['id', 'slug', 'outcome', 'error'] as const;

/** Returns the URL in the image of a code. */
export type ShortUrlOf = (code: { id: string; slug: string }) => string;

export interface Results {
  columns: string[];
  /** The row at this place of the input, from 0, as it ended. */
  row(place: number, result: RowResult | undefined): Record<string, unknown>;
}

/**
 * Builds the results table, row by row. Replaces columns of the input that have the names of result columns (an earlier results file, or the
 * codes to change); if the outcome has no code, the row keeps its id and slug. `shortUrlOf` fills the column `short_url`, which is
 * otherwise omitted.
 */
export function tabulate(input: Input, shortUrlOf?: ShortUrlOf): Results {
  const [idName, slugName, ...others] = RESULT_COLUMNS;
  const ours: readonly string[] = [idName, slugName, ...(shortUrlOf ? ['short_url'] : []), ...others];
  const theirs = input.columns.filter((column) => !ours.includes(fold(column)));
  const columnOf = (name: string) => input.columns.find((column) => fold(column) === name) ?? name;
  const [idColumn, slugColumn] = [columnOf('id'), columnOf('slug')];
  // Assigned to an ordinary object it would be no column.
  const isOdd = theirs.includes('__proto__');
  return {
    columns: [...theirs, ...ours],
    row(place, result = { outcome: 'not-attempted' }) {
      const { values } = input.rows[place] ?? { values: NO_VALUES };
      const { outcome, error, ...found } = result;
      const id = found.id ?? (values.get(idColumn) || null);
      const slug = found.slug ?? (values.get(slugColumn) || null);
      const isKnown = typeof id === 'string' && typeof slug === 'string';
      const row: Record<string, unknown> = isOdd ? Object.create(null) : {};
      for (const column of theirs) row[column] = values.get(column) ?? null;
      row[idName] = id;
      row[slugName] = slug;
      if (shortUrlOf) row.short_url = isKnown ? shortUrlOf({ id, slug }) : null;
      row.outcome = outcome;
      row.error = error ?? null;
      return isOdd ? Object.fromEntries(Object.entries(row)) : row;
    },
  };
}

const NO_VALUES: ReadonlyMap<string, unknown> = new Map();

/** How the rows of a create run ended, taken one by one, because the ends of all rows at once are as large as their results. */
export interface CreateResults {
  readonly results: readonly RowResult[];
  take(end: RowEnd): void;
  /** Returns the error for the end of the run, or undefined if every row is done. `rows`: the input. */
  failure(end: CreateEnd, rows: readonly InputRow[], resultsPath: string | undefined): unknown;
}

/** Returns the results of a create run, to be filled in the order of the rows. */
export function createResults(): CreateResults {
  const results: RowResult[] = [];
  /** Rows that need the user's decision. */
  const undecided: RowEnd[] = [];
  const edited = createEditedRows();
  return {
    results,
    take(end) {
      results.push(resultOf(end));
      if (end.candidates.length > 0) undecided.push(end);
      if (end.state === 'edited' && end.error === undefined) edited.add(end);
    },
    failure({ stop }, rows, resultsPath) {
      // A stop at a row's own fault (--fail-fast) is a failed row like others.
      if (stop !== undefined && !(stop instanceof RejectedError))
        return sayingToResume(stop, resultsPath, 'rows that have a code are skipped');
      const [first] = undecided;
      if (first) {
        const hint = `Check these codes. For each row, add --adopt ${first.line}=ID or --not-created ${first.line}.`;
        const named = undecided.map((end) => undecidedRow(end, rows));
        return undecidedError(named, { thing: 'row', more: '; see the results', hint });
      }
      const notApplied = edited.error();
      if (results.every(({ outcome }) => outcome !== 'failed' && outcome !== 'not-attempted')) return notApplied;
      const failed = tellFailed(results, 'row');
      const hint = `See ${resultsPath ?? 'the output'} for the reasons. To retry the failed rows, run the same command again.`;
      if (!notApplied) return new PartialError(failed, { hint, cause: stop });
      return new PartialError(`${failed}\n${notApplied.message}`, { hint: `${hint} ${notApplied.hint}`, cause: stop });
    },
  };
}

function resultOf({ state, id, slug, error, sentNow, before, stopped, candidates, edit }: RowEnd): RowResult {
  switch (state) {
    case 'edited':
      if (error !== undefined) return { id, slug, outcome: 'failed', error };
      return { id, slug, outcome: 'edited', error: edit && tellEdit(edit) };
    case 'updated':
      return { id, slug, outcome: 'updated' };
    case 'created':
    case 'adopted':
    case 'exists':
      if (candidates.length > 0)
        return { id, slug, outcome: 'undecided', error: `may have a duplicate code: ${nameIds(candidates)}` };
      return { id, slug, outcome: state, before };
    case 'rejected':
      return { outcome: 'failed', error };
    case 'unknown':
      return { outcome: 'undecided', error: candidates.length ? `could be ${nameIds(candidates)}` : error };
    case 'open':
      // Sent in this run, without a response, and certainly not created: no listing contains it.
      if (sentNow) return { outcome: 'failed', error: `not created: ${error}` };
      return stopped ? { outcome: 'failed', error } : { outcome: 'not-attempted' };
  }
}

/** Names a row by its line and the name of its code. */
function undecidedRow({ row, id, candidates }: RowEnd, rows: readonly InputRow[]): Undecided {
  const source = rows[row - 1];
  const [, named] = [...(source?.values ?? [])].find(([column]) => fold(column) === 'name') ?? [];
  return { name: source ? `${nameRow(source)} ${showValue(named)}` : `row ${row}`, id, candidates };
}

/** The results of an update or delete run, in the order of the rows. */
export function changeResults(rows: readonly { row: number }[], { results }: ChangeEnd): RowResult[] {
  return rows.map(({ row }) => results.get(row) ?? { outcome: 'not-attempted' });
}

/** Returns the error for the end of an update or delete run, or undefined if every row is done. */
export function changeFailure({ stop, unproven }: ChangeEnd, results: readonly RowResult[], resultsPath?: string): unknown {
  // With --fail-fast a row's own fault stops the run: a failed row like others.
  const rowsFault = [NotFoundError, RejectedError, UnexpectedAnswerError, UnprovenError].some(
    (failure) => stop instanceof failure,
  );
  if (stop !== undefined && !rowsFault) return sayingToResume(stop, resultsPath, 'repeating it is safe');
  if (results.every(({ outcome }) => outcome !== 'failed')) return undefined;
  const Kind = unproven ? UnprovenError : PartialError;
  return new Kind(tellFailed(results, resultsPath ? 'row' : 'code'), {
    hint: `See ${resultsPath ?? 'the output'} for the reasons. It is safe to run the same command again.`,
    cause: stop,
  });
}

/** Adds to the hint of an outage that the same command resumes the run, if its rows are from a file; returns the error that stopped it. */
function sayingToResume(stop: unknown, resultsPath: string | undefined, because: string): unknown {
  if (stop instanceof UnavailableError && resultsPath !== undefined) {
    const before = stop.hint === undefined ? '' : `\n${stop.hint}`;
    stop.hint = `When the service is available again, run the same command to finish (${because}).${before}`;
  }
  return stop;
}

/** Words the number of failed rows, and the reason if it is the same for all of them, so that it need not be looked up. */
function tellFailed(results: readonly RowResult[], thing: string): string {
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const reasons = new Set(failed.map(({ error }) => error));
  const [reason] = reasons;
  const told = failed.length > 1 && reasons.size === 1 ? `, all for the same reason: ${reason}` : '';
  const share = results.length === 1 ? '' : `${formatCount(failed.length)} of `;
  return `${share}${countOf(results.length, thing)} failed${told}`;
}
