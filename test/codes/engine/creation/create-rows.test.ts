import { describe, expect, it } from 'vitest';
import { LocalError, PlanLimitError, UnavailableError, UnprovenError } from '../../../../src/base/errors.ts';
import type { CreateJob } from '../../../../src/codes/engine/creation/create-job.ts';
import { seenOf } from '../../../../src/codes/engine/creation/entries.ts';
import { SETTLE_MS } from '../../../../src/codes/engine/creation/landing-delay.ts';
import type { NewRow } from '../../../../src/codes/engine/creation/new-row.ts';
import { planRows } from '../../../../src/codes/engine/creation/plan-rows.ts';
import type { Disk } from '../../../../src/files/durable/disk.ts';
import type { QrCode } from '../../../../src/service/shapes.ts';
import { openAppendLog } from '../../../support/logs.ts';
import type { Mishap } from '../../../support/model-service/codes.ts';
import {
  BASE_URL,
  done,
  JOURNAL,
  namesOf,
  only,
  pagesOf,
  recordsOf,
  rowsOf,
  run,
  slowDisk,
  WORKSPACE,
  type World,
  worldOf,
} from './world.ts';

const renamed = (row: NewRow): NewRow => ({ ...row, code: { ...row.code, name: 'renamed' } });
/** Listings that `plan` took. */
let listings = 0;
/** What a dry run says of each row. */
const plan = async (
  { memory, service }: World,
  rows: readonly NewRow[],
  listing = false,
  appliesEdits = false,
  asNew: number[] = [],
) => {
  const planned = await planRows({
    ...{ rows, journalPath: JOURNAL, disk: memory.disk, skipExisting: listing },
    ...{ readListedCodes: async () => [], readListed: async () => [] },
    service: { ...service, workspace: WORKSPACE },
    decisions: { adopt: [], notCreated: [], asNew },
    listPages: pagesOf(async () => {
      listings += 1;
      return service.codes;
    }),
    appliesEdits,
  });
  return planned.map(({ row: { row }, action, isLost, id, resent, changes }) =>
    [row, action, isLost ? 'lost' : [], id ?? [], resent ? 'resent' : [], changes ? 'changed' : []].flat().join(' '),
  );
};

/** Rows that have nothing in common. */
const apart = (count: number) =>
  rowsOf(count).map((row) => ({ ...row, code: { ...row.code, destination: `https://${row.row}.example/` } }));

describe('when nothing goes wrong', () => {
  it('sends one request a row and reads nothing', async () => {
    const world = worldOf();
    const end = await run(world, rowsOf(20));
    expect(end).toMatchObject(done);
    expect(end.states).toEqual(Array(20).fill('created'));
    expect([world.service.posts(), world.service.lists()]).toEqual([20, 0]);
  });

  it('sends nothing at all when everything was done before (O4)', async () => {
    const world = worldOf();
    await run(world, rowsOf(3));
    const end = await run(world, rowsOf(3));
    expect(end).toMatchObject(done);
    expect([world.service.posts(), world.service.lists()]).toEqual([3, 0]);
  });

  it('creates identical rows as often as they occur', async () => {
    const world = worldOf();
    await run(
      world,
      rowsOf(4, () => 1),
    );
    expect(namesOf(world)).toEqual(Array(4).fill('row 1'));
  });
});

it('creates each row once without a journal, also if answers are lost, and remembers nothing afterwards', async () => {
  const world = worldOf({ mishap: (n) => (n === 1 ? 'applied' : n === 2 ? 'drop' : 'none') });
  const end = await run(world, rowsOf(4), { journalPath: undefined, concurrency: 1 });
  expect(end.states).toEqual(['created', 'adopted', 'created', 'created']);
  expect(namesOf(world)).toEqual(['row 1', 'row 2', 'row 3', 'row 4']);
  expect(world.memory.names()).toEqual([]);
  await run(world, rowsOf(1), { journalPath: undefined });
  expect(namesOf(world)).toEqual(['row 1', 'row 1', 'row 2', 'row 3', 'row 4']);
});

it('warns once of a service that changes what it is sent: --skip-existing would create such rows again', async () => {
  const world = worldOf({ alters: (code) => ({ ...code, name: code.name.toUpperCase() }) });
  const warnings: string[] = [];
  await run(world, rowsOf(4), { concurrency: 1, onEvent: (event) => event.is === 'warning' && warnings.push(event.text) });
  expect(warnings).toEqual([
    expect.stringMatching(
      /^the service changed a value: line 2 was sent with the name "row 1", but its code has "ROW 1"\. .*Keep the journal/,
    ),
  ]);
  const other = worldOf({ alters: (code) => ({ ...code, type: 'text' }) });
  await run(other, rowsOf(1), { onEvent: (event) => event.is === 'warning' && warnings.push(event.text) });
  expect(warnings.pop()).toContain('line 2 was sent with the type "url", but its code has "text"');
  const short = worldOf({ alters: (code) => ({ ...code, destination: 'https://e.co/' }) });
  await run(short, rowsOf(1), { onEvent: (event) => event.is === 'warning' && warnings.push(event.text) });
  expect(warnings.pop()).toContain('but its code has "https://e.co/"');
  const tidy = worldOf({ tidies: true });
  await run(tidy, rowsOf(2), { onEvent: (event) => event.is === 'warning' && warnings.push(event.text) });
  expect(warnings).toHaveLength(1);
});

describe('the journal', () => {
  /** The third row waits for a minute before it is sent. */
  function worldWhereRow3Waits(): World {
    const world = worldOf();
    const create = world.service.createCode;
    world.service.createCode = async (code, beforeSend) => {
      if (code.name === 'row 3') await world.time.sleep(60_000);
      return create(code, beforeSend);
    };
    return world;
  }

  it('has the intent of a row before its POST leaves, and its outcome when the run ends (O1)', async () => {
    const world = worldOf();
    const create = world.service.createCode;
    const { disk } = world.memory;
    /** What is on the platter. */
    let flushed = '';
    const watched: Disk = {
      ...disk,
      async open(path, flags, mode) {
        const file = await disk.open(path, flags, mode);
        const datasync = async () => {
          const text = world.memory.read(path) ?? '';
          await world.time.sleep(5);
          await file.datasync();
          flushed = text;
        };
        return { ...file, datasync };
      },
    };
    const known: boolean[] = [];
    world.service.createCode = (code, beforeSend) =>
      create(code, async () => {
        await beforeSend?.();
        known.push(flushed.includes(`"is":"intent","row":${code.name.slice(4)},`));
      });
    await run(world, rowsOf(9), { disk: watched, concurrency: 2 });
    expect(known).toEqual(Array(9).fill(true));
    expect(flushed.match(/"is":"created"/g)).toHaveLength(9);
  });

  it('has the intents of rows that come next in one flush, and takes back those that were not sent (O1)', async () => {
    const world = worldOf({ mishap: (n) => (n === 4 ? 'full' : 'none') });
    let flushes = 0;
    world.memory.fault = (_, operation) => {
      if (operation.startsWith('sync') && world.service.posts() > 0) flushes += 1;
      return undefined;
    };
    const end = await run(world, rowsOf(20), { concurrency: 1 });
    expect(end.states).toEqual([...Array(4).fill('created'), ...Array(16).fill('open')]);
    expect(end.rows.filter(({ sentNow }) => sentNow)).toEqual([]);
    expect(flushes).toBeLessThanOrEqual(4);
  });

  it('has the next intents on their way to the disk while the rows of the last ones are sent (O1)', async () => {
    const world = worldOf({ latencyMs: () => 10 });
    const beganMs = world.time.now();
    await run(world, rowsOf(60), { disk: slowDisk(world, 5), concurrency: 2 });
    // Waiting for the disk ten times would take 50 ms more.
    expect(world.time.now() - beganMs).toBeLessThan(300 + 30);
  });

  it('asks the disk for no more once all rows have their intents (O1)', async () => {
    const world = worldOf({ latencyMs: () => 10 });
    let flushes = 0;
    world.memory.fault = (_, operation) => {
      if (operation.startsWith('sync')) flushes += 1;
      return undefined;
    };
    await run(world, rowsOf(12), { concurrency: 2 });
    // The beginning of the journal, that of the session, the intents of six rows and of six more, and the end.
    expect(flushes).toBe(4);
  });

  it('has a new intent of a row that waited long since its own was written', async () => {
    const world = worldWhereRow3Waits();
    await run(world, rowsOf(3), { concurrency: 1 });
    const intents = (await recordsOf(world)).flatMap((record) => (record.is === 'intent' ? `${record.row} ${record.t}` : []));
    expect(intents).toEqual(['1 0', '2 0', '3 0', '3 60040']);
  });

  it('has no new intent of rows that were sent while another waited (O1)', async () => {
    const world = worldWhereRow3Waits();
    const end = await run(world, rowsOf(9), { concurrency: 2 });
    expect(end.states).toEqual(Array(9).fill('created'));
    const intents = (await recordsOf(world)).flatMap((record) => (record.is === 'intent' ? record.row : []));
    expect(intents.sort()).toEqual([1, 2, 3, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('has one intent of a row that was sent soon after its own was written, however long the run is', async () => {
    const world = worldOf({ latencyMs: () => 4000 });
    await run(world, rowsOf(5), { concurrency: 1 });
    const intents = (await recordsOf(world)).flatMap((record) => (record.is === 'intent' ? `${record.row} ${record.t}` : []));
    expect(intents).toEqual(['1 0', '2 0', '3 0', '3 8000', '4 8000', '5 8000', '5 16000']);
  });

  it('ends the run where it cannot be written, and nothing more is sent (O2)', async () => {
    for (const failing of ['write', 'sync']) {
      const world = worldOf();
      world.memory.fault = (_, operation) => (operation.startsWith(failing) && world.service.posts() > 0 ? 'ENOSPC' : undefined);
      expect((await run(world, rowsOf(9), { concurrency: 1 })).stop).toBeInstanceOf(LocalError);
      expect(world.service.posts()).toBe(3);
    }
  });

  it('is not to blame for a defect: that is thrown', async () => {
    const onEvent: CreateJob['onEvent'] = ({ is }) => {
      if (is === 'created') throw new TypeError('a defect');
    };
    await expect(run(worldOf(), rowsOf(1), { onEvent })).rejects.toThrow('a defect');
  });

  it.each([1, 5])(
    'goes on where it could not take an answer that the results have: none of %i rows is sent again (O22)',
    async (count) => {
      const world = worldOf();
      world.memory.fault = (_, operation) => (operation.startsWith('write') && world.service.posts() > 0 ? 'ENOSPC' : undefined);
      const failed = await run(world, rowsOf(count), { concurrency: 1 });
      const listed = failed.rows.flatMap(({ row, id }) => (id === undefined ? [] : [{ row, id }]));
      const readListed = async () =>
        rowsOf(count).map((row, place) => ({ seen: seenOf(row), id: failed.rows[place]?.id, slug: 's', isEdited: false }));
      expect(listed.length).toBeGreaterThan(0);
      world.memory.fault = () => undefined;
      // A replica that is behind hides the code: the results show that there is one.
      const { listCodes } = world.service;
      world.service.listCodes = async () => [];
      expect((await run(world, rowsOf(count), { listed, readListed })).stop).toBeInstanceOf(UnprovenError);
      expect(world.service.posts()).toBe(count);
      world.service.listCodes = listCodes;
      expect(await run(world, rowsOf(count), { listed, readListed })).toMatchObject(done);
      expect(namesOf(world)).toEqual([1, 2, 3, 4, 5].slice(0, count).map((row) => `row ${row}`));
    },
  );

  it('is closed in the end, however that comes', async () => {
    let closed = 0;
    const world = worldOf();
    const { disk } = world.memory;
    const watched: Disk = {
      ...disk,
      async open(path, flags, mode) {
        const file = await disk.open(path, flags, mode);
        const close = async () => {
          closed += 1;
          await file.close();
        };
        return { ...file, close };
      },
    };
    await run(world, rowsOf(1), { disk: watched });
    const decisions = { adopt: [], notCreated: [7] };
    await expect(run(world, rowsOf(1), { disk: watched, decisions })).rejects.toThrow('no row begins at line 7');
    await run(world, [], { disk: watched });
    expect(closed).toBe(3);
  });
});

describe('what it tells and asks', () => {
  it('tells how many rows are left, and what becomes of each', async () => {
    const world = worldOf({ mishap: (n) => (['none', 'rejected', 'applied'] as const)[n] ?? 'none' });
    await run(world, rowsOf(1));
    const events: unknown[] = [];
    const onEvent: CreateJob['onEvent'] = (event) => events.push(event);
    await run(world, rowsOf(4), { onEvent, concurrency: 1 });
    expect(events).toEqual([
      { is: 'begun', left: 3 },
      { is: 'rejected', row: 2 },
      { is: 'unknown', row: 3 },
      { is: 'created', row: 4 },
      { is: 'waiting', ms: SETTLE_MS - 20, of: 'lost' },
      { is: 'adopted', row: 3 },
    ]);
    events.length = 0;
    await run(world, rowsOf(4).slice(0, 4), { onEvent });
    expect(events).toEqual([
      { is: 'begun', left: 1 },
      { is: 'created', row: 2 },
    ]);
    events.length = 0;
    expect(await run(world, rowsOf(4), { onEvent })).toMatchObject(done);
    expect(events).toEqual([]);
  });

  it('asks the service for nothing but to create, show and list codes (O19)', async () => {
    const world = worldOf({ mishap: (n) => (n === 0 ? 'applied' : 'none') });
    const asked = new Set<PropertyKey>();
    const service = new Proxy(
      { ...world.service, workspace: WORKSPACE },
      {
        get: (target, name) => {
          asked.add(name);
          return Reflect.get(target, name);
        },
      },
    );
    expect(await run(world, rowsOf(3), { service })).toMatchObject(done);
    const may: PropertyKey[] = ['workspace', 'createCode', 'externalRequests', 'getCode', 'msToClockSample', 'nowMs'];
    expect([...asked].filter((name) => !may.includes(name))).toEqual([]);
  });

  it('finds the second code of a row that somebody on the way sent twice, in this run and in later ones (O29)', async () => {
    const world = worldOf({ mishap: only('repeated', 1) });
    const first = await run(world, rowsOf(3));
    expect(first).toMatchObject({ stop: undefined, undecided: [{ row: 2, candidates: [{ name: 'row 2' }] }] });
    expect([world.service.posts(), world.service.lists()]).toEqual([3, 1]);
    const again = await run(world, rowsOf(3));
    expect(again.undecided).toMatchObject([{ row: 2 }]);
    const spare = first.undecided[0]?.candidates[0];
    await run(world, rowsOf(3), { decisions: { adopt: [], notCreated: [3] } });
    expect(await run(world, rowsOf(3))).toMatchObject(done);
    expect(world.service.codes).toContainEqual(spare);
    expect(world.service.posts()).toBe(3);
  });

  it('costs the listing, and asks nobody, where the requests that were not ours made no code of a row in its time (O29)', async () => {
    const world = worldOf();
    world.service.add({ name: 'row 2', destination: 'https://example.com' }, 0);
    await world.time.run(world.time.sleep(3_600_000));
    const events: unknown[] = [];
    const onEvent = (event: { is: string }) => {
      if (event.is === 'created') world.service.addForeign(1);
      if (event.is === 'waiting') events.push(event);
    };
    expect(await run(world, rowsOf(3), { onEvent })).toMatchObject(done);
    expect(events).toEqual([{ is: 'waiting', ms: expect.any(Number), of: 'second' }]);
    expect([world.service.posts(), world.service.lists()]).toEqual([3, 1]);
    // Nothing was created by this run, so there is nothing that could be twice.
    const service = { ...world.service, workspace: WORKSPACE, externalRequests: () => 1 };
    expect(await run(world, rowsOf(3), { service })).toMatchObject(done);
    expect([world.service.posts(), world.service.lists()]).toEqual([3, 1]);
  });

  it('takes a person’s word, and says what looks odd about it', async () => {
    const world = worldOf({ mishap: (n) => (n < 2 ? 'drop' : 'none') });
    await run(world, rowsOf(2), { listCodes: () => Promise.reject(new UnavailableError('no network')) });
    const other = world.service.add({ name: 'another' }, 0);
    const events: unknown[] = [];
    const decisions = { adopt: [{ line: 2, id: other.id }], notCreated: [3] };
    const end = await run(world, rowsOf(2), { decisions, onEvent: (event) => events.push(event) });
    expect(end).toMatchObject({ ...done, states: ['adopted', 'created'] });
    expect(events[0]).toEqual({
      is: 'warning',
      text: `line 2 and code ${other.id} have different values; adopted the code as specified`,
    });
    await expect(run(world, rowsOf(2), { decisions })).rejects.toThrow("--adopt 2 can't be used: line 2 has the code");
  });
});

describe('a row that is not in the input any more', () => {
  const failed = () => Promise.reject(new UnavailableError('no network'));

  it('is looked up, but neither reported nor asked about', async () => {
    const world = worldOf({ mishap: only('applied', 0, 1, 2) });
    await run(world, apart(3), { concurrency: 1, listCodes: failed });
    for (let n = 0; n < 2; n++) world.service.add({ name: 'row 2', destination: 'https://2.example/' }, 0);
    const events: unknown[] = [];
    expect(await run(world, apart(1), { onEvent: (event) => events.push(event) })).toMatchObject(done);
    expect(events.filter((event) => !String(JSON.stringify(event)).includes('waiting'))).toEqual([
      { is: 'begun', left: 1 },
      { is: 'adopted', row: 1 },
    ]);
    expect((await recordsOf(world)).filter(({ is }) => is === 'asked')).toEqual([]);
  });

  it('is not looked up if only its fingerprint is known', async () => {
    const world = worldOf({ mishap: only('applied', 0) });
    const journal = await openAppendLog<{ is: string }>(JOURNAL, { elsewhere: '', damaged: '' }, world.memory.disk);
    const stamp = { t: 0, w: 0, b: 0 };
    await journal.append([
      { is: 'journal', version: 1, baseUrl: BASE_URL } as { is: string },
      { is: 'rows', hashes: apart(2).map((row) => seenOf(row).all) } as { is: string },
      { is: 'session', ...stamp } as { is: string },
      ...[1, 2].map((row) => ({ is: 'intent', row, ...stamp })),
    ]);
    await journal.close();
    expect(await run(world, apart(1))).toMatchObject(done);
    expect(world.service.posts()).toBe(1);
  });

  it.each([
    [[1, 2, 3], 'line 2'],
    [[2, 3], 'a removed row ("row 1")'],
  ])('is named by its values if its code is returned for another: input %j', async (input, name) => {
    const world = worldOf();
    await run(world, apart(2));
    const [code] = world.service.codes;
    const createCode = async () => code as QrCode;
    const left = apart(3).filter(({ row }) => input.includes(row));
    const rows = left.map((row, place) => ({ ...row, row: place + 1, line: place + 2 }));
    const end = await run(world, rows, { service: { ...world.service, workspace: WORKSPACE, createCode } });
    expect(end.rows.at(-1)?.error).toBe(`the service returned the code of ${name} (${code?.id})`);
  });
});

it('says that it waits for lost responses, also if the listing is out of date', async () => {
  const world = worldOf({ mishap: only('applied', 1), listLagMs: (n) => (n === 0 ? 60_000 : 0) });
  const waits: unknown[] = [];
  await run(world, apart(3), { onEvent: (event) => event.is === 'waiting' && waits.push(event.of) });
  expect(waits).toEqual(['lost', 'lost']);
});

describe('--skip-existing', () => {
  const alike = () => rowsOf(4, (row) => (row < 4 ? 1 : 4));

  it('creates only rows that have no code with their values, each its own (O18)', async () => {
    const world = worldOf();
    const like = { name: 'row 1', destination: 'https://example.com/' };
    const old = [world.service.add(like, 0), world.service.add(like, 0)];
    const end = await run(world, alike(), { skipExisting: true });
    expect(end).toMatchObject({ ...done, states: ['exists', 'exists', 'created', 'created'] });
    expect(end.rows.slice(0, 2).map(({ id }) => id)).toEqual(old.map(({ id }) => id));
    expect(world.service.lists()).toBe(1);
    expect(await run(world, alike(), { skipExisting: true })).toMatchObject({ ...done, states: end.states });
    expect([world.service.lists(), world.service.posts()]).toEqual([1, 2]);
  });

  it('looks also for rows that were added to a run that is through (O18)', async () => {
    const world = worldOf();
    await run(world, rowsOf(1));
    world.service.add({ name: 'row 2', destination: 'https://example.com' }, 0);
    expect((await run(world, rowsOf(2), { skipExisting: true })).states).toEqual(['created', 'exists']);
    expect(world.service.posts()).toBe(1);
  });

  it('reads the listing once for the codes of results and for the others', async () => {
    const world = worldOf();
    const [first, second] = [1, 2].map((n) => world.service.add({ name: `row ${n}`, destination: 'https://example.com' }, 0));
    const listed = [{ row: 1, id: first?.id ?? '' }];
    const [row] = rowsOf(1) as [NewRow];
    const readListed = async () => [{ seen: seenOf(row), id: first?.id, slug: first?.slug, isEdited: false }];
    const end = await run(world, rowsOf(3), { skipExisting: true, listed, readListed });
    expect(end.states).toEqual(['exists', 'exists', 'created']);
    expect(end.rows.slice(0, 2).map(({ id }) => id)).toEqual([first?.id, second?.id]);
    expect(world.service.lists()).toBe(1);
  });

  it('passes by an edited row, and needs no results', async () => {
    const world = worldOf();
    await run(world, apart(3));
    const rows = apart(4).map((row) => (row.row === 2 ? renamed(row) : row));
    const end = await run(world, rows, { skipExisting: true, listed: undefined });
    expect(end.states).toEqual(['created', 'edited', 'created', 'created']);
  });

  it('does not send what is all there', async () => {
    const world = worldOf();
    world.service.add({ name: 'row 1', destination: 'https://example.com' }, 0);
    const events: unknown[] = [];
    const end = await run(world, rowsOf(1), { skipExisting: true, onEvent: (event) => events.push(event) });
    expect(end).toMatchObject({ ...done, states: ['exists'] });
    expect([events, world.service.posts()]).toEqual([[], 0]);
  });
});

describe('an edited row', () => {
  const edited = (rows = apart(3)) => rows.map((row) => (row.row === 2 ? renamed(row) : row));
  const failed = () => Promise.reject(new UnavailableError('no network'));

  it('is left alone with the code that it was, and costs no request', async () => {
    const world = worldOf();
    const [, second] = (await run(world, apart(3))).rows;
    const end = await run(world, edited());
    expect(end.rows[1]).toEqual({
      ...{ row: 2, line: 3, state: 'edited', id: second?.id, slug: second?.slug, error: undefined },
      ...{
        sentNow: false,
        before: false,
        stopped: false,
        candidates: [],
        edit: expect.objectContaining({ of: expect.objectContaining({ row: 2 }) }),
      },
    });
    expect([end.states, world.service.posts(), world.service.lists()]).toEqual([['created', 'edited', 'created'], 3, 0]);
  });

  it('has no code if several removed rows could be it', async () => {
    const world = worldOf();
    await run(
      world,
      rowsOf(3, (row) => (row < 3 ? 1 : 3)),
    );
    const [first, , third] = rowsOf(3) as [NewRow, NewRow, NewRow];
    const input = [renamed(first), { ...third, row: 2, line: 3 }];
    expect(await plan(world, input)).toEqual(['1 edited', expect.stringMatching(/^2 unchanged/)]);
    const { rows, states } = await run(world, input);
    expect([states, rows[0]?.id, rows[0]?.edit?.candidates.length]).toEqual([['edited', 'created'], undefined, 2]);
  });

  it('has its code changed on request, before new rows are sent', async () => {
    const world = worldOf();
    const [, second] = (await run(world, apart(3))).rows;
    const applyEdits: CreateJob['applyEdits'] = async (edits, log) => {
      expect(world.service.posts()).toBe(3);
      for (const edit of edits) await log.begin(edit).then(() => log.done(edit));
      return { stop: undefined, failed: new Map() };
    };
    const end = await run(world, edited(apart(4)), { applyEdits });
    expect(end).toMatchObject({ ...done, states: ['created', 'updated', 'created', 'created'] });
    expect(end.rows[1]).toMatchObject({ id: second?.id, slug: second?.slug, sentNow: false, before: false, edit: undefined });
    expect(end.rows[1]?.error).toBeUndefined();
  });

  it('stops the run before new rows are sent, if changes are stopped', async () => {
    const world = worldOf();
    await run(world, apart(3));
    const stop = new UnavailableError('no network');
    const end = await run(world, edited(apart(4)), { applyEdits: async () => ({ stop, failed: new Map([[2, 'too late']]) }) });
    expect([end.stop, end.states, world.service.posts()]).toEqual([stop, ['created', 'edited', 'created', 'open'], 3]);
    expect(end.rows[1]?.error).toBe('too late');
  });

  it('is judged after the removed row was looked up, and nothing is sent before (O34)', async () => {
    const world = worldOf({ mishap: only('drop', 1) });
    await run(world, apart(3), { concurrency: 1, listCodes: failed });
    const unlisted = await run(world, edited(apart(4)), { listCodes: failed });
    expect([unlisted.stop, world.service.posts()]).toEqual([expect.any(UnavailableError), 3]);
    // It was not created, so the row is a new one.
    const end = await run(world, edited(apart(4)));
    expect(end).toMatchObject({ ...done, states: ['created', 'created', 'created', 'created'] });
    expect(world.service.posts()).toBe(5);
  });
});

it('is refused without the codes that the results contain, and goes on with a journal if they cannot be read (O22)', async () => {
  const world = worldOf();
  const listed = [{ row: 1, id: 'lost' }];
  const readListed = async () => [{ seen: { all: 'x' }, id: 'lost', slug: 's', isEdited: false }];
  await expect(run(world, rowsOf(1), { listed, readListed })).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(JOURNAL),
  });
  expect(world.service.posts()).toBe(0);
  await run(world, rowsOf(1));
  expect(await run(world, rowsOf(1), { listed: undefined })).toMatchObject(done);
});

describe('a plan', () => {
  it('says what a run would do, and touches nothing', async () => {
    const world = worldOf({ mishap: (n) => (['none', 'applied', 'rejected'] as const)[n] ?? 'none' });
    expect(await plan(world, rowsOf(2))).toEqual(['1 create', '2 create']);
    expect(world.memory.names()).toEqual([]);
    const noListing = () => Promise.reject(new Error('no listing'));
    await run(world, rowsOf(3), { concurrency: 1, listCodes: noListing });
    const [first, second] = world.service.codes;
    const before = await recordsOf(world);
    expect(await plan(world, rowsOf(4))).toEqual([`1 unchanged ${first?.id}`, '2 create lost', '3 create', '4 create']);
    const old = world.service.add({ name: 'row 3', destination: 'https://example.com' }, 0);
    const listed = [`1 unchanged ${first?.id}`, '2 create lost', `3 exists ${old.id}`, '4 create'];
    expect(await plan(world, rowsOf(4), true)).toEqual(listed);
    expect(await recordsOf(world)).toEqual(before);
    expect(second?.by).toBe(2);
  });

  it('looks again for what an earlier run did not find, and for a second code of what was sent twice (O20, O21)', async () => {
    const world = worldOf({ mishap: only('drop', 0, 1) });
    const controller = new AbortController();
    const onEvent: CreateJob['onEvent'] = (event) => event.is === 'created' && event.row === 1 && controller.abort();
    await run(world, rowsOf(2), { concurrency: 1, onEvent, signal: controller.signal });
    const [code] = world.service.codes;
    expect(await plan(world, rowsOf(3))).toEqual([`1 unchanged ${code?.id} resent`, '2 create lost', '3 create']);
  });

  it('has edits, which are changes on request', async () => {
    const world = worldOf();
    await run(world, apart(3));
    const ids = world.service.codes.map(({ id }) => id);
    const rows = apart(4).map((row) => (row.row === 2 ? renamed(row) : row));
    const [first, third] = [`1 unchanged ${ids[0]}`, `3 unchanged ${ids[2]}`];
    expect(await plan(world, rows)).toEqual([first, `2 edited ${ids[1]} changed`, third, '4 create']);
    expect(await plan(world, rows, false, true)).toEqual([first, `2 update ${ids[1]} changed`, third, '4 create']);
  });

  it('has rows that are new by the user’s word, also if the removed row was lost', async () => {
    const world = worldOf({ mishap: only('drop', 1) });
    await run(world, apart(3), { concurrency: 1, listCodes: () => Promise.reject(new UnavailableError('no listing')) });
    const rows = apart(3).map((row) => (row.row === 2 ? renamed(row) : row));
    expect((await plan(world, rows))[1]).toBe('2 edited changed');
    expect((await plan(world, rows, false, false, [3]))[1]).toBe('2 create');
  });

  it.each([true, false])('costs a listing only for rows that may be sent; a run too (plan: %s)', async (planned) => {
    const world = worldOf({ mishap: only('rejected', 1) });
    await run(world, rowsOf(2), { concurrency: 1 });
    const rest = rowsOf(1);
    listings = 0;
    // The rejected row is not in the input any more.
    await (planned ? plan(world, rest, true) : run(world, rest, { skipExisting: true }));
    expect(listings + world.service.lists()).toBe(0);
    await (planned ? plan(world, rowsOf(2)) : run(world, rest));
    expect(listings + world.service.lists()).toBe(0);
    await (planned ? plan(world, rowsOf(2), true) : run(world, rowsOf(2), { skipExisting: true }));
    expect(listings + world.service.lists()).toBe(1);
  });

  it('is refused where a run would be', async () => {
    const world = worldOf();
    await run(world, rowsOf(2));
    world.memory.write(JOURNAL, (world.memory.read(JOURNAL) ?? '').replace('"created"', '"creatde"'));
    await expect(plan(world, rowsOf(2))).rejects.toThrow('is damaged at line');
  });
});

describe('when there is a reason to stop', () => {
  const fullFrom = (post: number) => (n: number) => (n >= post ? ('full' as const) : ('none' as const));

  it('sends nothing after the plan is full, and the rest once it is not (O16)', async () => {
    let full = true;
    const world = worldOf({ mishap: (n) => (full && n >= 10 ? 'full' : 'none') });
    const first = await run(world, rowsOf(30));
    expect(first.stop).toBeInstanceOf(PlanLimitError);
    expect(first.stopRow).toBe(11);
    expect(world.service.posts()).toBeLessThanOrEqual(14);
    full = false;
    const sent = world.service.posts();
    const end = await run(world, rowsOf(30));
    expect(end).toMatchObject(done);
    expect(world.service.posts() - sent).toBe(20);
    expect(world.service.codes).toHaveLength(30);
  });

  it('keeps back rows that wait for the rate limit when the stop comes (O16)', async () => {
    const world = worldOf({ mishap: fullFrom(0) });
    const waiting = world.service.createCode;
    world.service.createCode = async (code, beforeSend) => {
      if (code.name !== 'row 1') await world.time.sleep(60_000);
      return waiting(code, beforeSend);
    };
    const end = await run(world, rowsOf(8));
    expect([world.service.posts(), new Set(end.states)]).toEqual([1, new Set(['open'])]);
  });

  it('keeps back also the row that the limiter lets through the moment the stop is answered (O16)', async () => {
    const world = worldOf({ mishap: fullFrom(0), latencyMs: () => 0 });
    const create = world.service.createCode;
    let answered = () => {};
    const gate = new Promise<void>((resolve) => {
      answered = resolve;
    });
    world.service.createCode = async (code, beforeSend) => {
      if (code.name === 'row 1') return create(code, beforeSend).finally(() => setImmediate(answered));
      await gate;
      return create(code, beforeSend);
    };
    const end = await run(world, rowsOf(8), { disk: slowDisk(world) });
    expect([world.service.posts(), new Set(end.states)]).toEqual([1, new Set(['open'])]);
  });

  it('keeps back also the row whose intent is on its way to the disk when the stop comes, and leaves it as it was (O16)', async () => {
    const world = worldOf({ mishap: fullFrom(11), latencyMs: (n) => (n === 11 ? 30 : 20) });
    const end = await run(world, rowsOf(15), { disk: slowDisk(world, 100), concurrency: 2 });
    expect(end.states).toEqual([...Array(11).fill('created'), ...Array(4).fill('open')]);
    expect(world.service.posts()).toBe(12);
    const intents = (await recordsOf(world)).flatMap((record) => (record.is === 'intent' ? record.row : []));
    expect(intents).toContain(13);
  });

  it('fails a rejected row only, unless told to fail fast', async () => {
    const rejected = (_: number, { name }: { name: string }): Mishap => (name === 'row 2' ? 'rejected' : 'none');
    const world = worldOf({ mishap: rejected });
    const all = await run(world, rowsOf(9));
    expect(all).toMatchObject(done);
    expect(all.rows[1]?.state).toBe('rejected');
    expect(world.service.posts()).toBe(9);

    const fast = worldOf({ mishap: rejected });
    await run(fast, rowsOf(9), { failFast: true, concurrency: 1 });
    expect(fast.service.posts()).toBe(2);
  });

  it('takes what is in flight at an interruption for unknown, and finds it in the next run', async () => {
    const world = worldOf();
    const controller = new AbortController();
    const create = world.service.createCode;
    world.service.createCode = (code, beforeSend) =>
      Promise.race([
        create(code, beforeSend),
        new Promise<never>((_, reject) => controller.signal.addEventListener('abort', () => reject(controller.signal.reason))),
      ]);
    world.time.at(25, () => controller.abort(new Error('interrupted')));
    const end = await run(world, rowsOf(12), { signal: controller.signal });
    expect(end.stop).toMatchObject({ message: 'interrupted' });
    world.service.createCode = create;
    expect(await run(world, rowsOf(12))).toMatchObject(done);
    expect(world.service.codes).toHaveLength(12);
  });
});
