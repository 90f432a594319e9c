import { describe, expect, it } from 'vitest';
import { judgeNew, judgeRow } from '../../../src/codes/engine/judge-row.ts';
import type { KeyedRow } from '../../../src/codes/engine/keyed-rows.ts';
import { rowOf } from './plan-world.ts';

const fault = (column: string) => ({ line: 2, column, message: column });
const DOUBTS: KeyedRow['doubts'] = [
  { field: 'name', fault: fault('name') },
  { field: 'destination', fault: fault('destination') },
  { field: 'status', fault: fault('status'), isOdd: true },
];
const doubtful = rowOf('a', 2, { doubts: DOUBTS, changes: { name: 'x', destination: 'https://a.example/' } });
const changesOf = (...fields: string[]) => fields.map((field) => ({ field }));
const columnsOf = ({ faults, warnings }: ReturnType<typeof judgeRow>) =>
  [faults, warnings].map((all) => all.map(({ column }) => column));

describe('a row of an existing code', () => {
  const judge = (type: string, ...fields: string[]) =>
    columnsOf(judgeRow(doubtful, { action: 'update', code: { type }, changes: changesOf(...fields) }, false));

  it('has the doubts about its changes alone, odd ones as warnings (Y2)', () => {
    expect(judge('url', 'name', 'destination', 'status')).toEqual([['name', 'destination'], ['status']]);
    expect(judge('url', 'destination')).toEqual([['destination'], []]);
    expect(judge('url', 'status')).toEqual([[], ['status']]);
    expect(judge('url')).toEqual([[], []]);
  });

  it('has none about the destination of a code that is not an address', () => {
    expect(judge('wifi', 'name', 'destination')).toEqual([['name'], []]);
  });

  it('has none without a code', () => {
    expect(judgeRow(doubtful, { action: 'gone', code: undefined, changes: [] }, false)).toEqual({ faults: [], warnings: [] });
  });
});

describe('a row of a new code', () => {
  it('has all its doubts, but of its destination those of a creation', () => {
    expect(columnsOf(judgeNew(doubtful, false))).toEqual([['name'], ['status']]);
    expect(columnsOf(judgeNew({ ...doubtful, changes: {} }, false))).toEqual([['name', 'name', 'destination'], ['status']]);
  });

  it('has the fault of its type, and then none of what depends on the type', () => {
    const typeFault = fault('type');
    expect(columnsOf(judgeNew({ ...doubtful, changes: {}, typeFault }, false))).toEqual([['type', 'name'], ['status']]);
  });

  it('may lead nowhere with --force', () => {
    const nowhere = rowOf('a', 2, { changes: { name: 'x', destination: 'nowhere' } });
    expect(judgeNew(nowhere, false).faults).toMatchObject([{ line: 2, column: 'destination', mayForce: true }]);
    expect(columnsOf(judgeNew(nowhere, true))).toEqual([[], ['destination']]);
  });
});
