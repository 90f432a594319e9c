/** Omits the rows of results that have no code, or whose codes are not as the row says. */
import { countOf, formatCount } from '../../base/text/quote.ts';
import { type Fault, fold, type Input, type InputRow } from '../../files/formats/read/input.ts';
import type { RowOutcome } from './outcomes.ts';
import { outcomesIn } from './results-writer.ts';

const UNFINISHED: ReadonlySet<unknown> = new Set<RowOutcome>(['failed', 'not-attempted', 'undecided']);

/**
 * Returns the rows of a file that a command can use, and a warning that counts the others by outcome. Only results of qrctl have others:
 * rows that did not end well, unless they have an ID or slug and `evenCodes` is not set.
 */
export function omitUnfinished(input: Input, evenCodes: boolean): { kept: readonly InputRow[]; omitted: Fault[] } {
  const columnOf = (name: string) => input.columns.find((column) => fold(column) === name) ?? '';
  const outcomeColumn = columnOf('outcome');
  const names = [columnOf('id'), columnOf('slug')];
  const hasCode = ({ values }: InputRow) => names.some((column) => values.get(column));
  const isOmitted = (row: InputRow) => UNFINISHED.has(row.values.get(outcomeColumn)) && (evenCodes || !hasCode(row));
  const others = outcomesIn(input) ? input.rows.filter(isOmitted) : [];
  if (others.length === 0) return { kept: input.rows, omitted: [] };
  const counts = [...(outcomesIn({ ...input, rows: others }) ?? [])].map(([word, count]) => `${formatCount(count)} ${word}`);
  const of = `${formatCount(others.length)} of ${countOf(input.rows.length, 'row')}`;
  const message = `omitted ${of} of ${input.name} (${counts.join(', ')})`;
  const isOther = new Set(others);
  return { kept: input.rows.filter((row) => !isOther.has(row)), omitted: [{ message }] };
}
