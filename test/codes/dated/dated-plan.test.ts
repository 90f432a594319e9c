import { describe, expect, it } from 'vitest';
import { contradictions, type DatedChange, dueRowsOf, keysOf, wantedOf } from '../../../src/codes/dated/dated-plan.ts';
import { CODE } from '../../service/setup.ts';

let rows = 0;
const at = (atMs: number, changes: DatedChange['changes'], utm?: DatedChange['utm']): DatedChange => {
  rows += 1;
  return { row: rows, line: rows + 1, atMs, changes, utm };
};
const [a, b, c] = [at(10, { destination: 'https://a/' }), at(20, { destination: 'https://b/' }), at(20, { status: 'paused' })];
const wanted = (plan: DatedChange[], nowMs: number, done: DatedChange[] = []) =>
  wantedOf(
    dueRowsOf(plan, nowMs, (row) => done.includes(row)),
    CODE,
  );

const keyOf = (...args: Parameters<typeof keysOf>) => keysOf(...args)[0];

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
    expect(dueRowsOf([a, b, c], 30, (row) => row === b || row === c)).toMatchObject({ pending: [a], effective: [] });
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
    const third = at(20, { destination: 'https://d/' });
    expect(contradictions([b, other, third], () => 'x').map((found) => found.other)).toEqual([b, b]);
    const tagged = (utm: DatedChange['utm']) => at(20, { name: 'n', destination: 'https://c/' }, utm);
    expect(contradictions([tagged({ source: 's' }), tagged({ source: 's' })], () => 'x')).toEqual([]);
    const fields = contradictions([tagged({ source: 's' }), tagged({ source: 't' })], () => 'x').map(({ field }) => field);
    expect(fields).toEqual(['destination']);
  });

  it('has of a row only the fields that no later row has had (O25)', () => {
    const all = at(10, { name: 'n', destination: 'https://d/', status: 'paused' });
    const later = {
      name: at(20, { name: 'm' }),
      destination: at(20, { destination: 'https://e/' }),
      status: at(20, { status: 'active' }),
    };
    for (const [field, row] of Object.entries(later)) {
      const { [field as 'name']: _, ...rest } = all.changes;
      expect(wanted([all, row], 30, [row])).toEqual(rest);
      expect(wanted([all, row], 30)).toEqual({ ...rest, ...row.changes });
    }
  });

  it('says which rows still count, and in which fields (O25)', () => {
    const say = (plan: DatedChange[], done: DatedChange[] = []) => {
      const { effective } = dueRowsOf(plan, 30, (row) => done.includes(row));
      return effective.map(({ row, fields }) => [row, [...fields]]);
    };
    const tags = at(25, {}, { source: 'poster' });
    expect(say([a, b, c])).toEqual([
      [b, ['destination']],
      [c, ['status']],
    ]);
    expect(say([a, c], [c])).toEqual([[a, ['destination']]]);
    // Tags stand on what the row before gives; a destination of its own overtakes both.
    expect(say([b, tags])).toEqual([
      [b, ['destination']],
      [tags, ['destination']],
    ]);
    expect(say([at(5, { name: 'n', destination: 'https://d/' }), a]).map(([, fields]) => fields)).toEqual([
      ['name', 'destination'],
      ['destination'],
    ]);
  });

  it('knows a row by its content', () => {
    expect(keyOf('x', a)).toBe(keyOf('x', { ...a, row: 9, line: 9 }));
    // A format on disk: a plan must be known by the journal of an older version.
    const of = at(1, { name: 'n', status: 'active' }, { source: 's', medium: 'm' });
    expect(keyOf('x', of)).toBe('b31ddc8b1feb61d75f744365e27b4e76');
    const [both, turned] = [at(1, { name: 'n', status: 'active' }), at(1, { status: 'active', name: 'n' })];
    expect(keyOf('x', both)).toBe(keyOf('x', turned));
    expect(keyOf('x', at(1, {}, { source: 's', medium: 'm' }))).toBe(keyOf('x', at(1, {}, { medium: 'm', source: 's' })));
    expect(keyOf('x', at(1, {}, { source: 's' }))).not.toBe(keyOf('x', at(1, {}, { source: 't' })));
    expect(new Set([keyOf('x', a), keyOf('y', a), keyOf('x', b), keyOf('x', { ...a, atMs: 11 })]).size).toBe(4);
  });

  it('knows a row by its own content, whatever the flags say, and by both in a journal of qrctl 1.0', () => {
    const own = { changes: { name: 'n' } };
    const plain = keysOf('x', at(1, own.changes));
    const flagged = keysOf('x', { ...at(1, { name: 'n', status: 'paused' }, { source: 's' }), own });
    expect(flagged).toEqual([plain[0], keyOf('x', at(1, { name: 'n', status: 'paused' }, { source: 's' }))]);
    expect(keysOf('x', { ...at(1, own.changes), own })[0]).toBe(plain[0]);
    // Without any content of its own it is what the flags say.
    const bare = (status: string) => keysOf('x', { ...at(1, { status }), own: { changes: {} } });
    expect(bare('paused')).toHaveLength(1);
    expect(bare('paused')).not.toEqual(bare('active'));
    const tagged = (status: string) => keysOf('x', { ...at(1, { status }), own: { changes: {}, utm: { source: 's' } } })[0];
    expect(tagged('paused')).toBe(tagged('active'));
    expect(plain).toHaveLength(1);
  });
});
