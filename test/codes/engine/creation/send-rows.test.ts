import { describe, expect, it } from 'vitest';
import {
  AuthError,
  messageOf,
  PlanLimitError,
  RateLimitError,
  RejectedError,
  UnavailableError,
  UnexpectedAnswerError,
} from '../../../../src/base/errors.ts';
import { inParallel } from '../../../../src/base/parallel/in-parallel.ts';
import type { JournalRecord } from '../../../../src/codes/engine/creation/journal-records.ts';
import type { NewRow } from '../../../../src/codes/engine/creation/new-row.ts';
import { openStates, replay } from '../../../../src/codes/engine/creation/row-states.ts';
import { sendRows } from '../../../../src/codes/engine/creation/send-rows.ts';
import { fakeClock } from '../../../support/clock.ts';

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index): NewRow => {
    return { row: index + 1, line: index + 2, values: new Map(), code: { name: `row ${index + 1}` } };
  });

interface Situation {
  rows?: number;
  concurrency?: number;
  failFast?: boolean;
  /** What the request of a row meets; without an error it creates its code. */
  fails?: (row: number) => unknown;
  /** Fails before the row is let through by the rate limit. */
  before?: (row: number) => unknown | Promise<unknown>;
  signal?: AbortSignal;
  /** The id that the service answers with. */
  idOf?: (row: number) => string;
}

async function send({
  rows = 3,
  concurrency = 1,
  failFast = false,
  fails = () => undefined,
  before = () => undefined,
  signal,
  idOf = (row) => `id-${row}`,
}: Situation) {
  const written: JournalRecord[] = [];
  let flushes = 0;
  const append = async (records: readonly JournalRecord[]) => {
    if (records.some(({ is }) => is === 'intent')) flushes += 1;
    written.push(...records);
  };
  const clocks = { clock: fakeClock(), serviceNowMs: () => undefined, uptimeMs: () => 0 };
  const states = await openStates({ states: replay([], rows), append, note: append }, clocks);
  const at = '2026-01-01T00:00:00Z';
  const sent: string[] = [];
  const end = await sendRows(rowsOf(rows), {
    ...{ states, failFast, concurrency, signal: signal ?? new AbortController().signal },
    service: {
      async createCode({ name }, beforeSend) {
        const row = Number(name.slice(4));
        const early = await before(row);
        if (early !== undefined) throw early;
        await beforeSend?.();
        const error = fails(row);
        if (error !== undefined) throw error;
        return {
          id: idOf(row),
          slug: 's',
          name,
          type: 'url',
          destination: null,
          status: 'active',
          created_at: at,
          updated_at: at,
        };
      },
    },
    onSent: ({ is, row }) => sent.push(`${row} ${is}`),
    nameOf: (row) => `line ${row + 1}`,
    onAltered: () => undefined,
  });
  // By row, and only of those that were sent: the intents of the rows that come next go to disk with a row's own.
  const unsent = new Set(written.flatMap((record) => (record.is === 'refused' && record.error === 'not sent' ? record.row : [])));
  const lines = written
    .flatMap((record) => ('row' in record && !unsent.has(record.row) ? [record] : []))
    .sort((a, b) => a.row - b.row)
    .map((record) => `${record.row} ${record.is}`);
  return { ...end, sent, lines, flushes, states: states.all().map(({ state }) => state), first: states.of(1) };
}

const not = { outcome: 'not-applied' } as const;
const unknown = { outcome: 'unknown' } as const;

describe('an answer', () => {
  it('of 400 is the row’s own fault, and the others go out (O3)', async () => {
    const error = new RejectedError('bad name', not);
    const end = await send({ fails: (row) => (row === 1 ? error : undefined) });
    expect(end).toMatchObject({ stop: undefined, states: ['rejected', 'created', 'created'] });
    expect(end.sent).toEqual(['1 rejected', '2 created', '3 created']);
    expect(end.first.error).toBe('bad name');
    const fast = await send({ failFast: true, fails: (row) => (row === 1 ? error : undefined) });
    expect(fast).toMatchObject({
      stop: error,
      stopRow: 1,
      states: ['rejected', 'open', 'open'],
      lines: ['1 intent', '1 rejected'],
    });
  });

  it('with another row’s code says nothing of its own row, and the code stays the other’s (O10)', async () => {
    const end = await send({ idOf: (row) => `id-${Math.min(row, 2)}` });
    expect(end.sent).toEqual(['1 created', '2 created', '3 unknown']);
    expect(end).toMatchObject({ stop: undefined, states: ['created', 'created', 'unknown'] });
    expect(end.lastError).toMatchObject({ message: 'the service returned the code of line 3 (id-2)' });
    expect(end.lines).toEqual(['1 intent', '1 created', '2 intent', '2 created', '3 intent', '3 unknown']);
  });

  it.each([
    ['401', new AuthError('bad key', not), 1],
    ['403', new PlanLimitError('full', not), 1],
    ['a connection that never opened', new UnavailableError('refused', not), 1],
    ['a pause longer than --max-wait', new RateLimitError('too long', not), undefined],
  ])('of %s created nothing, and stops all others (O3, O16)', async (_, error, stopRow) => {
    const end = await send({ fails: (row) => (row === 1 ? error : undefined) });
    expect(end).toMatchObject({ stop: error, stopRow, states: ['open', 'open', 'open'], sent: [] });
    expect(end.lines).toEqual(['1 intent', '1 refused']);
    expect(end.first.attempts).toEqual([]);
  });

  it.each([
    ['a connection that broke', new UnavailableError('broke', unknown)],
    ['a 500', new UnavailableError('500', { ...unknown, status: 500 })],
    ['an unreadable 201', new UnexpectedAnswerError('not JSON', unknown)],
    ['a 400 that is not the service’s', new RejectedError('a gateway', unknown)],
  ])('of %s says nothing, and the others go out (O3)', async (_, error) => {
    const end = await send({ fails: (row) => (row === 1 ? error : undefined) });
    expect(end).toMatchObject({
      stop: undefined,
      stopRow: undefined,
      lastError: error,
      states: ['unknown', 'created', 'created'],
    });
    expect(end.sent).toEqual(['1 unknown', '2 created', '3 created']);
    expect(end.lines.slice(0, 2)).toEqual(['1 intent', '1 unknown']);
    // Nor is it the row's fault.
    const fast = await send({ failFast: true, fails: (row) => (row === 1 ? error : undefined) });
    expect(fast).toMatchObject({ stop: undefined, states: end.states });
  });

  it.each([
    ['a 401 that is not the service’s', new AuthError('a gateway', unknown)],
    ['a 403 that is not the service’s', new PlanLimitError('a gateway', unknown)],
    ['a defect', new TypeError('oops')],
  ])('of %s says nothing, but would meet every row (O3, O16)', async (_, error) => {
    const end = await send({ fails: (row) => (row === 1 ? error : undefined) });
    expect(end).toMatchObject({ stop: error, stopRow: 1, lastError: error, states: ['unknown', 'open', 'open'] });
  });
});

describe('a reason to stop', () => {
  it('before the first byte leaves the row as it was', async () => {
    const error = new UnavailableError('no network', not);
    const end = await send({ before: (row) => (row === 1 ? error : undefined) });
    expect(end).toMatchObject({ stop: error, stopRow: undefined, states: ['open', 'open', 'open'], lines: [] });
  });

  it('is the first that came up', async () => {
    const errors = [new AuthError('first', not), new AuthError('second', not)];
    const end = await send({ rows: 9, concurrency: 2, fails: (row) => errors[row - 1] });
    expect(end).toMatchObject({ stop: errors[0], stopRow: 1 });
    expect(end.lines).toEqual(['1 intent', '1 refused', '2 intent', '2 refused']);
  });

  it('is an interruption, which makes what was in flight unknown (O16)', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const end = await send({
      signal: controller.signal,
      fails: () => {
        controller.abort(reason);
        return reason;
      },
    });
    expect(end).toMatchObject({
      stop: reason,
      stopRow: 1,
      states: ['unknown', 'open', 'open'],
      lines: ['1 intent', '1 unknown'],
    });
    const before = new AbortController();
    before.abort(reason);
    expect(await send({ signal: before.signal })).toMatchObject({ stop: reason, stopRow: undefined, lines: [] });
  });

  it('is not what keeps back a row that waited for the rate limit: that is told of who was sent (O16)', async () => {
    const lost = new UnavailableError('broke', unknown);
    const others = () => new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
    const end = await send({
      rows: 11,
      concurrency: 11,
      fails: () => lost,
      before: (row) => (row === 11 ? others() : undefined),
    });
    expect(end.sent).toHaveLength(10);
    expect(end).toMatchObject({ stop: undefined, stopRow: undefined });
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const abort = () => controller.abort(reason);
    const interrupted = await send({ signal: controller.signal, before: abort });
    expect(interrupted).toMatchObject({ stop: reason, stopRow: undefined, states: ['open', 'open', 'open'], lines: [] });
  });

  it('are ten answers lost in a row, not ten in all (O17)', async () => {
    const lost = new UnavailableError('broke', unknown);
    const row = await send({ rows: 30, fails: () => lost });
    expect(row.sent).toHaveLength(10);
    expect(row.stop).toBeUndefined();
    const now = await send({ rows: 30, fails: (n) => (n % 10 === 0 ? undefined : lost) });
    expect(now.sent).toHaveLength(30);
    const rejected = await send({ rows: 30, fails: (n) => (n % 10 === 0 ? new RejectedError('no', not) : lost) });
    expect(rejected.sent).toHaveLength(30);
  });
});

describe('work in parallel', () => {
  it('writes the intents of three rows for each in flight together (O1)', async () => {
    expect((await send({ rows: 24, concurrency: 4 })).flushes).toBe(2);
  });

  it('keeps the order and the width, and ends with the first failure when all have ended', async () => {
    const log: string[] = [];
    const clock = fakeClock();
    const work = (n: number) => async () => {
      log.push(`+${n}`);
      await clock.sleep(n === 1 ? 50 : 10);
      log.push(`-${n}`);
      if (n === 2) throw new Error('two');
    };
    const all = inParallel([1, 2, 3].map(work), 2, (task) => task());
    await expect(clock.run(all)).rejects.toThrow('two');
    expect(log).toEqual(['+1', '+2', '-2', '-1', '+3', '-3']);
  });

  it('stops where it is told to', async () => {
    const seen: number[] = [];
    await inParallel(
      [1, 2, 3],
      1,
      async (n) => {
        seen.push(n);
      },
      () => seen.length === 2,
    );
    expect(seen).toEqual([1, 2]);
  });
});

it('has words for anything thrown', () => {
  expect([messageOf(new Error('words')), messageOf('text'), messageOf(undefined)]).toEqual(['words', 'text', 'undefined']);
});
