/** Builds entries of lock files for tests. */
import type { LockEntry } from '../../../../src/codes/engine/lock/lock-file.ts';
import type { QrCode } from '../../../../src/service/shapes.ts';

/** Returns the entry of a key whose code has the values that were applied last. */
export function entryOf(key: string, code: QrCode, more: Partial<LockEntry> = {}): LockEntry {
  const { id, slug, name, type, destination, status } = code;
  return { key, id, slug, name, type, destination, status, ...more };
}
