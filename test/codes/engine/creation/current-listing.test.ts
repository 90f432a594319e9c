import { describe, expect, it } from 'vitest';
import { UnavailableError, UnprovenError } from '../../../../src/base/errors.ts';
import { SETTLE_MS } from '../../../../src/codes/engine/creation/landing-delay.ts';
import { done, namesOf, only, recordsOf, rowsOf, run, worldOf } from './world.ts';

const NAMES = Array.from({ length: 12 }, (_, row) => `row ${row + 1}`).sort();

/** A cache on the way answers each listing from before the first row. */
const cached = { listLagMs: () => 24 * 3_600_000 };

describe('a listing that lacks codes of these rows', () => {
  it('which exist is of an earlier time: nothing is judged by it, and nothing sent again (O23)', async () => {
    const world = worldOf({ ...cached, mishap: only('applied', 4) });
    const end = await run(world, rowsOf(12));
    expect(end.stop).toBeInstanceOf(UnprovenError);
    expect(end.stop).toMatchObject({
      message: expect.stringMatching(/^the list of codes is out of date: code \S+ \("row \d+"\) exists but is missing from it$/),
      hint: expect.stringContaining('run the same command again'),
    });
    expect(end.states.filter((state) => state === 'unknown')).toHaveLength(1);
    expect([world.service.posts(), namesOf(world)]).toEqual([12, NAMES]);

    // Nor by a later run, as long as it is so; then what was lost is found.
    expect((await run(world, rowsOf(12))).stop).toBeInstanceOf(UnprovenError);
    world.service.listCodes = async () => [...world.service.codes];
    expect(await run(world, rowsOf(12))).toMatchObject(done);
    expect([world.service.posts(), namesOf(world)]).toEqual([12, NAMES]);
  });

  it('is found out at the last look, where no row had a code before (O23)', async () => {
    const world = worldOf({ ...cached, mishap: only('applied', 0) });
    const end = await run(world, rowsOf(1));
    expect(end.stop).toBeInstanceOf(UnprovenError);
    // By then the row was sent again: what nothing had shown to be out of date was believed.
    expect(namesOf(world)).toEqual(['row 1', 'row 1']);
  });

  it('for a moment, as a replica does that is behind, is read again (O23)', async () => {
    const world = worldOf({ listLagMs: () => 15_000, mishap: only('applied', 4) });
    const waits: number[] = [];
    const end = await run(world, rowsOf(12), { onEvent: (event) => void (event.is === 'waiting' && waits.push(event.ms)) });
    expect(end).toMatchObject(done);
    expect(waits).toEqual([expect.closeTo(SETTLE_MS, -3), SETTLE_MS]);
    expect([world.service.posts(), namesOf(world)]).toEqual([12, NAMES]);
  });

  it('is asked about for the newest codes first, and for three at the most', async () => {
    const world = worldOf({ mishap: only('applied', 4) });
    const { getCode, codes, remove } = world.service;
    const asked: string[] = [];
    world.service.getCode = async (id) => {
      asked.push(id);
      return getCode(id);
    };
    world.service.listCodes = async () => [];
    expect((await run(world, rowsOf(12))).stop).toBeInstanceOf(UnprovenError);
    const newest = codes.at(-1);
    expect(new Set(asked)).toEqual(new Set([newest?.id]));

    // Somebody has deleted that one: the next tells.
    if (newest) remove(newest);
    asked.length = 0;
    expect((await run(world, rowsOf(12))).stop).toBeInstanceOf(UnprovenError);
    expect(new Set(asked).size).toBe(2);

    for (const code of [...codes]) remove(code);
    world.service.listCodes = async () => [...codes];
    asked.length = 0;
    expect((await run(world, rowsOf(12))).stop).toBeUndefined();
    expect(new Set(asked).size).toBe(3);
  });

  it('is known by those that were created last, whichever rows they are of (O23)', async () => {
    const world = worldOf({ mishap: (post) => (post < 3 ? 'rejected' : post === 12 ? 'applied' : 'none') });
    await run(world, rowsOf(12));
    const { codes, remove } = world.service;
    for (const code of codes.slice(-3)) remove(code);
    const before = [...world.service.codes];
    world.service.listCodes = async () => before;
    // Now the first three rows are sent, of which one loses its answer; the listing has none of the three.
    const end = await run(world, rowsOf(12));
    expect(end.stop).toBeInstanceOf(UnprovenError);
    expect([world.service.posts(), end.states.filter((state) => state === 'unknown').length]).toEqual([15, 1]);
  });

  it('because somebody has deleted them is believed', async () => {
    const world = worldOf({ mishap: only('applied', 4) });
    const { listCodes, codes, remove } = world.service;
    world.service.listCodes = async () => {
      for (const code of codes.filter(({ name }) => name !== 'row 5')) remove(code);
      return listCodes();
    };
    const end = await run(world, rowsOf(12));
    expect(end).toMatchObject(done);
    expect(end.states.filter((state) => state === 'adopted')).toHaveLength(1);
    expect(world.service.posts()).toBe(12);
  });

  it('is not believed while the service does not say whether they exist', async () => {
    const world = worldOf({ ...cached, mishap: only('applied', 4) });
    const failure = new UnavailableError('no answer');
    world.service.getCode = () => Promise.reject(failure);
    expect((await run(world, rowsOf(12))).stop).toBe(failure);
    expect(world.service.posts()).toBe(12);
    expect((await recordsOf(world)).map(({ is }) => is)).not.toContain('absent');
  });
});
