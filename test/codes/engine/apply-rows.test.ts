import { describe, expect, it } from 'vitest';
import { PartialError, UnprovenError, UsageError } from '../../../src/base/errors.ts';
import { previewRows } from '../../../src/codes/engine/apply-rows.ts';
import type { KeyedRow } from '../../../src/codes/engine/keyed-rows.ts';
import { formatLock, type LockEntry } from '../../../src/codes/engine/lock-file.ts';
import type { QrCode } from '../../../src/service/shapes.ts';
import { createWorkspace } from '../../../src/service/workspace.ts';
import { type ApplyWorld, applyIn, applyWorld, entriesIn, JOURNAL, jobIn, LOCK, lockIn } from './apply-world.ts';
import { BASE_URL, only } from './creation/world.ts';
import { codeOf, entryOf, idOf, OPTIONS, rowOf } from './plan-world.ts';

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

  it('of a moved service or a rotated key is recognized by the listing, without further requests (Y17)', async () => {
    const world = applyWorld();
    await applyIn(world, rows(5));
    const asked: string[] = [];
    const getCode = (id: string) => {
      asked.push(id);
      return world.service.getCode(id);
    };
    const serviceOf = (baseUrl: string, apiKey: string) => ({
      ...{ ...world.service, getCode },
      workspace: createWorkspace({ baseUrl, apiKey }),
    });
    // The first three are gone: more are not requested.
    for (const code of world.service.codes.slice(0, 4)) world.service.remove(code);
    const recreate = new Set(rows(4).map(({ key }) => key));
    const rotated = serviceOf(BASE_URL, 'svc_live_rotated');
    const end = await applyIn(world, rows(5), { service: rotated, recreate });
    expect([end.failure, asked.length]).toEqual([undefined, 4]);
    asked.length = 0;
    const moved = { service: serviceOf('https://new.example/api/v1', 'svc_live_rotated'), movedFrom: BASE_URL };
    expect((await applyIn(world, rows(5), moved)).failure).toBeUndefined();
    const elsewhere = { service: serviceOf('https://other.example/api/v1', 'svc_live_rotated') };
    const lists = world.service.lists();
    await expect(applyIn(world, rows(5), elsewhere)).rejects.toBeInstanceOf(UsageError);
    expect([asked, world.service.lists()]).toEqual([[], lists]);
  });

  it('without keys is left as it is by its own API key, and gets the fingerprint of another (Y5, Y17)', async () => {
    const world = applyWorld();
    await applyIn(world, rows(1));
    for (const code of [...world.service.codes]) world.service.remove(code);
    await applyIn(world, []);
    expect(entriesIn(world)).toEqual([]);
    const text = world.memory.read(LOCK) ?? '';
    await applyIn(world, []);
    expect(world.memory.read(LOCK)).toBe(text);
    const other = createWorkspace({ baseUrl: BASE_URL, apiKey: 'svc_live_other' });
    const service = { ...world.service, workspace: other };
    await applyIn(world, rows(1), { service });
    expect(await other.hasKeyOf(lockIn(world)?.workspace.key ?? '')).toBe(true);
    // As is one that has none.
    world.memory.write(LOCK, world.memory.read(LOCK)?.replace(/"workspace": .*\n/, '') ?? '');
    await applyIn(world, rows(1), { service });
    expect(await other.hasKeyOf(lockIn(world)?.workspace.key ?? '')).toBe(true);
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

  it('of another branch is planned so by a dry run, too (Y14)', async () => {
    const workspace = await lockWorkspace.record();
    /** The code that key 0 has in the plan, with this lock file next to the journal. */
    const planned = async (entryFor: (world: ApplyWorld) => LockEntry) => {
      const world = await killedWithJournal((journal) => journal.includes('"s1"'));
      const entry = entryFor(world);
      world.memory.write(LOCK, formatLock({ workspace, entries: new Map([[entry.key, entry]]) }));
      const { plan, open } = await world.time.run(previewRows(jobIn(world, rows(1))));
      const end = await applyIn(world, rows(1)).catch(() => undefined);
      expect(open).toBe(0);
      return [plan.items.map(({ key, action, code }) => [key, action, code?.slug]), end?.ended[0]?.code?.slug];
    };
    const twin = (world: ApplyWorld) => world.service.add({ name: 'row 0', destination: 'https://0.example/' }, 0);
    // It has another code, which exists; or one that was deleted; or another key has the code; or a key like this one has another.
    expect(await planned((world) => entryOf('key 0', twin(world)))).toEqual([[['key 0', 'unchanged', 's2']], 's2']);
    expect(await planned(() => entryOf('key 0', codeOf(9)))).toEqual([[['key 0', 'unchanged', 's1']], 's1']);
    const [items] = await planned(({ service }) => entryOf('other', service.codes[0] ?? codeOf(1)));
    expect(items).toEqual([
      ['key 0', 'undecided', undefined],
      ['other', 'removed', 's1'],
    ]);
    const like = await killedWithJournal((journal) => journal.includes('"s1"'));
    const entry = entryOf('KEY 0', twin(like));
    like.memory.write(LOCK, formatLock({ workspace, entries: new Map([[entry.key, entry]]) }));
    const other = { ...rowOf('KEY 0', 2), changes: { name: 'row 0', destination: 'https://0.example/' } };
    expect((await applyIn(like, [other])).failure).toBeUndefined();
    expect(entriesIn(like).map(({ key, slug }) => [key, slug])).toEqual([['KEY 0', 's2']]);
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
async function killedWithJournal(isWanted = (_journal: string) => true): Promise<ApplyWorld> {
  for (let step = 0; ; step++) {
    const world = applyWorld();
    world.memory.fault = (at) => (at >= step ? 'end-before' : undefined);
    await applyIn(world, rows(1)).catch(() => undefined);
    world.memory.fault = () => undefined;
    world.memory.revive();
    await world.time.advance(120_000);
    if (world.service.codes.length === 1 && isWanted(world.memory.read(JOURNAL) ?? '')) return world;
  }
}

/** Lists the codes once, and fails from then on. */
function onceListed({ service }: ApplyWorld): () => Promise<QrCode[]> {
  let reads = 0;
  return async () => {
    reads += 1;
    if (reads > 1) throw new UnprovenError('no list');
    return service.listCodes();
  };
}

describe('a run that was killed', () => {
  it('is looked up by the next, which says so, and only planned by a dry run (Y13)', async () => {
    const world = await killedWithJournal();
    const [steps, lists] = [world.memory.steps(), world.service.lists()];
    const preview = await world.time.run(previewRows(jobIn(world, rows(2))));
    expect([preview.open, preview.plan.items.map(({ key, action }) => [key, action])]).toEqual([
      1,
      [
        ['key 0', 'adopt'],
        ['key 1', 'create'],
      ],
    ]);
    expect([world.memory.steps(), world.service.lists(), world.memory.read(LOCK)]).toEqual([steps, lists + 1, undefined]);
    const journal = world.memory.read(JOURNAL) ?? '';
    const events: string[] = [];
    // A decision about a key that only the interrupted run had.
    const given = { onEvent: ({ is }: { is: string }) => void events.push(is), adopt: new Map([['key 0', 's1']]) };
    expect((await applyIn(world, [], given)).failure).toBeUndefined();
    expect(events).toContain('finishing');
    expect(entriesIn(world)).toMatchObject([{ key: 'key 0', slug: 's1', removed: true }]);
    world.memory.remove(LOCK);
    world.memory.write(JOURNAL, journal);
    expect((await applyIn(world, [], { recreate: new Set(['key 0']) })).failure).toBeUndefined();
    expect(entriesIn(world)).toEqual([]);
  });

  it('has rows of unknown outcome, which a dry run counts, and the next run waits for', async () => {
    const lost = applyWorld({ mishap: only('applied', 1) });
    await applyIn(lost, rows(3), { listCodes: onceListed(lost) }).catch(() => undefined);
    expect(lost.memory.read(JOURNAL)).toBeDefined();
    const preview = await lost.time.run(previewRows(jobIn(lost, rows(3))));
    expect(preview.open).toBe(1);
    const events: string[] = [];
    const end = await applyIn(lost, rows(3), { onEvent: ({ is }) => void events.push(is) });
    expect([end.failure, lost.service.codes.length, events.filter((is) => is === 'waiting').length > 0]).toEqual([
      undefined,
      3,
      true,
    ]);
  });

  it('needs the user if one of its rows may have two codes, and keeps its journal until then (Y13)', async () => {
    const world = applyWorld({ mishap: only('applied', 0) });
    await applyIn(world, rows(1), { listCodes: onceListed(world) }).catch(() => undefined);
    const twin = world.service.add({ name: 'row 0', destination: 'https://0.example/' }, 0);
    const asked = applyIn(world, rows(1));
    await expect(asked).rejects.toBeInstanceOf(UnprovenError);
    await expect(asked).rejects.toMatchObject({
      hint: 'Check these codes. If one matches, add --adopt KEY=CODE. Otherwise, add --recreate KEY.',
    });
    expect(world.memory.read(JOURNAL)).toBeDefined();
    const end = await applyIn(world, rows(1), { adopt: new Map([['key 0', twin.slug]]) });
    expect([world.memory.read(JOURNAL), entriesIn(world).map(({ id }) => id)]).toEqual([undefined, [twin.id]]);
    expect([end.failure, world.service.posts()]).toEqual([undefined, 1]);
  });

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
