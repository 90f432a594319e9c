import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewRow } from '../../src/once/journal.ts';
import type { Mishap } from '../support/model-service/codes.ts';
import { runs } from '../support/property-runs.ts';
import { type Kill, rowsOf, run, runKilled, type World, worldOf } from './world.ts';

describe('whatever happens', () => {
  const mishaps = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant<Mishap>('none') },
      { weight: 4, arbitrary: fc.constantFrom<Mishap>('drop', 'applied', 'late', 'limited', 'refused') },
    ),
    { minLength: 30, maxLength: 30 },
  );
  const kill: fc.Arbitrary<Kill> = fc.record(
    {
      step: fc.integer({ min: 0, max: 60 }),
      fault: fc.constantFrom('end-before', 'end-within', 'end-after'),
      keep: fc.constantFrom(0, 0.5, 1),
    },
    { requiredKeys: ['step', 'fault'] },
  );
  const kills = fc.array(kill, { maxLength: 6 });

  /** Runs until nothing is left to send, with `kills` on the way; what was given up is tried again. */
  async function runToTheEnd(world: World, rows: readonly NewRow[], kills: readonly Kill[]) {
    for (const kill of kills) {
      await runKilled(world, rows, kill);
      await world.time.run(world.time.sleep(300));
    }
    for (let again = 0; ; again++) {
      const last = await run(world, rows);
      const givenUp = last.states.includes('open');
      if ((last.stop === undefined && !givenUp) || again > 40) return last;
    }
  }

  interface Story {
    count: number;
    /** Rows share values with the rows this far apart. */
    variety: number;
    mishaps: readonly Mishap[];
    kills: readonly Kill[];
    skewMs: number;
    latencyMs: readonly number[];
    wholeSeconds: boolean;
    tidies: boolean;
    listLagMs: number;
    /** Codes with the values of a row that were there before. */
    old: readonly { of: number; ageMs: number }[];
    /** Codes with the values of a row that somebody else creates meanwhile. */
    others: readonly { of: number; atMs: number }[];
    /** Settings of the machine's wall clock meanwhile. */
    jumps: readonly { atMs: number; byMs: number }[];
  }

  const values = fc.integer({ min: 1, max: 6 });
  const calm = {
    count: fc.integer({ min: 1, max: 12 }),
    variety: values,
    mishaps,
    kills,
    skewMs: fc.constantFrom(0, 86_400_000, -86_400_000, 333),
    latencyMs: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 7, maxLength: 7 }),
    wholeSeconds: fc.boolean(),
    tidies: fc.boolean(),
    listLagMs: fc.constantFrom(0, 4000),
    old: fc.array(fc.record({ of: values, ageMs: fc.integer({ min: 5000, max: 10 ** 9 }) }), { maxLength: 4 }),
    others: fc.constant([]),
    jumps: fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 3000 }), byMs: fc.constantFrom(-7_200_000, -1500, 3_600_000) }), {
      maxLength: 2,
    }),
  };

  /** Plays a story to its end; where the engine asks, a person who knows answers. */
  async function play(story: Story) {
    const { count, skewMs, mishaps, latencyMs, old, others, jumps, ...service } = story;
    const world = worldOf({
      ...service,
      skewMs,
      mishap: (n) => mishaps[n % 30] ?? 'none',
      latencyMs: (n) => latencyMs[n % 7] ?? 1,
    });
    const rows = rowsOf(count, (row) => ((row - 1) % story.variety) + 1);
    const like = (of: number) => ({ name: `row ${of}`, destination: 'https://example.com' });
    const before = new Set(old.map(({ of, ageMs }) => world.service.add(like(of), 0, world.time.now() + skewMs - ageMs).id));
    for (const { of, atMs } of others) world.time.at(atMs, () => world.service.add(like(of), 0));
    for (const { atMs, byMs } of jumps) world.time.at(atMs, () => world.time.jump(byMs));

    let end = await runToTheEnd(world, rows, story.kills);
    for (let turn = 0; end.undecided.length > 0 && turn < 30; turn++) {
      const claimed = new Set(end.rows.map(({ id }) => id));
      const own = new Set(world.service.codes.filter(({ by, id }) => by > 0 && !claimed.has(id)).map(({ id }) => id));
      const adopt: { row: number; id: string }[] = [];
      const notCreated: number[] = [];
      for (const { row, candidates } of end.undecided) {
        const mine = candidates.find(({ id }) => own.delete(id));
        if (mine) adopt.push({ row, id: mine.id });
        else notCreated.push(row);
      }
      await run(world, rows, { decisions: { adopt, notCreated } });
      end = await runToTheEnd(world, rows, []);
    }
    const ids = end.rows.map(({ id }) => id);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(count);
    expect(ids.filter((id) => before.has(id ?? ''))).toEqual([]);
    return { world, ids, before };
  }

  const MANY = runs(60);

  it('holds each row exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record(calm), async (story) => {
        const { world, before } = await play(story);
        expect(world.service.codes).toHaveLength(story.count + before.size);
      }),
      MANY,
    );
  }, 300_000);

  it('has a row for each code it created, whoever else creates the same meanwhile', async () => {
    const others = fc.array(fc.record({ of: values, atMs: fc.integer({ min: 0, max: 30_000 }) }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.record({ ...calm, others }), async (story) => {
        const { world, ids } = await play(story);
        expect(world.service.codes.filter(({ id, by }) => by > 0 && !ids.includes(id))).toEqual([]);
      }),
      MANY,
    );
  }, 300_000);
});
