import { describe, expect, it } from 'vitest';
import type { KeyedRow } from '../../../src/codes/engine/keyed-rows.ts';
import { changesAnything, openItems, type Plan, sentChanges } from '../../../src/codes/engine/plan.ts';
import { codeOf, entryOf, idOf, planOf, rowFor, rowOf } from './plan-world.ts';

const actionsOf = ({ items }: Plan) => Object.fromEntries(items.map(({ key, action }) => [key, action]));
const code = codeOf(1);
const entry = entryOf('a', code);
const row = rowFor('a', 2, code);
const withName = (name: string): KeyedRow => ({ ...row, changes: { ...row.changes, name } });

it('has everything that is known of each key, and nothing more', () => {
  const nothing = { entry: undefined, code: undefined, changes: [], candidates: [], isNews: false };
  const fresh = rowOf('n', 2, { changes: { name: 'new', destination: 'https://new.example/' } });
  const gone = entryOf('g', codeOf(2));
  const goneRow = rowOf('g', 3);
  const other = codeOf(3, { status: 'active' });
  const plan = planOf([fresh, goneRow, row], [entry, gone, entryOf('r', other)], [code, other], { removed: 'pause' });
  const pause = { field: 'status', old: 'active', new: 'paused', isEdited: false, isKept: false };
  expect(plan.items).toEqual([
    { ...nothing, key: 'n', action: 'create', row: fresh },
    { ...nothing, key: 'g', action: 'gone', row: goneRow, entry: gone },
    { ...nothing, key: 'a', action: 'unchanged', row, entry, code },
    { ...nothing, key: 'r', action: 'removed', entry: entryOf('r', other), code: other, changes: [pause], isNews: true },
  ]);
  expect([plan.faults, plan.warnings]).toEqual([[], []]);
});

it('finds codes whatever the case of their ids is', () => {
  const [lower, upper] = ['abcdefab-0000-4000-8000-00000000000a', 'ABCDEFAB-0000-4000-8000-00000000000A'];
  const shown = codeOf(1, { id: upper });
  const known = entryOf('a', shown, { id: lower });
  const withoutType = rowOf('a', 2, { id: lower });
  expect(actionsOf(planOf([withoutType], [known], [shown]))).toEqual({ a: 'unchanged' });
  expect(planOf([withoutType], [known], [shown]).faults).toEqual([]);
  expect(planOf([], [known], [shown]).items).toMatchObject([{ action: 'removed', code: { id: upper } }]);
  expect(planOf([], [known], [shown]).unmanaged).toBe(0);
  expect(planOf([rowFor('b', 2, shown)], [], [shown])).toMatchObject({ unmanaged: 0, items: [{ action: 'adopt' }] });
  // The key that has it, and the key that was removed.
  expect(planOf([withoutType, rowOf('b', 3, { id: lower })], [known], [shown]).faults).toMatchObject([{ line: 3 }]);
  expect(planOf([withoutType, rowFor('b', 3, shown)], [known], [shown]).items).toMatchObject([
    { action: 'unchanged' },
    { action: 'create' },
  ]);
  expect(planOf([rowFor('b', 3, shown)], [known], [shown]).items).toMatchObject([
    { key: 'b', action: 'undecided' },
    { key: 'a', action: 'removed' },
  ]);
  expect(planOf([rowOf('b', 2, { slug: 's1' }), rowOf('c', 3, { id: lower })], [], [shown]).faults).toMatchObject([{ line: 3 }]);
});

describe('the plan of a key in the lock file', () => {
  it('is nothing if all agree, also if the service has normalized values', () => {
    const plan = planOf([row], [entry], [code]);
    expect(actionsOf(plan)).toEqual({ a: 'unchanged' });
    expect(changesAnything(plan)).toBe(false);
    const tidy = { ...row, changes: { name: ' name 1 ', destination: 'https://1.example' } };
    expect(actionsOf(planOf([tidy], [entry], [code]))).toEqual({ a: 'unchanged' });
    expect(actionsOf(planOf([rowOf('a', 2)], [entry], [code]))).toEqual({ a: 'unchanged' });
  });

  it('is an update of the fields that differ, at any position of the row (Y10)', () => {
    const { items } = planOf([rowOf('b', 2, { changes: { name: 'new' } }), withName('other')], [entry], [code]);
    expect(items[1]).toMatchObject({ action: 'update', code: { id: idOf(1) } });
    expect(items[1]?.changes).toEqual([{ field: 'name', old: 'name 1', new: 'other', isEdited: false, isKept: false }]);
  });

  it('says what another client changed, which the file overwrites, or not (Y10)', () => {
    const edited = codeOf(1, { name: 'by hand', destination: 'https://hand.example/' });
    const one = { ...withName('other'), changes: { name: 'other', destination: 'https://1.example/' } };
    const { items } = planOf([one], [entry], [edited]);
    expect(items[0]?.action).toBe('edited');
    expect(items[0]?.changes.map(({ field, isEdited, isKept }) => [field, isEdited, isKept])).toEqual([
      ['name', true, false],
      ['destination', true, false],
    ]);
    const kept = planOf([one], [entry], [edited], { keepEdits: true });
    expect(items.map(sentChanges)).toEqual([{ name: 'other', destination: 'https://1.example/' }]);
    expect(kept.items.map(sentChanges)).toEqual([{}]);
    expect(kept.items[0]?.changes.every(({ isKept }) => isKept)).toBe(true);
    expect(kept.surprises).toBe(0);
    expect(actionsOf(planOf([rowOf('a', 2)], [entry], [edited]))).toEqual({ a: 'unchanged' });
  });

  it('is a question if its code was deleted, until the user decides', () => {
    expect(actionsOf(planOf([row], [entry], []))).toEqual({ a: 'gone' });
    expect(planOf([row], [entry], [codeOf(2)]).unmanaged).toBe(1);
    expect(openItems(planOf([row, rowOf('b', 3, { changes: { name: 'new' } })], [entry], []))).toMatchObject([{ key: 'a' }]);
    expect(actionsOf(planOf([row], [entry], [], { decisions: { recreate: new Set(['a']) } }))).toEqual({ a: 'create' });
    const other = planOf([row], [entry], [codeOf(2)], { decisions: { adopt: new Map([['a', idOf(2)]]) } });
    expect(other.items[0]).toMatchObject({ action: 'adopt', code: { id: idOf(2) } });
  });

  it('is not another code than the one it has', () => {
    const faults = (given: KeyedRow, adopt = new Map<string, string>()) =>
      planOf([given], [entry], [code, codeOf(2)], { decisions: { adopt } }).faults.map(({ line }) => line);
    expect(faults(row, new Map([['a', idOf(2)]]))).toEqual([2]);
    expect(faults(row, new Map([['a', idOf(1)]]))).toEqual([]);
    expect(faults({ ...row, id: idOf(2) })).toEqual([2]);
    expect(faults({ ...row, slug: 's2' })).toEqual([2]);
    expect(faults({ ...row, slug: 's1', id: idOf(1) })).toEqual([]);
    expect(faults({ ...row, type: 'menu' })).toEqual([2]);
  });
});

describe('the plan of a key without lock entry', () => {
  it('is the one code with its values that no key has; of equal ones the oldest first (Y7)', () => {
    expect(planOf([row], [], [codeOf(2), code]).items[0]).toMatchObject({ action: 'adopt', code: { id: idOf(1) } });
    const alike = codeOf(3, { name: code.name, destination: code.destination });
    const two = planOf([row, { ...row, key: 'b', line: 3 }], [], [alike, code]);
    expect(two.items.map((item) => item.code?.id)).toEqual([idOf(1), idOf(3)]);
    const three = planOf([row, { ...row, key: 'b', line: 3 }, { ...row, key: 'c', line: 4 }], [], [alike, code]);
    expect(actionsOf(three)).toEqual({ a: 'adopt', b: 'adopt', c: 'create' });
  });

  it('is a question if there are more such codes than rows (Y7)', () => {
    const alike = codeOf(3, { name: code.name, destination: code.destination });
    const plan = planOf([row], [], [alike, code]);
    expect(plan.items[0]).toMatchObject({ action: 'undecided', candidates: [{ id: idOf(1) }, { id: idOf(3) }] });
    expect(actionsOf(planOf([row], [], [alike, code], { decisions: { adopt: new Map([['a', idOf(3)]]) } }))).toEqual({
      a: 'adopt',
    });
    expect(openItems(plan)).toEqual(plan.items);
    expect(actionsOf(planOf([row], [], [alike, code], { decisions: { recreate: new Set(['a']) } }))).toEqual({ a: 'create' });
  });

  it.each([
    ['name', { destination: 'https://other.example/' }],
    ['destination', { name: 'other' }],
  ])('is a question if a code that no key has shares its %s: its lock entry may be lost (Y8)', (_, changes) => {
    const edited = { ...row, changes: { ...row.changes, ...changes } };
    expect(actionsOf(planOf([edited], [], [code]))).toEqual({ a: 'undecided' });
    expect(actionsOf(planOf([{ ...edited, type: 'menu' }], [], [code]))).toEqual({ a: 'create' });
    expect(actionsOf(planOf([edited], [entryOf('b', code)], [code]))).toMatchObject({ a: 'create' });
  });

  it('is a code with its values although a key that has one says the same (Y6, Y7)', () => {
    const twin = codeOf(2, { name: code.name, destination: code.destination });
    const plan = planOf([row, { ...row, key: 'b', line: 3 }], [entry], [code, twin]);
    expect(plan.items).toMatchObject([
      { key: 'a', action: 'unchanged', code: { id: idOf(1) } },
      { key: 'b', action: 'adopt', code: { id: idOf(2) } },
    ]);
  });

  it('is the code with its values, whichever other codes resemble it', () => {
    const namesake = codeOf(2, { name: code.name });
    expect(planOf([row], [], [code, namesake]).items).toMatchObject([{ action: 'adopt', code: { id: idOf(1) } }]);
  });

  it('is new without a destination, whichever other codes have none', () => {
    const wifi = codeOf(2, { type: 'wifi', destination: null });
    expect(actionsOf(planOf([rowOf('w', 2, { type: 'wifi', changes: { name: 'new' } })], [], [wifi]))).toEqual({ w: 'create' });
  });

  it('is new if other new rows lead to the same page as a code that no key has', () => {
    const [one, other] = ['one', 'other'].map((name, at) => ({
      ...row,
      key: name,
      line: at + 2,
      changes: { ...row.changes, name },
    }));
    if (one && other) expect(actionsOf(planOf([one, other], [], [code]))).toEqual({ one: 'create', other: 'create' });
  });

  it('is a question if a removed key has a code with all its values: it may have been renamed', () => {
    const plan = planOf([{ ...row, key: 'b' }], [entry], [code]);
    expect(actionsOf(plan)).toEqual({ b: 'undecided', a: 'removed' });
    const adopted = planOf([{ ...row, key: 'b' }], [entry], [code], { decisions: { adopt: new Map([['b', idOf(1)]]) } });
    expect(actionsOf(adopted)).toEqual({ b: 'adopt' });
  });

  it('is the code that the row specifies, unless another key has it (Y6)', () => {
    const named = planOf([rowOf('b', 2, { slug: 's1', changes: { name: 'new' } })], [], [code]);
    expect(named.items[0]).toMatchObject({ action: 'adopt', code: { id: idOf(1) }, changes: [{ field: 'name' }] });
    expect(actionsOf(planOf([rowOf('b', 2, { id: idOf(9) })], [], [code]))).toEqual({ b: 'gone' });
    expect(planOf([row, rowOf('b', 3, { slug: 's1' })], [entry], [code]).faults.map(({ line }) => line)).toEqual([3]);
    expect(
      planOf([rowOf('b', 2, { slug: 's1' }), rowOf('c', 3, { id: idOf(1) })], [], [code]).faults.map(({ line }) => line),
    ).toEqual([3]);
    expect(planOf([rowOf('b', 2, { slug: 's1', id: idOf(2) })], [], [code, codeOf(2)]).faults.map(({ line }) => line)).toEqual([
      2,
    ]);
  });
});

describe('a key that the file no longer has', () => {
  it('is reported once, and its code paused if that is asked for (Y11)', () => {
    const plan = planOf([], [entry], [code]);
    expect(plan.items).toMatchObject([{ key: 'a', action: 'removed', isNews: true, changes: [] }]);
    expect(plan.surprises).toBe(1);
    const known = planOf([], [{ ...entry, removed: true }], [code]);
    expect([known.surprises, changesAnything(known)]).toEqual([0, false]);
    expect(planOf([], [entry], [code], { removed: 'pause' }).items[0]?.changes).toMatchObject([
      { field: 'status', new: 'paused' },
    ]);
    expect(planOf([], [entry], [codeOf(1, { status: 'expired' })], { removed: 'pause' }).items[0]?.changes).toEqual([]);
    expect(planOf([], [entry], [], { removed: 'pause' }).items).toMatchObject([{ action: 'removed', changes: [] }]);
  });

  it('comes after the keys of the file, by key', () => {
    const keys = ['c', 'a', 'd', 'b'];
    const entries = keys.map((key, n) => entryOf(key, codeOf(n + 2)));
    const { items } = planOf([row], [...entries, entryOf('a b', code)].toReversed(), [code]);
    expect(items.map(({ key }) => key)).toEqual(['a', 'a b', 'b', 'c', 'd']);
  });

  it('is active again when it is back, if its removal paused it', () => {
    const paused = codeOf(1, { status: 'paused' });
    const silent = rowOf('a', 2);
    const plan = planOf([silent], [entryOf('a', paused, { removed: 'paused' })], [paused]);
    expect(plan.items[0]?.changes).toMatchObject([{ field: 'status', new: 'active', isEdited: false }]);
    expect(actionsOf(planOf([silent], [entryOf('a', paused, { removed: true })], [paused]))).toEqual({ a: 'unchanged' });
    // Not against the row's own status, or after another client changed it.
    const expiring = rowOf('a', 2, { changes: { status: 'expired' } });
    expect(planOf([expiring], [entryOf('a', paused, { removed: 'paused' })], [paused]).items[0]?.changes).toMatchObject([
      { field: 'status', new: 'expired' },
    ]);
    const expired = codeOf(1, { status: 'expired' });
    expect(actionsOf(planOf([silent], [entryOf('a', paused, { removed: 'paused' })], [expired]))).toEqual({ a: 'unchanged' });
  });
});

describe('a plan as a whole', () => {
  it('counts codes that no key has, and what would surprise, but no creations (Y9)', () => {
    const rows = Array.from({ length: 20 }, (_, n) => rowOf(`new ${n}`, n + 3, { changes: { name: `new ${n}` } }));
    const plan = planOf([withName('other'), ...rows], [entry, entryOf('gone', codeOf(2))], [code, codeOf(2), codeOf(3)]);
    expect([plan.surprises, plan.allowed, plan.unmanaged]).toEqual([2, 10, 1]);
    const many = Array.from({ length: 50 }, (_, n) => entryOf(`k${n}`, codeOf(n + 10)));
    expect(planOf([], many, []).allowed).toBe(15);
    expect(planOf([], many, [], { maxChanges: { percent: 50 } }).allowed).toBe(25);
    expect(planOf([], many, [], { maxChanges: { count: 3 } }).allowed).toBe(3);
    // Without a lock file too, but not for new codes.
    expect(planOf([row, ...rows], [], [code], { maxChanges: { percent: 100 } }).allowed).toBe(1);
  });

  it('changes something if any key does, except a removed one that was reported', () => {
    const fresh = rowOf('n', 3, { changes: { name: 'new', destination: 'https://new.example/' } });
    const reported = entryOf('r', codeOf(2), { removed: true });
    expect(changesAnything(planOf([row], [entry, reported], [code, codeOf(2)]))).toBe(false);
    expect(changesAnything(planOf([row, fresh], [entry, reported], [code, codeOf(2)]))).toBe(true);
    expect(changesAnything(planOf([row], [entry, { ...reported, removed: undefined }], [code, codeOf(2)]))).toBe(true);
    expect(changesAnything(planOf([row], [entry, reported], [code, codeOf(2)], { removed: 'pause' }))).toBe(true);
  });

  it('has the faults of what would be created or changed, and of nothing else (Y2)', () => {
    const dead = codeOf(1, { destination: 'nowhere', name: ' ' });
    const kept = rowFor('a', 2, dead);
    expect(planOf([kept], [entryOf('a', dead)], [dead]).faults).toEqual([]);
    const fresh = (more: Partial<KeyedRow>) =>
      planOf([rowOf('n', 2, more)], [], []).faults.map(({ line, column }) => [line, column]);
    expect(fresh({ changes: { name: 'x' } })).toEqual([[2, 'destination']]);
    expect(fresh({ changes: { destination: 'https://a.example/' } })).toEqual([[2, 'name']]);
    expect(fresh({ changes: { name: 'x' }, type: 'wifi' })).toEqual([]);
    const forced = planOf([rowOf('n', 2, { changes: { name: 'x' } })], [], [], { force: true });
    expect([forced.faults, forced.warnings.map(({ line, column }) => [line, column])]).toEqual([[], [[2, 'destination']]]);
  });
});
