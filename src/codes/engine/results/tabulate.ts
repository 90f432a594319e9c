/** Builds the results of a run over a file: the columns of the input, those that the user added to earlier results, then ours. Pure. */
import { ALIASES, fold, type Input, UTM_COLUMNS } from '../../../files/formats/read/input.ts';
import type { RowOutcome } from '../../input/outcomes.ts';
import type { Field, Row } from '../plan/model.ts';
import { findAddedColumns } from './added-columns.ts';
import { baseCellOf, takesTheirs } from './row-base.ts';
import type { RowEnd } from './row-end.ts';

interface ResultsOptions {
  /** Returns the URL in the image of a code; without it there is no column `short_url`. */
  shortUrlOf?: ((code: { id: string; slug: string }) => string) | undefined;
  /** The file at the path of the results, if there is one. */
  before?: Input | undefined;
}

export interface ResultsTable {
  readonly columns: readonly string[];
  /** Columns whose cells are dates in a workbook. */
  readonly dateColumns: ReadonlySet<string>;
  /** Returns the cells of a row by column. */
  row(end: RowEnd): Record<string, unknown>;
}

/** Builds the table, row by row. Columns of the input with the names of ours are replaced: they are of earlier results or of a list. */
export function tabulate(input: Input, { shortUrlOf, before }: ResultsOptions = {}): ResultsTable {
  const ours = ['id', 'slug', ...(shortUrlOf ? ['short_url'] : []), 'outcome', 'error', 'base', 'decision'];
  const theirs = input.columns.filter((column) => !ours.includes(fold(column)));
  const added = findAddedColumns(before, input);
  const columns = [...theirs, ...added.names, ...ours];
  const fieldOf = new Map(theirs.flatMap((column) => columnField(column, theirs)));
  const decisionColumn = input.columns.find((column) => fold(column) === 'decision') ?? '';
  // Assigned to an ordinary object it would be no column.
  const isOdd = columns.includes('__proto__');

  function cellOf(column: string, end: RowEnd): unknown {
    const field = fieldOf.get(column);
    const value = end.row.values.get(column) ?? null;
    if (!takesTheirs(end)) return value;
    if (field === undefined || !end.changes.some((change) => change.field === field)) return value;
    return UTM_COLUMNS.includes(fold(column)) ? null : (end.code?.[field] ?? null);
  }

  return {
    columns,
    dateColumns: new Set([...(input.dateColumns ?? []), ...added.dates]),
    row(end) {
      const { row, code, outcome, error } = end;
      const id = code?.id ?? row.id ?? null;
      const slug = code?.slug ?? row.slug ?? null;
      const cells: Record<string, unknown> = isOdd ? Object.create(null) : {};
      for (const column of theirs) cells[column] = cellOf(column, end);
      for (const column of added.names) cells[column] = added.cellOf(column, row.row, id ?? undefined);
      cells.id = id;
      cells.slug = slug;
      if (shortUrlOf) cells.short_url = id !== null && slug !== null ? shortUrlOf({ id, slug }) : null;
      cells.outcome = outcome;
      cells.error = error ?? null;
      cells.base = baseCellOf(end);
      cells.decision = keepsDecision(row, outcome) ? (row.values.get(decisionColumn) ?? null) : null;
      return isOdd ? Object.fromEntries(Object.entries(cells)) : cells;
    },
  };
}

/** Returns the field of a code that a column sets, with the column. The tags are a part of the destination. */
function columnField(column: string, columns: readonly string[]): [string, Field][] {
  const name = fold(column);
  if (name === 'name' || name === 'destination' || name === 'status') return [[column, name]];
  if (UTM_COLUMNS.includes(name)) return [[column, 'destination']];
  const isAlias = ALIASES.has(name) && !columns.some((other) => fold(other) === 'destination');
  return isAlias ? [[column, 'destination']] : [];
}

/** Outcomes of rows that are still to be decided. */
const UNDECIDED: ReadonlySet<RowOutcome> = new Set<RowOutcome>(['undecided', 'conflict', 'edited', 'gone']);

/** An answer is used once: it stays only if the run did not reach the row, or found no code by that name. */
function keepsDecision({ decision }: Row, outcome: RowOutcome): boolean {
  if (decision === undefined) return false;
  return outcome === 'not-attempted' || (decision.is === 'code' && UNDECIDED.has(outcome));
}
