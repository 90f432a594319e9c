import { countOutcomes } from '../../base/run/outcomes.ts';
import { countOf, formatCount } from '../../base/text/quote.ts';
import { type Fault, fold, type Input, type InputRow } from '../../files/formats/read/input.ts';
import { isRowOutcome, type RowOutcome } from './outcomes.ts';

const UNFINISHED: ReadonlySet<unknown> = new Set<RowOutcome>([
  'failed',
  'not-attempted',
  'undecided',
  'gone',
]);

/** Returns a test for rows of results that did not succeed. */
export function createUnfinishedTest({ columns }: Input): (row: InputRow) => boolean {
  const column = columns.find((name) => fold(name) === 'outcome') ?? '';
  return ({ values }) => UNFINISHED.has(values.get(column));
}

/** Omits rows of results that did not succeed, and returns a warning that counts them by outcome. */
export function omitUnfinished(input: Input): { kept: readonly InputRow[]; omitted: Fault[] } {
  const others = outcomesIn(input) ? input.rows.filter(createUnfinishedTest(input)) : [];
  if (others.length === 0) return { kept: input.rows, omitted: [] };
  const counts = [...(outcomesIn({ ...input, rows: others }) ?? [])].map(
    ([word, count]) => `${formatCount(count)} ${word}`,
  );
  const of = `${formatCount(others.length)} of ${countOf(input.rows.length, 'row')}`;
  const message = `omitted ${of} of ${input.name} (${counts.join(', ')})`;
  const isOther = new Set(others);
  return { kept: input.rows.filter((row) => !isOther.has(row)), omitted: [{ message }] };
}

/** Counts rows by outcome; undefined if the table is not a results file. */
function outcomesIn({ columns, rows }: Pick<Input, 'columns' | 'rows'>): Map<unknown, number> | undefined {
  const column = columns.find((name) => fold(name) === 'outcome');
  if (column === undefined || !rows.every(({ values }) => isRowOutcome(values.get(column)))) return undefined;
  return countOutcomes(rows.map(({ values }) => ({ outcome: String(values.get(column)) })));
}
