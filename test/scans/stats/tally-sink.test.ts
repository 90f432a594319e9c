/** Scans of one code, which count once the code is verified as complete. */
import { expect, it } from 'vitest';
import { groupOf } from '#scans/stats/dimensions';
import { createTallies, createTally, createTallySink } from '#scans/stats/tally';

const CODE = { value: 'menu' };

const newTally = () => createTally([groupOf('code')], () => 0);

function sinkFor() {
  const taken: number[][] = [];
  const fresh = () => createTallies(newTally, { sinceMs: 100, untilMs: 200 }, { sinceMs: 0, untilMs: 50 });
  const into = ({ current, before }: ReturnType<typeof fresh>) =>
    taken.push([current.total(), before.total()]);
  const sink = createTallySink({ sinceMs: 0, fresh, into, code: CODE });
  const write = (...times: number[]) => sink.write({ rows: times.map((id) => ({ id })), times } as never);
  return { sink, write, taken };
}

it('a tally sink counts each scan in the current or the previous range, and ignores all other scans', async () => {
  const { sink, write, taken } = sinkFor();
  expect(await write(-1, 0, 49, 50, 99)).toBe(5);
  expect(await write(100, 199, 200)).toBe(3);
  expect([sink.added(), sink.sinceMs, taken]).toEqual([8, 0, []]);
  await sink.commit();
  expect(taken).toEqual([[2, 2]]);
  await sink.commit();
  expect(taken).toHaveLength(1);
});

it('a tally sink that got scans after a checkpoint can be rolled back only to its beginning', async () => {
  const { sink, write, taken } = sinkFor();
  const toNothing = await sink.checkpoint();
  expect(await toNothing()).toBe(true);
  await write(100);
  const toOne = await sink.checkpoint();
  expect(await toOne()).toBe(true);
  await write(101);
  expect([await toOne(), sink.added()]).toEqual([false, 2]);
  expect([await toNothing(), sink.added()]).toEqual([true, 0]);
  await write(102);
  await sink.commit();
  expect(taken).toEqual([[1, 0]]);
});

it('tallies ignore totals for parts outside the range', () => {
  const tallies = createTallies(newTally, { sinceMs: 100, untilMs: 200 }, undefined);
  const unit = (sinceMs: number) => ({ sinceMs, untilMs: sinceMs + 1 });
  for (const ms of [0, 99, 200]) tallies.addMany(unit(ms), CODE, 3);
  tallies.addMany(unit(100), CODE, 3);
  expect([tallies.current.total(), tallies.before.total()]).toEqual([3, 0]);
});

it('a tally sink counts no scans that were discarded', async () => {
  const { sink, write, taken } = sinkFor();
  await write(100, 101);
  await sink.discard();
  expect(sink.added()).toBe(0);
  await sink.commit();
  expect(taken).toEqual([]);
});

it('a tally sink keeps the number of added scans after a commit, even if it is then discarded', async () => {
  const { sink, write } = sinkFor();
  await write(100, 101);
  await sink.commit();
  await sink.discard();
  expect(sink.added()).toBe(2);
});

it('tallies with an open range count scans with any time', () => {
  const tallies = createTallies(newTally, { sinceMs: undefined, untilMs: undefined }, undefined);
  for (const ms of [-1e15, 0, 1e15]) tallies.add(ms, {}, CODE);
  tallies.addMany({ sinceMs: 5, untilMs: 6 }, CODE, 7);
  expect([tallies.current.total(), tallies.before.total()]).toEqual([10, 0]);
});
