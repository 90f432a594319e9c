/**
 * Compares a dated change with its code. It is sent once, when its time has come: what another client makes of the field afterwards is left
 * alone, whatever was sent before it.
 */
import { fingerprintOf } from './base.ts';
import type { Changed, Pair } from './compare.ts';
import {
  type Claim,
  type DueMark,
  type DueWish,
  FIELDS,
  type Field,
  type LedgerRecord,
  type OwnChange,
  type PlanItem,
} from './model.ts';
import { isSame } from './values.ts';

type Marks = Readonly<Partial<Record<Field, DueMark>>>;

/** Returns which side changed a field since the last change of ours. Only the row did, if there is no memory of it and no base. */
export function changedByDate(
  field: Field,
  wanted: string,
  due: DueWish,
  { row, code, claim }: Pair,
): Changed | undefined {
  const old = code[field] ?? '';
  const changes = claim?.changes[field] ?? [];
  const last = changes.at(-1);
  const known = claim?.stored[field];
  const isOpen = isUnclear(claim, field) && last?.sent === wanted;
  if (isBegun(claim, field, due)) return { isYours: isOpen, isTheirs: !isOpen || old !== known, base: known };
  const cell = row.base?.[field];
  // The row was saved before our last change, or before an earlier row of the plan had its time.
  const isFollowing = due.earlier.length > 0 && claim?.due?.[field] !== undefined;
  const isOurs = cell === undefined ? known !== undefined : isFollowing || beganAt(changes, cell);
  if (isOurs)
    return { isYours: true, isTheirs: old !== known && old !== last?.sent, base: known, isNewer: true };
  // The plan itself brought the code there, although nothing remembers it.
  const isEarlier = due.earlier.some((value) => isSame(field, value, old));
  // Our changes of other fields explain a newer `updated_at`.
  const isChanged = claim !== undefined && FIELDS.some((one) => claim.changes[one].length > 0);
  if (cell === undefined && !isEarlier && !isChanged) return undefined;
  const isTheirs = cell !== undefined && !isEarlier && fingerprintOf(old) !== cell;
  return { isYours: true, isTheirs, base: isTheirs ? undefined : old };
}

/** Returns the record of the dated changes for which nothing is sent; undefined if the ledger has it, or if all are sent or open. */
export function keptRecord(
  { row, code, changes }: PlanItem,
  claim: Claim | undefined,
  run: string,
): LedgerRecord | undefined {
  const { due } = row ?? {};
  if (!due || !code) return undefined;
  const isKept = (field: Field) =>
    changes.every((change) => change.field !== field || change.what === 'keep');
  const isKnown = (field: Field, wish: DueWish) => isBegun(claim, field, wish) && !isUnclear(claim, field);
  const marks = marksOf(due, (field, wish) => isKept(field) && !isKnown(field, wish));
  const fields = FIELDS.filter((field) => marks[field] !== undefined);
  if (fields.length === 0) return undefined;
  const stored = Object.fromEntries(fields.map((field) => [field, code[field] ?? '']));
  return { is: 'due', run, id: code.id.toLowerCase(), due: marks, stored };
}

/** Returns the marks of some fields. */
export function marksOf(
  due: Readonly<Partial<Record<Field, DueWish>>>,
  isWanted: (field: Field, wish: DueWish) => boolean,
): Marks {
  const marks: Partial<Record<Field, DueMark>> = {};
  for (const field of FIELDS) {
    const wish = due[field];
    if (wish && isWanted(field, wish)) marks[field] = { atMs: wish.atMs, says: wish.says };
  }
  return marks;
}

/** Returns whether the change is done, or its PATCH was begun. */
function isBegun(claim: Claim | undefined, field: Field, { atMs, says }: DueMark): boolean {
  return claim?.due?.[field]?.some((mark) => mark.atMs === atMs && mark.says === says) ?? false;
}

/** Returns whether the response to our last PATCH of the field is missing: then the value before it counts as the last one. */
export function isUnclear(claim: Claim | undefined, field: Field): boolean {
  const last = claim?.changes[field].at(-1);
  return last !== undefined && claim?.stored[field] === last.from && last.stored !== last.from;
}

/** Returns whether we changed the field from the value of the fingerprint. */
function beganAt(changes: readonly OwnChange[], print: string): boolean {
  return changes.some(({ from }) => fingerprintOf(from) === print);
}
