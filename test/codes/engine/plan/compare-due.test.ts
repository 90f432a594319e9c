import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '#codes/engine/plan/base';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { Row } from '#codes/engine/plan/model';
import { codeOf, planOf, rowOf } from './make.ts';

const [X, A, B, Z] = ['https://x/', 'https://a/', 'https://b/', 'https://z/'];
const POLICY = { verb: 'update', isDated: true } as const;

/** What is done about the destination of a code that has this value; with the base of the row, if it is from a list. */
function actOn(
  has: string | null,
  { atMs = 10, wants = A, base, earlier = [], ledger, conflicts, updatedAt, decision }: Act = {},
) {
  const code = codeOf(1, { destination: has, ...(updatedAt && { updated_at: updatedAt }) });
  const due = { destination: { atMs, says: wants, earlier } };
  const row: Row = rowOf(2, {
    id: code.id,
    wish: { destination: wants },
    due,
    decision,
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
  decision?: Row['decision'];
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
    expect(actOn(Z, { atMs: Date.parse(updatedAt), updatedAt }).what).toBe('send');
    expect(actOn(Z, { atMs: 0 }).what).toBe('send');
  });

  it('with the value that qrctl set last does not overwrite a later edit by another client', () => {
    const ledger = patched(1, X, A, 10);
    expect(actOn(Z, { atMs: 20, ledger }).what).toBe('keep');
    expect(actOn(B, { atMs: 30, ledger: [...ledger, ...patched(2, A, B, 20)] }).what).toBe('send');
  });

  it('is sent without a ledger, but conflicts if the code has neither the saved value nor that of an earlier row', () => {
    expect(actOn(X).what).toBe('send');
    expect(actOn(X, { base: X }).what).toBe('send');
    expect(actOn(Z, { base: X }).what).toBe('conflict');
    expect(actOn(B, { base: X, earlier: [B] }).what).toBe('send');
  });

  it('of a code without a destination is compared with an empty value', () => {
    expect(actOn(null, { base: '' }).what).toBe('send');
    expect(actOn(null, { base: X }).what).toBe('conflict');
    expect(actOn(null, { base: X, earlier: [''] }).what).toBe('send');
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

describe('a dated change of a code that was changed before', () => {
  it('conflicts if the code differs from a list that was saved after the last change by qrctl', () => {
    const ledger = patched(1, 'https://w/', X);
    expect(actOn(X, { wants: B, base: X, ledger }).what).toBe('send');
    expect(actOn(Z, { wants: B, base: X, ledger }).what).toBe('conflict');
    expect(actOn(Z, { wants: B, base: 'https://w/', ledger }).what).toBe('overwrite');
  });

  it('is not sent again if the row of a later change was removed from the file', () => {
    const ledger = [...patched(1, X, A, 10), ...patched(2, A, B, 20)];
    for (const base of [undefined, X])
      expect(actOn(B, { ledger, ...(base !== undefined && { base }) }).what).toBe('keep');
  });

  it('is not sent again if the last request sent another value and got no response', () => {
    const ledger = [...patched(1, X, A, 10), ...patched(2, A, B, undefined, true)];
    expect(actOn(B, { ledger }).what).toBe('keep');
  });

  it('replaces the value of a request without a response, whether or not the service applied the request', () => {
    const ledger = patched(1, X, A, 10, true);
    const planned = (has: string) => actOn(has, { ledger, atMs: 20, wants: B }).what;
    expect([X, A, Z].map(planned)).toEqual(['send', 'send', 'overwrite']);
  });

  it('replaces the value of another client that an earlier run kept', () => {
    const conflict = patched(1, X, A, 10, true);
    const { learned } = actOn(Z, { ledger: conflict, conflicts: 'service' });
    const ledger = [...conflict, ...learned];
    expect(actOn(Z, { ledger, atMs: 20, wants: B }).what).toBe('send');
    expect(actOn(X, { ledger, atMs: 20, wants: B }).what).toBe('overwrite');
  });

  it('whose saved value qrctl did not change overwrites an edit by another client only if an earlier dated row was applied', () => {
    const { learned: ledger } = actOn(A, { base: X });
    const next = { ledger, atMs: 20, wants: B, base: X };
    expect(actOn(Z, { ...next, earlier: [A] }).what).toBe('overwrite');
    expect(actOn(Z, next).what).toBe('conflict');
    expect(actOn(Z, { ...next, earlier: [A], ledger: [] }).what).toBe('conflict');
    expect(actOn(Z, { ...next, earlier: [A], ledger: patched(1, 'https://w/', X) }).what).toBe('conflict');
  });

  it('is sent even if the code was updated after its date, if qrctl had changed another field of the code', () => {
    const [patch, ...rest] = patched(1, X, A);
    const ledger = [
      { ...patch, set: { name: 'Code 1' }, before: { name: 'Menu' } } as LedgerRecord,
      ...rest.map((record) => ({ ...record, stored: { name: 'Code 1' } })),
    ];
    const updatedAt = '2026-06-26T10:00:00.000Z';
    const kept: LedgerRecord[] = [
      { is: 'due', run: 'r', id: codeOf(1).id, due: {}, stored: { name: 'Code 1' } },
    ];
    expect(actOn(Z, { updatedAt, ledger }).what).toBe('send');
    expect(actOn(Z, { updatedAt, ledger: kept }).what).toBe('conflict');
  });

  it('is sent even after a later update of the code, if the code has the value from the saved list or an earlier row', () => {
    const updatedAt = '2026-06-26T10:00:00.000Z';
    expect(actOn(X, { updatedAt, base: X }).what).toBe('send');
    expect(actOn(X, { updatedAt, earlier: [X] }).what).toBe('send');
  });

  it('with the decision `mine` repeats the value that qrctl set last only if the row spells the value differently', () => {
    const ledger = patched(1, X, A, 10);
    const rest = { ledger, atMs: 20, decision: { is: 'mine' as const } };
    expect(actOn(Z, { ...rest, wants: 'HTTPS://a' }).what).toBe('overwrite');
    expect(actOn(Z, { ...rest, wants: A }).what).toBe('keep');
  });
});

describe('a dated row', () => {
  const id = 'abcdef00-0000-4000-8000-000000000001';
  const [name, destination] = ['Summer menu', A];
  const row = rowOf(2, {
    id,
    wish: { name, destination },
    due: {
      name: { atMs: 20, says: name, earlier: [] },
      destination: { atMs: 10, says: destination, earlier: [] },
    },
  });
  const planned = (values: { name?: string; destination?: string }, ledger: readonly LedgerRecord[] = []) =>
    planOf([row], { codes: [codeOf(1, { id, destination: A, ...values })], ledger, policy: POLICY }).items[0];

  it('records as applied only the fields that need no request, and only once', () => {
    const item = planned({});
    expect(item?.send).toEqual({ name });
    const due = { destination: { atMs: 10, says: A } };
    expect(item?.learned).toEqual([{ is: 'due', run: 'now', id, due, stored: { destination: A } }]);
    expect(planned({}, item?.learned)).toMatchObject({ send: { name }, learned: [] });
    const next = planned({ destination: Z }, item?.learned);
    expect(next).toMatchObject({ send: { name }, learned: [] });
    expect(next?.changes).toMatchObject([
      { field: 'name', what: 'send' },
      { field: 'destination', old: Z, new: A, base: A, what: 'keep' },
    ]);
  });

  it('records the value that another client set after an undated run had sent the value of the row', () => {
    const before: LedgerRecord[] = [
      { is: 'patch', run: 'r', n: 1, id, set: { destination: A }, before: { destination: X } },
      { is: 'set', n: 1, stored: { destination: A } },
    ];
    const item = planned({ name, destination: Z }, before);
    expect(item?.changes).toEqual([{ field: 'destination', old: Z, new: A, base: A, what: 'keep' }]);
    expect(item?.learned).toMatchObject([{ stored: { name, destination: Z } }]);
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
