import { describe, expect, it } from 'vitest';
import { type EndedItem, entriesOf } from '../../../src/codes/engine/lock-entries.ts';
import type { LockEntry } from '../../../src/codes/engine/lock-file.ts';
import type { PlanItem } from '../../../src/codes/engine/plan.ts';
import type { QrCode } from '../../../src/service/shapes.ts';
import { codeOf, entryOf, rowOf } from './plan-world.ts';

const workspace = { baseUrl: 'https://qr.example/api/v1' };
const code = codeOf(1);
const change = { field: 'name' as const, old: 'name 1', new: 'new', isEdited: true, isKept: false };

/** The entries after an item ended so. */
function entriesAfter(
  before: readonly LockEntry[],
  item: Pick<PlanItem, 'key' | 'action'> & Partial<PlanItem>,
  { outcome = 'unchanged', code: now }: { outcome?: EndedItem['outcome']; code?: QrCode | undefined } = {},
): LockEntry[] {
  const entries = new Map(before.map((entry) => [entry.key, entry]));
  const nothing = { row: undefined, entry: entries.get(item.key), code: undefined, changes: [], candidates: [], isNews: false };
  const ended = { item: { ...nothing, ...item }, outcome, error: undefined, candidates: [], code: now };
  return [...entriesOf([ended], { workspace, entries }).values()];
}

describe('the entry of a key of the file', () => {
  const row = rowOf('a', 2);

  it('is that of its code, and no other key keeps the code', () => {
    const made = { key: 'a', action: 'create' as const, row };
    expect(entriesAfter([], made, { outcome: 'created', code })).toEqual([entryOf('a', code)]);
    expect(entriesAfter([entryOf('b', code), entryOf('c', codeOf(2))], made, { outcome: 'adopted', code })).toEqual([
      entryOf('c', codeOf(2)),
      entryOf('a', code),
    ]);
    expect(entriesAfter([entryOf('a', code)], { key: 'a', action: 'unchanged', row }, { code })).toEqual([entryOf('a', code)]);
  });

  it('is left as it is without a code', () => {
    const before = [entryOf('a', code), entryOf('b', codeOf(2))];
    expect(entriesAfter(before, { key: 'a', action: 'gone', row }, { outcome: 'undecided' })).toEqual(before);
  });

  it('has the new values of what was applied, and the old ones of what was not (Y22)', () => {
    const entry = entryOf('a', codeOf(1, { name: 'old', destination: 'https://old.example/' }));
    const now = codeOf(1, { name: 'new', destination: 'https://new.example/' });
    const kept = { ...change, field: 'destination' as const, isKept: true };
    const item = { key: 'a', action: 'edited' as const, row, changes: [change, kept] };
    expect(entriesAfter([entry], item, { outcome: 'updated', code: now })).toEqual([{ ...entry, name: 'new' }]);
    expect(entriesAfter([entry], item, { outcome: 'failed', code: now })).toEqual([entry]);
    const all = { ...item, changes: [change] };
    expect(entriesAfter([entry], all, { outcome: 'updated', code: now })).toEqual([entryOf('a', now)]);
    expect(entriesAfter([entry], all, { outcome: 'failed', code: now })).toEqual([{ ...entryOf('a', now), name: 'old' }]);
  });

  it('is removed no longer once its code has the values of the row', () => {
    const entry = entryOf('a', code, { removed: 'paused' });
    const item = { key: 'a', action: 'update' as const, row, changes: [{ ...change, field: 'status' as const }] };
    expect(entriesAfter([entry], item, { outcome: 'failed', code })).toMatchObject([{ removed: 'paused' }]);
    expect(entriesAfter([entry], item, { outcome: 'updated', code })[0]?.removed).toBeUndefined();
    const kept = { ...item, changes: [{ ...change, isKept: true }] };
    expect(entriesAfter([entry], kept, { outcome: 'updated', code })[0]?.removed).toBeUndefined();
    expect(entriesAfter([entry], { ...item, changes: [] }, { code })[0]?.removed).toBeUndefined();
  });
});

describe('the entry of a removed key', () => {
  const entry = entryOf('a', codeOf(1, { name: 'applied' }));
  const item = { key: 'a', action: 'removed' as const };

  it('is gone with its code', () => {
    expect(entriesAfter([entry, entryOf('b', codeOf(2))], item)).toEqual([entryOf('b', codeOf(2))]);
  });

  it('keeps the values that were applied last, and is marked', () => {
    const edited = codeOf(1, { name: 'by hand', status: 'paused' });
    expect(entriesAfter([entry], item, { code: edited })).toEqual([{ ...entry, removed: true }]);
  });

  it('says that its removal paused the code, as long as the code is paused', () => {
    const pause = { ...item, changes: [{ ...change, field: 'status' as const }] };
    const paused = codeOf(1, { status: 'paused' });
    const [marked] = entriesAfter([entry], pause, { outcome: 'updated', code: paused });
    expect(marked).toEqual({ ...entry, status: 'paused', removed: 'paused' });
    if (!marked) return;
    expect(entriesAfter([marked], item, { code: paused })).toEqual([marked]);
    expect(entriesAfter([marked], item, { code })).toEqual([{ ...marked, removed: true }]);
    expect(entriesAfter([{ ...marked, removed: true }], item, { code: paused })).toEqual([{ ...marked, removed: true }]);
  });
});
