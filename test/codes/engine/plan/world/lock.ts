/** The lock file of a run of `qr apply` that ended. */
import type { LockEntry } from '#codes/engine/lock/lock-file';
import type { Field, PlanItem } from '#codes/engine/plan/model';
import type { Report } from './run.ts';

const APPLIED: ReadonlySet<string> = new Set(['created', 'updated', 'adopted', 'unchanged']);

const OPEN: ReadonlySet<string> = new Set(['keep', 'conflict', 'drift']);

/** Writes the keys with their codes, and the values that were last applied. */
export function updateLock(lock: Map<string, LockEntry>, { reports, plan }: Report): void {
  for (const { item, code, outcome } of reports) {
    const { key } = item;
    if (key === undefined || !code || !APPLIED.has(outcome)) continue;
    const { id, slug, name, type, destination, status } = code;
    const old = lock.get(key);
    const open = leftOpen(item, old?.id === id ? old : undefined);
    if (open) lock.set(key, { key, id, slug, name, type, destination, status, ...open });
  }
  for (const { row, key, pause } of plan?.items ?? []) {
    const entry = key === undefined || row ? undefined : lock.get(key);
    if (entry) lock.set(entry.key, { ...entry, removed: pause ? 'paused' : true });
  }
}

/** Returns what was last applied of the fields that were left as they are; undefined if that is not known of one of them. */
function leftOpen(
  { changes }: PlanItem,
  old: LockEntry | undefined,
): Partial<Record<Field, string>> | undefined {
  const open: Partial<Record<Field, string>> = {};
  for (const { field, what, base } of changes) {
    if (!OPEN.has(what)) continue;
    const applied = old ? (old[field] ?? '') : base;
    if (applied === undefined) return undefined;
    open[field] = applied;
  }
  return open;
}
