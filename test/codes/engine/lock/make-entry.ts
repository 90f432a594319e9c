/** Builds entries of lock files for tests. */
import type { LockEntry } from '#codes/engine/lock/lock-file';
import type { QrCode } from '#service/shapes';

/** Returns the entry of a key whose code has the values that were applied last. */
export function entryOf(key: string, code: QrCode, more: Partial<LockEntry> = {}): LockEntry {
  const { id, slug, name, type, destination, status } = code;
  return { key, id, slug, name, type, destination, status, ...more };
}
