/**
 * E6: compares a row with its code, field by field, by three values: the row's, the service's, and the base, which is the value that the row
 * was saved from. So no change by another client is undone without a note.
 */
import { parseScanTime } from '../../../service/scan-times.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { LockEntry } from '../lock/lock-file.ts';
import { fingerprintOf } from './base.ts';
import {
  type Claim,
  type DueMark,
  type DueWish,
  FIELDS,
  type Field,
  type FieldChange,
  type LedgerRecord,
  type LedgerView,
  type OwnChange,
  type PlanItem,
  type Policy,
  type Row,
} from './model.ts';
import { isCellOf, isCellOfPrint, isSame, wantedValue } from './values.ts';

/** What is known of a row and its code. */
export interface Pair {
  readonly row: Row;
  readonly code: QrCode;
  readonly claim: Claim | undefined;
  readonly entry: LockEntry | undefined;
  readonly policy: Policy;
  readonly ledger: Pick<LedgerView, 'storedOf'>;
  /** Status that was to be sent after the request which made the code. */
  readonly unsent: string | undefined;
}

/** Which side changed a field in which both differ. */
interface Changed {
  /** The row was edited. */
  readonly isYours: boolean;
  /** The code was edited by another client, or it is not known. */
  readonly isTheirs: boolean;
  readonly base: string | undefined;
  /** This machine changed it since the row was saved: another copy of the list may have, so it is said. */
  readonly isOurs?: boolean;
  /** Its time came after all other changes: it is no conflict. */
  readonly isNewer?: boolean;
}

/** Returns the fields in which row and code differ, and what is to be done about each. Throws as `wantedValue`. */
export function compareRow(pair: Pair): FieldChange[] {
  const { row, code } = pair;
  return FIELDS.flatMap((field): FieldChange[] => {
    const old = code[field] ?? '';
    const wanted = wantedValue(row, field, code) ?? statusOfReturned(field, pair);
    if (wanted === undefined) return driftOf(field, pair);
    const isEqual = isCellOf(wanted, old, row.through) || isSame(field, wanted, old);
    if (isEqual || pair.ledger.storedOf(field, wanted) === old) return [];
    // What the service made of the value when it was last applied.
    if (
      pair.entry &&
      field !== 'status' &&
      pair.entry.sent?.[field] === wanted &&
      (pair.entry[field] ?? '') === old
    )
      return [];
    // The creation of an earlier run is finished.
    if (field === 'status' && wanted === pair.unsent && old === (pair.claim?.stored.status ?? 'active'))
      return [{ field, old, new: wanted, base: old, what: 'send' }];
    const due = row.due?.[field];
    const changed = (due && changedByDate(field, wanted, due, pair)) ?? changedBy(field, wanted, pair);
    return [
      {
        field,
        old,
        new: wanted,
        base: changed.base,
        what: decide(changed, pair, isAnswered(field, wanted, pair)),
      },
    ];
  });
}

/** A key that was removed and is back: its code, which was paused for it, is active again. */
function statusOfReturned(field: Field, { code, claim, entry }: Pair): string | undefined {
  if (field !== 'status' || code.status !== 'paused') return undefined;
  if (claim?.paused?.why === 'removed') return claim.paused.status;
  return entry?.removed === 'paused' ? 'active' : undefined;
}

/** A status that the file does not manage, and that was changed since it was last applied. */
function driftOf(field: Field, { code, entry }: Pair): FieldChange[] {
  if (field !== 'status' || entry === undefined || entry.status === code.status) return [];
  return [{ field, old: code.status, new: entry.status, base: entry.status, what: 'drift' }];
}

function changedBy(field: Field, wanted: string, pair: Pair): Changed {
  const { row, code, claim, entry } = pair;
  const old = code[field] ?? '';
  const cell = row.base?.[field];
  if (cell !== undefined) {
    if (isCellOfPrint(wanted, cell, row.through)) return { isYours: false, isTheirs: true, base: wanted };
    const own = lastOf(claim?.changes[field] ?? [], cell);
    if (own && isUnclear(claim, field))
      return { isYours: true, isTheirs: old !== own.from && old !== own.sent, base: own.from };
    if (own) return { ...changedSince(field, wanted, old, own), isOurs: true };
    const isTheirs = fingerprintOf(old) !== cell;
    return { isYours: true, isTheirs, base: isTheirs ? undefined : old };
  }
  const begun = claim?.changes[field].at(-1);
  const isApplied = begun !== undefined && begun.from === claim?.stored[field] && begun.stored === old;
  const own = isApplied ? old : claim?.stored[field];
  const last = entry ? (entry[field] ?? '') : own;
  if (last !== undefined) return changedSince(field, wanted, old, { sent: last, stored: last });
  const isUnknown = row.updatedAtMs !== undefined && (parseScanTime(code.updated_at) ?? 0) > row.updatedAtMs;
  return { isYours: true, isTheirs: isUnknown, base: undefined };
}

function changedSince(
  field: Field,
  wanted: string,
  old: string,
  { sent, stored }: Pick<OwnChange, 'sent' | 'stored'>,
): Changed {
  const isYours = !isSame(field, wanted, sent) && !isSame(field, wanted, stored);
  return { isYours, isTheirs: old !== stored && old !== sent, base: stored };
}

/** Our last change of a field in the chain that begins at the value of the fingerprint; undefined if we did not change it from there. */
function lastOf(changes: readonly OwnChange[], print: string): OwnChange | undefined {
  let last: OwnChange | undefined;
  for (const change of changes) {
    if (last ? change.from === last.stored : fingerprintOf(change.from) === print) last = change;
  }
  return last;
}

function winOf(isTheirs: boolean): 'overwrite' | 'send' {
  return isTheirs ? 'overwrite' : 'send';
}

/** The answer `mine` was used before, if our last change of the field was to this value: what came after it was not shown. */
function isAnswered(field: Field, wanted: string, { claim }: Pair): boolean {
  return claim?.changes[field].at(-1)?.sent === wanted && !isUnclear(claim, field);
}

function decide(
  { isYours, isTheirs, isNewer, isOurs = false }: Changed,
  { row, policy }: Pair,
  isUsed: boolean,
): FieldChange['what'] {
  const { verb, conflicts, applyEdits } = policy;
  const answer = row.decision?.is;
  if (answer === 'theirs') return 'keep';
  const wins = winOf(isTheirs || isOurs);
  if ((answer === 'mine' && !isUsed) || isNewer) return wins;
  // The file of `qr apply` is the truth: an edit by another client is a difference like others, and is said.
  if (!isYours && verb !== 'apply') return 'keep';
  if (isTheirs && conflicts === 'ask') return 'conflict';
  if (isTheirs && conflicts === 'service') return 'keep';
  return verb === 'create' && !applyEdits ? 'edit' : wins;
}

type Marks = Readonly<Partial<Record<Field, DueMark>>>;

/** Returns which side changed a field since the last change of ours. Only the row did, if there is no memory of it and no base. */
function changedByDate(
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
function isUnclear(claim: Claim | undefined, field: Field): boolean {
  const last = claim?.changes[field].at(-1);
  return last !== undefined && claim?.stored[field] === last.from && last.stored !== last.from;
}

/** Returns whether we changed the field from the value of the fingerprint. */
function beganAt(changes: readonly OwnChange[], print: string): boolean {
  return changes.some(({ from }) => fingerprintOf(from) === print);
}
