/** Which rows of a plan of dated changes are due for a code, and what they make of it. Pure: no clock, no service, no disk. */
import { createHash } from 'node:crypto';
import { addUtm, type UtmTags } from '../codes/utm.ts';
import type { CodeChanges, QrCode } from '../service/shapes.ts';

/** What one row changes, and when, ms since the epoch. */
export interface DatedChange {
  readonly row: number;
  readonly line: number;
  readonly atMs: number;
  readonly changes: CodeChanges;
  readonly utm?: UtmTags | undefined;
  /** What the row itself says, without the flags; absent if there are none. */
  readonly own?: Pick<DatedChange, 'changes' | 'utm'> | undefined;
}

/**
 * The names under which a journal knows a change of a code: its content, so that a plan may be sorted, and rows added anywhere. The first is the
 * row's own content, so that a flag may be added or omitted; a row without any is what the flags say. The others are of journals of qrctl 1.0,
 * which knew a row by both.
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

/** The rows of a code whose time has come. */
export interface DueRows<R extends DatedChange> {
  /** Due, and not done: what is to be done is what they say together. */
  pending: R[];
  /** Of these, in the order of their time, those that still count, with the fields in which they do. */
  effective: { row: R; fields: ReadonlySet<Field> }[];
}

const FIELDS = ['name', 'destination', 'status'] as const;
type Field = (typeof FIELDS)[number];

/** O24: a row whose time has not come does not count. O25: in each field the latest row that came counts, whoever comes before it or was added since. */
export function dueRowsOf<R extends DatedChange>(rows: readonly R[], nowMs: number, isDone: (row: R) => boolean): DueRows<R> {
  const due = rows.filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
  const lastDone = new Map<Field, number>();
  for (const [at, row] of due.entries()) if (isDone(row)) for (const field of fieldsOf(row)) lastDone.set(field, at);
  const pending = due.filter((row) => !isDone(row));
  // Of what is done, and of what a later row did, nothing is left: that is overtaken too.
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

/** What the effective rows make of a code, whether it is so already or not. Throws RangeError where tags have no address to stand in. */
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

/** Two rows of one code that want different things at one instant; `codeOf` says which code a row is about. */
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
