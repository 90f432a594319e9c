import { cpuUsage } from 'node:process';
import { describe, expect, it } from 'vitest';
import { checkRows } from '#codes/engine/rows/read-rows';
import { parseWithFaults } from '#codes/input/read-input';
import { refuseChecked } from '#files/formats/read/input';
import { SOAK } from '../../../support/property-runs.ts';
import { ID, linesOf, read, refusal, told, type Verb } from './read.ts';

const parse = (text: string, name = 'codes.csv') => parseWithFaults(Buffer.from(text), name);
const createFaults = (text: string, name?: string) => refusal('create', text, { name });

describe('an input file', () => {
  it.runIf(SOAK)('with a column name of 8 MB is checked in less than 1.5 s of processor time', async () => {
    const input = await parse(`[{"name":"a","destin${'x'.repeat(8e6)}":1}]`, 'codes.json');
    const began = cpuUsage();
    await checkRows(input, { verb: 'create', force: true });
    const { user, system } = cpuUsage(began);
    // All of it took some 3 s.
    expect((user + system) / 1e6).toBeLessThan(1.5);
  });

  it('may have extra columns with one-letter names', async () => {
    expect(await refusal('update', 'slug,status,d,i\nx,paused,1,2\n')).toEqual([]);
  });

  it('may have extra columns, even if they resemble a known column that the file also has', async () => {
    expect(
      await createFaults(
        'name,type,destination,names,note,date,time,code,sku\na,,https://x.de,1,2,3,4,5,6\n',
      ),
    ).toEqual([]);
    expect(await createFaults('name,type,note,date,time\na,wifi,1,2,3\n')).toEqual([]);
  });

  it('is returned with the names of its unread columns, and faults for missing columns list the columns it has', async () => {
    const unread = async (verb: Verb, text: string) => (await read(verb, text)).unread;
    expect(await unread('create', 'name,Wohin,Kampagne\na,,\n')).toEqual(['Wohin', 'Kampagne']);
    const list = `id,slug,name,type,destination,status,created_at,updated_at,short_url,outcome,error,my key\n${ID},,,,,,,,,,,\n`;
    expect(await unread('update', list)).toEqual(['my key']);
    expect(await unread('delete', list)).toEqual(['my key']);
    expect(await createFaults('Thema,Wohin\na,b\n')).toContain(
      'line 1, column name: is missing; every code needs a name (the file has "Thema", "Wohin")',
    );
    expect(await refusal('update', 'a,b,c,d,e,f,name\n1,2,3,4,5,6,7\n')).toContainEqual(
      'line 1: no column identifies the codes: add an id or slug column (the file has "a", "b", "c", "d", "e" and 1 more)',
    );
  });

  it('in JSON has a fault for a misspelled key in one row, even if other rows have the correct key', async () => {
    const text = '[{"name":"a","destination":"https://x.de"},\n{"name":"b","desination":"https://x.de"}]';
    expect(await createFaults(text, 'x.json')).toContain(
      'item 2, column desination: unknown column; did you mean destination?',
    );
  });

  it('in JSON has a fault for each row whose name is missing or not text', async () => {
    expect(
      await createFaults('[{"name":7,"type":"sms"},{"name":null,"type":"sms"},{"type":"sms"}]', 'x.json'),
    ).toHaveLength(3);
  });

  it("has faults for destinations that can't be opened, or warnings with `force`, and warnings for odd destinations", async () => {
    const input = await parse(
      'name,destination\na,https://x.de\nb,nope\nc,https://host/x\nd,\ne,tel:1\nf,http://[::1]/\ng,https://x.de/?a&amp;b\n',
    );
    const { rows, faults, warnings } = await checkRows(input, { verb: 'create' });
    expect(rows).toHaveLength(7);
    expect(told(faults)).toEqual([
      'line 3, column destination: nope cannot be opened when scanned: it does not begin with https://',
      'line 4, column destination: https://host/x cannot be opened when scanned: its host name has no dot',
      'line 5, column destination: is empty and cannot be opened when scanned',
      'line 7, column destination: "http://[::1]/" contains an IP address instead of a host name',
    ]);
    expect(told(warnings)).toEqual([
      'line 6, column destination: tel:1 is not a web address, so not every phone can open it',
      'line 8, column destination: "https://x.de/?a&amp;b" contains "&amp;" instead of "&"',
    ]);
    const forced = await checkRows(input, { verb: 'create', force: true });
    expect([forced.faults, forced.warnings.length]).toEqual([[], 6]);
    const checked = await checkRows(input, { verb: 'create' });
    expect(() => refuseChecked(input, checked)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('--force') }),
    );
  });

  it.each(['URL', ' Link ', 'target', 'ADDRESS'])(
    'may have destinations in the column %j, and a note states how the column is read',
    async (column) => {
      const { rows, faults, notes, unread } = await read(
        'create',
        `name,${column}\na,https://x.de\nb,nope\n`,
      );
      expect(rows[0]?.wish).toEqual({ name: 'a', destination: 'https://x.de' });
      expect(told(faults)).toEqual([
        expect.stringContaining(`line 3, column ${column.trim()}: nope cannot be opened`),
      ]);
      expect([notes, unread]).toEqual([[`column ${column.trim()} is read as destination`], []]);
    },
  );

  it.each([
    ...['Long URL', 'destination_url', 'Links', 'Website', 'Redirect to', 'Link (URL)', 'QR Link'],
    ...[
      'Ziel-URL',
      'Adresse du site',
      'Enlace web',
      'Indirizzo web',
      'Webadres',
      'Ligação',
      'Adres strony',
      'リンク先URL',
      'رابط الصفحة',
    ],
  ])(
    'with addresses in the column %j has one fault, which names the column, even with --force',
    async (column) => {
      const rows = 'A,https://x.de/1\nB,www.x.de/2\nC,\nD,https://x.de/4\n';
      const input = await parse(`name,${column}\n${rows}`);
      for (const force of [false, true]) {
        const { faults, warnings } = await checkRows(input, { verb: 'create', force });
        expect(told(faults)).toEqual([
          `line 1, column destination: is missing; column "${column}" contains addresses, so rename it to destination`,
        ]);
        expect([faults[0]?.mayForce, warnings]).toEqual([undefined, []]);
      }
      const { faults } = await read('update', `slug,${column}\n${rows}`);
      expect(told(faults)).toEqual([
        `line 1: no column contains changes: column "${column}" contains addresses, so rename it to destination`,
      ]);
    },
  );

  it('without destinations has a fault that lists the columns with addresses, or else all columns', async () => {
    expect(await createFaults('name,Web,Bild,Ort\na,https://x.de/1,https://x.de/1.png,Kiel\n')).toEqual([
      'line 1, column destination: is missing; columns "Web" and "Bild" contain addresses, so rename the correct one to destination',
    ]);
    expect(await createFaults('name,Ort,Halle\na,Kiel,3\nb,Bonn,4\n')).toEqual([
      'line 1, column destination: is missing; every code of type url needs one (the file has "Ort", "Halle")',
    ]);
    expect(await createFaults('[{"name":"a"},{"name":"b"}]', 'x.json')).toHaveLength(2);
    expect(
      await createFaults('[{"name":"a","Web":"https://x.de"},{"name":"b","Web":"https://x.de"}]', 'x.json'),
    ).toEqual([
      'column destination: is missing; column "Web" contains addresses, so rename it to destination',
    ]);
    expect(await createFaults('name,type,Web\na,wifi,https://x.de\n')).toEqual([]);
    expect(await createFaults('name,type,utm_source\na,wifi,x\nb,wifi,\nc,sms,y\n')).toHaveLength(1);
  });

  it.each([
    ['Menu,https://x.de/1\nPoster,https://x.de/2\n', 'create'],
    ['https://x.de/1\nhttps://x.de/2\n', 'create'],
    [`${ID},paused\n${ID},active\n`, 'update'],
    [`${ID},Halle 3\n`, 'delete'],
  ] as const)('without a header, such as %j, has one fault', async (text, verb) => {
    expect(await refusal(verb, text).catch(linesOf)).toEqual([
      expect.stringMatching(/line 1: ".*" looks like data, not like a column name: add a line above it/),
    ]);
  });

  it('is refused if two columns could be the destination, but not if one is named destination, or if it is a manifest of images', async () => {
    expect(await createFaults('name,type,url,Link\na,url,https://x.de,https://y.de\nb,sms,x,y\n')).toEqual([
      'line 1: columns "url" and "Link" could each be the destination: rename the correct one to destination, or add --column destination=url',
    ]);
    const both = await read('create', 'name,destination,url\na,https://x.de,https://y.de\n');
    expect([both.rows[0]?.wish.destination, both.notes, both.unread]).toEqual(['https://x.de', [], ['url']]);
    // The short URL in the manifest of pictures: a code that leads to it leads to itself.
    const manifest = await read(
      'update',
      'id,slug,name,url,file,sha256\n,abc,n,https://go.example/abc,a.png,00\n',
    );
    expect(manifest.rows[0]?.wish).toEqual({ name: 'n' });
  });

  it('causes a warning for a name that a spreadsheet shortened from a long number', async () => {
    const { warnings } = await read(
      'create',
      'name,destination\n1.23457E+19,https://x.de\n"1,2E+11",https://x.de\n1E,https://x.de\n',
    );
    expect(warnings.map(({ line, message }) => [line, message.slice(0, 55)])).toEqual([
      [2, '"1.23457E+19" looks like a long number shortened by a s'],
      [3, '"1,2E+11" looks like a long number shortened by a sprea'],
    ]);
  });

  it('may have any destination for a code whose type is not url', async () => {
    expect(await createFaults('name,type,destination\na,wifi,WIFI;S:home\n')).toEqual([]);
  });

  it('causes a warning for a row with the same values as an earlier row', async () => {
    const { warnings } = await read('create', 'name,destination\na,https://x.de\na,https://x.de/\n');
    expect(told(warnings)).toEqual(['line 3: has the same values as line 2: each row gets its own code']);
    const json = await read('create', '[{"name":"a","type":"sms"},{"name":"a","type":"SMS"}]', {
      name: 'x.json',
    });
    expect(json.warnings.map(({ message }) => message)).toEqual([
      'has the same values as item 1: each row gets its own code',
    ]);
    const mixed = await read(
      'create',
      'name,destination\na,https://x.de\na,https://y.de\nb,https://x.de\na,https://y.de\na ,https://x.de\n',
    );
    const repeats = told(mixed.warnings).filter((line) => line.includes('same values'));
    expect(repeats).toEqual([
      'line 5: has the same values as line 3: each row gets its own code',
      'line 6: has the same values as line 2: each row gets its own code',
    ]);
  });
});

it.each(['.', '1.', 'a'])(
  'an address that repeats %j three million times is checked within the time limit of a test',
  async (part) => {
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
    expect((await checkRows(input, { verb: 'create' })).faults).toEqual([
      expect.objectContaining({ message: expect.stringContaining('cannot be opened') }),
    ]);
  },
);
