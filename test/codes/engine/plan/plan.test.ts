import { describe, expect, it } from 'vitest';
import type { LockEntry } from '#codes/engine/lock/lock-file';
import { baseOf } from '#codes/engine/plan/base';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
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

const MENU = 'https://example.com/menu';

describe('rows without an ID', () => {
  it('are new if they match no code and no record in the ledger', () => {
    const { items } = planOf([newRow(2, 'Menu', MENU)], { codes: [codeOf(1)] });
    expect(items).toMatchObject([
      { action: 'create', values: { name: 'Menu', destination: MENU }, isWaiting: false },
    ]);
  });

  it('have the action `exists` if a code in the workspace has their values, even without a ledger (E3)', () => {
    const codes = [codeOf(1, { name: 'Menu', destination: MENU }), codeOf(2)];
    expect(actionsOf(planOf([newRow(2, ' Menu ', `${MENU}`)], { codes }))).toEqual(['exists n0001']);
  });

  it('get one code per row if they are equal', () => {
    const rows = [2, 3, 4].map((line) => newRow(line, 'Menu', MENU));
    const codes = [codeOf(1, { name: 'Menu', destination: MENU })];
    expect(actionsOf(planOf(rows, { codes }))).toEqual(['exists n0001', 'create', 'create']);
  });

  it('need a decision if several codes have their values', () => {
    const codes = [1, 2].map((number) => codeOf(number, { name: 'Menu', destination: MENU }));
    const { items } = planOf([newRow(2, 'Menu', MENU)], { codes });
    expect(items).toMatchObject([
      { action: 'undecided', candidates: [{ slug: 'n0001' }, { slug: 'n0002' }] },
    ]);
  });

  it('match their code in the ledger, even if another client renamed the code', () => {
    const code = codeOf(1, { name: 'Menu', destination: MENU });
    const ledger = madeBefore([code]);
    const renamed = { ...code, name: 'Summer menu' };
    const { items } = planOf([newRow(2, 'Menu', MENU)], { codes: [renamed], ledger });
    expect(items).toMatchObject([
      { action: 'unchanged', how: 'ledger', changes: [{ field: 'name', what: 'keep' }] },
    ]);
  });

  it('are recognized by the values that the service stored for them (E5)', () => {
    const code = codeOf(1, { name: 'menu', destination: MENU });
    const row = newRow(2, 'MENU', MENU);
    const ledger = madeBefore([code], [row]);
    expect(actionsOf(planOf([row], { codes: [code], ledger }))).toEqual(['unchanged n0001']);
    const copies = [codeOf(2, { name: 'menu', destination: MENU })];
    expect(actionsOf(planOf([row], { codes: copies, ledger: [...ledger] }))).toEqual(['gone']);
  });

  it('need a decision if their code may belong to another row, whose name the service shortened (E5)', () => {
    const [long, short] = ['Spring menu 2026 for the bar', 'Spring menu 2026 for'];
    const known = codeOf(1, { name: short, destination: 'https://example.com/d' });
    const ledger = madeBefore([known], [newRow(2, long, 'https://example.com/d')]);
    const other = codeOf(2, { name: short, destination: MENU });
    const rows = [newRow(2, long, MENU), newRow(3, 'Spring menu 2026 for table 13', MENU)];
    expect(actionsOf(planOf(rows, { codes: [known, other], ledger }))).toEqual(['undecided', 'undecided']);
    expect(actionsOf(planOf(rows.slice(0, 1), { codes: [known, other], ledger }))).toEqual(['exists n0002']);
  });

  it('have the action `gone` if the ledger has their code but the service does not', () => {
    const code = codeOf(1, { name: 'Menu', destination: MENU });
    const ledger = madeBefore([code]);
    expect(planOf([newRow(2, 'Menu', MENU)], { ledger }).items).toMatchObject([
      { action: 'gone', goneId: idOf(1) },
    ]);
    const wanted = planOf([newRow(2, 'Menu', MENU)], { ledger, policy: asNew('2') });
    expect(wanted.items).toMatchObject([{ action: 'create', isDecided: true, replaces: idOf(1) }]);
  });

  it('have the action `edited` if exactly one code has their name, but a different destination (E4)', () => {
    const code = codeOf(1, { name: 'Menu', destination: MENU });
    const row = newRow(2, 'Menu', 'https://example.com/summer');
    expect(actionsOf(planOf([row], { codes: [code] }))).toEqual(['edited n0001']);
    const applied = planOf([row], { codes: [code], policy: { applyEdits: true } });
    expect(applied.items).toMatchObject([
      { action: 'update', send: { destination: 'https://example.com/summer' } },
    ]);
  });

  it('have the action `edited` if exactly one code has their destination, but only if another row matches a code', () => {
    const [menu, other] = [codeOf(1, { name: 'Menu', destination: MENU }), codeOf(2)];
    const rows = [newRow(2, 'Lunch', MENU), newRow(3, other.name, other.destination ?? '')];
    expect(actionsOf(planOf(rows, { codes: [menu, other] }))).toEqual(['edited n0001', 'exists n0002']);
    expect(actionsOf(planOf(rows.slice(0, 1), { codes: [menu, other] }))).toEqual(['create']);
    const unnamed = [newRow(2, 'Lunch', MENU), newRow(3, other.name)];
    expect(actionsOf(planOf(unnamed, { codes: [menu, other] }))).toEqual(['edited n0001', 'unchanged n0002']);
  });

  it('have the action `edited` if every other code with their destination belongs to another edited row (E4)', () => {
    const codes = [
      codeOf(1, { name: 'Renamed', destination: MENU }),
      codeOf(2, { name: 'Bar', destination: MENU }),
      codeOf(3),
    ];
    const rows = [
      newRow(2, 'Menu', MENU),
      newRow(3, 'Bar', 'https://example.com/bar'),
      newRow(4, 'Code 3', 'https://example.com/3'),
    ];
    expect(actionsOf(planOf(rows, { codes }))).toEqual(['edited n0001', 'edited n0002', 'exists n0003']);
  });

  it('need a decision if a code has their destination and a truncated form of their name (E4)', () => {
    const code = codeOf(1, { name: 'A very long name of a c', destination: MENU });
    expect(actionsOf(planOf([newRow(2, 'A very long name of a code', MENU)], { codes: [code] }))).toEqual([
      'undecided',
    ]);
  });
});

describe('rows with an ID or slug', () => {
  it('match the code with that ID or slug, and a later row without either is new', () => {
    const code = codeOf(1);
    const rows = [rowOf(2, { of: code }), newRow(3, 'Added', MENU)];
    expect(actionsOf(planOf(rows, { codes: [code] }))).toEqual(['unchanged n0001', 'create']);
  });

  it('are refused by every command if their ID and slug belong to different codes (E2)', () => {
    const codes = [codeOf(1), codeOf(2)];
    for (const verb of ['create', 'update', 'apply', 'delete'] as const) {
      const { faults } = planOf([rowOf(2, { id: idOf(1), slug: 'n0002' })], { codes, policy: { verb } });
      expect(faults).toMatchObject([{ line: 2, message: expect.stringContaining('correct one of them') }]);
    }
  });

  it.each(['update', 'apply', 'delete', 'create'] as const)(
    'get a warning if they have the ID of a code and a slug that no code has (%s)',
    (verb) => {
      const code = codeOf(1);
      const row = { ...rowOf(2, { of: code }), slug: 'typo', ...(verb === 'apply' && { key: 'k' }) };
      const { faults, warnings } = planOf([row], { codes: [code], policy: { verb } });
      expect([faults, warnings]).toEqual([
        [],
        [
          {
            line: 2,
            column: 'slug',
            message: 'no code has the slug "typo"; the ID is used, whose slug is n0001',
          },
        ],
      ]);
      expect(planOf([rowOf(2, { of: code })], { codes: [code], policy: { verb } }).warnings).toEqual([]);
    },
  );

  it('are refused if two of them have the same code (E2)', () => {
    const { faults } = planOf([rowOf(2, { id: idOf(1) }), rowOf(3, { slug: 'n0001' })], {
      codes: [codeOf(1)],
    });
    expect(faults).toMatchObject([{ line: 3, message: expect.stringContaining('line 2') }]);
  });

  it('have the action `gone` if their code was deleted, or `deleted` with `qr delete` (E1)', () => {
    const rows = [rowOf(2, { id: idOf(1) })];
    expect(actionsOf(planOf(rows))).toEqual(['gone']);
    expect(actionsOf(planOf(rows, { policy: { verb: 'delete' } }))).toEqual(['deleted']);
  });
});

describe('a list that was saved and read back', () => {
  const saved = codeOf(1);
  const listed = (destination: string) => rowOf(2, { of: saved, base: baseOf(saved), wish: { destination } });
  const update = { policy: { verb: 'update' as const } };

  it('changes only fields whose values were edited', () => {
    const edit = 'https://example.com/new';
    expect(planOf([listed(edit)], { codes: [saved], ...update }).items).toMatchObject([
      { action: 'update', send: { destination: edit } },
    ]);
  });

  it('keeps later changes by another client', () => {
    const theirs = { ...saved, destination: 'https://example.com/theirs', status: 'paused' };
    const { items } = planOf([listed(saved.destination ?? '')], { codes: [theirs], ...update });
    expect(items).toMatchObject([
      { action: 'unchanged', send: {}, changes: [{ what: 'keep' }, { what: 'keep' }] },
    ]);
  });

  it('conflicts, and sends nothing for the row, if another client changed an edited field (E6)', () => {
    const theirs = { ...saved, destination: 'https://example.com/theirs' };
    const row = listed('https://example.com/mine');
    expect(planOf([row], { codes: [theirs], ...update }).items).toMatchObject([
      { action: 'conflict', send: {} },
    ]);
    const mine = { ...row, decision: { is: 'mine' as const } };
    expect(planOf([mine], { codes: [theirs], ...update }).items).toMatchObject([{ action: 'update' }]);
  });

  it('is compared with the values that later runs sent, not only with its saved values', () => {
    const ours = { ...saved, destination: 'https://example.com/b' };
    const ledger: LedgerRecord[] = [
      { is: 'run', run: 'before' },
      ...patched(1, 1, { destination: ours.destination }, { destination: saved.destination ?? '' }),
    ];
    const theirs = { ...saved, destination: 'https://example.com/theirs' };
    const again = planOf([listed(ours.destination)], { codes: [theirs], ledger, ...update });
    expect(again.items).toMatchObject([{ action: 'unchanged', changes: [{ what: 'keep' }] }]);
    const older = planOf([listed(saved.destination ?? '')], { codes: [ours], ledger, ...update });
    expect(older.items).toMatchObject([{ action: 'unchanged', changes: [{ what: 'keep' }] }]);
    const next = planOf([listed('https://example.com/c')], { codes: [ours], ledger, ...update });
    expect(next.items).toMatchObject([{ action: 'update', send: { destination: 'https://example.com/c' } }]);
  });

  it('is refused if one column was sorted by itself (E8)', () => {
    const codes = [1, 2, 3, 4].map((number) => codeOf(number));
    const rows = codes.map((code, at) =>
      rowOf(at + 2, {
        of: code,
        base: baseOf(code),
        wish: { destination: codes[(at + 1) % 4]?.destination ?? '' },
      }),
    );
    expect(planOf(rows, { codes, ...update }).brakes).toMatchObject([{ is: 'shifted' }]);
    expect(planOf(rows, { codes, policy: { verb: 'update', force: true } }).brakes).toEqual([]);
  });

  it('is refused if one column was sorted by itself, even if another client has changed one of its values (E8)', () => {
    const places = ['a', 'b', 'c'].map((place) => `https://example.com/${place}`);
    const saved = places.map((destination, at) => codeOf(at + 1, { destination }));
    const rows = saved.map(({ name }, at) => newRow(at + 2, name, places[(at + 1) % 3], { key: `k${at}` }));
    const lock = new Map(saved.map((code, at) => [`k${at}`, { ...code, key: `k${at}` } as LockEntry]));
    const codes = saved.map((code, at) => (at === 0 ? { ...code, destination: MENU } : code));
    expect(planOf(rows, { codes, lock, policy: { verb: 'apply' } }).brakes).toMatchObject([
      { is: 'shifted' },
    ]);
  });

  it('is refused if a sorted column changes two codes and the type of a third row (E8)', () => {
    const codes = [codeOf(1), codeOf(2), codeOf(3), codeOf(4, { type: 'vcard', destination: null })];
    const [one, two, three, four] = codes.map(({ name, destination }) => [name, destination ?? ''] as const);
    const rows = [one, two, three, four].map((cells, at) => newRow(at + 2, cells?.[0] ?? ''));
    const sorted = [two, one, four, three].map((cells, at) => ({
      ...newRow(at + 2, rows[at]?.wish.name ?? '', cells?.[1]),
      ...(cells === four && { type: 'vcard' }),
    }));
    const ledger = madeBefore(codes);
    const asked = planOf(sorted, { codes, ledger, policy: { applyEdits: true } });
    expect(asked.brakes).toMatchObject([{ is: 'shifted' }]);
  });

  it('is refused if a sorted column gives two codes and a new row the values of other codes (E8)', () => {
    const codes = [codeOf(1), codeOf(2), codeOf(3)];
    const places = ['https://example.com/0', 'https://example.com/1', 'https://example.com/2'];
    const rows = codes.map((code, at) => newRow(at + 2, code.name, places[at], { id: code.id }));
    const added = newRow(5, 'Added', 'https://example.com/3');
    const asked = { codes, ledger: madeBefore(codes), policy: { applyEdits: true } };
    expect(planOf([...rows, added], asked).brakes).toMatchObject([{ is: 'shifted' }]);
    expect(planOf([...rows, newRow(5, 'Added', 'https://example.com/4')], asked).brakes).toEqual([]);
  });

  it('is refused if only the statuses were sorted, but not if active and paused codes swapped statuses (E8)', () => {
    const statuses = Array.from({ length: 8 }, (_, at) => (at % 2 ? 'active' : 'paused'));
    const codes = statuses.map((status, at) => codeOf(at + 1, { status }));
    const planWith = (wishes: readonly string[], current = codes) => {
      const rows = codes.map((code, at) =>
        rowOf(at + 2, { of: code, base: baseOf(code), wish: { status: wishes[at] ?? '' } }),
      );
      return planOf(rows, { codes: current, ...update });
    };
    expect(planWith([...statuses].sort()).brakes).toMatchObject([
      {
        is: 'shifted',
        message: 'the column "status" may have been sorted by itself: 4 rows have values that other rows had',
      },
    ]);
    expect(planWith([...statuses].reverse()).brakes).toEqual([]);
    // The cell counts, not the status that another client set since and that is kept.
    const changed = codes.map((code, at) => (at === 1 ? { ...code, status: 'paused' } : code));
    expect(planWith([...statuses].sort(), changed).brakes).toMatchObject([{ is: 'shifted' }]);
  });

  it('is refused if one column was sorted by itself, even if the codes of some rows were deleted (E8)', () => {
    const codes = [1, 2, 3, 4, 5].map((number) => codeOf(number));
    const rows = codes.map((code, at) =>
      rowOf(at + 2, {
        of: code,
        base: baseOf(code),
        wish: { destination: codes[(at + 1) % 5]?.destination ?? '' },
      }),
    );
    const left = codes.filter((_, at) => at === 0 || at === 2 || at === 4);
    expect(planOf(rows, { codes: left, ...update }).brakes).toMatchObject([{ is: 'shifted' }]);
    const untouched = rows.map((row, at) =>
      at % 2 ? rowOf(at + 2, { of: codes[at], base: row.base }) : row,
    );
    expect(planOf(untouched, { codes: left, ...update }).brakes).toEqual([]);
  });

  it('is refused if the statuses were sorted and one row no longer has the status that qrctl set (E8)', () => {
    const codes = ['expired', 'paused', 'active', 'active'].map((status, at) => codeOf(at + 1, { status }));
    const sorted = [{}, { status: 'active' }, { status: 'expired' }, { status: 'paused' }].map((wish, at) =>
      rowOf(at + 2, { id: idOf(at + 1), wish }),
    );
    const ledger: LedgerRecord[] = [
      ...madeBefore(codes),
      ...patched(9, 1, { status: 'expired' }, { status: 'active' }, 'next'),
    ];
    expect(planOf(sorted, { codes, ledger, ...update }).brakes).toMatchObject([{ is: 'shifted' }]);
    expect(planOf(sorted, { codes, ...update }).brakes).toEqual([]);
  });

  it('is refused if it changes more codes than --max-changes, or its default, allows (E8)', () => {
    const codes = Array.from({ length: 40 }, (_, at) => codeOf(at + 1));
    const rows = codes.map((code, at) =>
      rowOf(at + 2, { of: code, base: baseOf(code), wish: { name: `New ${at}` } }),
    );
    expect(planOf(rows, { codes, ...update }).brakes).toMatchObject([{ is: 'max-changes' }]);
    expect(planOf(rows.slice(0, 10), { codes, ...update }).brakes).toEqual([]);
    const { brakes } = planOf(rows.slice(0, 2), {
      codes,
      policy: { ...update.policy, maxChanges: { count: 1 } },
    });
    expect(brakes).toMatchObject([
      {
        message: 'the plan changes 2 codes, but only 1 is allowed',
        flag: '--max-changes 2',
      },
    ]);
  });
});

describe('a request without a response', () => {
  const values = { name: 'Menu', type: 'url', destination: MENU };
  const ledger: LedgerRecord[] = [
    { is: 'run', run: 'before', ids: [idOf(1)] },
    { is: 'post', run: 'before', n: 1, values },
  ];
  const row = newRow(2, 'Menu', MENU);
  const code = codeOf(2, values);

  it('is matched with the code that it created, and the code is assigned to its row', () => {
    const { items } = planOf([row], { codes: [codeOf(1), code], ledger });
    expect(items).toMatchObject([
      { action: 'unchanged', how: 'lost', learned: [{ is: 'made', n: 1, id: idOf(2) }] },
    ]);
  });

  it('is sent again only if a listing after the visibility delay does not contain its code (E11)', () => {
    expect(planOf([row], { codes: [codeOf(1)], ledger }).items).toMatchObject([
      { action: 'create', isWaiting: true },
    ]);
    const settled = planOf([row], { codes: [codeOf(1)], ledger, isSettled: true });
    expect(settled.items).toMatchObject([{ action: 'create', isWaiting: false, repeats: { n: 1 } }]);
  });

  it('is not matched with a code that existed before the request (E13)', () => {
    const before = codeOf(1, values);
    const decided = ledger.map((record) =>
      record.is === 'post' ? { ...record, decided: true as const } : record,
    );
    expect(planOf([row], { codes: [before], ledger: decided, isSettled: true }).items).toMatchObject([
      { action: 'create' },
    ]);
  });

  it('needs a decision if a new code resembles it, and the decision applies to that request only (E7)', () => {
    const changed = codeOf(2, { ...values, name: 'Lunch' });
    const asked = { codes: [codeOf(1), changed], ledger, isSettled: true };
    expect(actionsOf(planOf([row], asked))).toEqual(['undecided']);
    const policy = asNew('2');
    expect(planOf([row], { ...asked, policy }).items).toMatchObject([{ action: 'create', isDecided: true }]);
    const used: LedgerRecord[] = [
      ...ledger,
      { is: 'post', run: 'before', n: 2, values, again: 1, decided: true },
    ];
    expect(actionsOf(planOf([row], { ...asked, ledger: used, policy }))).toEqual(['undecided']);
  });

  it('prevents other rows from matching a code that the request may have created', () => {
    const cut = codeOf(2, { name: 'Spring menu 2026 for', destination: MENU });
    const lost = { name: 'Spring menu 2026 for table 12', type: 'url', destination: MENU };
    const sent: LedgerRecord[] = [
      { is: 'run', run: 'before', ids: [] },
      { is: 'post', run: 'before', n: 1, values: lost },
    ];
    const rows = [newRow(2, lost.name, MENU), newRow(3, cut.name, MENU)];
    const settled = planOf(rows, { codes: [cut], ledger: sent, isSettled: true });
    expect(actionsOf(settled)).toEqual(['undecided', 'undecided']);
    expect(planOf(rows, { codes: [cut], ledger: sent }).items).toMatchObject([
      { action: 'create', isWaiting: true },
      { action: 'undecided', candidates: [{ id: cut.id }] },
    ]);
    const edited = [newRow(2, lost.name, MENU), newRow(3, cut.name, 'https://example.com/other')];
    const guessed = planOf(edited, {
      codes: [cut],
      ledger: sent,
      policy: { applyEdits: true },
      isSettled: true,
    });
    expect(guessed.items).toMatchObject([{ action: 'undecided' }, { action: 'undecided', send: {} }]);
  });

  it('needs a decision, and is not repeated, if a later request created a code for the same key', () => {
    const poster = { name: 'Poster', type: 'vcard' };
    const later = codeOf(2, { name: 'Other', type: 'vcard', destination: null });
    const sent: LedgerRecord[] = [
      { is: 'run', run: 'before', ids: [] },
      { is: 'post', run: 'before', n: 1, values: poster, key: 'k' },
      { is: 'post', run: 'before', n: 2, values: { name: 'Other', type: 'vcard' }, key: 'k' },
      { is: 'made', n: 2, id: later.id, slug: later.slug, stored: { name: 'Other', status: 'active' } },
    ];
    const again = newRow(2, 'Poster', undefined, { key: 'k', type: 'vcard' });
    const settled = planOf([again], { codes: [later], ledger: sent, isSettled: true });
    expect(actionsOf(settled)).toEqual(['undecided']);
  });

  it('makes its edited row wait until a listing contains the code, and the row then has the action `edited`', () => {
    const edited = newRow(2, 'Menu', 'https://example.com/summer');
    expect(planOf([edited], { codes: [codeOf(1)], ledger }).items).toMatchObject([
      { action: 'create', isWaiting: true },
    ]);
    expect(actionsOf(planOf([edited], { codes: [codeOf(1), code], ledger }))).toEqual(['edited n0002']);
  });

  it('that was repeated needs a decision if both requests created a code, even if its row has changes to send (E15)', () => {
    const repeated: LedgerRecord[] = [
      ...ledger,
      { is: 'post', run: 'before', n: 2, values, again: 1 },
      made(2, code),
    ];
    const late = codeOf(3, values);
    const { items } = planOf([row], { codes: [codeOf(1), code, late], ledger: repeated });
    expect(items).toMatchObject([
      { action: 'undecided', candidates: [{ slug: 'n0002' }, { slug: 'n0003' }] },
    ]);
    // Otherwise the next run would send it, because it no longer asks.
    const edited = rowOf(2, { of: { ...code, name: 'Lunch' } });
    const changed = planOf([edited], {
      codes: [codeOf(1), code, late],
      ledger: repeated,
      policy: { verb: 'update' },
    });
    expect(changed.items).toMatchObject([
      { action: 'update', send: { name: 'Lunch' } },
      { action: 'undecided', candidates: [{ slug: 'n0003' }] },
    ]);
  });
});

describe('qr apply', () => {
  const apply = { verb: 'apply' as const, conflicts: 'file' as const };
  const entry = (number: number, key: string) => {
    const { id, slug, name, type, destination, status } = codeOf(number);
    return { key, id, slug, name, type, destination, status };
  };
  const lockOf = (...entries: ReturnType<typeof entry>[]) => new Map(entries.map((one) => [one.key, one]));

  it('gives a row with the values of a code the action `exists`, and adopts the code only on request', () => {
    const code = codeOf(1);
    const row = newRow(2, code.name, code.destination ?? '', { key: 'menu' });
    expect(actionsOf(planOf([row], { codes: [code], policy: apply }))).toEqual(['exists n0001']);
    expect(actionsOf(planOf([row], { codes: [code], policy: { ...apply, adoptExisting: true } }))).toEqual([
      'adopt n0001',
    ]);
  });

  it('matches a key that is the slug of a code to that code, even without a lock file', () => {
    const codes = [1, 2].map((number) =>
      codeOf(number, { name: 'Tent', destination: MENU, status: number === 2 ? 'paused' : 'active' }),
    );
    const rows = codes.map((code, at) =>
      newRow(at + 2, 'Tent', MENU, {
        key: code.slug,
        wish: { name: 'Tent', destination: MENU, status: code.status },
      }),
    );
    const { items } = planOf(rows, { codes, policy: apply });
    expect(items).toMatchObject([
      { action: 'adopt', code: { slug: 'n0001' }, send: {} },
      { action: 'adopt', code: { slug: 'n0002' }, send: {} },
    ]);
  });

  it("requires a decision about a key in the ledger if a row with another key has the values of the key's code", () => {
    const code = codeOf(1, { name: 'Menu', destination: MENU });
    const ledger = madeBefore([code], [newRow(2, 'Menu', MENU, { key: 'k1' })]);
    const rows = [newRow(2, 'Menu', MENU, { key: 'k2' }), newRow(3, 'Lunch', MENU, { key: 'k1' })];
    const asked = planOf(rows, { codes: [code], ledger, policy: { verb: 'apply' } });
    expect(asked.items.map(({ action }) => action)).toEqual(['exists', 'undecided']);
    const adopting = planOf(rows, { codes: [code], ledger, policy: { verb: 'apply', adoptExisting: true } });
    expect(adopting.items.map(({ action }) => action)).toEqual(['adopt', 'create']);
  });

  it.each(['7', '007\u200b', '00 7'])(
    'requires a decision about the altered key %j, even if its row was edited',
    (key) => {
      const lock = lockOf(entry(1, '007'));
      const row = newRow(2, 'Code 1', 'https://example.com/new', { key });
      const policy = { ...apply, removed: 'pause' as const };
      const reason = expect.stringContaining('its key differs from the key "007"');
      // Its code is not that of a removed key.
      expect(planOf([row], { codes: [codeOf(1)], lock, policy }).items).toMatchObject([
        { action: 'undecided', candidates: [{ slug: 'n0001' }], reason },
      ]);
    },
  );

  it('overwrites edits by other clients and reports them, but keeps the edits with --conflicts service', () => {
    const theirs = codeOf(1, { destination: 'https://example.com/theirs' });
    const row = newRow(2, 'Code 1', 'https://example.com/1', { key: 'menu' });
    const lock = lockOf(entry(1, 'menu'));
    const planned = (conflicts: 'file' | 'service') =>
      planOf([row], { codes: [theirs], lock, policy: { ...apply, conflicts } }).items;
    expect(planned('file')).toMatchObject([{ action: 'update', changes: [{ what: 'overwrite' }] }]);
    expect(planned('service')).toMatchObject([{ action: 'unchanged', changes: [{ what: 'keep' }] }]);
  });

  it('reports a changed status that the file does not manage', () => {
    const row = newRow(2, 'Code 1', 'https://example.com/1', { key: 'menu' });
    const { items } = planOf([row], {
      codes: [codeOf(1, { status: 'paused' })],
      lock: lockOf(entry(1, 'menu')),
      policy: apply,
    });
    expect(items).toMatchObject([
      { action: 'unchanged', changes: [{ field: 'status', what: 'drift' }], send: {} },
    ]);
  });

  it('creates one code for a decision `new` that stays in the file, even on a machine without a ledger', () => {
    const row = newRow(2, 'Code 1', 'https://example.com/1', { key: 'menu', decision: { is: 'new' } });
    const lock = lockOf(entry(1, 'menu'));
    expect(planOf([row], { lock, policy: apply }).items).toMatchObject([{ action: 'create' }]);
    expect(planOf([row], { codes: [codeOf(1)], lock, policy: apply }).items).toMatchObject([
      { action: 'unchanged' },
    ]);
  });

  it("does not apply a row's decision `new` again if several codes have the row's values", () => {
    const made = [codeOf(1, { name: 'A', destination: MENU }), codeOf(2, { name: 'A', destination: MENU })];
    const row = newRow(2, 'A', MENU, { key: 'a', decision: { is: 'new' } });
    expect(actionsOf(planOf([row], { codes: made.slice(0, 1), policy: apply }))).toEqual(['create']);
    const policy = { ...apply, adoptExisting: true };
    expect(actionsOf(planOf([row], { codes: made, policy }))).toEqual(['undecided']);
  });

  it('gives a row the action `exists` if the ledger has its code under another key', () => {
    const code = codeOf(1);
    const ledger = madeBefore([code], [newRow(2, code.name, code.destination ?? '', { key: 'menu' })]);
    const row = newRow(2, code.name, code.destination ?? '', { key: 'lunch' });
    expect(actionsOf(planOf([row], { codes: [code], ledger, policy: apply }))).toEqual(['exists n0001']);
  });
});

describe('equal rows', () => {
  const values = { name: 'Flyer', destination: MENU };
  const codes = [1, 2, 3].map((number) => codeOf(number, values));
  const rows = [2, 3, 4].map((line) => newRow(line, 'Flyer', MENU));

  it('keep their codes in the order in which the codes were created', () => {
    expect(actionsOf(planOf(rows, { codes, ledger: madeBefore(codes) }))).toEqual([
      'unchanged n0001',
      'unchanged n0002',
      'unchanged n0003',
    ]);
  });

  it('keep the codes in the earlier results if a row is removed, or else the first codes', () => {
    const ledger = madeBefore(codes);
    expect(actionsOf(planOf(rows.slice(0, 2), { codes, ledger }))).toEqual([
      'unchanged n0001',
      'unchanged n0002',
    ]);
    const earlierIds = new Set([idOf(2), idOf(3)]);
    expect(actionsOf(planOf(rows.slice(0, 2), { codes, ledger, earlierIds }))).toEqual([
      'unchanged n0002',
      'unchanged n0003',
    ]);
  });

  it('whose codes were found on the service keep the codes in the order of the listing', () => {
    const found = [3, 1, 2].map((number): LedgerRecord => {
      const { id, type } = codeOf(number);
      const row = { ...values, type };
      return { is: 'found', run: 'before', id, row, stored: values };
    });
    expect(actionsOf(planOf(rows, { codes, ledger: found }))).toEqual([
      'unchanged n0001',
      'unchanged n0002',
      'unchanged n0003',
    ]);
  });

  it('are matched with the codes that have the same status', () => {
    const [first, second] = [codeOf(1, values), codeOf(2, { ...values, status: 'paused' })];
    const asked = [rowOf(2, { wish: { ...values, status: 'paused' } }), newRow(3, 'Flyer', MENU)];
    expect(actionsOf(planOf(asked, { codes: [first, second] }))).toEqual(['exists n0002', 'exists n0001']);
  });
});

it('equal rows with --as-new are never matched with a code that they replace, even after a lost response', () => {
  const place = { name: 'Flyer', type: 'url', destination: MENU };
  const flyer = codeOf(1, place);
  const ledger: LedgerRecord[] = [
    { is: 'run', run: 'before', ids: [] },
    { is: 'post', run: 'before', n: 1, values: place },
    made(1, flyer),
    { is: 'post', run: 'before', n: 2, values: place },
  ];
  const rows = [newRow(2, 'Flyer', MENU), newRow(3, 'Flyer', MENU)];
  const policy = decide({ asNewAll: true });
  expect(planOf(rows, { codes: [flyer], ledger, policy, isSettled: true }).items).toMatchObject([
    { action: 'create', isDecided: true, replaces: flyer.id },
    { action: 'create', isDecided: true, repeats: { n: 2 } },
  ]);
});

describe('keys that are in the ledger but in no lock file', () => {
  const codes = [1, 2].map((number) => codeOf(number));
  const keyed = codes.map((code, at) =>
    newRow(at + 2, code.name, code.destination ?? '', { key: `${at + 1}` }),
  );
  const ledger = madeBefore(codes, keyed);

  it('do not assign a code to a row if another row has exactly the values of the code', () => {
    const renumbered = [
      newRow(2, 'New', 'https://example.com/new', { key: '1' }),
      newRow(3, 'Code 1', 'https://example.com/1', { key: '2' }),
      newRow(4, 'Code 2', 'https://example.com/2', { key: '3' }),
    ];
    expect(actionsOf(planOf(renumbered, { codes, ledger }))).toEqual([
      'create',
      'exists n0001',
      'exists n0002',
    ]);
  });

  it('that two files share assign a row the code created from its values, even after that code was edited', () => {
    const [ours, theirs] = [codeOf(1), codeOf(2)];
    const shared: LedgerRecord[] = [
      { is: 'run', run: 'before', ids: [] },
      ...[ours, theirs].flatMap((code, at): LedgerRecord[] => {
        const values = { name: code.name, type: code.type, destination: code.destination ?? '' };
        return [{ is: 'post', run: 'before', n: at + 1, values, key: 'k' }, made(at + 1, code)];
      }),
    ];
    const row = newRow(2, ours.name, ours.destination ?? '', { key: 'k' });
    const edited = { ...ours, name: 'Renamed', destination: 'https://example.com/renamed' };
    expect(actionsOf(planOf([row], { codes: [edited, theirs], ledger: shared }))).toEqual([
      'unchanged n0001',
    ]);
  });

  it('that two files share need a decision if the edited row may belong to either of two codes that exist', () => {
    const [ours, theirs] = [codeOf(1, { name: 'Menu' }), codeOf(2, { name: 'Menu' })];
    const rows = [ours, theirs].map((code) => newRow(2, 'Menu', code.destination ?? '', { key: 'k' }));
    const before = madeBefore([ours, theirs], rows);
    const edited = newRow(2, 'Menu', MENU, { key: 'k' });
    const policy = { applyEdits: true };
    expect(planOf([edited], { codes: [ours, theirs], ledger: before, policy }).items).toMatchObject([
      { action: 'undecided', candidates: [{ id: ours.id }, { id: theirs.id }] },
    ]);
    expect(planOf([edited], { codes: [ours], ledger: before, policy }).items).toMatchObject([
      { action: 'update', code: { id: ours.id } },
    ]);
  });

  it('do not link a new code from another file to the deleted code with the same key', () => {
    const [deleted, other] = [codeOf(1), newRow(2, 'Other', 'https://example.com/other', { key: '1' })];
    const before = madeBefore([deleted], keyed);
    expect(actionsOf(planOf([other], { ledger: before }))).toEqual(['gone']);
    const [item] = planOf([other], { ledger: before, policy: decide({ asNewAll: true }) }).items;
    expect(item).toMatchObject({ action: 'create', isDecided: true });
    expect(item?.replaces).toBeUndefined();
  });

  it('need a decision in `qr apply`, because another file may have them, unless the run that used them was killed', () => {
    const apply = { verb: 'apply' } as const;
    expect(actionsOf(planOf(keyed, { codes, ledger, policy: apply }))).toEqual([
      'exists n0001',
      'exists n0002',
    ]);
    const adopted = planOf(keyed, { codes, ledger, policy: { ...apply, adoptExisting: true } });
    expect(actionsOf(adopted)).toEqual(['unchanged n0001', 'unchanged n0002']);
    const killed = planOf(keyed, { codes, ledger: ledger.slice(0, -1), policy: apply });
    expect(actionsOf(killed)).toEqual(['unchanged n0001', 'unchanged n0002']);
    expect(actionsOf(planOf(keyed, { codes, ledger, policy: { ...apply, ...asNew('2') } }))).toEqual([
      'exists n0001',
      'create',
    ]);
  });

  it('give an edited row the action `edited` if its name is unchanged, or `undecided` with `qr apply`', () => {
    const edited = newRow(2, 'Code 1', 'https://example.com/edited', { key: '1' });
    expect(actionsOf(planOf([edited], { codes, ledger }))).toEqual(['edited n0001']);
    expect(actionsOf(planOf([edited], { codes, ledger, policy: { verb: 'apply' } }))).toEqual(['undecided']);
  });
});

it('a plan adds UTM tags from flags only to codes with a web address, and reports the other codes', () => {
  const codes = [codeOf(1), codeOf(2, { type: 'wifi', destination: null })];
  const rows = codes.map(({ id }, at) => rowOf(at + 2, { id, utm: { source: 'flyer' }, mayLackUtm: true }));
  const { items, faults, warnings } = planOf(rows, { codes, policy: { verb: 'update' } });
  expect(items.map(({ send }) => send)).toEqual([
    { destination: 'https://example.com/1?utm_source=flyer' },
    {},
  ]);
  expect([faults, warnings]).toEqual([
    [],
    [{ message: '1 code has no web address, so it gets no UTM tags' }],
  ]);
  const own = rows.map((row) => ({ ...row, mayLackUtm: false }));
  expect(planOf(own, { codes, policy: { verb: 'update' } }).faults).toMatchObject([{ line: 3 }]);
});

describe('a deletion', () => {
  const code = codeOf(1);
  const verb = { policy: { verb: 'delete' as const } };
  const row = rowOf(2, { id: code.id, base: baseOf(code) });

  it('needs a decision if the code was changed since its row was saved (E6)', () => {
    const changed = codeOf(1, { destination: MENU });
    expect(planOf([row], { codes: [code], ...verb }).items).toMatchObject([{ action: 'delete' }]);
    expect(planOf([row], { codes: [changed], ...verb }).items).toMatchObject([
      { action: 'conflict', changes: [{ field: 'destination', old: MENU }] },
    ]);
    const decided = { ...row, decision: { is: 'mine' as const } };
    expect(planOf([decided], { codes: [changed], ...verb }).items).toMatchObject([{ action: 'delete' }]);
    const paused = codeOf(1, { status: 'paused' });
    const patch = { run: 'r', n: 1, id: code.id, set: { status: 'paused' }, before: { status: 'active' } };
    const ledger: LedgerRecord[] = [{ is: 'patch', ...patch, pause: 'backup' }];
    expect(planOf([row], { codes: [paused], ledger, ...verb }).items).toMatchObject([{ action: 'delete' }]);
    expect(planOf([row], { codes: [paused], ...verb }).items).toMatchObject([{ action: 'conflict' }]);
    const emptied = codeOf(1, { destination: null });
    expect(planOf([row], { codes: [emptied], ...verb }).items).toMatchObject([
      { action: 'conflict', changes: [{ field: 'destination', old: '', new: '', what: 'conflict' }] },
    ]);
    const empty = { ...row, base: baseOf(emptied) };
    expect(planOf([empty], { codes: [emptied], ...verb }).items).toMatchObject([{ action: 'delete' }]);
    const unknown = { ...row, base: baseOf({}) };
    expect(planOf([unknown], { codes: [changed], ...verb }).items).toMatchObject([{ action: 'delete' }]);
  });
});

describe('decisions', () => {
  it('are refused if they assign a code that belongs to another row', () => {
    const codes = [codeOf(1), codeOf(2)];
    const rows = [
      newRow(2, 'Code 1', 'https://example.com/1'),
      newRow(3, 'Code 2', 'https://example.com/2'),
      newRow(4, 'Added', MENU),
    ];
    const assign = (row: string, number: number) => decide({ adopt: new Map([[row, idOf(number)]]) });
    const planWith = (row: string, number: number) =>
      planOf(rows, { codes: [...codes, codeOf(3)], ledger: madeBefore(codes), policy: assign(row, number) });
    expect(planWith('4', 1).faults).toMatchObject([
      { line: 4, message: 'the code n0001 is also that of line 2' },
    ]);
    expect(planWith('4', 3).faults).toEqual([]);
    expect(planWith('2', 1).faults).toEqual([]);
  });

  it('identify a row by its line or key, and are refused if the number is both a line and a key', () => {
    const rows = [newRow(2, 'A', MENU), newRow(3, 'B', `${MENU}/b`, { key: '2' })];
    expect(planOf(rows, { policy: asNew('2') }).faults).toMatchObject([
      { message: expect.stringContaining('line:2 or key:2') },
    ]);
    const planned = planOf(rows, { policy: asNew('line:2') });
    expect([planned.faults, planned.items.map(({ isDecided }) => isDecided)]).toEqual([[], [true, false]]);
  });

  it('may apply to a range of lines, and are refused if the range is also a key', () => {
    const rows = [newRow(2, 'A', MENU), newRow(3, 'B', `${MENU}/b`), newRow(4, 'C', `${MENU}/c`)];
    const planned = planOf(rows, { policy: asNew('2-3') });
    expect(planned.items.map(({ isDecided }) => isDecided)).toEqual([true, true, false]);
    const keyed = rows.map((row) => ({ ...row, key: row.line === 4 ? '2-3' : `k${row.line}` }));
    expect(planOf(keyed, { policy: asNew('2-3') }).faults).toMatchObject([
      { message: expect.stringContaining('is a key and a range of lines: write key:2-3') },
    ]);
    expect(planOf(keyed, { policy: asNew('key:2-3') }).items.map(({ isDecided }) => isDecided)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('to create a new code apply again if that code was also deleted, unless they are in the file for `qr apply`', () => {
    const [first, second] = [codeOf(1, { name: 'A', destination: MENU }), codeOf(2)];
    const values = { name: 'A', type: 'url', destination: MENU };
    const stored = { name: 'A', destination: MENU, status: 'active' };
    const post = { is: 'post', run: 'second', values, decided: true, replaces: first.id, n: 2 } as const;
    const ledger: LedgerRecord[] = [
      ...madeBefore([first]),
      { is: 'run', run: 'second', ids: [] },
      post,
      { is: 'made', n: 2, id: second.id, slug: second.slug, stored },
    ];
    const row = newRow(2, 'A', MENU);
    expect(actionsOf(planOf([row], { ledger }))).toEqual(['gone']);
    expect(planOf([row], { ledger, policy: asNew('2') }).items).toMatchObject([
      { action: 'create', isDecided: true, replaces: second.id },
    ]);
    const present = { ...second, name: 'A', destination: MENU };
    expect(actionsOf(planOf([row], { ledger, codes: [present], policy: asNew('2') }))).toEqual([
      `unchanged ${second.slug}`,
    ]);
    const kept = { ...row, decision: { is: 'new' as const } };
    expect(actionsOf(planOf([kept], { ledger, policy: { verb: 'apply' } }))).toEqual(['gone']);
    expect(actionsOf(planOf([kept], { ledger, policy: { verb: 'apply', ...asNew('2') } }))).toEqual([
      'create',
    ]);
  });

  it('in a results file are not applied again on another machine', () => {
    const [old, made] = [
      codeOf(1, { name: 'Old', destination: MENU }),
      codeOf(2, { name: 'New', destination: MENU }),
    ];
    const row = rowOf(2, { id: old.id, wish: { name: 'New', destination: MENU }, decision: { is: 'new' } });
    expect(actionsOf(planOf([row], { codes: [old] }))).toEqual(['create']);
    expect(actionsOf(planOf([row], { codes: [old, made] }))).toEqual(['exists n0002']);
  });

  it('that were applied do not decide a later conflict in the same row', () => {
    const theirs = codeOf(1, { destination: 'https://example.com/later' });
    const row = rowOf(2, {
      of: codeOf(1),
      base: baseOf(codeOf(1)),
      wish: { destination: MENU },
      decision: { is: 'mine' },
    });
    const ledger = patched(1, 1, { destination: MENU }, { destination: 'https://example.com/x' });
    const policy = { verb: 'update' as const };
    expect(planOf([row], { codes: [theirs], policy }).items).toMatchObject([{ action: 'update' }]);
    expect(planOf([row], { codes: [theirs], ledger, policy }).items).toMatchObject([{ action: 'conflict' }]);
  });
});

describe('several codes with the name of a row', () => {
  it('need a decision if another row in the file has a code', () => {
    const codes = [codeOf(1, { name: 'Lobby' }), codeOf(2, { name: 'Lobby' }), codeOf(3)];
    const rows = [newRow(2, 'Lobby', MENU), newRow(3, 'Code 3', 'https://example.com/3')];
    expect(planOf(rows, { codes }).items).toMatchObject([
      { action: 'undecided', candidates: [expect.anything(), expect.anything()] },
      { action: 'exists' },
    ]);
  });
});

describe('files from another workspace or with sorted IDs', () => {
  it('are refused if the workspace has none of the IDs in the earlier results', () => {
    const rows = [newRow(2, 'A', MENU)];
    const earlierIds = new Set([idOf(7), idOf(8)]);
    expect(planOf(rows, { earlierIds }).brakes).toMatchObject([{ is: 'other-workspace' }]);
    expect(planOf(rows, { earlierIds, codes: [codeOf(7), codeOf(8)] }).brakes).toEqual([]);
  });

  it("are refused if three rows, but not if only two rows, have the ID of another row's code", () => {
    const codes = [1, 2, 3].map((number) => codeOf(number));
    const rows = codes.map((code, at) =>
      rowOf(at + 2, { of: code, id: idOf(3 - at), slug: undefined, base: baseOf(code) }),
    );
    expect(
      planOf([...rows, rowOf(5, { of: codeOf(4), base: baseOf(codeOf(4)) })], {
        codes: [...codes, codeOf(4)],
      }).brakes,
    ).toEqual([]);
    const shifted = codes.map((code, at) =>
      rowOf(at + 2, { of: code, id: idOf(((at + 1) % 3) + 1), slug: undefined, base: baseOf(code) }),
    );
    expect(planOf(shifted, { codes, policy: { verb: 'update' } }).brakes).toMatchObject([{ is: 'shifted' }]);
  });

  it("are refused if three rows, but not if only two rows, have the key of another row's code", () => {
    const codes = [1, 2, 3].map((number) => codeOf(number));
    const keyed = (...keys: string[]) =>
      codes.map((code, at) => rowOf(at + 2, { of: code, key: keys[at], base: baseOf(code) }));
    const ledger = madeBefore(codes, keyed('a', 'b', 'c'));
    expect(planOf(keyed('b', 'a', 'c'), { codes, ledger }).brakes).toEqual([]);
    expect(planOf(keyed('b', 'c', 'a'), { codes, ledger }).brakes).toMatchObject([{ is: 'shifted' }]);
  });
});

it('a lock file is refused if an ID in it belongs to a code with a different slug', () => {
  const { id, name, type, destination, status } = codeOf(1);
  const lock = new Map([['menu', { key: 'menu', id, slug: 'n0002', name, type, destination, status }]]);
  const { faults } = planOf([newRow(2, name, destination ?? '', { key: 'menu' })], {
    codes: [codeOf(1), codeOf(2)],
    lock,
    policy: { verb: 'apply' },
  });
  expect(faults).toMatchObject([
    { line: 2, message: expect.stringContaining('lock file has the slug n0002') },
  ]);
});
