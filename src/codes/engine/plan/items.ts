import { getOrAdd } from '#base/collections';
import type { LockEntry } from '#codes/engine/lock/lock-file';
import type { CodeChanges, QrCode } from '#service/shapes';
import { freeCodes } from './ladder.ts';
import { candidatesOf } from './match-lost.ts';
import type { FieldChange, PlanAction, PlanInput, PlanItem, Policy, Row } from './model.ts';
import { hasChanges, indexBy, valuesKey } from './values.ts';

export const NOTHING: CodeChanges = {};

export function itemOf(row: Row | undefined, action: PlanAction, rest: Partial<PlanItem> = {}): PlanItem {
  return {
    row,
    key: row?.key,
    action,
    how: 'none',
    changes: [],
    send: NOTHING,
    isWaiting: false,
    isDecided: false,
    candidates: [],
    learned: [],
    ...rest,
  };
}

/** E15: asks about possible duplicates created by repeated requests, for a row or without one. */
export function withDuplicates(
  items: readonly PlanItem[],
  taken: ReadonlySet<string>,
  input: PlanInput,
): PlanItem[] {
  const { repeated } = input.ledger;
  if (repeated.length === 0) return [...items];
  const free = indexBy(freeCodes({ input, taken }), valuesKey);
  const extra = new Map<string, Set<QrCode>>();
  for (const sending of repeated) {
    const isUnknown = (id: string) => !sending.firstIds.has(id) && !input.ledger.claims.has(id);
    const codes = candidatesOf(sending, free, input.ledger).filter(({ id }) => isUnknown(id.toLowerCase()));
    for (const code of codes) getOrAdd(extra, sending.rowCode ?? '', () => new Set<QrCode>()).add(code);
  }
  const reason = 'its request was repeated after a lost response, and another new code has its values';
  const ask = (item: PlanItem): PlanItem => {
    const codes = item.code && item.how !== 'decision' ? extra.get(item.code.id.toLowerCase()) : undefined;
    // A row with changes is sent. An item without a row asks about its duplicates.
    if (!item.code || !codes || hasChanges(item.send)) return item;
    extra.delete(item.code.id.toLowerCase());
    return { ...item, action: 'undecided', candidates: [item.code, ...codes], reason };
  };
  const asked = items.map(ask);
  const others = [...extra.values()].map((codes) =>
    itemOf(undefined, 'undecided', { candidates: [...codes], reason }),
  );
  return [...asked, ...others];
}

export function removedItems(
  { rows, lock, listing, policy }: PlanInput,
  isOpen: (id: string) => boolean,
): PlanItem[] {
  if (!lock) return [];
  const keys = new Set(rows.map(({ key }) => key));
  const removed = [...lock.values()].filter(({ key, id }) => !keys.has(key) && isOpen(id.toLowerCase()));
  return removed
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map((entry) => planRemoved(entry, listing.codes.get(entry.id.toLowerCase()), policy));
}

function planRemoved(
  { key, id, slug, removed }: LockEntry,
  code: QrCode | undefined,
  policy: Policy,
): PlanItem {
  const isReactivated = removed === 'kept' || (removed === 'paused' && code?.status === 'active');
  const isPaused = policy.removed === 'pause' && code?.status === 'active' && !isReactivated;
  const change: FieldChange = {
    field: 'status',
    old: 'active',
    new: 'paused',
    what: 'send',
  };
  return itemOf(undefined, 'removed', {
    key,
    code,
    goneId: code ? undefined : id,
    goneSlug: code ? undefined : slug,
    changes: isPaused ? [change] : [],
    send: isPaused ? { status: 'paused' } : NOTHING,
    pause: isPaused ? 'removed' : undefined,
    isNews: !removed,
    reason: isReactivated ? 'its code, which qrctl paused, was reactivated' : undefined,
  });
}

export function absentCodes(
  items: readonly PlanItem[],
  taken: ReadonlySet<string>,
  { ledger, listing }: PlanInput,
): QrCode[] {
  const runs = new Set(
    items.flatMap(({ code }) => (code && ledger.claims.get(code.id.toLowerCase())?.run) || []),
  );
  return [...ledger.claims.values()]
    .filter(({ id, run }) => runs.has(run) && !taken.has(id) && !ledger.replaced.has(id))
    .flatMap(({ id }) => listing.codes.get(id) ?? []);
}
