import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KeyedRow } from '../../../src/codes/engine/keyed-rows.ts';
import type { LockEntry } from '../../../src/codes/engine/lock-file.ts';
import { openItems, type Plan, sentChanges } from '../../../src/codes/engine/plan.ts';
import type { QrCode } from '../../../src/service/shapes.ts';
import { runs } from '../../support/property-runs.ts';
import { codeOf, entryOf, planOf, rowOf } from './plan-world.ts';

const few = fc.nat({ max: 3 });
const nameOf = (n: number) => `name ${n}`;
const placeOf = (n: number) => `https://${n}.example/`;
const statuses = ['active', 'paused', 'expired'] as const;
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];

const values = fc.record({ name: few, place: few, status: fc.constantFrom(...statuses) });
const codes = fc
  .array(values, { maxLength: 8 })
  .map((all) =>
    all.map(({ name, place, status }, n) => codeOf(n + 1, { name: nameOf(name), destination: placeOf(place), status })),
  );
const rows = fc
  .array(fc.record({ key: fc.constantFrom(...KEYS), name: few, place: few, status: fc.option(fc.constantFrom(...statuses)) }), {
    maxLength: 6,
  })
  .map((all) => [...new Map(all.map((row) => [row.key, row])).values()])
  .map((all) =>
    all.map(({ key, name, place, status }, n): KeyedRow => {
      const changes = { name: nameOf(name), destination: placeOf(place), ...(status !== null && { status }) };
      return rowOf(key, n + 2, { changes });
    }),
  );
/** Keys with codes, whose values may have been applied before somebody edited them, or that were deleted. */
const world = fc.record({
  rows,
  codes,
  owned: fc.shuffledSubarray(KEYS),
  edits: fc.array(few),
  lost: fc.nat({ max: 9 }),
  keepEdits: fc.boolean(),
});

function entriesOf(codes: readonly QrCode[], owned: readonly string[], edits: readonly number[]): LockEntry[] {
  return owned.flatMap((key, n) => {
    const code = codes[n];
    const edit = edits[n];
    return code ? [entryOf(key, code, edit === undefined ? {} : { name: nameOf(edit) })] : [];
  });
}

/** The codes and entries that a run of the plan leaves, if nothing fails. */
function carryOut({ items }: Plan, codes: readonly QrCode[]): { codes: QrCode[]; entries: LockEntry[] } {
  const made = new Map(codes.map((code) => [code.id, code]));
  const entries = items.flatMap((item, n): LockEntry[] => {
    const { key, action, row, entry, code } = item;
    if (action === 'create' && row) {
      const fresh = codeOf(100 + n, {
        ...row.changes,
        name: row.changes.name ?? '',
        destination: row.changes.destination ?? null,
      });
      made.set(fresh.id, fresh);
      return [entryOf(key, fresh)];
    }
    if (!code) return entry ? [entry] : [];
    const after = { ...code, ...sentChanges(item) };
    made.set(code.id, after);
    return [entryOf(key, after, action === 'removed' ? { removed: true } : {})];
  });
  return { codes: [...made.values()], entries };
}

it('a plan gives each key one code, takes none that another key has, and leaves nothing to do (Y6, Y7, Y8, Y10)', () => {
  fc.assert(
    fc.property(world, ({ rows: file, codes: all, owned, edits, lost, keepEdits }) => {
      const entries = entriesOf(all, owned, edits);
      const listed = all.filter((_, n) => n !== lost);
      const plan = planOf(file, entries, listed, { keepEdits });
      expect(plan.items.slice(0, file.length).map(({ key }) => key)).toEqual(file.map(({ key }) => key));
      const ids = plan.items.flatMap(({ code }) => code?.id ?? []);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { key, action, code, entry } of plan.items) {
        const owner = entries.find(({ id }) => id === code?.id)?.key;
        if (code) expect([undefined, key]).toContain(owner);
        if (action === 'create') expect(entry).toBeUndefined();
        if (action === 'gone') expect(listed.some(({ id }) => id === entry?.id)).toBe(false);
      }
      expect(plan.unmanaged).toBe(listed.length - new Set(ids).size);
      // The order of rows matters only for which of equal rows gets which of equal codes.
      const actions = (one: Plan) => one.items.map(({ action }) => action).sort();
      expect(actions(planOf([...file].reverse(), entries, listed, { keepEdits }))).toEqual(actions(plan));
      const after = carryOut(plan, listed);
      const again = planOf(file, after.entries, after.codes);
      const open = new Set(openItems(plan).map(({ key }) => key));
      const kept = new Set(plan.items.filter(({ changes }) => changes.some(({ isKept }) => isKept)).map(({ key }) => key));
      for (const { key, action } of again.items) {
        if (open.has(key)) expect(['gone', 'undecided']).toContain(action);
        else if (!kept.has(key)) expect(['unchanged', 'removed'], key).toContain(action);
      }
    }),
    runs(500, 50_000),
  );
});
