import { describe, expect, it } from 'vitest';
import {
  AuthError,
  LocalError,
  PlanLimitError,
  RateLimitError,
  UnavailableError,
  UnprovenError,
} from '#base/errors';
import { listingOf } from '#codes/engine/executor/read-plan';
import { baseOf } from '#codes/engine/plan/base';
import type { Brake, PlanInput, Row } from '#codes/engine/plan/model';
import { plan } from '#codes/engine/plan/plan';
import type { CodeChanges } from '#service/shapes';
import { codeOf, decide, idOf, newRow, rowOf } from '../plan/make.ts';
import { createWorld, type Mishap, namesOf, outcomesOf, policyOf, writesOf } from './world.ts';

const MENU = newRow(2, 'Menu', 'https://example.com/menu');
const BAR = newRow(3, 'Bar', 'https://example.com/bar');
const DOOR = newRow(4, 'Door', 'https://example.com/door');

function rowsNamed(count: number): Row[] {
  return Array.from({ length: count }, (_, at) => newRow(at + 2, `Row ${at}`, `https://example.com/${at}`));
}

function mishapsOf(...mishaps: Mishap[]): (n: number) => Mishap {
  return (n) => mishaps[n] ?? 'none';
}

const UPDATE = policyOf({ verb: 'update' });
const DELETE = policyOf({ verb: 'delete' });

describe('a run over new rows', () => {
  it('creates each code with one request, after one listing', async () => {
    const world = createWorld();
    const end = await world.run([MENU, BAR]);
    expect(outcomesOf(end)).toEqual(['created', 'created']);
    expect(end?.ends[0]?.code).toMatchObject({ name: 'Menu', id: idOf(100) });
    expect(world.sent).toEqual(['LIST', 'POST Menu', 'POST Bar']);
    expect(world.records.map(({ is }) => is)).toEqual(['run', 'post', 'made', 'post', 'made', 'end']);
  });

  it('records the IDs from its first listing, and the values in each POST (E10, E12)', async () => {
    const world = createWorld({ codes: [codeOf(1)] });
    await world.run([MENU]);
    const [run, post] = world.records;
    expect(run).toMatchObject({ is: 'run', ids: [idOf(1)] });
    expect(post).toMatchObject({ is: 'post', values: { name: 'Menu' } });
  });

  it('requests only the listing if it is repeated', async () => {
    const world = createWorld();
    await world.run([MENU, BAR]);
    expect(outcomesOf(await world.run([MENU, BAR]))).toEqual(['unchanged', 'unchanged']);
    expect(world.sent).toEqual(['LIST']);
  });

  it('sends the status after the POST only if the created code has a different status', async () => {
    const world = createWorld();
    const paused = newRow(2, 'Menu', 'https://example.com/menu');
    const end = await world.run([
      { ...paused, wish: { ...paused.wish, status: 'paused' } },
      { ...BAR, wish: { ...BAR.wish, status: 'active' } },
    ]);
    expect(outcomesOf(end)).toEqual(['created', 'created']);
    expect(writesOf(world)).toEqual(['POST Menu', 'PATCH Menu {"status":"paused"}', 'POST Bar']);
  });

  it('reports and records values that the service stored differently', async () => {
    const world = createWorld({
      alters: (values) => ({ ...values, name: values.name?.toLowerCase() ?? '' }),
    });
    const end = await world.run([MENU]);
    expect(end?.ends[0]?.altered).toEqual([{ field: 'name', sent: 'Menu', stored: 'menu' }]);
    expect(outcomesOf(await world.run([MENU]))).toEqual(['unchanged']);
  });

  it('sends and records nothing after the listing if the plan is refused', async () => {
    const world = createWorld();
    const onPlan = () => {
      throw new UnprovenError('no');
    };
    await expect(world.run([MENU], { onPlan })).rejects.toThrow('no');
    expect([world.sent, world.records]).toEqual([['LIST'], []]);
  });
});

describe('a request without a usable response', () => {
  it('is checked with one listing after the visibility delay and all other requests', async () => {
    const world = createWorld({ post: mishapsOf('applied') });
    const end = await world.run([MENU, BAR]);
    expect(outcomesOf(end)).toEqual(['created', 'created']);
    expect(world.sent).toEqual(['LIST', 'POST Menu', 'POST Bar', 'LIST']);
    expect(world.events.filter(({ is }) => is === 'waiting')).toHaveLength(1);
    expect(end?.ends[0]?.code).toMatchObject({ name: 'Menu' });
  });

  it('that was not applied is sent again, after one listing and before another', async () => {
    const world = createWorld({ post: mishapsOf('drop') });
    expect(outcomesOf(await world.run([MENU]))).toEqual(['created']);
    expect(world.sent).toEqual(['LIST', 'POST Menu', 'LIST', 'POST Menu', 'LIST']);
    expect(namesOf(world)).toEqual(['Menu']);
  });

  it('leaves one code per row if two rows are equal', async () => {
    const world = createWorld({ post: mishapsOf('applied', 'drop') });
    const rows = [MENU, { ...MENU, row: 2, line: 3 }];
    expect(outcomesOf(await world.run(rows))).toEqual(['created', 'created']);
    expect(namesOf(world)).toEqual(['Menu', 'Menu']);
    expect(outcomesOf(await world.run(rows))).toEqual(['unchanged', 'unchanged']);
  });

  it('provides a code only for its own row, not for an equal row whose request was rejected', async () => {
    const world = createWorld({ post: mishapsOf('rejected', 'applied') });
    const end = await world.run([MENU, { ...MENU, row: 2, line: 3 }]);
    expect(outcomesOf(end)).toEqual(['failed', 'created']);
    expect(namesOf(world)).toEqual(['Menu']);
  });

  it('leaves separate codes for two rows whose names the service shortens to the same name', async () => {
    const alters = ({ name = '', ...values }: CodeChanges) => ({ ...values, name: name.slice(0, 4) });
    const rows = [newRow(2, 'Menu 1', 'https://example.com/m'), newRow(3, 'Menu 2', 'https://example.com/m')];
    const world = createWorld({ alters, post: mishapsOf('none', 'none', 'applied', 'drop') });
    await world.run(rows);
    const again = policyOf(decide({ asNewAll: true }));
    const end = await world.run(rows, { policy: again });
    expect(new Set(end?.ends.map(({ code }) => code?.id)).size).toBe(2);
    expect(namesOf(world)).toHaveLength(4);
  });

  it('that is applied after the run leaves a duplicate code that the next run reports', async () => {
    const world = createWorld({ post: mishapsOf('very-late') });
    const end = await world.run([MENU]);
    expect(outcomesOf(end)).toEqual(['created']);
    await world.time.advance(30_000);
    const next = await world.run([MENU]);
    expect(next?.ends).toMatchObject([
      { outcome: 'undecided', candidates: [{ name: 'Menu' }, { name: 'Menu' }] },
    ]);
    expect(writesOf(world)).toEqual([]);
    expect(outcomesOf(await world.run([MENU])), 'until it was decided').toEqual(['undecided']);
  });

  it('gives its row the outcome `undecided` if a duplicate code appears before the end of the run (E15)', async () => {
    const world = createWorld({ post: mishapsOf('drop') });
    world.time.at(15_000, () => world.add({ name: 'Menu', destination: 'https://example.com/menu' }));
    const end = await world.run([MENU]);
    expect(end?.ends).toMatchObject([
      { outcome: 'undecided', candidates: [{ name: 'Menu' }, { name: 'Menu' }] },
    ]);
    expect(world.records.at(-1)?.is).not.toBe('end');
  });

  it('is sent at most three times', async () => {
    const world = createWorld({ post: () => 'drop' });
    const end = await world.run([MENU]);
    expect(end?.stop).toBeInstanceOf(UnavailableError);
    expect(end?.ends).toMatchObject([{ outcome: 'failed', error: 'the connection broke' }]);
    expect(writesOf(world)).toHaveLength(3);
  });

  it('delays the remaining rows until after a listing if it is the tenth such request in succession (E17)', async () => {
    const world = createWorld({ post: (n) => (n < 10 ? 'applied' : 'none') });
    const end = await world.run(rowsNamed(14));
    expect(new Set(outcomesOf(end))).toEqual(new Set(['created']));
    expect(world.sent.filter((request) => request.startsWith('POST'))).toHaveLength(14);
    expect(world.sent.indexOf('LIST', 1)).toBe(11);
  });

  it('in an earlier run is checked with a listing after new rows are sent, and before its own row is sent again', async () => {
    const world = createWorld({ post: mishapsOf('drop') });
    await world.run([MENU], {}, 7);
    expect(world.records.map(({ is }) => is)).toEqual(['run', 'post']);
    const end = await world.run([MENU, BAR]);
    expect(outcomesOf(end)).toEqual(['created', 'created']);
    expect(world.sent).toEqual(['LIST', 'POST Bar', 'LIST', 'POST Menu', 'LIST']);
  });

  it("does not give its row another row's code, even if the response contains that code", async () => {
    const world = createWorld({ post: mishapsOf('none', 'doubled') });
    const end = await world.run([MENU, BAR]);
    expect(outcomesOf(end)).toEqual(['created', 'created']);
    expect(namesOf(world)).toEqual(['Menu', 'Bar']);
  });
});

describe('a listing without codes that earlier requests created', () => {
  it('is requested again after the visibility delay', async () => {
    const world = createWorld({ listLagMs: (n) => (n === 0 ? 15_000 : 0) });
    await world.run([MENU], { listCodes: async () => [] });
    const end = await world.run([MENU, BAR]);
    expect(outcomesOf(end)).toEqual(['unchanged', 'created']);
    expect(world.sent).toEqual(['LIST', 'GET', 'LIST', 'POST Bar']);
  });

  it('stops the run if the codes are still missing after the delay (E16)', async () => {
    const world = createWorld({ listLagMs: () => 60_000 });
    await world.run(rowsNamed(5));
    await expect(world.run(rowsNamed(6))).rejects.toBeInstanceOf(UnprovenError);
    expect(
      world.sent.filter((request) => request === 'GET'),
      'three codes are asked for per listing',
    ).toHaveLength(6);
  });

  it('stops the run if it is needed to find the code for a POST without a response', async () => {
    const world = createWorld({ post: mishapsOf('none', 'applied'), listLagMs: () => 60_000 });
    const end = await world.run([MENU, BAR, DOOR]);
    expect(end?.stop).toBeInstanceOf(UnprovenError);
    expect(outcomesOf(end)).toEqual(['created', 'failed', 'created']);
    expect(namesOf(world)).toEqual(['Menu', 'Bar', 'Door']);
  });

  it('is accepted if the missing codes were deleted', async () => {
    const world = createWorld();
    await world.run([MENU, BAR]);
    world.remove('Menu');
    expect(outcomesOf(await world.run([MENU, BAR]))).toEqual(['gone', 'unchanged']);
  });
});

describe('changes', () => {
  const menu = codeOf(1, { name: 'Menu' });
  const renamed = rowOf(2, { of: menu, base: baseOf(menu), wish: { name: 'New menu' } });

  it('are sent, and recorded with the previous values', async () => {
    const world = createWorld({ codes: [menu] });
    const end = await world.run([renamed], { policy: UPDATE });
    expect(end?.ends).toMatchObject([{ outcome: 'updated', code: { name: 'New menu' } }]);
    expect(world.records.slice(1, 3)).toMatchObject([
      { is: 'patch', id: menu.id, set: { name: 'New menu' }, before: { name: 'Menu' } },
      { is: 'set', stored: { name: 'New menu' } },
    ]);
  });

  it('fail in each run if the service reports success but changes nothing', async () => {
    const world = createWorld({ codes: [menu], alters: () => ({}) });
    for (const _ of [1, 2]) {
      const end = await world.run([renamed], { policy: UPDATE });
      expect(end?.ends).toMatchObject([
        { outcome: 'failed', error: 'the service reported success but did not change the name' },
      ]);
    }
  });

  it('are reported once and not sent again if the service stored a different value (E18)', async () => {
    const world = createWorld({ codes: [menu], alters: ({ name = '' }) => ({ name: name.toUpperCase() }) });
    const end = await world.run([renamed], { policy: UPDATE });
    expect(end?.ends).toMatchObject([
      { outcome: 'updated', altered: [{ field: 'name', sent: 'New menu', stored: 'NEW MENU' }] },
    ]);
    expect(outcomesOf(await world.run([renamed], { policy: UPDATE }))).toEqual(['unchanged']);
  });

  it("are sent only once if the service normalizes them to the code's current values (E18)", async () => {
    const stored = codeOf(1, { name: 'NEW MENU' });
    const row = rowOf(2, { of: stored, base: baseOf(stored), wish: { name: 'New menu' } });
    const world = createWorld({ codes: [stored], alters: ({ name = '' }) => ({ name: name.toUpperCase() }) });
    expect((await world.run([row], { policy: UPDATE }))?.ends).toMatchObject([
      { outcome: 'updated', altered: [{ field: 'name', sent: 'New menu', stored: 'NEW MENU' }] },
    ]);
    expect(outcomesOf(await world.run([row], { policy: UPDATE }))).toEqual(['unchanged']);
  });

  it('have the outcome `gone` for a code that another client deleted during the run', async () => {
    const world = createWorld({ codes: [menu] });
    const end = await world.run([renamed], { policy: UPDATE, onPlan: () => world.remove('Menu') });
    expect(outcomesOf(end)).toEqual(['gone']);
  });

  it('require no listing if the codes were read by ID', async () => {
    const world = createWorld({ codes: [menu] });
    const readNamed = async () => listingOf([menu], false);
    expect(outcomesOf(await world.run([renamed], { policy: UPDATE, readNamed }))).toEqual(['updated']);
    expect(world.sent).toEqual(['PATCH Menu {"name":"New menu"}']);
  });
});

describe('the run stops', () => {
  it.each([
    ['unauthorized', AuthError],
    ['full', PlanLimitError],
    ['max-wait', RateLimitError],
  ] as const)(
    'after the failure `%s`, and the next run sends the remaining rows',
    async (mishap, failure) => {
      const world = createWorld({ post: mishapsOf('none', mishap) });
      const end = await world.run([MENU, BAR, DOOR]);
      expect(end?.stop).toBeInstanceOf(failure);
      expect(outcomesOf(end)).toEqual([
        'created',
        mishap === 'max-wait' ? 'not-attempted' : 'failed',
        'not-attempted',
      ]);
      expect(outcomesOf(await world.run([MENU, BAR, DOOR])), 'the next run goes on').toEqual([
        'unchanged',
        'created',
        'created',
      ]);
    },
  );

  it('after ten consecutive rows for which no connection could be opened', async () => {
    const world = createWorld({ post: () => 'refused' });
    const end = await world.run(rowsNamed(12));
    expect(end?.stop).toBeInstanceOf(UnavailableError);
    expect(outcomesOf(end).filter((outcome) => outcome === 'failed')).toHaveLength(10);
    expect(outcomesOf(end).slice(10)).toEqual(['not-attempted', 'not-attempted']);
  });

  it('at the first failed row, but only with --fail-fast', async () => {
    const post = mishapsOf('rejected');
    expect(outcomesOf(await createWorld({ post }).run([MENU, BAR]))).toEqual(['failed', 'created']);
    expect(outcomesOf(await createWorld({ post }).run([MENU, BAR], { failFast: true }))).toEqual([
      'failed',
      'not-attempted',
    ]);
  });

  it('when it is interrupted, even during a wait', async () => {
    const world = createWorld({ post: mishapsOf('drop') });
    const stop = new AbortController();
    world.time.at(3000, () => stop.abort(new Error('interrupted')));
    const end = await world.run([MENU, BAR], { signal: stop.signal });
    expect(end?.stop).toEqual(new Error('interrupted'));
    expect(outcomesOf(end)).toEqual(['failed', 'created']);
    expect(world.time.monotonic()).toBe(3000);
  });

  it("before it sends a request if the ledger can't be written", async () => {
    const world = createWorld();
    const full = new LocalError('the disk is full');
    const ledger = {
      view: () => ({
        claims: new Map(),
        unclear: [],
        repeated: [],
        replaced: new Map(),
        storedOf: () => undefined,
        next: 1,
      }),
    };
    const append = () => Promise.reject(full);
    const end = await world.run([MENU], { ledger: { ...ledger, append, note: () => undefined } });
    expect(end?.stop).toBe(full);
    expect(outcomesOf(end)).toEqual(['not-attempted']);
    expect(writesOf(world)).toEqual([]);
  });

  it('if a brake applies when it plans again during the run (E9)', async () => {
    const world = createWorld({ post: mishapsOf('drop') });
    const brake: Brake = { is: 'all-removed', message: 'every key is gone', flag: '--force' };
    const asking = (input: PlanInput) => ({ ...plan(input), brakes: input.isSettled ? [brake] : [] });
    const end = await world.run([MENU], { plan: asking });
    expect(end?.stop).toMatchObject({
      message: 'codes changed on the service during the run: every key is gone',
    });
    expect(writesOf(world)).toEqual(['POST Menu']);
  });
});

describe('deletions', () => {
  const menu = codeOf(1, { name: 'Menu' });
  const bar = codeOf(2, { name: 'Bar' });
  const rows = [rowOf(2, { of: menu }), rowOf(3, { of: bar })];

  it('are recorded before and after their requests, and are not sent again by the next run', async () => {
    const world = createWorld({ codes: [menu, bar] });
    expect(outcomesOf(await world.run(rows, { policy: DELETE }))).toEqual(['deleted', 'deleted']);
    expect(world.records.map(({ is }) => is)).toEqual([
      'run',
      'delete',
      'deleted',
      'delete',
      'deleted',
      'end',
    ]);
    expect(outcomesOf(await world.run(rows, { policy: DELETE }))).toEqual(['deleted', 'deleted']);
    expect(writesOf(world)).toEqual([]);
  });

  it('have the outcome `gone` for a code that another client deleted during the run', async () => {
    const world = createWorld({ codes: [menu, bar] });
    const end = await world.run(rows, { policy: DELETE, onPlan: () => world.remove('Menu') });
    expect(outcomesOf(end)).toEqual(['gone', 'deleted']);
  });

  it('are each sent after a backup of the code, or not at all if the backup fails', async () => {
    const world = createWorld({ codes: [menu, bar] });
    const end = await world.run(rows, {
      policy: DELETE,
      backUp: async ({ name }, send) => {
        if (name === 'Menu') throw new UnprovenError('scans are missing');
        await send();
      },
    });
    expect(end?.ends).toMatchObject([
      { outcome: 'failed', error: 'scans are missing' },
      { outcome: 'deleted' },
    ]);
    expect(namesOf(world)).toEqual(['Menu']);
  });
});

describe('a code that a killed run paused for a backup', () => {
  const menu = codeOf(1, { name: 'Menu' });
  const bar = codeOf(2, { name: 'Bar' });

  async function killedBackup(end: 'kill' | 'leave' = 'kill') {
    const world = createWorld({ codes: [menu, bar] });
    await world.run([rowOf(2, { of: menu })], {
      policy: DELETE,
      backUp: async (_code, _send, setStatus) => {
        await setStatus('paused');
        throw new Error(end);
      },
    });
    expect(world.codes()[0]?.status).toBe('paused');
    return world;
  }

  it('gets its status back in the next run, even if that run uses another file (E19)', async () => {
    const world = await killedBackup();
    expect(outcomesOf(await world.run([DOOR]))).toEqual(['created']);
    expect(writesOf(world)).toEqual(['PATCH Menu {"status":"active"}', 'POST Door']);
    expect(world.events).toContainEqual({
      is: 'restored',
      code: expect.objectContaining({ name: 'Menu', status: 'active' }),
    });
    await world.run([DOOR]);
    expect(writesOf(world)).toEqual([]);
  });

  it('is not reactivated by a run that deletes it', async () => {
    const world = await killedBackup();
    expect(outcomesOf(await world.run([rowOf(2, { of: menu })], { policy: DELETE }))).toEqual(['deleted']);
    expect(writesOf(world)).toEqual(['DELETE Menu']);
  });

  it('keeps a status that another client has set since', async () => {
    const world = await killedBackup();
    world.edit('Menu', { status: 'expired' });
    await world.run([DOOR]);
    expect(writesOf(world)).toEqual(['POST Door']);
  });

  it('is found by its ID if the codes for the rows were read without a listing', async () => {
    const world = await killedBackup();
    const readNamed = async () => listingOf([bar], false);
    await world.run([rowOf(2, { of: bar })], { policy: UPDATE, readNamed });
    expect(world.sent).toEqual(['GET', 'PATCH Menu {"status":"active"}']);
  });
});
