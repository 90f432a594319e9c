import { describe, expect, it } from 'vitest';
import { readAt as readAtOfPlan } from '#codes/dated/read-at';
import { baseOf, formatBase } from '#codes/engine/plan/base';
import { checkRows } from '#codes/engine/rows/read-rows';
import { makeCode } from '../../../support/make.ts';
import { ID, read, refusal, told } from './read.ts';

const BASE = 'r3fa9c1-77b2e0-a1c4d9';

describe('a file with new codes', () => {
  it('is read as one row per code, with a value for each cell that is not empty', async () => {
    const { rows } = await read('create', 'Destination, NAME ,type\nhttps://x.de,a,\n,b, WiFi \n');
    expect(rows.map(({ wish, type, id, slug, key }) => ({ ...wish, type, id, slug, key }))).toEqual([
      { name: 'a', destination: 'https://x.de' },
      { name: 'b', type: 'wifi' },
    ]);
  });

  it('is refused with all its faults at once, by line and column', async () => {
    expect(
      await refusal(
        'create',
        'name,type,destination\n,url,https://x.de\nb,urll,\nc,Url2,\nd,,x.de\n e,,myapp:x,y\n  ,wifi,\n',
      ),
    ).toEqual([
      'line 2, column name: is empty',
      'line 3, column type: "urll" is not a valid type',
      'line 4, column type: "Url2" is not a valid type',
      'line 5, column destination: x.de cannot be opened when scanned: it does not begin with https://',
      'line 6: has 4 cells, but the header has 3: enclose values that contain a separator in quotes',
      'line 7, column name: contains only spaces',
      expect.stringMatching(/^a valid type is one of url, vcard, .*playlist$/),
      'warning: line 6, column name: " e" has leading or trailing spaces, which are kept',
      'warning: line 6, column destination: myapp:x is not a web address, so not every phone can open it',
    ]);
  });

  it.each([
    ['nmae,destination\na,https://x.de\n', /column nmae: unknown column; did you mean name\?/],
    ['name,desination\na,https://x.de\n', /column desination: unknown column; did you mean destination\?/],
    ['name,Name\na,b\n', /column Name: means the same as column name/],
    ['key,Key,name\na,b,c\n', /column Key: means the same as column key/],
    ['title\na\n', /column name: is missing/],
    ['name,type,status\na,wifi,printed\n', /line 2, column status: "printed" is not a valid status/],
  ])('is refused if its content is %j', async (text, fault) => {
    expect((await refusal('create', text)).join('\n')).toMatch(fault);
  });

  it('may have extra columns whose names resemble optional columns', async () => {
    const text = 'name,type,note,date,ad,ip,plug,case,keys,state\na,wifi,1,2,3,4,5,6,7,8\n';
    expect(await refusal('create', text)).toEqual([]);
    expect((await read('create', text)).unread).toEqual([
      'note',
      'date',
      'ad',
      'ip',
      'plug',
      'case',
      'keys',
      'state',
    ]);
  });

  it('causes no warning for rows with equal values but different keys', async () => {
    const keyed = await read('create', 'key,name,destination\n1,a,https://x.de\n2,a,https://x.de\n');
    expect(keyed.warnings).toEqual([]);
  });

  it('is refused if a name is a number or contains half of a surrogate pair', async () => {
    const text =
      '[{"name":"\\ud800","type":"sms"},{"name":7,"type":"sms"},{"name":"a","destination":"","type":"sms"}]';
    const { rows, faults } = await read('create', text, { name: 'x.json' });
    expect(told(faults)).toEqual([
      expect.stringContaining('incomplete character'),
      'line 2, column name: must be a quoted string, not 7',
    ]);
    expect(rows[2]?.wish).toEqual({ name: 'a' });
  });
});

describe('results and saved lists', () => {
  const HEADER =
    'name,type,destination,status,created_at,updated_at,id,slug,short_url,outcome,error,base,decision';

  it('can be used as input: a row with an ID is assigned to that code, and a row without an ID is new', async () => {
    const list = `${HEADER}\na,url,,active,2026-01-01T00:00:00Z,2026-01-02T00:00:00Z,${ID.toUpperCase()},abc,,created,,${BASE},\nb,wifi,,,,,,,,,,,\nc,wifi,,,,,,,,failed,no,,\n`;
    const { rows, faults, unread } = await read('create', list);
    expect([faults, unread]).toEqual([[], []]);
    expect(rows.map(({ id, slug }) => [id, slug])).toEqual([
      [ID, 'abc'],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(rows[0]).toMatchObject({
      updatedAtMs: Date.UTC(2026, 0, 2),
      wish: { name: 'a', status: 'active' },
    });
    expect(rows.map(({ base }) => base && formatBase(base))).toEqual([BASE, undefined, undefined]);
  });

  it.each([
    ['', undefined],
    ['2026-01-02T00:00:00Z', Date.UTC(2026, 0, 2)],
    ['2026-01-02 01:00:00+01:00', Date.UTC(2026, 0, 2)],
    ['2026-01-02 00:00:00', Number.NEGATIVE_INFINITY],
    ['02.01.2026 00:00:00', Number.NEGATIVE_INFINITY],
    ['yesterday', Number.NEGATIVE_INFINITY],
  ])('with %j in updated_at count as saved at %s', async (cell, expected) => {
    const { rows } = await read('update', `id,name,updated_at\n${ID},a,${cell}\n`);
    expect(rows[0]?.updatedAtMs).toBe(expected);
  });

  it('may lack columns that every new code needs, if all rows have an ID', async () => {
    expect(await refusal('create', `id,status\n${ID},paused\n`)).toEqual([]);
    expect(await refusal('create', `id,status\n${ID},paused\n,active\n`)).toEqual([
      'line 1, column name: is missing; every code needs a name',
      'line 1, column destination: is missing; every code of type url needs one',
    ]);
  });

  it('may have decisions in upper or lower case, and any other text in the decision column is read as a code', async () => {
    const cells = [' New ', 'MINE', 'theirs', 'skip', 'aBc', ID.toUpperCase(), 'https://go.example/xyz', ''];
    const text = `slug,name,decision\n${cells.map((cell) => `s,n,${cell}`).join('\n')}\n`;
    const slugOfShortUrl = (url: string) => /^https:\/\/go\.example\/(.*)$/.exec(url)?.[1];
    const { rows } = await read('update', text, { slugOfShortUrl });
    expect(rows.map(({ decision }) => decision)).toEqual([
      { is: 'new' },
      { is: 'mine' },
      { is: 'theirs' },
      { is: 'skip' },
      { is: 'code', name: 'aBc' },
      { is: 'code', name: ID },
      { is: 'code', name: 'xyz' },
      undefined,
    ]);
  });

  it('are refused if the base column contains text that qrctl did not write', async () => {
    const fault =
      'line 2, column base: "Berlin" is not a base that qrctl wrote: empty the cell, or rename the column if it is yours';
    expect(await refusal('update', 'slug,name,base\na,n,Berlin\nb,n,\n')).toEqual([fault]);
    expect(await refusal('delete', 'slug,base\na,Berlin\n')).toEqual([fault]);
  });

  it('may contain a row without an ID and slug if its outcome is `failed`, but not if it has no outcome', async () => {
    const text = 'name,id,slug,outcome,error\na,,abc,created,\nb,,,failed,no\nc,,,,\n';
    expect((await read('update', text)).rows).toHaveLength(3);
    expect(await refusal('update', text)).toEqual(['line 4: has neither an ID nor a slug']);
  });
});

it('`qr delete` reads the base column in each row', async () => {
  const { rows, faults } = await read('delete', `id,status,base\n${ID},expired,r559aea-2dce0a-968796\n`);
  expect([rows[0]?.base, rows[0]?.wish, faults]).toEqual([
    { name: '559aea', destination: '2dce0a', status: '968796' },
    {},
    [],
  ]);
});

it('`qr delete` ignores the values of a code, even if they are invalid', async () => {
  const values = { name: 7, type: 'x', destination: 'nope', status: 'printed', utm_source: 8 };
  const { rows, faults, warnings, doubts } = await read('delete', JSON.stringify([{ id: ID, ...values }]), {
    name: 'x.json',
  });
  expect([faults, warnings, doubts]).toEqual([[], [], []]);
  expect(rows).toMatchObject([{ id: ID, type: undefined, typeFault: undefined, utm: undefined }]);
});

describe('a backup', () => {
  const CODE = makeCode({ id: ID, slug: 'abc', destination: 'https://x.de/', status: 'paused' });
  const text = JSON.stringify(CODE, null, 2);

  it.each([`${ID}.json`, 'standard input'])(
    'of a code is read by `qr create` as a row for a new code with the same values (%s)',
    async (name) => {
      const { rows, faults } = await read('create', text, { name });
      expect(faults).toEqual([]);
      expect(rows.map(({ id, slug, wish, type }) => ({ id, slug, ...wish, type }))).toEqual([
        { name: 'Menu', destination: 'https://x.de/', status: 'paused', type: 'url' },
      ]);
    },
  );

  it('is read by `qr update` as a row with the ID and slug of its code', async () => {
    const { rows } = await read('update', text, { name: 'code.json' });
    expect(rows.map(({ id, slug }) => [id, slug])).toEqual([[ID, 'abc']]);
  });

  it('is recognized by its fields, and any other single JSON object is refused', async () => {
    await expect(read('create', '{"name":"a","type":"sms"}', { name: 'x.json' })).rejects.toThrow(
      'must be an array of objects',
    );
    for (const [broken, message] of [
      ['{"id":1', 'line 1: is not valid JSON: the end is missing'],
      ['{"id":1,\n"slug":}', 'line 2: is not valid JSON'],
    ] as const)
      await expect(read('create', broken, { name: 'x.json' })).rejects.toThrow(message);
  });
});

describe('a file with changes', () => {
  it('keeps a field whose cell is empty, and empties a field whose JSON string is empty', async () => {
    const { rows } = await read(
      'update',
      `slug,id,status,destination,name\nabc,,Paused,,\n,${ID},,https://x.de,n\n`,
    );
    expect(rows.map(({ id, slug, wish }) => ({ id, slug, wish }))).toEqual([
      { id: undefined, slug: 'abc', wish: { status: 'paused' } },
      { id: ID, slug: undefined, wish: { destination: 'https://x.de', name: 'n' } },
    ]);
    const json = await read('update', '[{"slug":"abc","destination":"","name":null}]', { name: 'x.json' });
    expect(json.rows[0]?.wish).toEqual({ destination: '' });
  });

  it('results in `doubts`, not faults, for values that are valid only if the code already has them', async () => {
    const text =
      'slug,type,destination,status,name\na,url,nope,,\nb,menu-card,nope,archived,\nc,,,,"  "\nd,,tel:1,,\n';
    const { faults, warnings, doubts, rows } = await read('update', text);
    expect([faults, warnings]).toEqual([[], []]);
    expect(doubts.map(({ line, column }) => [line, column])).toEqual([
      [2, 'destination'],
      [3, 'destination'],
      [3, 'status'],
      [4, 'name'],
      [5, 'destination'],
    ]);
    expect(rows.map(({ typeFault }) => typeFault?.message)).toEqual([
      undefined,
      '"menu-card" is not a valid type',
      undefined,
      undefined,
    ]);
  });

  it('takes values from flags for its empty cells, and reports flags that no row used', async () => {
    const text = 'slug,name,status\na,A,active\nb,B,\n';
    const { rows, unusedFlags } = await read('update', text, { changes: { name: 'flag', status: 'paused' } });
    expect(rows.map(({ wish }) => wish)).toEqual([
      { name: 'A', status: 'active' },
      { name: 'B', status: 'paused' },
    ]);
    expect(unusedFlags).toEqual(['name']);
  });

  it('adds UTM tags to the destination in a row, or else to the current destination of its code', async () => {
    const text =
      'slug,destination,utm_source\na,https://x.de/,Flyer\nb,,\nc,mailto:a@x.de,Flyer\nd,https://y.de/,\n';
    const { rows, faults } = await read('update', text, { utm: { medium: 'print' } });
    expect(rows.map(({ wish, utm }) => [wish.destination, utm])).toEqual([
      ['https://x.de/?utm_source=flyer&utm_medium=print', undefined],
      [undefined, { medium: 'print' }],
      ['mailto:a@x.de', undefined],
      ['https://y.de/?utm_medium=print', undefined],
    ]);
    expect(told(faults)).toEqual([
      "line 4, column destination: is not a web address, so UTM tags can't be added",
    ]);
  });

  it('adds UTM tags from flags only to web addresses, with a warning for other destinations', async () => {
    const text = 'name,type,destination,utm_source\na,wifi,,\nb,sms,sms:1,\nc,wifi,,Flyer\n';
    const { rows, faults, warnings } = await read('create', text, { utm: { medium: 'print' } });
    expect(rows.map(({ wish, utm }) => [wish.destination, utm])).toEqual([
      [undefined, undefined],
      ['sms:1', undefined],
      [undefined, undefined],
    ]);
    expect(told(faults)).toEqual([
      "line 4, column destination: is not a web address, so UTM tags can't be added",
    ]);
    expect(told(warnings)).toEqual([
      'line 2, column destination: is not a web address, so it gets no UTM tags',
      'line 3, column destination: is not a web address, so it gets no UTM tags',
    ]);
  });

  it('is refused with all its faults', async () => {
    expect(await refusal('update', 'id,name,status\nabc,x,paused\n,y,\n')).toEqual([
      'line 2, column id: "abc" is not a valid ID (expected a UUID)',
      'line 3: has neither an ID nor a slug',
    ]);
    expect(await refusal('update', 'name\nx\n')).toEqual([
      'line 1: no column identifies the codes: add an id or slug column',
    ]);
    expect(await refusal('update', 'slug\nx\n', { name: 'x.csv' })).toEqual([
      'line 1: no column contains changes: add a name, destination or status column',
    ]);
    expect(await refusal('update', 'slug,statsu\nx,paused\n')).toContain(
      'line 1, column statsu: unknown column; did you mean status?',
    );
  });

  it('without rows is refused only for missing columns that the command requires', async () => {
    expect(await refusal('update', 'x\n')).toEqual([
      'line 1: no column identifies the codes: add an id or slug column (the file has "x")',
      'line 1: no column contains changes: add a name, destination or status column',
    ]);
    expect(await refusal('delete', 'x\n')).toHaveLength(1);
    expect(await refusal('create', 'x\n')).toEqual([
      'line 1, column name: is missing; every code needs a name (the file has "x")',
    ]);
    expect(await refusal('apply', 'key\n')).toEqual([]);
  });

  it.each(['', '\n\n', '\ufeff'])('without a header is reported as empty: %j', async (text) => {
    for (const verb of ['create', 'update', 'apply', 'delete'] as const)
      expect(await refusal(verb, text)).toEqual(['the file is empty']);
    await expect(read('create', text, { name: 'x.json' })).rejects.toThrow('the file is empty');
  });

  it('is refused with one fault for a column name that occurs three times', async () => {
    expect(await refusal('create', 'name,type,name,name\na,sms,a,a\n')).toEqual([
      'line 1, column name: appears twice in the header',
    ]);
  });

  it('with dates requires --due for `qr update`, unless dates are ignored', async () => {
    const text = 'slug,name,at\na,b,2026-01-01\n';
    await expect(read('update', text)).rejects.toThrow('without --due all rows would be applied now');
    expect((await read('update', text, { ignoreDates: true })).faults).toEqual([]);
    expect((await read('delete', text)).faults).toEqual([]);
    expect((await read('create', text)).rows).toMatchObject([
      { slug: 'a', wish: { name: 'b' }, atMs: undefined },
    ]);
  });

  it('may be a list of IDs and slugs without a header, if flags state the changes', async () => {
    const { rows } = await read('update', `abc\n${ID}\n`, { bareNames: true, changes: { status: 'paused' } });
    expect(rows.map(({ id, slug, wish }) => [id ?? slug, wish])).toEqual([
      ['abc', { status: 'paused' }],
      [ID, { status: 'paused' }],
    ]);
    expect(await refusal('update', 'abc\n', { bareNames: true })).toEqual([
      expect.stringContaining('a list of codes contains no changes'),
    ]);
  });

  it('may identify codes by their short URLs', async () => {
    const slugOfShortUrl = (url: string) => /^https:\/\/go\.example\/(.*)$/.exec(url)?.[1];
    const text = `short_url,slug,status\nhttps://go.example/abc,,paused\nhttps://go.example/abc,xyz,paused\n,https://go.example/q,paused\nhttps://go.example/${ID},,paused\n`;
    const { rows, faults } = await read('update', text, { slugOfShortUrl });
    expect([faults, rows.map(({ id, slug }) => id ?? slug)]).toEqual([[], ['abc', 'xyz', 'q', ID]]);
    expect(
      await refusal('delete', 'short_url\nhttps://go.example/abc\nhttps://x.de\n', { slugOfShortUrl }),
    ).toEqual(['line 3: has neither an ID nor a slug']);
    expect(await refusal('delete', 'short_url\nhttps://go.example/abc\n')).toHaveLength(1);
  });
});

describe('keys', () => {
  it('must be present, unique and dissimilar in a file for `qr apply` (E2)', async () => {
    expect(await refusal('apply', 'key,name\na,1\n,2\n A,3\nb c,4\nB  C,5\na,6\n1.23E+11,7\n')).toEqual([
      'line 3, column key: is empty: each row needs a key',
      'line 4, column key: "A" differs from the key "a" of line 2 only in case or spacing',
      'line 6, column key: "B  C" differs from the key "b c" of line 5 only in case or spacing',
      'line 7, column key: "a" is also the key of line 2',
      'line 8, column key: "1.23E+11" was shortened by a spreadsheet: format the column as text and retype the value',
    ]);
    expect(await refusal('apply', 'name\nx\n')).toEqual([
      'line 1, column key: is missing: each row needs a key that never changes',
    ]);
    expect(await refusal('apply', 'name,sk\nx,a\n', { keyColumn: 'SKU' })).toEqual([
      'line 1, column sk: unknown column; did you mean sku?',
      'line 1, column SKU: is missing: each row needs a key that never changes (the file has "sk")',
    ]);
    expect(await refusal('apply', 'sku,name\na,x\nA,y\n', { keyColumn: 'SKU' })).toEqual([
      'line 3, column SKU: "A" differs from the key "a" of line 2 only in case or spacing',
    ]);
    for (const verb of ['create', 'update', 'apply', 'delete'] as const)
      expect(await refusal(verb, '[]', { name: 'codes.json' })).toEqual([]);
  });

  it('are optional for other commands, but must be unique', async () => {
    const text = 'key,name,type\n 1 ,a,wifi\n,b,wifi\n,c,wifi\n';
    expect((await read('create', text)).rows.map(({ key }) => key)).toEqual(['1', undefined, undefined]);
    expect(await refusal('create', `${text}1,d,wifi\n`)).toEqual([
      'line 5, column key: "1" is also the key of line 2',
    ]);
  });

  it('may be in a column with another name, even in the slug column', async () => {
    expect((await read('apply', 'SKU,name\na,1\n', { keyColumn: 'sku' })).rows.map(({ key }) => key)).toEqual(
      ['a'],
    );
    const { rows } = await read('apply', 'slug,name\na,1\n', { keyColumn: 'slug' });
    expect(rows.map(({ key, slug }) => [key, slug])).toEqual([['a', 'a']]);
  });

  it('may belong to existing codes, so `qr apply` accepts rows without the values that new codes need', async () => {
    const { faults, rows } = await read('apply', 'key,name,destination,outcome\na,,nowhere,created\n');
    expect(faults).toEqual([]);
    expect(rows[0]?.doubts.map(({ field, isOdd = false }) => [field, isOdd])).toEqual([
      ['destination', false],
    ]);
  });
});

it.each(['create', 'update', 'apply', 'delete'] as const)(
  'a check of 20,000 rows for `qr %s` rejects when its signal is aborted',
  async (verb) => {
    const values = new Map(Object.entries({ key: 'a', slug: 'a', name: 'a', destination: 'https://x.de' }));
    const row = { row: 1, line: 2, values };
    const input = {
      name: 'x.json',
      columns: [...values.keys()],
      headerLine: undefined,
      rows: Array(20_000).fill(row),
    };
    const controller = new AbortController();
    setImmediate(() => controller.abort(new Error('interrupted')));
    await expect(checkRows(input, { verb, signal: controller.signal })).rejects.toThrow('interrupted');
  },
);

describe('a dated plan', () => {
  const readAt = ({ value }: { value: unknown }) => (value === 'never' ? undefined : Number(value));

  it('has the time of each row', async () => {
    const { rows, start } = await read('update', 'slug,name,AT\na,n,1\nb,n,2\nc,n,never\n', { readAt });
    expect(rows.map(({ atMs }) => atMs)).toEqual([1, 2, undefined]);
    expect(start).toBe('To make a plan, run `qrctl qr list -o plan.csv` and add a column named at.');
  });

  it('has a single fault if the column with times is missing', async () => {
    const text = 'slug,name,when\na,n,1\nb,n,2\n';
    expect(await refusal('update', text, { readAt: (cell) => readAtOfPlan(cell) })).toEqual([
      'line 1, column at: is missing: each row needs a time (the file has "when")',
    ]);
    expect((await read('update', text)).rows[0]?.atMs).toBeUndefined();
  });

  it('has faults for invalid values and warnings for unusual values, because dated runs are unattended', async () => {
    const text =
      'slug,type,destination,status,at\na,,nope,,1\nb,,tel:1,,1\nc,wifi,nope,printed,1\nd,,https://x.de,,1\n';
    const { rows, faults, warnings, doubts } = await read('update', text, { readAt });
    expect(told(faults)).toEqual([
      'line 2, column destination: nope cannot be opened when scanned: it does not begin with https://',
      'line 4, column status: "printed" is not a valid status',
    ]);
    expect(told(warnings)).toEqual([
      'line 3, column destination: tel:1 is not a web address, so not every phone can open it',
    ]);
    expect([doubts, rows.flatMap((row) => row.doubts)]).toEqual([[], []]);
  });

  it('has no fault for an invalid value that was not edited since the list was saved', async () => {
    const base = formatBase(baseOf({ name: 'n', destination: 'nope', status: 'printed' }));
    const text = `slug,destination,status,at,base\na,nope,printed,1,${base}\nb,nope!,printed,1,${base}\n`;
    expect(told((await read('update', text, { readAt })).faults)).toEqual([
      'line 3, column destination: "nope!" cannot be opened when scanned: it does not begin with https://',
    ]);
  });
});

describe('the columns of a file', () => {
  it.each([
    ['create', 'name', ['tipe', 'destinaton', 'utm_sorce'], ['statu', 'slg', 'bse', 'decison']],
    ['update', 'slug', ['nmae', 'statu', 'destinaton', 'utm_sorce'], ['tipe', 'bse', 'short_ur', 'keys']],
    ['apply', 'key', ['nmae', 'tipe', 'statu', 'slg', 'destinaton'], ['utm_sorce', 'bse', 'update_at']],
    ['delete', 'id', ['slg'], ['nmae', 'statu', 'tipe', 'bse', 'keys']],
  ] as const)(
    'for `qr %s` have a fault if they look like a typo of a required or usual column',
    async (verb, column, typos, others) => {
      const header = [column, ...typos, ...others];
      const { faults } = await read(verb, `${header}\n${header.map(() => 'x')}\n`);
      const unknown = faults.filter(({ message }) => message.startsWith('unknown column'));
      expect(unknown.map((fault) => fault.column)).toEqual(typos);
    },
  );

  it('do not have to contain changes if flags specify the changes', async () => {
    const changes = async (options: object) => refusal('update', 'slug\na\n', options);
    const fault = 'line 1: no column contains changes: add a name, destination or status column';
    expect(await changes({ changes: {} })).toEqual([fault]);
    expect(await changes({ changes: { status: 'paused' } })).toEqual([]);
    expect(await changes({ utm: { source: 's' } })).toEqual([]);
    expect(await refusal('update', 'slug,utm_source\na,s\n')).toEqual([]);
    expect(await refusal('delete', 'slug\na\n')).toEqual([]);
  });

  it('in JSON must identify the codes', async () => {
    expect(await refusal('update', '[{"name":"a"}]', { name: 'x.json' })).toEqual([
      'no column identifies the codes: add an id or slug column',
    ]);
  });
});

it('`qr update` does not check the destination of a row in results that has no code yet', async () => {
  const text = 'id,destination,outcome\n,nope,failed\n,nope,undecided\n';
  const { faults, doubts, rows } = await read('update', text);
  expect([faults, doubts, rows.flatMap((row) => row.doubts)]).toEqual([[], [], []]);
});

it('each row has its file format (if CSV), the flag `keepUtm`, and its type in lower case', async () => {
  const { rows } = await read('update', 'slug,name,type\na,n, WiFi \nb,n, \n', { keepUtm: true });
  expect(rows.map(({ through, keepUtm, type }) => [through, keepUtm, type])).toEqual([
    ['csv', true, 'wifi'],
    ['csv', true, undefined],
  ]);
  const json = await read('update', '[{"slug":"a","name":"n"}]', { name: 'x.json' });
  expect([json.rows[0]?.through, json.rows[0]?.keepUtm]).toEqual([undefined, undefined]);
});

it('no flag is reported as unused if the file has no rows', async () => {
  const { unusedFlags } = await read('update', 'slug,name\n', { changes: { name: 'n' } });
  expect(unusedFlags).toEqual([]);
});

it.each([
  ['create', 'qrctl qr create --template'],
  ['update', 'qrctl qr create --from FILE'],
  ['apply', 'qrctl qr apply --init'],
  ['delete', 'qrctl qr list -o codes.csv'],
] as const)('a refused file for `qr %s` comes with the command `%s`', async (verb, command) => {
  expect((await read(verb, 'x\n')).start).toContain(command);
});
