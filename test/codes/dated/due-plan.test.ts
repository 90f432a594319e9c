import { describe, expect, it } from 'vitest';
import { endsByRow, itemsByRow, planDue } from '#codes/dated/due-plan';
import type { RowEnd } from '#codes/engine/executor/job';
import { fingerprintOf } from '#codes/engine/plan/base';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { Field, PlanItem, Row } from '#codes/engine/plan/model';
import { countRequests } from '#codes/engine/results/run-failure';
import { codeOf, POLICY, rowOf } from '../engine/plan/make.ts';

const MENU = codeOf(1, { destination: 'https://menu/' });

function planOf(rows: readonly Row[], codes = [MENU], records: readonly LedgerRecord[] = []) {
  const listing = { codes: new Map(codes.map((code) => [code.id.toLowerCase(), code])), isWhole: false };
  const replay = createReplay();
  for (const record of records) replay.take(record);
  const policy = { ...POLICY, verb: 'update' as const, isDated: true };
  const input = {
    run: 'now',
    rows,
    listing,
    ledger: replay.view(),
    lock: undefined,
    policy,
    isSettled: false,
  };
  return planDue(input, { nowMs: 30, file: { form: undefined } });
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
      [4, 'update', ['name', 'destination'], undefined],
      [5, 'unchanged', [], undefined],
      [6, 'later', [], 'not due until 1970-01-01T00:00:00.040Z'],
    ]);
  });

  it('plans one request per code, and `itemsByRow` returns one item per row in the order of the file', () => {
    const other = codeOf(2);
    const rows = [
      at(2, 10, { wish: { name: 'New' } }),
      rowOf(3, { id: other.id, atMs: 10, wish: { name: 'Other' } }),
      at(4, 20, { wish: { destination: 'https://a/' } }),
      rowOf(5, { slug: other.slug, atMs: 20, wish: { status: 'active' } }),
    ];
    const items = itemsByRow(planOf(rows, [MENU, other]).items);
    expect(
      items.map(({ row, action, code, changes }) => [row?.line, action, code?.id, changes.length]),
    ).toEqual([
      [2, 'update', MENU.id, 1],
      [3, 'update', other.id, 1],
      [4, 'update', MENU.id, 1],
      [5, 'unchanged', other.id, 0],
    ]);
    expect(countRequests({ items })).toBe(2);
  });

  it('combines due rows with different UTM tags for a code into one request', () => {
    const rows = [at(2, 10, { utm: { source: 'poster' } }), at(3, 20, { utm: { medium: 'print' } })];
    const items = itemsByRow(planOf(rows).items);
    expect(items.map(({ action }) => action)).toEqual(['update', 'update']);
    expect(countRequests({ items })).toBe(1);
  });

  it('returns no reason for a row that changes nothing, unless your decision skips it', () => {
    const base = { name: fingerprintOf(MENU.name) };
    const rows = [
      at(2, 10, { wish: { destination: 'https://a/' } }),
      at(3, 20, { base, wish: { name: MENU.name } }),
      at(4, 20, {}),
      at(5, 20, { decision: { is: 'skip' }, wish: { status: 'paused' } }),
    ];
    expect(itemsByRow(planOf(rows).items).map(about)).toEqual([
      [2, 'update', ['destination'], undefined],
      [3, 'unchanged', [], undefined],
      [4, 'unchanged', [], undefined],
      [5, 'unchanged', [], 'skipped by your decision'],
    ]);
  });

  it('gives a row the action `unchanged` if the decision `theirs` keeps the value of the service', () => {
    const base = { destination: fingerprintOf('https://saved/') };
    const rows = [at(2, 20, { base, decision: { is: 'theirs' }, wish: { destination: 'https://b/' } })];
    expect(itemsByRow(planOf(rows).items)).toMatchObject([
      { action: 'unchanged', send: {}, reason: undefined, changes: [{ field: 'destination', what: 'keep' }] },
    ]);
  });

  it('keeps a value that was edited on the service after an earlier run set it, and sends other due fields', () => {
    const due = { destination: { atMs: 10, says: 'https://a/' } };
    const applied: LedgerRecord = {
      is: 'due',
      run: 'before',
      id: MENU.id,
      due,
      stored: { destination: 'https://a/' },
    };
    const rows = [at(2, 10, { wish: { destination: 'https://a/' } }), at(3, 20, { wish: { name: 'New' } })];
    const items = itemsByRow(planOf(rows, [MENU], [applied]).items);
    expect(items.map(about)).toEqual([
      [2, 'unchanged', [], undefined],
      [3, 'update', ['name'], undefined],
    ]);
    expect(items[0]?.changes).toMatchObject([{ field: 'destination', what: 'keep' }]);
  });

  it('finds a code whose ID is in upper case', () => {
    const code = { ...MENU, id: 'ABCDEF00-0000-4000-8000-000000000001' };
    const rows = [at(2, 10, { id: code.id.toLowerCase(), wish: { name: 'New' } })];
    expect(planOf(rows, [code]).items).toMatchObject([{ action: 'update', send: { name: 'New' } }]);
  });

  it('sends nothing for a row whose own UTM tags cannot be added, and omits tags from flags', () => {
    const code = { ...MENU, destination: 'WIFI:S:x;;' };
    const rows = [
      at(2, 10, { wish: { name: 'Old' } }),
      at(3, 20, { wish: { name: 'New', status: 'paused' }, utm: { source: 'poster' } }),
      at(4, 30, { wish: { name: 'Later' }, utm: { source: 'poster' }, mayLackUtm: true }),
    ];
    const { items } = planOf(rows.slice(0, 2), [code]);
    expect(items).toMatchObject([{ action: 'update', send: { name: 'Old' } }]);
    const problem = "its destination is not a web address, so UTM tags can't be added";
    expect(itemsByRow(items).map(about)).toEqual([
      [2, 'update', ['name'], undefined],
      [3, 'failed', [], problem],
    ]);
    const failed = itemsByRow(planOf(rows.slice(1, 2), [code]).items);
    expect(failed).toMatchObject([{ action: 'failed', send: {}, changes: [], reason: problem }]);
    expect(itemsByRow(planOf(rows.slice(2), [code]).items).map(about)).toEqual([
      [4, 'update', ['name'], undefined],
    ]);
  });

  it('reports rows whose ID and slug belong to two codes, and rows that contradict each other', () => {
    const [one, two] = [codeOf(1), codeOf(2)];
    const rows = [
      rowOf(2, { id: one.id, slug: two.slug, atMs: 10, wish: { name: 'a' } }),
      rowOf(3, { slug: one.slug, atMs: 10, wish: { name: 'b' } }),
      rowOf(4, { id: one.id.toUpperCase(), atMs: 50, wish: { name: 'c' } }),
    ];
    expect(planOf(rows, [one, two]).faults).toEqual([
      expect.objectContaining({ line: 2, message: expect.stringContaining(two.slug) }),
      { line: 3, column: 'name', message: 'conflicts with line 2 (same code and time)' },
    ]);
    expect(planOf(rows.slice(1), [one, two]).faults).toEqual([]);
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
    const skipped = at(7, 20, { decision: { is: 'skip' } });
    const items = itemsByRow(planOf([...ROWS, skipped], []).items);
    expect(items.map(({ row, action, send }) => [row?.line, action, send])).toEqual(
      [...ROWS, skipped].map(({ line }) => [line, 'gone', {}]),
    );
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
    const both = at(2, 20, { base, wish: { name: 'New', destination: 'https://b/' } });
    expect(itemsByRow(planOf([both]).items).map(about)).toEqual([[2, 'conflict', [], undefined]]);
  });
});

describe('warnings of a dated plan', () => {
  const WIFI = codeOf(2, { type: 'wifi', destination: null });
  const flags = { utm: { source: 'poster' }, mayLackUtm: true };
  const wifi = (line: number, atMs: number, values: Partial<Row>) =>
    rowOf(line, { id: WIFI.id, atMs, ...flags, ...values });
  const none = { message: '1 code has no web address, so it gets no UTM tags' };
  const warnings = (...rows: Row[]) => planOf(rows, [MENU, WIFI]).warnings;

  it('count each code without a web address once if UTM tags from flags are due for it', () => {
    const renamed = wifi(2, 10, { wish: { name: 'a' } });
    expect(warnings(renamed, wifi(3, 20, { wish: { name: 'b' } }), at(4, 10, flags))).toEqual([none]);
    expect(warnings(wifi(2, 10, {}))).toEqual([none]);
    expect(warnings(wifi(2, 40, { wish: { name: 'a' } }))).toEqual([]);
    expect(warnings(wifi(2, 10, { decision: { is: 'skip' } }))).toEqual([]);
    expect(warnings(renamed, wifi(3, 20, { utm: undefined, wish: { destination: 'https://b/' } }))).toEqual(
      [],
    );
  });

  it('count a code without a web address even if another row for it fails because of its own UTM tags', () => {
    const own = wifi(2, 10, { mayLackUtm: false });
    expect(warnings(own, wifi(3, 20, {}))).toEqual([none]);
    expect(warnings(own)).toEqual([]);
  });

  it('name the line of each row whose slug is unknown or whose type differs from the code, unless skipped', () => {
    const typo = { slug: 'typo', type: 'wifi' };
    const rows = [
      at(2, 10, { ...typo, wish: { name: 'a' } }),
      at(3, 20, { slug: MENU.slug, type: 'url', wish: { name: 'b' } }),
      at(4, 40, { ...typo, wish: { name: 'c' } }),
      at(5, 20, { ...typo, decision: { is: 'skip' } }),
    ];
    expect(warnings(...rows).map(({ line, message }) => [line, message])).toEqual(
      [2, 4].flatMap((line) => [
        [line, `no code has the slug "typo"; the ID is used, whose slug is ${MENU.slug}`],
        [line, "the type of a code can't be changed: it is url, not wifi"],
      ]),
    );
  });
});

describe('endsByRow', () => {
  it("gives each row the outcome of its code's request, unless the row is unchanged or due later", () => {
    const [item] = planOf(ROWS).items;
    if (!item) throw new Error('no item');
    const altered = (['name', 'status', 'type'] as const).map((field) => ({
      field,
      sent: 'New',
      stored: 'NEW',
    }));
    const end: RowEnd = { item, outcome: 'updated', error: undefined, code: MENU, candidates: [], altered };
    const ends = endsByRow([end]);
    expect(ends.map(({ outcome }) => outcome)).toEqual([
      'unchanged',
      'updated',
      'updated',
      'unchanged',
      'later',
    ]);
    expect(ends.map((one) => one.altered.map(({ field }) => field))).toEqual([[], [], ['name'], [], []]);
    expect(ends.map((one) => one.item.row?.line)).toEqual([2, 3, 4, 5, 6]);
    const failed = endsByRow([{ ...end, outcome: 'failed', error: 'refused' }]);
    expect(failed.map(({ outcome, error }) => `${outcome} ${error ?? ''}`)).toEqual([
      'unchanged ',
      'failed refused',
      'failed refused',
      'unchanged ',
      'later ',
    ]);
  });

  it("returns the outcome `failed` for a row whose UTM tags can't be added, even if its code was updated", () => {
    const code = { ...MENU, destination: null };
    const rows = [
      at(2, 10, { wish: { name: 'New' } }),
      at(3, 20, { wish: { status: 'paused' }, utm: { source: 'poster' } }),
    ];
    const [item] = planOf(rows, [code]).items;
    if (!item) throw new Error('no item');
    const altered = [{ field: 'name' as Field, sent: 'New', stored: 'NEW' }];
    const ends = endsByRow([{ item, outcome: 'updated', code, candidates: [], altered }]);
    expect(ends.map(({ outcome, error, altered }) => [outcome, error, altered.length])).toEqual([
      ['updated', undefined, 1],
      ['failed', "its destination is not a web address, so UTM tags can't be added", 0],
    ]);
  });
});
