import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '#codes/engine/plan/base';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { Row } from '#codes/engine/plan/model';
import { codeOf, planOf, rowOf } from './make.ts';

const [X, A, B, Z] = ['https://x/', 'https://a/', 'https://b/', 'https://z/'];
const POLICY = { verb: 'update', isDated: true } as const;

/** What is done about the destination of a code that has this value; with the base of the row, if it is from a list. */
function actOn(
  has: string,
  { atMs = 10, wants = A, base, earlier = [], ledger, conflicts, updatedAt }: Act = {},
) {
  const code = codeOf(1, { destination: has, ...(updatedAt && { updated_at: updatedAt }) });
  const due = { destination: { atMs, says: wants, earlier } };
  const row: Row = rowOf(2, {
    id: code.id,
    wish: { destination: wants },
    due,
    base: base === undefined ? undefined : { destination: fingerprintOf(base) },
  });
  const { items } = planOf([row], {
    codes: [code],
    ledger,
    policy: { ...POLICY, conflicts: conflicts ?? 'ask' },
  });
  const [item] = items;
  return { what: item?.changes[0]?.what, learned: item?.learned ?? [] };
}

interface Act {
  atMs?: number;
  wants?: string;
  base?: string;
  earlier?: readonly string[];
  ledger?: readonly LedgerRecord[];
  conflicts?: 'ask' | 'service';
  updatedAt?: string;
}

/** Records of a PATCH of the destination for a time; without its end if it was killed. */
function patched(n: number, from: string, to: string, atMs?: number, isKilled = false): LedgerRecord[] {
  const due = atMs === undefined ? undefined : { destination: { atMs, says: to } };
  const before = { destination: from };
  const { id } = codeOf(1);
  const patch: LedgerRecord = {
    is: 'patch',
    run: 'r',
    n,
    id,
    set: { destination: to },
    before,
    ...(due && { due }),
  };
  return isKilled ? [patch] : [patch, { is: 'set', n, stored: { destination: to } }];
}

describe('a dated change', () => {
  it('that is not in the ledger conflicts if the code was edited, not just created, after the time of the change', () => {
    const updatedAt = '2026-06-26T10:00:00.000Z';
    expect(actOn(Z, { atMs: Date.parse('2026-06-25T00:00:00Z'), updatedAt }).what).toBe('conflict');
    expect(actOn(Z, { atMs: Date.parse('2026-06-27T00:00:00Z'), updatedAt }).what).toBe('send');
    expect(actOn(Z, { atMs: 0 }).what).toBe('send');
  });

  it('with the value that qrctl set last does not overwrite a later edit by another client', () => {
    const ledger = patched(1, X, A, 10);
    expect(actOn(Z, { atMs: 20, ledger }).what).toBe('keep');
    expect(actOn(B, { atMs: 30, ledger: [...ledger, ...patched(2, A, B, 20)] }).what).toBe('send');
  });

  it('is sent without a ledger, but conflicts if the code differs from the saved list', () => {
    expect(actOn(X).what).toBe('send');
    expect(actOn(X, { base: X }).what).toBe('send');
    expect(actOn(Z, { base: X }).what).toBe('conflict');
    expect(actOn(B, { base: X, earlier: [B] }).what).toBe('send');
  });

  it('is applied only once, so a later edit by another client is kept', () => {
    const ledger = patched(1, X, A, 10);
    for (const base of [undefined, X, A])
      expect(actOn(Z, { ledger, ...(base !== undefined && { base }) })).toEqual({
        what: 'keep',
        learned: [],
      });
  });

  it('replaces an earlier dated change, and is an `overwrite` if another client edited the code in between', () => {
    const ledger = patched(1, X, A, 10);
    for (const base of [undefined, X]) {
      const rest = { ledger, wants: B, ...(base !== undefined && { base }) };
      expect(actOn(A, { ...rest, atMs: 20 }).what).toBe('send');
      expect(actOn(Z, { ...rest, atMs: 20 }).what).toBe('overwrite');
      // The same row, corrected.
      expect(actOn(A, { ...rest, atMs: 10 }).what).toBe('send');
    }
    const back = [...ledger, ...patched(2, A, B, 10)];
    expect(actOn(B, { ledger: back, atMs: 10 }).what).toBe('send');
  });

  it('does not replace a later change from an undated file', () => {
    expect(actOn(Z, { ledger: [...patched(1, X, A, 10), ...patched(2, A, Z)] }).what).toBe('keep');
  });

  it('is sent again if its response is missing, unless another client edited the code', () => {
    const ledger = patched(1, X, A, 10, true);
    for (const base of [undefined, X]) {
      const rest = { ledger, ...(base !== undefined && { base }) };
      expect(actOn(X, rest).what).toBe('send');
      expect(actOn(Z, rest).what).toBe('conflict');
      expect(actOn(Z, { ...rest, conflicts: 'service' }).learned).toMatchObject([
        { is: 'due', stored: { destination: Z } },
      ]);
    }
    const seen = actOn(A, { ledger });
    expect(seen).toMatchObject({ what: undefined, learned: [{ is: 'due', stored: { destination: A } }] });
    expect(actOn(Z, { ledger: [...ledger, ...seen.learned] })).toEqual({ what: 'keep', learned: [] });
  });

  it('is recorded as applied if the code already has its value', () => {
    const { what, learned } = actOn(A);
    expect(what).toBeUndefined();
    expect(learned).toMatchObject([{ is: 'due', due: { destination: { atMs: 10, says: A } } }]);
    expect(actOn(A, { ledger: learned }).learned).toEqual([]);
    expect(actOn(Z, { ledger: learned }).what).toBe('keep');
    expect(actOn(Z, { ledger: learned, atMs: 20, wants: B }).what).toBe('overwrite');
  });
});

describe('an undated change', () => {
  it('is sent again after a kill, if the code still has the value in the saved list', () => {
    const code = codeOf(1, { destination: X });
    const base = { destination: fingerprintOf(X) };
    const row = rowOf(2, { id: code.id, wish: { destination: A }, base });
    const plan = (has: string) =>
      planOf([row], {
        codes: [{ ...code, destination: has }],
        ledger: patched(1, X, A, undefined, true),
        policy: { verb: 'update' },
      });
    expect(plan(X).items).toMatchObject([{ action: 'update', send: { destination: A } }]);
    expect(plan(A).items).toMatchObject([{ action: 'unchanged' }]);
    expect(plan(Z).items).toMatchObject([{ action: 'conflict' }]);
  });
});
