/** Which row a request without a response belongs to, and which code it created (E13). */
import { describe, expect, it } from 'vitest';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { Row } from '#codes/engine/plan/model';
import { actionsOf, asNew, codeOf, idOf, made, madeBefore, newRow, planOf, rowOf } from './make.ts';

const MENU = 'https://example.com/menu';
const SUMMER = 'https://example.com/summer';
const values = { name: 'Menu', type: 'url', destination: MENU };
const row = newRow(2, 'Menu', MENU);

type Post = Extract<LedgerRecord, { is: 'post' }>;

/** Returns the record of a request for the values of the menu, with the given changes. */
const post = (n: number, more: Partial<Post> = {}): Post => ({
  is: 'post',
  run: 'before',
  n,
  values,
  ...more,
});
const run = (...ids: readonly string[]): LedgerRecord => ({ is: 'run', run: 'before', ids });
/** Returns a code with the values of the menu. */
const menu = (number: number, more: Parameters<typeof codeOf>[1] = {}) =>
  codeOf(number, { ...values, ...more });
/** Returns the number of the lost request that each row repeats. */
const repeatsOf = (rows: readonly Row[], ...ledger: readonly LedgerRecord[]) =>
  planOf(rows, { ledger: [run(), ...ledger], isSettled: true }).items.map(({ repeats }) => repeats?.n);

describe('the code of a lost request', () => {
  it('has the values that the request sent, and was not created by another request', () => {
    const ledger = [run(), post(1, { key: 'a' }), made(1, menu(1)), post(2, { key: 'b' })];
    const keyed = { ...row, key: 'b' };
    const codes = [menu(1)];
    expect(planOf([keyed], { codes, ledger, isSettled: true }).items).toMatchObject([
      { action: 'create', repeats: { n: 2 } },
    ]);
    expect(actionsOf(planOf([keyed], { codes: [...codes, menu(2)], ledger }))).toEqual(['unchanged n0002']);
  });

  it('is found even if it existed before the request was repeated', () => {
    const ledger = [run(), post(1), run(idOf(1)), post(2, { again: 1 })];
    expect(planOf([row], { codes: [menu(1)], ledger }).items).toMatchObject([
      { action: 'unchanged', how: 'lost', code: { id: idOf(1) } },
    ]);
  });

  it('is found even if it existed before a later request with the same values', () => {
    const ledger = [run(), post(1), run(idOf(1)), post(2)];
    expect(actionsOf(planOf([row, newRow(3, 'Menu', MENU)], { codes: [menu(1)], ledger }))).toEqual([
      'unchanged n0001',
      'create',
    ]);
  });

  it('is unknown if there are more new codes with its values than lost requests', () => {
    const codes = [menu(1), menu(2)];
    for (const isSettled of [false, true])
      expect(planOf([row], { codes, ledger: [run(), post(1)], isSettled }).items).toMatchObject([
        {
          action: 'undecided',
          candidates: [{ id: idOf(1) }, { id: idOf(2) }],
          reason: 'its request got no response, and several new codes have its values',
        },
      ]);
  });

  it('is unknown if several new codes have its values, even if the request was repeated twice', () => {
    const ledger = [run(), post(1), post(2, { again: 1 }), post(3, { again: 2 })];
    const codes = [menu(1), menu(2)];
    expect(planOf([row], { codes, ledger, isSettled: true }).items).toMatchObject([
      { action: 'undecided', candidates: [expect.anything(), expect.anything()] },
    ]);
    expect(actionsOf(planOf([row], { codes: codes.slice(0, 1), ledger }))).toEqual(['unchanged n0001']);
  });

  it('is unknown if several new codes have the values that the service stores instead of those sent', () => {
    const stored = { name: 'menu', destination: 'https://example.com/MENU' };
    const known = codeOf(1, stored);
    const ledger = [run(), post(1), made(1, known), post(2)];
    const rows = [row, newRow(3, 'Menu', MENU)];
    const codes = [known, codeOf(2, stored), codeOf(3, stored)];
    expect(planOf(rows, { codes, ledger, isSettled: true }).items).toMatchObject([
      { action: 'unchanged', code: { id: idOf(1) } },
      { action: 'undecided', candidates: [{ id: idOf(2) }, { id: idOf(3) }] },
    ]);
    expect(actionsOf(planOf(rows, { codes: codes.slice(0, 2), ledger }))).toEqual([
      'unchanged n0001',
      'unchanged n0002',
    ]);
  });

  it('is assigned to the row with its status if several rows are equal', () => {
    const wish = { name: 'Menu', destination: MENU };
    const rows = ['active', 'paused'].map((status, at) => rowOf(at + 2, { wish: { ...wish, status } }));
    const ledger = [run(), post(1), post(2, { status: 'paused' })];
    const codes = [menu(1, { status: 'paused' }), menu(2)];
    expect(actionsOf(planOf(rows, { codes, ledger }))).toEqual(['unchanged n0002', 'unchanged n0001']);
  });

  it('is recorded as decided if its row has a decision for a new code (E7)', () => {
    const learned = (policy = {}) =>
      planOf([row], { codes: [menu(1)], ledger: [run(), post(1)], policy }).items[0]?.learned;
    const record = made(1, menu(1));
    expect(learned()).toEqual([record]);
    expect(learned(asNew('2'))).toEqual([{ ...record, decided: true }]);
  });
});

describe('a lost request with a key', () => {
  const keyed = newRow(2, 'Menu', MENU, { key: 'k' });
  const edited = newRow(2, 'Menu', SUMMER, { key: 'k' });
  const lost = [run(), post(1, { key: 'k' })];

  it('belongs to the row with its key, even if the row was edited', () => {
    const rows = [newRow(3, 'Menu', MENU), edited];
    expect(repeatsOf(rows, post(1, { key: 'k' }))).toEqual([undefined, 1]);
    expect(actionsOf(planOf([edited], { codes: [menu(1)], ledger: lost }))).toEqual(['edited n0001']);
  });

  it('needs a decision in `qr apply` if its row was edited, because another file may have the key', () => {
    const world = { codes: [menu(1)], ledger: lost, policy: { verb: 'apply' } } as const;
    expect(planOf([edited], world).items).toMatchObject([
      {
        action: 'undecided',
        candidates: [{ id: idOf(1) }],
        reason: 'a request with other values of its key got no response',
      },
    ]);
    expect(actionsOf(planOf([keyed], world))).toEqual(['adopt n0001']);
  });

  it('belongs to an equal row if only one of them has a key, but not if the row has another key', () => {
    expect(repeatsOf([row], post(1, { key: 'k' }))).toEqual([1]);
    expect(repeatsOf([newRow(2, 'Menu', MENU, { key: 'other' })], post(1, { key: 'k' }))).toEqual([
      undefined,
    ]);
    expect(repeatsOf([keyed], post(1))).toEqual([1]);
  });

  it('does not belong to an edited row if only one of them has a key', () => {
    expect(repeatsOf([newRow(2, 'Menu', SUMMER)], post(1, { key: 'k' }))).toEqual([undefined]);
    expect(repeatsOf([edited], post(1))).toEqual([undefined]);
  });

  it('is repeated if the code of its key was deleted or belongs to another row', () => {
    const other = codeOf(1, { name: 'Other' });
    const before = madeBefore([other], [newRow(2, 'Other', undefined, { key: 'k' })]);
    const ledger: LedgerRecord[] = [...before, run(other.id), post(2, { key: 'k' })];
    expect(planOf([keyed], { ledger, isSettled: true }).items).toMatchObject([
      { action: 'create', repeats: { n: 2 } },
    ]);
    const named = newRow(3, 'Other', other.destination ?? '', { id: other.id });
    expect(planOf([keyed, named], { codes: [other], ledger, isSettled: true }).items).toMatchObject([
      { action: 'create', repeats: { n: 2 } },
      { action: 'unchanged', code: { id: other.id } },
    ]);
  });

  describe('whose key has a code with other values', () => {
    const other = codeOf(1, { name: 'Other' });
    const before = madeBefore([other], [newRow(2, 'Other', undefined, { key: 'k' })]);
    const world = { codes: [other], isSettled: true };
    const ledgerOf = (...posts: readonly Post[]) => [...before, run(other.id), ...posts];

    it('is not repeated until the user decides', () => {
      const ledger = ledgerOf(post(2, { key: 'k' }));
      expect(planOf([keyed], { ...world, ledger }).items).toMatchObject([
        { action: 'undecided', candidates: [{ id: other.id }] },
      ]);
      expect(planOf([keyed], { ...world, ledger, policy: asNew('k') }).items).toMatchObject([
        { action: 'create', isDecided: true, repeats: { n: 2 } },
      ]);
    });

    it('is repeated if the user requested a new code for it, or for its repetition', () => {
      const again = post(3, { key: 'k', again: 2 });
      for (const posts of [
        [post(2, { key: 'k', decided: true }), again],
        [post(2, { key: 'k' }), { ...again, decided: true }],
      ])
        expect(planOf([keyed], { ...world, ledger: ledgerOf(...posts) }).items).toMatchObject([
          { action: 'create', isDecided: false, repeats: { n: 3, decided: true } },
        ]);
    });

    it('has several new codes with its values as candidates, but not the code of its key', () => {
      const codes = [other, menu(2), menu(3)];
      expect(planOf([keyed], { codes, ledger: ledgerOf(post(2, { key: 'k' })) }).items).toMatchObject([
        {
          action: 'undecided',
          candidates: [{ id: idOf(2) }, { id: idOf(3) }],
          reason: expect.stringContaining('got no response'),
        },
      ]);
    });
  });
});

describe('lost requests of equal rows', () => {
  const equal = newRow(3, 'Menu', MENU);

  it('belong to the rows in order, one request per row', () => {
    expect(repeatsOf([row, equal], post(1), post(2))).toEqual([1, 2]);
    expect(repeatsOf([row, equal], post(1))).toEqual([1, undefined]);
    const codes = [menu(1), menu(2)];
    expect(actionsOf(planOf([row, equal], { codes, ledger: [run(), post(1), post(2)] }))).toEqual([
      'unchanged n0001',
      'unchanged n0002',
    ]);
    expect(actionsOf(planOf([row, equal], { codes: codes.slice(0, 1), ledger: [run(), post(1)] }))).toEqual([
      'unchanged n0001',
      'create',
    ]);
  });

  it('belong to the rows with the requested statuses', () => {
    const wish = { name: 'Menu', destination: MENU };
    const paused = { ...equal, wish: { ...wish, status: 'paused' } };
    const posts = [post(1, { status: 'paused' }), post(2)];
    expect(repeatsOf([row, paused], ...posts)).toEqual([2, 1]);
    expect(repeatsOf([{ ...row, wish: { ...wish, status: 'active' } }, paused], ...posts)).toEqual([2, 1]);
    expect(repeatsOf([row, equal], ...posts)).toEqual([2, 1]);
    expect(repeatsOf([paused, row], post(1), post(2, { status: 'paused' }))).toEqual([2, 1]);
    expect(repeatsOf([{ ...row, wish: { ...wish, status: 'active' } }, equal], post(1))).toEqual([
      1,
      undefined,
    ]);
  });

  it('belong to rows with other statuses if no row has the requested status', () => {
    const posts = [post(1, { status: 'paused' }), post(2, { status: 'paused' })];
    expect(repeatsOf([row, equal], ...posts)).toEqual([1, 2]);
  });

  it('leave one code without a row if one of the rows was removed from the file', () => {
    const { items } = planOf([row], { codes: [menu(1), menu(2)], ledger: [run(), post(1), post(2)] });
    expect(items).toMatchObject([{ action: 'unchanged', code: { id: idOf(1) } }]);
  });
});

describe('a lost request whose row was edited', () => {
  const edited = newRow(2, 'Menu', SUMMER);
  const renamed = newRow(2, 'Lunch', MENU);

  it('belongs to the only row with its name or destination', () => {
    expect(repeatsOf([edited], post(1))).toEqual([1]);
    expect(repeatsOf([renamed], post(1))).toEqual([1]);
    const other = newRow(3, 'Menu', 'https://example.com/other');
    expect(repeatsOf([edited, other], post(1))).toEqual([undefined, undefined]);
    expect(repeatsOf([renamed, newRow(3, 'Dinner', MENU)], post(1))).toEqual([undefined, undefined]);
    const contact = post(1, { values: { name: 'Anna', type: 'vcard' } });
    expect(repeatsOf([newRow(2, 'Berta', undefined, { type: 'vcard' })], contact)).toEqual([undefined]);
  });

  it('belongs to no row if another lost request has its name', () => {
    const other = post(2, { values: { ...values, destination: 'https://example.com/other' } });
    expect(repeatsOf([edited], post(1), other)).toEqual([undefined]);
  });

  it('belongs to the row with its name even if an unedited row with that name has its own lost request', () => {
    const bar = { ...values, destination: 'https://example.com/bar' };
    expect(
      repeatsOf([newRow(3, 'Menu', bar.destination), edited], post(1, { values: bar }), post(2)),
    ).toEqual([1, 2]);
  });

  it('belongs to the row that its last repetition was sent for', () => {
    const second = post(2, { again: 1, values: { ...values, destination: SUMMER } });
    const third = post(3, { again: 2, values: { ...values, name: 'Lunch', destination: SUMMER } });
    expect(repeatsOf([newRow(2, 'Lunch', SUMMER)], post(1), second, third)).toEqual([3]);
    expect(repeatsOf([newRow(2, 'Dinner', SUMMER)], post(1), second)).toEqual([2]);
    const code = codeOf(1, { name: 'Menu', destination: SUMMER });
    const ledger = [run(), post(1), second];
    expect(
      actionsOf(planOf([newRow(2, 'Dinner', SUMMER)], { codes: [code], ledger, isSettled: true })),
    ).toEqual(['undecided']);
  });
});

describe('a lost request that created no code with its values', () => {
  const settled = { isSettled: true };

  it('needs a decision if a new code resembles it or one of its repetitions', () => {
    const ledger = [run(), post(1), post(2, { again: 1, values: { ...values, destination: SUMMER } })];
    const similar = codeOf(1, { name: 'Renamed', destination: MENU });
    expect(planOf([newRow(2, 'Menu', SUMMER)], { codes: [similar], ledger, ...settled }).items).toMatchObject(
      [
        {
          action: 'undecided',
          candidates: [{ id: similar.id }],
          reason: 'its request got no response, and a new code resembles it',
        },
      ],
    );
  });

  it('is repeated if no new code resembles it, apart from codes that other requests created', () => {
    const stranger = codeOf(1, { name: 'Other', type: 'vcard', destination: null });
    expect(planOf([row], { codes: [stranger], ledger: [run(), post(1)], ...settled }).items).toMatchObject([
      { action: 'create', repeats: { n: 1 } },
    ]);
    const known = codeOf(1, { name: 'Lunch', destination: MENU });
    const ledger = [run(), post(1, { values: { ...values, name: 'Lunch' } }), made(1, known), post(2)];
    const rows = [row, newRow(3, 'Lunch', MENU)];
    expect(planOf(rows.slice(0, 1), { codes: [known], ledger }).items).toMatchObject([
      { action: 'create', repeats: { n: 2 }, isWaiting: true },
    ]);
  });

  it('needs a decision if it sent no destination and a new code of its type has none', () => {
    const contact = newRow(2, 'Anna', undefined, { type: 'vcard' });
    const ledger = [run(), post(1, { values: { name: 'Anna', type: 'vcard' } })];
    const renamed = codeOf(1, { name: 'Renamed', type: 'vcard', destination: null });
    expect(planOf([contact], { codes: [renamed], ledger, ...settled }).items).toMatchObject([
      { action: 'undecided', candidates: [{ id: renamed.id }] },
    ]);
    expect(planOf([contact], { codes: [codeOf(2)], ledger, ...settled }).items).toMatchObject([
      { action: 'create', repeats: { n: 1 } },
    ]);
  });

  it('is repeated once for each decision to create a new code (E7)', () => {
    const codes = [codeOf(1, { name: 'Lunch', destination: MENU })];
    const used = [run(), post(1), post(2, { again: 1, decided: true })];
    expect(planOf([row], { codes, ledger: used, ...settled, policy: asNew('2') }).items).toMatchObject([
      {
        action: 'undecided',
        reason:
          'its request got no response, and a new code resembles it; a new code was requested before, so pass --as-new once more for another one',
      },
    ]);
    expect(planOf([row], { codes, ledger: used, ...settled, policy: asNew('2', 2) }).items).toMatchObject([
      {
        action: 'create',
        isDecided: true,
        repeats: { n: 2, decided: true },
        learned: [
          { is: 'decided', n: 1 },
          { is: 'decided', n: 2 },
        ],
      },
    ]);
  });

  it('allows its row to be an edit of an existing code, unless the user requested a new code', () => {
    const existing = codeOf(1, { name: 'Menu', destination: SUMMER });
    const planWith = (decided: boolean) =>
      planOf([row], { codes: [existing], ledger: [run(existing.id), post(1, { decided })], ...settled });
    expect(actionsOf(planWith(false))).toEqual(['edited n0001']);
    expect(planWith(true).items).toMatchObject([{ action: 'create', repeats: { n: 1, decided: true } }]);
  });

  it('that was to replace a deleted code still replaces that code when it is repeated', () => {
    const deleted = codeOf(1, values);
    const lost = post(2, { replaces: deleted.id, decided: true });
    const ledger: LedgerRecord[] = [...madeBefore([deleted]), run(), lost];
    expect(planOf([row], { ledger, ...settled }).items).toMatchObject([
      { action: 'create', repeats: { n: 2 }, replaces: deleted.id },
    ]);
    const added = newRow(3, 'Menu', MENU);
    expect(actionsOf(planOf([added, { ...row, id: deleted.id }], { codes: [menu(2)], ledger }))).toEqual([
      'create',
      'unchanged n0002',
    ]);
  });
});
