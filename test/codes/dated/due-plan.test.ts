import { describe, expect, it } from 'vitest';
import { endsByRow, itemsByRow, planDue } from '#codes/dated/due-plan';
import type { RowEnd } from '#codes/engine/executor/job';
import { fingerprintOf } from '#codes/engine/plan/base';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { PlanItem, Row } from '#codes/engine/plan/model';
import { codeOf, POLICY, rowOf } from '../engine/plan/make.ts';

const MENU = codeOf(1, { destination: 'https://menu/' });

function planOf(rows: readonly Row[], codes = [MENU], nowMs = 30) {
  const listing = { codes: new Map(codes.map((code) => [code.id, code])), isWhole: false };
  const policy = { ...POLICY, verb: 'update' as const, isDated: true };
  const input = {
    run: 'now',
    rows,
    listing,
    ledger: createReplay().view(),
    lock: undefined,
    policy,
    isSettled: false,
  };
  return planDue(input, { nowMs, file: { form: undefined } });
}

function at(line: number, atMs: number, values: Partial<Row>): Row {
  return rowOf(line, { id: MENU.id, atMs, ...values });
}

const ROWS = [
  at(2, 10, { wish: { destination: 'https://a/', name: 'Old' } }),
  at(3, 20, { wish: { destination: 'https://b/' } }),
  at(4, 20, { wish: { name: 'New' } }),
  at(5, 20, { wish: { status: 'active' } }),
  at(6, 40, { wish: { destination: 'https://c/' } }),
];

const about = ({ row, action, send, reason }: PlanItem) => [row?.line, action, Object.keys(send), reason];

describe('planDue', () => {
  it('plans one request per code, and gives the action `update` to each row with a value in the request', () => {
    const { items } = planOf(ROWS);
    expect(items).toMatchObject([{ action: 'update', send: { destination: 'https://b/', name: 'New' } }]);
    expect(itemsByRow(items).map(about)).toEqual([
      [2, 'unchanged', [], 'superseded by a later row'],
      [3, 'update', [], undefined],
      [4, 'update', [], undefined],
      [5, 'unchanged', [], undefined],
      [6, 'later', [], 'not due until 1970-01-01T00:00:00.040Z'],
    ]);
  });

  it('applies no brake, even if each row sets its code to the destination of the next code', () => {
    const codes = Array.from({ length: 12 }, (_, number) => codeOf(number));
    const next = (number: number) => codes[(number + 1) % 12]?.destination ?? '';
    const rows = codes.map((of, number) =>
      rowOf(number + 2, { id: of.id, atMs: 1, wish: { destination: next(number) } }),
    );
    expect(planOf(rows, codes).brakes).toEqual([]);
  });

  it('returns the action `gone` for every row whose code does not exist', () => {
    expect(itemsByRow(planOf(ROWS, []).items).map(({ action }) => action)).toEqual(ROWS.map(() => 'gone'));
  });

  it('gives all due rows for a code the action `conflict` if one of them conflicts', () => {
    const base = { destination: fingerprintOf('https://saved/') };
    const rows = [
      at(2, 20, { base, wish: { destination: 'https://b/' } }),
      at(3, 20, { wish: { name: 'New' } }),
    ];
    expect(itemsByRow(planOf(rows).items).map(about)).toEqual([
      [2, 'conflict', [], undefined],
      [3, 'conflict', [], 'another change of the same code is in conflict'],
    ]);
  });
});

describe('endsByRow', () => {
  it("gives each row the outcome of its code's request, unless the row is unchanged or due later", () => {
    const [item] = planOf(ROWS).items;
    if (!item) throw new Error('no item');
    const altered = [{ field: 'name' as const, sent: 'New', stored: 'NEW' }];
    const end: RowEnd = { item, outcome: 'updated', error: undefined, code: MENU, candidates: [], altered };
    const ends = endsByRow([end]);
    expect(ends.map(({ outcome }) => outcome)).toEqual([
      'unchanged',
      'updated',
      'updated',
      'unchanged',
      'later',
    ]);
    expect(ends.map((one) => one.altered.length)).toEqual([0, 0, 1, 0, 0]);
    const failed = endsByRow([{ ...end, outcome: 'failed', error: 'refused' }]);
    expect(failed.map(({ outcome, error }) => `${outcome} ${error ?? ''}`)).toEqual([
      'unchanged ',
      'failed refused',
      'failed refused',
      'unchanged ',
      'later ',
    ]);
  });
});
