/** `qr create --explain` shows what each step of the search for a row's code found. */
import { describe, expect, it } from 'vitest';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { Policy, Row } from '#codes/engine/plan/model';
import { explainLine } from '#codes/engine/results/explain-line';
import type { Source } from '#files/formats/read/input';
import type { QrCode } from '#service/shapes';
import { asNew, codeOf, idOf, madeBefore, newRow, planOf, rowOf } from '../plan/make.ts';
import { itemOf } from './plan-builder.ts';

interface World {
  codes?: readonly QrCode[];
  ledger?: readonly LedgerRecord[];
  policy?: Partial<Policy>;
  file?: Source;
}

/** Returns the lines that `--explain` prints for a row. */
function explain(row: Row, { codes = [], ledger = [], policy, file = { name: 'codes.csv' } }: World = {}) {
  const [item = itemOf(0, 'unchanged')] = planOf([row], { codes, ledger, policy }).items;
  const replay = createReplay();
  for (const record of ledger) replay.take(record);
  const listing = { codes: new Map(codes.map((code) => [code.id.toLowerCase(), code])), isWhole: true };
  return explainLine(item, file, { listing, ledger: replay.view(), verb: policy?.verb ?? 'create' });
}

const A = 'https://a.example/';
const B = 'https://b.example/';
const MENU = newRow(2, 'Menu', A);
const menu = (number: number, more: Partial<QrCode> = {}) =>
  codeOf(number, { name: 'Menu', destination: A, ...more });

/** Ledger records of a POST without a clear response. */
function unclear(n: number, values: { name: string; destination: string }, key?: string): LedgerRecord[] {
  const run = `run ${n}`;
  return [
    { is: 'run', run, ids: [] },
    { is: 'post', run, n, values, ...(key !== undefined && { key }) },
  ];
}

describe('--explain', () => {
  it('shows each step for a row that no code resembles', () => {
    expect(explain(MENU)).toEqual([
      `line 2: "Menu" (url, ${A})`,
      '1. ID and slug: the row has neither',
      '2. Key: the row has none',
      '3. Ledger of this machine: no earlier run knows these values',
      '4. Lost responses: none',
      '5. Codes with the same values: none',
      '6. Codes with the same name or destination: none',
      'Result: a new code is created',
    ]);
  });

  it('shows the type of a row without a destination, and the item number in a JSON file', () => {
    const row = newRow(3, 'Guest network', undefined, { type: 'wifi' });
    const [title] = explain(row, { file: { name: 'codes.json', form: { is: 'json' } } });
    expect(title).toBe('item 3: "Guest network" (wifi)');
  });

  it('shows nothing for a plan item without a row', () => {
    const view = { listing: { codes: new Map(), isWhole: true }, ledger: createReplay().view() };
    expect(
      explainLine(itemOf(0, 'removed'), { name: 'codes.csv' }, { ...view, verb: 'apply' as const }),
    ).toEqual([]);
  });

  it('names only the code that has the ID in the row, ignoring case', () => {
    const code = codeOf(1, { id: idOf(1).toUpperCase() });
    const lines = explain(rowOf(2, { id: code.id.toLowerCase(), wish: { name: 'Code 1' } }), {
      codes: [codeOf(2), code],
    });
    expect(lines[1]).toBe(`1. ID and slug: n0001 (${code.id})`);
  });

  it('names the code with the slug in the row, and the step that found it', () => {
    const lines = explain(rowOf(2, { of: codeOf(1), id: undefined }), { codes: [codeOf(1), codeOf(2)] });
    expect(lines[1]).toBe(`1. ID and slug: n0001 (${idOf(1)})`);
    expect(lines.at(-1)).toBe('Result (step 1): nothing is sent: row and code agree');
  });

  it('shows that no code has the ID in the row, and how to decide', () => {
    const lines = explain(rowOf(2, { of: codeOf(1), slug: undefined }), { codes: [codeOf(2)] });
    expect(lines[1]).toBe(`1. ID and slug: no code has ${idOf(1)}`);
    expect(lines.at(-1)).toBe(
      `Result (step 1): nothing is sent until you decide: ${idOf(1)} does not exist (deleted, or never a code of this workspace). To create a new code, add --as-new 2. Otherwise, remove the row from the file.`,
    );
  });

  it('shows the codes that earlier runs created or found for the key and the values of a row', () => {
    const row = { ...MENU, key: 'm1' };
    const found = { is: 'found', run: 'before', id: idOf(2), row: { name: 'Menu', destination: A } } as const;
    const stored = { name: 'Menu', destination: A, status: 'active' };
    const ledger = [...madeBefore([menu(1)], [row]), { ...found, stored }];
    const lines = explain(row, { codes: [menu(1), menu(2)], ledger });
    expect(lines.slice(2, 4)).toEqual([
      `2. Key: an earlier run created n0001 (${idOf(1)})`,
      `3. Ledger of this machine: an earlier run created n0001 (${idOf(1)}); an earlier run found n0002 (${idOf(2)})`,
    ]);
    expect(lines.at(-1)).toMatch(/^Result \(step 2\): nothing is sent: row and code agree$/);
  });

  it('shows that no earlier run used the key of a row', () => {
    const lines = explain(
      { ...MENU, key: 'm2' },
      { ledger: madeBefore([menu(1)], [{ ...MENU, key: 'm1' }]) },
    );
    expect(lines[2]).toBe('2. Key: no earlier run knows "m2"');
    expect(explain(MENU, { ledger: madeBefore([menu(1)], [MENU]) })[2]).toBe('2. Key: the row has none');
  });

  it('shows the code of an earlier run if the row has the first or the latest values recorded for the code', () => {
    const edited = { name: 'Old menu', destination: A };
    const stored = { ...edited, status: 'active' };
    const ledger: LedgerRecord[] = [
      ...madeBefore([menu(1), codeOf(3)]),
      { is: 'found', run: 'before', id: idOf(1), row: edited, stored },
    ];
    for (const row of [MENU, newRow(2, 'Old menu', A)])
      expect(explain(row, { codes: [menu(1), codeOf(3)], ledger })[3]).toBe(
        `3. Ledger of this machine: an earlier run created n0001 (${idOf(1)})`,
      );
  });

  it('shows that the code of an earlier run no longer exists', () => {
    const lines = explain(MENU, { ledger: madeBefore([menu(1)], [MENU]) });
    expect(lines[3]).toBe(
      `3. Ledger of this machine: an earlier run created ${idOf(1)}, which no longer exists`,
    );
    expect(lines.at(-1)).toMatch(
      /^Result \(step 3\): nothing is sent until you decide: its code \S+ was deleted from the service\./,
    );
  });

  it('shows at most three earlier uses, and counts the others', () => {
    const codes = [1, 2, 3, 4, 5].map((number) => menu(number));
    const lines = explain(MENU, { codes, ledger: madeBefore(codes) });
    expect(lines[3]).toMatch(/: an earlier run created n0001 \(\S+\); .*; .*n0003 \(\S+\); 2 others$/);
  });

  it('counts lost responses for the values of a row without a key', () => {
    const ledger = [
      ...unclear(1, { name: 'Menu', destination: A }),
      ...unclear(2, { name: 'Menu', destination: A }),
      ...unclear(3, { name: 'Other', destination: A }),
    ];
    const lines = explain(MENU, { ledger });
    expect(lines[4]).toBe('4. Lost responses: 2 requests for this row received no clear response');
    expect(lines.at(-1)).toBe(
      'Result: a new code is created only if none exists or resembles it: an earlier run received no response, so qrctl looks for its code first',
    );
  });

  it('counts lost responses for the key of a row, whatever its values', () => {
    const ledger = [
      ...unclear(1, { name: 'Before', destination: B }, 'm1'),
      ...unclear(2, { name: 'Menu', destination: A }, 'm2'),
    ];
    expect(explain({ ...MENU, key: 'm1' }, { ledger })[4]).toBe(
      '4. Lost responses: 1 request for this row received no clear response',
    );
    expect(explain(MENU, { ledger })[4]).toBe('4. Lost responses: none');
  });

  it('shows the code of a lost response as found in step 4', () => {
    const ledger = unclear(1, { name: 'Menu', destination: A });
    expect(explain(MENU, { codes: [menu(1)], ledger }).at(-1)).toMatch(/^Result \(step 4\): nothing is sent/);
  });

  it('lists codes with equal values separately from codes that share only a name or destination', () => {
    const codes = [menu(1), menu(2, { destination: B }), menu(3, { name: 'Other' }), codeOf(4)];
    const lines = explain(MENU, { codes });
    expect(lines.slice(5)).toEqual([
      `5. Codes with the same values: n0001 (${idOf(1)})`,
      `6. Codes with the same name or destination: n0002 (${idOf(2)}) or n0003 (${idOf(3)})`,
      `Result (step 5): nothing is sent: same values as n0001 (${idOf(1)})`,
    ]);
  });

  it('asks for a decision about a code with equal values for `qr apply`', () => {
    const row = { ...MENU, key: 'm1' };
    const result = explain(row, { codes: [menu(1)], policy: { verb: 'apply' } }).at(-1);
    expect(result).toBe(
      `Result (step 5): nothing is sent until you decide: same values as n0001 (${idOf(1)}). To assign the existing code, add --adopt-existing. To create a new code, add --as-new m1.`,
    );
  });

  it('shows a possible edit of a code, and how to decide', () => {
    const lines = explain(newRow(2, 'Menu', B), { codes: [menu(1)] });
    expect(lines.at(-1)).toBe(
      `Result (step 6): nothing is sent until you decide: may be an edit of the code n0001 (${idOf(1)}); destination: the code has ${A}, the row has ${B}. To change the existing code, add --apply-edits. To create a new code, add --as-new 2.`,
    );
  });

  it('shows the values that a run would send, but not those that it would keep', () => {
    const code = codeOf(1, { status: 'paused', name: 'A menu' });
    const row = rowOf(2, { id: idOf(1), wish: { name: 'Menu', status: 'active' } });
    expect(explain(row, { codes: [code], policy: { verb: 'update' } }).at(-1)).toBe(
      'Result (step 1): the code is changed: name from "A menu" to Menu; status from paused to active',
    );
    const item = itemOf(2, 'update', {
      changes: [
        { field: 'name', old: 'A menu', new: 'Menu', what: 'keep' },
        { field: 'status', old: 'paused', new: 'active', what: 'send' },
      ],
      send: { status: 'active' },
    });
    const view = { listing: { codes: new Map(), isWhole: true }, ledger: createReplay().view() };
    expect(explainLine(item, { name: 'codes.csv' }, { ...view, verb: 'update' }).at(-1)).toBe(
      'Result (step 1): the code is changed: status from paused to active',
    );
  });

  it('shows that a new code replaces a code that does not exist', () => {
    const row = rowOf(2, { of: codeOf(1) });
    expect(explain(row, { policy: asNew('2') }).at(-1)).toBe(
      `Result: a new code is created: replaces the code ${idOf(1)}, with a new slug`,
    );
  });

  it('shows that nothing is sent for a skipped row', () => {
    expect(explain({ ...MENU, decision: { is: 'skip' } }).at(-1)).toBe(
      'Result: nothing is sent: skipped by your decision',
    );
  });

  it('names no step if your decision specified the code', () => {
    const row: Row = { ...MENU, decision: { is: 'code', name: 'n0001' } };
    expect(explain(row, { codes: [menu(1)] }).at(-1)).toBe('Result: nothing is sent: row and code agree');
  });
});
