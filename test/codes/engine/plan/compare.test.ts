/** Which changes a row requests, compared with its code, its base, the ledger and the lock file. */
import { describe, expect, it } from 'vitest';
import type { LockEntry } from '#codes/engine/lock/lock-file';
import { baseOf } from '#codes/engine/plan/base';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { FieldChange, Row } from '#codes/engine/plan/model';
import { codeOf, idOf, made, patched, planOf, rowOf } from './make.ts';

const [X, A, B, Z] = ['https://x/', 'https://a/', 'https://b/', 'https://z/'];
const UPDATE = { verb: 'update' } as const;
const APPLY = { verb: 'apply', conflicts: 'file' } as const;

type World = Parameters<typeof planOf>[1];

interface Saved {
  base?: string | undefined;
  ledger?: readonly LedgerRecord[];
}

function changesOf(row: Row, world: World): readonly FieldChange[] {
  return planOf([row], world).items[0]?.changes ?? [];
}

function actionsOn(row: Row, world: World): string[] {
  return changesOf(row, world).map(({ field, what }) => `${what} ${field}`);
}

function entryOf(number: number, values: Partial<LockEntry> = {}): Map<string, LockEntry> {
  const { id, slug, name, type, destination, status } = codeOf(number);
  return new Map([['k', { key: 'k', id, slug, name, type, destination, status, ...values }]]);
}

/** Records of a PATCH that got no response. */
function lostPatch(...patch: Parameters<typeof patched>): LedgerRecord[] {
  return patched(...patch).slice(0, 1);
}

describe('a row of a saved list', () => {
  const saved = codeOf(1, { destination: X });
  const row = (destination: string, more: Partial<Row> = {}) =>
    rowOf(2, { id: saved.id, base: baseOf(saved), wish: { destination }, ...more });
  const has = (destination: string) => ({ codes: [codeOf(1, { destination })] });

  it('that was not edited is sent only by `qr apply --conflicts file`, as an `overwrite` of a later change', () => {
    expect(changesOf(row(X), { ...has(Z), policy: UPDATE })).toEqual([
      { field: 'destination', old: Z, new: X, base: X, what: 'keep' },
    ]);
    const apply = (conflicts: 'file' | 'service' | 'ask') =>
      changesOf(row(X), { ...has(Z), policy: { verb: 'apply', conflicts } });
    expect(apply('file')).toEqual([{ field: 'destination', old: Z, new: X, base: X, what: 'overwrite' }]);
    expect(apply('service')).toMatchObject([{ what: 'keep' }]);
    expect(apply('ask')).toMatchObject([{ what: 'conflict' }]);
  });

  it('keeps the value of the service with the decision `theirs`', () => {
    const decided = row(A, { decision: { is: 'theirs' } });
    for (const policy of [UPDATE, APPLY])
      expect(planOf([decided], { ...has(Z), policy }).items).toMatchObject([
        { action: 'unchanged', send: {}, changes: [{ what: 'keep' }] },
      ]);
  });

  it('that was edited is an `overwrite` if qrctl changed the code after the list was saved, or a conflict if another client did', () => {
    const ledger = patched(1, 1, { destination: A }, { destination: X });
    expect(actionsOn(row(B), { ...has(A), ledger, policy: UPDATE })).toEqual(['overwrite destination']);
    expect(actionsOn(row(B), { ...has(Z), ledger, policy: UPDATE })).toEqual(['conflict destination']);
  });

  it('is compared with the last value in the chain of changes by qrctl that starts at its saved value', () => {
    const ledger = [
      ...patched(1, 1, { destination: X }, { destination: 'https://w/' }),
      ...patched(2, 1, { destination: A }, { destination: X }),
      ...patched(3, 1, { destination: B }, { destination: A }),
      ...patched(4, 1, { destination: 'https://v/' }, { destination: Z }),
    ];
    expect(actionsOn(row(B), { ...has(Z), ledger, policy: UPDATE })).toEqual(['keep destination']);
    expect(actionsOn(row(A), { ...has(Z), ledger, policy: UPDATE })).toEqual(['conflict destination']);
    expect(actionsOn(row('https://v/'), { ...has(B), ledger, policy: UPDATE })).toEqual([
      'overwrite destination',
    ]);
  });

  it('that was edited again after a lost response is sent, whether or not the first edit was applied', () => {
    const ledger = lostPatch(1, 1, { destination: A }, { destination: X });
    const planned = (destination: string) =>
      actionsOn(row(B), { ...has(destination), ledger, policy: UPDATE });
    expect([X, A, Z].map(planned)).toEqual([
      ['send destination'],
      ['send destination'],
      ['conflict destination'],
    ]);
  });
});

describe('a row without a base', () => {
  const row = (destination: string, more: Partial<Row> = {}) =>
    rowOf(2, { id: idOf(1), wish: { destination }, ...more });
  const planned = (wants: string, has: string, ledger: readonly LedgerRecord[]) =>
    actionsOn(row(wants), { codes: [codeOf(1, { destination: has })], ledger, policy: UPDATE });

  it('is sent if the code has the old or new value of a request without a response, and conflicts otherwise', () => {
    const ledger = lostPatch(1, 1, { destination: A }, { destination: X });
    expect([X, A, Z].map((has) => planned(B, has, ledger))).toEqual([
      ['send destination'],
      ['send destination'],
      ['conflict destination'],
    ]);
  });

  it('conflicts if another client restored an earlier value that qrctl had set', () => {
    const ledger: LedgerRecord[] = [
      ...patched(1, 1, { destination: A }, { destination: X }),
      { is: 'due', run: 'r', id: idOf(1), due: {}, stored: { destination: Z } },
    ];
    expect(planned(B, A, ledger)).toEqual(['conflict destination']);
    expect(planned(B, Z, ledger)).toEqual(['send destination']);
  });

  it('conflicts if its `updated_at` is earlier than that of the code', () => {
    const codes = [codeOf(1, { destination: X, updated_at: '2026-06-26T10:00:00.000Z' })];
    const saved = Date.parse('2026-06-26T10:00:00Z');
    const planned = (updatedAtMs?: number) =>
      changesOf(row(A, { updatedAtMs }), { codes, policy: UPDATE }).map(({ what }) => what);
    expect([saved - 1, saved, undefined, Number.NEGATIVE_INFINITY].map(planned)).toEqual([
      ['conflict'],
      ['send'],
      ['send'],
      ['conflict'],
    ]);
  });
});

describe('a value that the service stores in a different form', () => {
  const ledger: LedgerRecord[] = [
    ...lostPatch(1, 1, { name: 'MENU' }, { name: 'Old' }),
    { is: 'set', n: 1, stored: { name: 'menu' } },
  ];
  const planned = (wants: string, has: string, { base, ...world }: Saved = {}) =>
    actionsOn(
      rowOf(2, { id: idOf(1), wish: { name: wants }, ...(base && { base: baseOf({ name: base }) }) }),
      {
        codes: [codeOf(1, { name: has })],
        ledger,
        policy: UPDATE,
        ...world,
      },
    );

  it('is not sent again, and a later change by another client is kept', () => {
    for (const base of [undefined, 'Old', 'menu']) {
      expect(planned('MENU', 'menu', { base })).toEqual([]);
      expect(planned('MENU', 'Lunch', { base })).toEqual(['keep name']);
      expect(planned('menu', 'Lunch', { base })).toEqual(['keep name']);
    }
    const created: LedgerRecord[] = [
      { is: 'post', run: 'r', n: 1, values: { name: 'MENU', destination: X } },
      made(1, codeOf(1, { name: 'menu', destination: X })),
    ];
    for (const base of [undefined, 'menu'])
      expect(planned('MENU', 'Lunch', { base, ledger: created })).toEqual(['keep name']);
  });

  it('is not mistaken for a change by another client, in either form', () => {
    expect(planned('Lunch', 'menu', { base: 'Old' })).toEqual(['overwrite name']);
    expect(planned('Lunch', 'MENU', { base: 'Old' })).toEqual(['overwrite name']);
    expect(planned('Lunch', 'Dinner', { base: 'Old' })).toEqual(['conflict name']);
  });

  it('is sent only once, even if the code already had the stored form', () => {
    const same: LedgerRecord[] = [
      ...lostPatch(1, 1, { name: 'MENU' }, { name: 'menu' }),
      { is: 'set', n: 1, stored: { name: 'menu' } },
    ];
    expect(planned('MENU', 'Lunch', { base: 'menu', ledger: same })).toEqual(['keep name']);
    expect(planned('Dinner', 'Lunch', { base: 'menu', ledger: same })).toEqual(['conflict name']);
    expect(planned('Dinner', 'MENU', { base: 'menu', ledger: same })).toEqual(['overwrite name']);
  });

  it('is recognized by the lock file on a machine without a ledger', () => {
    const lock = entryOf(1, { name: 'menu', destination: null, sent: { name: 'MENU', destination: X } });
    const row = rowOf(2, { key: 'k', wish: { name: 'MENU', destination: X } });
    const planned = (name: string, destination: string | null) =>
      changesOf(row, { codes: [codeOf(1, { name, destination })], lock, policy: APPLY });
    expect(planned('menu', null)).toEqual([]);
    expect(planned('Lunch', null)).toEqual([
      { field: 'name', old: 'Lunch', new: 'MENU', base: 'menu', what: 'overwrite' },
    ]);
    expect(planned('menu', Z)).toEqual([
      { field: 'destination', old: Z, new: X, base: '', what: 'overwrite' },
    ]);
  });
});

describe('the status of a new code that the run could not set', () => {
  const code = codeOf(1, { name: 'paused' });
  const values = { name: code.name, type: 'url', destination: code.destination ?? '' };
  const ledger: LedgerRecord[] = [
    { is: 'run', run: 'before', ids: [] },
    { is: 'post', run: 'before', n: 1, values, status: 'paused' },
    made(1, code),
  ];
  const planned = (status: string, has = code) =>
    planOf([rowOf(2, { wish: { name: values.name, destination: values.destination, status } })], {
      codes: [has],
      ledger,
    }).items[0];

  it('is set by the next run', () => {
    expect(planned('paused')).toMatchObject({ action: 'update', send: { status: 'paused' } });
    expect(planned('paused')?.changes).toEqual([
      { field: 'status', old: 'active', new: 'paused', base: 'active', what: 'send' },
    ]);
  });

  it('is set by the next run, even if the code was created by a request without a response', () => {
    const row = rowOf(2, { wish: { name: values.name, destination: values.destination, status: 'paused' } });
    expect(planOf([row], { codes: [code], ledger: ledger.slice(0, 2) }).items).toMatchObject([
      { action: 'update', how: 'lost', send: { status: 'paused' } },
    ]);
  });

  it('is not set if the row was edited, or if another client changed the status', () => {
    expect(planned('expired')).toMatchObject({ action: 'edited', send: {} });
    expect(planned('paused', { ...code, status: 'expired' })).toMatchObject({ action: 'conflict', send: {} });
  });

  it('is set without overwriting the name that another client gave the code', () => {
    expect(planned('paused', { ...code, name: 'active' })).toMatchObject({
      send: { status: 'paused' },
      changes: [
        { field: 'name', what: 'keep' },
        { field: 'status', what: 'send' },
      ],
    });
  });
});

describe('a key that is back in the file', () => {
  const row = rowOf(2, { key: 'k', wish: { name: 'Code 1' } });
  const lock = entryOf(1, { status: 'paused', removed: 'paused' });
  const [patch, set] = patched(1, 1, { status: 'paused' }, { status: 'expired' });
  const ledger: LedgerRecord[] = [{ ...patch, pause: 'removed' } as LedgerRecord, set as LedgerRecord];
  const planned = (status: string, world: World) =>
    planOf([row], { codes: [codeOf(1, { status })], policy: APPLY, ...world }).items[0];

  it('restores the status that its code had before --removed pause, or `active` without a ledger', () => {
    expect(planned('paused', { lock, ledger })).toMatchObject({
      action: 'update',
      send: { status: 'expired' },
    });
    const send = { status: 'active' };
    expect(planned('paused', { lock })?.send).toEqual(send);
    expect(planned('paused', { lock: entryOf(1, { status: 'paused', removed: true }) })?.send).toEqual({});
  });

  it('keeps the status that another client set after the key was removed', () => {
    for (const world of [{ lock }, { lock, ledger }])
      expect(planned('active', world)).toMatchObject({
        action: 'unchanged',
        send: {},
        changes: [{ field: 'status', old: 'active', new: 'paused', base: 'paused', what: 'drift' }],
      });
  });
});

it('`qr apply` reports a changed status that the file does not manage as `drift`, but does not report such a destination', () => {
  const codes = [codeOf(1, { destination: Z, status: 'paused' })];
  const row = rowOf(2, { key: 'k', wish: { name: 'Code 1' } });
  expect(changesOf(row, { codes, lock: entryOf(1), policy: APPLY })).toEqual([
    { field: 'status', old: 'paused', new: 'active', base: 'active', what: 'drift' },
  ]);
});
