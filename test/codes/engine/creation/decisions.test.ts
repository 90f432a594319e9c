import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../src/base/errors.ts';
import {
  type DecidedRows,
  type Decisions,
  readDecisions,
  recordDecisions,
} from '../../../../src/codes/engine/creation/decisions.ts';
import { entriesRecords, seenOf } from '../../../../src/codes/engine/creation/entries.ts';
import { planInput } from '../../../../src/codes/engine/creation/input-plan.ts';
import type { JournalRecord, Stamp } from '../../../../src/codes/engine/creation/journal-records.ts';
import type { NewRow } from '../../../../src/codes/engine/creation/new-row.ts';
import { openStates, replay } from '../../../../src/codes/engine/creation/row-states.ts';
import type { QrCode } from '../../../../src/service/shapes.ts';
import { fakeClock } from '../../../support/clock.ts';

const at: Stamp = { t: 0, w: 0, b: 0 };
const rowOf = (n: number, name: string): NewRow => ({ row: n, line: n + 1, values: new Map(), code: { name } });
const rows = [1, 2, 3, 4].map((n) => rowOf(n, n > 2 ? `other ${n}` : `row ${n % 2}`));
const entries = entriesRecords(rows.map((row) => [row.row, seenOf(row)] as const));
/** Rows 1 and 2 are unknown, row 3 is created, row 4 was never sent. */
const found: JournalRecord[] = [
  ...entries,
  { is: 'session', ...at },
  { is: 'intent', row: 1, ...at },
  { is: 'intent', row: 2, ...at },
  { is: 'created', row: 3, id: 'id-3', slug: 's', at: '2026-01-01T00:00:00Z', ...at },
];

function code(id: string, name: string): QrCode {
  const at = '2026-01-01T00:00:00Z';
  return { id, slug: `s-${id}`, name, type: 'url', destination: null, status: 'active', created_at: at, updated_at: at };
}

function read(decisions: Partial<Decisions>, more: readonly JournalRecord[] = [], input = rows, appliesEdits = false) {
  const states = replay([...found, ...more]);
  const plan = planInput(input, states);
  return readDecisions({ adopt: [], notCreated: [], ...decisions }, { plan, states, appliesEdits });
}

describe('a decision', () => {
  it('may be made about each row of unknown outcome, by its line', () => {
    const { decided } = read({ adopt: [{ line: 2, id: 'x' }], notCreated: [3] });
    expect(decided).toEqual({ adopt: [{ row: 1, line: 2, id: 'x' }], notCreated: [2] });
    expect(read({}).decided).toEqual({ adopt: [], notCreated: [] });
  });

  it('follows its row to wherever that is by now', () => {
    const sorted = [...rows].reverse().map((row, place) => ({ ...row, row: place + 1, line: place + 2 }));
    expect(read({ adopt: [{ line: 5, id: 'x' }] }, [], sorted).decided.adopt).toEqual([{ row: 1, line: 5, id: 'x' }]);
  });

  it.each([
    [{ notCreated: [6] }, '--not-created 6: no row begins at line 6', 'Specify a line that needs your decision: 2, 3.'],
    [{ adopt: [{ line: 1, id: 'x' }] }, '--adopt 1: no row begins at line 1', 'Specify a line that needs your decision: 2, 3.'],
    [{ asNew: [6] }, '--as-new 6: no row begins at line 6', 'Specify a line that needs your decision: 2, 3.'],
    [
      { notCreated: [2, 2] },
      'more than one decision for line 2',
      'Pass only one of --adopt, --not-created and --as-new per line.',
    ],
    [
      { adopt: [{ line: 2, id: 'x' }], notCreated: [2] },
      'more than one decision for line 2',
      'Pass only one of --adopt, --not-created and --as-new per line.',
    ],
    [{ notCreated: [5] }, "--not-created 5 can't be used: line 5 has no code and will be sent", 'Omit --not-created 5.'],
    [{ adopt: [{ line: 4, id: 'x' }] }, "--adopt 4 can't be used: line 4 has the code id-3", 'Omit --adopt 4.'],
    [{ asNew: [4] }, "--as-new 4 can't be used: line 4 has the code id-3", 'Omit --as-new 4.'],
    [{ adopt: [{ line: 2, id: 'id-3' }] }, '--adopt 2=id-3: another row already has this code', undefined],
    [
      {
        adopt: [
          { line: 2, id: 'x' },
          { line: 3, id: 'x' },
        ],
      },
      '--adopt 3=x: another row already has this code',
      undefined,
    ],
  ])('is refused where it fits no row: %j (O12)', (decisions, message, hint) => {
    expect(() => read(decisions)).toThrow(expect.objectContaining({ name: 'UsageError', message, hint }));
  });

  it('may be made about one row and another at once', () => {
    const edited = rows.map((row) => (row.row === 3 ? rowOf(3, 'renamed') : row));
    const { words, decided } = read({ notCreated: [2], asNew: [4] }, [], edited);
    expect([[...words.asNew], decided.notCreated]).toEqual([[2], [1]]);
  });

  it('is refused for a row that is new, and for lines that need none: the hint lists at most 20 (O12)', () => {
    const hintOf = (notCreated: number, input: readonly NewRow[], more: readonly JournalRecord[] = []) => {
      try {
        read({ notCreated: [notCreated] }, more, [...input]);
      } catch (error) {
        return error instanceof UsageError ? error.hint : undefined;
      }
      return undefined;
    };
    expect(() => read({ notCreated: [6] }, [], [...rows, rowOf(5, 'fifth')])).toThrow('line 6 has no code and will be sent');
    const edited = rows.map((row) => (row.row === 3 ? rowOf(3, 'renamed') : row));
    expect(hintOf(9, edited)).toBe('Specify a line that needs your decision: 2, 3, 4.');
    const done = [1, 2].map((row): JournalRecord => ({ is: 'created', row, id: `id-${row}`, slug: 's', at: '', ...at }));
    expect(hintOf(9, rows, done)).toBe('Omit the flag. No line needs your decision.');
    for (const count of [20, 21]) {
      const many = Array.from({ length: count }, (_, i) => rowOf(i + 5, `many ${i}`));
      const sent = many.map(({ row }): JournalRecord => ({ is: 'intent', row, ...at }));
      const lost = [...entriesRecords(many.map((row) => [row.row, seenOf(row)] as const)), ...sent, ...done];
      const hint = hintOf(99, [...rows, ...many], lost) ?? '';
      expect([hint.match(/\d+/g)?.length, hint.endsWith(', ….')], `${count}`).toEqual([20, count > 20]);
    }
  });

  it('may be made about a row that was sent again, also for the code it has; not about one that is known not to be there (O12)', () => {
    const more: JournalRecord[] = [
      { is: 'unknown', row: 2, error: 'no answer', ...at },
      { is: 'session', ...at },
      { is: 'absent', row: 2, before: [], word: false, ...at },
      { is: 'intent', row: 2, ...at },
      { is: 'created', row: 2, id: 'id-2', slug: 's', at: '2026-01-01T00:00:00Z', ...at },
      { is: 'intent', row: 4, ...at },
      { is: 'absent', row: 4, before: [], word: false, ...at },
    ];
    expect(read({ adopt: [{ line: 3, id: 'id-2' }] }, more).decided.adopt).toHaveLength(1);
    expect(() => read({ notCreated: [5] }, more)).toThrow('line 5 has no code and will be sent');
  });
});

describe('a decision about an edited row', () => {
  const edited = rows.map((row) => (row.row === 3 ? rowOf(3, 'renamed') : row));
  const pin = { adopt: [{ line: 4, id: 'id-3' }] };

  it('says that it is a row of its own, again and again', () => {
    expect([...read({ asNew: [4] }, [], edited).words.asNew]).toEqual([2]);
    const words = entriesRecords([[5, { ...seenOf(rowOf(3, 'renamed')), word: true }]]);
    const more: JournalRecord[] = [...words, { is: 'exists', row: 5, id: 'id-5', slug: 's', ...at }];
    read({ asNew: [4] }, more, edited);
  });

  it('or which code is to be changed, which needs --apply-edits', () => {
    expect([...read(pin, [], edited, true).words.pins]).toEqual([[2, 3]]);
    expect(() => read(pin, [], edited)).toThrow(expect.objectContaining({ hint: 'Add --apply-edits to change the code.' }));
    expect(() => read({ adopt: [{ line: 4, id: 'x' }] }, [], edited, true)).toThrow('does not belong to a removed row');
    expect(() => read({ notCreated: [4] }, [], edited)).toThrow("--not-created 4 can't be used: line 4 was edited");
    const two = edited.map((row) => (row.row === 4 ? rowOf(4, 'other') : row));
    expect(() => read({ adopt: [...pin.adopt, { line: 5, id: 'id-3' }] }, [], two, true)).toThrow();
  });
});

describe('a code that is to be changed', () => {
  const edited = rows.map((row) => (row.row > 2 ? rowOf(row.row, `renamed ${row.row}`) : row));
  const created = (row: number, id: string): JournalRecord => ({ is: 'created', row, id, slug: 's', at: '', ...at });
  const refusal = { name: 'UsageError', hint: 'Choose one of the codes listed for this line in the results.' };

  it('may be chosen for each of several rows', () => {
    const adopt = [
      { line: 4, id: 'id-3' },
      { line: 5, id: 'id-4' },
    ];
    const { pins } = read({ adopt }, [created(4, 'id-4')], edited, true).words;
    expect([...pins]).toEqual([
      [2, 3],
      [3, 4],
    ]);
  });

  it('is not one of a row that is still there, nor one that its row no longer has (O12)', () => {
    const one = rows.map((row) => (row.row === 3 ? rowOf(3, 'renamed') : row));
    const pin = (id: string, more: JournalRecord) => () => read({ adopt: [{ line: 4, id }] }, [more], one, true);
    expect(pin('id-4', created(4, 'id-4'))).toThrow(expect.objectContaining(refusal));
    const moved: JournalRecord = { is: 'adopted', row: 3, id: 'id-9', slug: 's', ...at };
    expect(pin('id-3', moved)).toThrow(expect.objectContaining(refusal));
    expect([...pin('id-9', moved)().words.pins]).toEqual([[2, 3]]);
  });
});

describe('recording decisions', () => {
  async function record(decisions: Partial<DecidedRows>, listing: readonly QrCode[] = [], shown: readonly JournalRecord[] = []) {
    const written: JournalRecord[] = [];
    const append = async (records: readonly JournalRecord[]) => {
      written.push(...records);
    };
    const clocks = { clock: fakeClock(), serviceNowMs: () => undefined, uptimeMs: () => 0 };
    const states = await openStates({ states: replay([...found, ...shown]), append, note: append }, clocks);
    const warnings: string[] = [];
    let lists = 0;
    await recordDecisions(
      { adopt: [], notCreated: [], ...decisions },
      {
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
    const { states, warnings, lists, written } = await record({ adopt: [{ row: 1, line: 2, id: 'mine' }] });
    expect(states.of(1)).toMatchObject({ state: 'adopted', id: 'mine', slug: 's-mine' });
    expect(written).toMatchObject([{ is: 'adopted', row: 1, id: 'mine', slug: 's-mine' }]);
    expect([warnings, lists]).toEqual([[], 0]);
    const other = await record({ adopt: [{ row: 2, line: 3, id: 'odd' }] });
    expect(other.states.of(2)).toMatchObject({ state: 'adopted', id: 'odd' });
    expect(other.warnings).toEqual(['line 3 and code odd have different values; adopted the code as specified']);
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
    const adopt = [{ row: 1, line: 2, id: 'mine' }];
    const { written, lists } = await record({ adopt, notCreated: [2] }, [code('c', 'row 0')], shown);
    expect(written).toMatchObject([
      { is: 'adopted', row: 1, before: ['a', 'b'] },
      { is: 'absent', row: 2, before: ['a', 'mine', 'b'] },
    ]);
    expect(lists).toBe(0);
    expect((await record({ adopt })).written).toMatchObject([{ is: 'adopted', before: [] }]);
  });
});
