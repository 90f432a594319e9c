/** E23: entries of the lock file after a run. */
import type { QrCode } from '../../../service/shapes.ts';
import type { RowEnd } from '../executor/job.ts';
import type { LockEntry } from './lock-file.ts';

/**
 * Returns the entries of the lock file: each key with its code, and the values last applied. A field that was left open keeps its entry, so
 * that a change by another client is still known as one.
 */
export function entriesOf(
  ends: readonly RowEnd[],
  before: ReadonlyMap<string, LockEntry>,
): Map<string, LockEntry> {
  const next = new Map(before);
  const owners = new Map([...before.values()].map(({ id, key }) => [id.toLowerCase(), key]));
  for (const end of ends) {
    const { item, code } = end;
    const { key, row, action } = item;
    if (key === undefined) continue;
    if (action === 'removed') {
      const entry = before.get(key);
      if (!code) next.delete(key);
      else if (entry) next.set(key, removedEntry(entry, end, code));
    } else if (row && code && isKeys(end)) {
      next.delete(owners.get(code.id.toLowerCase()) ?? key);
      const entry = entryOf(key, code, end, before.get(key));
      if (entry) next.set(key, entry);
    }
  }
  return next;
}

/** The code is that of the key, and not only a candidate. */
function isKeys({ outcome, item }: RowEnd): boolean {
  if (outcome === 'undecided' || outcome === 'gone' || outcome === 'exists') return false;
  return item.how !== 'equal' || outcome === 'adopted' || outcome === 'updated' || outcome === 'created';
}

function entryOf(
  key: string,
  code: QrCode,
  end: RowEnd,
  entry: LockEntry | undefined,
): LockEntry | undefined {
  const { item, outcome } = end;
  const { id, slug, name, type, destination, status } = code;
  const sent = sentOf(end, entry);
  const present = { key, id, slug, name, type, destination, status, ...(sent && { sent }) };
  const kept = item.changes.filter(({ what }) => what === 'keep');
  if (!entry || entry.id.toLowerCase() !== id.toLowerCase()) {
    // Without the value last applied, the next run could not tell that another client changed it.
    if (kept.some(({ base }) => base === undefined)) return undefined;
    return { ...present, ...Object.fromEntries(kept.map(({ field, base }) => [field, base])) };
  }
  const isSent = outcome === 'updated' || outcome === 'created';
  const left = item.changes.filter(({ what }) => what === 'keep' || what === 'drift' || !isSent);
  // A key that is back is still one that was removed, until its code is active again.
  const removed = !isSent && left.length > 0 ? entry.removed : undefined;
  return { ...present, ...Object.fromEntries(left.map(({ field }) => [field, entry[field]])), removed };
}

/** Values that the service stored otherwise: only the lock file tells another machine that they need no request. */
function sentOf(
  { item: { row, changes }, altered }: RowEnd,
  entry: LockEntry | undefined,
): LockEntry['sent'] {
  const sent: { name?: string; destination?: string } = {};
  for (const field of ['name', 'destination'] as const) {
    const now = altered.find((one) => one.field === field)?.sent;
    const before = entry?.sent?.[field];
    const isStill =
      before !== undefined &&
      row?.wish[field] === before &&
      !changes.some((change) => change.field === field);
    const value = now ?? (isStill ? before : undefined);
    if (value !== undefined) sent[field] = value;
  }
  return Object.keys(sent).length > 0 ? sent : undefined;
}

function removedEntry(entry: LockEntry, { outcome, item }: RowEnd, code: QrCode): LockEntry {
  const isPaused =
    item.pause !== undefined ? outcome === 'updated' : entry.removed === 'paused' && code.status === 'paused';
  return { ...entry, status: isPaused ? code.status : entry.status, removed: isPaused ? 'paused' : true };
}
