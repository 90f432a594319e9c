/** Keeps the columns that the user added to a results file, when a later run writes it again. Pure. */
import {
  ALIASES,
  fold,
  type Input,
  type InputRow,
  OUR_COLUMNS,
  UTM_COLUMNS,
} from '../../../files/formats/read/input.ts';

export interface AddedColumns {
  readonly names: readonly string[];
  /** Those whose cells are dates in a workbook. */
  readonly dates: readonly string[];
  /** Returns the cell of a row, by its number in the file from 1 and the ID of its code; as it is written in a CSV. */
  cellOf(name: string, row: number, id: string | undefined): unknown;
}

const NONE: AddedColumns = { names: [], dates: [], cellOf: () => null };

/**
 * Finds the columns that only the earlier results have. A column that a command reads is none of them: its old values would be wishes again.
 * Rows are matched by ID; a row without one, if no row was added or removed, by its place.
 */
export function findAddedColumns(before: Input | undefined, input: Input): AddedColumns {
  if (!before) return NONE;
  const known = new Set([...input.columns.map(fold), ...OUR_COLUMNS, ...UTM_COLUMNS, ...ALIASES, 'key']);
  const names = before.columns.filter((column) => !known.has(fold(column)));
  if (names.length === 0) return NONE;
  const idColumn = before.columns.find((column) => fold(column) === 'id') ?? '';
  const idOf = ({ values }: InputRow) =>
    String(values.get(idColumn) ?? '')
      .trim()
      .toLowerCase();
  const byId = new Map(before.rows.map((row) => [idOf(row), row]));
  const isSameLength = before.rows.length === input.rows.length;

  function find(row: number, id: string | undefined): InputRow | undefined {
    const known = id === undefined ? undefined : byId.get(id.toLowerCase());
    if (known) return known;
    const same = isSameLength ? before?.rows[row - 1] : undefined;
    return same && (id === undefined || idOf(same) === '') ? same : undefined;
  }

  return {
    names,
    dates: names.filter((name) => before.dateColumns?.has(name)),
    cellOf(name, row, id) {
      const found = find(row, id);
      return found?.defused?.get(name) ?? found?.values.get(name) ?? null;
    },
  };
}
