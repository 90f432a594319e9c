/** The plan of an apply run: what each key needs so that file, lock file and service agree. Pure: the dry run prints the plan of the run. */
import type { Planned } from '../../base/run/outcomes.ts';
import type { Fault } from '../../files/formats/read/input.ts';
import { type CodeChanges, newCode, type QrCode } from '../../service/shapes.ts';
import { differences } from './change-rows.ts';
import { valuesKey } from './creation/same-values.ts';
import { type Identity, identifyRows, type Known } from './identify.ts';
import { judgeRow } from './judge-row.ts';
import type { KeyedRow } from './keyed-rows.ts';
import type { LockEntry } from './lock-file.ts';

/** Planned action for a key. */
export type Action = Extract<Planned, 'create' | 'adopt' | 'update' | 'edited' | 'unchanged' | 'removed' | 'gone' | 'undecided'>;

type Field = keyof CodeChanges;

/** Field whose value on the service is not that of the row. */
interface PlannedChange {
  readonly field: Field;
  readonly old: string;
  readonly new: string;
  /** Another client changed it since it was last applied. */
  readonly isEdited: boolean;
  /** It remains as it is (`--keep-edits`). */
  readonly isKept: boolean;
}

export interface PlanItem {
  readonly key: string;
  readonly action: Action;
  /** Row of the file; undefined for a removed key. */
  readonly row: KeyedRow | undefined;
  readonly entry: LockEntry | undefined;
  /** Code of the key as listed; undefined if it has none yet, or if it is gone. */
  readonly code: QrCode | undefined;
  readonly changes: readonly PlannedChange[];
  /** For `undecided`: codes that may be the key's. */
  readonly candidates: readonly QrCode[];
  /** A removed key that no earlier run reported. */
  readonly isNews: boolean;
}

export interface PlanOptions {
  readonly removed: 'report' | 'pause';
  readonly keepEdits: boolean;
  /** Greatest number of changes, not counting creations. */
  readonly maxChanges: { readonly count: number } | { readonly percent: number } | undefined;
  /** Destinations that cannot be opened are wanted. */
  readonly force: boolean;
}

export interface Plan {
  /** In the order of the file; then removed keys, sorted. */
  readonly items: readonly PlanItem[];
  /** Codes of the workspace that no key has. */
  readonly unmanaged: number;
  /** Y9: changes that would surprise in great number, and how many are allowed. */
  readonly surprises: number;
  readonly allowed: number;
  /** Nothing may be sent if there are any. */
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

export function planRows(known: Known, options: PlanOptions): Plan {
  const { rows, entries } = known;
  const identities = identifyRows(known);
  const faults: Fault[] = [...identities.contradictions];
  const warnings: Fault[] = [];
  const items = identities.rows.map(({ row, identity }): PlanItem => {
    const item = planRow(row, identity, entries.get(row.key), options);
    const judged = judgeRow(row, item, options.force);
    faults.push(...judged.faults);
    warnings.push(...judged.warnings);
    return item;
  });
  const keys = new Set(rows.map(({ key }) => key));
  const takenOver = new Set(items.map(({ code }) => code?.id));
  const removed = [...entries.values()].filter(({ key, id }) => !keys.has(key) && !takenOver.has(id));
  for (const entry of removed.sort((one, other) => (one.key < other.key ? -1 : 1))) {
    items.push(planRemoved(entry, known.codes.get(entry.id.toLowerCase()), options));
  }
  return {
    items,
    unmanaged: known.codes.size - [...identities.owned].filter((id) => known.codes.has(id)).length,
    surprises: items.filter(isSurprise).length,
    // Keys whose entry was lost count as well: a lost lock file does not lower the maximum.
    allowed: allowedChanges(entries.size + items.filter(isFound).length, options.maxChanges),
    faults,
    warnings,
  };
}

function planRow(row: KeyedRow, identity: Identity, entry: LockEntry | undefined, options: PlanOptions): PlanItem {
  const item = { key: row.key, row, entry, code: undefined, changes: [], candidates: [], isNews: false };
  switch (identity.is) {
    case 'new':
      return { ...item, action: 'create' };
    case 'gone':
      return { ...item, action: 'gone' };
    case 'asked':
      return { ...item, action: 'undecided', candidates: identity.candidates };
    case 'adopted':
      return { ...item, action: 'adopt', code: identity.code, changes: changesOf(row, identity.code, undefined, options) };
    case 'known': {
      const changes = changesOf(row, identity.code, identity.entry, options);
      const action = changes.some(({ isEdited }) => isEdited) ? 'edited' : changes.length > 0 ? 'update' : 'unchanged';
      return { ...item, action, code: identity.code, changes };
    }
  }
}

const FIELDS = ['name', 'destination', 'status'] as const;

/** Y10: a field differs from the row, as the service may have normalized it; it was edited if it differs from the lock file too. */
function changesOf(row: KeyedRow, code: QrCode, entry: LockEntry | undefined, { keepEdits }: PlanOptions): PlannedChange[] {
  const wanted = missingChanges(row, code, wantedOf(row, entry, code));
  return FIELDS.flatMap((field) => {
    const value = wanted[field];
    if (value === undefined) return [];
    const isEdited = entry !== undefined && !isSameField(field, entry, code);
    return [{ field, old: code[field] ?? '', new: value, isEdited, isKept: isEdited && keepEdits }];
  });
}

/** Returns the values that a row asks for: its own, and an active code again if its key was removed and is back. */
export function wantedOf({ changes }: KeyedRow, entry: LockEntry | undefined, code: QrCode): CodeChanges {
  const isBack = entry?.removed === 'paused' && changes.status === undefined && code.status === 'paused';
  return isBack ? { ...changes, status: 'active' } : changes;
}

/** Returns the wanted values that a code does not have. */
export function missingChanges({ through }: Pick<KeyedRow, 'through'>, code: QrCode, wanted: CodeChanges): CodeChanges {
  const missing = differences(code, wanted, through);
  for (const field of FIELDS) if (isSameField(field, code, { ...code, ...missing })) delete missing[field];
  return missing;
}

type Values = Pick<QrCode, 'name' | 'destination' | 'status' | 'type'>;

/** Equal as far as the service may normalize values. */
function isSameField(field: Field, one: Values, other: Values): boolean {
  if (field === 'status') return one.status === other.status;
  const of = ({ name, destination }: Values) =>
    valuesKey(field === 'name' ? { name } : newCode('', undefined, destination ?? undefined));
  return of(one) === of(other);
}

/** Y11: a removed key is reported, and its code paused if that is asked for: never more. */
function planRemoved(entry: LockEntry, code: QrCode | undefined, { removed }: PlanOptions): PlanItem {
  const item = { key: entry.key, row: undefined, entry, code, candidates: [], isNews: !entry.removed };
  const isPaused = removed === 'pause' && code?.status === 'active';
  const pause = { field: 'status' as const, old: 'active', new: 'paused', isEdited: false, isKept: false };
  return { ...item, action: 'removed', changes: isPaused ? [pause] : [] };
}

/** Returns the changes of an item that are to be sent. */
export function sentChanges({ changes }: PlanItem): CodeChanges {
  return Object.fromEntries(changes.filter(({ isKept }) => !isKept).map(({ field, new: value }) => [field, value]));
}

/** An existing code would change, or a key that was in the file is not. */
function isSurprise(item: PlanItem): boolean {
  return item.isNews || Object.keys(sentChanges(item)).length > 0;
}

/** A key without a lock entry that has a code. */
function isFound({ entry, code }: PlanItem): boolean {
  return entry === undefined && code !== undefined;
}

const LEAST_ALLOWED = 10;
const ALLOWED_PERCENT = 30;

function allowedChanges(keys: number, max: PlanOptions['maxChanges']): number {
  if (max === undefined) return Math.max(LEAST_ALLOWED, Math.floor((keys * ALLOWED_PERCENT) / 100));
  return 'count' in max ? max.count : Math.floor((keys * max.percent) / 100);
}

/** Returns whether a run of this plan would change the service or the lock file, or needs a decision. */
export function changesAnything({ items }: Plan): boolean {
  return items.some((item) => item.action !== 'unchanged' && (item.action !== 'removed' || isSurprise(item)));
}

/** Returns the items that only the user can decide about. */
export function openItems({ items }: Pick<Plan, 'items'>): PlanItem[] {
  return items.filter(({ action }) => action === 'gone' || action === 'undecided');
}
