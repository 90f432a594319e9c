import { expect, it } from 'vitest';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { codeOf, idOf, madeBefore, newRow, planOf, rowOf } from './make.ts';

it('a plan warns about an unusual destination in a new row with `qr apply`, but not with `qr create`', () => {
  const odd = newRow(2, 'Call', 'tel:1');
  expect(planOf([odd]).warnings).toEqual([]);
  expect(planOf([{ ...odd, key: '1' }], { policy: { verb: 'apply' } }).warnings).toHaveLength(1);
});

it.each(['update', 'delete'] as const)(
  'a row without an ID or slug never creates a code with `qr %s`',
  (verb) => {
    const { items, faults } = planOf([newRow(2, 'Menu', 'https://x.de/')], { policy: { verb } });
    expect([items.map(({ action, reason }) => [action, reason]), faults]).toEqual([
      [['unchanged', 'an earlier run assigned it no code']],
      [],
    ]);
  },
);

it('a renamed row has the action `edited` even if all other rows in a copied sheet were edited too (E4)', () => {
  const codes = [codeOf(1), codeOf(2)];
  const rows = [
    newRow(2, 'Code 1', 'https://example.com/new'),
    newRow(3, 'Renamed', 'https://example.com/2'),
  ];
  expect(planOf(rows, { codes }).items).toMatchObject([
    { action: 'edited', code: { id: codes[0]?.id } },
    { action: 'edited', code: { id: codes[1]?.id } },
  ]);
});

it('a code that was replaced on request is not a candidate for an edited row (E4)', () => {
  const sent = { name: 'Menu', type: 'url', destination: 'https://example.com/menu' };
  const stored = { name: sent.name, destination: sent.destination, status: 'active' };
  const old = codeOf(1, sent);
  const current = codeOf(2, { ...sent, destination: 'https://example.com/elsewhere' });
  const ledger: LedgerRecord[] = [
    { is: 'found', run: 'first', id: old.id, row: sent, stored },
    { is: 'run', run: 'second', ids: [old.id] },
    { is: 'post', n: 1, run: 'second', values: sent, decided: true, replaces: old.id },
    { is: 'made', n: 1, id: current.id, slug: current.slug, stored },
  ];
  const rows = [newRow(2, 'Renamed', sent.destination), newRow(3, 'Code 3', 'https://example.com/new')];
  expect(planOf(rows, { codes: [old, current, codeOf(3)], ledger }).items).toMatchObject([
    { action: 'edited', code: { id: current.id } },
    { action: 'edited', code: { id: idOf(3) } },
  ]);
});

it('an edited row may belong to a code with its name, or to a code that had this name before a user renamed it (E4)', () => {
  const renamed = codeOf(1, { name: 'Renamed' });
  const made = codeOf(2, { name: 'Code 1', destination: renamed.destination });
  const row = newRow(2, 'Code 1', 'https://example.com/new');
  const ledger = madeBefore([{ ...renamed, name: 'Code 1' }]);
  expect(planOf([row], { codes: [renamed, made], ledger }).items).toMatchObject([
    { action: 'undecided', candidates: [{ id: made.id }, { id: renamed.id }] },
  ]);
  expect(planOf([row], { codes: [renamed], ledger }).items).toMatchObject([
    { action: 'edited', code: { id: renamed.id } },
  ]);
});

it('--apply-edits applies a possible edit only if no row in the file has an ID (E4)', () => {
  const [saved, other] = [codeOf(1), codeOf(2)];
  const edited = newRow(3, other.name, 'https://example.com/new');
  const policy = { applyEdits: true };
  expect(planOf([edited], { codes: [saved, other], policy }).items).toMatchObject([
    { action: 'update', how: 'guess', reason: expect.any(String) },
  ]);
  const rows = [rowOf(2, { of: saved }), edited];
  expect(planOf(rows, { codes: [saved, other], policy }).items).toMatchObject([
    { action: 'unchanged' },
    { action: 'edited', how: 'guess', send: {} },
  ]);
  // IDs that this run assigned are not those of the file.
  const named = [rowOf(2, { of: saved, inRun: 'named' }), edited];
  expect(planOf(named, { codes: [saved, other], policy }).items).toMatchObject([
    { action: 'unchanged' },
    { action: 'update', how: 'guess' },
  ]);
});

it('the candidates for an edited row with a key exclude codes that belong to other keys (E4)', () => {
  const place = 'https://example.com/menu';
  const [free, owned, known] = [
    codeOf(1, { destination: place }),
    codeOf(2, { destination: place }),
    codeOf(3),
  ];
  const ledger = madeBefore(
    [owned, known],
    [rowOf(2, { of: owned, key: 'k2' }), rowOf(3, { of: known, key: 'k3' })],
  );
  const rows = [
    newRow(2, 'New', place, { key: 'k1' }),
    newRow(3, known.name, known.destination ?? '', { key: 'k3' }),
  ];
  expect(
    planOf(rows, { codes: [free, owned, known], ledger, policy: { verb: 'apply' } }).items,
  ).toMatchObject([
    { action: 'undecided', candidates: [{ id: free.id }] },
    { action: 'exists', code: { id: known.id } },
  ]);
});

it('a skipped row is not matched with the code of an equal row', () => {
  const code = codeOf(1);
  const rows = [
    newRow(2, code.name, code.destination ?? '', { decision: { is: 'skip' } }),
    newRow(3, code.name, code.destination ?? ''),
  ];
  expect(planOf(rows, { codes: [code], ledger: madeBefore([code]) }).items).toMatchObject([
    { action: 'unchanged', reason: 'skipped by your decision' },
    { action: 'unchanged', code: { id: code.id } },
  ]);
});
