/** Which codes rows without an ID get by their values: those of earlier runs, equal ones, and those of edited rows. */
import { describe, expect, it } from 'vitest';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { Row } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import { actionsOf, asNew, codeOf, idOf, made, madeBefore, newRow, patched, planOf, rowOf } from './make.ts';

const MENU = 'https://example.com/menu';
const SUMMER = 'https://example.com/summer';
const values = { name: 'Menu', type: 'url', destination: MENU };
const menu = (number: number, more: Partial<QrCode> = {}) => codeOf(number, { ...values, ...more });
const menus = (...statuses: readonly (string | undefined)[]) =>
  statuses.map((status, at) => {
    const wish = { name: 'Menu', destination: MENU };
    return rowOf(at + 2, { wish: status === undefined ? wish : { ...wish, status } });
  });
const [row] = menus(undefined) as [Row];
const stored = { name: 'Menu', destination: MENU, status: 'active' };
const found = (number: number, run = 'before', more = {}): LedgerRecord => ({
  is: 'found',
  run,
  id: idOf(number),
  row: values,
  stored,
  ...more,
});

describe('equal rows with codes in the ledger', () => {
  const two = menus(undefined, undefined);

  it('get the codes in the order of their creation, or of the listing if runs only found them', () => {
    const reversed = [menu(2), menu(1)];
    expect(actionsOf(planOf(two, { codes: reversed, ledger: madeBefore([menu(1), menu(2)]) }))).toEqual([
      'unchanged n0001',
      'unchanged n0002',
    ]);
    expect(actionsOf(planOf(two, { codes: reversed, ledger: [found(1), found(2)] }))).toEqual([
      'unchanged n0002',
      'unchanged n0001',
    ]);
  });

  it('get the codes that have their statuses', () => {
    const codes = [menu(1, { status: 'paused' }), menu(2)];
    expect(actionsOf(planOf(menus('active', 'paused'), { codes, ledger: madeBefore(codes) }))).toEqual([
      'unchanged n0002',
      'unchanged n0001',
    ]);
  });

  it('get a code last if no code has their status, even after rows without a status', () => {
    const codes = [menu(1), menu(2), menu(3)];
    const { items } = planOf(menus('paused', undefined, 'active'), { codes, ledger: madeBefore(codes) });
    expect(items.map(({ code }) => code?.slug)).toEqual(['n0003', 'n0002', 'n0001']);
    const fewer = planOf(menus('paused', undefined), { codes: codes.slice(0, 1), ledger: [found(1)] });
    expect(actionsOf(fewer)).toEqual(['create', 'unchanged n0001']);
  });

  it('get existing codes before deleted ones, and codes from the earlier results before others', () => {
    const ledger = madeBefore([menu(1), menu(2), menu(3)]);
    expect(actionsOf(planOf([row], { codes: [menu(3)], ledger }))).toEqual(['unchanged n0003']);
    const earlierIds = new Set([idOf(2)]);
    const codes = [menu(1), menu(2), menu(3)];
    expect(actionsOf(planOf([row], { codes, ledger, earlierIds }))).toEqual(['unchanged n0002']);
    const gone = planOf([row], { codes: [menu(1), menu(3)], ledger, earlierIds });
    expect(actionsOf(gone)).toEqual(['unchanged n0001']);
    expect(planOf([row], { ledger, earlierIds }).items).toMatchObject([{ action: 'gone', goneId: idOf(2) }]);
  });

  it('get the newest of the codes that the user requested as new ones, unless the earlier results have another code', () => {
    const post = (n: number): LedgerRecord => ({ is: 'post', run: 'next', n, values, decided: true });
    const ledger: LedgerRecord[] = [
      ...madeBefore([menu(1)]),
      { is: 'run', run: 'next', ids: [idOf(1)] },
      ...[2, 3].flatMap((n) => [post(n), made(n, menu(n))]),
    ];
    const codes = [menu(1), menu(2), menu(3)];
    expect(actionsOf(planOf([row], { codes, ledger }))).toEqual(['unchanged n0003']);
    expect(actionsOf(planOf(two, { codes, ledger }))).toEqual(['unchanged n0002', 'unchanged n0003']);
    const earlierIds = new Set([idOf(1)]);
    expect(actionsOf(planOf([row], { codes, ledger, earlierIds }))).toEqual(['unchanged n0001']);
  });

  it('do not get a code from the ledger if it was replaced, or if another row has its ID', () => {
    const ledger = madeBefore([menu(1), menu(2)]);
    const codes = [menu(1), menu(2)];
    const named = rowOf(3, { id: idOf(1) });
    expect(actionsOf(planOf([row, named], { codes, ledger }))).toEqual([
      'unchanged n0002',
      'unchanged n0001',
    ]);
    const replaced: LedgerRecord[] = [found(1), found(2, 'before', { replaces: idOf(1) })];
    expect(actionsOf(planOf(two, { codes, ledger: replaced }))).toEqual(['unchanged n0002', 'exists n0001']);
  });

  it('are not matched by values in the ledger if they have keys', () => {
    const keyed = { ...row, key: 'k' };
    const ledger = madeBefore([menu(1)]);
    expect(actionsOf(planOf([keyed], { codes: [menu(1)], ledger }))).toEqual(['exists n0001']);
    expect(actionsOf(planOf([keyed, newRow(3, 'Menu', MENU)], { codes: [menu(1)], ledger }))).toEqual([
      'create',
      'unchanged n0001',
    ]);
  });
});

describe('a row with values that its code had before an edit', () => {
  const edited = menu(1, { name: 'Lunch' });
  const lunch = { name: 'Lunch', destination: MENU };
  const [patch, set] = patched(2, 1, { name: 'Lunch' }, { name: 'Menu' }) as [LedgerRecord, LedgerRecord];
  const ledger = [...madeBefore([menu(1)]), { ...patch, row: lunch } as LedgerRecord, set];

  it('is recognized, unless another row has the new values', () => {
    expect(planOf([row], { codes: [edited], ledger }).items).toMatchObject([
      { how: 'ledger', code: { id: idOf(1) } },
    ]);
    expect(actionsOf(planOf([row, newRow(3, 'Lunch', MENU)], { codes: [edited], ledger }))).toEqual([
      'create',
      'unchanged n0001',
    ]);
  });

  it('is matched with a code whose latest values are the same, if there is one', () => {
    const other: LedgerRecord = { is: 'post', run: 'next', n: 3, values };
    const both = [...ledger, other, made(3, menu(2))];
    const codes = [edited, menu(2)];
    expect(actionsOf(planOf([row], { codes, ledger: both }))).toEqual(['unchanged n0002']);
    expect(planOf(menus(undefined, undefined), { codes, ledger: both }).items).toMatchObject([
      { code: { id: idOf(2) } },
      { code: { id: idOf(1) } },
    ]);
  });
});

it('equal rows never share a code, even if the code had their values twice in different spellings', () => {
  const spelled = (name: string) => ({ ...values, name });
  const post: LedgerRecord = { is: 'post', run: 'before', n: 1, values };
  const rename = (n: number, name: string, before: string): LedgerRecord[] => {
    const [patch, set] = patched(n, 1, { name }, { name: before }) as [LedgerRecord, LedgerRecord];
    return [{ ...patch, row: spelled(name) } as LedgerRecord, set];
  };
  const ledger = [post, made(1, menu(1)), ...rename(2, ' Menu ', 'Menu'), ...rename(3, 'Lunch', 'Menu')];
  const codes = [menu(1, { name: 'Lunch' })];
  for (const status of ['active', undefined])
    expect(planOf(menus(status, status), { codes, ledger }).items.map(({ code }) => code?.slug)).toEqual([
      'n0001',
      undefined,
    ]);
});

describe('rows with the values of existing codes', () => {
  it('get the codes with their statuses, or else the remaining codes', () => {
    const codes = [menu(1, { status: 'paused' }), menu(2)];
    expect(actionsOf(planOf(menus('active', 'paused'), { codes }))).toEqual(['exists n0002', 'exists n0001']);
    expect(actionsOf(planOf(menus('expired', 'paused'), { codes }))).toEqual([
      'edited n0002',
      'exists n0001',
    ]);
    const active = [menu(1), menu(2)];
    expect(actionsOf(planOf(menus('active', 'paused'), { codes: active }))).toEqual([
      'exists n0001',
      'edited n0002',
    ]);
  });

  it('get new codes if the user requests it', () => {
    const codes = [menu(1)];
    expect(planOf(menus(undefined, undefined), { codes, policy: asNew('2') }).items).toMatchObject([
      { action: 'create', isDecided: true },
      { action: 'exists', isDecided: false },
    ]);
  });

  it('get new codes if the user requests it, even if several codes have the values', () => {
    const codes = [menu(1), menu(2)];
    const decided: Row = { ...row, decision: { is: 'new' } };
    expect(planOf([decided], { codes }).items).toMatchObject([{ action: 'create', isDecided: true }]);
    const policy = { verb: 'apply' as const, ...asNew('k') };
    const keyed = { ...row, key: 'k' };
    expect(planOf([keyed], { codes, policy }).items).toMatchObject([{ action: 'create', isDecided: true }]);
    const first = { ...decided, key: 'k' };
    expect(planOf([first], { policy: { verb: 'apply' } }).items).toMatchObject([
      { action: 'create', isDecided: true },
    ]);
  });

  it('need a decision if more codes than rows have the values, even in the form that the service stores', () => {
    expect(planOf([row], { codes: [menu(1), menu(2)] }).items).toMatchObject([
      { action: 'undecided', reason: '2 existing codes have its values' },
    ]);
    const upper = newRow(2, 'MENU', MENU);
    const ledger: LedgerRecord[] = [
      { is: 'run', run: 'before', ids: [] },
      { is: 'post', run: 'before', n: 1, values: { ...values, name: 'MENU' }, key: 'k' },
      made(1, menu(1)),
      { is: 'end', run: 'before' },
    ];
    const codes = [menu(1), menu(2), menu(3)];
    expect(planOf([upper, rowOf(3, { id: idOf(1) })], { codes, ledger }).items).toMatchObject([
      { action: 'undecided', candidates: [{ id: idOf(2) }, { id: idOf(3) }] },
      expect.anything(),
    ]);
    expect(
      actionsOf(planOf([upper, rowOf(3, { id: idOf(1) })], { codes: codes.slice(0, 2), ledger })),
    ).toEqual(['exists n0002', 'unchanged n0001']);
  });

  it('need a decision with a reason if the code may belong to another row whose values the service changed', () => {
    const [long, short] = ['Spring menu 2026 for the bar', 'Spring menu 2026 for'];
    const known = codeOf(1, { name: short, destination: SUMMER });
    const ledger = madeBefore([known], [newRow(2, long, SUMMER)]);
    const other = codeOf(2, { name: short, destination: MENU });
    const rival = newRow(3, 'Spring menu 2026 for table 13', MENU);
    const { items } = planOf([newRow(2, long, MENU), rival], { codes: [known, other], ledger });
    expect(items).toMatchObject([
      { reason: 'a code with its values may be that of another row, whose values the service changed' },
      { reason: 'the service may have made an existing code of its values by changing them' },
    ]);
    const equal = codeOf(3, { name: short, destination: MENU });
    const rows = [newRow(2, short, MENU), newRow(4, long, MENU), rival];
    expect(actionsOf(planOf(rows, { codes: [known, other, equal], ledger }))).toEqual([
      'undecided',
      'undecided',
      'undecided',
    ]);
    // A row with exactly the values of the code gets it, even if the service may have changed another row to them.
    const exact = planOf([newRow(2, short, MENU), rival], { codes: [known, other], ledger });
    expect(actionsOf(exact)).toEqual(['exists n0002', 'create']);
  });

  it('get the code with the stored form of their values, even if that form is entirely different', () => {
    const changed = { name: 'Speisekarte', destination: MENU };
    const [known, other] = [codeOf(1, { ...changed, destination: SUMMER }), codeOf(2, changed)];
    const ledger = madeBefore([known], [newRow(2, 'Menu', SUMMER)]);
    expect(actionsOf(planOf([row], { codes: [known, other], ledger }))).toEqual(['exists n0002']);
  });

  it('get the code even if a row with an altered key needs a decision about the code', () => {
    const ledger = madeBefore([menu(1)], [{ ...row, key: '007' }]);
    const altered = newRow(3, 'Lunch', SUMMER, { key: '7' });
    const rows = [newRow(2, 'Dinner', MENU), altered];
    expect(planOf(rows, { codes: [menu(1, { name: 'Dinner' })], ledger }).items).toMatchObject([
      { action: 'exists', code: { id: idOf(1) } },
      { action: 'undecided', candidates: [{ id: idOf(1) }] },
    ]);
  });

  it('get the code instead of an equal row whose request failed in this run', () => {
    const failed: Row = { ...row, inRun: 'failed', decision: { is: 'new' } };
    expect(actionsOf(planOf([failed, newRow(3, 'Menu', MENU)], { codes: [menu(1)] }))).toEqual([
      'create',
      'exists n0001',
    ]);
  });

  it('need a decision with a reason if the lost request of another row may have created the code', () => {
    const lost = { name: 'Spring menu 2026 for table 12', type: 'url', destination: MENU };
    const ledger: LedgerRecord[] = [
      { is: 'run', run: 'before', ids: [] },
      { is: 'post', run: 'before', n: 1, values: lost },
    ];
    const { items } = planOf([newRow(2, lost.name, MENU), row], {
      codes: [menu(1)],
      ledger,
      isSettled: true,
    });
    expect(items).toMatchObject([
      { action: 'undecided', candidates: [{ id: idOf(1) }] },
      {
        action: 'undecided',
        candidates: [{ id: idOf(1) }],
        reason: 'a code with its values may be that of another row, whose request got no response',
      },
    ]);
    const old = menu(2);
    const before: LedgerRecord[] = [{ is: 'run', run: 'before', ids: [old.id] }, ...ledger.slice(1)];
    const rows = [newRow(2, lost.name, MENU), row, newRow(4, 'Menu', MENU)];
    expect(actionsOf(planOf(rows, { codes: [menu(1), old], ledger: before, isSettled: true }))).toEqual([
      'undecided',
      'undecided',
      'undecided',
    ]);
  });
});

describe('a decision for a new code that another machine carried out', () => {
  const old = codeOf(1, { name: 'Old', destination: MENU });
  const decided = (line: number) =>
    rowOf(line, { id: old.id, wish: { name: 'Menu', destination: MENU }, decision: { is: 'new' } });

  it('assigns the row the new code, which then replaces the old one', () => {
    const { items } = planOf([decided(2)], { codes: [old, menu(2)] });
    expect(items).toMatchObject([
      { action: 'exists', code: { id: idOf(2) }, learned: [{ is: 'found', id: idOf(2), replaces: old.id }] },
    ]);
  });

  it('assigns neither a code in the ledger nor the old code to the row', () => {
    const ledger = madeBefore([menu(2)], [{ ...row, key: 'k' }]);
    expect(actionsOf(planOf([decided(2)], { codes: [old, menu(2)], ledger }))).toEqual(['create']);
    const same = rowOf(2, { of: menu(1), decision: { is: 'new' } });
    expect(actionsOf(planOf([same], { codes: [menu(1)] }))).toEqual(['create']);
  });

  it('assigns each code to one row', () => {
    const other = codeOf(3, { name: 'Older', destination: MENU });
    const rows = [decided(2), { ...decided(3), id: other.id }];
    expect(actionsOf(planOf(rows, { codes: [old, other, menu(2)] }))).toEqual(['exists n0002', 'create']);
    const fresh = newRow(4, 'Menu', MENU);
    expect(actionsOf(planOf([decided(2), fresh], { codes: [old, menu(2)] }))).toEqual([
      'exists n0002',
      'create',
    ]);
  });

  it('does not assign the replaced code to the row if the user requests another new code', () => {
    const { name, destination } = menu(2);
    const stored = { name, destination: destination ?? '', status: 'active' };
    const taken: LedgerRecord[] = [
      { is: 'run', run: 'before' },
      { is: 'found', run: 'before', id: idOf(2), row: values, stored, replaces: idOf(1) },
    ];
    const row = rowOf(2, { of: menu(1), decision: { is: 'new' } });
    const asked = { codes: [menu(1), menu(2)], ledger: taken, policy: asNew('2', 2) };
    expect(planOf([row], asked).items).toMatchObject([{ action: 'create', replaces: idOf(2) }]);
  });

  it('is not assumed if the decision is in a flag, or if its request was lost', () => {
    const flagged = { ...decided(2), decision: undefined };
    expect(actionsOf(planOf([flagged], { codes: [old, menu(2)], policy: asNew('2') }))).toEqual(['create']);
    const lost: LedgerRecord[] = [
      { is: 'run', run: 'before', ids: [old.id, idOf(2)] },
      { is: 'post', run: 'before', n: 1, values, decided: true, replaces: old.id },
    ];
    expect(
      planOf([decided(2)], { codes: [old, menu(2)], ledger: lost, isSettled: true }).items,
    ).toMatchObject([{ action: 'create', repeats: { n: 1 } }]);
  });
});

describe('a row that may be an edit of an existing code (E4)', () => {
  const edited = newRow(2, 'Menu', SUMMER);
  const renamed = newRow(2, 'Lunch', MENU);
  /** A row whose code is known, so that the file is a version of an earlier one. */
  const known = newRow(9, 'Code 9', 'https://example.com/9');
  const nine = codeOf(9);

  it('is not sent by --apply-edits if another row has an ID or a slug', () => {
    const policy = { applyEdits: true };
    for (const cells of [{ id: idOf(9) }, { slug: nine.slug }])
      expect(actionsOf(planOf([edited, rowOf(3, cells)], { codes: [menu(1), nine], policy }))).toEqual([
        'edited n0001',
        'unchanged n0009',
      ]);
  });

  it('is new if another row also has the name or destination of the code', () => {
    const other = newRow(3, 'Menu', 'https://example.com/other');
    expect(actionsOf(planOf([edited, other], { codes: [menu(1)] }))).toEqual(['create', 'create']);
    const rows = [renamed, newRow(3, 'Dinner', MENU), known];
    expect(actionsOf(planOf(rows, { codes: [menu(1), nine] }))).toEqual(['create', 'create', 'exists n0009']);
  });

  it('needs a decision with a reason if another row may be an edit of the same code', () => {
    const rows = [edited, { ...renamed, line: 3 }];
    const reason = 'it may be an edited row of an existing code';
    expect(planOf(rows, { codes: [menu(1)], policy: { applyEdits: true } }).items).toMatchObject([
      { action: 'undecided', candidates: [{ id: idOf(1) }], reason },
      { action: 'undecided', candidates: [{ id: idOf(1) }], reason },
    ]);
  });

  it('is new if several codes have its name, but needs a decision if another row has an ID', () => {
    const codes = [menu(1), menu(2)];
    expect(actionsOf(planOf([edited], { codes }))).toEqual(['create']);
    expect(actionsOf(planOf([edited, rowOf(3, { id: idOf(7) })], { codes }))).toEqual(['undecided', 'gone']);
  });

  it('is new if several codes have its destination', () => {
    const codes = [menu(1), menu(2, { name: 'Dinner' }), nine];
    expect(actionsOf(planOf([renamed, known], { codes }))).toEqual(['create', 'exists n0009']);
  });

  it('is an edit if another row matches existing codes, even if that row needs a decision', () => {
    const codes = [
      menu(1),
      codeOf(2, { name: 'Bar' }),
      codeOf(3, { name: 'Bar', destination: 'https://example.com/2' }),
    ];
    const rows = [renamed, newRow(3, 'Bar', 'https://example.com/2')];
    expect(actionsOf(planOf(rows, { codes }))).toEqual(['edited n0001', 'undecided']);
  });

  it('needs a decision in `qr apply`', () => {
    const keyed = { ...edited, key: 'k' };
    expect(planOf([keyed], { codes: [menu(1)], policy: { verb: 'apply' } }).items).toMatchObject([
      { action: 'undecided', candidates: [{ id: idOf(1) }] },
    ]);
  });

  it('with a key is not an edit of a code that the lock file or the ledger has for another key', () => {
    const keyed = { ...edited, key: 'k' };
    const apply = { policy: { verb: 'apply' as const }, codes: [menu(1)] };
    const entry = { ...menu(1), destination: MENU, key: 'other' };
    expect(actionsOf(planOf([keyed], { ...apply, lock: new Map([['other', entry]]) }))).toEqual([
      'create',
      'removed n0001',
    ]);
    const ledger = madeBefore([menu(1)], [newRow(2, 'Menu', MENU, { key: 'other' })]);
    expect(actionsOf(planOf([keyed], { ...apply, ledger }))).toEqual(['create']);
    // A row without a key may be an edit of any code, and a code without a key may be that of any row.
    expect(actionsOf(planOf([edited], { codes: [menu(1)], ledger }))).toEqual(['edited n0001']);
    expect(actionsOf(planOf([keyed], { ...apply, ledger: madeBefore([menu(1)]) }))).toEqual(['undecided']);
  });

  it('with a key is not an edit of a code with another key, even if the previous row has no key', () => {
    const ledger = madeBefore([menu(1)], [newRow(2, 'Menu', MENU, { key: 'other' })]);
    const rows = [newRow(2, 'Added', 'https://example.com/added'), { ...edited, line: 3, key: 'k' }];
    expect(actionsOf(planOf(rows, { codes: [menu(1)], ledger }))).toEqual(['create', 'create']);
    const reversed = [{ ...rows[0], key: 'k' } as Row, { ...edited, line: 3 }];
    expect(actionsOf(planOf(reversed, { codes: [menu(1)], ledger }))).toEqual(['create', 'edited n0001']);
  });

  it('may be an edit of a replaced code only if the replacement was deleted', () => {
    const dinner = { name: 'Dinner', type: 'url', destination: 'https://example.com/2' };
    const ledger = [found(1), found(2, 'before', { row: dinner, replaces: idOf(1) })];
    expect(actionsOf(planOf([edited], { codes: [menu(1)], ledger }))).toEqual(['edited n0001']);
    const replacement = codeOf(2, { name: 'Dinner' });
    expect(actionsOf(planOf([edited], { codes: [menu(1), replacement], ledger }))).toEqual(['create']);
  });

  it('needs a decision if the service may have changed its values, even if another code has its name', () => {
    const upper = menu(1, { name: 'MENU' });
    const same = menu(2, { destination: SUMMER });
    expect(planOf([row], { codes: [upper, same], policy: { applyEdits: true } }).items).toMatchObject([
      {
        action: 'undecided',
        candidates: [{ id: idOf(1) }],
        reason: 'the service may have made an existing code of its values by changing them',
      },
    ]);
  });

  it('is recognized by the destination that qrctl sent, even if another client changed it since', () => {
    const moved = menu(1, { name: 'Dinner', destination: SUMMER });
    const ledger = madeBefore([menu(1)]);
    expect(actionsOf(planOf([renamed, known], { codes: [moved, nine], ledger }))).toEqual([
      'conflict n0001',
      'exists n0009',
    ]);
  });

  it('needs a decision if one code has its destination and another code was created with it', () => {
    const moved = menu(1, { name: 'Dinner', destination: SUMMER });
    const bar = menu(2, { name: 'Bar' });
    const ledger = madeBefore([menu(1), bar]);
    expect(planOf([renamed, known], { codes: [moved, bar, nine], ledger }).items).toMatchObject([
      { action: 'undecided', candidates: [{ id: idOf(2) }, { id: idOf(1) }] },
      { action: 'exists' },
    ]);
  });

  it('is an edit if only one code has its name, both in the ledger and in the service', () => {
    const ledger = madeBefore([menu(1)]);
    expect(planOf([edited, known], { codes: [menu(1), nine], ledger }).items).toMatchObject([
      { action: 'edited', code: { id: idOf(1) } },
      expect.anything(),
    ]);
  });

  it('is an edit once the listing is settled, even if its request was lost, unless the user requested a new code', () => {
    const ledgerOf = (decided: boolean): LedgerRecord[] => [
      { is: 'run', run: 'before', ids: [idOf(1)] },
      { is: 'post', run: 'before', n: 1, values: { ...values, destination: SUMMER }, decided },
    ];
    const planWith = (decided: boolean, isSettled: boolean, policy = {}) =>
      actionsOf(planOf([edited], { codes: [menu(1)], ledger: ledgerOf(decided), isSettled, policy }));
    expect(planWith(false, true)).toEqual(['edited n0001']);
    expect(planWith(false, false)).toEqual(['create']);
    expect(planWith(true, true)).toEqual(['create']);
    expect(planWith(false, true, asNew('2'))).toEqual(['create']);
  });
});
