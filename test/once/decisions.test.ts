import { describe, expect, it } from 'vitest';
import { checkDecisions, type Decisions, recordDecisions } from '../../src/once/decisions.ts';
import type { JournalRecord, NewRow, Stamp } from '../../src/once/journal.ts';
import { openStates, replay } from '../../src/once/row-states.ts';
import type { QrCode } from '../../src/service/shapes.ts';
import { fakeClock } from '../support/clock.ts';

const at: Stamp = { t: 0, w: 0, b: 0 };
const rows = [1, 2, 3, 4].map(
  (n): NewRow => ({ row: n, line: n + 1, values: new Map(), code: { name: n > 2 ? `other ${n}` : `row ${n % 2}` } }),
);
/** Rows 1 and 2 are unknown, row 3 is created, row 4 was never sent. */
const found: JournalRecord[] = [
  { is: 'session', ...at },
  { is: 'intent', row: 1, ...at },
  { is: 'intent', row: 2, ...at },
  { is: 'created', row: 3, id: 'id-3', slug: 's', at: '2026-01-01T00:00:00Z', ...at },
];

function code(id: string, name: string): QrCode {
  const at = '2026-01-01T00:00:00Z';
  return { id, slug: `s-${id}`, name, type: 'url', destination: null, status: 'active', created_at: at, updated_at: at };
}

const check = (decisions: Partial<Decisions>) => () =>
  checkDecisions({ adopt: [], notCreated: [], ...decisions }, replay(found, 4));

describe('a decision', () => {
  it('may be made about each row of unknown outcome', () => {
    check({ adopt: [{ row: 1, id: 'x' }], notCreated: [2] })();
    check({})();
  });

  it.each([
    [{ notCreated: [5] }, '--not-created 5: the input has 4 rows'],
    [{ adopt: [{ row: 5, id: 'x' }] }, '--adopt 5: the input has 4 rows'],
    [{ notCreated: [1, 1] }, 'row 1 is decided twice'],
    [{ adopt: [{ row: 1, id: 'x' }], notCreated: [1] }, 'row 1 is decided twice'],
    [{ notCreated: [4] }, '--not-created 4: there is nothing to decide about row 4: it was not created, and will be sent'],
    [{ adopt: [{ row: 3, id: 'x' }] }, '--adopt 3: there is nothing to decide about row 3: its code is id-3'],
    [{ adopt: [{ row: 1, id: 'id-3' }] }, '--adopt 1=id-3: another row has this code already'],
    [
      {
        adopt: [
          { row: 1, id: 'x' },
          { row: 2, id: 'x' },
        ],
      },
      '--adopt 2=x: another row has this code already',
    ],
  ])('is refused where it fits no row: %j (O12)', (decisions, message) => {
    expect(check(decisions)).toThrow(expect.objectContaining({ name: 'UsageError', message }));
  });

  it('may be made about a row that was sent again, also for the code it has; not about one that is known not to be there (O12)', () => {
    const states = replay(
      [
        ...found,
        { is: 'unknown', row: 2, error: 'no answer', ...at },
        { is: 'adopted', row: 2, id: 'id-2', slug: 's', ...at },
        { is: 'intent', row: 4, ...at },
        { is: 'absent', row: 4, before: [], word: false, ...at },
      ],
      4,
    );
    states.of(2).attempts.push(...states.of(1).attempts);
    checkDecisions({ adopt: [{ row: 2, id: 'id-2' }], notCreated: [] }, states);
    expect(() => checkDecisions({ adopt: [], notCreated: [4] }, states)).toThrow('it was not created, and will be sent');
  });

  it.each([
    [{ notCreated: [5] }, 'rows of data are counted from 1'],
    [{ notCreated: [1, 1] }, 'say one thing about each row'],
    [{ adopt: [{ row: 3, id: 'x' }] }, 'leave out --adopt 3'],
  ])('that is refused says what to do instead: %j', (decisions, hint) => {
    expect(check(decisions)).toThrow(expect.objectContaining({ hint }));
  });
});

describe('recording decisions', () => {
  async function record(decisions: Partial<Decisions>, listing: readonly QrCode[] = [], shown: readonly JournalRecord[] = []) {
    const written: JournalRecord[] = [];
    const append = async (records: readonly JournalRecord[]) => {
      written.push(...records);
    };
    const clocks = { clock: fakeClock(), serviceNowMs: () => undefined, uptimeMs: () => 0 };
    const states = await openStates(
      { found: [...found, ...shown], append, note: append, close: async () => undefined },
      4,
      clocks,
    );
    const warnings: string[] = [];
    let lists = 0;
    await recordDecisions(
      { adopt: [], notCreated: [], ...decisions },
      {
        rows,
        states,
        getCode: async (id) => code(id, 'row 1'),
        listCodes: async () => {
          lists += 1;
          return [...listing];
        },
        warn: (line) => warnings.push(line),
      },
    );
    return { states, warnings, lists, written: written.slice(1) };
  }

  it('gives the row the code that a person names, and says when it looks like another’s', async () => {
    const { states, warnings, lists, written } = await record({ adopt: [{ row: 1, id: 'mine' }] });
    expect(states.of(1)).toMatchObject({ state: 'adopted', id: 'mine', slug: 's-mine' });
    expect(written).toMatchObject([{ is: 'adopted', row: 1, id: 'mine', slug: 's-mine' }]);
    expect([warnings, lists]).toEqual([[], 0]);
    const other = await record({ adopt: [{ row: 2, id: 'odd' }] });
    expect(other.states.of(2)).toMatchObject({ state: 'adopted', id: 'odd' });
    expect(other.warnings).toEqual(['row 2 and code odd have different values; adopted all the same']);
  });

  it('takes all there is with the row’s values for strangers when a person says it was not created (O13)', async () => {
    const listing = [code('a', 'row 1'), code('b', 'row 0'), code('c', ' row 1 ')];
    const { states, written, lists } = await record({ notCreated: [1, 2] }, listing);
    expect(states.of(1)).toMatchObject({ state: 'open', foreign: [new Set(['a', 'c'])] });
    expect(states.of(2)).toMatchObject({ state: 'open', foreign: [new Set(['b'])] });
    expect(written).toMatchObject([
      { is: 'absent', row: 1, before: ['a', 'c'], word: true },
      { is: 'absent', row: 2, before: ['b'], word: true },
    ]);
    expect(lists).toBe(1);
  });

  it('takes what the person was shown and did not name for strangers, and asks for no listing (O13)', async () => {
    const shown: JournalRecord[] = [{ is: 'asked', row: 1, more: [2], candidates: ['a', 'mine', 'b'], ...at }];
    const { written, lists } = await record({ adopt: [{ row: 1, id: 'mine' }], notCreated: [2] }, [code('c', 'row 0')], shown);
    expect(written).toMatchObject([
      { is: 'adopted', row: 1, before: ['a', 'b'] },
      { is: 'absent', row: 2, before: ['a', 'mine', 'b'] },
    ]);
    expect(lists).toBe(0);
    expect((await record({ adopt: [{ row: 1, id: 'mine' }] })).written).toMatchObject([{ is: 'adopted', before: [] }]);
  });
});
