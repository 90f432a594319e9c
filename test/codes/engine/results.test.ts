import { describe, expect, it } from 'vitest';
import type { RowEnd } from '../../../src/codes/engine/creation/row-ends.ts';
import { changeFailure, createResults, tabulate } from '../../../src/codes/engine/results.ts';
import type { RowResult } from '../../../src/codes/input/outcomes.ts';
import { parseInput } from '../../../src/codes/input/read-input.ts';
import type { Input } from '../../../src/files/formats/read/input.ts';

/** The whole table of these results. */
function tableOf(input: Input, results: readonly RowResult[]) {
  const { columns, row } = tabulate(input);
  return { columns, rows: input.rows.map((_, place) => row(place, results[place])) };
}

describe('results', () => {
  it("are the input's columns, then ours, one row each in their order", async () => {
    const input = await parseInput(Buffer.from('sku,name\n1,a\n2,b\n'), 'x.csv');
    const { columns, rows } = tableOf(input, [
      { id: 'i', slug: 's', outcome: 'created' },
      { outcome: 'failed', error: 'no' },
    ]);
    expect(columns).toEqual(['sku', 'name', 'id', 'slug', 'outcome', 'error']);
    expect(rows).toEqual([
      { sku: '1', name: 'a', id: 'i', slug: 's', outcome: 'created', error: null },
      { sku: '2', name: 'b', id: null, slug: null, outcome: 'failed', error: 'no' },
    ]);
  });

  it('take the place of the results an input came with', async () => {
    const input = await parseInput(Buffer.from('ID,name,outcome\nold,a,created\n'), 'x.csv');
    const { columns, rows } = tableOf(input, [{ id: 'new', slug: 's', outcome: 'updated' }]);
    expect(columns).toEqual(['name', 'id', 'slug', 'outcome', 'error']);
    expect(rows).toEqual([{ name: 'a', id: 'new', slug: 's', outcome: 'updated', error: null }]);
  });

  it('keep the id or slug a row came with where its outcome names no code', async () => {
    const input = await parseInput(Buffer.from('Slug,name\nnope,a\n,b\n'), 'x.csv');
    const { rows } = tableOf(input, [{ outcome: 'failed', error: 'no such code' }, { outcome: 'not-attempted' }]);
    expect(rows.map(({ id, slug }) => [id, slug])).toEqual([
      [null, 'nope'],
      [null, null],
    ]);
  });

  it('keep a column called __proto__ an ordinary one', async () => {
    const input = await parseInput(Buffer.from('name,__proto__\na,b\n'), 'x.csv');
    const [row] = tableOf(input, [{ outcome: 'created' }]).rows;
    expect(Object.keys(row ?? {})).toContain('__proto__');
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
  });
});

describe('a failure', () => {
  const failed = (error: string): RowResult => ({ outcome: 'failed', error });

  it.each<[string, RowResult[]]>([
    ['1 row failed', [failed('no')]],
    ['2 of 2 rows failed, all for the same reason: no', [failed('no'), failed('no')]],
    ['2 of 3 rows failed', [failed('no'), { outcome: 'created' }, failed('not so')]],
  ])('of rows that fail alike says why in one line: %s', (message, results) => {
    const created = createResults();
    for (const { outcome, error } of results) created.take(endOf(outcome === 'failed' ? 'rejected' : 'created', error));
    const changed = changeFailure(
      { results: new Map(), stop: undefined, firstError: undefined, unproven: undefined },
      results,
      'r.csv',
    );
    for (const failure of [created.failure({ stop: undefined, stopRow: undefined }, [], 'r.csv'), changed])
      expect(failure).toMatchObject({ name: 'PartialError', message });
  });
});

function endOf(state: RowEnd['state'], error: string | undefined): RowEnd {
  const rest = { sentNow: false, before: false, stopped: false, candidates: [], edit: undefined };
  return { row: 1, line: 2, state, id: undefined, slug: undefined, error, ...rest };
}
