/** What a run records, waits for and reports between its requests. */
import { describe, expect, it } from 'vitest';
import { AuthError, RejectedError, UnprovenError } from '#base/errors';
import type { RowEnd } from '#codes/engine/executor/job';
import { listingOf } from '#codes/engine/executor/read-plan';
import { leftPaused } from '#codes/engine/executor/run-rows';
import { baseOf } from '#codes/engine/plan/base';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { PlanInput, Row } from '#codes/engine/plan/model';
import { plan } from '#codes/engine/plan/plan';
import type { CodeChanges, QrCode } from '#service/shapes';
import { entryOf } from '../lock/make-entry.ts';
import { codeOf, idOf, newRow, rowOf } from '../plan/make.ts';
import {
  createWorld,
  type Mishap,
  namesOf,
  outcomesOf,
  policyOf,
  type World,
  type WorldOptions,
  writesOf,
} from './world.ts';

const MENU = newRow(2, 'Menu', 'https://example.com/menu');
const BAR = newRow(3, 'Bar', 'https://example.com/bar');
const DOOR = newRow(4, 'Door', 'https://example.com/door');
const UPDATE = policyOf({ verb: 'update' });
const DELETE = policyOf({ verb: 'delete' });
const SETTLE_MS = 10_000;

function mishapsOf(...mishaps: (Mishap | Error)[]): (n: number) => Mishap | Error {
  return (n) => mishaps[n] ?? 'none';
}

function eventsOf({ events }: World): string[] {
  return events.map((event) => {
    if (event.is === 'waiting') return `waiting ${event.ms}`;
    return 'item' in event ? `${event.is} ${event.item.row?.wish.name}` : `${event.is} ${event.code.name}`;
  });
}

function kindsOf({ records }: World): string[] {
  return records.map(({ is }) => is);
}

describe('the records of a run', () => {
  const menu = codeOf(1, { name: 'Menu', destination: 'https://example.com/menu' });

  it('begin with a start record, which has no listed IDs if the run creates no code, and end with an end record', async () => {
    const world = createWorld({ codes: [menu] });
    const row = rowOf(2, { of: menu, base: baseOf(menu), wish: { name: 'New' } });
    await world.run([row], { policy: UPDATE, undoes: 'run 0' });
    expect(world.records[0]).toEqual({ is: 'run', run: 'run 1', undoes: 'run 0' });
    expect(world.records.at(-1)).toEqual({ is: 'end', run: 'run 1' });
  });

  it('are not written if no row has a change', async () => {
    const world = createWorld({ codes: [menu] });
    await world.run([rowOf(2, { of: menu })], { policy: UPDATE });
    expect(world.records).toEqual([]);
  });

  it('include its start and end if only some rows have changes', async () => {
    const world = createWorld({ codes: [menu, codeOf(2)] });
    const rows = [rowOf(2, { of: menu }), rowOf(3, { of: codeOf(2), wish: { name: 'New' } })];
    const end = await world.run(rows, { policy: UPDATE });
    expect(end?.ends).toMatchObject([{ outcome: 'unchanged', altered: [] }, { outcome: 'updated' }]);
    expect(kindsOf(world)).toEqual(['run', 'patch', 'set', 'end']);
  });

  it('are not written if no row has a change, so a full disk does not stop the run', async () => {
    const world = createWorld({ codes: [menu] });
    const end = await world.run([rowOf(2, { of: menu })], {
      policy: UPDATE,
      ledger: {
        view: createReplay().view,
        append: () => Promise.reject(new Error('the disk is full')),
        note: () => undefined,
      },
    });
    expect([end?.stop, outcomesOf(end)]).toEqual([undefined, ['unchanged']]);
  });

  it('include each existing code that was found for a row, but no listed IDs if the run creates no code', async () => {
    const world = createWorld({ codes: [menu] });
    expect(outcomesOf(await world.run([MENU]))).toEqual(['exists']);
    expect(world.records).toMatchObject([
      { is: 'run', run: 'run 1' },
      { is: 'found', id: menu.id },
      { is: 'end', run: 'run 1' },
    ]);
    expect(world.records[0]).not.toHaveProperty('ids');
  });

  it('contain only the IDs of the first listing, even if other codes appear before later listings', async () => {
    const world = createWorld({ codes: [codeOf(1)], post: mishapsOf('drop') });
    world.time.at(5000, () => world.add({ name: 'Other', destination: 'https://other.example/' }));
    await world.run([MENU]);
    expect(world.records.filter(({ is }) => is === 'run')).toEqual([
      { is: 'run', run: 'run 1', ids: [idOf(1)] },
    ]);
  });

  it('include its start and end even if it only searched for duplicates of a repeated request', async () => {
    const world = createWorld({ post: mishapsOf('drop') });
    await world.run([MENU]);
    const nextKinds = async () => {
      const before = world.records.length;
      await world.run([MENU]);
      return kindsOf(world).slice(before);
    };
    expect([await nextKinds(), await nextKinds()]).toEqual([['run', 'end'], []]);
  });

  it('do not include its end if the run was stopped', async () => {
    const stopped = createWorld({ post: mishapsOf('unauthorized') });
    await stopped.run([MENU]);
    expect(kindsOf(stopped)).toEqual(['run', 'post', 'not']);
  });
});

describe('the results of a run', () => {
  it('are saved before the end of the run is recorded, but not if the run is stopped', async () => {
    const saved: string[][] = [];
    const world = createWorld({ post: mishapsOf('none', 'unauthorized') });
    const beforeEnd = async (ends: readonly RowEnd[]) => {
      saved.push([...ends.map(({ outcome }) => outcome), kindsOf(world).at(-1) ?? '']);
    };
    await world.run([MENU], { beforeEnd });
    expect(saved).toEqual([['created', 'made']]);
    await world.run([MENU, BAR], { beforeEnd });
    expect(saved).toHaveLength(1);
  });

  it('stop the run before its end is recorded if they cannot be saved', async () => {
    const world = createWorld();
    const full = new Error('the disk is full');
    const end = await world.run([MENU], { beforeEnd: () => Promise.reject(full) });
    expect(end?.stop).toBe(full);
    expect(outcomesOf(end)).toEqual(['created']);
    expect(kindsOf(world)).not.toContain('end');
  });
});

describe('the events of a run', () => {
  it('include one event per row, in the order of the responses', async () => {
    const world = createWorld({ post: mishapsOf('rejected', 'none') });
    await world.run([MENU, BAR]);
    expect(eventsOf(world)).toEqual(['failed Menu', 'done Bar']);
  });

  it('include a wait until the visibility delay has passed since the last lost response', async () => {
    const world = createWorld({ post: mishapsOf('applied', 'applied', 'none') });
    await world.run([MENU, BAR, DOOR]);
    expect(eventsOf(world)).toEqual([
      'lost Menu',
      'lost Bar',
      'done Door',
      `waiting ${SETTLE_MS - 21}`,
      'done Menu',
      'done Bar',
    ]);
  });

  it('include a second wait after a request was repeated', async () => {
    const world = createWorld({ post: mishapsOf('drop', 'none') });
    await world.run([MENU, BAR]);
    expect(eventsOf(world)).toEqual([
      'lost Menu',
      'done Bar',
      `waiting ${SETTLE_MS - 21}`,
      'done Menu',
      `waiting ${SETTLE_MS}`,
    ]);
  });

  it('include a wait, counted from the start of the run, if an earlier run left a lost response', async () => {
    const world = createWorld({ post: mishapsOf('drop') });
    await world.time.advance(60_000);
    await world.run([MENU], {}, 7);
    await world.time.advance(60_000);
    await world.run([MENU, BAR]);
    // The listing took 20 ms, each record 1 ms and the POST 20 ms.
    expect(eventsOf(world)).toEqual([
      'done Bar',
      `waiting ${SETTLE_MS - 42}`,
      'done Menu',
      `waiting ${SETTLE_MS}`,
    ]);
  });

  it('include a wait of 0 ms if the visibility delay has already passed while other rows were sent', async () => {
    const world = createWorld({ post: mishapsOf('applied'), postWaits: (n) => (n === 1 ? [30_000] : []) });
    await world.run([MENU, BAR]);
    expect(eventsOf(world)).toEqual(['lost Menu', 'done Bar', 'waiting 0', 'done Menu']);
  });
});

describe('a row whose response was lost', () => {
  it('has no error after its code was found or its request was repeated', async () => {
    for (const mishap of ['applied', 'drop'] as const) {
      const world = createWorld({ post: mishapsOf(mishap) });
      const end = await world.run([MENU]);
      expect(end?.ends[0]).toMatchObject({ outcome: 'created', error: undefined, code: { name: 'Menu' } });
    }
  });

  it('causes no further listing if its repeated request is rejected', async () => {
    const world = createWorld({ post: mishapsOf('drop', 'rejected') });
    const end = await world.run([MENU]);
    expect(end?.ends).toMatchObject([{ outcome: 'failed', error: 'bad values' }]);
    expect(world.sent).toEqual(['LIST', 'POST Menu', 'LIST', 'POST Menu']);
  });

  it('has its status set after its code was found', async () => {
    const world = createWorld({ post: mishapsOf('applied') });
    const end = await world.run([{ ...MENU, wish: { ...MENU.wish, status: 'paused' } }]);
    expect(end?.ends).toMatchObject([
      { outcome: 'created', code: { status: 'paused' }, item: { action: 'update', how: 'lost' } },
    ]);
    expect(writesOf(world)).toEqual(['POST Menu', 'PATCH Menu {"status":"paused"}']);
    expect(eventsOf(world).filter((event) => event.startsWith('done'))).toEqual(['done Menu']);
  });

  it('is undecided if several new codes have its values', async () => {
    const world = createWorld({ post: mishapsOf('applied') });
    world.time.at(5000, () => world.add({ name: 'Menu', destination: 'https://example.com/menu' }));
    const end = await world.run([MENU, BAR]);
    expect(end?.ends).toMatchObject([
      { outcome: 'undecided', candidates: [{ name: 'Menu' }, { name: 'Menu' }] },
      { outcome: 'created', candidates: [] },
    ]);
    expect(end?.ends[0]?.error).toBeUndefined();
    expect(end?.stop).toBeUndefined();
  });

  it('stops the run only after three consecutive rounds in which no row was completed', async () => {
    const world = createWorld({ post: (n) => ([3, 6].includes(n) ? 'none' : 'drop') });
    const end = await world.run([MENU, BAR, DOOR]);
    expect(end?.stop).toMatchObject({ message: 'the connection broke' });
    expect(writesOf(world).map((request) => request.slice(5))).toEqual([
      'Menu',
      'Bar',
      'Door',
      'Menu',
      'Bar',
      'Door',
      'Bar',
      'Door',
      'Door',
      'Door',
      'Door',
    ]);
  });
});

describe('a row that waits for the rate limit', () => {
  it('is sent after a listing if ten consecutive responses of other rows are lost during the wait', async () => {
    const rows = Array.from({ length: 11 }, (_, at) =>
      newRow(at + 2, `Row ${at}`, `https://example.com/${at}`),
    );
    const world = createWorld({
      post: (n) => (n < 10 ? 'applied' : 'none'),
      postWaits: (n) => (n === 10 ? [1000] : []),
    });
    const end = await world.run(rows, { concurrency: 11 });
    expect([end?.stop, end?.firstError]).toEqual([undefined, undefined]);
    expect(new Set(outcomesOf(end))).toEqual(new Set(['created']));
    expect(world.sent.slice(-2)).toEqual(['LIST', 'POST Row 10']);
  });
});

describe('a stopped run', () => {
  it('does not search for the codes of lost responses, but the next run does', async () => {
    const world = createWorld({ post: mishapsOf('applied', 'unauthorized') });
    expect(outcomesOf(await world.run([MENU, BAR]))).toEqual(['failed', 'failed']);
    expect(world.sent).toEqual(['LIST', 'POST Menu', 'POST Bar']);
    expect(eventsOf(world)).toEqual(['lost Menu', 'failed Bar']);
    expect(outcomesOf(await world.run([MENU, BAR]))).toEqual(['unchanged', 'created']);
  });
});

describe('the stop reason of a run', () => {
  it('is the interruption, not the error that the interruption caused in a listing', async () => {
    const controller = new AbortController();
    const world = createWorld({ post: mishapsOf('drop') });
    let lists = 0;
    const listCodes = async () => {
      if (lists++ === 0) return [];
      controller.abort(new Error('interrupted'));
      throw new Error('this operation was aborted');
    };
    const end = await world.run([MENU], { listCodes, signal: controller.signal });
    expect(end?.stop).toEqual(new Error('interrupted'));
    expect(outcomesOf(end)).toEqual(['failed']);
  });

  it('is undefined after repeated lost responses if the last listing left no request to send', async () => {
    const world = createWorld({ post: () => 'drop' });
    world.time.at(25_000, () => {
      for (const _ of [1, 2, 3, 4]) world.add({ name: 'Menu', destination: 'https://example.com/menu' });
    });
    const end = await world.run([MENU]);
    expect(writesOf(world)).toHaveLength(3);
    expect(end).toMatchObject({ stop: undefined, ends: [{ outcome: 'undecided' }] });
  });
});

describe('a row whose code this run created', () => {
  it('is not compared with its base, nor created again by its decision, when the run plans again', async () => {
    const world = createWorld({ codes: [codeOf(1)], post: mishapsOf('none', 'applied') });
    const copy: Row = rowOf(2, {
      id: idOf(7),
      base: baseOf(codeOf(7, { name: 'Old' })),
      decision: { is: 'new' },
      wish: { name: 'Copy', destination: 'https://example.com/copy', status: 'active' },
    });
    const end = await world.run([copy, BAR]);
    expect(outcomesOf(end)).toEqual(['created', 'created']);
    expect(namesOf(world)).toEqual(['Code 1', 'Copy', 'Bar']);
  });

  it('is not compared with its base when the run plans again, even if copied rows exchanged their names', async () => {
    const names = ['Salads', 'Soups', 'Wines'];
    const copies = names.map((name, at) => {
      const base = baseOf(codeOf(at + 1, { name: names[(at + 1) % 3] ?? '' }));
      return rowOf(at + 2, { base, wish: { name, destination: `https://example.com/copy/${at}` } });
    });
    const world = createWorld({ post: mishapsOf('none', 'none', 'none', 'applied') });
    const end = await world.run([...copies, newRow(5, 'Bar', 'https://example.com/bar')]);
    expect(end?.stop).toBeUndefined();
    expect(outcomesOf(end)).toEqual(['created', 'created', 'created', 'created']);
  });

  it('keeps its code if lost responses of other rows delay an equal row until after a listing', async () => {
    const others = Array.from({ length: 10 }, (_, at) =>
      newRow(at + 3, `Row ${at}`, `https://example.com/${at}`),
    );
    const world = createWorld({ post: (n) => (n > 0 && n <= 10 ? 'applied' : 'none') });
    const end = await world.run([MENU, ...others, { ...MENU, row: 12, line: 13 }]);
    expect(new Set(outcomesOf(end))).toEqual(new Set(['created']));
    expect(new Set(end?.ends.map(({ code }) => code?.id)).size).toBe(12);
    expect(world.sent.slice(-2)).toEqual(['LIST', 'POST Menu']);
  });

  it('keeps its code if a second equal row is rejected and the response for a third one is lost', async () => {
    const world = createWorld({ post: mishapsOf('none', 'rejected', 'applied') });
    const rows = [MENU, { ...MENU, row: 2, line: 3 }, { ...MENU, row: 3, line: 4 }];
    const end = await world.run(rows);
    expect(outcomesOf(end)).toEqual(['created', 'failed', 'created']);
    expect(end?.ends.map(({ code }) => code?.id)).toEqual([idOf(100), undefined, idOf(101)]);
  });

  it('reports the values that the service altered in its POST and in its PATCH', async () => {
    const alters = ({ name, status, ...rest }: CodeChanges) => ({
      ...rest,
      ...(name !== undefined && { name: name.toUpperCase() }),
      ...(status !== undefined && { status: 'expired' }),
    });
    const world = createWorld({ alters });
    const end = await world.run([{ ...MENU, wish: { ...MENU.wish, status: 'paused' } }]);
    expect(end?.ends[0]?.altered).toEqual([
      { field: 'name', sent: 'Menu', stored: 'MENU' },
      { field: 'status', sent: 'paused', stored: 'expired' },
    ]);
  });

  it('reports a type that the service altered', async () => {
    const world = createWorld();
    const end = await world.run([{ ...MENU, type: 'menu' }], {
      service: {
        createCode: async (_values, beforeSend) => {
          await beforeSend?.();
          return codeOf(100, { name: 'Menu', destination: 'https://example.com/menu', type: 'url' });
        },
        updateCode: () => Promise.reject(new Error('not used')),
        deleteCode: () => Promise.reject(new Error('not used')),
        getCode: () => Promise.reject(new Error('not used')),
      },
    });
    expect(end?.ends[0]?.altered).toEqual([{ field: 'type', sent: 'menu', stored: 'url' }]);
  });
});

describe('keys that were removed from the file', () => {
  it('have their codes paused with --removed pause, even if the request for one of them fails', async () => {
    const codes = [1, 2, 3].map((number) => codeOf(number));
    const lock = new Map(codes.map((code, at) => [`k${at}`, entryOf(`k${at}`, code)]));
    const [first] = codes;
    const world = createWorld({ codes, patch: mishapsOf('rejected') });
    const end = await world.run([rowOf(2, { of: first, key: 'k0' })], {
      policy: policyOf({ verb: 'apply', removed: 'pause', force: true }),
      lock,
    });
    expect(end?.ends.map(({ item, outcome }) => [item.key, outcome])).toEqual([
      ['k0', 'unchanged'],
      ['k1', 'failed'],
      ['k2', 'updated'],
    ]);
    expect(world.codes().map(({ status }) => status)).toEqual(['active', 'active', 'paused']);
  });
});

describe('a plan that is made again during the run', () => {
  it('stops the run if it has faults (E9)', async () => {
    const world = createWorld({ post: mishapsOf('drop') });
    const asking = (input: PlanInput) => ({
      ...plan(input),
      faults: input.isSettled ? [{ line: 2, message: 'two rows have one code' }] : [],
    });
    const end = await world.run([MENU], { plan: asking });
    expect(end?.stop).toMatchObject({
      message: 'codes changed on the service during the run: two rows have one code',
      hint: 'Run the same command again.',
    });
    expect(end?.stop).toBeInstanceOf(UnprovenError);
  });

  it('is marked as settled, unlike the first plan, because the visibility delay has passed', async () => {
    const settled: boolean[] = [];
    const seeing = (input: PlanInput) => {
      settled.push(input.isSettled);
      return plan(input);
    };
    await createWorld({ post: mishapsOf('drop') }).run([MENU], { plan: seeing });
    expect(settled).toEqual([false, true, true]);
  });
});

describe('codes that an interrupted backup paused', () => {
  const [menu, bar] = [codeOf(1, { name: 'Menu' }), codeOf(2, { name: 'Bar' })];

  async function killedBackups(
    codes: readonly QrCode[],
    options: WorldOptions = {},
    world = createWorld({ codes: [menu, bar], ...options }),
  ) {
    await world.run(
      codes.map((of, at) => rowOf(at + 2, { of })),
      {
        policy: DELETE,
        backUp: async (_code, _send, setStatus) => {
          await setStatus('paused');
          throw new RejectedError('leave');
        },
      },
    );
    return world;
  }

  it('have their status restored before rows are sent, so a row with that status is unchanged', async () => {
    const world = await killedBackups([menu]);
    const end = await world.run([rowOf(2, { of: menu, base: baseOf(menu) })], { policy: UPDATE });
    expect(writesOf(world)).toEqual(['PATCH Menu {"status":"active"}']);
    expect(outcomesOf(end)).toEqual(['unchanged']);
    expect(end?.ends[0]?.code?.status).toBe('active');
  });

  it('are each reported as restored or still paused, and the run continues', async () => {
    const world = await killedBackups([menu, bar], { patch: mishapsOf('none', 'none', 'rejected') });
    const end = await world.run([DOOR]);
    expect(outcomesOf(end)).toEqual(['created']);
    expect(eventsOf(world)).toEqual(['still-paused Menu', 'restored Bar', 'done Door']);
    expect(world.codes().map(({ status }) => status)).toEqual(['paused', 'active', 'active']);
  });

  it('stop the run if restoring one fails for a reason that affects all codes, such as an invalid API key', async () => {
    const world = await killedBackups([menu], { patch: mishapsOf('none', 'unauthorized') });
    const end = await world.run([DOOR]);
    expect(end?.stop).toBeInstanceOf(AuthError);
    expect(outcomesOf(end)).toEqual(['not-attempted']);
    expect(world.events).toEqual([]);
  });

  it('are requested by a run without a listing of all codes, but not changed if they are active again or were deleted', async () => {
    const world = await killedBackups([menu, bar]);
    world.edit('Menu', { status: 'active' });
    world.remove('Bar');
    const readNamed = async () => listingOf([], false);
    const end = await world.run([], { policy: UPDATE, readNamed });
    expect(end?.stop).toBeUndefined();
    expect(world.sent).toEqual(['GET', 'GET']);
    expect(world.events).toEqual([]);
  });

  it('are not requested if the listing of all codes lacks them', async () => {
    const world = await killedBackups([menu]);
    world.remove('Menu');
    await world.run([DOOR]);
    expect(world.sent).toEqual(['LIST', 'POST Door']);
  });

  it('are restored only once, so a later pause by another client is kept', async () => {
    const world = await killedBackups([menu]);
    await world.run([DOOR]);
    expect(world.codes()[0]?.status).toBe('active');
    world.edit('Menu', { status: 'paused' });
    await world.run([DOOR]);
    expect([writesOf(world), world.events]).toEqual([[], []]);
    expect(world.records.findLast(({ is }) => is === 'patch')).toMatchObject({ pause: 'restored' });
  });

  it('are restored before rows are sent, even if another earlier run left a lost response', async () => {
    const world = createWorld({ codes: [menu, bar], post: mishapsOf('drop') });
    await world.run([DOOR], {}, 7);
    await killedBackups([menu], {}, world);
    const table = newRow(3, 'Table', 'https://example.com/table');
    expect(outcomesOf(await world.run([DOOR, table]))).toEqual(['created', 'created']);
    const restored = 'PATCH Menu {"status":"active"}';
    expect(world.sent).toEqual(['LIST', restored, 'POST Table', 'LIST', 'POST Door', 'LIST']);
  });

  it('are found with their old statuses if they may still be paused, unless the plan deletes them', async () => {
    const world = await killedBackups([menu, bar]);
    const left = async (rows: readonly Row[], listed: readonly QrCode[], isWhole: boolean) => {
      let found: readonly { id: string; status: string }[] = [];
      await world
        .run(rows, {
          policy: DELETE,
          readNamed: async () => listingOf(listed, false),
          plan: (input) => {
            const listing = listingOf(listed, isWhole);
            const planned = plan({ ...input, listing });
            found = leftPaused(input.ledger, { plan: planned, listing });
            return planned;
          },
          onPlan: () => {
            throw new Error('only planned');
          },
        })
        .catch(() => undefined);
      return found.map(({ id, status }) => `${id === menu.id ? 'Menu' : 'Bar'} ${status}`);
    };
    const [paused, other] = [
      { ...menu, status: 'paused' },
      { ...bar, status: 'paused' },
    ];
    expect(await left([], [paused, other], true)).toEqual(['Menu active', 'Bar active']);
    expect(await left([rowOf(2, { id: menu.id })], [paused, other], true)).toEqual(['Bar active']);
    expect(await left([], [paused, bar], true)).toEqual(['Menu active']);
    expect(await left([], [other], true)).toEqual(['Bar active']);
    expect(await left([], [other], false)).toEqual(['Menu active', 'Bar active']);
  });

  it('do not include codes that a run paused because their keys were removed from the file', async () => {
    const world = createWorld({ codes: [menu, bar] });
    const lock = new Map([
      ['a', entryOf('a', menu)],
      ['b', entryOf('b', bar)],
    ]);
    const policy = policyOf({ verb: 'apply', removed: 'pause', force: true });
    await world.run([rowOf(2, { of: menu, key: 'a' })], { policy, lock });
    expect(writesOf(world)).toEqual(['PATCH Bar {"status":"paused"}']);
    await world.run([DOOR]);
    expect(writesOf(world)).toEqual(['POST Door']);
  });
});
