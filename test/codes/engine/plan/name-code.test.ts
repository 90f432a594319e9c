import { describe, expect, it } from 'vitest';
import type { LockEntry } from '#codes/engine/lock/lock-file';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { Policy, Row } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import {
  actionsOf,
  asNew,
  codeOf,
  decide,
  idOf,
  made,
  madeBefore,
  newRow,
  patched,
  planOf,
  rowOf,
} from './make.ts';

const MENU = { name: 'Menu', destination: 'https://example.com/menu' };
const APPLY = { verb: 'apply' } as const;
/** ID as the service may return it. The engine compares IDs in lower case. */
const UPPER = idOf(10).toUpperCase();

function lockOf(entries: Readonly<Record<string, QrCode>>): Map<string, LockEntry> {
  return new Map(Object.entries(entries).map(([key, code]) => [key, { ...code, key }]));
}

/** Returns the row of a code with a key and no ID. */
function keyed(
  line: number,
  key: string,
  { name, destination }: { name: string; destination?: string | null },
) {
  return newRow(line, name, destination ?? '', { key });
}

/** Returns the records of a run that created `by` to replace `old` on request. Without `by`, its response is lost. */
function replacing(n: number, old: QrCode, by?: QrCode, key?: string): LedgerRecord[] {
  const { name, destination } = by ?? old;
  const values = { name, type: 'url', destination: destination ?? '' };
  const replaces = old.id.toLowerCase();
  return [
    { is: 'run', run: `run ${n}`, ids: [replaces] },
    { is: 'post', run: `run ${n}`, n, values, decided: true, replaces, ...(key !== undefined && { key }) },
    ...(by ? [made(n, by), { is: 'end', run: `run ${n}` } as const] : []),
  ];
}

describe('a row with the ID or slug of a code that was replaced on request', () => {
  const [old, current] = [codeOf(1, MENU), codeOf(2, MENU)];
  const ledger = [...madeBefore([old]), ...replacing(5, old, current)];
  const codes = [old, current];
  const plan = (rows: readonly Row[], policy: Partial<Policy> = {}) =>
    actionsOf(planOf(rows, { codes, ledger, policy }));

  it.each([{ id: idOf(1) }, { slug: 'n0001' }])('is matched with the new code (%j)', (cells) => {
    expect(plan([rowOf(2, cells)])).toEqual(['unchanged n0002']);
    expect(plan([rowOf(2, { ...cells, key: 'k' })], APPLY)).toEqual(['adopt n0002']);
  });

  it.each([{ id: idOf(2) }, { slug: 'n0002' }])(
    'keeps its code if another row has the new code (%j)',
    (cells) => {
      const expected = ['unchanged n0001', 'unchanged n0002'];
      expect(plan([rowOf(2, { id: idOf(1) }), rowOf(3, cells)])).toEqual(expected);
    },
  );

  it('keeps its code with `qr update` and `qr delete`', () => {
    expect(plan([rowOf(2, { id: idOf(1) })], { verb: 'update' })).toEqual(['unchanged n0001']);
    expect(plan([rowOf(2, { id: idOf(1) })], { verb: 'delete' })).toEqual(['delete n0001']);
    const left = { codes: [current], ledger };
    const row = rowOf(2, { id: idOf(1) });
    expect(actionsOf(planOf([row], { ...left, policy: { verb: 'update' } }))).toEqual(['gone']);
    expect(actionsOf(planOf([row], { ...left, policy: { verb: 'delete' } }))).toEqual(['deleted']);
  });

  it('is matched only with the newest of several replacements, and keeps its code if the newest was deleted', () => {
    const newest = codeOf(3, MENU);
    const twice = [...ledger, ...replacing(6, current, newest)];
    const row = rowOf(2, { id: idOf(1) });
    expect(actionsOf(planOf([row], { codes: [...codes, newest], ledger: twice }))).toEqual([
      'unchanged n0003',
    ]);
    expect(actionsOf(planOf([row], { codes: [newest], ledger: twice }))).toEqual(['unchanged n0003']);
    expect(actionsOf(planOf([row], { codes, ledger: twice }))).toEqual(['unchanged n0001']);
    expect(planOf([row], { codes: [current], ledger: twice }).items).toMatchObject([
      { action: 'gone', goneId: idOf(1) },
    ]);
  });

  it('keeps its code if two codes are recorded as replacements of each other', () => {
    const found = (number: number, replaces: number): LedgerRecord => {
      const [row, stored] = [{ ...MENU, type: 'url' }, MENU];
      return { is: 'found', run: 'before', id: idOf(number), row, stored, replaces: idOf(replaces) };
    };
    const both = [found(2, 1), found(1, 2)];
    const rows = [rowOf(2, { id: idOf(1) }), rowOf(3, { id: idOf(2) })];
    expect(actionsOf(planOf(rows, { codes, ledger: both }))).toEqual(['unchanged n0001', 'unchanged n0002']);
  });

  it('is matched whatever the case of the IDs', () => {
    const [from, to] = [
      codeOf(1, { ...MENU, id: UPPER }),
      codeOf(2, { ...MENU, id: idOf(11).toUpperCase() }),
    ];
    const lower = (code: QrCode) => ({ ...code, id: code.id.toLowerCase() });
    const known = [...madeBefore([lower(from)]), ...replacing(5, from, lower(to))];
    const asked = { codes: [from, to], ledger: known };
    const row = rowOf(2, { id: from.id.toLowerCase() });
    expect(actionsOf(planOf([row], asked))).toEqual(['unchanged n0002']);
    const rows = [row, rowOf(3, { id: to.id.toLowerCase() })];
    expect(actionsOf(planOf(rows, asked))).toEqual(['unchanged n0001', 'unchanged n0002']);
    // A slug identifies a code with an ID in upper case, too.
    expect(planOf([rowOf(2, { slug: 'n0001' })], { codes: [from] }).items).toMatchObject([
      { action: 'unchanged', how: 'slug', code: { id: UPPER } },
    ]);
  });
});

describe('a decision for a new code', () => {
  const old = codeOf(1, MENU);
  const row = newRow(2, MENU.name, MENU.destination);
  const known = madeBefore([old]);

  it('is carried out only once, even if the response to its request was lost', () => {
    const ledger = [...known, ...replacing(5, old), ...replacing(6, old)];
    const asked = { ledger, isSettled: true };
    const again = { action: 'create', repeats: { n: 6 }, replaces: idOf(1) };
    expect(planOf([row], asked).items).toMatchObject([again]);
    expect(planOf([row], { ...asked, codes: [old] }).items).toMatchObject([again]);
    expect(
      planOf([rowOf(2, { of: old })], { ...asked, codes: [old], policy: asNew('2') }).items,
    ).toMatchObject([again]);
    // Without the decision, the ID in the row takes precedence.
    expect(actionsOf(planOf([rowOf(2, { of: old })], { ...asked, codes: [old] }))).toEqual([
      'unchanged n0001',
    ]);
  });

  it('is repeated after a lost response as the replacement of the newest code of the row', () => {
    const current = codeOf(2, MENU);
    const ledger = [...known, ...replacing(5, old, current), ...replacing(6, current)];
    expect(planOf([rowOf(2, { id: idOf(1) })], { ledger, isSettled: true }).items).toMatchObject([
      { action: 'create', repeats: { n: 6 }, replaces: idOf(2) },
    ]);
  });

  it('is not confused with a lost request to replace another code', () => {
    const other = codeOf(7);
    const ledger = [...known, ...replacing(5, other)];
    expect(actionsOf(planOf([row], { ledger, codes: [old] }))).toEqual(['unchanged n0001']);
    const lost: LedgerRecord = { is: 'post', run: 'run 5', n: 9, values: { ...MENU, type: 'url' } };
    const typo = rowOf(2, { slug: 'typo', wish: MENU });
    expect(actionsOf(planOf([typo], { ledger: [...ledger, lost] }))).toEqual(['gone']);
  });

  it('for a row with an unknown slug creates a code that replaces no other', () => {
    const gone = rowOf(2, { slug: 'typo', wish: MENU });
    expect(planOf([gone]).items).toMatchObject([{ action: 'gone', how: 'slug', goneSlug: 'typo' }]);
    const [item] = planOf([gone], { policy: asNew('2') }).items;
    expect(item).toMatchObject({ action: 'create', isDecided: true });
    expect(item?.replaces).toBeUndefined();
  });

  it('is carried out by `qr create` for a code that exists, but not by the other commands', () => {
    const present = rowOf(2, { of: old, key: 'k', decision: { is: 'new' } });
    expect(planOf([present], { codes: [old] }).items).toMatchObject([
      { action: 'create', replaces: idOf(1) },
    ]);
    expect(actionsOf(planOf([present], { codes: [old], policy: APPLY }))).toEqual(['adopt n0001']);
    expect(actionsOf(planOf([present], { codes: [old], policy: { verb: 'update' } }))).toEqual([
      'unchanged n0001',
    ]);
    expect(actionsOf(planOf([present], { policy: { verb: 'update' } }))).toEqual(['gone']);
    expect(actionsOf(planOf([present], { policy: { verb: 'delete' } }))).toEqual(['unchanged']);
  });

  it('creates several codes on request, but not again if the same command runs again', () => {
    const [second, third] = [codeOf(2, MENU), codeOf(3, MENU)];
    const ledger = [...known, ...replacing(5, old, second), ...replacing(6, second, third)];
    for (const wanted of [row, rowOf(2, { id: idOf(1) }), rowOf(2, { id: idOf(3) })]) {
      const plan = (times: number, codes: readonly QrCode[]) =>
        planOf([wanted], { ledger, codes, policy: asNew('2', times) }).items;
      for (const codes of [[third], [old, third], [old, second, third]]) {
        expect(plan(1, codes)).toMatchObject([{ action: 'unchanged', code: { slug: 'n0003' } }]);
        expect(plan(2, codes)).toMatchObject([{ action: 'unchanged', code: { slug: 'n0003' } }]);
        expect(plan(3, codes)).toMatchObject([{ action: 'create', replaces: idOf(3) }]);
      }
      expect(plan(1, [])).toMatchObject([{ action: 'create', replaces: idOf(3) }]);
    }
    const named = planOf([rowOf(2, { id: idOf(3) })], { ledger, codes: [third], policy: asNew('2') });
    expect(named.items).toMatchObject([{ action: 'unchanged', how: 'id' }]);
  });

  it('is carried out again if the code that it created was deleted, unless the replaced code still exists', () => {
    const ledger = [...known, ...replacing(5, old, codeOf(2, MENU))];
    const answered: Row = { ...row, decision: { is: 'new' } };
    expect(actionsOf(planOf([answered], { ledger }))).toEqual(['create']);
    const all = decide({ asNewAll: true });
    const policy = { ...APPLY, ...all };
    expect(actionsOf(planOf([{ ...row, key: 'k', id: idOf(1) }], { ledger, policy }))).toEqual(['create']);
    const named = rowOf(2, { id: idOf(1) });
    expect(actionsOf(planOf([named], { ledger, codes: [old], policy: asNew('2') }))).toEqual([
      'unchanged n0001',
    ]);
  });
});

describe("a backup's record", () => {
  const old = codeOf(1, MENU);
  const restored = codeOf(2, MENU);
  const record = newRow(2, MENU.name, MENU.destination, { backupOf: idOf(1) });
  const known = madeBefore([old]);
  const back = [...known, ...replacing(5, old, restored)];

  it('restores its deleted code without a decision, but only once', () => {
    expect(planOf([record], { ledger: known }).items).toMatchObject([
      { action: 'create', isDecided: true, replaces: idOf(1) },
    ]);
    expect(actionsOf(planOf([record], { ledger: back, codes: [restored] }))).toEqual(['unchanged n0002']);
    expect(actionsOf(planOf([record], { ledger: back }))).toEqual(['gone']);
    expect(actionsOf(planOf([record], { ledger: back, policy: asNew('2') }))).toEqual(['gone']);
  });

  it('restores its code only once even if it has a key that the restored code lacks', () => {
    const ledger = [...madeBefore([old], [keyed(2, 'k', MENU)]), ...replacing(5, old, restored)];
    expect(actionsOf(planOf([{ ...record, key: 'k' }], { ledger }))).toEqual(['gone']);
  });

  it('restores a code that an earlier decision created', () => {
    const row = newRow(2, MENU.name, MENU.destination, { backupOf: idOf(2) });
    expect(planOf([row], { ledger: back }).items).toMatchObject([{ action: 'create', replaces: idOf(2) }]);
  });

  it('of a code that exists creates another one only on request', () => {
    expect(actionsOf(planOf([record], { ledger: known, codes: [old] }))).toEqual(['unchanged n0001']);
    expect(actionsOf(planOf([record], { ledger: known, codes: [old], policy: asNew('2') }))).toEqual([
      'create',
    ]);
  });
});

describe('a row with an ID and the key of another code', () => {
  const [menu, other] = [codeOf(1), codeOf(2)];
  const row = rowOf(2, { of: other, key: 'menu' });
  const plan = (codes: readonly QrCode[], lock: QrCode, ledger: LedgerRecord[] = []) =>
    planOf([row], { codes, ledger, lock: lockOf({ menu: lock }), policy: APPLY }).faults;

  it('is refused, whatever the case of the IDs', () => {
    const refused = [{ line: 2, message: 'the key "menu" belongs to the code n0001' }];
    expect(plan([menu, other], menu)).toEqual(refused);
    const upper = codeOf(1, { id: UPPER });
    expect(plan([upper, other], upper)).toEqual(refused);
    const own = planOf([rowOf(2, { of: upper, id: UPPER.toLowerCase(), key: 'menu' })], {
      codes: [upper],
      lock: lockOf({ menu: upper }),
      policy: APPLY,
    });
    expect([own.faults, actionsOf(own)]).toEqual([[], ['unchanged n0001']]);
  });

  it('is accepted if the code of the key was deleted, or replaced the code of the row', () => {
    expect(plan([other], menu)).toEqual([]);
    expect(plan([menu, other], menu, [...madeBefore([other]), ...replacing(5, other, menu)])).toEqual([]);
  });

  it('is accepted if only the ledger has the key, or if the code with the ID was deleted', () => {
    const ledger = madeBefore([menu], [keyed(2, 'menu', menu)]);
    expect(planOf([row], { codes: [menu, other], ledger, policy: APPLY }).faults).toEqual([]);
    const planned = planOf([row], { codes: [menu], lock: lockOf({ menu }), policy: APPLY });
    expect([planned.faults, actionsOf(planned)]).toEqual([[], ['gone']]);
  });

  it('gets only one fault if its ID and slug belong to different codes too', () => {
    const twice = rowOf(2, { id: idOf(2), slug: 'n0003', key: 'menu' });
    const { faults } = planOf([twice], {
      codes: [menu, other, codeOf(3)],
      lock: lockOf({ menu }),
      policy: APPLY,
    });
    expect(faults).toMatchObject([{ line: 2, message: expect.stringContaining('correct one of them') }]);
  });
});

it('a row has the action `gone` if no code has its ID, even if a code has its slug', () => {
  expect(planOf([rowOf(2, { id: idOf(9), slug: 'n0001' })], { codes: [codeOf(1)] }).items).toMatchObject([
    { action: 'gone', how: 'id', goneId: idOf(9) },
  ]);
});

describe('a key in the lock file', () => {
  it('takes precedence over another code in the ledger, even if the row was edited', () => {
    const [locked, remembered] = [codeOf(1, { id: UPPER }), codeOf(2)];
    const ledger = madeBefore([remembered], [keyed(2, 'k', remembered)]);
    const lock = lockOf({ k: locked });
    const row = keyed(2, 'k', { name: 'Edited', destination: 'https://example.com/edited' });
    const { items, faults } = planOf([row], { codes: [locked, remembered], ledger, lock, policy: APPLY });
    expect(faults).toEqual([]);
    expect(items).toMatchObject([{ action: 'update', how: 'key', code: { id: UPPER } }]);
  });

  it('gives its row the action `unchanged` if the ledger has the same code for the key', () => {
    const code = codeOf(1);
    const row = keyed(2, 'k', code);
    const asked = {
      codes: [code],
      ledger: madeBefore([code], [row]),
      lock: lockOf({ k: code }),
      policy: APPLY,
    };
    expect(actionsOf(planOf([row], asked))).toEqual(['unchanged n0001']);
  });

  it('belongs to the replacement of its code if the run was killed before it wrote the lock file', () => {
    const [old, current] = [codeOf(1, MENU), codeOf(2, MENU)];
    const row = keyed(2, 'k', MENU);
    const ledger = [...madeBefore([old], [row]), ...replacing(5, old, current, 'k')];
    const asked = { codes: [current], ledger, lock: lockOf({ k: old }), policy: APPLY };
    expect(actionsOf(planOf([row], asked))).toEqual(['unchanged n0002']);
    const edited = keyed(2, 'k', { ...MENU, name: 'Edited' });
    expect(actionsOf(planOf([edited], asked))).toEqual(['update n0002']);
  });

  it('gives its row the action `gone`, with the slug, if its code was deleted', () => {
    const planned = planOf([keyed(2, 'k', MENU)], { lock: lockOf({ k: codeOf(1) }), policy: APPLY });
    expect(planned.items).toMatchObject([{ action: 'gone', how: 'key', goneId: idOf(1), goneSlug: 'n0001' }]);
  });
});

describe('a key that only the ledger has', () => {
  const code = codeOf(1, MENU);
  const ledger = madeBefore([code], [keyed(2, 'k', MENU)]);
  const elsewhere = { name: 'Bar', destination: 'https://example.com/bar' };

  it('needs no decision with `qr apply` if it is the slug of its code', () => {
    const named = madeBefore([code], [keyed(2, 'n0001', MENU)]);
    const planned = planOf([keyed(2, 'n0001', MENU)], { codes: [code], ledger: named, policy: APPLY });
    expect(planned.items).toMatchObject([{ action: 'unchanged', how: 'key', code: { slug: 'n0001' } }]);
    expect(planned.faults).toEqual([]);
  });

  it('gives its row a new code with `qr apply` if the user requests one', () => {
    const planned = planOf([keyed(2, 'k', MENU)], {
      codes: [code],
      ledger,
      policy: { ...APPLY, ...asNew('k') },
    });
    expect(planned.items).toMatchObject([{ action: 'create', isDecided: true }]);
  });

  it('matches an unedited row with `qr apply` after a killed run, and a row that was edited like the code with `qr create`', () => {
    const [row, theirs] = [keyed(2, 'k', MENU), { ...code, ...elsewhere }];
    const killed = ledger.slice(0, -1);
    expect(planOf([row], { codes: [theirs], ledger: killed, policy: APPLY }).items).toMatchObject([
      { how: 'key', code: { id: idOf(1) } },
    ]);
    expect(planOf([keyed(2, 'k', elsewhere)], { codes: [theirs], ledger }).items).toMatchObject([
      { action: 'unchanged', how: 'key' },
    ]);
  });

  it('matches an edited row with `qr create` if the code has or once had the name or destination of the row', () => {
    const plan = (row: Partial<QrCode>, now: Partial<QrCode> = {}) =>
      planOf([keyed(2, 'k', { ...elsewhere, ...row })], { codes: [{ ...code, ...now }], ledger }).items;
    expect(plan({ name: 'Menu' })).toMatchObject([{ action: 'edited', how: 'key' }]);
    expect(plan({ destination: MENU.destination })).toMatchObject([{ action: 'edited', how: 'key' }]);
    const theirs = { name: 'Theirs', destination: 'https://example.com/theirs' };
    expect(plan({ name: 'Menu' }, theirs)).toMatchObject([{ action: 'conflict', how: 'key' }]);
    expect(plan({}, { name: elsewhere.name })).toMatchObject([{ how: 'key', code: { id: idOf(1) } }]);
    const [item] = plan({});
    expect(item).toMatchObject({
      action: 'undecided',
      candidates: [code],
      reason: 'the ledger knows its key with other values: it was edited, or is a row of another file',
    });
  });

  it('matches an edited row with a code whose ID the service returns in upper case', () => {
    const known = madeBefore([codeOf(1, { ...MENU, id: UPPER.toLowerCase() })], [keyed(2, 'k', MENU)]);
    const upper = codeOf(1, { ...elsewhere, id: UPPER });
    const row = keyed(2, 'k', { name: 'Menu', destination: 'https://example.com/new' });
    expect(planOf([row], { codes: [upper], ledger: known }).items).toMatchObject([
      { how: 'key', code: { id: UPPER } },
    ]);
    const rows = [rowOf(3, { id: UPPER.toLowerCase() }), row];
    expect(actionsOf(planOf(rows, { codes: [upper], ledger: known }))).toEqual(['unchanged n0001', 'create']);
  });

  it('gives an edited row the action `gone`, with the newest ID, if all its codes were deleted', () => {
    const three = [1, 2, 3].map((number) => codeOf(number, MENU));
    const used = madeBefore(
      three,
      three.map(() => keyed(2, 'k', MENU)),
    );
    expect(planOf([keyed(2, 'k', elsewhere)], { ledger: used }).items).toMatchObject([
      { action: 'gone', how: 'key', goneId: idOf(3) },
    ]);
    expect(actionsOf(planOf([keyed(2, 'k', elsewhere)], { ledger, policy: asNew('2') }))).toEqual(['create']);
  });

  it('does not match a row with a code that another row has', () => {
    const rows = [rowOf(2, { of: code }), keyed(3, 'k', { ...elsewhere, name: 'Menu' })];
    expect(actionsOf(planOf(rows, { codes: [code], ledger }))).toEqual(['unchanged n0001', 'create']);
    expect(actionsOf(planOf(rows, { codes: [code], ledger, policy: APPLY }))).toEqual([
      'adopt n0001',
      'undecided',
    ]);
    expect(
      actionsOf(planOf(rows, { codes: [code], ledger, policy: { ...APPLY, adoptExisting: true } })),
    ).toEqual(['adopt n0001', 'create']);
  });

  it('needs a decision with `qr apply` if the row was edited, even with --adopt-existing', () => {
    const row = keyed(2, 'k', { ...elsewhere, name: 'Menu' });
    const policy = { ...APPLY, adoptExisting: true };
    expect(planOf([row], { codes: [code], ledger, policy }).items).toMatchObject([
      { action: 'undecided', candidates: [code] },
    ]);
  });
});

describe('a key that the ledger has for several codes', () => {
  const [first, second] = [codeOf(1, MENU), codeOf(2, MENU)];
  const rows = [keyed(2, 'k', MENU), keyed(2, 'k', MENU)];
  const ledger = madeBefore([first, second], rows);
  const row = keyed(2, 'k', MENU);
  const codes = [first, second];

  it('belongs to the code that a run used last if several have the values of the row', () => {
    expect(actionsOf(planOf([row], { codes, ledger }))).toEqual(['unchanged n0002']);
    const later = [...ledger, { is: 'run', run: 'later' } as const];
    const used = patched(9, 1, { status: 'active' }, { status: 'paused' }, 'later');
    expect(actionsOf(planOf([row], { codes, ledger: [...later, ...used] }))).toEqual(['unchanged n0001']);
  });

  it('belongs to the code for which the ledger once recorded the values of the row', () => {
    const values = { name: 'Lunch', type: 'url', destination: 'https://example.com/lunch' };
    const stored = { name: values.name, destination: values.destination };
    const found: LedgerRecord = { is: 'found', run: 'later', id: idOf(1), key: 'k', row: values, stored };
    const renamed = { ...second, name: 'Renamed' };
    const other = madeBefore([first, renamed], [keyed(2, 'k', MENU), keyed(2, 'k', renamed)]);
    const asked = { codes: [{ ...first, ...stored }, renamed], ledger: [...other, found] };
    expect(planOf([row], asked).items).toMatchObject([{ how: 'key', code: { id: idOf(1) } }]);
  });

  it('is not used for a row with the values that another client gave one of the codes', () => {
    const theirs = { name: 'Lunch', destination: 'https://example.com/lunch' };
    const asked = { codes: [{ ...first, ...theirs }, second], ledger };
    expect(actionsOf(planOf([keyed(2, 'k', theirs)], asked))).toEqual(['exists n0001']);
  });

  it('belongs to the code that replaced the other, even if the row was edited', () => {
    const replaced = [...madeBefore([first], rows), ...replacing(5, first, second, 'k')];
    const edited = keyed(2, 'k', { ...MENU, destination: 'https://example.com/new' });
    expect(actionsOf(planOf([edited], { codes, ledger: replaced }))).toEqual(['edited n0002']);
  });
});

describe('a new key that differs from a missing one only in zeros, case or spaces', () => {
  const known = codeOf(1);
  const ledger = madeBefore([known], [keyed(2, '007', known)]);
  const row = keyed(2, '7', MENU);

  it('needs a decision, which may request a new code', () => {
    expect(planOf([row], { codes: [known], ledger }).items).toEqual([
      expect.objectContaining({
        action: 'undecided',
        candidates: [known],
        reason: 'its key differs from the key "007", which the file lacks, only in zeros, case or spaces',
      }),
    ]);
    expect(planOf([row], { ledger }).items).toMatchObject([{ action: 'undecided', candidates: [] }]);
    expect(actionsOf(planOf([row], { codes: [known], ledger, policy: asNew('2') }))).toEqual(['create']);
  });

  it('shows the newest code of the missing key', () => {
    const newer = codeOf(2, MENU);
    const two = madeBefore([known, newer], [keyed(2, '007', known), keyed(2, '007', newer)]);
    expect(planOf([row], { codes: [known, newer], ledger: two }).items).toMatchObject([
      { candidates: [newer] },
    ]);
  });

  it('counts as new if the file has the other key too, or if the keys differ in other characters', () => {
    const both = [keyed(2, '007', known), keyed(3, '7', MENU)];
    expect(actionsOf(planOf(both, { codes: [known], ledger }))).toEqual(['unchanged n0001', 'create']);
    for (const key of ['70', '07a', '0', 'x7'])
      expect(actionsOf(planOf([keyed(2, key, MENU)], { codes: [known], ledger }))).toEqual(['create']);
  });

  it('counts as new if the zeros are not at the start of the key', () => {
    const inside = madeBefore([known], [keyed(2, '1007', known)]);
    expect(actionsOf(planOf([keyed(2, '17', MENU)], { codes: [known], ledger: inside }))).toEqual(['create']);
  });

  it('needs a decision even if both keys consist only of zeros', () => {
    const zeros = madeBefore([known], [keyed(2, '000', known)]);
    expect(actionsOf(planOf([keyed(2, '0', MENU)], { codes: [known], ledger: zeros }))).toEqual([
      'undecided',
    ]);
    expect(actionsOf(planOf([keyed(2, '1', MENU)], { codes: [known], ledger: zeros }))).toEqual(['create']);
  });
});
