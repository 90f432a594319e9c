/** How a plan is carried out: which requests are sent, what is counted, and how each row ends. */
import { describe, expect, it } from 'vitest';
import { AuthError, RejectedError, UnavailableError, UnprovenError } from '../../../src/base/errors.ts';
import type { ApplyEvent, ApplyJob } from '../../../src/codes/engine/apply-job.ts';
import type { KeyedRow } from '../../../src/codes/engine/keyed-rows.ts';
import type { CodeChanges } from '../../../src/service/shapes.ts';
import type { ModelCodesOptions } from '../../support/model-service/codes.ts';
import { type ApplyWorld, applyIn, applyWorld, entriesIn, JOURNAL, jobIn } from './apply-world.ts';
import { only } from './creation/world.ts';
import { OPTIONS, rowOf } from './plan-world.ts';

const rowAt = (n: number, changes: CodeChanges = {}): KeyedRow =>
  rowOf(`k${n}`, n + 2, { changes: { name: `row ${n}`, destination: `https://${n}.example/`, ...changes } });
const rows = (count: number, changes: CodeChanges = {}) => Array.from({ length: count }, (_, n) => rowAt(n, changes));

/** One run; returns its events, its PATCH requests and its outcomes as well. */
async function play(world: ApplyWorld, file: readonly KeyedRow[], given: Partial<ApplyJob> = {}, answer?: Answer) {
  const events: ApplyEvent[] = [];
  const patches: [string, CodeChanges][] = [];
  const { service } = jobIn(world, file);
  const updateCode: ApplyJob['service']['updateCode'] = async (id, changes) => {
    patches.push([id, changes]);
    return (await answer?.(id, changes, patches.length)) ?? world.service.updateCode(id, changes);
  };
  const job = { service: { ...service, updateCode }, onEvent: (event: ApplyEvent) => void events.push(event), ...given };
  const end = await applyIn(world, file, job);
  const outcomes = end.ended.map(({ outcome }) => outcome);
  return { ...end, outcomes, events, patches, is: events.map((event) => event.is).sort() };
}
type Answer = (
  id: string,
  changes: CodeChanges,
  count: number,
) => ReturnType<ApplyJob['service']['updateCode']> | Promise<undefined>;

async function applied(count: number, options: Partial<ModelCodesOptions> = {}): Promise<ApplyWorld> {
  const world = applyWorld(options);
  await applyIn(world, rows(count));
  return world;
}

describe('a creation', () => {
  it('is counted once per row, also if its status is set by a second request', async () => {
    const { is, outcomes, patches, ended } = await play(applyWorld(), rows(2));
    expect([is, outcomes, patches]).toEqual([['begun', 'done', 'done'], ['created', 'created'], []]);
    expect(ended.map(({ candidates, error, code }) => [candidates, error, code?.slug])).toEqual([
      [[], undefined, 's1'],
      [[], undefined, 's2'],
    ]);
    const world = applyWorld();
    const paused = await play(world, [rowAt(0), rowAt(1, { status: 'paused' })]);
    expect([paused.is, paused.outcomes]).toEqual([
      ['begun', 'done', 'done', 'done'],
      ['created', 'created'],
    ]);
    expect(paused.patches.map(([, changes]) => changes)).toEqual([{ status: 'paused' }]);
  });

  it('that is rejected leaves the other rows, and sets no status', async () => {
    const world = applyWorld({ mishap: only('rejected', 0) });
    const { is, outcomes, patches, failure } = await play(world, rows(6, { status: 'paused' }), { concurrency: 1 });
    expect(outcomes).toEqual(['failed', ...Array(5).fill('created')]);
    expect([is.filter((one) => one === 'failed').length, patches.length]).toEqual([1, 5]);
    expect(String(failure)).toContain('1 of 6 keys failed: "k0": bad values');
    expect(world.memory.read(JOURNAL)).toBeUndefined();
  });

  it('that stops the run is its failure, and sets no status of the codes that it made', async () => {
    const world = applyWorld({ mishap: only('full', 1) });
    const { outcomes, patches, failure } = await play(world, rows(4, { status: 'paused' }), { concurrency: 1 });
    expect(failure).toMatchObject({ name: 'PlanLimitError' });
    expect([outcomes[0], patches]).toEqual(['created', []]);
    expect(entriesIn(world)).toHaveLength(1);
  });

  it('is not begun if the changes before it stopped', async () => {
    const world = await applied(1);
    const answer = () => Promise.reject(new AuthError('the key was revoked'));
    const { failure, outcomes } = await play(world, [rowAt(0, { name: 'new' }), rowAt(1)], {}, answer);
    expect([failure, outcomes]).toEqual([expect.any(AuthError), ['not-attempted', 'not-attempted']]);
    expect([world.service.posts(), world.memory.read(JOURNAL)]).toEqual([1, undefined]);
  });

  it('keeps its journal if it failed before the outcome of each request was certain (Y21)', async () => {
    const world = applyWorld({ mishap: only('applied', 1) });
    let lists = 0;
    const listCodes = async () => {
      lists += 1;
      if (lists === 2) throw new UnavailableError('the list failed', { outcome: 'not-applied' });
      return (await world.service.listCodes()).map((code) => ({ ...code }));
    };
    expect((await play(world, rows(3), { listCodes })).failure).toBeInstanceOf(UnavailableError);
    expect([lists, world.service.codes.length]).toEqual([2, 3]);
    expect(world.memory.read(JOURNAL)).toBeDefined();
    expect((await play(world, rows(3))).failure).toBeUndefined();
    expect([world.service.codes.length, world.memory.read(JOURNAL)]).toEqual([3, undefined]);
  });

  it('that can’t be begun is the failure of the run, and sends nothing', async () => {
    const world = applyWorld();
    world.memory.fault = (_, operation) => (operation.includes(JOURNAL) ? 'ENOSPC' : undefined);
    const { failure, outcomes } = await play(world, rows(2));
    expect(String(failure)).toContain('the disk is full');
    expect([outcomes, world.service.posts()]).toEqual([['not-attempted', 'not-attempted'], 0]);
  });

  it('is one although its status could not be set', async () => {
    const answer = () => Promise.reject(new AuthError('the key was revoked'));
    const { failure, outcomes } = await play(applyWorld(), rows(2, { status: 'paused' }), {}, answer);
    expect([failure, outcomes]).toEqual([expect.any(AuthError), ['created', 'created']]);
  });

  it('that a gateway repeated needs the user, keeps its journal, and sets no status', async () => {
    const world = applyWorld({ mishap: only('repeated', 0) });
    const { failure, outcomes, patches } = await play(world, rows(1, { status: 'paused' }));
    expect([failure, outcomes, patches]).toEqual([expect.any(UnprovenError), ['undecided'], []]);
    expect([world.service.codes.length, world.memory.read(JOURNAL) !== undefined]).toEqual([2, true]);
  });

  it('has its row, its key and its name for the journal, and no code of another key as its own', async () => {
    // Another key has a code with the same values, which the listing after a lost response has as well.
    const world = await applied(1, { mishap: only('drop', 1) });
    const twin = { ...rowAt(1), changes: { ...rowAt(0).changes } };
    const { outcomes } = await play(world, [rowAt(0), twin]);
    expect([outcomes, world.service.codes.length]).toEqual([['unchanged', 'created'], 2]);
    expect(new Set(entriesIn(world).map(({ id }) => id)).size).toBe(2);
  });

  it('tells that it waits for a code whose response was lost, and finds it', async () => {
    const { is, outcomes } = await play(applyWorld({ mishap: only('applied', 0) }), rows(1));
    expect([is, outcomes]).toEqual([['begun', 'done', 'waiting'], ['adopted']]);
  });
});

describe('a change', () => {
  it('is one request with the fields that differ, and counts once', async () => {
    const world = await applied(3);
    const file = [rowAt(0), rowAt(1, { name: 'new' }), rowAt(2, { status: 'paused' })];
    const { patches, is, outcomes, ended } = await play(world, file);
    expect(ended.map(({ candidates }) => candidates)).toEqual([[], [], []]);
    expect(patches.map(([, changes]) => changes)).toEqual([{ name: 'new' }, { status: 'paused' }]);
    expect([is, outcomes]).toEqual([
      ['done', 'done'],
      ['unchanged', 'updated', 'updated'],
    ]);
  });

  it('leaves the fields that another client edited with --keep-edits, and sends the others (Y10)', async () => {
    const world = await applied(1);
    const [code] = world.service.codes;
    if (code) code.name = 'by hand';
    const options = { ...OPTIONS, keepEdits: true };
    const first = await play(world, [rowAt(0, { destination: 'https://new.example/' })], { options });
    expect(first.patches.map(([, changes]) => changes)).toEqual([{ destination: 'https://new.example/' }]);
    expect([first.outcomes, code?.name]).toEqual([['updated'], 'by hand']);
    const second = await play(world, [rowAt(0, { destination: 'https://new.example/' })], { options });
    expect([second.patches, second.outcomes]).toEqual([[], ['edited']]);
  });

  it('of which the response differs is sent three times at most, and then fails (Y19)', async () => {
    const world = await applied(2);
    const answer: Answer = async (id) => world.service.getCode(id);
    const { patches, outcomes, ended, is } = await play(
      world,
      [rowAt(0, { name: 'new', status: 'paused' }), rowAt(1)],
      {},
      answer,
    );
    expect([patches.length, outcomes]).toEqual([3, ['failed', 'unchanged']]);
    expect(ended[0]?.error).toBe('the service reported success, but did not apply the new name and status');
    expect(is).toEqual(['failed', 'replanned', 'replanned']);
  });

  it('of a code that was deleted needs the user, and the other rows go on', async () => {
    const world = await applied(6);
    const [gone] = world.service.codes;
    const answer: Answer = async (_id, _changes, count) => {
      if (gone && count === 1) world.service.remove(gone);
      if (count === 2) throw new RejectedError('bad name', { status: 400, outcome: 'not-applied' });
      return undefined;
    };
    const { outcomes, ended, is } = await play(world, rows(6, { name: 'new' }), { concurrency: 1 }, answer);
    expect(outcomes).toEqual(['undecided', 'failed', ...Array(4).fill('updated')]);
    expect(ended[0]?.error).toBe('was deleted from the service during the run');
    expect(is).toEqual([...Array(4).fill('done'), 'failed', 'failed', 'replanned']);
  });

  it('of a removed key pauses its code, once (Y11)', async () => {
    const world = await applied(2);
    const options = { ...OPTIONS, removed: 'pause' as const };
    const first = await play(world, [rowAt(0)], { options });
    expect(first.patches.map(([, changes]) => changes)).toEqual([{ status: 'paused' }]);
    expect(entriesIn(world)[1]).toMatchObject({ removed: 'paused', status: 'paused' });
    expect((await play(world, [rowAt(0)], { options })).patches).toEqual([]);
  });

  it('makes a code active again whose key is back, after its removal paused it (Y11)', async () => {
    const world = await applied(2);
    await play(world, [rowAt(0)], { options: { ...OPTIONS, removed: 'pause' } });
    const back = await play(world, rows(2));
    expect(back.patches.map(([, changes]) => changes)).toEqual([{ status: 'active' }]);
    expect([back.failure, entriesIn(world).map(({ removed }) => removed)]).toEqual([undefined, [undefined, undefined]]);
  });
});

describe('a row of which nothing is sent', () => {
  it('ends as planned, with the codes that it may be', async () => {
    const world = await applied(1);
    for (let n = 0; n < 7; n++) world.service.add({ name: 'row 5', destination: 'https://5.example/' }, 0);
    const { ended, failure } = await play(world, [rowAt(0), rowAt(5)]);
    expect(failure).toBeInstanceOf(UnprovenError);
    expect(ended.map(({ outcome, candidates }) => [outcome, candidates.length])).toEqual([
      ['unchanged', 0],
      ['undecided', 7],
    ]);
    expect(ended[1]?.error).toMatch(/^may be s2 \(\S+-000000000002\) or .* or 2 others$/);
    const [code] = world.service.codes;
    if (code) world.service.remove(code);
    const gone = await play(world, [rowAt(0)]);
    expect([gone.outcomes, gone.ended[0]?.error]).toEqual([['undecided'], 'was deleted from the service']);
  });
});
