/** What a run records about each request, and which responses it accepts. */
import { describe, expect, it } from 'vitest';
import { LocalError, NotFoundError, UnexpectedResponseError } from '#base/errors';
import type { BackUp } from '#codes/engine/executor/job';
import { baseOf } from '#codes/engine/plan/base';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { Ledger, Row } from '#codes/engine/plan/model';
import type { CodeChanges } from '#service/shapes';
import { codeOf, decide, idOf, newRow, rowOf } from '../plan/make.ts';
import { createWorld, type Mishap, namesOf, outcomesOf, policyOf, type World, writesOf } from './world.ts';

const MENU = newRow(2, 'Menu', 'https://example.com/menu');
const BAR = newRow(3, 'Bar', 'https://example.com/bar');
const UPDATE = policyOf({ verb: 'update' });
const DELETE = policyOf({ verb: 'delete' });
const AS_NEW = policyOf(decide({ asNewAll: true }));
const ID = idOf(10);

function mishapsOf(...mishaps: (Mishap | Error)[]): (n: number) => Mishap | Error {
  return (n) => mishaps[n] ?? 'none';
}

/** Returns the records since the start of a run, without those of starts and ends of runs. */
function recordsOf({ records }: World, run = 'run 1') {
  const start = records.findIndex((record) => record.is === 'run' && record.run === run);
  return records.slice(start).filter(({ is }) => is !== 'run' && is !== 'end');
}

function stopAt(world: World, ms: number): AbortSignal {
  const controller = new AbortController();
  world.time.at(ms, () => controller.abort(new Error('interrupted')));
  return controller.signal;
}

describe('the record of a POST', () => {
  it('contains the key, values and status of the row, and is followed by a record of the created code', async () => {
    const world = createWorld({
      alters: ({ name = '', ...rest }) => ({ ...rest, name: name.toUpperCase() }),
    });
    await world.run([{ ...MENU, key: 'k', wish: { ...MENU.wish, status: 'paused' } }]);
    const values = { name: 'Menu', destination: 'https://example.com/menu' };
    expect(recordsOf(world).slice(0, 2)).toEqual([
      { is: 'post', run: 'run 1', n: 1, values, key: 'k', status: 'paused' },
      {
        is: 'made',
        n: 1,
        id: idOf(100),
        slug: 'n0100',
        stored: { name: 'MENU', destination: 'https://example.com/menu', status: 'active' },
      },
    ]);
  });

  it('contains the number of the request that it repeats, and whether --as-new requested the code', async () => {
    const world = createWorld({
      codes: [codeOf(1, { name: 'Menu', destination: MENU.wish.destination ?? '' })],
    });
    await world.run([MENU], { policy: AS_NEW });
    expect(recordsOf(world)[0]).toMatchObject({ is: 'post', n: 1, decided: true });
    const other = createWorld({ post: mishapsOf('drop') });
    await other.run([MENU]);
    const posts = other.records.filter(({ is }) => is === 'post');
    expect(posts).toMatchObject([{ n: 1 }, { n: 2, again: 1 }]);
    expect(posts.map((post) => 'decided' in post)).toEqual([false, false]);
  });

  it('is followed by a record that nothing was applied if the service rejects the request', async () => {
    const world = createWorld({ post: mishapsOf('rejected') });
    await world.run([MENU]);
    expect(recordsOf(world).slice(1)).toEqual([{ is: 'not', n: 1 }]);
  });

  it('is followed by no record of the outcome if the response is lost and the run is then killed', async () => {
    const world = createWorld({ post: mishapsOf('applied') });
    await world.run([MENU], {}, 9);
    expect(recordsOf(world).map(({ is }) => is)).toEqual(['post']);
  });

  it('must be written before the request; if it cannot be written, the run stops and sends nothing', async () => {
    const world = createWorld();
    const full = new LocalError('the disk is full');
    const { view, take } = createReplay();
    const noted: string[] = [];
    const ledger: Ledger = {
      view,
      async append(records) {
        if (records.some(({ is }) => is === 'post')) throw full;
        for (const record of records) take(record);
      },
      note: (records) => void noted.push(...records.map(({ is }) => is)),
    };
    const end = await world.run([MENU, BAR], { ledger });
    expect(end?.stop).toBe(full);
    expect(end?.ends).toMatchObject([
      { outcome: 'not-attempted', error: undefined },
      { outcome: 'not-attempted', error: undefined },
    ]);
    expect([writesOf(world), noted, world.events]).toEqual([[], [], []]);
  });

  it('is written only once if the request is retried because of the rate limit', async () => {
    const world = createWorld({ postWaits: () => [1000, 1000] });
    expect(outcomesOf(await world.run([MENU]))).toEqual(['created']);
    expect(recordsOf(world).map(({ is }) => is)).toEqual(['post', 'made']);
  });

  it('is written after the wait for the rate limit, and not at all if the run stops during the wait', async () => {
    const world = createWorld({ postWaits: () => [1000] });
    const end = await world.run([MENU], { signal: stopAt(world, 500) });
    expect(outcomesOf(end)).toEqual(['not-attempted']);
    expect([writesOf(world), recordsOf(world), world.events]).toEqual([[], [], []]);
  });

  it('is followed by a record that nothing was applied if the run stops before the request is sent', async () => {
    const writing = createWorld();
    const end = await writing.run([MENU], { signal: stopAt(writing, 21.5) });
    expect(end?.ends).toMatchObject([{ outcome: 'not-attempted', error: undefined }]);
    const waiting = createWorld({ postWaits: () => [10, 1000] });
    await waiting.run([MENU], { signal: stopAt(waiting, 500) });
    for (const world of [writing, waiting]) {
      expect(writesOf(world)).toEqual([]);
      expect(recordsOf(world).map(({ is }) => is)).toEqual(['post', 'not']);
      expect(outcomesOf(await world.run([MENU]))).toEqual(['created']);
      expect(world.sent).toEqual(['LIST', 'POST Menu']);
    }
  });
});

describe('the response to a POST', () => {
  const lostOf = ({ events }: World) => events.filter(({ is }) => is === 'lost').length;

  it('is treated as lost if it contains a code that existed before the run', async () => {
    const world = createWorld({ codes: [codeOf(1)], post: mishapsOf('doubled') });
    const end = await world.run([MENU]);
    expect(lostOf(world)).toBe(1);
    expect(end?.ends).toMatchObject([{ outcome: 'created', error: undefined, code: { id: idOf(100) } }]);
    expect(end?.ends[0]?.altered).toEqual([]);
  });

  it('is treated as lost if it contains the code of another row whose response was also lost', async () => {
    const world = createWorld({ post: mishapsOf('applied', 'doubled') });
    const end = await world.run([MENU, BAR]);
    expect(lostOf(world)).toBe(2);
    expect(end?.ends.map(({ code }) => code?.name)).toEqual(['Menu', 'Bar']);
    expect(namesOf(world)).toEqual(['Menu', 'Bar']);
  });

  it('is treated as lost if it contains the code of an equal row', async () => {
    const world = createWorld({ post: mishapsOf('none', 'doubled') });
    const end = await world.run([MENU, { ...MENU, row: 2, line: 3 }]);
    expect(lostOf(world)).toBe(1);
    expect(end?.ends.map(({ code }) => code?.id)).toEqual([idOf(100), idOf(101)]);
  });

  const alteredTo: readonly (readonly [string, Row[], (values: CodeChanges) => CodeChanges])[] = [
    [
      'the name of another row',
      [newRow(2, 'Menu', 'https://example.com/m'), newRow(3, 'Menu 1', 'https://example.com/m')],
      ({ name = '', ...rest }) => ({ ...rest, name: name.slice(0, 4) }),
    ],
    [
      'the destination of another row',
      [newRow(2, 'Menu', 'https://example.com/1'), newRow(3, 'menu', 'https://example.com/2')],
      ({ name = '' }) => ({ name: name.toLowerCase(), destination: 'https://example.com/1' }),
    ],
    [
      'the name of another row in a code without a destination',
      [newRow(2, 'Menu', undefined, { type: 'wifi' }), newRow(3, 'Bar', undefined, { type: 'wifi' })],
      () => ({ name: 'Menu' }),
    ],
    [
      'values of no row',
      [newRow(2, 'Menu', 'https://example.com/1')],
      () => ({ name: 'Other', destination: 'https://other.example/' }),
    ],
  ];

  it.each(alteredTo)('is accepted even if the service stored %s', async (_name, rows, alters) => {
    const world = createWorld({ alters });
    const end = await world.run(rows);
    expect(new Set(outcomesOf(end))).toEqual(new Set(['created']));
    expect(lostOf(world)).toBe(0);
    expect(writesOf(world)).toHaveLength(rows.length);
  });

  it('is accepted and recorded with a lowercase ID if the service returns an uppercase ID', async () => {
    const made = codeOf(100, { id: ID.toUpperCase(), name: 'Menu', destination: 'https://example.com/menu' });
    const world = createWorld();
    const end = await world.run([MENU], {
      service: {
        createCode: async (_values, beforeSend) => {
          await beforeSend?.();
          return made;
        },
        updateCode: () => Promise.reject(new Error('not used')),
        deleteCode: () => Promise.reject(new Error('not used')),
        getCode: () => Promise.reject(new Error('not used')),
      },
    });
    expect(outcomesOf(end)).toEqual(['created']);
    expect(recordsOf(world)[1]).toMatchObject({ is: 'made', id: ID });
  });

  it('requires no PATCH if the created code already has the status of the row', async () => {
    const alters = (values: CodeChanges) => ({ ...values, status: 'paused' });
    const world = createWorld({ alters });
    const paused = { ...MENU, wish: { ...MENU.wish, status: 'paused' } };
    const end = await world.run([paused]);
    expect(end?.ends).toMatchObject([{ outcome: 'created', altered: [] }]);
    expect(writesOf(world)).toEqual(['POST Menu']);
  });

  it('does not complete the row if the PATCH of its status fails: the next run sends only that PATCH', async () => {
    const paused = { ...MENU, wish: { ...MENU.wish, status: 'paused' } };
    for (const mishap of ['rejected', new NotFoundError('not found')] as const) {
      const world = createWorld({ patch: mishapsOf(mishap) });
      const end = await world.run([paused]);
      expect(end?.ends).toMatchObject([{ outcome: 'failed', code: { name: 'Menu' } }]);
      expect(outcomesOf(await world.run([paused]))).toEqual(['updated']);
      expect(writesOf(world)).toEqual(['PATCH Menu {"status":"paused"}']);
    }
  });
});

describe('the record of a PATCH', () => {
  const code = codeOf(1, { id: ID.toUpperCase(), destination: null });
  const row = rowOf(2, {
    id: ID,
    key: 'k',
    type: 'url',
    base: baseOf(code),
    wish: { name: 'New', destination: 'https://new.example/' },
  });
  const set = { name: 'New', destination: 'https://new.example/' };
  const before = { name: 'Code 1', destination: '' };
  const id = ID;

  it('contains the key, the values of the row, and the old and new values of the changed fields', async () => {
    const world = createWorld({ codes: [code] });
    await world.run([row], { policy: UPDATE });
    expect(recordsOf(world)).toEqual([
      { is: 'patch', run: 'run 1', n: 1, id, set, before, key: 'k', row: { type: 'url', ...set } },
      { is: 'set', n: 1, stored: set },
    ]);
  });

  it('contains no row values if the row has no name, and the due times of only the changed fields', async () => {
    const world = createWorld({ codes: [code] });
    const due = (says: string) => ({ atMs: 5, says, earlier: [] });
    const dated: Row = {
      ...row,
      key: undefined,
      wish: { status: 'paused' },
      due: { status: due('paused'), name: due('Later') },
    };
    await world.run([dated], { policy: policyOf({ verb: 'update', isDated: true }) });
    expect(recordsOf(world).find(({ is }) => is === 'patch')).toEqual({
      is: 'patch',
      run: 'run 1',
      n: 1,
      id,
      set: { status: 'paused' },
      before: { status: 'active' },
      due: { status: { atMs: 5, says: 'paused' } },
    });
  });

  it('is followed by a record of the fields that the service changed, and the row fails if any are unchanged', async () => {
    const world = createWorld({ codes: [code], alters: ({ name = '' }) => ({ name }) });
    const end = await world.run([row], { policy: UPDATE });
    const did = 'the service reported success but did not change the';
    expect(end?.ends).toMatchObject([{ outcome: 'failed', error: `${did} destination` }]);
    expect(recordsOf(world)[1]).toEqual({ is: 'set', n: 1, stored: { name: 'New' } });
    const none = createWorld({ codes: [code], alters: () => ({}) });
    const failed = await none.run([row], { policy: UPDATE });
    expect(failed?.ends).toMatchObject([{ error: `${did} name and the destination` }]);
    expect(recordsOf(none)[1]).toEqual({ is: 'not', n: 1 });
  });

  it('is followed by a record that nothing was applied if the request is rejected, but not if its response is lost', async () => {
    for (const [mishap, kinds] of [
      ['rejected', ['patch', 'not']],
      ['drop', ['patch']],
    ] as const) {
      const world = createWorld({ codes: [code], patch: mishapsOf(mishap) });
      await world.run([row], { policy: UPDATE });
      expect(recordsOf(world).map(({ is }) => is)).toEqual(kinds);
    }
  });

  it('is followed by a record that nothing was applied if the run stops before the request is sent', async () => {
    const world = createWorld({ codes: [code] });
    const end = await world.run([row], { policy: UPDATE, signal: stopAt(world, 21.5) });
    expect(outcomesOf(end)).toEqual(['not-attempted']);
    expect(recordsOf(world).map(({ is }) => is)).toEqual(['patch', 'not']);
    expect(writesOf(world)).toEqual([]);
  });

  it('is not written if the run stops during the POST of the row, and the next run sends the PATCH', async () => {
    const world = createWorld();
    const paused = { ...MENU, wish: { ...MENU.wish, status: 'paused' } };
    await world.run([paused], { signal: stopAt(world, 30) });
    expect(recordsOf(world).map(({ is }) => is)).toEqual(['post', 'made']);
    await world.run([paused]);
    expect(writesOf(world)).toEqual(['PATCH Menu {"status":"paused"}']);
  });
});

describe('a PATCH that leaves the stored value unchanged', () => {
  const changeTo = async (stored: Partial<CodeChanges>, wish: CodeChanges) => {
    const code = codeOf(1, { destination: 'https://example.com/a', ...stored });
    const world = createWorld({ codes: [code], alters: () => ({}) });
    return outcomesOf(await world.run([rowOf(2, { id: code.id, wish })], { policy: UPDATE }));
  };

  it.each([
    ['the name in lower case', { name: 'menu' }, { name: 'Menu' }],
    ['the beginning of the name', { name: 'A name of twenty ch' }, { name: 'A name of twenty characters' }],
    [
      'the destination without its final slash',
      { destination: 'https://a.example/b' },
      { destination: 'https://a.example/b/' },
    ],
    [
      'the destination in ASCII',
      { destination: 'https://xn--mnchen-3ya.example/' },
      { destination: 'https://münchen.example/' },
    ],
    ['the name with single spaces', { name: 'a b' }, { name: 'a  b' }],
  ])(
    'does not fail if the stored value is a normalized or shortened form of the sent value: %s',
    async (_name, stored, wish) => {
      expect(['updated', 'unchanged']).toContain((await changeTo(stored, wish))[0]);
    },
  );

  it.each([
    ['a different name', {}, { name: 'Menu' }],
    ['a different destination', {}, { destination: 'https://example.com/b' }],
    ['a different status', {}, { status: 'paused' }],
    ['only the beginning of the sent destination', {}, { destination: 'https://example.com/a/long/path' }],
  ])('fails if the stored value is %s', async (_name, stored, wish) => {
    expect(await changeTo(stored, wish)).toEqual(['failed']);
  });
});

describe('a deletion', () => {
  const code = codeOf(1, { id: ID.toUpperCase() });
  const row = rowOf(2, { id: ID, base: baseOf(code) });
  const pausing: BackUp = async (_code, send, setStatus) => {
    await setStatus('paused');
    await send();
  };

  it('is recorded before and after its request', async () => {
    const world = createWorld({ codes: [code] });
    await world.run([row], { policy: DELETE });
    expect(recordsOf(world)).toEqual([
      { is: 'delete', run: 'run 1', n: 1, id: ID },
      { is: 'deleted', n: 1 },
    ]);
  });

  it('has its own number in the records, even if another deletion is sent at the same time', async () => {
    const codes = [codeOf(1), codeOf(2)];
    const world = createWorld({ codes });
    await world.run(
      codes.map((of, at) => rowOf(at + 2, { of })),
      { policy: DELETE, concurrency: 2 },
    );
    expect(recordsOf(world)).toEqual([
      { is: 'delete', run: 'run 1', n: 1, id: idOf(1) },
      { is: 'delete', run: 'run 1', n: 2, id: idOf(2) },
      { is: 'deleted', n: 1 },
      { is: 'deleted', n: 2 },
    ]);
  });

  it('is not sent, and is recorded as not applied, if the run stops while its first record is written', async () => {
    const world = createWorld({ codes: [code] });
    const end = await world.run([row], { policy: DELETE, signal: stopAt(world, 21.5) });
    expect(end?.ends).toMatchObject([{ outcome: 'not-attempted', error: undefined }]);
    expect(recordsOf(world)).toEqual([
      { is: 'delete', run: 'run 1', n: 1, id: ID },
      { is: 'not', n: 1 },
    ]);
    expect([writesOf(world), namesOf(world)]).toEqual([[], ['Code 1']]);
  });

  it('is recorded as not applied if the service rejects it, but not if the response is lost', async () => {
    for (const [mishap, kinds] of [
      ['rejected', ['delete', 'not']],
      ['drop', ['delete']],
    ] as const) {
      const world = createWorld({ codes: [code], remove: () => mishap });
      await world.run([row], { policy: DELETE });
      expect(recordsOf(world).map(({ is }) => is)).toEqual(kinds);
    }
  });

  it('with a backup records that the code was paused for the backup', async () => {
    const world = createWorld({ codes: [code] });
    await world.run([row], { policy: DELETE, backUp: pausing });
    expect(recordsOf(world)[0]).toEqual({
      is: 'patch',
      run: 'run 1',
      n: 1,
      id: ID,
      set: { status: 'paused' },
      before: { status: 'active' },
      pause: 'backup',
    });
    expect(recordsOf(world).map(({ is }) => is)).toEqual(['patch', 'set', 'delete', 'deleted']);
  });

  it('is not sent, and its code is not paused, if the run stops before the backup pauses the code', async () => {
    const world = createWorld({ codes: [code] });
    const steps: string[] = [];
    const signal = stopAt(world, 30);
    await world.run([row], {
      policy: DELETE,
      signal,
      backUp: async (_code, send, setStatus) => {
        await world.time.sleep(100);
        for (const step of [() => setStatus('paused'), send])
          await step().catch((error) => steps.push(error.message));
      },
    });
    expect(steps).toEqual(['not sent', 'not sent']);
    expect([writesOf(world), recordsOf(world)]).toEqual([[], []]);
  });

  it('that fails after its code was paused restores the status, even if the run has stopped', async () => {
    const world = createWorld({ codes: [code], remove: () => 'rejected' });
    const signal = stopAt(world, 60);
    await world.run([row], {
      policy: DELETE,
      signal,
      backUp: async (given, send, setStatus) => {
        await setStatus('paused');
        await setStatus('paused');
        await world.time.sleep(100);
        await send().catch(() => undefined);
        await setStatus(given.status);
      },
    });
    expect(writesOf(world)).toEqual(['PATCH Code 1 {"status":"paused"}', 'PATCH Code 1 {"status":"active"}']);
    expect(recordsOf(world)).toMatchObject([
      { is: 'patch', pause: 'backup', before: { status: 'active' } },
      { is: 'set' },
      { is: 'patch', pause: 'restored', before: { status: 'paused' } },
      { is: 'set' },
    ]);
  });

  it('whose backup fails restores the status of its code, even if the response to the pause request was lost', async () => {
    for (const mishap of ['applied', 'drop'] as const) {
      const world = createWorld({ codes: [code], patch: mishapsOf(mishap) });
      await world.run([row], {
        policy: DELETE,
        backUp: async (given, _send, setStatus) => {
          await setStatus('paused').catch(() => setStatus(given.status));
          throw new UnexpectedResponseError('no backup');
        },
      });
      expect(writesOf(world)).toEqual([
        'PATCH Code 1 {"status":"paused"}',
        'PATCH Code 1 {"status":"active"}',
      ]);
      expect(world.codes()[0]?.status).toBe('active');
    }
  });

  it('of a code that an interrupted backup paused backs up the earlier status and does not pause the code again', async () => {
    const world = createWorld({ codes: [code] });
    await world.run([row], {
      policy: DELETE,
      backUp: async (_code, _send, setStatus) => {
        await setStatus('paused');
        throw new Error('kill');
      },
    });
    const seen: string[] = [];
    const seeing: BackUp = async (given, send, setStatus) => {
      seen.push(given.status);
      return pausing(given, send, setStatus);
    };
    await world.run([row], { policy: DELETE, backUp: seeing });
    expect(seen).toEqual(['active']);
    expect(writesOf(world)).toEqual(['DELETE Code 1']);
  });

  it('backs up the current status if another client paused the code or changed the status after a backup paused it', async () => {
    const seen: string[] = [];
    const seeing: BackUp = async ({ status }, send) => {
      seen.push(status);
      await send();
    };
    const paused = codeOf(1, { status: 'paused' });
    await createWorld({ codes: [paused] }).run([rowOf(2, { id: paused.id })], {
      policy: DELETE,
      backUp: seeing,
    });
    const world = createWorld({ codes: [codeOf(1)] });
    await world.run([rowOf(2, { id: idOf(1) })], {
      policy: DELETE,
      backUp: async (_code, _send, setStatus) => {
        await setStatus('paused');
        throw new Error('kill');
      },
    });
    world.edit('Code 1', { status: 'expired' });
    await world.run([rowOf(2, { id: idOf(1) })], { policy: DELETE, backUp: seeing });
    expect(seen).toEqual(['paused', 'expired']);
  });
});
