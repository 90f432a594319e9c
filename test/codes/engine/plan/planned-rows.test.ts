import { describe, expect, it } from 'vitest';
import { baseOf } from '#codes/engine/plan/base';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { Row } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import { entryOf } from '../lock/make-entry.ts';
import { codeOf, decide, idOf, made, madeBefore, newRow, patched, planOf, rowOf } from './make.ts';

const MENU = 'https://example.com/menu';
const NEW = 'https://example.com/new';

/** Returns the row of a code without its ID, with the given changes. */
const equalTo = ({ name, destination }: QrCode, { wish, ...rest }: Partial<Row> = {}) =>
  rowOf(2, { ...rest, wish: { name, destination: destination ?? '', ...wish } });

describe('the count of unmanaged codes', () => {
  const codes = [1, 2, 3, 4].map((number) => codeOf(number));
  const rows = [rowOf(2, { of: codes[0], key: 'a' })];
  const lock = new Map([['b', entryOf('b', { ...codeOf(2), id: idOf(2).toUpperCase() })]]);

  it('includes the codes that belong to no row and are not in the lock file', () => {
    const counted = (verb: 'create' | 'apply') => planOf(rows, { codes, lock, policy: { verb } }).unmanaged;
    expect([counted('create'), counted('apply')]).toEqual([2, 2]);
    expect(planOf(rows, { codes }).unmanaged).toBe(3);
  });

  it('is 0 for commands that only act on the codes in the file', () => {
    for (const verb of ['update', 'delete'] as const)
      expect(planOf(rows, { codes, policy: { verb } }).unmanaged).toBe(0);
  });
});

describe('a row with the decision', () => {
  const code = codeOf(1);

  it('`skip` is skipped by every command', () => {
    const row = rowOf(2, { of: code, wish: { name: 'New' }, decision: { is: 'skip' } });
    for (const verb of ['create', 'update', 'apply', 'delete'] as const)
      expect(planOf([row], { codes: [code], policy: { verb } }).items).toMatchObject([
        { action: 'unchanged', how: 'none', changes: [], send: {}, reason: 'skipped by your decision' },
      ]);
  });

  it('`theirs` or `new` keeps its code from being deleted by `qr delete`', () => {
    for (const is of ['theirs', 'new'] as const) {
      const row = rowOf(2, { of: code, decision: { is } });
      expect(planOf([row], { codes: [code], policy: { verb: 'delete' } }).items).toMatchObject([
        { action: 'unchanged', reason: 'kept by your decision' },
      ]);
      expect(planOf([row], { codes: [code], policy: { verb: 'update' } }).items[0]?.reason).toBeUndefined();
    }
    const mine = rowOf(2, { of: code, decision: { is: 'mine' } });
    expect(planOf([mine], { codes: [code], policy: { verb: 'delete' } }).items).toMatchObject([
      { action: 'delete' },
    ]);
  });
});

describe('a row whose code does not exist', () => {
  it('is reported with the ID or slug that the workspace lacks', () => {
    const rows = [rowOf(2, { id: idOf(1) }), rowOf(3, { slug: 'n0002' })];
    for (const [verb, action] of [
      ['update', 'gone'],
      ['delete', 'deleted'],
    ] as const)
      expect(planOf(rows, { policy: { verb } }).items).toMatchObject([
        { action, how: 'id', goneId: idOf(1), goneSlug: undefined },
        { action, how: 'slug', goneId: undefined, goneSlug: 'n0002' },
      ]);
  });
});

describe('a new row', () => {
  it('sends its status in a second request, unless it is `active` like that of every new code', () => {
    const send = (status?: string) => planOf([rowOf(2, { wish: { name: 'A', destination: MENU, status } })]);
    expect(send('paused').items).toMatchObject([{ action: 'create', send: { status: 'paused' } }]);
    expect(send('active').items[0]?.send).toEqual({});
    expect(send().items[0]?.send).toEqual({});
  });

  it('that repeats no request does not wait', () => {
    const [item] = planOf([newRow(2, 'A', MENU)]).items;
    expect(item).toMatchObject({ isWaiting: false, isDecided: false, learned: [] });
    expect(item?.repeats).toBeUndefined();
  });

  it('with a decision about a lost request records that the request and its repetition are decided', () => {
    const values = { name: 'Menu', type: 'url', destination: MENU };
    const ledger: LedgerRecord[] = [
      { is: 'run', run: 'before', ids: [] },
      { is: 'post', run: 'before', n: 1, values },
      { is: 'post', run: 'before', n: 2, values, again: 1 },
    ];
    const renamed = codeOf(2, { ...values, name: 'Lunch' });
    const policy = decide({ asNew: new Map([['2', 1]]) });
    const { items } = planOf([newRow(2, 'Menu', MENU)], {
      codes: [renamed],
      ledger,
      policy,
      isSettled: true,
    });
    expect(items).toMatchObject([
      {
        action: 'create',
        learned: [
          { is: 'decided', n: 1 },
          { is: 'decided', n: 2 },
        ],
      },
    ]);
  });
});

describe('a row with the values of an existing code', () => {
  const code = codeOf(1);

  it('in `qr apply` is reported with the code, and with the key that the ledger has for the code', () => {
    const policy = { verb: 'apply' as const };
    const [unknown] = planOf([equalTo(code, { key: 'k' })], { codes: [code], policy }).items;
    expect(unknown).toMatchObject({ action: 'exists', how: 'equal', code, candidates: [code], learned: [] });
    expect(unknown?.reason).toBeUndefined();
    const ledger = madeBefore([code], [equalTo(code, { key: 'menu' })]);
    const [known] = planOf([equalTo(code, { key: 'k' })], { codes: [code], ledger, policy }).items;
    expect(known?.reason).toBe('an earlier run used this code for the key "menu", maybe from another file');
  });

  it('is recorded in the ledger', () => {
    const found = {
      is: 'found',
      run: 'now',
      id: code.id,
      row: { name: code.name, destination: code.destination },
      stored: { name: code.name, destination: code.destination, status: 'active' },
    };
    expect(planOf([equalTo(code)], { codes: [code] }).items[0]?.learned).toEqual([found]);
    const adopting = { verb: 'apply' as const, adoptExisting: true };
    expect(planOf([equalTo(code, { key: 'k' })], { codes: [code], policy: adopting }).items).toMatchObject([
      { action: 'adopt', learned: [{ ...found, key: 'k' }] },
    ]);
  });

  it('is recorded even if an earlier run changed the code, so that the row keeps the code after later edits', () => {
    const ledger = patched(1, 1, { destination: code.destination ?? '' }, { destination: MENU });
    const [item] = planOf([equalTo(code)], { codes: [code], ledger }).items;
    expect(item).toMatchObject({ action: 'exists', learned: [{ is: 'found', id: code.id }] });
    const edited = { ...code, name: 'Theirs', destination: NEW };
    const later = [...ledger, ...(item?.learned ?? [])];
    expect(planOf([equalTo(code)], { codes: [edited], ledger: later }).items).toMatchObject([
      { action: 'unchanged', code: edited },
    ]);
  });

  it('is not recorded again if the code was replaced on request', () => {
    const ledger: LedgerRecord[] = [
      ...madeBefore([code]),
      { is: 'found', run: 'before', id: idOf(2), row: { name: 'New' }, stored: {}, replaces: code.id },
    ];
    expect(planOf([equalTo(code)], { codes: [code], ledger }).items).toMatchObject([
      { action: 'exists', learned: [] },
    ]);
  });

  it('is adopted by `qr apply --adopt-existing` if another client gave a code of its key these values', () => {
    const [one, two] = [codeOf(1, { name: 'One' }), codeOf(2, { name: 'Two' })];
    const ledger = madeBefore([one, two], [equalTo(one, { key: 'k' }), equalTo(two, { key: 'k' })]);
    const edited = { ...one, name: 'Edited' };
    const policy = { verb: 'apply' as const, adoptExisting: true };
    expect(
      planOf([equalTo(edited, { key: 'k' })], { codes: [edited, two], ledger, policy }).items,
    ).toMatchObject([{ action: 'adopt', code: edited, learned: [{ is: 'found', id: one.id, key: 'k' }] }]);
  });

  it('is edited if its status differs, and is sent only with --apply-edits or `qr apply --adopt-existing`', () => {
    const paused = equalTo(code, { wish: { status: 'paused' } });
    expect(planOf([paused], { codes: [code] }).items).toMatchObject([
      { action: 'edited', how: 'equal', send: {}, learned: [] },
    ]);
    expect(planOf([paused], { codes: [code], policy: { applyEdits: true } }).items).toMatchObject([
      { action: 'update', how: 'equal', send: { status: 'paused' } },
    ]);
    const policy = { verb: 'apply' as const, adoptExisting: true };
    expect(planOf([{ ...paused, key: 'k' }], { codes: [code], policy }).items).toMatchObject([
      { action: 'update', send: { status: 'paused' }, learned: [{ is: 'found', key: 'k' }] },
    ]);
  });

  it('that another machine created by a decision is recorded as the replacement of the old code', () => {
    const old = codeOf(2);
    const row = equalTo(code, { id: old.id, decision: { is: 'new' } });
    expect(planOf([row], { codes: [old, code] }).items).toMatchObject([
      { action: 'exists', code, learned: [{ is: 'found', id: code.id, replaces: old.id }] },
    ]);
  });
});

describe('a row with a code', () => {
  const code = codeOf(1);
  const edited = rowOf(2, { of: code, base: baseOf(code), wish: { name: 'New', destination: NEW } });
  /** Records of a POST whose row also requests the status `paused`. */
  const sent: readonly LedgerRecord[] = [
    { is: 'run', run: 'before', ids: [] },
    {
      is: 'post',
      run: 'before',
      n: 1,
      values: { name: code.name, type: 'url', destination: code.destination ?? '' },
      status: 'paused',
    },
  ];

  it('sends all edited fields, or none if one of them conflicts or needs --apply-edits', () => {
    const update = { policy: { verb: 'update' as const } };
    expect(planOf([edited], { codes: [code], ...update }).items[0]?.send).toEqual({
      name: 'New',
      destination: NEW,
    });
    const theirs = { ...code, destination: MENU };
    const planned = (...given: Parameters<typeof planOf>) =>
      planOf(...given).items.map(({ action, send, changes }) => [
        action,
        send,
        ...changes.map(({ what }) => what),
      ]);
    expect(planned([edited], { codes: [theirs], ...update })).toEqual([['conflict', {}, 'send', 'conflict']]);
    // A conflict takes precedence over an edit that needs --apply-edits.
    expect(planned([edited], { codes: [theirs] })).toEqual([['conflict', {}, 'edit', 'conflict']]);
    // The status that the POST of the row requested needs no --apply-edits.
    const ledger = [...sent, made(1, code)];
    const paused = rowOf(2, { of: code, wish: { name: 'New', status: 'paused' } });
    expect(planned([paused], { codes: [code], ledger })).toEqual([['edited', {}, 'edit', 'send']]);
  });

  it('gets its status later if the response to its POST was lost, or if the status was never sent', () => {
    const row = equalTo(code, { wish: { status: 'paused' } });
    for (const ledger of [sent, [...sent, made(1, code)]])
      expect(planOf([row], { codes: [code], ledger }).items).toMatchObject([
        { action: 'update', send: { status: 'paused' }, changes: [{ what: 'send' }] },
      ]);
  });

  it('overwrites a later edit with the decision `mine`', () => {
    const theirs = { ...code, name: 'Theirs', destination: MENU };
    const mine = { ...edited, decision: { is: 'mine' as const } };
    expect(planOf([mine], { codes: [theirs], policy: { verb: 'update' } }).items).toMatchObject([
      { action: 'update', send: { name: 'New', destination: NEW } },
    ]);
  });

  it('has a reason only if its code is a guess and its changes are sent', () => {
    const renamed = newRow(2, code.name, NEW);
    const reasonWith = (row: Row, applyEdits: boolean) => {
      const [item] = planOf([row], { codes: [code], policy: { applyEdits } }).items;
      expect(item?.isForeign).toBe(false);
      return [item?.action, item?.how, item?.reason];
    };
    expect(reasonWith(renamed, true)).toEqual([
      'update',
      'guess',
      'recognized only by its name or destination',
    ]);
    expect(reasonWith(renamed, false)).toEqual(['edited', 'guess', undefined]);
    expect(reasonWith(edited, true)).toEqual(['update', 'id', undefined]);
  });

  it('whose code is a guess is marked in a file with IDs, because --apply-edits does not send its changes', () => {
    const other = codeOf(2);
    const rows = [rowOf(2, { of: other }), newRow(3, code.name, NEW)];
    expect(planOf(rows, { codes: [code, other], policy: { applyEdits: true } }).items).toMatchObject([
      { isForeign: false },
      { action: 'edited', how: 'guess', isForeign: true, reason: undefined },
    ]);
  });

  it('makes the plan throw an error instead of reporting a fault if its UTM tags are not valid Unicode', () => {
    const row = rowOf(2, { of: code, utm: { source: '\ud800' }, wish: { destination: undefined } });
    expect(() => planOf([row], { codes: [code], policy: { verb: 'update' } })).toThrow(URIError);
  });

  it('is refused if it has UTM tags but its code has no web address', () => {
    const wifi = codeOf(1, { type: 'wifi', destination: null });
    const row = rowOf(7, { id: wifi.id, utm: { source: 'x' } });
    const { items, faults } = planOf([row], { codes: [wifi], policy: { verb: 'update' } });
    expect(items).toMatchObject([{ action: 'unchanged', changes: [], send: {} }]);
    expect(faults).toEqual([
      {
        line: 7,
        column: 'destination',
        message: "is not a web address, so UTM tags can't be added",
      },
    ]);
  });

  it('is recorded only if it has a key, and not by `qr update`', () => {
    const policy = { verb: 'update' as const };
    const row = rowOf(2, { of: code, key: 'k' });
    expect(planOf([row], { codes: [code], policy }).items[0]?.learned).toEqual([]);
    expect(planOf([rowOf(2, { of: code })], { codes: [code] }).items[0]?.learned).toEqual([]);
    expect(planOf([row], { codes: [code] }).items[0]?.learned).toMatchObject([{ is: 'found', key: 'k' }]);
  });

  it('is not recorded with its key while it needs a decision', () => {
    const row = rowOf(2, { of: code, key: 'k', wish: { name: 'New' } });
    expect(planOf([row], { codes: [code] }).items).toMatchObject([{ action: 'edited', learned: [] }]);
  });
});

describe('the code of a row in `qr apply`', () => {
  const codes = [codeOf(1), codeOf(2)];
  const apply = { verb: 'apply' as const };

  it('is adopted unless the lock file or the ledger already has it for the key of the row', () => {
    const row = rowOf(2, { of: codes[0], key: 'k' });
    const actionWith = (more: Parameters<typeof planOf>[1]) =>
      planOf([row], { codes, policy: apply, ...more }).items[0]?.action;
    const locked = (number: number, key = 'k') => new Map([[key, entryOf(key, codeOf(number))]]);
    expect(actionWith({})).toBe('adopt');
    expect(actionWith({ lock: locked(1) })).toBe('unchanged');
    expect(actionWith({ lock: locked(1, 'other') })).toBe('adopt');
    expect(actionWith({ ledger: madeBefore(codes.slice(0, 1), [row]) })).toBe('unchanged');
    expect(actionWith({ ledger: madeBefore(codes.slice(0, 1), [{ ...row, key: 'j' }]) })).toBe('adopt');
    expect(actionWith({ policy: {} })).toBe('unchanged');
  });

  it('is not compared with the values of another code in the lock file', () => {
    const row = newRow(2, 'Code 2', NEW, { key: 'k' });
    const lock = new Map([['k', entryOf('k', { ...codeOf(1), status: 'paused' })]]);
    const policy = { ...apply, ...decide({ adopt: new Map([['2', idOf(2)]]) }) };
    expect(planOf([row], { codes, lock, policy }).items).toMatchObject([
      { action: 'update', changes: [{ field: 'destination', what: 'send' }], send: { destination: NEW } },
    ]);
  });

  it('is recorded with the key of the row if the ledger does not have it for that key', () => {
    const row = rowOf(2, { of: codes[0], key: 'k' });
    const learnedOf = (ledger: readonly LedgerRecord[]) =>
      planOf([row], { codes, ledger, policy: apply }).items[0]?.learned;
    const found = { is: 'found', run: 'now', id: idOf(1), key: 'k' };
    expect(learnedOf([])).toMatchObject([found]);
    expect(learnedOf(madeBefore(codes.slice(0, 1), [{ ...row, key: 'j' }]))).toMatchObject([found]);
    const ledger = madeBefore(codes.slice(0, 1), [row]);
    expect(learnedOf(ledger)).toEqual([]);
    const renamed = rowOf(2, { key: 'k', wish: { name: 'New' } });
    const lock = new Map([['k', entryOf('k', codeOf(1))]]);
    expect(planOf([renamed], { codes, ledger, lock, policy: apply }).items).toMatchObject([
      { action: 'update', learned: [] },
    ]);
  });
});

describe('a code whose ID the service returns in upper case', () => {
  const upper = codeOf(1, { id: idOf(1).toUpperCase() });
  const id = upper.id.toLowerCase();
  const listing = { codes: [upper] };
  const keyed = equalTo(upper, { key: 'k' });
  const apply = { verb: 'apply' as const };

  it('is recorded with its ID in lower case', () => {
    expect(planOf([equalTo(upper)], listing).items[0]?.learned).toMatchObject([{ is: 'found', id }]);
  });

  it('is matched with its key in the ledger', () => {
    const ledger = madeBefore([{ ...upper, id }], [keyed]);
    const other = equalTo(upper, { key: 'j' });
    expect(planOf([other], { ...listing, ledger, policy: apply }).items).toMatchObject([
      { action: 'exists', reason: expect.stringContaining('for the key "k"') },
    ]);
    const policy = { ...apply, adoptExisting: true };
    expect(planOf([keyed], { ...listing, ledger, policy }).items).toMatchObject([
      { action: 'unchanged', learned: [] },
    ]);
  });

  it('is not reported as that of a removed key if a row needs a decision about it', () => {
    const lock = new Map([['007', entryOf('007', upper)]]);
    const policy = { ...apply, removed: 'pause' as const };
    expect(planOf([equalTo(upper, { key: '7' })], { ...listing, lock, policy }).items).toMatchObject([
      { action: 'undecided', candidates: [upper] },
    ]);
  });

  it('is deleted if a killed run had paused it for its backup', () => {
    const before = { status: 'active' };
    const ledger: LedgerRecord[] = [
      { is: 'patch', run: 'before', n: 1, id, set: { status: 'paused' }, before, pause: 'backup' },
    ];
    const row = rowOf(2, { id, base: baseOf(upper) });
    const codes = [{ ...upper, status: 'paused' }];
    expect(planOf([row], { codes, ledger, policy: { verb: 'delete' } }).items).toMatchObject([
      { action: 'delete' },
    ]);
  });

  it('is matched with its key in the lock file', () => {
    const lock = new Map([['k', entryOf('k', upper)]]);
    expect(planOf([keyed], { ...listing, lock, policy: apply }).items).toMatchObject([
      { action: 'unchanged', code: upper },
    ]);
  });
});

describe('a row whose request got no response', () => {
  const values = { name: 'Menu', type: 'url', destination: MENU };
  const code = codeOf(2, values);
  const ledger: readonly LedgerRecord[] = [
    { is: 'run', run: 'before', ids: [] },
    { is: 'post', run: 'before', n: 1, values },
  ];
  const row = newRow(2, 'Menu', MENU);

  it('records its code, and whether the user requested a new one', () => {
    const record = {
      is: 'made',
      n: 1,
      id: code.id,
      slug: code.slug,
      stored: { name: 'Menu', destination: MENU, status: 'active' },
    };
    expect(planOf([row], { codes: [code], ledger }).items[0]?.learned).toEqual([record]);
    const policy = decide({ asNewAll: true });
    expect(planOf([row], { codes: [code], ledger, policy }).items[0]?.learned).toEqual([
      { ...record, decided: true },
    ]);
  });

  it('records nothing while its edit needs a decision', () => {
    const edited = newRow(2, 'Menu', NEW);
    expect(planOf([edited], { codes: [code], ledger }).items).toMatchObject([
      { action: 'edited', how: 'lost', learned: [] },
    ]);
    expect(planOf([edited], { codes: [code], ledger, policy: { applyEdits: true } }).items).toMatchObject([
      { action: 'update', send: { destination: NEW }, learned: [{ is: 'made', n: 1 }] },
    ]);
  });
});

describe('a decision that assigns a code to a row', () => {
  const values = { name: 'Menu', type: 'url', destination: MENU };
  const chosen = codeOf(2, { ...values, name: 'Lunch' });
  const row = (line: number, rest: Partial<Row> = {}) =>
    newRow(line, 'Menu', MENU, { decision: { is: 'code', name: chosen.id }, ...rest });
  const sent = (n: number, key?: string): LedgerRecord => ({
    is: 'post',
    run: 'before',
    n,
    values,
    ...(key !== undefined && { key }),
  });
  const learned = (rows: readonly Row[], posts: readonly LedgerRecord[], applyEdits = true) =>
    planOf(rows, {
      codes: [chosen],
      ledger: [{ is: 'run', run: 'before', ids: [] }, ...posts],
      policy: { applyEdits },
    }).items[0]?.learned;
  const found = { is: 'found', id: chosen.id, row: { name: 'Menu', destination: MENU } };

  it('is recorded, and resolves the lost requests with the values of the row', () => {
    expect(learned([row(2)], [])).toMatchObject([found]);
    expect(learned([row(2)], [sent(1), sent(2)])).toMatchObject([
      { is: 'decided', n: 1 },
      { is: 'decided', n: 2 },
      found,
    ]);
    const others: LedgerRecord = {
      is: 'post',
      run: 'before',
      n: 1,
      values: { ...values, name: 'Other' },
    };
    expect(learned([row(2)], [others])).toMatchObject([found]);
  });

  it('has the same effect in a flag', () => {
    const policy = { applyEdits: true, ...decide({ adopt: new Map([['2', chosen.id]]) }) };
    const ledger: LedgerRecord[] = [{ is: 'run', run: 'before', ids: [] }, sent(1)];
    expect(planOf([newRow(2, 'Menu', MENU)], { codes: [chosen], ledger, policy }).items).toMatchObject([
      { how: 'decision', learned: [{ is: 'decided', n: 1 }, found] },
    ]);
  });

  it('resolves only the lost requests with the key of the row', () => {
    const keyed = [row(2, { key: 'k' })];
    expect(learned(keyed, [sent(1, 'k'), sent(2, 'j')])).toMatchObject([
      { is: 'decided', n: 1 },
      { ...found, key: 'k' },
    ]);
  });

  it('does not resolve a lost request that may belong to an equal row without a decision', () => {
    const other = newRow(3, 'Menu', MENU);
    expect(learned([row(2), other], [sent(1)])).toMatchObject([found]);
    const decided = row(3, { decision: { is: 'code', name: idOf(3) } });
    expect(learned([row(2), decided], [sent(1)])).toMatchObject([{ is: 'decided', n: 1 }, found]);
  });

  it('resolves the lost requests even while the edit of the row needs --apply-edits', () => {
    expect(learned([row(2)], [sent(1)], false)).toEqual([{ is: 'decided', n: 1 }]);
  });

  it('differs from an ID in the row, which does not resolve lost requests', () => {
    const named = rowOf(2, { of: codeOf(1, values), key: 'k' });
    const { items } = planOf([named], {
      codes: [codeOf(1, values)],
      ledger: [{ is: 'run', run: 'before', ids: [idOf(1)] }, sent(1)],
    });
    expect(items[0]?.learned).toMatchObject([{ is: 'found', key: 'k' }]);
  });
});

describe('a deletion', () => {
  const code = codeOf(1);
  const verb = { policy: { verb: 'delete' as const } };

  it('of a changed code shows the saved and current values, and how to decide', () => {
    const row = rowOf(2, {
      id: code.id,
      base: baseOf(code),
      values: new Map([
        ['name', 'Code 1'],
        ['destination', 'https://example.com/1'],
      ]),
    });
    const changed = { ...code, destination: null, status: 'paused' };
    expect(planOf([row], { codes: [changed], ...verb }).items).toMatchObject([
      {
        action: 'conflict',
        how: 'id',
        changes: [
          { field: 'destination', old: '', new: 'https://example.com/1', what: 'conflict' },
          { field: 'status', old: 'paused', new: '', what: 'conflict' },
        ],
        nextStep: 'To delete a changed code, enter mine in the column decision, or save a new list.',
      },
    ]);
  });

  it('needs no decision if the row has no saved value of a changed field', () => {
    expect(planOf([rowOf(2, { slug: code.slug })], { codes: [code], ...verb }).items).toMatchObject([
      { action: 'delete', how: 'slug', changes: [], code },
    ]);
    const partly = rowOf(2, { id: code.id, base: { name: baseOf(code).name } });
    expect(planOf([partly], { codes: [{ ...code, status: 'paused' }], ...verb }).items).toMatchObject([
      { action: 'delete' },
    ]);
  });

  it('needs a decision if another client changed the status of a code that qrctl had paused for its backup', () => {
    const ledger: LedgerRecord[] = patched(1, 1, { status: 'paused' }, { status: 'active' }).map((record) =>
      record.is === 'patch' ? { ...record, pause: 'backup' as const } : record,
    );
    const row = rowOf(2, { id: code.id, base: baseOf(code) });
    const planned = (status: string) =>
      planOf([row], { codes: [{ ...code, status }], ledger, ...verb }).items[0]?.action;
    expect([planned('paused'), planned('active'), planned('expired')]).toEqual([
      'delete',
      'delete',
      'conflict',
    ]);
  });
});
