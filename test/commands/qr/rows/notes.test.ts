import { expect, test } from 'vitest';
import { ClosedPipeError, UsageError } from '#base/errors';
import type { RowEnd } from '#codes/engine/executor/job';
import {
  createProgress,
  finishOutput,
  noteColumns,
  noteEnds,
  noteOffline,
  noteStop,
  noteSummary,
  noteUnusedFlags,
  requireServiceFor,
  resultOf,
} from '#commands/qr/rows/notes';
import type { Context } from '#context';
import { rowOf } from '../../../codes/engine/plan/make.ts';
import { makeCode } from '../../../support/make.ts';

/** Returns a context that collects printed lines and drawn progress. */
function collect(more: object = {}) {
  const lines: string[] = [];
  const drawn: { done: number; total: number; detail: string }[] = [];
  const progress = {
    update: (state: (typeof drawn)[number]) => drawn.push(state),
    stop: () => lines.push('stopped'),
  };
  const console = {
    note: (text: string) => lines.push(text),
    warn: (text: string) => lines.push(`warning: ${text}`),
    progress: () => progress,
  };
  const stats = () => ({ requests: 3 });
  const context = { console, facts: {}, service: async () => ({ stats }), ...more } as unknown as Context;
  return { context, lines, drawn };
}

const input = { name: 'codes.csv', rows: [{}, {}], columns: [] } as never;

function endOf(outcome: string, item: object = {}, error?: string): RowEnd {
  const whole = { row: rowOf(2), action: 'update', send: {}, changes: [], candidates: [], ...item };
  const code = makeCode({ id: `id-${outcome}` });
  return { item: whole, outcome, code, error, candidates: [], altered: [] } as never;
}

test('the progress of a run warns about a code whose status could not be restored', () => {
  const { context, lines } = collect();
  const progress = createProgress(context, {} as never, 'deleted');
  progress.take({ is: 'still-paused', code: makeCode({ slug: 'menu' }), error: undefined });
  progress.take({ is: 'restored', code: makeCode({ slug: 'menu' }) });
  expect(lines).toEqual([
    'warning: menu is still paused after an interrupted backup',
    'Restored the status of menu, which an interrupted backup had paused',
  ]);
});

test('the progress of a run counts done, failed and remaining rows, and states why it waits', () => {
  const { context, lines, drawn } = collect();
  const service = { rateLimit: () => ({ limit: 60, remaining: 60, resetInMs: 60_000 }) } as never;
  const progress = createProgress(context, service, 'created');
  const item = { action: 'create', send: {} };
  progress.begin({ items: [item, item, item, { action: 'unchanged', send: {} }] } as never);
  progress.take({ is: 'done' } as never);
  progress.take({ is: 'failed' } as never);
  progress.take({ is: 'waiting', ms: 10_000 } as never);
  progress.stop();
  expect(drawn.map(({ done, total, detail }) => [done, total, detail])).toEqual([
    [0, 3, '0 created, 0 failed, 3 left'],
    [1, 3, '1 created, 0 failed, 2 left'],
    [2, 3, '1 created, 1 failed, 1 left'],
    [2, 3, '1 created, 1 failed, 1 left, waiting for slow writes'],
  ]);
  expect(lines).toEqual([
    'Waiting 10 s, then checking which codes were created: a response was lost, or a request repeated',
    'stopped',
  ]);
});

test('a run without requests shows no progress', () => {
  const { context, lines, drawn } = collect();
  const progress = createProgress(context, {} as never, 'created');
  progress.begin({ items: [{ action: 'unchanged', send: {} }] } as never);
  progress.stop();
  expect([drawn, lines]).toEqual([[], []]);
});

test('columns that are not used are listed, with quotes around unusual names', () => {
  const { context, lines } = collect();
  noteColumns(context, { notes: ['first'], unread: ['my key', 'a,b', 'x'.repeat(61)] } as never);
  noteColumns(context, { notes: [], unread: [] } as never);
  expect(lines).toEqual([
    'first',
    `Columns copied to the results but not used: my key, "a,b", "${'x'.repeat(61)}"`,
  ]);
});

test('a check without the service ends with the number of rows, warnings and cells to check', () => {
  const { context, lines } = collect();
  noteOffline(context, input, { warnings: [], doubts: [] } as never);
  const fault = { line: 2, message: 'odd' };
  noteOffline(context, input, { warnings: [fault], doubts: [{ ...fault, line: 3 }] } as never);
  expect(lines).toEqual([
    'Checked 2 rows, no faults (0 requests). File: codes.csv',
    expect.stringMatching(/^warning: .*odd/),
    expect.stringMatching(/^warning: .*odd/),
    'Checked 2 rows, no faults, 1 warning, 1 cell to check against the service (0 requests). File: codes.csv',
  ]);
});

test('--offline is suggested after the hint of a usage error, but not for an internal error', async () => {
  const failing = (error: Error) => collect({ service: () => Promise.reject(error) }).context;
  const offline = 'add --offline to check the file without the service; codes.csv has no faults';
  for (const [hint, expected] of [
    [undefined, offline],
    ['Log in.', `Log in.\n${offline}`],
  ] as const)
    await expect(requireServiceFor(failing(new UsageError('no key', { hint })), input)).rejects.toThrow(
      new UsageError('no key', { hint: expected }),
    );
  await expect(requireServiceFor(failing(new Error('bug')), input)).rejects.toEqual(new Error('bug'));
});

test('a row is open if it failed, was not attempted, needs a decision, or was skipped', () => {
  const isOpen = (outcome: string, item?: object) => resultOf(endOf(outcome, item), 'update').isOpen;
  expect(['failed', 'not-attempted', 'conflict', 'edited'].map((outcome) => isOpen(outcome))).toEqual(
    Array(4).fill(true),
  );
  expect(['updated', 'unchanged', 'deleted'].map((outcome) => isOpen(outcome))).toEqual(Array(3).fill(false));
  expect(isOpen('unchanged', { row: rowOf(2, { decision: { is: 'skip' } }) })).toBe(true);
});

test('the results have no code ID for a row whose code is uncertain or gone', () => {
  const idOf = (outcome: string, item?: object) => resultOf(endOf(outcome, item), 'update').code?.id;
  expect([idOf('undecided'), idOf('gone'), idOf('edited', { how: 'guess' })]).toEqual(
    Array(3).fill(undefined),
  );
  expect([idOf('edited'), idOf('updated', { how: 'guess' })]).toEqual(['id-edited', 'id-updated']);
});

test('rows that failed or need a decision are recorded for annotations, unlike rows not attempted, and kept values are noted', () => {
  const { context, lines } = collect();
  const keep = { changes: ['keep', 'send'].map((what) => ({ field: 'name', what })) };
  const open = ['failed', 'undecided', 'conflict', 'gone', 'edited'];
  const ends = [...open, 'updated', 'not-attempted'].map((outcome) => endOf(outcome));
  noteEnds(
    context,
    [
      ...ends,
      endOf('unchanged', keep),
      endOf('unchanged', keep),
      endOf('unchanged', { changes: [{ field: 'name', what: 'send' }] }),
      endOf('unchanged', { ...keep, row: rowOf(2, { decision: { is: 'theirs' } }) }),
    ],
    input,
  );
  const { problems = [] } = context.facts;
  expect(problems).toHaveLength(open.length);
  expect(problems[0]).toMatchObject({ line: 2, message: 'failed' });
  expect(problems[3]).toMatchObject({ message: expect.stringContaining('deleted from the service') });
  expect(context.facts.codes).toBe(2);
  noteEnds(context, [endOf('updated', { row: undefined })], input);
  expect(lines).toEqual(['Kept newer values of the service for 2 rows: see the column error of the results']);
});

test('the last line of a bulk run counts outcomes, requests and warnings', async () => {
  const { context, lines } = collect();
  const ends = ['deleted', 'deleted', 'delete'].map((action) => endOf('deleted', { action }));
  await noteSummary(context, ends, { warnings: 0, place: 'Results: x.csv', thing: 'row' });
  await noteSummary(context, [], { warnings: 1, thing: 'row' });
  expect(lines).toEqual([
    'Deleted 1 code, 2 already deleted (3 requests). Results: x.csv',
    'The file has no rows (3 requests, 1 warning)',
  ]);
});

test('a flag without effect is noted with the number of rows', () => {
  const { context, lines } = collect();
  noteUnusedFlags(context, ['type'], 1);
  noteUnusedFlags(context, ['type'], 2);
  expect(lines).toEqual([
    'warning: --type had no effect: the column type has a value in the only row',
    'warning: --type had no effect: the column type has a value in each of 2 rows',
  ]);
});

test('a failed run is reported even if the reader of the output has closed the pipe', async () => {
  const [closed, failure, full] = [new ClosedPipeError('closed'), new Error('failed'), new Error('full')];
  await expect(finishOutput(Promise.reject(closed), failure)).rejects.toBe(failure);
  await expect(finishOutput(Promise.reject(closed), undefined)).rejects.toBe(closed);
  await expect(finishOutput(Promise.reject(full), failure)).rejects.toBe(full);
  await finishOutput(Promise.resolve(), failure);
});

test('an aborted run ends with the number of finished rows and the reason', () => {
  const stop = new AbortController();
  const { context, lines } = collect({ signal: stop.signal });
  const end = { ends: ['created', 'failed', 'updated'].map((outcome) => endOf(outcome)) } as never;
  noteStop(context, end, true);
  expect(lines).toEqual([]);
  stop.abort(new Error('stopped'));
  expect(() => noteStop(context, end, true)).toThrow('stopped');
  expect(() => noteStop(context, end, false, 'code')).toThrow('stopped');
  expect(lines).toEqual([
    'Done: at least 2 of 3 rows. Run the command again to resume',
    'Done: at least 2 of 3 codes',
  ]);
});
