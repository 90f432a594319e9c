import { describe, expect, it } from 'vitest';
import { ClosedPipeError, UsageError } from '#base/errors';
import { finishRun } from '#commands/qr/rows/run-file';
import { codeOf, rowOf } from '../../../codes/engine/plan/make.ts';
import { rowsOf, useBench } from '../../../support/bench.ts';

const CLOSED = new ClosedPipeError('the reader closed standard output');
const FULL = new UsageError('the disk is full');
const STOP = new UsageError('stopped');
const PLACE = { place: 'Results: codes.results.csv' };
const UPDATED = 'Updated 1 code (3 requests, 2 warnings)';

describe('the end of a run over a file', () => {
  it.each([
    ['prints a summary with the place of the results', PLACE, {}, undefined, `${UPDATED}. ${PLACE.place}`],
    ['prints a summary without a place if there are no results', {}, {}, undefined, UPDATED],
    ['prints no place if the results cannot be written', PLACE, { print: FULL }, FULL, UPDATED],
    ['prints no summary if a pipe was closed', PLACE, { print: CLOSED }, CLOSED, undefined],
    [
      'prints a summary and throws the error that stopped the run',
      PLACE,
      { stop: STOP },
      STOP,
      `${UPDATED}. ${PLACE.place}`,
    ],
    ['prefers the error of the run to a closed pipe', PLACE, { stop: STOP, print: CLOSED }, STOP, UPDATED],
  ])('%s', async (_, place, { stop, print }: { stop?: Error; print?: Error }, thrown, line) => {
    const lines: string[] = [];
    const console = { note: (text: string) => lines.push(text) };
    const service = async () => ({ stats: () => ({ requests: 3 }) });
    const { signal } = new AbortController();
    const item = { row: rowOf(2), action: 'update', send: {}, changes: [], candidates: [] };
    const ends = [{ item, outcome: 'updated', code: codeOf(1), candidates: [], altered: [] }];
    const file = { input: { name: 'codes.csv', rows: [{}], columns: [] }, checked: { warnings: [{}] } };
    const finish = { verb: 'update', thing: 'row', isResumable: true, ...place };
    const failures: unknown[] = [];
    const run = finishRun(
      { facts: {}, console, service, signal } as never,
      file as never,
      { ends, stop, isUnproven: false, plan: { warnings: [{}] } } as never,
      finish as never,
      async (failure) => {
        failures.push(failure);
        if (print) throw print;
      },
    );
    const error = await run.catch((error: unknown) => error);
    expect((error as Error | undefined)?.message).toBe(thrown?.message);
    expect(failures).toHaveLength(1);
    expect((failures[0] as Error | undefined)?.message).toBe(stop?.message);
    expect(lines).toEqual(line === undefined ? [] : [line]);
  });
});

it('a dry run with --results prints a note, and sends and writes nothing', async () => {
  const { create, posts, read } = await useBench(rowsOf(1));
  const note = 'A dry run writes no results to r.csv';
  expect((await create(['--dry-run', '--results', 'r.csv'])).stderr).toContain(note);
  expect((await create(['--dry-run'])).stderr).not.toContain('writes no results');
  expect(posts()).toBe(0);
  await expect(read('r.csv')).rejects.toThrow('ENOENT');
});

it('a check with --offline sends no request', async () => {
  const { create, sandbox } = await useBench(rowsOf(1));
  expect((await create(['--offline'])).code).toBe(0);
  expect(sandbox.requests).toEqual([]);
});
