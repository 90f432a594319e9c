import { describe, expect, it } from 'vitest';
import { NotFoundError, PartialError, UnprovenError, UsageError } from '#base/errors';
import { findNamed, finishNamed, printNamed } from '#commands/qr/rows/run-named';
import type { Context } from '#context';
import { codeOf, idOf, rowOf } from '../../../codes/engine/plan/make.ts';

function contextOf(more: object = {}): Context {
  const signal = new AbortController().signal;
  return { facts: {}, signal, console: { note: () => {} }, ...more } as never;
}

function endOf(outcome: string, error?: string, action = 'update') {
  const code = outcome === 'failed' ? undefined : codeOf(1);
  const item = { row: rowOf(1, { slug: 'menu' }), action, send: {}, changes: [], candidates: [] };
  return { item, outcome, code, error, candidates: [], altered: [] };
}

const HINT = 'See the output for the reasons. It is safe to run the same command again.';
const MISSING = 'Correct or omit the codes that do not exist. Run `qrctl qr list` to see all slugs.';
const STOP = new UsageError('stopped');
const FIRST = new UsageError('first');
const done = endOf('updated');
const busy = (request: string) => endOf('failed', `busy [PATCH /qr-codes/${request} 503]`);

describe('the failure of a run over codes', () => {
  it.each([
    ['is absent if all codes are updated', [done, done], {}, undefined],
    ['is absent if no code was attempted', [undefined], {}, undefined],
    ['is the error that stopped the run', [done], { stop: STOP, firstError: FIRST }, STOP],
    ['is the first error if all codes failed', [busy('1')], { firstError: FIRST }, FIRST],
    [
      'is the first reason if all codes failed without an error',
      [endOf('failed', 'no such code', 'failed'), endOf('failed', 'other', 'failed')],
      {},
      new NotFoundError('no such code', { hint: MISSING }),
    ],
    [
      'contains no reason if only one code failed',
      [done, busy('1'), undefined],
      {},
      new PartialError('1 of 2 codes failed', { hint: HINT }),
    ],
    [
      'contains the reason that is the same for all except for the request',
      [busy('1'), done, busy('2')],
      { firstError: FIRST },
      new PartialError('2 of 3 codes failed, all for the same reason: busy', { hint: HINT }),
    ],
    [
      'contains no reason if there are several',
      [busy('1'), done, endOf('failed', 'no such code', 'failed')],
      {},
      new PartialError('2 of 3 codes failed', { hint: HINT }),
    ],
    [
      'advises to correct the codes if all failed codes are missing',
      [done, endOf('failed', 'no such code', 'failed')],
      {},
      new PartialError('1 of 2 codes failed', { hint: MISSING }),
    ],
    [
      'is unproven if the run is',
      [done, busy('1')],
      { isUnproven: true },
      new UnprovenError('1 of 2 codes failed', { hint: HINT }),
    ],
  ])('%s', (_, results, more, expected) => {
    const context = contextOf();
    const ends = results.map((end, at) => [`code-${at}`, end] as const);
    const { failure } = finishNamed(context, { ends: results, ...more } as never, ends as never);
    expect(failure).toEqual(expected);
    expect((failure as Error | undefined)?.constructor).toBe(expected?.constructor);
    expect((failure as UsageError | undefined)?.hint).toBe(expected?.hint);
    expect(context.facts.codes).toBe(results.some((end) => end === done) ? 1 : 0);
  });
});

it('an aborted run over codes prints the number of codes and does not offer to resume', () => {
  const lines: string[] = [];
  const console = { note: (line: string) => lines.push(line) };
  const context = contextOf({ console, signal: AbortSignal.abort(STOP) });
  const end = { ends: [done, busy('1')] } as never;
  expect(() => finishNamed(context, end, [])).toThrow(STOP);
  expect(lines).toEqual(['Done: at least 1 of 2 codes']);
});

it('the output has the ID and slug of each code, of its row, or as specified', async () => {
  const printed: unknown[] = [];
  const output = { print: async (...given: unknown[]) => void printed.push(...given) } as never;
  const ends = [
    ['a', done],
    ['menu', busy('1')],
    ['later', undefined],
    [idOf(9).toUpperCase(), undefined],
  ];
  await printNamed(output, { ends, failure: undefined } as never);
  await expect(printNamed(output, { ends: [], failure: STOP })).rejects.toBe(STOP);
  const none = { outcome: 'not-attempted', error: null };
  expect(printed).toEqual([
    [
      { code: 'a', id: idOf(1), slug: 'n0001', outcome: 'updated', error: null },
      { code: 'menu', id: null, slug: 'menu', outcome: 'failed', error: 'busy [PATCH /qr-codes/1 503]' },
      { code: 'later', id: null, slug: 'later', ...none },
      { code: idOf(9).toUpperCase(), id: idOf(9), slug: null, ...none },
    ],
    { thing: 'code' },
    [],
    { thing: 'code' },
  ]);
});

it('a code specified twice by ID gets one row, without changes by default', async () => {
  const service = { getCode: async () => codeOf(1) };
  const context = contextOf({ service: async () => service, settings: async () => ({}) });
  const id = idOf(1);
  const names = [id, id.toUpperCase(), id];
  const row = { values: new Map(), doubts: [], id, slug: 'n0001', wish: {}, row: 1, line: 1 };
  expect(await findNamed(context, names)).toEqual({
    rows: [row],
    codes: [codeOf(1)],
    places: new Map(names.map((name) => [name, 0])),
  });
});
