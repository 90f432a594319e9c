import { describe, expect, it } from 'vitest';
import { contradictions, type DatedChange, keyOf, standingOf, wantedOf } from '../../src/once/dated-plan.ts';
import { CODE } from '../service/setup.ts';

let rows = 0;
const at = (atMs: number, changes: DatedChange['changes'], utm?: DatedChange['utm']): DatedChange => {
  rows += 1;
  return { row: rows, line: rows + 1, atMs, changes, utm };
};
const [a, b, c] = [at(10, { destination: 'https://a/' }), at(20, { destination: 'https://b/' }), at(20, { status: 'paused' })];
const wanted = (plan: DatedChange[], nowMs: number, done: DatedChange[] = []) =>
  wantedOf(
    standingOf(plan, nowMs, (row) => done.includes(row)),
    CODE,
  );

describe('a dated plan', () => {
  it('has no say before its time (O24)', () => {
    expect(wanted([a, b, c], 9)).toEqual({});
    expect(wanted([a, b, c], 10)).toEqual({ destination: 'https://a/' });
    expect(wanted([b, a, c], 19)).toEqual({ destination: 'https://a/' });
  });

  it('wants in each field what the latest row says, and never goes back to an older one (O25)', () => {
    expect(wanted([b, a, c], 20)).toEqual({ destination: 'https://b/', status: 'paused' });
    expect(wanted([a, c], 30)).toEqual({ destination: 'https://a/', status: 'paused' });
    // Added to the plan when the later one was done.
    expect(wanted([a, b, c], 30, [b, c])).toEqual({});
    expect(standingOf([a, b, c], 30, (row) => row === b || row === c)).toMatchObject({ pending: [a], effective: [] });
    expect(wanted([a, b, c], 30, [a])).toEqual({ destination: 'https://b/', status: 'paused' });
  });

  it('puts tags on the destination of an earlier row, or on the one there is', () => {
    const tags = at(15, {}, { source: 'poster' });
    expect(wanted([a, tags], 20)).toEqual({ destination: 'https://a/?utm_source=poster' });
    expect(wanted([a, tags], 20, [a])).toEqual({ destination: `${CODE.destination}?utm_source=poster` });
    expect(wanted([a, tags, b], 20)).toEqual({ destination: 'https://b/' });
  });

  it('finds two wishes at one instant (O28)', () => {
    const other = at(20, { destination: 'https://c/' });
    expect(contradictions([a, b, c, other], () => 'x')).toEqual([{ row: other, other: b, field: 'destination' }]);
    expect(contradictions([b, { ...b }], () => 'x')).toEqual([]);
    expect(contradictions([b, other], ({ row }) => `${row}`)).toEqual([]);
  });

  it('knows a row by its content', () => {
    expect(keyOf('x', a)).toBe(keyOf('x', { ...a, row: 9, line: 9 }));
    expect(new Set([keyOf('x', a), keyOf('y', a), keyOf('x', b), keyOf('x', { ...a, atMs: 11 })]).size).toBe(4);
  });
});
