/** How each row of a create run ended, and what that means for the whole. */
import { PartialError, RejectedError, UnprovenError } from '../errors.ts';
import type { CreateEnd } from '../once/create-rows.ts';
import type { Ledger, Standing } from '../once/row-states.ts';
import type { QrCode } from '../service/shapes.ts';
import { showValue } from './faults.ts';
import type { RowResult } from './results.ts';
import { type InputRow, nameRow } from './rows.ts';

/** The results in the order of the rows. */
export function createResults(ledger: Ledger, end: CreateEnd): RowResult[] {
  const candidates = new Map(end.undecided.map((entry) => [entry.row, entry.candidates]));
  return ledger.all().map((standing) => resultOf(standing, ledger, end, candidates.get(standing.row)));
}

function resultOf(
  standing: Standing,
  ledger: Ledger,
  { stopRow }: CreateEnd,
  candidates: readonly QrCode[] | undefined,
): RowResult {
  const { state, id, slug, error, attempts, row } = standing;
  switch (state) {
    case 'created':
    case 'adopted':
    case 'exists':
      return { id, slug, outcome: state };
    case 'rejected':
      return { outcome: 'failed', error };
    case 'unknown':
      return { outcome: 'undecided', error: candidates ? `could be ${candidates.map((code) => code.id).join(' or ')}` : error };
    case 'open':
      // Sent in this run, answer lost, and certainly not created: no listing has it.
      if (attempts.some(({ session }) => session === ledger.timeline.session()))
        return { outcome: 'failed', error: `not created: ${error}` };
      return row === stopRow ? { outcome: 'failed', error } : { outcome: 'not-attempted' };
  }
}

/** What the command throws at the end, or undefined when every row is done. */
export function failureOf(
  end: CreateEnd,
  results: readonly RowResult[],
  rows: readonly InputRow[],
  resultsPath: string,
): unknown {
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  // A stop at a row's own fault (--fail-fast) is a failed row like others.
  if (end.stop !== undefined && !(end.stop instanceof RejectedError)) return end.stop;
  if (end.undecided.length) return undecidedError(end, rows);
  if (results.every(({ outcome }) => outcome !== 'failed' && outcome !== 'not-attempted')) return undefined;
  return new PartialError(`${failed} of ${results.length} rows failed`, {
    hint: `${resultsPath} says which and why; run this again to try them once more`,
    cause: end.stop,
  });
}

function undecidedError({ undecided }: CreateEnd, rows: readonly InputRow[]): UnprovenError {
  const [first] = undecided;
  const lines = undecided.map(({ row, candidates }) => {
    const codes = candidates.map(({ id, slug, created_at }) => `${id} (slug ${slug}, created ${created_at})`);
    const source = rows[row - 1];
    const name = source ? `${nameRow(source)} ${showValue(nameOf(source))}` : `row ${row}`;
    return `${name}: it was sent, its answer was lost, and it may be one of: ${codes.join('; ')}`;
  });
  const count = undecided.length === 1 ? '1 row needs' : `${undecided.length} rows need`;
  return new UnprovenError([`${count} your decision; nothing was guessed`, ...lines].join('\n'), {
    hint: `look at these codes, then run this again with --adopt ${first?.row}=ID or --not-created ${first?.row}, for each row`,
  });
}

function nameOf({ values }: InputRow): unknown {
  for (const [column, value] of values) if (column.trim().toLowerCase() === 'name') return value;
  return undefined;
}
