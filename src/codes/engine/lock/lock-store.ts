import { join, parse } from 'node:path';
import { MOST_BYTES } from '#base/bounds';
import { systemCode } from '#base/errors';
import type { UsedFiles } from '#base/run/used-files';
import type { RowEnd } from '#codes/engine/executor/job';
import type { Disk } from '#files/durable/disk';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen } from '#files/durable/path-errors';
import type { Processes } from '#files/durable/replace-file';
import { readBack } from '#files/durable/trusted-file';
import { checkWholeFile, type OutputPlace, writeWholeFile } from '#files/formats/whole-file';
import type { QrCode } from '#service/shapes';
import { formatLock, inOrder, type LockEntry, type LockFile, parseLock } from './lock-file.ts';

export const OTHER_LOCK = 'specify a different lock file with --lock';

const LOCK_PLACE: OutputPlace = { elsewhere: OTHER_LOCK, replaces: ['none', 'lock', 'other'] };

/** Reads the lock file, if any. Throws UsageError if it is invalid. */
export async function readLock(
  path: string,
  signal?: AbortSignal,
  disk: Disk = nodeDisk,
): Promise<LockFile | undefined> {
  try {
    return await parseLock((await readBack(disk, path, MOST_BYTES.recordFile)).toString(), path, signal);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw cannotOpen(`read the lock file ${path}`, error, OTHER_LOCK);
  }
}

/** E22: replaces a changed lock file atomically. Creates none without entries. The caller holds the lock. */
export async function writeLock(
  path: string,
  next: LockFile,
  before: LockFile | undefined,
  processes: Processes,
  disk = nodeDisk,
): Promise<void> {
  if (before === undefined ? next.entries.size === 0 : formatLock(before) === formatLock(next)) return;
  await replaceLock(path, next, processes, disk);
}

export function replaceLock(
  path: string,
  lock: LockFile,
  processes: Processes,
  disk = nodeDisk,
): Promise<void> {
  return writeWholeFile(path, formatLock(lock), { ...LOCK_PLACE, processes, disk, keeps: true });
}

export function lockPathOf(from: string): string {
  const { dir, name } = parse(from.replace(/\.gz$/i, ''));
  return join(dir, `${name}.lock.json`);
}

export function useLock(files: UsedFiles, path: string): void {
  files.use({ what: 'the lock file', flag: '--lock', path, writes: true });
}

export function checkLockPlace(path: string): Promise<void> {
  return checkWholeFile(path, LOCK_PLACE);
}

/** E23: updates lock entries with the codes and last applied values of the rows. */
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
      if (entry && code) next.set(key, removedEntry(entry, end, code));
      else next.delete(key);
    } else if (row && code && isKeys(end)) {
      const id = code.id.toLowerCase();
      const owner = owners.get(id) ?? key;
      // Keeps the entry of the code's former key if that key has a new code, because keys may exchange codes.
      if (owner === key || next.get(owner)?.id.toLowerCase() === id) next.delete(owner);
      const entry = entryOf(key, code, end, before.get(key));
      if (entry) next.set(key, entry);
    }
  }
  return next;
}

function isKeys({ outcome, item }: RowEnd): boolean {
  if (outcome === 'undecided') return false;
  return item.how !== 'equal' || ['adopted', 'updated', 'created'].includes(outcome);
}

function entryOf(
  key: string,
  code: QrCode,
  end: RowEnd,
  entry: LockEntry | undefined,
): LockEntry | undefined {
  const { item, outcome } = end;
  const present = inOrder({ ...code, key, sent: sentOf(end, entry) });
  const isSent = outcome === 'updated' || outcome === 'created';
  const left = item.changes.filter(({ what }) => what === 'keep' || what === 'drift' || !isSent);
  if (!entry || entry.id.toLowerCase() !== code.id.toLowerCase()) {
    // Stores the base of each unsent field, so that the next run again finds a change by another client.
    const last = left.map(({ field, base, what, new: own }) => [
      field,
      what === 'keep' ? (base ?? own) : base,
    ]);
    if (last.some(([, base]) => base === undefined)) return undefined;
    return { ...present, ...Object.fromEntries(last) };
  }
  // A key that is back in the file stays marked as removed until its changes are sent.
  const removed = !isSent && left.length > 0 ? entry.removed : undefined;
  return { ...present, ...Object.fromEntries(left.map(({ field }) => [field, entry[field]])), removed };
}

function sentOf(
  { item: { row, changes }, altered }: RowEnd,
  entry: LockEntry | undefined,
): LockEntry['sent'] {
  const sent: { name?: string; destination?: string } = {};
  for (const field of ['name', 'destination'] as const) {
    const now = altered.find((one) => one.field === field)?.sent;
    const before = entry?.sent?.[field];
    const isStill = row?.wish[field] === before && !changes.some((change) => change.field === field);
    const value = now ?? (isStill ? before : undefined);
    if (value !== undefined) sent[field] = value;
  }
  return Object.keys(sent).length > 0 ? sent : undefined;
}

function removedEntry(entry: LockEntry, { outcome, item }: RowEnd, code: QrCode): LockEntry {
  const isPaused =
    item.pause !== undefined ? outcome === 'updated' : entry.removed === 'paused' && code.status === 'paused';
  const isKept = entry.removed === 'kept' || entry.removed === 'paused';
  return isPaused
    ? { ...entry, status: code.status, removed: 'paused' }
    : { ...entry, removed: isKept ? 'kept' : true };
}
