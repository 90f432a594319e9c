import { baseOf, fingerprintOf, formatBase, UNKNOWN_BASE } from '#codes/engine/plan/base';
import type { Field, FieldChange, Row } from '#codes/engine/plan/model';
import { findColumn } from '#codes/input/columns';
import { fieldOf, isHeaderWord } from '#codes/input/header-words';
import type { RowOutcome } from '#codes/input/outcomes';
import { fold, type Input, type InputRow, OUR_COLUMNS, UTM_COLUMNS } from '#files/formats/read/input';
import type { QrCode } from '#service/shapes';

export interface RowEnd {
  row: Row;
  outcome: RowOutcome;
  error?: string;
  code?: QrCode;
  changes: readonly FieldChange[];
  isOpen: boolean;
}

const LEFT: ReadonlySet<FieldChange['what']> = new Set(['keep', 'conflict', 'edit']);

/**
 * E21: formats the `base` cell: the code's fingerprints, but the row's base for unresolved fields, and if the
 * row lacks a code or is not due.
 */
function baseCellOf(end: RowEnd): string | null {
  const { row, code } = end;
  if (end.outcome === 'later') return row.base === undefined ? null : formatBase(row.base);
  if (!code) {
    const base = row.base ?? (row.id === undefined ? undefined : UNKNOWN_BASE);
    return base === undefined ? null : formatBase(base);
  }
  const current = baseOf(code);
  const of = (field: Field) => {
    const open = openChange(end, field);
    return open ? (row.base?.[field] ?? baseBefore(open)) : current[field];
  };
  return formatBase({ name: of('name'), destination: of('destination'), status: of('status') });
}

function takesTheirs({ row, isOpen }: RowEnd): boolean {
  return row.decision?.is === 'theirs' && !isOpen;
}

function openChange(end: RowEnd, field: Field): FieldChange | undefined {
  if (takesTheirs(end)) return undefined;
  const isLeft = ({ what }: FieldChange) => LEFT.has(what) || (end.isOpen && what !== 'drift');
  return end.changes.find((change) => change.field === field && isLeft(change));
}

function baseBefore({ what, base, old, field }: FieldChange): string {
  // Uses the old value for an unsent edit, because the user saw it in the question.
  const value = base ?? (what === 'send' || what === 'edit' ? old : undefined);
  return value === undefined ? UNKNOWN_BASE[field] : fingerprintOf(value);
}

/**
 * Finds columns that only the earlier results have. Matches rows by ID or, if an ID is missing, by position
 * in files of equal length.
 */
function findAddedColumns(
  input: Input,
  { columns, rows, dateColumns }: Pick<Input, 'columns' | 'rows' | 'dateColumns'> = { columns: [], rows: [] },
) {
  const known = new Set([...input.columns.map(fold), ...OUR_COLUMNS, ...UTM_COLUMNS, 'key']);
  const names = columns.filter((column) => !known.has(fold(column)) && !isHeaderWord(column));
  const idColumn = findColumn(columns, 'id') ?? '';
  const idOf = ({ values }: InputRow) =>
    String(values.get(idColumn) ?? '')
      .trim()
      .toLowerCase();
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  const isSameLength = rows.length === input.rows.length;

  function find(row: number, id: string | undefined): InputRow | undefined {
    const known = id === undefined ? undefined : byId.get(id.toLowerCase());
    if (known) return known;
    const same = isSameLength ? rows[row - 1] : undefined;
    return same && (id === undefined || idOf(same) === '') ? same : undefined;
  }

  return {
    names,
    dates: names.filter((name) => dateColumns?.has(name)),
    /** Returns a cell of the earlier results, or null. `row` is 1-based. */
    cellOf(name: string, row: number, id: string | undefined): unknown {
      const found = find(row, id);
      return found?.defused?.get(name) ?? found?.values.get(name) ?? null;
    },
  };
}

interface ResultsOptions {
  /** Whether flags add UTM tags that the destination cells lack. */
  isTagged?: boolean;
  shortUrlOf?: (code: { id: string; slug: string }) => string;
  before?: Input;
}

export function tabulate(input: Input, { isTagged, shortUrlOf, before }: ResultsOptions = {}) {
  const ours = ['id', 'slug', ...(shortUrlOf ? ['short_url'] : []), 'outcome', 'error', 'base', 'decision'];
  const theirs = input.columns.filter((column) => !ours.includes(fold(column)));
  const added = findAddedColumns(input, before);
  const columns = [...theirs, ...added.names, ...ours];
  const fieldOf = new Map(theirs.flatMap((column) => columnField(column, input)));
  const decisionColumn = findColumn(input.columns, 'decision') ?? '';

  function cellOf(column: string, end: RowEnd): unknown {
    const field = fieldOf.get(column);
    const value = end.row.values.get(column) ?? null;
    if (field === undefined || !end.code) return value;
    const current = end.code[field];
    const isTag = UTM_COLUMNS.includes(fold(column));
    const isChanged = end.changes.some((change) => change.field === field);
    if (takesTheirs(end) && isChanged) return isTag ? null : current;
    // Uses the stored destination, because the next run would drop tags that the cell lacks.
    const isCarried = (isTagged || end.row.keepUtm === true) && value !== null && value !== '';
    return isCarried && field === 'destination' && !isTag && !openChange(end, field) ? current : value;
  }

  return {
    columns,
    dateColumns: new Set([...(input.dateColumns ?? []), ...added.dates]),
    row(end: RowEnd): Record<string, unknown> {
      const { row, code, outcome, error } = end;
      const id = code?.id ?? row.id ?? null;
      const slug = code?.slug ?? row.slug ?? null;
      // Uses entries, because assigning to a column `__proto__` would set the prototype.
      return Object.fromEntries([
        ...theirs.map((column) => [column, cellOf(column, end)]),
        ...added.names.map((column) => [column, added.cellOf(column, row.row, id ?? undefined)]),
        ['id', id],
        ['slug', slug],
        ...(shortUrlOf
          ? [['short_url', id !== null && slug !== null ? shortUrlOf({ id, slug }) : null]]
          : []),
        ['outcome', outcome],
        ['error', error ?? null],
        ['base', baseCellOf(end)],
        ['decision', keepsDecision(row, outcome) ? (row.values.get(decisionColumn) ?? null) : null],
      ]);
    },
  };
}

function columnField(column: string, input: Input): [string, Field][] {
  const name = fieldOf(input, column);
  if (name === 'name' || name === 'destination' || name === 'status') return [[column, name]];
  return UTM_COLUMNS.includes(name) ? [[column, 'destination']] : [];
}

const UNDECIDED: ReadonlySet<RowOutcome> = new Set<RowOutcome>(['undecided', 'conflict', 'edited', 'gone']);

function keepsDecision({ decision }: Row, outcome: RowOutcome): boolean {
  if (decision === undefined) return false;
  return outcome === 'not-attempted' || (decision.is === 'code' && UNDECIDED.has(outcome));
}
