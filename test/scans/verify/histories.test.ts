/** Random histories of a log: logrotate, archives, deleted and restored files, late scans, and runs that append, verify and repair. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/property-runs.ts';
import { createLogWorld, HOUR } from './log-world.ts';

const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('scans' as const),
      agoMs: fc.array(fc.nat({ max: 5 * HOUR }), { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('late' as const),
      agoMs: fc.integer({ min: HOUR, max: 1000 * HOUR }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ is: fc.constant('append' as const) }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('rotate' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('remove' as const), n: fc.integer({ min: -1, max: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('restore' as const),
      what: fc.constantFrom('file' as const, 'state' as const, 'both' as const),
      n: fc.nat({ max: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('verify' as const) }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('repair' as const) }) },
);

type World = Awaited<ReturnType<typeof createLogWorld>>;
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

/** Each scan is at most once in the log and the archive. */
async function expectOnce(world: World): Promise<void> {
  const ids = [...(await world.present()), ...(await world.absent())]
    .map(({ id }) => id)
    .sort((a, b) => a - b);
  expect(ids).toEqual([...new Set(ids)]);
}

/** Whether the log lacks a scan in the range that its files cover: rows up to the newest archived one are of the archive. */
async function missing(world: World) {
  const there = new Set((await world.present()).map(({ id }) => id));
  const [absent, ends] = [await world.absent(), await world.endsMs()];
  const beginMs = (code: string) =>
    absent.filter((row) => row.code === code).reduce((last, { time }) => Math.max(last, time), 0);
  return world
    .scans()
    .filter(({ code, id, time }) => !there.has(id) && time > beginMs(code) && time < (ends.get(code) ?? 0));
}

const isFailing = (run: Promise<void>) =>
  run.then(
    () => false,
    () => true,
  );

async function happen(world: World, what: Event): Promise<void> {
  if (what.is === 'scans') for (const [at, agoMs] of what.agoMs.entries()) world.scan(at, agoMs % HOUR);
  if (what.is === 'late') world.scan(what.agoMs, what.agoMs);
  if (what.is === 'append') await world.append();
  if (what.is === 'rotate') await world.rotate();
  if (what.is === 'remove') await world.remove(what.n);
  if (what.is === 'restore') {
    const putBack = await world.restore(what.what, what.n);
    if (!putBack || what.what === 'both') return;
    for (const flags of [{}, { repair: true as const }])
      expect(await isFailing(world.verify(flags)), what.what).toBe(true);
    expect(await isFailing(world.append())).toBe(true);
    await putBack();
  }
  if (what.is === 'verify' && !(await isFailing(world.verify({})))) expect(await missing(world)).toEqual([]);
  if (what.is === 'repair' && !(await isFailing(world.verify({ repair: true }))))
    expect(await missing(world)).toEqual([]);
}

test('after any history, no scan is twice in a log and its archive, and a log reported as equal lacks no scan (A41, A42, V11)', async () => {
  const counts = { equal: 0, different: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 4, maxLength: 16 }), async (events) => {
      const root = await mkdtemp(join(tmpdir(), 'qrctl-histories-'));
      try {
        const world = await createLogWorld(root);
        for (const what of events) {
          world.pass(5 * HOUR);
          await happen(world, what);
          await expectOnce(world);
        }
        // After a run of each, the log is sound, and says so; with the archive, nothing of the service is missing.
        world.pass(HOUR);
        await world.append();
        const isEqual = !(await isFailing(world.verify({})));
        counts[isEqual ? 'equal' : 'different'] += 1;
        expect(isEqual).toBe((await missing(world)).length === 0);
        await world.verify({ repair: true });
        await world.verify({});
        await expectOnce(world);
        const all = [world.file, ...(await world.archived())];
        await world.verify({ repair: true }, all);
        await world.verify({}, all);
        const rows = [...(await world.present()), ...(await world.absent())];
        expect(rows.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
          world
            .scans()
            .map(({ id }) => id)
            .sort((a, b) => a - b),
        );
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    }),
    runs(8, 300),
  );
  expect(Math.min(counts.equal, counts.different)).toBeGreaterThan(0);
}, 3_600_000);
