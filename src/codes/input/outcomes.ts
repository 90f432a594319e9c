import { countOutcomes, OUTCOMES, type Outcome } from '#base/run/outcomes';
import { countAmong, formatCount } from '#base/text/quote';
import type { Fault, Input, InputRow } from '#files/formats/read/input';
import { findColumn } from './columns.ts';

export type RowOutcome = Exclude<Outcome, 'earlier'>;

const DONE: readonly RowOutcome[] = ['created', 'adopted', 'exists', 'updated', 'unchanged', 'deleted'];

export function isDone({ outcome }: { outcome: RowOutcome }): boolean {
  return DONE.includes(outcome);
}

const ROW_OUTCOMES: readonly unknown[] = Object.keys(OUTCOMES).filter((outcome) => outcome !== 'earlier');

const UNFINISHED: readonly unknown[] = [
  'failed',
  'not-attempted',
  'undecided',
  'gone',
] satisfies RowOutcome[];

export function createUnfinishedTest({ columns }: Input): (row: InputRow) => boolean {
  const column = findColumn(columns, 'outcome') ?? '';
  const id = findColumn(columns, 'id') ?? '';
  return ({ values }) => {
    const outcome = values.get(column);
    return UNFINISHED.includes(outcome) || (outcome === 'edited' && !values.get(id));
  };
}

export function omitUnfinished(input: Input): { kept: readonly InputRow[]; omitted: Fault[] } {
  const { columns, rows } = input;
  const column = findColumn(columns, 'outcome') ?? '';
  const isResults = rows.every(({ values }) => ROW_OUTCOMES.includes(values.get(column)));
  const isUnfinished = createUnfinishedTest(input);
  const others = isResults ? rows.filter(isUnfinished) : [];
  if (others.length === 0) return { kept: rows, omitted: [] };
  const outcomes = others.map(({ values }) => ({ outcome: String(values.get(column)) }));
  const counts = [...countOutcomes(outcomes)].map(([word, count]) => `${formatCount(count)} ${word}`);
  const of = countAmong(others.length, rows.length, 'row');
  const message = `omitted ${of} of ${input.name} (${counts.join(', ')})`;
  return { kept: rows.filter((row) => !isUnfinished(row)), omitted: [{ message }] };
}
