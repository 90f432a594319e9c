/** E6: compares a row with its code by a three-way merge per field: row, service and base. */

import type { LockEntry } from '#codes/engine/lock/lock-file';
import { parseScanTime } from '#service/scan-times';
import type { QrCode } from '#service/shapes';
import { fingerprintOf } from './base.ts';
import type { LedgerRecord } from './ledger-lines.ts';
import {
  type Claim,
  type DueMark,
  type DueWish,
  FIELDS,
  type Field,
  type FieldChange,
  type LedgerView,
  type OwnChange,
  type PlanItem,
  type Policy,
  type Row,
  type Values,
} from './model.ts';
import { isCellOf, isCellOfPrint, isSame, wantedValue } from './values.ts';

interface Pair {
  row: Row;
  code: QrCode;
  claim: Claim | undefined;
  entry: LockEntry | undefined;
  policy: Policy;
  ledger: Pick<LedgerView, 'storedOf'>;
  unsent: string | undefined;
}

interface Changed {
  /** Whether the row's value was edited. `dated`: by a dated row, which wins over a change by another client. */
  isYours: boolean | 'dated';
  isTheirs: boolean;
  base?: string;
  /** Whether this machine changed the code after the row was saved, maybe for another copy of the file. */
  isOurs?: boolean;
}

/** Returns each differing field of the code and its action. Throws RangeError as `wantedValue` does. */
export function compareRow(pair: Pair): FieldChange[] {
  const { row, code } = pair;
  return FIELDS.flatMap((field): FieldChange[] => {
    const old = code[field] ?? '';
    const wanted = wantedValue(row, field, code) ?? statusOfReturned(field, pair);
    if (wanted === undefined) return driftOf(field, pair);
    if (isCellOf(wanted, old, row.through) || isStoredAs(field, wanted, old, pair)) return [];
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

/** Returns whether the service stores `wanted` as `value`: normalized, or as ledger or lock file recorded. */
function isStoredAs(field: Field, wanted: string, value: string, { entry, ledger }: Pair): boolean {
  if (isSame(field, wanted, value) || ledger.storedOf(field, wanted) === value) return true;
  if (!entry) return false;
  const sent: Values = entry.sent ?? {};
  return sent[field] === wanted && (entry[field] ?? '') === value;
}

function statusOfReturned(field: Field, { code, claim, entry }: Pair): string | undefined {
  if (field !== 'status' || code.status !== 'paused') return undefined;
  if (claim?.paused?.why === 'removed') return claim.paused.status;
  return entry?.removed === 'paused' ? 'active' : undefined;
}

function driftOf(field: Field, { code, entry }: Pair): FieldChange[] {
  if (field !== 'status' || entry === undefined || entry.status === code.status) return [];
  return [{ field, old: code.status, new: entry.status, base: entry.status, what: 'drift' }];
}

function changedBy(field: Field, wanted: string, pair: Pair): Changed {
  const { row, code, claim, entry } = pair;
  const old = code[field] ?? '';
  const cell = row.base?.[field];
  if (cell !== undefined) {
    const stored = pair.ledger.storedOf(field, wanted) ?? wanted;
    if (isCellOfPrint(wanted, cell, row.through) || fingerprintOf(stored) === cell)
      return { isYours: false, isTheirs: true, base: wanted };
    const own = lastOf(claim?.changes[field] ?? [], cell);
    if (own && unclearChange(claim, field))
      return { isYours: true, isTheirs: old !== own.from && old !== own.sent, base: own.from };
    if (own) return { ...changedSince(field, wanted, own, pair), isOurs: true };
    const isTheirs = fingerprintOf(old) !== cell;
    return { isYours: true, isTheirs, base: isTheirs ? undefined : old };
  }
  const own = unclearChange(claim, field)?.stored === old ? old : claim?.stored[field];
  const last = entry ? (entry[field] ?? '') : own;
  if (last !== undefined) return changedSince(field, wanted, { sent: last, stored: last }, pair);
  const isTheirs = updatedMs(code) > (row.updatedAtMs ?? Number.POSITIVE_INFINITY);
  return { isYours: true, isTheirs, base: undefined };
}

function changedSince(
  field: Field,
  wanted: string,
  { sent, stored }: Pick<OwnChange, 'sent' | 'stored'>,
  pair: Pair,
): Changed {
  const old = pair.code[field] ?? '';
  const isYours = ![sent, stored].some((value) => isStoredAs(field, wanted, value, pair));
  return { isYours, isTheirs: old !== stored && old !== sent, base: stored };
}

function lastOf(changes: readonly OwnChange[], print: string): OwnChange | undefined {
  let last: OwnChange | undefined;
  for (const change of changes) {
    if (last ? change.from === last.stored : fingerprintOf(change.from) === print) last = change;
  }
  return last;
}

/** Returns whether the decision `mine` was carried out: qrctl last sent this value and got a response. */
function isAnswered(field: Field, wanted: string, { claim }: Pair): boolean {
  return claim?.changes[field].at(-1)?.sent === wanted && !unclearChange(claim, field);
}

function decide(
  { isYours, isTheirs, isOurs = false }: Changed,
  { row, policy }: Pair,
  isUsed: boolean,
): FieldChange['what'] {
  const { verb, conflicts, applyEdits } = policy;
  const answer = row.decision?.is;
  if (answer === 'theirs') return 'keep';
  const wins = isTheirs || isOurs ? 'overwrite' : 'send';
  if ((answer === 'mine' && !isUsed) || isYours === 'dated') return wins;
  // Without a new decision `mine`, only `qr apply` may send unedited values.
  if (!isYours && verb !== 'apply') return 'keep';
  if (isTheirs && conflicts === 'ask') return 'conflict';
  if (isTheirs && conflicts === 'service') return 'keep';
  return verb === 'create' && !applyEdits ? 'edit' : wins;
}

type Marks = Readonly<Partial<Record<Field, DueMark>>>;

/** Returns which side changed a field of a dated row, or undefined if `changedBy` must decide. */
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
  const isOpen = unclearChange(claim, field)?.sent === wanted;
  if (isBegun(claim, field, due)) return { isYours: isOpen, isTheirs: !isOpen || old !== known, base: known };
  const cell = row.base?.[field];
  // With a base cell, `isOurs` means that qrctl applied an earlier dated row, or changed the saved value.
  const isFollowing = due.earlier.length > 0 && claim?.due?.[field] !== undefined;
  const isBase = ({ from }: OwnChange) => fingerprintOf(from) === cell;
  const isOurs = cell === undefined ? known !== undefined : isFollowing || changes.some(isBase);
  // If qrctl already sent this value, maybe for another date, any later edit is by another client.
  const isRepeated = last !== undefined && !unclearChange(claim, field) && isSame(field, wanted, last.sent);
  if (isRepeated) return { isYours: false, isTheirs: true, base: known };
  if (isOurs) return { isYours: 'dated', isTheirs: old !== known && old !== last?.sent, base: known };
  // `isEarlier`: the code has the value of an earlier row of the plan, but the ledger lacks that change.
  const isEarlier = due.earlier.some((value) => isSame(field, value, old));
  // A newer `updated_at` does not show an edit if qrctl changed any field.
  const isChanged = claim !== undefined && FIELDS.some((one) => claim.changes[one].length > 0);
  if (cell === undefined && !isEarlier && !isChanged)
    return isEditedSince(due.atMs, code) ? { isYours: true, isTheirs: true, base: undefined } : undefined;
  const isTheirs = cell !== undefined && !isEarlier && fingerprintOf(old) !== cell;
  return { isYours: true, isTheirs, base: isTheirs ? undefined : old };
}

function isEditedSince(atMs: number, code: QrCode): boolean {
  return code.updated_at !== code.created_at && updatedMs(code) > atMs;
}

function updatedMs({ updated_at }: QrCode): number {
  return parseScanTime(updated_at) ?? 0;
}

/**
 * Returns a record of dated changes that need no request and that the ledger lacks, if any, so that later
 * runs don't send them.
 */
export function keptRecord(
  { row, code, changes }: PlanItem,
  claim: Claim | undefined,
  run: string,
): LedgerRecord | undefined {
  const { due } = row ?? {};
  if (!due || !code) return undefined;
  const isKept = (field: Field) =>
    changes.every((change) => change.field !== field || change.what === 'keep');
  const isKnown = (field: Field, wish: DueWish) =>
    isBegun(claim, field, wish) && !unclearChange(claim, field);
  const marks = marksOf(due, (field, wish) => isKept(field) && !isKnown(field, wish));
  const fields = FIELDS.filter((field) => marks[field] !== undefined);
  if (fields.length === 0) return undefined;
  const stored = Object.fromEntries(fields.map((field) => [field, code[field] ?? '']));
  return { is: 'due', run, id: code.id.toLowerCase(), due: marks, stored };
}

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

function isBegun(claim: Claim | undefined, field: Field, { atMs, says }: DueMark): boolean {
  return claim?.due?.[field]?.some((mark) => mark.atMs === atMs && mark.says === says) ?? false;
}

/** Returns a field's last change if its PATCH got no response: the claim still stores the old value. */
function unclearChange(claim: Claim | undefined, field: Field): OwnChange | undefined {
  if (!claim) return undefined;
  const last = claim.changes[field].at(-1);
  return last && claim.stored[field] === last.from && last.stored !== last.from ? last : undefined;
}
