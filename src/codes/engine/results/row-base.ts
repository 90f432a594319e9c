/** E21: determines what a row of results is saved from, so that the next run knows which side changed a field since. Pure. */
import { baseOf, fingerprintOf, formatBase } from '../plan/base.ts';
import type { Field, FieldChange } from '../plan/model.ts';
import type { RowEnd } from './row-end.ts';

/** Changes after which row and service still differ. */
const LEFT: ReadonlySet<FieldChange['what']> = new Set(['keep', 'conflict', 'edit']);

/** Nothing is known of the values that the row was saved with. */
const UNKNOWN = baseOf({});

/**
 * Returns the `base` cell of a row; null if it specifies no code by its ID. A field in which row and code agree gets the fingerprint of the
 * code. A field that was left open keeps its base: otherwise the next run would send it without a question.
 */
export function baseCellOf(end: RowEnd): string | null {
  const { row, code } = end;
  // What the row was saved from counts when its time comes.
  if (end.outcome === 'later') return row.base === undefined ? null : formatBase(row.base);
  if (!code) {
    const base = row.base ?? (row.id === undefined ? undefined : UNKNOWN);
    return base === undefined ? null : formatBase(base);
  }
  const current = baseOf(code);
  const of = (field: Field) => {
    const open = openChange(end, field);
    return open ? (row.base?.[field] ?? baseBefore(open)) : current[field];
  };
  return formatBase({ name: of('name'), destination: of('destination'), status: of('status') });
}

/** Returns whether the cells of a row are brought up to date: the user chose the values of the service. */
export function takesTheirs({ row, code, isOpen }: RowEnd): boolean {
  return row.decision?.is === 'theirs' && code !== undefined && !isOpen;
}

function openChange(end: RowEnd, field: Field): FieldChange | undefined {
  if (takesTheirs(end)) return undefined;
  const isLeft = ({ what }: FieldChange) => LEFT.has(what) || (end.isOpen && what !== 'drift');
  return end.changes.find((change) => change.field === field && isLeft(change));
}

/** Of a row without a `base` cell. What would have been sent without a question may be sent again, unless the code changes until then. */
function baseBefore({ what, base, old, field }: FieldChange): string {
  const value = base ?? (what === 'send' ? old : undefined);
  return value === undefined ? UNKNOWN[field] : fingerprintOf(value);
}
