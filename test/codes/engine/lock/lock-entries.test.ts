import { describe, expect, it } from 'vitest';
import type { RowEnd } from '#codes/engine/executor/job';
import type { LockEntry } from '#codes/engine/lock/lock-file';
import { entriesOf } from '#codes/engine/lock/lock-store';
import type { FieldChange, PlanItem } from '#codes/engine/plan/model';
import { codeOf, rowOf } from '../plan/make.ts';
import { endOf, itemOf } from '../results/plan-builder.ts';
import { entryOf } from './make-entry.ts';

const code = codeOf(1);
const change: FieldChange = { field: 'name', old: 'Code 1', new: 'new', what: 'send', base: undefined };
const status: FieldChange = { ...change, field: 'status', old: 'paused', new: 'active' };

/** Returns the lock entries after a run whose only row, with the key `a`, had this item and outcome. */
function entriesAfter(
  before: readonly LockEntry[],
  [action, item]: readonly [PlanItem['action'], Partial<PlanItem>],
  outcome: RowEnd['outcome'] = 'unchanged',
  end: Partial<RowEnd> = {},
): LockEntry[] {
  const row = itemOf(action === 'removed' ? 0 : 2, action, { key: 'a', ...item });
  return [
    ...entriesOf([endOf(row, outcome, end)], new Map(before.map((entry) => [entry.key, entry]))).values(),
  ];
}

describe('the lock entry for a key in the file', () => {
  it('contains the code for its row, and replaces the entry for another key that has the same code', () => {
    expect(entriesAfter([], ['create', {}], 'created', { code })).toEqual([entryOf('a', code)]);
    const others = [entryOf('b', code), entryOf('c', codeOf(2))];
    expect(entriesAfter(others, ['adopt', { how: 'equal' }], 'adopted', { code })).toEqual([
      entryOf('c', codeOf(2)),
      entryOf('a', code),
    ]);
    expect(entriesAfter([entryOf('a', code)], ['unchanged', { code }])).toEqual([entryOf('a', code)]);
  });

  it('has the code of the other key after a decision exchanged the codes of two keys', () => {
    const [one, two] = [codeOf(1), codeOf(2)];
    const before = [entryOf('a', one), entryOf('b', two)];
    const ends = [
      endOf(itemOf(2, 'adopt', { key: 'a', how: 'decision', code: two }), 'adopted', { code: two }),
      endOf(itemOf(3, 'adopt', { key: 'b', how: 'decision', code: one }), 'adopted', { code: one }),
    ];
    const after = entriesOf(ends, new Map(before.map((entry) => [entry.key, entry])));
    expect([...after.values()]).toEqual([entryOf('a', two), entryOf('b', one)]);
  });

  it.each(['gone', 'undecided', 'exists'] as const)(
    'is unchanged if the row has the outcome `%s`',
    (outcome) => {
      const before = [entryOf('a', codeOf(3)), entryOf('b', codeOf(2))];
      expect(entriesAfter(before, [outcome, { how: 'equal', code }], outcome)).toEqual(before);
    },
  );

  it('is not created for a new code if the run found a duplicate of it', () => {
    expect(entriesAfter([], ['create', {}], 'undecided', { code })).toEqual([]);
  });

  it('is not created for a code that was found only by its values if the row conflicts or its update fails', () => {
    const edited = { how: 'equal' as const, code, changes: [{ ...change, what: 'conflict' as const }] };
    expect(entriesAfter([], ['conflict', edited], 'conflict')).toEqual([]);
    expect(entriesAfter([], ['update', { ...edited, changes: [change] }], 'failed')).toEqual([]);
  });

  it('has the base value of a conflicting field if the key is new, or is not created without such a value (E23)', () => {
    const open = { how: 'key' as const, code };
    const conflict: FieldChange = { ...change, what: 'conflict', base: 'saved' };
    const entries = entriesAfter([], ['conflict', { ...open, changes: [conflict] }], 'conflict', { code });
    expect(entries).toEqual([{ ...entryOf('a', code), name: 'saved' }]);
    const unknown = { ...conflict, base: undefined };
    expect(entriesAfter([], ['conflict', { ...open, changes: [unknown] }], 'conflict', { code })).toEqual([]);
  });

  it("has the row's value if --conflicts service kept a different value and the base is unknown (E23)", () => {
    const kept: FieldChange = { ...change, what: 'keep' };
    const entries = entriesAfter([], ['adopt', { how: 'decision', code, changes: [kept] }], 'adopted', {
      code,
    });
    expect(entries).toEqual([{ ...entryOf('a', code), name: 'new' }]);
  });

  it('has the new values of applied changes, and the old values of changes that were not applied (E23)', () => {
    const entry = entryOf('a', codeOf(1, { name: 'old', destination: 'https://old.example/' }));
    const now = codeOf(1, { name: 'new', destination: 'https://new.example/' });
    const kept: FieldChange = { ...change, field: 'destination', what: 'keep' };
    expect(entriesAfter([entry], ['update', { changes: [change, kept] }], 'updated', { code: now })).toEqual([
      { ...entry, name: 'new' },
    ]);
    expect(entriesAfter([entry], ['update', { changes: [change, kept] }], 'failed', { code: now })).toEqual([
      entry,
    ]);
    expect(entriesAfter([entry], ['update', { changes: [change] }], 'updated', { code: now })).toEqual([
      entryOf('a', now),
    ]);
    expect(entriesAfter([entry], ['update', { changes: [change] }], 'failed', { code: now })).toEqual([
      { ...entryOf('a', now), name: 'old' },
    ]);
  });

  it('keeps the last applied status if another client changed a status that the file does not manage', () => {
    const drift: FieldChange = { ...status, old: 'paused', new: 'active', what: 'drift' };
    const now = codeOf(1, { status: 'paused' });
    expect(entriesAfter([entryOf('a', code)], ['unchanged', { code: now, changes: [drift] }])).toEqual([
      entryOf('a', code),
    ]);
  });

  it('keeps the last applied status after another client changed it, even if the run changed another field', () => {
    const drift: FieldChange = { ...status, what: 'drift' };
    const now = codeOf(1, { name: 'new', status: 'paused' });
    expect(
      entriesAfter([entryOf('a', code)], ['update', { changes: [change, drift] }], 'updated', { code: now }),
    ).toEqual([entryOf('a', code, { name: 'new' })]);
  });

  it('has the current values of a code that was found after a lost response and then updated', () => {
    const found = { how: 'lost' as const, changes: [status] };
    expect(entriesAfter([], ['update', found], 'created', { code })).toEqual([entryOf('a', code)]);
  });

  it('takes no values from an entry for a previous code of the same key', () => {
    const old = entryOf('a', codeOf(3, { name: 'old' }), { removed: 'paused' });
    const conflict: FieldChange = { ...change, what: 'conflict', base: 'saved' };
    const adopted = (changes: FieldChange[]) =>
      entriesAfter([old], ['conflict', { how: 'decision', changes }], 'conflict', { code });
    expect(adopted([conflict])).toEqual([entryOf('a', code, { name: 'saved' })]);
    expect(adopted([{ ...conflict, base: undefined }])).toEqual([]);
  });

  it('is created for a code that belonged to another key, even if that key no longer has an entry', () => {
    const [one, two] = [codeOf(1), codeOf(2)];
    const unknown: FieldChange = { ...change, what: 'conflict' };
    const ends = [
      endOf(itemOf(2, 'conflict', { key: 'b', how: 'decision', changes: [unknown] }), 'conflict', {
        code: two,
      }),
      endOf(itemOf(3, 'adopt', { key: 'a', how: 'decision' }), 'adopted', { code: one }),
    ];
    expect([...entriesOf(ends, new Map([['b', entryOf('b', one)]])).values()]).toEqual([entryOf('a', one)]);
  });

  it('is unchanged if its row has no code, or if a row without a key is updated', () => {
    const before = [entryOf('a', codeOf(3))];
    expect(entriesAfter(before, ['create', { how: 'none' }], 'failed')).toEqual(before);
    expect(entriesAfter(before, ['update', { key: undefined }], 'updated', { code })).toEqual(before);
  });

  it('is found by the ID of its code in upper or lower case', () => {
    const id = 'abcdefab-0000-4000-8000-00000000000a';
    for (const [old, now] of [
      [id, id.toUpperCase()],
      [id.toUpperCase(), id],
    ] as const) {
      const present = codeOf(1, { id: now });
      const renamed = entryOf('b', codeOf(1, { id: old }));
      expect(entriesAfter([renamed], ['unchanged', {}], 'unchanged', { code: present })).toEqual([
        entryOf('a', present),
      ]);
      const failed = ['update', { changes: [change] }] as const;
      expect(entriesAfter([{ ...renamed, key: 'a' }], failed, 'failed', { code: present })).toEqual([
        entryOf('a', present),
      ]);
    }
  });

  it("is no longer marked as removed once its code has the row's values", () => {
    const entry = entryOf('a', code, { removed: 'paused' });
    const back = { changes: [status] };
    expect(entriesAfter([entry], ['update', back], 'failed', { code })).toMatchObject([
      { removed: 'paused' },
    ]);
    expect(entriesAfter([entry], ['update', back], 'updated', { code })[0]?.removed).toBeUndefined();
    expect(entriesAfter([entry], ['unchanged', { code }])[0]?.removed).toBeUndefined();
  });
});

describe('the sent values in a lock entry', () => {
  const stored = codeOf(1, { name: 'MENU', destination: 'https://example.com/1' });
  const altered = [{ field: 'name' as const, sent: 'Menu', stored: 'MENU' }];
  const rowWith = (wish: { name?: string; destination?: string }) => rowOf(2, { wish });
  const sentAfter = (
    sent: LockEntry['sent'],
    item: Partial<PlanItem>,
    outcome: RowEnd['outcome'] = 'unchanged',
    more: Partial<RowEnd> = {},
  ) => {
    const before = [entryOf('a', stored, { sent })];
    return entriesAfter(before, ['unchanged', item], outcome, { code: stored, ...more })[0]?.sent;
  };

  it('are those that the service stored differently', () => {
    const [entry] = entriesAfter([], ['create', { how: 'none' }], 'created', { code: stored, altered });
    expect(entry).toEqual(entryOf('a', stored, { sent: { name: 'Menu' } }));
    const moved = [{ field: 'destination' as const, sent: 'https://e.com', stored: 'https://e.com/' }];
    expect(sentAfter(undefined, {}, 'updated', { altered: moved })).toEqual({ destination: 'https://e.com' });
  });

  it('are kept until the row has a different value or a run changes the field', () => {
    const sent = { name: 'Menu' };
    const row = rowWith({ name: 'Menu', destination: 'https://example.com/1' });
    expect(sentAfter(sent, { row })).toEqual(sent);
    const moved: FieldChange = { ...change, field: 'destination' };
    expect(sentAfter(sent, { row, changes: [moved] }, 'updated')).toEqual(sent);
    expect(sentAfter(sent, { row, changes: [change] }, 'updated')).toBeUndefined();
    expect(sentAfter(sent, { row, changes: [moved, change] }, 'updated')).toBeUndefined();
    expect(sentAfter(sent, { row: rowWith({ name: 'Bar' }) })).toBeUndefined();
  });

  it('are replaced by values that a later run sent', () => {
    const row = rowWith({ name: 'Menu' });
    expect(sentAfter({ name: 'menu' }, { row, changes: [change] }, 'updated', { altered })).toEqual({
      name: 'Menu',
    });
  });
});

describe('the lock entry for a key that was removed from the file', () => {
  const entry = entryOf('a', codeOf(1, { name: 'applied' }));

  it('is removed if its code was deleted', () => {
    expect(entriesAfter([entry, entryOf('b', codeOf(2))], ['removed', {}])).toEqual([
      entryOf('b', codeOf(2)),
    ]);
  });

  it('keeps the last applied values, and is marked as removed', () => {
    const edited = codeOf(1, { name: 'by hand', status: 'paused' });
    expect(entriesAfter([entry], ['removed', { code: edited }])).toEqual([{ ...entry, removed: true }]);
  });

  it('is not marked as paused if the request to pause its code failed', () => {
    const pause = ['removed', { pause: 'removed' }] as const;
    expect(entriesAfter([entry], pause, 'failed', { code })).toEqual([{ ...entry, removed: true }]);
  });

  it('stays marked as kept after its code was reactivated', () => {
    const kept = { ...entry, removed: 'kept' as const };
    expect(entriesAfter([kept], ['removed', { code }])).toEqual([kept]);
  });

  it('records that the removal paused the code, until the code is active again', () => {
    const paused = codeOf(1, { status: 'paused' });
    const [marked] = entriesAfter([entry], ['removed', { pause: 'removed' }], 'updated', { code: paused });
    expect(marked).toEqual({ ...entry, status: 'paused', removed: 'paused' });
    if (!marked) return;
    expect(entriesAfter([marked], ['removed', { code: paused }])).toEqual([marked]);
    expect(entriesAfter([marked], ['removed', { code }])).toEqual([{ ...marked, removed: 'kept' }]);
    expect(entriesAfter([{ ...marked, removed: true }], ['removed', { code: paused }])).toEqual([
      { ...marked, removed: true },
    ]);
  });
});
