/** Entries of the lock file after, and before, a plan is carried out. */
import type { QrCode } from '../../service/shapes.ts';
import type { RowOutcome } from '../input/outcomes.ts';
import type { LockEntry, LockFile } from './lock-file.ts';
import type { PlanItem } from './plan.ts';

/** Item of the plan, as it ended. */
export interface EndedItem {
  readonly item: PlanItem;
  readonly outcome: RowOutcome;
  readonly error: string | undefined;
  /** The code that the key has now. */
  readonly code: QrCode | undefined;
  /** Codes that may be the key's: the user must decide. */
  readonly candidates: readonly QrCode[];
}

/**
 * Y22: the entries of the lock file: each key with its code, and the values that it has. A value that was not applied stays as it was, so that
 * an edit by another client is still known as one.
 */
export function entriesOf(ended: readonly EndedItem[], lock: LockFile): Map<string, LockEntry> {
  const next = new Map(lock.entries);
  const owners = new Map([...next.values()].map(({ id, key }) => [id, key]));
  for (const { item, outcome, code } of ended) {
    const { key, action, entry, row } = item;
    if (action === 'removed' && !code) next.delete(key);
    if (!code) continue;
    next.delete(owners.get(code.id) ?? key);
    next.set(key, row ? entryOf(item, code, outcome) : removedEntry(item, code, entry ?? code));
  }
  return next;
}

function entryOf({ key, entry, changes }: PlanItem, code: QrCode, outcome: RowOutcome): LockEntry {
  const { id, slug, name, type, destination, status } = code;
  const present = { key, id, slug, name, type, destination, status };
  if (!entry) return present;
  const isDone = outcome === 'updated';
  const left = changes.filter(({ isKept }) => isKept || !isDone).map(({ field }) => [field, entry[field]]);
  // A key that is back is still one that was removed, until its code is active again.
  const removed = !isDone && left.length > 0 ? entry.removed : undefined;
  return { ...present, ...Object.fromEntries(left), removed };
}

function removedEntry({ key, changes }: PlanItem, code: QrCode, entry: Omit<LockEntry, 'key'>): LockEntry {
  const { id, slug, name, type, destination, status } = entry;
  const isPaused = changes.length > 0 || (entry.removed === 'paused' && code.status === 'paused');
  return {
    ...{ key, id, slug, name, type, destination },
    status: isPaused ? code.status : status,
    removed: isPaused ? 'paused' : true,
  };
}
