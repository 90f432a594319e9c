import { describe, expect, it } from 'vitest';
import { parseLines } from '#codes/engine/plan/identify';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { Row } from '#codes/engine/plan/model';
import { actionsOf, codeOf, decide, idOf, made, madeBefore, newRow, planOf, rowOf } from './make.ts';

const MENU = 'https://example.com/menu';
const FORMS = 'the decision must be mine, theirs, new, skip, or the ID or slug of a code';

function deciding(given: { adopt?: Record<string, string>; asNew?: Record<string, number>; all?: boolean }) {
  const { adopt = {}, asNew = {}, all = false } = given;
  const decisions = { adopt: new Map(Object.entries(adopt)), asNew: new Map(Object.entries(asNew)) };
  return { policy: decide({ ...decisions, asNewAll: all }) };
}

describe('a decision that assigns a code to a row', () => {
  const code = codeOf(1, { id: idOf(1).toUpperCase() });
  const codes = [code, codeOf(2)];
  const rows = [newRow(2, 'A', MENU), newRow(3, 'B', `${MENU}/b`)];

  it.each(['n0001', idOf(1), idOf(1).toUpperCase()])(
    'accepts a slug, or an ID in upper or lower case (%s)',
    (name) => {
      const { items, faults } = planOf(rows, { codes, ...deciding({ adopt: { 2: name } }) });
      expect(faults).toEqual([]);
      expect(items).toMatchObject([{ code, how: 'decision' }, { action: 'create' }]);
      const answered: Row = { ...newRow(2, 'A', MENU), decision: { is: 'code', name } };
      expect(planOf([answered], { codes }).items).toMatchObject([{ code, how: 'decision' }]);
    },
  );

  it('is refused if no code has its ID or slug, and the fault shows whether it is in a flag or a cell', () => {
    expect(planOf(rows, { codes, ...deciding({ adopt: { 2: 'typo' } }) }).faults).toEqual([
      { line: 2, message: 'no code has the ID or slug typo', isOfFlag: true },
    ]);
    const answered: Row = { ...newRow(2, 'A', MENU), decision: { is: 'code', name: 'typo' } };
    expect(planOf([answered], { codes }).faults).toEqual([
      { line: 2, message: `${FORMS}: no code has the ID or slug typo` },
    ]);
  });

  it('in a flag takes precedence over the one in the cell', () => {
    const answered: Row = { ...newRow(2, 'A', MENU), decision: { is: 'code', name: 'n0002' } };
    const { items, faults } = planOf([answered], { codes, ...deciding({ adopt: { 2: 'n0001' } }) });
    expect(faults).toEqual([]);
    expect(items).toMatchObject([{ code }]);
  });

  it('is refused if another row has this code', () => {
    const three = [rowOf(2, { of: code, id: idOf(1) }), ...rows.slice(1), newRow(4, 'C', `${MENU}/c`)];
    expect(planOf(three, { codes, ...deciding({ adopt: { 4: 'n0001' } }) }).faults).toEqual([
      { line: 4, message: 'the code n0001 is also that of line 2' },
    ]);
  });
});

describe('a decision for a code that the ledger assigns to another row', () => {
  const flyer = { name: 'Flyer', destination: MENU };
  const [first, second] = [codeOf(1, flyer), codeOf(2, flyer)];
  const equal = (line: number, rest: Partial<Row> = {}) => newRow(line, 'Flyer', MENU, rest);
  const taking = deciding({ adopt: { 9: 'n0001' } });
  const taker = newRow(9, 'Taker', `${MENU}/taker`);

  it('is refused if fewer other codes than other rows have the values of the code', () => {
    const ledger = madeBefore([first, second]);
    const codes = [first, second];
    expect(planOf([equal(2), equal(3), taker], { codes, ledger, ...taking }).faults).toEqual([
      { line: 9, message: 'the code n0001 is also that of line 2' },
    ]);
    expect(planOf([equal(2), taker], { codes, ledger, ...taking }).faults).toEqual([]);
  });

  it('is refused even if the service returns the ID of the code in upper case', () => {
    const known = codeOf(1, { ...flyer, id: idOf(1) });
    const codes = [{ ...known, id: known.id.toUpperCase() }];
    const { faults } = planOf([equal(2), taker], { codes, ledger: madeBefore([known]), ...taking });
    expect(faults).toEqual([{ line: 9, message: 'the code n0001 is also that of line 2' }]);
  });

  it('is accepted if the other row has its own code, or a key other than that of the code', () => {
    const codes = [first, second];
    const ledger = madeBefore([first]);
    const owner = rowOf(2, { of: second });
    expect(planOf([owner, taker], { codes, ledger, ...taking }).faults).toEqual([]);
    const keyed = madeBefore([first], [equal(2, { key: 'a' })]);
    expect(planOf([equal(2, { key: 'b' }), taker], { codes, ledger: keyed, ...taking }).faults).toEqual([]);
    expect(planOf([equal(2, { key: 'a' }), taker], { codes, ledger: keyed, ...taking }).faults).toEqual([
      { line: 9, message: 'the code n0001 is also that of line 2' },
    ]);
  });

  it('is refused even if the ledger has another code with equal values that was replaced or belongs to a third row', () => {
    const ledger: LedgerRecord[] = [
      ...madeBefore([second]),
      { is: 'run', run: 'next', ids: [idOf(2)] },
      { is: 'post', run: 'next', n: 5, values: { ...flyer, type: 'url' }, decided: true, replaces: idOf(2) },
      made(5, first),
    ];
    const codes = [first, second];
    const refused = [{ line: 9, message: 'the code n0001 is also that of line 2' }];
    expect(planOf([equal(2), taker], { codes, ledger, ...taking }).faults).toEqual(refused);
    const third = rowOf(4, { of: second });
    const both = madeBefore(codes);
    expect(planOf([equal(2), third, taker], { codes, ledger: both, ...taking }).faults).toEqual(refused);
  });

  it('is accepted if the ledger has only a change of the code, but not its creation', () => {
    const ledger: LedgerRecord[] = [
      { is: 'run', run: 'before' },
      { is: 'patch', run: 'before', n: 1, id: idOf(1), set: { name: 'Flyer' }, before: { name: 'Old' } },
    ];
    expect(planOf([equal(2), taker], { codes: [first], ledger, ...taking }).faults).toEqual([]);
  });
});

describe('a decision for a new code', () => {
  const rows = [
    newRow(2, 'A', MENU, { key: 'a' }),
    newRow(3, 'B', `${MENU}/b`, { key: '3' }),
    newRow(4, 'C', `${MENU}/c`, { key: 'key:a' }),
    newRow(5, 'D', `${MENU}/d`, { key: '2' }),
    newRow(6, 'E', `${MENU}/e`),
    newRow(7, 'F', `${MENU}/f`, { key: 'undefined' }),
  ];
  const decided = (...names: string[]) => {
    const asNew = Object.fromEntries(names.map((name) => [name, 1]));
    const { items, faults } = planOf(rows, deciding({ asNew }));
    return [items.flatMap(({ row, isDecided }) => (isDecided ? [row?.line] : [])), faults];
  };

  it('identifies its row by key or line', () => {
    expect(decided('a')).toEqual([[2], []]);
    expect(decided('4')).toEqual([[4], []]);
    expect(decided('6')).toEqual([[6], []]);
    expect(decided('undefined')).toEqual([[7], []]);
    expect(decided('line:2')).toEqual([[2], []]);
    expect(decided('key:2')).toEqual([[5], []]);
    expect(decided('key:undefined')).toEqual([[7], []]);
    expect(decided('key:key:a')).toEqual([[4], []]);
    expect(decided('key:a')).toEqual([[2, 4], []]);
  });

  it('may use a number that is both the key and the line of the same row', () => {
    expect(decided('3')).toEqual([[3], []]);
  });

  it('is refused if its number is the key of one row and the line of another', () => {
    const message = '"2" is the key of one row and the line of another: write line:2 or key:2';
    expect(decided('2')).toEqual([[5], [{ line: undefined, message, isOfFlag: true }]]);
  });

  it.each(['9', 'b', 'line:9', 'line:a', 'key:9', 'key:4', 'akey:', '4line:'])(
    'is refused if no row has its line or key (%s)',
    (name) => {
      const message = `no row has the line or key "${name}"`;
      expect(decided(name)).toEqual([[], [{ line: undefined, message, isOfFlag: true }]]);
    },
  );

  it('is refused for each line of a range that has no row', () => {
    const faults = [8, 9].map((line) => ({
      line: undefined,
      message: `no row has the line or key "line:${line}"`,
      isOfFlag: true,
    }));
    expect(decided('3-4')).toEqual([[3, 4], []]);
    expect(decided('7-9')).toEqual([[7], faults]);
  });

  it('may be a range of line numbers, without any other text', () => {
    expect(parseLines('15-20')).toEqual({ first: 15, count: 6 });
    expect(parseLines('20-15')).toEqual({ first: 20, count: -4 });
    for (const other of ['1-', '-1', '0-5', '5-0', 'a15-20', '15-20a', '1a-20', '15-2a', '1234567890-1'])
      expect(parseLines(other)).toBeUndefined();
  });

  it('for a range of lines does not apply to a row whose key equals one of the line numbers', () => {
    expect(decided('2-2')).toEqual([[2], []]);
  });

  it('in a flag takes precedence over the decision in the cell', () => {
    const code = codeOf(1);
    const row = rowOf(2, { of: code, decision: { is: 'mine' } });
    expect(actionsOf(planOf([row], { codes: [code], ...deciding({ asNew: { 2: 1 } }) }))).toEqual(['create']);
  });

  it('for all rows does not apply to a row with another decision', () => {
    const codes = [1, 2, 3].map((number) => codeOf(number));
    const decisions = [undefined, { is: 'mine' }, { is: 'new' }] as const;
    const rows = codes.map((code, at) => rowOf(at + 2, { of: code, decision: decisions[at] }));
    const expected = ['create', 'unchanged n0002', 'create'];
    expect(actionsOf(planOf(rows, { codes, ...deciding({ all: true }) }))).toEqual(expected);
    expect(actionsOf(planOf(rows, { codes }))).toEqual(['unchanged n0001', 'unchanged n0002', 'create']);
  });

  it('that was carried out creates another code only if the flag is passed once more', () => {
    const [old, current] = [codeOf(1), codeOf(2, { name: 'Code 1', destination: codeOf(1).destination })];
    const values = { name: old.name, type: 'url', destination: old.destination ?? '' };
    const ledger: LedgerRecord[] = [
      ...madeBefore([old]),
      { is: 'run', run: 'next', ids: [idOf(1)] },
      { is: 'post', run: 'next', n: 2, values, decided: true, replaces: idOf(1) },
      made(2, current),
    ];
    const plan = (asNew: Record<string, number>) =>
      actionsOf(
        planOf([newRow(2, values.name, values.destination)], {
          codes: [old, current],
          ledger,
          ...deciding({ asNew }),
        }),
      );
    expect(plan({ 2: 1 })).toEqual(['unchanged n0002']);
    expect(plan({ 2: 2 })).toEqual(['create']);
    expect(plan({ '2-2': 2 })).toEqual(['create']);
    expect(plan({ 'line:2': 1, '2-2': 1 })).toEqual(['create']);
  });
});

it('a row that failed in this run gets no code, even if a code has its ID or values', () => {
  const code = codeOf(1);
  expect(actionsOf(planOf([rowOf(2, { of: code, inRun: 'failed' })], { codes: [code] }))).toEqual(['create']);
});

it('rows with the same code are refused, each with the line of the previous one', () => {
  const code = codeOf(1, { id: idOf(1).toUpperCase() });
  const rows = [rowOf(2, { id: idOf(1) }), rowOf(3, { slug: 'n0001' }), rowOf(4, { slug: 'n0001' })];
  expect(planOf(rows, { codes: [code] }).faults).toEqual([
    { line: 3, message: 'the code n0001 is also that of line 2' },
    { line: 4, message: 'the code n0001 is also that of line 3' },
  ]);
});

it.each(['update', 'delete'] as const)(
  'a row without an ID, slug or key is not matched to a code by `qr %s`',
  (verb) => {
    const code = codeOf(1);
    const row = newRow(2, code.name, code.destination ?? '');
    for (const ledger of [[], madeBefore([code])])
      expect(actionsOf(planOf([row], { codes: [code], ledger, policy: { verb } }))).toEqual(['unchanged']);
  },
);
