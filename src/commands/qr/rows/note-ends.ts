/** Prints how a run over rows ended. */
import { countOutcomes } from '../../../base/run/outcomes.ts';
import { countOf, formatCount } from '../../../base/text/quote.ts';
import type { RowEnd, RunEnd } from '../../../codes/engine/executor/job.ts';
import type { Policy, Row } from '../../../codes/engine/plan/model.ts';
import { explainRow, reasonOf } from '../../../codes/engine/results/explain.ts';
import type { RowEnd as ResultRow } from '../../../codes/engine/results/tabulate.ts';
import { isDone } from '../../../codes/input/outcomes.ts';
import type { Context } from '../../../context.ts';
import { type Input, problemOf } from '../../../files/formats/read/input.ts';

/** Returns the result of a row. */
export function resultOf(end: RowEnd, verb: Policy['verb']): ResultRow {
  const { item, outcome, code } = end;
  const isOpen =
    outcome === 'failed' || outcome === 'not-attempted' || outcome === 'conflict' || outcome === 'edited';
  const isSkipped = item.row?.decision?.is === 'skip';
  return {
    row: item.row as Row,
    outcome,
    error: alteredText(end) ?? explainRow({ item, end }, verb),
    code: isNamed(outcome) ? code : undefined,
    changes: item.changes,
    isOpen: isOpen || isSkipped,
  };
}

/** Of a row that is still to be decided, the code is only a candidate. */
function isNamed(outcome: RowEnd['outcome']): boolean {
  return outcome !== 'undecided' && outcome !== 'gone';
}

/** Describes what the service stored otherwise than it was sent. */
function alteredText({ altered, error }: RowEnd): string | undefined {
  if (error !== undefined || altered.length === 0) return undefined;
  return altered
    .map(({ field, stored }) => `${field}: the service stored ${JSON.stringify(stored)}`)
    .join('; ');
}

/** Adds the outcomes of the rows to the summary and to the annotations. */
export function noteEnds({ facts }: Context, ends: readonly RowEnd[], input: Input): void {
  facts.codes = new Set(ends.flatMap((end) => (isDoneRow(end) && end.code ? [end.code.id] : []))).size;
  facts.outcomes = Object.fromEntries(countOutcomes(ends));
  facts.problems = ends.flatMap((end) => {
    const { outcome, item } = end;
    const isOpen = ['failed', 'undecided', 'conflict', 'gone', 'edited'].includes(outcome);
    return isOpen
      ? [problemOf(input, { line: item.row?.line, message: reasonOf({ item, end }) ?? outcome })]
      : [];
  });
}

function isDoneRow({ outcome }: RowEnd): boolean {
  return isDone({ outcome });
}

/** If a signal stopped the run, prints how far it came, and throws the signal's reason. */
export function noteStop(
  { console, signal }: Context,
  { ends }: RunEnd,
  isResumable: boolean,
  thing = 'row',
): void {
  if (!signal.aborted) return;
  const done = ends.filter(isDoneRow).length;
  const next = isResumable ? '. Run the command again to resume' : '';
  console.note(`Done: at least ${formatCount(done)} of ${countOf(ends.length, thing)}${next}`);
  throw signal.reason;
}

/** Prints `200 rows: 48 created, 2 failed (50 requests). Results: codes.results.csv`. */
export async function noteSummary(
  context: Context,
  ends: readonly RowEnd[],
  { warnings, place, thing }: { warnings: number; place: string | undefined; thing: string },
): Promise<void> {
  const { requests } = (await context.service()).stats();
  const counts = [...countOutcomes(ends)].map(([outcome, rows]) => `${formatCount(rows)} ${outcome}`);
  const cost = [countOf(requests, 'request'), warnings > 0 && countOf(warnings, 'warning')]
    .filter(Boolean)
    .join('; ');
  const rows = countOf(ends.length, thing);
  context.console.note(
    `${rows}: ${counts.join(', ') || 'nothing to do'} (${cost})${place ? `. ${place}` : ''}`,
  );
}
