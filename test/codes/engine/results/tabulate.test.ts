import { describe, expect, it } from 'vitest';
import { baseOf, fingerprintOf, formatBase } from '#codes/engine/plan/base';
import type { FieldChange } from '#codes/engine/plan/model';
import type { RowEnd } from '#codes/engine/results/tabulate';
import { tabulate } from '#codes/engine/results/tabulate';
import { checkRows } from '#codes/engine/rows/read-rows';
import { parseInput } from '#codes/input/read-input';
import type { Input } from '#files/formats/read/input';
import { makeCode } from '../../../support/make.ts';

const ID = '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11';
const OTHER_ID = '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c12';
const CODE = makeCode({ id: ID, slug: 'abc', destination: 'https://x.de/' });
const UNKNOWN = 'rffffff-ffffff-ffffff';
const SAVED = baseOf({ name: 'Old', destination: 'https://old.de/', status: 'active' });

const parse = (text: string, name = 'codes.csv') => parseInput(Buffer.from(text), name);

type End = Partial<Omit<RowEnd, 'row'>>;

/** The table of a file whose rows ended like this, in their order. */
async function tableOf(input: Input, ends: readonly End[], before?: Input) {
  const { rows } = await checkRows(input, { verb: 'create' });
  const table = tabulate(input, { before });
  const cells = rows.map((row, place) => {
    const end: RowEnd = { row, outcome: 'created', changes: [], isOpen: false, ...ends[place] };
    return table.row(end);
  });
  return { columns: table.columns, rows: cells };
}

/** The cells of one row of a saved list whose name was edited. */
async function rowOf(end: End, cells = `${ID},Mine,${formatBase(SAVED)},`) {
  const { rows } = await tableOf(await parse(`id,name,base,decision\n${cells}\n`), [
    { outcome: 'updated', ...end },
  ]);
  return rows[0] ?? {};
}

function change(what: FieldChange['what'], more: Partial<FieldChange> = {}): FieldChange {
  return { field: 'name', old: 'Menu', new: 'Mine', what, base: undefined, ...more };
}

describe('results', () => {
  it('contain destinations with the UTM tags that flags added', async () => {
    const input = await parse('name,destination\na,https://x.de/\nb,\n');
    const { rows } = await checkRows(input, { verb: 'create', force: true });
    const code = { ...CODE, destination: 'https://x.de/?utm_source=poster' };
    const cellsOf = (isTagged: boolean) => {
      const table = tabulate(input, { isTagged });
      return rows.map((row) => table.row({ row, outcome: 'created', code, changes: [], isOpen: false }));
    };
    expect(cellsOf(true).map(({ destination }) => destination)).toEqual([code.destination, '']);
    expect(cellsOf(false).map(({ destination }) => destination)).toEqual(['https://x.de/', '']);
    const kept = { ...rows[0], keepUtm: true } as (typeof rows)[0];
    const again = tabulate(input).row({ row: kept, outcome: 'unchanged', code, changes: [], isOpen: false });
    expect(again.destination).toBe(code.destination);
  });

  it('have the columns from the input, then the columns that qrctl adds, and the rows in input order', async () => {
    const { columns, rows } = await tableOf(await parse('sku,name\n1,a\n2,b\n'), [
      { code: CODE },
      { outcome: 'failed', error: 'no', isOpen: true },
    ]);
    expect(columns).toEqual(['sku', 'name', 'id', 'slug', 'outcome', 'error', 'base', 'decision']);
    const base = formatBase(baseOf(CODE));
    expect(rows).toEqual([
      { sku: '1', name: 'a', id: ID, slug: 'abc', outcome: 'created', error: null, base, decision: null },
      {
        sku: '2',
        name: 'b',
        id: null,
        slug: null,
        outcome: 'failed',
        error: 'no',
        base: null,
        decision: null,
      },
    ]);
  });

  it('replace the columns of earlier results in the input', async () => {
    const input = await parse(`ID,name,outcome,error,Base,DECISION\n${OTHER_ID},a,failed,no,,new\n`);
    const { columns, rows } = await tableOf(input, [{ code: CODE }]);
    expect(columns).toEqual(['name', 'id', 'slug', 'outcome', 'error', 'base', 'decision']);
    expect(rows[0]).toMatchObject({ id: ID, outcome: 'created', error: null, decision: null });
  });

  it('have the short URL of each row whose code is known', async () => {
    const input = await parse('name\na\nb\n');
    const { rows } = await checkRows(input, { verb: 'create' });
    const table = tabulate(input, { shortUrlOf: ({ slug }) => `https://go.example/${slug}` });
    const ended = { outcome: 'created', changes: [], isOpen: false } as const;
    expect(table.columns).toContain('short_url');
    expect(
      rows.map((row, place) => table.row({ row, ...ended, code: place === 0 ? CODE : undefined }).short_url),
    ).toEqual(['https://go.example/abc', null]);
  });

  it('have the ID, the slug and the short URL of the row if its code was not fetched', async () => {
    const input = await parse(`name,id,slug\na,${ID},abc\nb,${OTHER_ID},\nc,,xyz\n`);
    const { rows } = await checkRows(input, { verb: 'create' });
    const table = tabulate(input, { shortUrlOf: ({ id, slug }) => `https://go.example/${slug}?${id}` });
    const ended = { outcome: 'not-attempted', changes: [], isOpen: true } as const;
    expect(rows.map((row) => table.row({ row, ...ended }))).toMatchObject([
      { id: ID, slug: 'abc', short_url: `https://go.example/abc?${ID}` },
      { id: OTHER_ID, slug: null, short_url: null },
      { id: null, slug: 'xyz', short_url: null },
    ]);
  });

  it('keep the column short_url of the input, unless they have their own', async () => {
    const input = await parse('Short_URL,name\nmine,a\n');
    expect(tabulate(input).columns.slice(0, 2)).toEqual(['Short_URL', 'name']);
    expect(tabulate(input, { shortUrlOf: () => '' }).columns.slice(0, 4)).toEqual([
      'name',
      'id',
      'slug',
      'short_url',
    ]);
  });

  it('replace only the destination if flags added UTM tags', async () => {
    const input = await parse(
      JSON.stringify([
        { name: 'a', destination: 'https://x.de/', UTM_medium: 'print' },
        { name: 'b', UTM_medium: 'print' },
      ]),
      'codes.json',
    );
    const { rows } = await checkRows(input, { verb: 'create', force: true });
    const table = tabulate(input, { isTagged: true });
    const code = { ...CODE, destination: 'https://x.de/?utm_medium=print' };
    const ended = { outcome: 'created', code, changes: [], isOpen: false } as const;
    expect(rows.map((row) => table.row({ row, ...ended }))).toMatchObject([
      { name: 'a', destination: code.destination, UTM_medium: 'print' },
      { name: 'b', destination: null, UTM_medium: 'print' },
    ]);
  });

  it('keep the destination in the row if it was not sent', async () => {
    const input = await parse('name,destination\na,https://mine.de/\n');
    const { rows } = await checkRows(input, { verb: 'create' });
    const table = tabulate(input, { isTagged: true });
    const changes = [change('conflict', { field: 'destination' })];
    const cells = rows.map((row) =>
      table.row({ row, outcome: 'conflict', code: CODE, changes, isOpen: true }),
    );
    expect(cells[0]?.destination).toBe('https://mine.de/');
  });

  it('have a column named __proto__ if the input has it', async () => {
    const [row] = (await tableOf(await parse('name,__proto__\na,b\n'), [])).rows;
    expect(Object.keys(row ?? {})).toContain('__proto__');
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
  });

  it('for the backup of a deleted code have no ID if no new code was created', async () => {
    const { rows } = await tableOf(await parse(JSON.stringify(CODE), `${ID}.json`), [
      { outcome: 'failed', isOpen: true },
    ]);
    expect(rows[0]).toMatchObject({ id: null, base: null });
  });
});

describe('the base in results', () => {
  const current = baseOf(CODE);

  it('is computed from the current code if a change was sent or is only reported', async () => {
    expect((await rowOf({ code: CODE, changes: [change('send')] })).base).toBe(formatBase(current));
    expect((await rowOf({ code: CODE, changes: [change('drift')], isOpen: true })).base).toBe(
      formatBase(current),
    );
  });

  it.each(['keep', 'conflict', 'edit'] as const)(
    "keeps the row's base for a field with the change `%s` (E21)",
    async (what) => {
      const changes = [change(what)];
      expect((await rowOf({ code: CODE, changes })).base).toBe(formatBase({ ...current, name: SAVED.name }));
      expect((await rowOf({ code: CODE, changes }, `${ID},Mine,,`)).base).toBe(
        formatBase({ ...current, name: what === 'edit' ? fingerprintOf(changes[0]?.old ?? '') : 'ffffff' }),
      );
    },
  );

  it.each(['send', 'overwrite'] as const)(
    "keeps the row's base for a changed field if the row failed (%s)",
    async (what) => {
      const { base } = await rowOf({ outcome: 'failed', code: CODE, changes: [change(what)], isOpen: true });
      expect(base).toBe(formatBase({ ...current, name: SAVED.name }));
    },
  );

  it('for a failed row without a base is the base that the plan knows, or else the current value if nothing is overwritten', async () => {
    const failed = { outcome: 'failed', code: CODE, isOpen: true } as const;
    const known = await rowOf({ ...failed, changes: [change('overwrite', { base: 'Old' })] }, `${ID},Mine,,`);
    expect(known.base).toBe(formatBase({ ...current, name: SAVED.name }));
    // A list written by hand: the next run sends the same change without a question, unless the code changes until then.
    expect((await rowOf({ ...failed, changes: [change('send')] }, `${ID},Mine,,`)).base).toBe(
      formatBase(current),
    );
  });

  it('is present in each undated row with an ID, even if the base is unknown', async () => {
    expect(await rowOf({ outcome: 'not-attempted', isOpen: true })).toMatchObject({
      id: ID,
      base: formatBase(SAVED),
    });
    expect((await rowOf({ outcome: 'not-attempted', isOpen: true }, `${ID},Mine,,`)).base).toBe(UNKNOWN);
  });
});

describe('the base of each field in results', () => {
  const current = baseOf(CODE);

  it('is updated for a field whose change was sent, but not for a kept or conflicting value', async () => {
    const changes = [
      change('send'),
      change('keep', { field: 'destination' }),
      change('conflict', { field: 'status' }),
    ];
    expect((await rowOf({ code: CODE, changes })).base).toBe(formatBase({ ...SAVED, name: current.name }));
  });

  it('in a row without a base is the base that the plan knows, or unknown for a failed overwrite', async () => {
    const kept = [change('keep', { field: 'destination', base: 'https://old.de/' })];
    expect((await rowOf({ code: CODE, changes: kept }, `${ID},Mine,,`)).base).toBe(
      formatBase({ ...current, destination: SAVED.destination }),
    );
    const overwritten = {
      outcome: 'failed',
      code: CODE,
      changes: [change('overwrite')],
      isOpen: true,
    } as const;
    expect((await rowOf(overwritten, `${ID},Mine,,`)).base).toBe(formatBase({ ...current, name: 'ffffff' }));
  });

  it('is kept in a dated row that is not due yet', async () => {
    expect((await rowOf({ outcome: 'later', code: CODE })).base).toBe(formatBase(SAVED));
    expect((await rowOf({ outcome: 'later', code: CODE }, `${ID},Mine,,`)).base).toBeNull();
  });
});

describe('a decision in the results', () => {
  it('with the value `theirs` changes no cell of a row that remains open, or whose code is unknown', async () => {
    const cells = `${ID},Mine,${formatBase(SAVED)},theirs`;
    const changes = [change('conflict')];
    const open = await rowOf({ outcome: 'failed', code: CODE, changes, isOpen: true }, cells);
    expect(open).toMatchObject({ name: 'Mine', base: formatBase({ ...baseOf(CODE), name: SAVED.name }) });
    const gone = await rowOf({ outcome: 'gone', changes }, cells);
    expect(gone).toMatchObject({ name: 'Mine', base: formatBase(SAVED), decision: null });
  });

  it('with the value `theirs` keeps cells with UTM tags if the destination is the same', async () => {
    const input = await parse(`id,url,utm_source,name,decision\n${ID},https://x.de/,flyer,Mine,theirs\n`);
    const { rows } = await tableOf(input, [{ outcome: 'unchanged', code: CODE, changes: [change('keep')] }]);
    expect(rows[0]).toMatchObject({ name: 'Menu', url: 'https://x.de/', utm_source: 'flyer' });
  });

  it('with the value `theirs` replaces a status that differs', async () => {
    const input = await parse(`id,status,decision\n${ID},paused,theirs\n`);
    const changes = [change('keep', { field: 'status' })];
    const { rows } = await tableOf(input, [{ outcome: 'unchanged', code: CODE, changes }]);
    expect(rows[0]?.status).toBe('active');
  });

  it('with the value `theirs` empties the destination of a code without one', async () => {
    const input = await parse(`id,url,decision\n${ID},https://mine.de/,theirs\n`);
    const code = { ...CODE, destination: null };
    const changes = [change('keep', { field: 'destination' })];
    const { rows } = await tableOf(input, [{ outcome: 'unchanged', code, changes }]);
    expect(rows[0]?.url).toBeNull();
  });

  it('with a slug is kept until the row has its code', async () => {
    for (const outcome of ['undecided', 'conflict', 'edited', 'gone'] as const)
      expect(await rowOf({ outcome, isOpen: true }, `${ID},Mine,,abc`)).toMatchObject({ decision: 'abc' });
    for (const outcome of ['updated', 'failed', 'exists'] as const)
      expect(await rowOf({ outcome }, `${ID},Mine,,abc`)).toMatchObject({ decision: null });
  });

  it('is removed once a request has used it', async () => {
    const input = await parse('name,decision\na,new\n');
    const { rows } = await checkRows(input, { verb: 'create' });
    const used = { decision: undefined, id: ID, slug: 'abc' };
    const cells = rows.map((row) =>
      tabulate(input).row({
        row: { ...row, ...used },
        outcome: 'created',
        code: CODE,
        changes: [],
        isOpen: false,
      }),
    );
    expect(cells).toMatchObject([{ id: ID, outcome: 'created', decision: null }]);
  });

  it('is kept if the name of its column is capitalized', async () => {
    const input = await parse(`id,name,Decision\n${ID},Mine,skip\n`);
    const { rows } = await tableOf(input, [{ outcome: 'not-attempted', isOpen: true }]);
    expect(rows[0]).toMatchObject({ decision: 'skip' });
  });

  it("with the value `theirs` replaces cells that differ from the code with the code's values, and is removed", async () => {
    const input = await parse(
      `id,url,utm_source,name,status,base,decision\n${ID},https://mine.de/,flyer,Mine,,${formatBase(SAVED)},theirs\n`,
    );
    const changes = [change('keep'), change('keep', { field: 'destination' })];
    const { rows } = await tableOf(input, [{ outcome: 'unchanged', code: CODE, changes }]);
    expect(rows[0]).toMatchObject({
      name: 'Menu',
      url: 'https://x.de/',
      utm_source: null,
      status: '',
      decision: null,
    });
    expect(rows[0]?.base).toBe(formatBase(baseOf(CODE)));
  });

  it('is kept only if the row was not attempted, or if the decision is a slug and the row still has no code', async () => {
    const answered = (decision: string, end: End) => rowOf(end, `${ID},Mine,,${decision}`);
    expect(await answered('Mine', { outcome: 'not-attempted', isOpen: true })).toMatchObject({
      decision: 'Mine',
    });
    expect(await answered('no-such-slug', { outcome: 'undecided', isOpen: true })).toMatchObject({
      decision: 'no-such-slug',
    });
    expect(await answered('new', { outcome: 'undecided', isOpen: true })).toMatchObject({ decision: null });
    expect(await answered('skip', { outcome: 'conflict', isOpen: true })).toMatchObject({ decision: null });
    expect(await answered('mine', { outcome: 'updated' })).toMatchObject({ decision: null });
  });
});

describe('columns that the user added to the results', () => {
  const before = `name,id,slug,outcome,error,base,decision,note,status\nb,${OTHER_ID},xyz,created,,,,second,paused\na,${ID},abc,created,,,,'=first,active\nc,,,failed,,,,third,\n`;

  it('are kept unless a command reads them, and are matched by ID, or by line for rows without an ID', async () => {
    const input = await parse('name\na\nb\nc\n');
    const ends: End[] = [
      { code: CODE },
      { code: { ...CODE, id: OTHER_ID } },
      { outcome: 'failed', isOpen: true },
    ];
    const { columns, rows } = await tableOf(input, ends, await parse(before, 'codes.results.csv'));
    expect(columns).toEqual(['name', 'note', 'id', 'slug', 'outcome', 'error', 'base', 'decision']);
    // As it is in the file, with what escapes it.
    expect(rows.map(({ note }) => note)).toEqual(["'=first", 'second', 'third']);
  });

  it('are matched by ID, ignoring case and spaces, even if the earlier results have more rows', async () => {
    const results = await parse(
      `name,Id,outcome,note\na,,failed,first\nb, ${ID.toUpperCase()} ,created,second\n`,
      'codes.results.csv',
    );
    const { rows } = await tableOf(await parse('name\nb\n'), [{ code: CODE }], results);
    expect(rows[0]?.note).toBe('second');
    const { rows: upper } = await tableOf(
      await parse('name\nb\n'),
      [{ code: { ...CODE, id: ID.toUpperCase() } }],
      results,
    );
    expect(upper[0]?.note).toBe('second');
  });

  it('are matched by line for a row that had no code in the earlier results', async () => {
    const results = await parse(before, 'codes.results.csv');
    const ends: End[] = [{ code: CODE }, { code: CODE }, { code: { ...CODE, id: ID.replace('6', '7') } }];
    const { rows } = await tableOf(await parse('name\na\nb\nc\n'), ends, results);
    expect(rows[2]?.note).toBe('third');
    const { rows: open } = await tableOf(await parse('name\nb\na\nc\n'), [], results);
    expect(open.map(({ note }) => note)).toEqual(['second', "'=first", 'third']);
    const withoutIds = await parse('name,outcome,note\na,failed,first\nb,failed,second\n');
    const { rows: others } = await tableOf(await parse('name\na\nb\n'), [{ code: CODE }, {}], withoutIds);
    expect(others.map(({ note }) => note)).toEqual(['first', 'second']);
  });

  it('exclude columns that qrctl reads, whatever the case or language of their names', async () => {
    const results = await parse(
      'NAME,ID,outcome,utm_source,UTM_Medium,Key,type,created_at,at,Short_url,Ziel,note,Note 2\na,,failed,b,c,d,url,,,,,e,f\n',
      'codes.results.csv',
    );
    const { columns } = await tableOf(await parse('name,NOTE\na,b\n'), [], results);
    expect(columns.slice(0, 3)).toEqual(['name', 'NOTE', 'Note 2']);
    expect(columns[3]).toBe('id');
  });

  it('remain date columns, as those of the input do, and no other column becomes one', async () => {
    const input = { ...(await parse('name,ends\na,b\n')), dateColumns: new Set(['ends']) };
    const results = {
      ...(await parse('name,note,status,size\na,,,\n', 'codes.results.csv')),
      dateColumns: new Set(['note', 'status']),
    };
    expect(tabulate(input, { before: results }).dateColumns).toEqual(new Set(['ends', 'note']));
    expect(tabulate(await parse('name\na\n')).dateColumns).toEqual(new Set());
  });

  it('have an empty cell for a row that the earlier results lack', async () => {
    const results = await parse(before, 'codes.results.csv');
    const { rows } = await tableOf(await parse('name\nc\n'), [{ outcome: 'failed', isOpen: true }], results);
    expect(rows.map(({ note }) => note)).toEqual([null]);
    // Its line has the note of another code.
    const { rows: others } = await tableOf(
      await parse('name\na\nb\nc\n'),
      [{ code: { ...CODE, id: ID.replace('6', '7') } }],
      results,
    );
    expect(others[0]?.note).toBeNull();
  });
});
