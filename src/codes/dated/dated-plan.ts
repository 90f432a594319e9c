/** Selects the rows of a dated plan that are due for a code, and merges their changes. Pure: no clock, no service, no disk. */
import { createHash } from 'node:crypto';
import { addUtm, type UtmTags } from '../../base/text/utm.ts';
import type { CodeChanges, QrCode } from '../../service/shapes.ts';

/** Changes of one row and their time, ms since the epoch. */
export interface DatedChange {
  readonly row: number;
  readonly line: number;
  readonly atMs: number;
  readonly changes: CodeChanges;
  readonly utm?: UtmTags | undefined;
  /** Values of the row itself, without the flags; missing if there are none. */
  readonly own?: Pick<DatedChange, 'changes' | 'utm'> | undefined;
}

/**
 * Returns the keys of a change in the journal: hashes of its content, so that a plan may be sorted and extended. The first key is of the
 * row's own content, so that a flag may be added or omitted; a row without its own content is keyed by the flags. The others are those of
 * qrctl 1.0, which hashed both.
 */
export function keysOf(id: string, row: DatedChange): readonly [string, ...string[]] {
  const { own = row } = row;
  const whole = keyOf(id, row);
  const isBare = Object.keys(own.changes).length === 0 && own.utm === undefined;
  return isBare || own === row ? [whole] : [keyOf(id, { ...row, changes: own.changes, utm: own.utm }), whole];
}

function keyOf(id: string, { atMs, changes, utm = {} }: DatedChange): string {
  const sorted = (values: object) => Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([id, atMs, sorted(changes), sorted(utm)]))
    .digest('hex')
    .slice(0, 32);
}

/** Rows of a code whose time has come. */
export interface DueRows<R extends DatedChange> {
  /** Rows that are due and not done: their combined values are applied. */
  pending: R[];
  /** Of these, in the order of their time, those that still count, with the fields in which they do. */
  effective: { row: R; fields: ReadonlySet<Field> }[];
}

const FIELDS = ['name', 'destination', 'status'] as const;
type Field = (typeof FIELDS)[number];

/**
 * O24: ignores rows whose time has not come. O25: in each field the latest due row counts, regardless of the order in the file and of when
 * it was added.
 */
export function dueRowsOf<R extends DatedChange>(rows: readonly R[], nowMs: number, isDone: (row: R) => boolean): DueRows<R> {
  const due = rows.filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
  const lastDone = new Map<Field, number>();
  for (const [at, row] of due.entries()) if (isDone(row)) for (const field of fieldsOf(row)) lastDone.set(field, at);
  const pending = due.filter((row) => !isDone(row));
  // Done rows, and rows that a later one replaces, have no effect left: they are superseded as well.
  const left = due.map((row, at) => ({
    row,
    fields: new Set(fieldsOf(row).filter((field) => at > (lastDone.get(field) ?? -1))),
  }));
  return { pending, effective: left.filter(({ fields }, at) => !isOvertaken(fields, left.slice(at + 1))) };
}

/** Tags go onto a destination that an earlier row gave, so only a destination of its own overtakes that. */
function isOvertaken(fields: ReadonlySet<Field>, later: readonly { row: DatedChange; fields: ReadonlySet<Field> }[]): boolean {
  return [...fields].every((field) =>
    later.some(({ row, fields: others }) => others.has(field) && row.changes[field] !== undefined),
  );
}

function fieldsOf({ changes, utm }: DatedChange): Field[] {
  return FIELDS.filter((field) => changes[field] !== undefined || (field === 'destination' && utm !== undefined));
}

/**
 * Returns the values that the effective rows give a code, whether or not it has them already. Throws RangeError if there is no web address
 * for the tags.
 */
export function wantedOf({ effective }: DueRows<DatedChange>, code: QrCode): CodeChanges {
  const wanted: CodeChanges = {};
  for (const { row, fields } of effective) {
    const { changes, utm } = row;
    if (fields.has('name')) wanted.name = changes.name;
    if (fields.has('status')) wanted.status = changes.status;
    if (!fields.has('destination')) continue;
    const base = changes.destination ?? wanted.destination ?? code.destination ?? '';
    wanted.destination = utm ? addUtm(base, utm) : base;
  }
  return wanted;
}

/** Returns pairs of rows that set one field of a code to different values at the same instant; `codeOf` returns the code of a row. */
export function contradictions<R extends DatedChange>(
  rows: readonly R[],
  codeOf: (row: R) => string,
): { row: R; other: R; field: string }[] {
  const seen = new Map<string, { row: R; value: string }>();
  return rows.flatMap((row) =>
    fieldsOf(row).flatMap((field) => {
      const key = JSON.stringify([codeOf(row), row.atMs, field]);
      const value = JSON.stringify([row.changes[field] ?? null, field === 'destination' ? (row.utm ?? null) : null]);
      const other = seen.get(key);
      if (!other) seen.set(key, { row, value });
      return other && other.value !== value ? [{ row, other: other.row, field }] : [];
    }),
  );
}
