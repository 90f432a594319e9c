import { describe, expect, it } from 'vitest';
import type { KeyedRow } from '../../src/apply/keyed-rows.ts';
import { formatLock } from '../../src/apply/lock-file.ts';
import { PartialError, UnprovenError, UsageError } from '../../src/errors.ts';
import { createWorkspace } from '../../src/service/workspace.ts';
import { BASE_URL, only } from '../once/world.ts';
import { type ApplyWorld, applyIn, applyWorld, entriesIn, JOURNAL, LOCK, lockIn } from './apply-world.ts';
import { idOf, OPTIONS, rowOf } from './plan-world.ts';

const rows = (count: number): KeyedRow[] =>
  Array.from({ length: count }, (_, n) =>
    rowOf(`key ${n}`, n + 2, { changes: { name: `row ${n}`, destination: `https://${n}.example/` } }),
  );

describe('a run', () => {
  it('creates what is missing, and a second one sends the listing and writes nothing (Y5, Y18, Y20)', async () => {
    const world = applyWorld();
    const first = await applyIn(world, rows(5));
    expect([first.failure, world.service.codes.length, world.service.lists()]).toEqual([undefined, 5, 1]);
    expect(entriesIn(world).map(({ key, name }) => [key, name])).toEqual(rows(5).map(({ key, changes }) => [key, changes.name]));
    expect(world.memory.read(JOURNAL)).toBeUndefined();
    const steps = world.memory.steps();
    const again = await applyIn(world, rows(5).reverse());
    expect(again.ended.map(({ outcome }) => outcome)).toEqual(Array(5).fill('unchanged'));
    expect([again.failure, world.service.posts(), world.service.lists(), world.memory.steps()]).toEqual([undefined, 5, 2, steps]);
  });

  it('sets the status of a new code, and says 0 only then', async () => {
    const world = applyWorld();
    const [row = rowOf('', 0)] = rows(1);
    const paused = { ...row, changes: { ...row.changes, status: 'paused' } };
    expect((await applyIn(world, [paused])).failure).toBeUndefined();
    expect(world.service.codes.map(({ status }) => status)).toEqual(['paused']);
    expect(entriesIn(world).map(({ status }) => status)).toEqual(['paused']);
  });

  it('finds the code whose response was lost, and keeps the journal for one more look (Y21)', async () => {
    const world = applyWorld({ mishap: only('applied', 1) });
    expect((await applyIn(world, rows(3))).failure).toBeUndefined();
    expect(world.service.codes).toHaveLength(3);
    const other = applyWorld({ mishap: only('drop', 1) });
    expect((await applyIn(other, rows(3))).failure).toBeUndefined();
    expect(other.memory.read(JOURNAL)).toBeDefined();
    expect((await applyIn(other, rows(3))).failure).toBeUndefined();
    expect([other.memory.read(JOURNAL), other.service.codes.length]).toEqual([undefined, 3]);
  });

  it('is refused before anything is sent if it changes more than is allowed (Y9)', async () => {
    const world = applyWorld();
    await applyIn(world, rows(20));
    const text = world.memory.read(LOCK);
    await expect(applyIn(world, rows(9))).rejects.toBeInstanceOf(UnprovenError);
    expect(world.memory.read(LOCK)).toBe(text);
    const allowed = await applyIn(world, rows(9), { options: { ...OPTIONS, maxChanges: { count: 11 } } });
    expect([allowed.failure, entriesIn(world).filter(({ removed }) => removed).length]).toEqual([undefined, 11]);
  });

  it('leaves what another client changed with --keep-edits, and says so; overwrites it without (Y10, Y22, Y23)', async () => {
    const world = applyWorld();
    await applyIn(world, rows(2));
    const [code] = world.service.codes;
    if (code) code.name = 'by hand';
    const kept = { options: { ...OPTIONS, keepEdits: true } };
    for (let run = 0; run < 2; run++) expect((await applyIn(world, rows(2), kept)).failure).toBeInstanceOf(PartialError);
    expect(code?.name).toBe('by hand');
    const end = await applyIn(world, rows(2));
    expect([end.failure, code?.name, end.ended[0]?.item.action]).toEqual([undefined, 'row 0', 'edited']);
  });

  it('leaves a key whose code was deleted to the user, and goes on with the others', async () => {
    const world = applyWorld();
    await applyIn(world, rows(2));
    const [code] = world.service.codes;
    if (code) world.service.remove(code);
    const end = await applyIn(world, rows(3));
    expect(end.failure).toBeInstanceOf(UnprovenError);
    expect(end.ended.map(({ outcome }) => outcome)).toEqual(['undecided', 'unchanged', 'created']);
    expect((await applyIn(world, rows(3), { recreate: new Set(['key 0']) })).failure).toBeUndefined();
    expect(world.service.codes).toHaveLength(3);
    expect((await applyIn(world, rows(3), { recreate: new Set(['key 0']) })).failure).toBeUndefined();
    expect(world.service.codes).toHaveLength(3);
  });

  it('plans a row again whose code changed while it ran (Y19)', async () => {
    const world = applyWorld();
    await applyIn(world, rows(2));
    const changed = rows(2).map((row) => ({ ...row, changes: { ...row.changes, name: `${row.changes.name} new` } }));
    const updateCode: typeof world.service.updateCode = async (id, changes) => {
      const [code, other] = world.service.codes;
      if (id === other?.id) world.service.remove(other);
      else if (code && changes.name) code.destination = 'https://hand.example/';
      return world.service.updateCode(id, changes);
    };
    const replanned: string[] = [];
    const end = await applyIn(world, changed, {
      service: { ...world.service, workspace: lockWorkspace, updateCode },
      onEvent: (event) => event.is === 'replanned' && replanned.push(event.item.key),
    });
    expect(replanned.sort()).toEqual(['key 0', 'key 1']);
    expect(world.service.codes.map(({ destination }) => destination)).toEqual(['https://0.example/']);
    expect(end.failure).toBeInstanceOf(UnprovenError);
  });
});

const lockWorkspace = createWorkspace({ baseUrl: BASE_URL, apiKey: 'svc_live_world' });

describe('a lock file', () => {
  it('of another service or workspace is refused; of a rotated key it is used as it is (Y17)', async () => {
    const world = applyWorld();
    await applyIn(world, rows(2));
    const text = world.memory.read(LOCK);
    const serviceOf = (baseUrl: string, apiKey: string) => ({
      ...world.service,
      workspace: createWorkspace({ baseUrl, apiKey }),
    });
    await expect(
      applyIn(world, rows(2), { service: serviceOf('https://other.example/api/v1', 'svc_live_world') }),
    ).rejects.toThrow(UsageError);
    const rotated = await applyIn(world, rows(2), { service: serviceOf(BASE_URL, 'svc_live_rotated') });
    expect([rotated.failure, world.memory.read(LOCK), world.service.lists()]).toEqual([undefined, text, 2]);
    const moved = { service: serviceOf('https://new.example/api/v1', 'svc_live_rotated'), movedFrom: BASE_URL };
    expect((await applyIn(world, rows(2), moved)).failure).toBeUndefined();
    expect(lockIn(world)?.workspace.baseUrl).toBe('https://new.example/api/v1');
    for (const code of [...world.service.codes]) world.service.remove(code);
    world.memory.write(LOCK, text ?? '');
    await expect(applyIn(world, rows(2), { service: serviceOf(BASE_URL, 'svc_live_elsewhere') })).rejects.toThrow(UsageError);
    expect(world.service.posts()).toBe(2);
  });

  it('that was lost is rebuilt from the codes that match, without a request but the listing', async () => {
    const world = applyWorld();
    await applyIn(world, rows(4));
    const text = world.memory.read(LOCK);
    world.memory.remove(LOCK);
    const end = await applyIn(world, rows(4));
    expect(end.ended.map(({ outcome }) => outcome)).toEqual(Array(4).fill('adopted'));
    const codesOf = (lock = '') => lock.slice(lock.indexOf('"codes"'));
    expect(codesOf(world.memory.read(LOCK))).toBe(codesOf(text));
    expect(world.service.posts()).toBe(4);
  });

  it('whose codes are missing from an old listing creates nothing (Y15)', async () => {
    let lagMs = 0;
    const world = applyWorld({ listLagMs: () => lagMs });
    await applyIn(world, rows(2));
    lagMs = 600_000;
    await expect(applyIn(world, rows(3))).rejects.toBeInstanceOf(UnprovenError);
    expect((await applyIn(world, rows(2))).failure).toBeUndefined();
    lagMs = 0;
    expect((await applyIn(world, rows(3))).failure).toBeUndefined();
    expect(world.service.codes).toHaveLength(3);
  });

  it('of another branch keeps its codes if an interrupted run has others, and only then (Y14)', async () => {
    const world = await killedWithJournal();
    const [made] = world.service.codes;
    const other = world.service.add({ name: 'row 0', destination: 'https://0.example/' }, 0);
    const { id, slug, name, type, destination, status } = other;
    const entry = { key: 'key 0', id, slug, name, type, destination, status };
    const workspace = await lockWorkspace.record();
    world.memory.write(LOCK, formatLock({ workspace, entries: new Map([[entry.key, entry]]) }));
    expect((await applyIn(world, rows(1))).failure).toBeUndefined();
    expect(entriesIn(world).map((one) => one.id)).toEqual([id]);
    const gone = await killedWithJournal();
    gone.memory.write(LOCK, formatLock({ workspace, entries: new Map([[entry.key, { ...entry, id: idOf(99) }]]) }));
    expect((await applyIn(gone, rows(1))).failure).toBeUndefined();
    expect(entriesIn(gone).map((one) => one.id)).toEqual([made?.id]);
  });
});

it('what an interrupted run created is not left in the lock file if its code was deleted and its row removed (Y5)', async () => {
  for (let step = 0, killed = true; killed; step++) {
    const world = applyWorld();
    killed = false;
    world.memory.fault = (at) => {
      killed ||= at >= step;
      return at >= step ? 'end-before' : undefined;
    };
    await applyIn(world, rows(1)).catch(() => undefined);
    world.memory.fault = () => undefined;
    world.memory.revive();
    for (const code of [...world.service.codes]) world.service.remove(code);
    expect((await applyIn(world, [])).failure, String(step)).toBeUndefined();
    expect(entriesIn(world), String(step)).toEqual([]);
  }
});

/** A run of one row that was killed when its code was created, and not in the lock file yet. */
async function killedWithJournal(): Promise<ApplyWorld> {
  for (let step = 0; ; step++) {
    const world = applyWorld();
    world.memory.fault = (at) => (at >= step ? 'end-before' : undefined);
    await applyIn(world, rows(1)).catch(() => undefined);
    world.memory.fault = () => undefined;
    world.memory.revive();
    await world.time.advance(120_000);
    if (world.service.codes.length === 1) return world;
  }
}

describe('a run that was killed', () => {
  it('is finished by the next, at whatever step of its disk it was: one code per key (Y13, Y18)', async () => {
    for (const fault of ['end-before', 'end-within', 'end-after'] as const) {
      for (let step = 0, killed = true; killed; step++) {
        const world = applyWorld();
        killed = false;
        world.memory.fault = (at) => {
          killed ||= at >= step;
          return at >= step ? fault : undefined;
        };
        await applyIn(world, rows(3)).catch(() => undefined);
        world.memory.fault = () => undefined;
        world.memory.revive();
        await world.time.advance(30_000);
        const end = await applyIn(world, rows(3));
        expect([end.failure, world.service.codes.length], `${fault} ${step}`).toEqual([undefined, 3]);
        const keyOf = new Map(world.service.codes.map(({ id, by }) => [id, `key ${by}`]));
        for (const { key, id } of entriesIn(world)) expect(keyOf.get(id)).toBe(key);
      }
    }
  });
});
