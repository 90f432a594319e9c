/** Duplicate codes of repeated requests, and the rows that must wait for a decision. */
import { describe, expect, it } from 'vitest';
import type { RowEnd } from '#codes/engine/executor/job';
import { listingOf } from '#codes/engine/executor/read-plan';
import type { Row } from '#codes/engine/plan/model';
import { codeOf, newRow, rowOf } from '../plan/make.ts';
import { createWorld, outcomesOf, policyOf, type World, writesOf } from './world.ts';

const MENU = newRow(2, 'Menu', 'https://example.com/menu');
const BAR = newRow(3, 'Bar', 'https://example.com/bar');
const DOOR = newRow(4, 'Door', 'https://example.com/door');

/** Reads only the codes of the rows, as `qr update` and `qr delete` do. */
function readNamedIn(world: World) {
  return async (rows: readonly Row[]) => {
    const ids = new Set(rows.map(({ id }) => id));
    return listingOf(
      world.codes().filter(({ id }) => ids.has(id)),
      false,
    );
  };
}

function endsOf(world: World): string[] {
  return world.records.flatMap((record) => (record.is === 'end' ? record.run : []));
}

describe('a duplicate code that appears after the run', () => {
  /** Creates two codes. The response for the first is lost, and a duplicate of that code appears after the run. */
  async function withLateCode() {
    const world = createWorld({ post: (n) => (n === 0 ? 'very-late' : 'none') });
    expect(outcomesOf(await world.run([MENU, BAR]))).toEqual(['created', 'created']);
    await world.time.advance(30_000);
    return world;
  }

  it.each(['update', 'delete'] as const)(
    'is reported by `qr %s`, even if the file contains only other codes, and by the next `qr create` (E15)',
    async (verb) => {
      const world = await withLateCode();
      const bar = world.codes().find(({ name }) => name === 'Bar');
      const row = rowOf(2, { of: bar, wish: { name: 'New' } });
      const end = await world.run([row], { policy: policyOf({ verb }), readNamed: readNamedIn(world) });
      expect(end?.ends).toMatchObject([
        { outcome: `${verb}d` },
        { outcome: 'undecided', candidates: [{ name: 'Menu' }] },
      ]);
      expect(outcomesOf(await world.run([MENU]))).toEqual(['undecided']);
    },
  );

  it('prevents `qr delete` from deleting the original code unless the file contains both codes', async () => {
    const world = await withLateCode();
    const job = { policy: policyOf({ verb: 'delete' }), readNamed: readNamedIn(world) };
    const rows = world
      .codes()
      .filter(({ name }) => name === 'Menu')
      .map((of, at) => rowOf(at + 2, { of }));
    expect(outcomesOf(await world.run(rows.slice(0, 1), job))).toEqual(['undecided']);
    expect(writesOf(world)).toEqual([]);
    expect(outcomesOf(await world.run(rows, job))).toEqual(['deleted', 'deleted']);
  });

  it('is searched for in a listing of all codes by the next run, but not by the run after that', async () => {
    const world = createWorld({ post: (n) => (n === 0 ? 'drop' : 'none') });
    await world.run([MENU]);
    const [of] = world.codes();
    const run = () =>
      world.run([rowOf(2, { of })], { policy: policyOf({ verb: 'update' }), readNamed: readNamedIn(world) });
    expect(outcomesOf(await run())).toEqual(['unchanged']);
    expect(world.sent).toEqual(['LIST']);
    await run();
    expect(world.sent).toEqual([]);
  });
});

describe('the end of a run', () => {
  it('is not recorded, and no results are saved, if a row has a duplicate code', async () => {
    const world = createWorld({ post: (n) => (n === 0 ? 'drop' : 'none') });
    world.time.at(15_000, () => world.add({ name: 'Menu', destination: 'https://example.com/menu' }));
    let isSaved = false;
    const beforeEnd = async () => {
      isSaved = true;
    };
    const end = await world.run([MENU, BAR, DOOR], { beforeEnd });
    expect(outcomesOf(end)).toEqual(['undecided', 'created', 'created']);
    expect([endsOf(world), isSaved]).toEqual([[], false]);
  });

  it('is recorded, and the results are saved, if a row needs a decision but has no duplicate code', async () => {
    const saved: RowEnd[][] = [];
    const beforeEnd = async (ends: readonly RowEnd[]) => void saved.push([...ends]);
    const existing = createWorld({
      codes: [codeOf(1, { name: 'Menu', destination: MENU.wish.destination })],
    });
    const rows = [
      { ...MENU, key: 'a' },
      { ...BAR, key: 'b' },
    ];
    const end = await existing.run(rows, { policy: policyOf({ verb: 'apply' }), lock: new Map(), beforeEnd });
    expect(end?.ends).toMatchObject([
      { outcome: 'exists', candidates: [{ name: 'Menu' }] },
      { outcome: 'created' },
    ]);
    const deleted = createWorld();
    await deleted.run([{ ...MENU, key: '007' }]);
    deleted.remove('Menu');
    const next = await deleted.run([{ ...MENU, key: '7' }, BAR], { beforeEnd });
    expect(next?.ends).toMatchObject([{ outcome: 'undecided', candidates: [] }, { outcome: 'created' }]);
    expect(saved.map((ends) => ends.map(({ outcome }) => outcome))).toEqual([
      ['exists', 'created'],
      ['undecided', 'created'],
    ]);
    expect([endsOf(existing), endsOf(deleted)]).toEqual([['run 1'], ['run 1', 'run 2']]);
  });
});
