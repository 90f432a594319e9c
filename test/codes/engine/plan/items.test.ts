import { describe, expect, it } from 'vitest';
import type { LockEntry } from '#codes/engine/lock/lock-file';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { Policy } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import { entryOf } from '../lock/make-entry.ts';
import { actionsOf, asNew, codeOf, idOf, made, madeBefore, newRow, patched, planOf, rowOf } from './make.ts';

const MENU = 'https://example.com/menu';

describe('a key that was removed from the file', () => {
  const kept = codeOf(9);
  const rows = [newRow(2, kept.name, kept.destination ?? '', { key: 'kept' })];
  const removedOf = (
    codes: readonly QrCode[],
    entries: readonly LockEntry[],
    removed: Policy['removed'] = 'report',
  ) => {
    const lock = new Map([entryOf('kept', kept), ...entries].map((entry) => [entry.key, entry]));
    const policy = { verb: 'apply' as const, removed };
    const { items, faults, warnings } = planOf(rows, { codes: [kept, ...codes], lock, policy });
    expect([faults, warnings]).toEqual([[], []]);
    return items.slice(1);
  };

  it('is reported with its code, and as news only once', () => {
    const code = codeOf(1);
    expect(removedOf([code], [entryOf('a', code)])).toEqual([
      {
        row: undefined,
        key: 'a',
        action: 'removed',
        how: 'none',
        code,
        goneId: undefined,
        goneSlug: undefined,
        changes: [],
        send: {},
        pause: undefined,
        isNews: true,
        isWaiting: false,
        isDecided: false,
        candidates: [],
        reason: undefined,
        learned: [],
      },
    ]);
    expect(removedOf([code], [entryOf('a', code, { removed: true })])).toMatchObject([{ isNews: false }]);
  });

  it('has its code paused with --removed pause, even if an earlier run only reported the key', () => {
    const code = codeOf(1);
    for (const removed of [undefined, true] as const)
      expect(removedOf([code], [entryOf('a', code, { removed })], 'pause')).toMatchObject([
        {
          changes: [{ field: 'status', old: 'active', new: 'paused', what: 'send' }],
          send: { status: 'paused' },
          pause: 'removed',
          reason: undefined,
        },
      ]);
  });

  it('is only reported if its code is not active', () => {
    const paused = codeOf(1, { status: 'paused' });
    for (const removed of [undefined, 'paused'] as const)
      expect(removedOf([paused], [entryOf('a', paused, { removed })], 'pause')).toMatchObject([
        { changes: [], send: {}, pause: undefined, reason: undefined },
      ]);
  });

  it('whose code was reactivated after qrctl paused it is only reported, with the reason', () => {
    const code = codeOf(1);
    for (const removed of ['paused', 'kept'] as const)
      for (const policy of ['pause', 'report'] as const)
        expect(removedOf([code], [entryOf('a', code, { removed })], policy)).toMatchObject([
          {
            changes: [],
            send: {},
            pause: undefined,
            isNews: false,
            reason: 'its code, which qrctl paused, was reactivated',
          },
        ]);
  });

  it('is reported with the ID and slug in the lock file if its code was deleted', () => {
    expect(removedOf([], [entryOf('a', codeOf(1), { removed: 'paused' })], 'pause')).toMatchObject([
      { code: undefined, goneId: idOf(1), goneSlug: 'n0001', changes: [], send: {}, reason: undefined },
    ]);
  });

  it('is reported in alphabetical order with other removed keys', () => {
    const codes = [codeOf(1), codeOf(2), codeOf(3)];
    const entries = codes.map((code, at) => entryOf(['b', 'c', 'a'][at] ?? '', code));
    expect(removedOf(codes, entries).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });

  it('is not reported if a row with another key has its code, or has the values of its code', () => {
    const code = codeOf(1);
    const lock = new Map([['a', entryOf('a', code)]]);
    const policy = { verb: 'apply' as const, removed: 'pause' as const };
    const named = rowOf(2, { of: code, key: 'b' });
    expect(actionsOf(planOf([named], { codes: [code], lock, policy }))).toEqual(['adopt n0001']);
    const equal = newRow(2, code.name, code.destination ?? '', { key: 'b' });
    expect(actionsOf(planOf([equal], { codes: [code], lock, policy }))).toEqual(['exists n0001']);
  });

  it('is matched with its code, whatever the case of the ID', () => {
    const code = codeOf(1, { id: 'abcdef00-0000-4000-8000-000000000001' });
    const upper = entryOf('a', { ...code, id: code.id.toUpperCase() });
    expect(removedOf([code], [upper], 'pause')).toMatchObject([{ code, send: { status: 'paused' } }]);
    const lock = new Map([['a', upper]]);
    const policy = { verb: 'apply' as const, removed: 'pause' as const };
    const named = rowOf(2, { of: code, key: 'b' });
    expect(actionsOf(planOf([named], { codes: [code], lock, policy }))).toEqual(['adopt n0001']);
  });
});

const upperIdOf = (number: number) => idOf(number).toUpperCase();

describe('a repeated request', () => {
  const values = { name: 'Menu', type: 'url', destination: MENU };
  const [first, late] = [codeOf(2, values), codeOf(3, values)];
  const row = newRow(2, 'Menu', MENU);
  /** Records of a POST whose response was lost, and of its repetition, which created code 2. */
  const repeated: readonly LedgerRecord[] = [
    { is: 'run', run: 'before', ids: [idOf(1)] },
    { is: 'post', run: 'before', n: 1, values },
    { is: 'post', run: 'before', n: 2, values, again: 1 },
    made(2, first),
  ];

  it('requires a decision about all new codes with its values if there are several, before anything is sent for its row', () => {
    const another = codeOf(4, values);
    const { items } = planOf([row], { codes: [codeOf(1), first, late, another], ledger: repeated });
    expect(items).toMatchObject([
      {
        action: 'undecided',
        code: first,
        candidates: [first, late, another],
        send: {},
        reason: 'its request was repeated after a lost response, and another new code has its values',
      },
    ]);
    expect(items).toHaveLength(1);
  });

  it('requires no decision if the other code existed before, is in the ledger, or belongs to another row', () => {
    const before = codeOf(1, values);
    expect(actionsOf(planOf([row], { codes: [before, first], ledger: repeated }))).toEqual([
      'unchanged n0002',
    ]);
    const other = { ...values, name: 'Lunch' };
    const found: LedgerRecord = { is: 'found', run: 'before', id: late.id, row: other, stored: values };
    expect(actionsOf(planOf([row], { codes: [first, late], ledger: [...repeated, found] }))).toEqual([
      'unchanged n0002',
    ]);
    const named = rowOf(3, { id: late.id });
    expect(actionsOf(planOf([row, named], { codes: [first, late], ledger: repeated }))).toEqual([
      'unchanged n0002',
      'unchanged n0003',
    ]);
  });

  it('with a decision in its row requires a separate decision about the other new code', () => {
    const decided = { ...row, decision: { is: 'code', name: first.id } as const };
    expect(planOf([decided], { codes: [first, late], ledger: repeated }).items).toMatchObject([
      { action: 'unchanged', how: 'decision', candidates: [] },
      { row: undefined, action: 'undecided', candidates: [late] },
    ]);
  });

  it('requires a decision about the new codes of all attempts, even if the row was edited between them', () => {
    const edited = { ...values, name: 'Lunch' };
    const ledger: LedgerRecord[] = [
      { is: 'run', run: 'before', ids: [] },
      { is: 'post', run: 'before', n: 1, values },
      { is: 'post', run: 'before', n: 2, values: { ...values, name: 'Dinner' }, again: 1 },
      { is: 'post', run: 'before', n: 3, values: edited, again: 2 },
      made(3, codeOf(1, edited)),
    ];
    const codes = [codeOf(1, edited), codeOf(2, values), codeOf(3, { ...values, name: 'Dinner' })];
    const { items } = planOf([newRow(2, 'Lunch', MENU)], { codes, ledger });
    expect(items).toMatchObject([{ action: 'undecided', code: codes[0], candidates: codes }]);
  });

  it('requires no decision about codes that existed before or are in the ledger, even with IDs in upper case', () => {
    const codes = [1, 2, 3].map((number) => codeOf(number, { ...values, id: upperIdOf(number) }));
    const ids = codes.map(({ id }) => id.toLowerCase());
    const [one = '', two = '', three = ''] = ids;
    const ledger: LedgerRecord[] = [
      { is: 'run', run: 'before', ids: [one] },
      ...repeated.slice(1, 3),
      { is: 'made', n: 2, id: two, slug: 'n0002', stored: values },
      { is: 'patch', run: 'before', n: 3, id: three, set: { name: 'Menu' }, before: { name: 'Old' } },
      { is: 'set', n: 3, stored: { name: 'Menu' } },
    ];
    expect(actionsOf(planOf([row], { codes, ledger }))).toEqual(['unchanged n0002']);
    const late = codeOf(4, { ...values, id: upperIdOf(4) });
    expect(planOf([row], { codes: [...codes, late], ledger }).items).toMatchObject([
      { action: 'undecided', candidates: [codes[1], late] },
    ]);
  });

  it('is reported without a row if its row was removed from the file', () => {
    const other = codeOf(5);
    const { items } = planOf([rowOf(2, { of: other })], { codes: [first, late, other], ledger: repeated });
    expect(items).toMatchObject([
      { action: 'unchanged', code: other },
      {
        row: undefined,
        action: 'undecided',
        candidates: [late],
        reason: 'its request was repeated after a lost response, and another new code has its values',
      },
    ]);
  });
});

describe('codes missing from the file', () => {
  const codes = [1, 2, 3].map((number) => codeOf(number));
  const absentOf = ({ absent }: ReturnType<typeof planOf>) => absent.map(({ slug }) => slug);

  it('come from the runs that created the other codes in the file', () => {
    const other = codeOf(4);
    const ledger: LedgerRecord[] = [
      ...madeBefore(codes),
      { is: 'run', run: 'other', ids: [] },
      { is: 'post', run: 'other', n: 9, values: { name: other.name, destination: other.destination ?? '' } },
      made(9, other),
    ];
    const rows = [rowOf(2, { of: codes[0] })];
    expect(absentOf(planOf(rows, { codes: [...codes, other], ledger }))).toEqual(['n0002', 'n0003']);
    expect(absentOf(planOf([newRow(2, 'New', MENU)], { codes, ledger }))).toEqual([]);
  });

  it('do not include deleted codes, codes with a row, or codes that were replaced on request', () => {
    const ledger = madeBefore(codes);
    const rows = [rowOf(2, { of: codes[0] }), rowOf(3, { of: codes[1] })];
    expect(absentOf(planOf(rows, { codes, ledger }))).toEqual(['n0003']);
    expect(absentOf(planOf(rows, { codes: codes.slice(0, 2), ledger }))).toEqual([]);
    const again = [rows[0], newRow(3, 'Code 2', 'https://example.com/2')].flatMap((row) => row ?? []);
    const planned = planOf(again, { codes, ledger, policy: asNew('3') });
    expect(planned.items).toMatchObject([expect.anything(), { action: 'create', replaces: idOf(2) }]);
    expect(absentOf(planned)).toEqual(['n0003']);
    const replacement = codeOf(4, { name: 'Code 2', destination: 'https://example.com/2' });
    const { name, destination } = replacement;
    const replaced: LedgerRecord[] = [
      ...ledger,
      { is: 'run', run: 'again', ids: [] },
      {
        is: 'post',
        run: 'again',
        n: 9,
        values: { name, destination: destination ?? '' },
        decided: true,
        replaces: idOf(2),
      },
      made(9, replacement),
    ];
    expect(absentOf(planOf(rows.slice(0, 1), { codes: [...codes, replacement], ledger: replaced }))).toEqual([
      'n0003',
    ]);
  });

  it('are found even if the service returns IDs in upper case', () => {
    const upper = [1, 2].map((number) => codeOf(number, { id: upperIdOf(number) }));
    const ledger = madeBefore(upper.map((code) => ({ ...code, id: code.id.toLowerCase() })));
    const [first] = upper;
    const row = rowOf(2, { id: first?.id.toLowerCase() });
    expect(absentOf(planOf([row], { codes: upper, ledger }))).toEqual(['n0002']);
  });

  it('are reported only by `qr create`', () => {
    const ledger = madeBefore(codes);
    const rows = [rowOf(2, { of: codes[0] })];
    for (const verb of ['update', 'apply', 'delete'] as const)
      expect(planOf(rows, { codes, ledger, policy: { verb } }).absent).toEqual([]);
  });

  it('do not include codes that runs only changed', () => {
    const ledger = codes.flatMap((_, at) => patched(at + 1, at + 1, { name: 'New' }, { name: 'Old' }));
    expect(planOf([rowOf(2, { of: codes[0] })], { codes, ledger }).absent).toEqual([]);
  });
});
