import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../../src/base/errors.ts';
import { SETTLE_MS } from '../../../../src/codes/engine/creation/landing-delay.ts';
import type { NewCode } from '../../../../src/service/shapes.ts';
import { done, type Kill, namesOf, only, recordsOf, rowsOf, run, runKilled, worldOf } from './world.ts';

/** The first outcome is about to be written, of a run that makes its journal: its name, its beginning, a session, an intent. */
const AT_OUTCOME: Kill = { step: 11, fault: 'end-before' };

describe('when answers are lost', () => {
  it('adopts a code that was created after all', async () => {
    const world = worldOf({ mishap: only('applied', 2) });
    const end = await run(world, rowsOf(5));
    expect(end).toMatchObject(done);
    expect(end.rows[2]).toMatchObject({ state: 'adopted', id: world.service.codes.find(({ by }) => by === 3)?.id });
    expect([world.service.posts(), world.service.lists()]).toEqual([5, 1]);
  });

  it('sends a row again that certainly created none', async () => {
    const world = worldOf({ mishap: only('drop', 0, 3) });
    const end = await run(world, rowsOf(5));
    expect(end).toMatchObject(done);
    expect(namesOf(world)).toEqual(['row 1', 'row 2', 'row 3', 'row 4', 'row 5']);
    expect(world.service.posts()).toBe(7);
  });

  it('waits for a write that lands seconds late (O5)', async () => {
    const world = worldOf({ mishap: only('late', 4), lateMs: () => 8000 });
    const end = await run(world, rowsOf(5));
    expect(end).toMatchObject(done);
    expect(world.service.codes).toHaveLength(5);
  });

  it('never adopts an older code with the same values (O6, O7)', async () => {
    const world = worldOf({ mishap: only('drop', 0, 1, 2) });
    const [row] = rowsOf(1);
    const old = row && world.service.add(row.code, 0, world.time.now() - 660_000);
    const end = await run(world, rowsOf(3));
    expect(end).toMatchObject(done);
    expect(end.rows.map(({ id }) => id)).not.toContain(old?.id);
    expect(world.service.codes).toHaveLength(4);
  });

  it('not even one made a moment before, by a file of one row whose request was lost', async () => {
    const world = worldOf({ mishap: only('drop', 0), skewMs: 777 });
    const [row] = rowsOf(1);
    const old = row && world.service.add(row.code, 0, world.time.now() + 777 - 300);
    const end = await run(world, rowsOf(1));
    // The service's clock and that of its answers might differ: a person decides.
    expect(end.undecided).toMatchObject([{ row: 1, candidates: [{ id: old?.id }] }]);
    expect(end.rows[0]?.state).toBe('unknown');
  });

  it('nor where codes are dated ahead of Date, so that it looks made since (O7)', async () => {
    for (const mishap of ['drop', 'applied'] as const) {
      const world = worldOf({ mishap: only(mishap, 0), createdSkewMs: () => 65_000 });
      const [row] = rowsOf(1);
      if (mishap === 'drop' && row) world.service.add(row.code, 0, world.time.now() - 5001);
      const end = await run(world, rowsOf(1));
      expect(end.undecided).toMatchObject([{ row: 1, candidates: world.service.codes.map(({ id }) => ({ id })) }]);
    }
  });

  it('also where the service shows whole seconds, or tidies what it is sent', async () => {
    for (const options of [{ wholeSeconds: true }, { tidies: true }]) {
      const world = worldOf({ ...options, mishap: only('applied', 0, 2) });
      const end = await run(world, rowsOf(4));
      expect(end).toMatchObject(done);
      expect(world.service.codes).toHaveLength(4);
    }
  });

  it.each<[string, (code: NewCode) => NewCode]>([
    ['cuts names', (code) => ({ ...code, name: code.name.slice(0, 20) })],
    ['drops emoji and spaces', (code) => ({ ...code, name: code.name.replace(/[^\w]+/gu, ' ') })],
    ['writes entities', (code) => ({ ...code, name: code.name.replace('&', '&amp;') })],
    ['keeps ASCII alone', (code) => ({ ...code, name: code.name.replace(/[^ -~]/g, '?') })],
    ['changes addresses', (code) => ({ ...code, destination: `https://example.com/${code.name.length}` })],
    ['knows one type', (code) => ({ ...code, type: 'url' })],
  ])('leaves a row to a person where the service %s, and creates none twice (O30)', async (_, alters) => {
    const world = worldOf({ alters, mishap: only('applied', 1) });
    const rows = rowsOf(4).map((row) => {
      return { ...row, code: { ...row.code, type: 'menu', name: `${row.code.name} & 🎪  the tents, für alle` } };
    });
    const end = await run(world, rows);
    const own = world.service.codes.find(({ by }) => by === 2);
    expect(end.undecided).toMatchObject([{ row: 2, candidates: [{ id: own?.id }] }]);
    const adopt = [{ line: 3, id: own?.id ?? '' }];
    expect(await run(world, rows, { decisions: { adopt, notCreated: [] } })).toMatchObject(done);
    expect([world.service.codes.length, world.service.posts()]).toEqual([4, 4]);
  });

  it("takes no code for an altered one that is of another name, of another time, or a row's already (O30)", async () => {
    const world = worldOf({ mishap: only('drop', 1) });
    const rows = rowsOf(4).map((row) => ({ ...row, code: { ...row.code, name: `a poster in the park ${row.row}` } }));
    const [code] = rows.map((row) => row.code);
    const add = (name: string, atMs: number) => code && world.service.add({ ...code, name }, 0, world.time.now() + atMs);
    add('A poster in the park 2', -660_000);
    add('a poster in the park', 200_000);
    add('a poster in the dark', 0);
    add('A poster in the park 21', 0);
    expect(await run(world, rows)).toMatchObject(done);
    expect(world.service.posts()).toBe(5);
  });

  it('gives no row the code of another, whatever the service answers (O10)', async () => {
    const world = worldOf();
    const { createCode, codes } = world.service;
    let answered = 0;
    world.service.createCode = async (code, beforeSend) => {
      const own = await createCode(code, beforeSend);
      return ++answered === 3 ? (codes[0] ?? own) : own;
    };
    const end = await run(world, rowsOf(4), { concurrency: 1 });
    expect(end).toMatchObject({ ...done, states: ['created', 'created', 'adopted', 'created'] });
    expect(new Set(end.rows.map(({ id }) => id)).size).toBe(4);
    expect(world.service.posts()).toBe(4);
  });

  it('also where listings lag behind by less than writes may take to land', async () => {
    const world = worldOf({ mishap: only('applied', 0, 2), listLagMs: () => SETTLE_MS - 100 });
    expect(await run(world, rowsOf(4))).toMatchObject(done);
    expect(world.service.codes).toHaveLength(4);
  });

  it('creates a row anew whose code somebody deleted before it was found', async () => {
    const world = worldOf({ mishap: only('applied', 1) });
    world.time.at(3000, () => world.service.codes.filter(({ by }) => by === 2).map(world.service.remove));
    expect(await run(world, rowsOf(3))).toMatchObject({ ...done, states: ['created', 'created', 'created'] });
    expect(namesOf(world)).toEqual(['row 1', 'row 2', 'row 3']);
  });

  it('leaves it to a person when somebody else created the same at the same time (O8)', async () => {
    const world = worldOf({ mishap: only('applied', 1) });
    const rows = rowsOf(2);
    world.time.at(45, () => world.service.add({ name: 'row 2', destination: 'https://example.com' }, 0));
    const end = await run(world, rows);
    expect(end.undecided).toMatchObject([{ row: 2, candidates: [{ name: 'row 2' }, { name: 'row 2' }] }]);
    expect(end.rows[1]?.state).toBe('unknown');
    // Another look would show the same.
    expect([world.service.posts(), world.service.lists()]).toEqual([2, 1]);
  });

  it('gives a row up after some rounds, and does the others (O17)', async () => {
    const world = worldOf({ mishap: (_, { name }) => (name === 'row 2' ? 'drop' : 'none') });
    const end = await run(world, rowsOf(3));
    expect(end.stop).toBeUndefined();
    expect(end.states).toEqual(['created', 'open', 'created']);
  });

  it('looks after ten lost answers in a row, and gives up after four rounds without a code (O17)', async () => {
    const world = worldOf({ mishap: () => 'drop' });
    const end = await run(world, rowsOf(100), { concurrency: 1 });
    expect(end.stop).toBeInstanceOf(UnavailableError);
    expect([world.service.posts(), world.service.lists()]).toEqual([40, 4]);
    expect(end.rows.filter(({ sentNow }) => sentNow)).toHaveLength(10);
  });

  it('goes on as long as rounds bring codes, and fails as a whole where rows were not even tried (O17)', async () => {
    const world = worldOf({ mishap: (n) => (n < 50 && n % 11 === 10 ? 'none' : 'drop') });
    const end = await run(world, rowsOf(100), { concurrency: 1 });
    expect(end.stop).toBeInstanceOf(UnavailableError);
    expect(world.service.codes).toHaveLength(4);
    expect(world.service.posts()).toBeLessThan(100);
  });

  it('asks for the service’s clock first when an earlier run lost answers, and stops where there is none', async () => {
    const world = worldOf({ mishap: only('drop', 0) });
    expect(await runKilled(world, rowsOf(2), AT_OUTCOME, { concurrency: 1 })).toBe(true);
    const offline = new UnavailableError('no network', { outcome: 'not-applied' });
    const end = await run(world, rowsOf(3), { askClock: () => Promise.reject(offline) });
    expect(end).toMatchObject({ stop: offline, stopRow: undefined, states: ['unknown', 'unknown', 'open'] });
    expect(world.service.posts()).toBe(1);
    // What an earlier run sent was not sent now.
    expect(end.rows.filter(({ sentNow }) => sentNow)).toEqual([]);
    expect(await run(world, rowsOf(3))).toMatchObject(done);
  });

  it('fails as a whole where nothing was created at all', async () => {
    const world = worldOf({ mishap: () => 'drop' });
    expect((await run(world, rowsOf(3))).stop).toBeInstanceOf(UnavailableError);
  });

  it('writes down what the service’s clock showed before it sends again, and with each listing (O7)', async () => {
    const world = worldOf({ mishap: only('applied', 0) });
    await runKilled(world, rowsOf(2), AT_OUTCOME, { concurrency: 1 });
    await run(world, rowsOf(2), { concurrency: 1 });
    const records = await recordsOf(world);
    const second = records.slice(records.findLastIndex(({ is }) => is === 'session'));
    const kinds = ['session', 'clock', 'clock', 'adopted', 'absent', 'intent', 'created', 'clock'];
    expect(second.map(({ is }) => is)).toEqual(kinds);
    expect(second.filter((record) => record.is === 'clock' && record.s === undefined)).toEqual([]);
  });

  it('writes down whether the listing or a person said that a row was not created', async () => {
    const world = worldOf({ mishap: only('drop', 0, 1) });
    const offline = new UnavailableError('no network');
    await run(world, rowsOf(2), { listCodes: () => Promise.reject(offline) });
    const shown = () => world.service.listCodes();
    await run(world, rowsOf(2), { decisions: { adopt: [], notCreated: [3] }, listCodes: shown });
    const words = (await recordsOf(world)).flatMap((record) => (record.is === 'absent' ? [[record.row, record.word]] : []));
    expect(words).toEqual([
      [2, true],
      [1, false],
    ]);
  });

  it('leaves a row unknown when the listing fails, and decides nothing (O4)', async () => {
    const world = worldOf({ mishap: only('applied', 0) });
    const offline = new UnavailableError('no network', { outcome: 'not-applied' });
    const end = await run(world, rowsOf(3), { listCodes: () => Promise.reject(offline) });
    expect(end).toMatchObject({ stop: offline, stopRow: undefined, states: ['unknown', 'created', 'created'] });
    expect(await run(world, rowsOf(3))).toMatchObject({ ...done, states: ['adopted', 'created', 'created'] });
    expect(world.service.posts()).toBe(3);
  });

  it('goes on when every answer is lost but every code created', async () => {
    const world = worldOf({ mishap: () => 'applied' });
    const end = await run(world, rowsOf(35));
    expect(end).toMatchObject(done);
    expect(world.service.codes).toHaveLength(35);
  });

  it('looks for rows of a killed run no sooner than if it had just died (O5)', async () => {
    const world = worldOf({ mishap: only('late', 0), lateMs: () => SETTLE_MS - 1000, latencyMs: () => 50 });
    expect(await runKilled(world, rowsOf(1), AT_OUTCOME)).toBe(true);
    const end = await run(world, rowsOf(1));
    expect(end).toMatchObject(done);
    expect(world.service.codes).toHaveLength(1);
  });
});

describe('after a row was sent again', () => {
  /** The first answer is lost, its write lands so late. */
  const lateBy = (ms: number) => worldOf({ mishap: only('late', 0), lateMs: () => ms });

  it('says that it has two codes when the first write lands after all, in this run and every later one (O20)', async () => {
    const world = lateBy(60_000);
    const first = await run(world, rowsOf(2));
    const second = world.service.codes.find(({ id }) => !first.rows.some((row) => row.id === id));
    expect(first.undecided).toMatchObject([{ row: 1, state: 'created', candidates: [{ id: second?.id }] }]);
    const lists = world.service.lists();
    const later = await run(world, rowsOf(2));
    expect(later.undecided).toMatchObject([{ row: 1, candidates: [{ id: second?.id }] }]);
    expect([world.service.posts(), world.service.lists() - lists]).toEqual([3, 1]);
  });

  it.each<[string, (code: NewCode) => NewCode]>([
    ['keeps ASCII alone', (code) => ({ ...code, name: code.name.replace(/[^ -~]/g, '?') })],
    ['names codes itself', (code) => ({ ...code, name: `code ${code.name.length}` })],
  ])('says so also where the service %s, and asks once (O20)', async (_, alters) => {
    const world = worldOf({ alters, mishap: only('late', 0), lateMs: () => 60_000 });
    const rows = rowsOf(2).map((row) => ({
      ...row,
      code: { ...row.code, name: `row ${row.row}${row.row} für alle${row.row === 1 ? '!' : ''}` },
    }));
    const first = await run(world, rows);
    const second = world.service.codes.find(({ id }) => !first.rows.some((row) => row.id === id));
    expect(first.undecided).toMatchObject([{ row: 1, state: 'created', candidates: [{ id: second?.id }] }]);
    expect((await run(world, rows)).undecided).toMatchObject([{ row: 1, candidates: [{ id: second?.id }] }]);
    if (second) world.service.remove(second);
    expect(await run(world, rows)).toMatchObject(done);
    expect(world.service.posts()).toBe(3);
  });

  it('does not look for a second code of what the service rejected then: the next run looks for its first (O20, O21)', async () => {
    const world = worldOf({ mishap: (n) => (['late', 'rejected'] as const)[n] ?? 'none', lateMs: () => 30_000 });
    expect(await run(world, rowsOf(1))).toMatchObject({ ...done, states: ['rejected'] });
    expect([world.service.lists(), world.service.codes.length]).toEqual([1, 0]);
    await world.time.advance(30_000);
    expect(await run(world, rowsOf(1))).toMatchObject({ ...done, states: ['adopted'] });
    expect(world.service.posts()).toBe(2);
  });

  it('is settled by a person’s word, or by deleting one (O12, O13, O20)', async () => {
    for (const settle of ['adopt', 'not-created', 'delete'] as const) {
      const world = lateBy(30_000);
      const { undecided } = await run(world, rowsOf(1));
      const [{ candidates: [late] = [], id: own } = {}] = undecided;
      const word = { line: 2, id: late?.id ?? '' };
      const second = world.service.codes.find(({ id }) => id === late?.id);
      if (settle === 'delete' && second) world.service.remove(second);
      const decisions = { adopt: settle === 'adopt' ? [word] : [], notCreated: settle === 'not-created' ? [2] : [] };
      const end = await run(world, rowsOf(1), { decisions });
      expect(end).toMatchObject({ ...done, rows: [{ id: settle === 'adopt' ? late?.id : own }] });
      expect(await run(world, rowsOf(1))).toMatchObject(done);
      expect(world.service.posts()).toBe(2);
    }
  });

  it('looks once in a later run, and waits only for what may still land (O20)', async () => {
    const world = worldOf({ mishap: only('drop', 0) });
    expect(await run(world, rowsOf(1))).toMatchObject(done);
    expect(world.time.monotonic()).toBeGreaterThan(7 * SETTLE_MS);
    await world.time.advance(15_000);
    const began = world.time.monotonic();
    const lists = world.service.lists();
    const waits: unknown[] = [];
    expect(await run(world, rowsOf(1), { onEvent: (event) => waits.push(event) })).toMatchObject(done);
    expect([world.service.lists() - lists, waits, world.time.monotonic() - began]).toEqual([1, [], 20]);
  });

  it('looks again where a run soon after has to wait (O20)', async () => {
    const world = lateBy(40_000);
    const controller = new AbortController();
    world.time.at(20_000, () => controller.abort(new Error('interrupted')));
    const end = await run(world, rowsOf(1), { signal: controller.signal });
    expect(end).toMatchObject({ stop: { message: 'interrupted' }, states: ['created'] });
    const again = await run(world, rowsOf(1));
    expect(again.undecided).toHaveLength(1);
    expect(world.service.lists()).toBe(3);
  });

  it('looks before it sends again what an earlier run did not find (O21)', async () => {
    const world = lateBy(25_000);
    const controller = new AbortController();
    const listCodes = async () => {
      const listing = await world.service.listCodes();
      controller.abort(new Error('interrupted'));
      return listing;
    };
    await run(world, rowsOf(1), { listCodes, signal: controller.signal, failFast: true }).catch(() => undefined);
    expect(world.service.codes).toEqual([]);
    await world.time.advance(30_000);
    expect(await run(world, rowsOf(1))).toMatchObject({ ...done, states: ['adopted'] });
    expect(world.service.codes).toHaveLength(1);
  });

  it('tells which rows had their code before, and leaves no other behind in the results (O2)', async () => {
    const world = worldOf();
    await run(world, rowsOf(2));
    const end = await run(world, rowsOf(3));
    expect(end.rows.map(({ before }) => before)).toEqual([true, true, false]);
    world.memory.fault = (_, operation) =>
      operation.startsWith('sync /data/codes') && world.service.posts() > 4 ? 'EIO' : undefined;
    const failed = await run(world, rowsOf(9), { concurrency: 1 });
    expect(failed.stop).toMatchObject({ name: 'LocalError' });
    expect(failed.rows.filter(({ before }) => before).map(({ row }) => row)).toEqual([1, 2, 3]);
    expect(failed.rows.filter(({ id }) => id !== undefined)).toHaveLength(world.service.codes.length);
  });
});
