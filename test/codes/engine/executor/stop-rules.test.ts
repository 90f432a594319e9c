/** When a run stops, and which of its errors it reports. */
import { describe, expect, it } from 'vitest';
import {
  LocalError,
  NotFoundError,
  RateLimitError,
  RejectedError,
  UnavailableError,
  UnexpectedResponseError,
  UnprovenError,
} from '#base/errors';
import type { Row } from '#codes/engine/plan/model';
import { codeOf, newRow, rowOf } from '../plan/make.ts';
import { createWorld, type Mishap, outcomesOf, policyOf, type WorldOptions, writesOf } from './world.ts';

const COUNT = 20;
const NEW: Row[] = Array.from({ length: COUNT }, (_, at) =>
  newRow(at + 2, `Row ${at}`, `https://example.com/${at}`),
);
const CODES = Array.from({ length: COUNT }, (_, at) => codeOf(at + 1));
const CHANGED = CODES.map((of, at) => rowOf(at + 2, { of, wish: { name: `New ${at}` } }));
const DELETED = CODES.map((of, at) => rowOf(at + 2, { of }));

/** Runs 20 rows. `mishap` happens to each request except the tenth, to which `tenth` happens. */
function runWith(mishap: Mishap | Error, tenth: Mishap | Error) {
  const fails = (n: number) => (n === 9 ? tenth : mishap);
  const each = async (options: WorldOptions, rows: readonly Row[], verb: 'create' | 'update' | 'delete') => {
    const world = createWorld({ codes: verb === 'create' ? [] : CODES, ...options });
    const end = await world.run(rows, { policy: policyOf({ verb }) });
    return { world, end, sent: writesOf(world).length };
  };
  return {
    post: () => each({ post: fails }, NEW, 'create'),
    patch: () => each({ patch: fails }, CHANGED, 'update'),
    remove: () => each({ remove: fails }, DELETED, 'delete'),
  };
}

const refused = () => new UnavailableError('connection refused', { outcome: 'not-applied' });

describe('rows for which no connection could be opened', () => {
  it.each(['post', 'patch', 'remove'] as const)(
    'stop the run only after ten in succession, and a successful row restarts the count (%s)',
    async (request) => {
      const { sent, end } = await runWith('refused', 'none')[request]();
      expect(sent).toBe(COUNT);
      expect(end?.stop).toBeInstanceOf(UnavailableError);
      const done = { post: 'created', patch: 'updated', remove: 'deleted' }[request];
      const failed = (count: number) => Array<string>(count).fill('failed');
      expect(outcomesOf(end)).toEqual([...failed(9), done, ...failed(10)]);
    },
  );

  it('stop the run only after ten in succession, and a rejected row restarts the count', async () => {
    const { sent, end } = await runWith('refused', 'rejected').post();
    expect(sent).toBe(COUNT);
    expect(end?.firstError).toBeInstanceOf(UnavailableError);
  });
});

describe('lost responses', () => {
  const posts = async (post: (n: number) => Mishap) => {
    const world = createWorld({ post });
    const end = await world.run(NEW);
    expect(new Set(outcomesOf(end))).toEqual(new Set(['created']));
    return world.sent.flatMap((request, at) => (request === 'LIST' ? at : []));
  };

  it('delay the remaining rows until after a listing only if there are ten in succession', async () => {
    expect(await posts((n) => (n === 9 || n === 19 ? 'none' : 'applied'))).toEqual([0, COUNT + 1]);
  });

  it('are counted from zero again after ten of them required a listing', async () => {
    expect(await posts((n) => (n < 19 ? 'applied' : 'none'))).toEqual([0, 11, COUNT + 2]);
  });

  it('do not count as consecutive if a PATCH between them succeeded', async () => {
    const [changed] = CHANGED;
    if (!changed) return;
    const world = createWorld({ codes: CODES.slice(0, 1), post: () => 'applied' });
    const rows = NEW.slice(0, 19).map((row, at) => (at === 9 ? { ...changed, row: 9, line: 11 } : row));
    await world.run(rows, { policy: policyOf({ applyEdits: true }) });
    expect(writesOf(world)).toHaveLength(19);
    expect(world.sent.indexOf('LIST', 1)).toBe(20);
  });

  it('stop the run if their cause affects all rows, such as a full disk, and the next run creates the codes', async () => {
    const broken = new LocalError('the disk is full');
    const world = createWorld({ post: (n) => (n === 0 ? broken : 'none') });
    const end = await world.run(NEW.slice(0, 2));
    expect(end?.stop).toBe(broken);
    expect(end?.ends).toMatchObject([
      { outcome: 'failed', error: 'the disk is full' },
      { outcome: 'not-attempted' },
    ]);
    expect(outcomesOf(await world.run(NEW.slice(0, 2)))).toEqual(['created', 'created']);
  });
});

describe('the errors of a run', () => {
  it.each([
    new NotFoundError('none'),
    new RejectedError('bad', { outcome: 'not-applied' }),
    new UnexpectedResponseError('strange', { outcome: 'not-applied' }),
    refused(),
  ])('do not stop the run if they affect only single rows: %s', async (error) => {
    const world = createWorld({ codes: CODES, patch: (n) => (n === 0 ? error : 'none') });
    const end = await world.run(CHANGED.slice(0, 2), { policy: policyOf({ verb: 'update' }) });
    expect(end).toMatchObject({ stop: undefined, firstError: error, isUnproven: false });
    expect(outcomesOf(end)).toEqual([error instanceof NotFoundError ? 'gone' : 'failed', 'updated']);
  });

  it('are represented in the result by the first one, and by a flag if a backup could not be verified as complete', async () => {
    const world = createWorld({ codes: CODES });
    const errors: Error[] = [
      new RejectedError('first', { outcome: 'not-applied' }),
      new UnprovenError('scans are missing'),
      new RejectedError('last', { outcome: 'not-applied' }),
    ];
    const left = [...errors];
    const end = await world.run(DELETED.slice(0, 4), {
      policy: policyOf({ verb: 'delete' }),
      backUp: async (_code, send) => {
        const error = left.shift();
        if (error) throw error;
        await send();
      },
    });
    expect(end).toMatchObject({ stop: undefined, firstError: errors[0], isUnproven: true });
    expect(outcomesOf(end)).toEqual(['failed', 'failed', 'failed', 'deleted']);
  });
});

describe('an interruption during a request', () => {
  const stop = () => {
    const controller = new AbortController();
    return { controller, reason: new Error('interrupted'), signal: controller.signal };
  };

  it('is the stop reason of the run, and the row still gets its outcome, whether the request succeeds or is rejected', async () => {
    for (const mishap of ['rejected', 'none'] as const) {
      const { controller, reason, signal } = stop();
      const world = createWorld({ post: () => mishap });
      world.time.at(30, () => controller.abort(reason));
      const end = await world.run(NEW.slice(0, 2), { signal });
      expect(end?.stop).toBe(reason);
      expect(outcomesOf(end)).toEqual([mishap === 'none' ? 'created' : 'failed', 'not-attempted']);
    }
  });

  it('is the stop reason if it aborts a PATCH, and the row is reported as not attempted', async () => {
    const { controller, reason, signal } = stop();
    const aborted = new Error('this operation was aborted');
    const world = createWorld({ codes: CODES, patch: () => aborted });
    world.time.at(30, () => controller.abort(reason));
    const end = await world.run(CHANGED.slice(0, 2), { signal, policy: policyOf({ verb: 'update' }) });
    expect(end?.stop).toBe(reason);
    expect(end?.ends.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['not-attempted', undefined],
      ['not-attempted', undefined],
    ]);
  });

  it('is the stop reason if it aborts a POST, and the row is reported as failed', async () => {
    const { controller, reason, signal } = stop();
    const world = createWorld({ post: () => new Error('this operation was aborted') });
    world.time.at(30, () => controller.abort(reason));
    const end = await world.run(NEW.slice(0, 2), { signal });
    expect(end?.stop).toBe(reason);
    expect(outcomesOf(end)).toEqual(['failed', 'not-attempted']);
  });

  it('does not replace an earlier stop reason', async () => {
    const { controller, reason, signal } = stop();
    const world = createWorld({ codes: CODES, patch: (n) => (n === 0 ? 'full' : 'rejected') });
    world.time.at(50, () => controller.abort(reason));
    const end = await world.run(CHANGED, { concurrency: 2, signal, policy: policyOf({ verb: 'update' }) });
    expect(end?.stop).toMatchObject({ message: 'the plan is full' });
  });
});

it('a rate limit wait longer than --max-wait stops the run, and its rows are reported as not attempted', async () => {
  const limit = new RateLimitError('too long', { outcome: 'not-applied' });
  const world = createWorld({ codes: CODES, patch: () => limit });
  const end = await world.run(CHANGED.slice(0, 2), { policy: policyOf({ verb: 'update' }) });
  expect(end?.stop).toBe(limit);
  expect(end?.ends.map(({ outcome, error }) => [outcome, error])).toEqual([
    ['not-attempted', undefined],
    ['not-attempted', undefined],
  ]);
  expect(world.events).toEqual([]);
});
