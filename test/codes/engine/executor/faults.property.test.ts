import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../support/property-runs.ts';
import { rowOf } from '../plan/make.ts';
import { createWorld, type Mishap, namesOf, outcomesOf, writesOf } from './world.ts';

const mishap = fc.constantFrom<Mishap>(
  'none',
  'none',
  'drop',
  'applied',
  'late',
  'refused',
  'rejected',
  'full',
);

const history = fc.record({
  names: fc.array(fc.constantFrom('Menu', 'Bar', 'Door', 'Table'), { minLength: 1, maxLength: 8 }),
  places: fc.nat({ max: 2 }),
  mishaps: fc.array(mishap, { maxLength: 12 }),
  kills: fc.array(fc.nat({ max: 60 }), { maxLength: 3 }),
  waits: fc.nat({ max: 12_000 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  losesNotes: fc.boolean(),
  keyed: fc.boolean(),
  paused: fc.constantFrom('Door', 'Table'),
});

it('a run without faults leaves one code per row, whatever faults and kills earlier runs had', async () => {
  await fc.assert(
    fc.asyncProperty(
      history,
      async ({ names, places, mishaps, kills, waits, concurrency, losesNotes, keyed, paused }) => {
        const rows = names.map((name, at) => {
          const destination = `https://example.com/${at % (places + 1)}`;
          const status = name === paused ? { status: 'paused' } : {};
          return rowOf(at + 2, {
            wish: { name, destination, ...status },
            ...(keyed && { key: `key ${at}` }),
          });
        });
        const wanted = rows
          .map(({ wish }) => `${wish.name} ${wish.destination} ${wish.status ?? 'active'}`)
          .sort();
        let left = mishaps.length;
        const world = createWorld({ post: () => mishaps[mishaps.length - left--] ?? 'none', losesNotes });
        for (const killAt of kills) {
          await world.run(rows, { concurrency }, killAt);
          await world.time.advance(waits);
        }
        left = 0;
        // Waits until a late request of the last killed run is applied.
        await world.time.advance(6000);
        const end = await world.run(rows, { concurrency });
        expect(end?.stop).toBeUndefined();
        expect(new Set(outcomesOf(end))).not.toContain('undecided');
        const codes = world
          .codes()
          .map(({ name, destination, status }) => `${name} ${destination} ${status}`);
        expect(codes.sort()).toEqual(wanted);
        expect(new Set(end?.ends.map(({ code }) => code?.id)).size).toBe(namesOf(world).length);
        await world.run(rows, { concurrency });
        expect(writesOf(world)).toEqual([]);
      },
    ),
    runs(40, 5000),
  );
});
