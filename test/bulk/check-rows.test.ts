import { describe, expect, it } from 'vitest';
import { checkCreate, checkDelete, checkUpdate } from '../../src/bulk/check-rows.ts';
import { formatFault } from '../../src/bulk/input.ts';
import { parseInput } from '../../src/bulk/read-input.ts';
import { UsageError } from '../../src/errors.ts';

const ID = '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11';
const read = (text: string, name = 'codes.csv') => parseInput(Buffer.from(text), name);

async function faultsOf(
  check: (input: Awaited<ReturnType<typeof read>>) => unknown,
  text: string,
  name?: string,
): Promise<string[]> {
  const input = await read(text, name);
  try {
    check(input);
  } catch (error) {
    if (error instanceof UsageError)
      return error.message
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
    throw error;
  }
  return [];
}

const createFaults = (text: string, name?: string) => faultsOf(checkCreate, text, name);

describe('a create file', () => {
  it('gives what is to be sent: empty cells are left out', async () => {
    const { rows } = checkCreate(await read('Destination, NAME ,type\nhttps://x.de,a,\n,b,wifi\n'));
    expect(rows.map(({ code }) => code)).toEqual([
      { name: 'a', destination: 'https://x.de' },
      { name: 'b', type: 'wifi' },
    ]);
  });

  it('is told every fault at once, by line and column', async () => {
    expect(await createFaults('name,type,destination\n,url,https://x.de\nb,urll,\n')).toEqual([
      'line 2, column name: is empty',
      expect.stringMatching(/^line 3, column type: "urll" is none of url, vcard, /),
    ]);
  });

  it.each([
    ['nmae,destination\na,https://x.de\n', /column nmae: unknown; is it meant to be name\?/],
    ['name,desination\na,https://x.de\n', /column desination: unknown; is it meant to be destination\?/],
    ['name,typ\na,url\n', /column typ: unknown; is it meant to be type\?/],
    ['name,Name\na,b\n', /column Name: means the same as column name/],
    ['name,outcome\na,b\n', /column outcome: the results add a column of this name/],
    ['name,ID\na,b\n', /column ID: the results add a column of this name: rename yours \(my_id\)/],
    ['title\na\n', /column name: is missing/],
  ])('is refused for its header: %j', async (text, fault) => {
    expect((await createFaults(text)).join('\n')).toMatch(fault);
  });

  it("takes other people's columns, also where they resemble a known one that is there", async () => {
    expect(await createFaults('name,type,destination,names,note,date,time,code,sku\na,,https://x.de,1,2,3,4,5,6\n')).toEqual([]);
    expect(await createFaults('name,note,date,time\na,1,2,3\n')).toEqual([]);
  });

  it('has columns of its own that are named, and nothing is read of', async () => {
    const unread = async (check: typeof checkCreate | typeof checkUpdate | typeof checkDelete, text: string) =>
      check(await read(text)).unread;
    expect(await unread(checkCreate, 'name,Ziel,Kampagne\na,,\n')).toEqual(['Ziel', 'Kampagne']);
    // Of a list of codes only the type could be meant to be changed.
    const list = `id,slug,name,type,destination,status,created_at,updated_at,short_url,outcome,error,my key\n${ID},,,,,,,,,,,\n`;
    expect(await unread(checkUpdate, list)).toEqual(['type', 'my key']);
    expect(await unread(checkDelete, list)).toEqual(['my key']);
    expect(await createFaults('Titel,Ziel\na,b\n')).toEqual([
      'line 1, column name: is missing; every code needs a name (the file has "Titel", "Ziel")',
    ]);
    expect(await faultsOf(checkUpdate, 'a,b,c,d,e,f,name\n1,2,3,4,5,6,7\n')).toContainEqual(
      'line 1: neither a column id nor a column slug says which codes (the file has "a", "b", "c", "d", "e" and 1 more)',
    );
  });

  it('is told of a typo in one row of JSON, where others are right', async () => {
    const text = '[{"name":"a","destination":"https://x.de"},\n{"name":"b","desination":"https://x.de"}]';
    expect(await createFaults(text, 'x.json')).toEqual(['line 2, column desination: unknown; is it meant to be destination?']);
    expect(await createFaults('[{"name":7},{"name":null},{}]', 'x.json')).toHaveLength(3);
    expect(await createFaults('[{"name":"\\ud800"}]', 'x.json')).toEqual([expect.stringContaining('half a character')]);
  });

  it('warns of what leads nowhere, and refuses nothing that the service may take', async () => {
    const { rows, warnings } = checkCreate(await read('name,destination\na,https://x.de\nb,nope\n'));
    expect(rows).toHaveLength(2);
    expect(warnings.map(formatFault)).toEqual([
      'line 3, column destination: nope leads nowhere when it is scanned: an address begins with https:// or another scheme',
    ]);
  });

  it('warns of a name that a spreadsheet made of a long number', async () => {
    const { warnings } = checkCreate(
      await read('name,destination\n1.23457E+19,https://x.de\n"1,2E+11",https://x.de\n1E,https://x.de\n'),
    );
    expect(warnings.map(({ line, message }) => [line, message.slice(0, 55)])).toEqual([
      [2, '"1.23457E+19" is what a spreadsheet makes of a long num'],
      [3, '"1,2E+11" is what a spreadsheet makes of a long number:'],
    ]);
  });

  it('leaves destinations of other types to the service', async () => {
    expect(await createFaults('name,type,destination\na,wifi,WIFI;S:home\n')).toEqual([]);
  });

  it('is told of rows that occur twice, and of codes that lead nowhere', async () => {
    const { warnings } = checkCreate(await read('name,destination\na,https://x.de\nb,\na,https://x.de/\n'));
    expect(warnings.map(formatFault)).toEqual([
      'line 3, column destination: is empty: the code will point nowhere',
      'line 4: has the same values as line 2: both will be created',
    ]);
  });
});

describe('an update file', () => {
  it('says what to change: an empty cell changes nothing, an empty JSON text empties', async () => {
    const csv = checkUpdate(await read(`slug,id,status,destination,name\nabc,,paused,,\n,${ID.toUpperCase()},,https://x.de,n\n`));
    expect(csv.rows.map(({ id, slug, changes }) => ({ id, slug, changes }))).toEqual([
      { id: undefined, slug: 'abc', changes: { status: 'paused' } },
      { id: ID, slug: undefined, changes: { destination: 'https://x.de', name: 'n' } },
    ]);
    const json = checkUpdate(await read('[{"slug":"abc","destination":"","name":null}]', 'x.json'));
    expect(json.rows[0]?.changes).toEqual({ destination: '' });
  });

  it('is told of the same destinations as a create file, by the type that its rows say', async () => {
    const { warnings } = checkUpdate(await read('slug,type,destination\na,url,nope\nb,wifi,WIFI;S:home\nc,,\nd,,x.de\n'));
    expect(warnings.map(({ line }) => line)).toEqual([2, 5]);
    const emptied = checkUpdate(await read('[{"slug":"abc","destination":""}]', 'x.json'));
    expect(emptied.warnings.map(({ message }) => message)).toEqual(['is empty: the code will point nowhere']);
  });

  it('may be a results file that was edited', async () => {
    expect(
      await faultsOf(checkUpdate, `name,type,destination,id,slug,outcome,error\na,url,https://x.de,${ID},abc,created,\n`),
    ).toEqual([]);
  });

  it('is told every fault', async () => {
    expect(await faultsOf(checkUpdate, 'id,name,status\nabc,x,paused\n,y,\n,z,pausd\n')).toEqual([
      'line 2, column id: "abc" is not an id (a uuid)',
      'line 3: has neither an id nor a slug',
      'line 4: has neither an id nor a slug',
      'line 4, column status: "pausd" is none of active, paused, expired',
    ]);
    expect(await faultsOf(checkUpdate, 'name\nx\n')).toEqual(['line 1: neither a column id nor a column slug says which codes']);
    expect(await faultsOf(checkUpdate, 'slug\nx\n')).toEqual([
      'line 1: none of the columns name, destination, status says what to change',
    ]);
    expect(await faultsOf(checkUpdate, 'slug,statsu\nx,paused\n')).toContain(
      'line 1, column statsu: unknown; is it meant to be status?',
    );
  });
});

describe('a delete file', () => {
  it('names codes by id or slug', async () => {
    const { rows } = checkDelete(await read(`id,slug,why\n${ID},,old\n,abc,older\n`));
    expect(rows.map(({ id, slug }) => id ?? slug)).toEqual([ID, 'abc']);
    expect(await faultsOf(checkDelete, 'name\nx\n')).toHaveLength(1);
  });
});

it.each(['.', '1.', 'a'])('an address of megabytes of %j is checked in time linear in its length', (part) => {
  const rows = [
    {
      row: 1,
      line: 2,
      values: new Map([
        ['name', 'a'],
        ['destination', `x${part.repeat(3_000_000)}`],
      ]),
    },
  ];
  const input = { name: 'codes.csv', columns: ['name', 'destination'], headerLine: 1, rows };
  // By the square this would be hours.
  expect(checkCreate(input).warnings).toEqual([expect.objectContaining({ message: expect.stringContaining('leads nowhere') })]);
});
