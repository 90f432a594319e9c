/** All that is known before a run sends anything: the check without a key, the plan of a dry run, and what is refused. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NotFoundError, UnprovenError, UsageError } from '../../../src/base/errors.ts';
import { systemClock } from '../../../src/base/time/time.ts';
import type { ApplyJob } from '../../../src/codes/engine/apply-job.ts';
import { checkOffline, previewRows, whileLocked } from '../../../src/codes/engine/apply-rows.ts';
import { type ApplyWorld, applyIn, applyWorld, entriesIn, jobIn, LOCK, lockIn } from './apply-world.ts';
import { only } from './creation/world.ts';
import { idOf, OPTIONS, rowOf } from './plan-world.ts';

const fresh = (key: string, line: number) => rowOf(key, line, { changes: { name: key, destination: `https://${key}.example/` } });

/** The job, and the ids that it requests one by one. */
function asking(world: ApplyWorld): { asked: string[]; service: ApplyJob['service'] } {
  const asked: string[] = [];
  const { service } = jobIn(world, []);
  const getCode = (id: string) => {
    asked.push(id);
    return world.service.getCode(id);
  };
  return { asked, service: { ...service, getCode } };
}

describe('the check without a key', () => {
  const lock = async (...keys: string[]) => {
    const world = applyWorld();
    await applyIn(
      world,
      keys.map((key, n) => fresh(key, n + 2)),
    );
    return lockIn(world);
  };

  it('counts keys that have a code, that have none, and that are removed', async () => {
    const rows = [fresh('a', 2), fresh('b', 3), fresh('c', 4)];
    const counts = { faults: [], warnings: [], known: 1, fresh: 2, removed: 2 };
    expect(checkOffline(rows, await lock('a', 'x', 'y'), false)).toEqual(counts);
    expect(checkOffline(rows, undefined, false)).toEqual({ ...counts, known: 0, fresh: 3, removed: 0 });
  });

  it('has the faults and warnings of new rows alone, unless they specify a code', async () => {
    const dead = (key: string, line: number) => rowOf(key, line, { changes: { name: key, destination: 'nowhere' } });
    const rows = [dead('a', 2), dead('b', 3), { ...dead('c', 4), slug: 's1' }, { ...dead('d', 5), id: idOf(1) }];
    const checked = checkOffline(rows, await lock('a'), false);
    expect([checked.faults, checked.warnings]).toMatchObject([[{ line: 3, column: 'destination' }], []]);
    const forced = checkOffline(rows, await lock('a'), true);
    expect([forced.faults, forced.warnings]).toMatchObject([[], [{ line: 3, column: 'destination' }]]);
  });

  it('has the faults of types, of keys like those of the lock file, and of names that are missing (Y1, Y2)', async () => {
    const rows = [
      { ...fresh('a', 2), type: 'menu' },
      { ...fresh('b', 3), key: ' B ' },
      rowOf('c', 4, { changes: { destination: 'https://c.example/' } }),
      rowOf('d', 5, { slug: 's1' }),
    ];
    const { faults } = checkOffline(rows, await lock('a', 'b'), false);
    expect(faults.map(({ line, message }) => [line, message])).toEqual([
      [2, expect.stringContaining('the type of a code can\'t be changed: "a" is')],
      [3, '" B " differs from key "b" in the lock file only in case or spacing'],
      [4, 'is empty: a new code needs a name'],
    ]);
  });
});

describe('a dry run', () => {
  it('plans without changing anything, and counts rows of an interrupted run that are still to be looked up', async () => {
    const world = applyWorld({ mishap: only('drop', 1) });
    await applyIn(world, [fresh('a', 2), fresh('b', 3)]);
    world.memory.remove(LOCK);
    const [steps, posts] = [world.memory.steps(), world.service.posts()];
    const { plan, open } = await world.time.run(previewRows(jobIn(world, [fresh('a', 2), fresh('b', 3), fresh('c', 4)])));
    expect(plan.items.map(({ key, action }) => [key, action])).toEqual([
      ['a', 'unchanged'],
      ['b', expect.stringMatching('unchanged|adopt')],
      ['c', 'create'],
    ]);
    expect([open, world.memory.steps(), world.service.posts(), world.memory.read(LOCK)]).toEqual([0, steps, posts, undefined]);
  });

  it('is refused for a file with a fault (Y2)', async () => {
    const world = applyWorld();
    const dead = rowOf('a', 2, { changes: { name: 'a', destination: 'nowhere' } });
    await expect(world.time.run(previewRows(jobIn(world, [dead])))).rejects.toBeInstanceOf(UsageError);
  });
});

describe('a decision', () => {
  it('about a key that neither file nor lock file has is refused, with the flag', async () => {
    const world = applyWorld();
    await applyIn(world, [fresh('a', 2)]);
    const adopt = new Map([['b', 's1']]);
    const hint = 'Use --adopt with the key of an existing row.';
    await expect(applyIn(world, [fresh('a', 2)], { adopt })).rejects.toMatchObject({
      message: '--adopt: no row has the key "b"',
      hint,
    });
    await expect(applyIn(world, [fresh('a', 2)], { recreate: new Set(['b']) })).rejects.toThrow(
      '--recreate: no row has the key "b"',
    );
    // A key of the lock file alone, and of the file alone.
    expect((await applyIn(world, [], { recreate: new Set(['a']) })).failure).toBeUndefined();
    expect((await applyIn(world, [fresh('a', 2), fresh('c', 3)], { recreate: new Set(['c']) })).failure).toBeUndefined();
    expect(world.service.codes).toHaveLength(2);
  });

  it('for a code is by its slug or id, and is refused if there is no such code', async () => {
    const world = applyWorld();
    const [one, other] = ['x', 'y'].map((name) => world.service.add({ name, destination: `https://${name}.example/` }, 0));
    const rows = [fresh('a', 2), fresh('b', 3)];
    const adopt = new Map([['a', one?.slug ?? ''] as const, ['b', other?.id.toUpperCase() ?? ''] as const]);
    expect((await applyIn(world, rows, { adopt })).failure).toBeUndefined();
    expect(entriesIn(world).map(({ key, id }) => [key, id])).toEqual([
      ['a', one?.id],
      ['b', other?.id],
    ]);
    expect(world.service.posts()).toBe(0);
    const wrong = { adopt: new Map([['c', idOf(99)]]) };
    await expect(applyIn(world, [...rows, fresh('c', 4)], wrong)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('names a row that needs no name of its own', async () => {
    const world = applyWorld();
    const { slug } = world.service.add({ name: 'x', destination: 'https://x.example/' }, 0);
    const nameless = rowOf('a', 2, { changes: { destination: 'https://x.example/' } });
    await expect(applyIn(world, [nameless])).rejects.toBeInstanceOf(UsageError);
    expect((await applyIn(world, [nameless], { adopt: new Map([['a', slug]]) })).failure).toBeUndefined();
    expect(entriesIn(world)).toMatchObject([{ key: 'a', name: 'x' }]);
  });
});

describe('the codes of a run', () => {
  it('that the file specifies by id are requested if the listing lacks them (Y15)', async () => {
    let lagMs = 0;
    const world = applyWorld({ listLagMs: () => lagMs });
    const made = world.service.add({ name: 'x', destination: 'https://x.example/' }, 0);
    await world.time.advance(1000);
    const { asked, service } = asking(world);
    const rows = [rowOf('a', 2, { id: made.id }), rowOf('b', 3, { slug: 'none' })];
    const end = await applyIn(world, rows, { service });
    expect(end.ended.map(({ outcome }) => outcome)).toEqual(['adopted', 'undecided']);
    expect(asked).toEqual([]);
    world.memory.remove(LOCK);
    lagMs = 600_000;
    expect((await applyIn(world, rows, { service })).ended.map(({ outcome }) => outcome)).toEqual(['adopted', 'undecided']);
    expect(asked).toEqual([made.id, made.id]);
  });

  it('are compared with the lock file in any case of their ids, without a request for each', async () => {
    const hex = 'abcdefab-0000-4000-8000-00000000000a';
    const world = applyWorld();
    await applyIn(world, [fresh('a', 2)]);
    const [code] = world.service.codes;
    if (code) Object.assign(code, { id: hex.toUpperCase() });
    world.memory.write(LOCK, world.memory.read(LOCK)?.replace(idOf(1), hex) ?? '');
    const { asked, service } = asking(world);
    expect((await applyIn(world, [fresh('a', 2)], { service })).failure).toBeUndefined();
    expect([asked, world.service.codes.length]).toEqual([[], 1]);
  });
});

describe('too many changes', () => {
  it('are refused with the flag that allows them (Y9)', async () => {
    const world = applyWorld();
    await applyIn(world, [fresh('a', 2), fresh('b', 3)]);
    const options = { ...OPTIONS, maxChanges: { count: 1 } };
    const refused = applyIn(world, [], { options });
    await expect(refused).rejects.toBeInstanceOf(UnprovenError);
    await expect(refused).rejects.toMatchObject({
      message: 'the plan changes or removes 2 keys, but only 1 are allowed; no changes were made',
      hint: 'Check the plan with --dry-run. If it is correct, add --max-changes 2.',
    });
  });
});

it('a lock is held while a run works, and is free after it, however it ended (Y16)', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-apply-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const lockPath = join(directory, 'codes.lock.json');
  const job = { lockPath, clock: systemClock, signal: new AbortController().signal };
  const order: string[] = [];
  let release = () => {};
  let begins = () => {};
  let waits = () => {};
  const begun = new Promise<void>((resolve) => (begins = resolve));
  const waiting = new Promise<void>((resolve) => (waits = resolve));
  const first = whileLocked(
    job,
    () => order.push('never'),
    async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
        begins();
      });
      order.push('first');
      throw new Error('failed');
    },
  );
  const failed = first.catch(() => 'failed');
  await begun;
  const second = whileLocked(
    job,
    () => {
      order.push('waits');
      waits();
    },
    async () => order.push('second'),
  );
  await waiting;
  release();
  expect([await failed, await second, order]).toEqual(['failed', 3, ['waits', 'first', 'second']]);
});
