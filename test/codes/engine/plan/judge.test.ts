import { describe, expect, it } from 'vitest';
import { judgeNew } from '#codes/engine/plan/judge';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import type { Row } from '#codes/engine/plan/model';
import { codeOf, idOf, newRow, planOf, rowOf } from './make.ts';

const MENU = 'https://example.com/menu';

const fault = (column: string, message: string) => ({ line: 2, column, message });

describe('a new row', () => {
  const apply = (row: Row, force = false) => {
    const { faults, warnings } = planOf([{ ...row, key: 'k' }], { policy: { verb: 'apply', force } });
    return { faults, warnings };
  };

  it('is refused without a name or destination, but --force permits the destination to be empty', () => {
    const noName = fault('name', 'is empty: a new code needs a name');
    const noPlace = fault('destination', 'is empty and cannot be opened when scanned');
    const row = rowOf(2);
    expect(apply(row)).toEqual({ faults: [noName, { ...noPlace, mayForce: true }], warnings: [] });
    expect(apply(row, true)).toEqual({ faults: [noName], warnings: [noPlace] });
    expect(apply(newRow(2, 'Menu', MENU))).toEqual({ faults: [], warnings: [] });
  });

  it('is refused if its destination cannot be opened, and gets a warning if not every phone can open it', () => {
    expect(apply(newRow(2, 'Menu', 'nope')).faults).toEqual([
      {
        ...fault('destination', 'nope cannot be opened when scanned: it does not begin with https://'),
        mayForce: true,
      },
    ]);
    expect(apply(newRow(2, 'Call', 'tel:1'))).toEqual({
      faults: [],
      warnings: [fault('destination', 'tel:1 is not a web address, so not every phone can open it')],
    });
  });

  it('needs no destination if its type is not url', () => {
    expect(apply(newRow(2, 'Guests', undefined, { type: 'wifi' }))).toEqual({ faults: [], warnings: [] });
  });

  it('gets the fault of the file instead of its own if the file has no destination column', () => {
    const noDestination = { line: 1, column: 'destination', message: 'is missing' };
    expect(apply(newRow(2, 'Menu', undefined, { noDestination }))).toEqual({
      faults: [noDestination],
      warnings: [],
    });
  });

  it('is refused for an unknown type, without faults that depend on its type', () => {
    const typeFault = fault('type', 'is not a type');
    expect(apply(rowOf(2, { type: 'ulr', typeFault })).faults).toEqual([typeFault]);
  });

  it('is refused for an invalid status, and has only one fault for its destination', () => {
    const status = fault('status', 'is not a valid status');
    const place = fault('destination', 'of the reader');
    const name = fault('name', 'is unusual');
    const row = newRow(2, 'Menu', 'nope', {
      doubts: [
        { field: 'status', fault: status },
        { field: 'destination', fault: place },
        { field: 'name', fault: name, isOdd: true },
      ],
    });
    const planned = apply(row);
    expect(planned.faults).toMatchObject([status, { message: expect.stringContaining('nope') }]);
    expect(planned.warnings).toEqual([name]);
    const unknown = { ...row, typeFault: fault('type', 'is not a type') };
    expect(apply(unknown)).toEqual({ faults: [unknown.typeFault, status], warnings: [name] });
  });

  it('gets warnings about its values from `qr create` only if it has an ID or slug', () => {
    const decision = { is: 'new' as const };
    for (const name of [{ id: idOf(1) }, { slug: 'n0001' }]) {
      const { items, warnings } = planOf([newRow(2, 'Call', 'tel:1', { ...name, decision })]);
      expect([items.map(({ action }) => action), warnings]).toMatchObject([
        ['create'],
        [{ column: 'destination' }],
      ]);
    }
    const rows = [newRow(2, 'Call', 'tel:1'), newRow(3, 'Menu', 'nope')];
    const { faults, warnings } = planOf(rows);
    expect([faults, warnings]).toMatchObject([[{ line: 3, mayForce: true }], []]);
  });

  it('is refused without a service (`qr apply --offline`) if its destination cannot be opened, unless --force is specified', () => {
    expect(judgeNew(newRow(2, 'Menu', 'nope'), false).faults).toHaveLength(1);
    expect(judgeNew(newRow(2, 'Menu', 'nope'), true)).toMatchObject({
      faults: [],
      warnings: [expect.anything()],
    });
  });
});

describe('a row with a code', () => {
  const code = codeOf(1);
  const dead = { field: 'destination', fault: fault('destination', 'cannot be opened') } as const;
  const odd = { field: 'name', fault: fault('name', 'is unusual'), isOdd: true } as const;
  const row = rowOf(2, { id: code.id, wish: { name: 'New', destination: 'nope' }, doubts: [dead, odd] });
  const update = { policy: { verb: 'update' as const } };

  it('is refused for an invalid value, and gets a warning for an unusual one', () => {
    const { faults, warnings } = planOf([row], { codes: [code], ...update });
    expect([faults, warnings]).toEqual([[dead.fault], [odd.fault]]);
    const applied = planOf([row], { codes: [code], policy: { verb: 'apply' } });
    expect([applied.faults, applied.warnings]).toEqual([[dead.fault], [odd.fault]]);
  });

  it('may have an invalid value that its code already has', () => {
    const { faults, warnings } = planOf([row], {
      codes: [{ ...code, name: 'New', destination: 'nope' }],
      ...update,
    });
    expect([faults, warnings]).toEqual([[], []]);
  });

  it('may have an invalid value that is not sent', () => {
    const kept = { ...row, decision: { is: 'theirs' as const } };
    expect(planOf([kept], { codes: [code], ...update })).toMatchObject({ faults: [], warnings: [] });
    const status = { field: 'status', fault: fault('status', 'is not valid') } as const;
    const drifting = planOf([newRow(2, code.name, code.destination ?? '', { key: 'k', doubts: [status] })], {
      codes: [{ ...code, status: 'paused' }],
      lock: new Map([['k', { ...code, key: 'k' }]]),
      policy: { verb: 'apply' },
    });
    expect(drifting).toMatchObject({ items: [{ changes: [{ what: 'drift' }] }], faults: [] });
  });

  it('may have any destination if the type of the code is not url', () => {
    const wifi = codeOf(1, { type: 'wifi' });
    const { faults, warnings } = planOf([row], { codes: [wifi], ...update });
    expect([faults, warnings]).toEqual([[], [odd.fault]]);
  });

  it('gets no fault or warning if its code does not exist or is to be deleted', () => {
    const typed = { ...row, type: 'wifi' };
    expect(planOf([typed], update)).toMatchObject({ items: [{ action: 'gone' }], faults: [], warnings: [] });
    expect(planOf([typed], { codes: [code], policy: { verb: 'delete' } })).toMatchObject({
      items: [{ action: 'delete' }],
      faults: [],
      warnings: [],
    });
  });

  it('gets a warning with `qr update` if the code has another type, and is refused by `qr create` and `qr apply`', () => {
    const message = "the type of a code can't be changed: it is url, not wifi";
    const typed = rowOf(2, { id: code.id, type: 'wifi' });
    const other = [fault('type', message)];
    const planned = planOf([typed], { codes: [code], ...update });
    expect([planned.faults, planned.warnings]).toEqual([[], other]);
    const created = planOf([typed], { codes: [code] });
    expect([created.faults, created.warnings]).toEqual([other, []]);
    const applied = planOf([{ ...typed, key: 'menu' }], { codes: [code], policy: { verb: 'apply' } });
    expect(applied.faults).toEqual([
      fault('type', `the type of a code can't be changed: "menu" is url, not wifi`),
    ]);
    for (const type of [undefined, 'URL'])
      expect(planOf([{ ...typed, type }], { codes: [code], ...update }).warnings).toEqual([]);
    expect(planOf([{ ...typed, type: 'url' }], { codes: [codeOf(1, { type: 'URL' })] }).faults).toEqual([]);
  });

  it('can get several warnings from `qr update`, but none for a slug that its code has', () => {
    const planned = planOf([{ ...row, slug: 'typo', type: 'wifi' }], { codes: [code], ...update });
    expect(planned.warnings.map(({ column }) => column)).toEqual(['name', 'slug', 'type']);
    const bySlug = { ...row, id: undefined, slug: code.slug, doubts: [] };
    expect(planOf([bySlug], { codes: [code], ...update }).warnings).toEqual([]);
  });
});

it('a row with the ID and slug of a code that was replaced on request gets no warning about the slug', () => {
  const [old, current] = [codeOf(1), codeOf(2)];
  const { id, name } = current;
  const row = rowOf(2, { of: old });
  const ledger: LedgerRecord[] = [
    { is: 'found', run: 'before', id, row: { name }, stored: {}, replaces: old.id },
  ];
  expect(planOf([row], { codes: [current], ledger })).toMatchObject({
    items: [{ how: 'ledger', code: current }],
    warnings: [],
  });
});

it('a row whose key is the ID of its code gets no warning about a slug', () => {
  const code = codeOf(1);
  const row = newRow(2, code.name, code.destination ?? '', { key: code.id });
  expect(planOf([row], { codes: [code], policy: { verb: 'apply' } })).toMatchObject({
    items: [{ how: 'id', code }],
    warnings: [],
  });
});

describe('UTM tags', () => {
  const update = { policy: { verb: 'update' as const } };

  it('from flags cause one warning by `qr update` with the number of codes that have no web address', () => {
    const codes = [1, 2].map((number) => codeOf(number, { type: 'wifi', destination: null }));
    const rows = codes.map(({ id }, at) => rowOf(at + 2, { id, utm: { source: 'flyer' }, mayLackUtm: true }));
    const gone = { ...rows[0], id: idOf(9), line: 4 } as Row;
    expect(planOf([...rows, gone], { codes, ...update }).warnings).toEqual([
      { message: '2 codes have no web address, so they get no UTM tags' },
    ]);
    expect(planOf([gone], update).warnings).toEqual([]);
    expect(planOf(rows, { codes }).warnings).toEqual([]);
  });

  it('that old destinations have but new ones lack are listed in one warning by `qr update`', () => {
    const old = 'https://example.com/?utm_source=a&UTM_Medium=b%3Dc&utm_term=&x=1';
    const codes = [
      codeOf(1, { destination: old }),
      codeOf(2, { destination: `${old}&utm_campaign=x=y` }),
      codeOf(3),
      codeOf(4, { destination: null, type: 'wifi' }),
    ];
    const rows = codes.map(({ id }, at) => rowOf(at + 2, { id, wish: { destination: MENU } }));
    expect(planOf(rows.slice(0, 1), { codes, ...update }).warnings).toEqual([
      {
        message:
          'a new destination lacks UTM tags of the old one (utm_medium, utm_source); to keep them, add --keep-utm',
      },
    ]);
    const both = planOf(rows, { codes, ...update });
    expect(both.warnings).toEqual([
      {
        message:
          '2 new destinations lack UTM tags of the old one (utm_campaign, utm_medium, utm_source); to keep them, add --keep-utm',
      },
    ]);
    const tagged = rowOf(2, { id: idOf(1), wish: { destination: `${MENU}?utm_source=a&utm_medium=b` } });
    expect(planOf([tagged], { codes, ...update }).warnings).toEqual([]);
    expect(planOf(rows, { codes, policy: { applyEdits: true } }).warnings).toEqual([]);
    const named = rowOf(2, { id: idOf(1), wish: { name: 'New' } });
    expect(planOf([named], { codes, ...update }).warnings).toEqual([]);
  });
});
