import { expect, it } from 'vitest';
import { checkRows } from '#codes/engine/rows/read-rows';
import { parseInput } from '#codes/input/read-input';
import type { ReadOptions } from '#files/formats/read/input';
import { argv } from '../../support/argv.ts';
import { useBench } from '../../support/bench.ts';

async function check(text: string, options: ReadOptions = {}, verb: 'create' | 'update' = 'create') {
  const input = await parseInput(Buffer.from(text), 'codes.csv', options);
  const { rows, faults, notes, unread } = await checkRows(input, { verb });
  const [{ wish = {}, type, key } = {}] = rows;
  return { ...wish, type, key, faults: faults.map(({ message }) => message), notes, unread };
}

it.each([
  ['Schlüssel;Bezeichnung;Art;Ziel;Zustand', 'url', 'paused'],
  ['clé;Nom;Type;Lien;État', 'url', 'paused'],
  ['clave;Nombre;Tipo;Destino;Estado', 'url', 'paused'],
  ['chiave;Nome;Tipo;Indirizzo;Stato', 'url', 'paused'],
  ['sleutel;Naam;Soort;Bestemming;Status', 'url', 'paused'],
  ['chave;Título;Tipo;Endereço;Estado', 'url', 'paused'],
  ['klucz;Nazwa;Rodzaj;Cel;Stan', 'url', 'paused'],
  ['キー;名前;種類;リンク先;状態', 'url', 'paused'],
  ['المفتاح;الاسم;النوع;الرابط;الحالة', 'url', 'paused'],
])('the words in the header %s are translated to column names', async (header, type, status) => {
  expect(await check(`${header}\nk1;Poster;${type};https://example.com/;${status}\n`)).toMatchObject({
    key: 'k1',
    name: 'Poster',
    type,
    destination: 'https://example.com/',
    status,
    faults: [],
    unread: [],
  });
});

it('a header word is not translated if the file has a column for its field, or if its values do not fit the field', async () => {
  const rows =
    'name,destination,Titel,Adresse,Art,Estado,Datum\nA,https://a.example/,T,Hauptstr. 1,Poster,Bayern,2026-01-01\n';
  const own = await check(rows);
  expect(own).toMatchObject({ name: 'A', destination: 'https://a.example/', type: undefined, notes: [] });
  expect(own.unread).toEqual(['Titel', 'Adresse', 'Art', 'Estado', 'Datum']);
});

it.each<[string, Partial<Record<string, string>>, ReadOptions]>([
  ['Titel,url,sha256\nT,https://a.example/,x\n', { Titel: 'name' }, {}],
  ['Titel,url\nT,x\n', { url: 'destination' }, { key: 'TITEL' }],
  ['Titel,Adresse\nT,\nT,Hauptstr. 1\nT,www.a.example\n', { Titel: 'name', Adresse: 'destination' }, {}],
  ['Titel,Art\nT,WiFi\n', { Titel: 'name', Art: 'type' }, {}],
  ['Titel,Datum\nT,x\n', { Titel: 'name' }, {}],
  ['Titel,Datum\nT,x\n', { Titel: 'name', Datum: 'at' }, { isDated: true }],
  ['Titel,TITEL\nT,U\n', { TITEL: 'name' }, { column: [['name', 'TITEL']] }],
  ['name,Titel\nT,U\n', { name: '', Titel: 'name' }, { column: [['name', 'titel']] }],
])('in %j, the columns %j are assigned to fields', async (text, columns, options) => {
  const { named } = await parseInput(Buffer.from(text), 'codes.csv', options);
  expect(Object.fromEntries(named?.fields ?? [])).toEqual(columns);
});

it('ambiguous header words are refused unless --column chooses one of them', async () => {
  const text = 'Titel,Bezeichnung,url\nT,B,https://a.example/\n';
  expect((await check(text)).faults).toContain(
    'columns "Titel" and "Bezeichnung" could each be the name: rename the correct one to name, or add --column name=Titel',
  );
  expect(await check(text, { column: [['name', 'bezeichnung']] })).toMatchObject({ name: 'B', faults: [] });
});

it('--column replaces a column that has the name of the field, and requires an existing header', async () => {
  const named = 'name,Label,url\nN,L,https://a.example/\n';
  expect(await check(named, { column: [['name', 'Label']] })).toMatchObject({ name: 'L', faults: [] });
  await expect(check(named, { column: [['name', 'Nope']] })).rejects.toThrow(
    'no column has the header "Nope" of --column name=…',
  );
});

it('--column maps columns in CSV files and workbooks, and the results keep their headers', async () => {
  const { run, write } = await useBench();
  await write('a.csv', 'Titel,Wohin\nPoster,https://example.com/\n');
  expect(await run('qr', 'create', '--from', 'a.csv')).toMatchObject({ code: 2 });
  expect(await run('qr', 'create', '--from', 'a.csv', '--column', 'x=y')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('FIELD=HEADER'),
  });
  const made = await run(...argv`qr create --from a.csv --column destination=Wohin --results a.xlsx`);
  expect(made).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('column Titel is read as name'),
  });
  expect(made.stdout).toMatch(/^Titel,Wohin,id/);
  const again = await run('qr', 'update', '--from', 'a.xlsx', '--column', 'destination=Wohin');
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('1 row unchanged') });
});
