import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import { checkRows } from '#codes/engine/rows/read-rows';
import { parseInput, parseWithFaults } from '#codes/input/read-input';
import type { Fault, ReadOptions } from '#files/formats/read/input';
import { createFormat, dateText, seenNumber } from '#files/formats/xlsx/seen-text';
import { createWorkbookSink } from '#files/formats/xlsx/workbook-sink';
import { anyCharacter } from '../../support/any-character.ts';
import { entriesOf } from '../../support/entries-of.ts';
import { HOSTILE } from '../../support/hostile-strings.ts';
import { runs, SOAK } from '../../support/property-runs.ts';

/** A workbook by qrctl. */
async function write(rows: Record<string, unknown>[], names: readonly string[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const bytes = {
    write: async (piece: string | Uint8Array) => void pieces.push(Buffer.from(piece as Uint8Array)),
    commit: async () => undefined,
    discard: async () => undefined,
  };
  const sink = createWorkbookSink(bytes, {
    columns: names.map((name) => ({ name })),
    zone: { offsetMs: () => 0 },
  });
  await sink.write(rows);
  await sink.commit();
  return Buffer.concat(pieces);
}

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (...targets: [string, string][]) =>
  `<Relationships>${targets.map(([type, target], n) => `<Relationship Id="rId${n + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`;

/** A workbook as others write it: shared strings, formats, absolute paths. `rows` and `more` are the XML of the sheet. */
function workbook(
  rows: string,
  { more = '', sheets = ['First'], parts = {} as Record<string, string> } = {},
): Buffer {
  const all: Record<string, string> = {
    '_rels/.rels': relations(['officeDocument', '/xl/workbook.xml']),
    'xl/workbook.xml': `<x:workbook xmlns:x="m" xmlns:r="${OFFICE}"><x:sheets>${sheets.map((name, n) => `<x:sheet name="${name}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`).join('')}</x:sheets></x:workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...sheets.map((_, n): [string, string] => ['worksheet', `worksheets/sheet${n + 1}.xml`]),
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles.xml'],
    ),
    'xl/sharedStrings.xml': `<sst ${MAIN}><si><t>name</t></si><si><r><t>two </t></r><r><t>parts</t></r><rPh><t>no</t></rPh></si></sst>`,
    'xl/styles.xml': `<styleSheet ${MAIN}><numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="000"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="9"/><xf numFmtId="4"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet ${MAIN}><sheetData>${rows}</sheetData>${more}</worksheet>`,
    'xl/worksheets/sheet2.xml': `<worksheet ${MAIN}><sheetData>${HEADER}<row r="2"><c r="A2" t="str"><v>second</v></c></row></sheetData></worksheet>`,
    ...parts,
  };
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(all).map(([name, text]) => [name, Buffer.from(text)]))),
  );
}

const HEADER =
  '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>my key</t></is></c></row>';

const read = async (bytes: Uint8Array, options = {}) => {
  const { columns, rows } = await parseInput(bytes, 'x.xlsx', options);
  return rows.map(({ line, values }) => [line, Object.fromEntries(entriesOf(columns, values))] as const);
};

const refusal = async (bytes: Uint8Array, name = 'x.xlsx', options = {}) => {
  const error = await parseInput(bytes, name, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message;
};

describe('a workbook', () => {
  it('that qrctl wrote is read back exactly', async () => {
    const text = fc
      .oneof(
        fc.constantFrom(
          '007',
          '9007199254740993',
          '1/2',
          'TRUE',
          "'=1",
          '_x0041_',
          '_x005F_',
          ...Object.values(HOSTILE),
        ),
        fc.string({ unit: fc.constantFrom(...`_x0041'=\r\n\t <&>"\0\ufffe東🍜`) }),
        fc.string({ unit: anyCharacter }),
      )
      .map((value) => value.toWellFormed().slice(0, 32_767).toWellFormed());
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id: fc.constant('1'), name: text, note: text })),
        async (rows) => {
          expect((await read(await write(rows, ['id', 'name', 'note']))).map(([, row]) => row)).toEqual(rows);
        },
      ),
      runs(1, 4000),
    );
  });

  it('with one text of 32,767 characters in 4,200 cells is refused at the limit of 128 MiB of text', async () => {
    const strings = `<sst ${MAIN}><si><t>name</t></si><si><t>${'a'.repeat(32_767)}</t></si></sst>`;
    const rows = Array.from(
      { length: 4200 },
      (_, n) => `<row r="${n + 2}"><c r="A${n + 2}" t="s"><v>1</v></c></row>`,
    ).join('');
    const message = await refusal(workbook(HEADER + rows, { parts: { 'xl/sharedStrings.xml': strings } }));
    expect(message).toContain('line 4098: exceeds the limit of 128 MiB of text per file');
  });

  it('from other programs is read with its row numbers, joined text runs, and numbers as displayed', async () => {
    const rows =
      HEADER +
      '<row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3"><v>12.5</v></c></row><row r="4" spans="1:2"><c r="A4" s="1"/></row>' +
      '<row r="5"><c r="A5" s="3"><v>7</v></c><c r="B5" t="b"><v>1</v></c></row>' +
      '<row r="6"><c t="n" s="4"><v>0.1</v></c><c s="1"><v>46082</v></c></row><row r="7"><c r="A7"><f>1+1</f><v>2</v></c></row>';
    expect(await read(workbook(rows))).toEqual([
      [3, { name: 'two parts', 'my key': 12.5 }],
      [5, { name: '007', 'my key': true }],
      [6, { name: '10%', 'my key': '2026-03-01' }],
      [7, { name: '2', 'my key': '' }],
    ]);
  });

  it('has an empty cell for a shared string without a value, as openpyxl up to 2.5 writes it', async () => {
    for (const cell of ['<c r="B2" t="s"/>', '<c r="B2" t="s"><v></v></c>', '<c r="B2" t="s"><v/></c>']) {
      const rows = `${HEADER}<row r="2"><c r="A2" t="str"><v>a</v></c>${cell}</row>`;
      expect(await read(workbook(rows))).toEqual([[2, { name: 'a', 'my key': '' }]]);
    }
  });

  it('is read with its hidden rows, and their number, or without them if --visible-only is set', async () => {
    const row = (line: number, more: string) =>
      `<row r="${line}" ${more}><c t="str"><v>${line}</v></c></row>`;
    const bytes = workbook(
      HEADER + row(2, '') + row(3, 'hidden="1"') + row(4, 'hidden="0"') + row(5, 'hidden="true"'),
    );
    expect((await parseInput(bytes, 'x.xlsx')).hiddenRows).toBe(2);
    expect((await read(bytes)).map(([line]) => line)).toEqual([2, 3, 4, 5]);
    expect((await read(bytes, { visibleOnly: true })).map(([line]) => line)).toEqual([2, 4]);
    expect(await refusal(Buffer.from('name\na\n'), 'x.csv', { visibleOnly: true })).toContain(
      '--visible-only requires a workbook',
    );
  });

  it('is read row by row, even if rows cross chunks and other elements have similar names', async () => {
    const rows = Array.from(
      { length: SOAK ? 9000 : 2000 },
      (_, n) => `<x:row r="${n + 2}"><x:c t="str"><x:v>${n} ${'東&amp;'.repeat(n % 40)}</x:v></x:c></x:row>`,
    );
    const part = `<x:worksheet xmlns:x="m"><x:sheetViews/><x:sheetData count="1">${HEADER.replaceAll('<', '<x:').replaceAll('<x:/', '</x:')}${rows.join('')}</x:sheetData><x:rowBreaks/></x:worksheet>`;
    const found = await read(workbook('', { parts: { 'xl/worksheets/sheet1.xml': part } }));
    expect(found).toEqual(
      rows.map((_, n) => [n + 2, { name: `${n} ${'東&'.repeat(n % 40)}`, 'my key': '' }]),
    );
    for (const empty of ['<sheetData/>', '<sheetData />', '<sheetData></sheetData>', ''])
      expect(
        await read(
          workbook('', { parts: { 'xl/worksheets/sheet1.xml': `<worksheet>${empty}</worksheet>` } }),
        ),
      ).toEqual([]);
  });

  it('is read with its shared strings, even if they cross chunks', async () => {
    const texts = Array.from({ length: 6000 }, (_, n) => `${n} ${'東&'.repeat(n % 20)}`);
    const items = texts.map(
      (text) => `<si><r><t>${text.replaceAll('&', '&amp;')}</t></r><r><t>!</t></r></si>`,
    );
    const rows = texts.map((_, n) => `<row r="${n + 2}"><c t="s"><v>${n + 1}</v></c></row>`);
    const strings = `<sst ${MAIN}><si><t>name</t></si>${items.join('')}</sst>`;
    const found = await read(
      workbook(HEADER + rows.join(''), { parts: { 'xl/sharedStrings.xml': strings } }),
    );
    expect(found.map(([, { name }]) => name)).toEqual(texts.map((text) => `${text}!`));
  });

  it.each([
    ['date1904="1"', '2026-03-01'],
    ['date1904="true"', '2026-03-01'],
    ['date1904="0"', '2022-02-28'],
    ['date1904="10"', '2022-02-28'],
    ['date1904="01"', '2022-02-28'],
    ['', '2022-02-28'],
  ])('has dates that count from 1904 only if its properties (%s) say so', async (property, date) => {
    const xml = `<workbook xmlns:r="${OFFICE}"><workbookPr ${property}/><bookViews date1904="2"/><sheets><sheet name="First" r:id="rId1"/></sheets></workbook>`;
    const rows = `${HEADER}<row><c r="B2" s="1"><v>44620</v></c></row>`;
    expect(await read(workbook(rows, { parts: { 'xl/workbook.xml': xml } }))).toEqual([
      [2, { name: '', 'my key': date }],
    ]);
  });

  it('without the specified sheet is refused, with a similar name and at most 10 names of sheets in the hint', async () => {
    const sheets = Array.from({ length: 12 }, (_, at) => `Sheet of ${2010 + at}`);
    const hint = async (sheetName: string) => {
      const reading = parseInput(workbook('', { sheets }), 'x.xlsx', { sheetName });
      return reading.catch((error: UsageError) => [error.message, error.hint]);
    };
    const available = `Available sheets: ${sheets
      .slice(0, 10)
      .map((name) => `"${name}"`)
      .join(', ')}`;
    expect(await hint('sheet of 2011')).toEqual([
      'x.xlsx has no sheet "sheet of 2011"',
      `Did you mean "Sheet of 2011"? ${available}`,
    ]);
    expect(await hint('codes')).toEqual(['x.xlsx has no sheet "codes"', available]);
  });

  it('is read with the formats of its cells, not with those of its named styles', async () => {
    const styles = `<styleSheet ${MAIN}><cellStyleXfs><xf numFmtId="9"/><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="9"/></cellXfs><dxfs><xf numFmtId="14"/></dxfs></styleSheet>`;
    const cells = [0, 2].map((n) => `<row><c s="1"><v>0.5</v></c><c s="${n}"><v>0.5</v></c></row>`);
    const found = await read(workbook(HEADER + cells.join(''), { parts: { 'xl/styles.xml': styles } }));
    expect(found.map(([, row]) => row)).toEqual(Array(2).fill({ name: '50%', 'my key': 0.5 }));
  });

  it('is read with decoded character references, such as emoji from openpyxl, and with normalized line ends', async () => {
    const text = '&#127914; S&#xFC;&#x1F3B6;&amp;#38;&#1114112;&#xd83c;&#xdfaa;&#13;\r\na\rb';
    const [[, row] = []] = await read(workbook(`${HEADER}<row r="2"><c t="str"><v>${text}</v></c></row>`));
    expect(row?.name).toBe('🎪 Sü🎶&#38;&#1114112;🎪\r\na\nb');
  });

  it('with one flipped bit is read unchanged or refused', async () => {
    const whole = await write([{ name: 'Sommerfest in Köln', note: 'x'.repeat(40) }], ['name', 'note']);
    const rows = await read(whole);
    const turned = (bit: number) => {
      const copy = Buffer.from(whole);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return copy;
    };
    const step = SOAK ? 1 : 331;
    for (let bit = 0; bit < whole.length * 8; bit += step) {
      const found = await read(turned(bit)).catch((error: unknown) => error);
      if (!(found instanceof UsageError)) expect([bit, found]).toEqual([bit, rows]);
    }
  }, 1_200_000);

  it('is read from its first visible sheet, or from its first sheet if all are hidden', async () => {
    const parts = (states: string[]) => ({
      'xl/workbook.xml': `<workbook xmlns:r="${OFFICE}"><sheets>${states.map((state, n) => `<sheet name="S${n + 1}" state="${state}" r:id="rId${n + 1}"/>`).join('')}</sheets></workbook>`,
    });
    const of = (...states: string[]) =>
      read(workbook(HEADER, { sheets: ['S1', 'S2'], parts: parts(states) }));
    expect(await of('veryHidden', 'visible')).toEqual([[2, { name: 'second', 'my key': '' }]]);
    expect(await of('hidden', 'hidden')).toEqual([]);
  });

  it('may have any value in columns that no command reads, such as dates that Gnumeric formats by column', async () => {
    const header =
      '<row r="1"><c t="str"><v>name</v></c><c t="str"><v>created_at</v></c><c t="str"><v>updated_at</v></c></row>';
    const row =
      '<row r="2"><c t="s"><v>0</v></c><c><v>46348.25</v></c><c s="2"><v>46348.25</v></c></row><row r="3"><c t="s"><v>0</v></c><c t="e"><v>#N/A</v></c></row>';
    expect(await read(workbook(header + row))).toEqual([
      [2, { name: 'name', created_at: 46_348.25, updated_at: '2026-11-22 06:00:00' }],
      [3, { name: 'name', created_at: '#N/A', updated_at: '' }],
    ]);
  });

  const table = (header: readonly string[], cells: string, options: ReadOptions = {}) => {
    const names = header.map((name) => `<c t="str"><v>${name}</v></c>`).join('');
    return parseWithFaults(workbook(`<row r="1">${names}</row><row r="2">${cells}</row>`), 'x.xlsx', options);
  };
  const number = (value: number, style = 0) => `<c s="${style}"><v>${value}</v></c>`;

  it('keeps numbers as displayed in columns for keys, tags and addresses, and as numbers in other columns', async () => {
    const header = ['Nr', 'UTM_Campaign', 'Link', 'team'];
    const { columns, rows } = await table(header, number(7, 3) + number(2026) + number(5) + number(12), {
      key: 'nr',
    });
    expect(entriesOf(columns, rows[0]?.values)).toEqual([
      ['Nr', '007'],
      ['UTM_Campaign', '2026'],
      ['Link', '5'],
      ['team', 12],
    ]);
    const own = await table(['destination', 'Link', 'Nr'], number(1) + number(2) + number(3));
    expect(entriesOf(own.columns, own.rows[0]?.values).map(([, value]) => value)).toEqual(['1', 2, 3]);
  });

  it('is refused if a key or tag is displayed differently from its value, unless the command reads neither column', async () => {
    const header = ['key', 'id', 'utm_term'];
    const id = '<c t="str"><v>6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11</v></c>';
    const input = await table(header, number(1.5) + id + number(46082, 1), { key: 'key' });
    const faults = async (check: Promise<{ faults: readonly Fault[] }>) =>
      (await check).faults.map(({ column, message }) => [column, message]);
    const asText = (is: string) =>
      expect.stringMatching(new RegExp(`^is a ${is}.*: format the cell as text and retype the value$`));
    const both = [
      ['key', asText('number \\(1.5\\)')],
      ['utm_term', asText('date')],
    ];
    expect(await faults(checkRows(input, { verb: 'apply', keyColumn: 'key' }))).toEqual(both);
    expect(await faults(checkRows(input, { verb: 'update' }))).toEqual(both);
    expect(await faults(checkRows(input, { verb: 'delete' }))).toEqual([]);
    expect(input.rows[0]?.values.get('key')).toBe(1.5);
  });

  it('with several sheets is read from the sheet that --sheet-name specifies', async () => {
    const two = workbook(HEADER, { sheets: ['First', 'Späti &amp; Co'] });
    expect(await read(two)).toEqual([]);
    expect(await read(two, { sheetName: 'Späti & Co' })).toEqual([[2, { name: 'second', 'my key': '' }]]);
    expect(await refusal(two, 'x.xlsx', { sheetName: 'Frist' })).toBe('x.xlsx has no sheet "Frist"');
    expect(await refusal(Buffer.from('name\na\n'), 'x.csv', { sheetName: 'A' })).toContain(
      '--sheet-name requires a workbook',
    );
  });

  const cell = (xml: string) => workbook(`${HEADER}<row r="2">${xml}</row>`);
  const compound = (text: string) =>
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from(text, 'utf16le')]);
  /** Kilobytes that are unpacked to so many rows of one kind. */
  const many = (row: string, count: number) => workbook(HEADER + row.repeat(count));
  const formatted = (code: string) =>
    workbook(HEADER, {
      parts: {
        'xl/styles.xml': `<styleSheet ${MAIN}><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`,
      },
    });
  const columns = (count: number) =>
    Array.from({ length: count }, (_, n) => `<c t="str"><v>c${n}</v></c>`).join('');

  /** Returns a workbook with a number changed, counted from its central directory or, if negative, from its end. */
  const edited = (at: number, value: number) => {
    const bytes = workbook(HEADER);
    const list = bytes.readUInt32LE(bytes.length - 6);
    bytes.writeUInt32LE(value, at < 0 ? bytes.length + at : list + at);
    return bytes;
  };

  type Refused = [string, () => Uint8Array, string | RegExp];
  const ENDLESS: Refused[] = [
    ['more than 1,048,576 rows', () => many('<row/>', 1_100_000), 'x.xlsx has more than 1,048,576 rows'],
    [
      'more than 4,000,000 cells',
      () => many(`<row>${'<c/>'.repeat(1000)}</row>`, 4100),
      'x.xlsx has more than 4,000,000 cells',
    ],
    [
      'more than 4,040 rows of 990 columns',
      () => workbook(`<row r="1">${columns(990)}</row>${'<row><c t="str"><v>a</v></c></row>'.repeat(4100)}`),
      'x.xlsx has more than 4040 rows of 990 columns',
    ],
    [
      'a row of 900,000 cells',
      () => many(`<row>${'<c t="b"><v>1</v></c>'.repeat(900_000)}</row>`, 1),
      /part other than its rows that is larger than 16 MiB|compressed by a factor above/,
    ],
  ];

  it.each<Refused>([
    [
      'a renamed CSV file',
      () => Buffer.from('name\na\n'),
      'x.xlsx is not a workbook, despite its extension (possibly a renamed CSV file)',
    ],
    ['a password', () => compound('EncryptedPackage'), 'x.xlsx is password-protected'],
    ['an old .xls', () => compound('Workbook'), 'x.xlsx is in the old Excel format (.xls)'],
    ['no sheet', () => workbook('', { sheets: [] }), 'x.xlsx has no sheet'],
    [
      'another archive',
      () => Buffer.from(zipSync({ 'a.txt': Buffer.from('a') })),
      'x.xlsx is not a workbook but another kind of archive',
    ],
    [
      'OpenDocument',
      () => Buffer.from(zipSync({ mimetype: Buffer.from('application/vnd.oasis.opendocument.spreadsheet') })),
      'x.xlsx is an OpenDocument file (.ods)',
    ],
    [
      'a missing second half',
      () => workbook(HEADER).subarray(0, 900),
      'x.xlsx is damaged: the end of the file is missing',
    ],
    [
      'a binary workbook',
      () => workbook(HEADER, { parts: { '_rels/.rels': relations(['officeDocument', 'xl/workbook.bin']) } }),
      'x.xlsx is a binary workbook (.xlsb)',
    ],
    ['ZIP64', () => edited(-6, 2 ** 32 - 1), 'x.xlsx is a ZIP64 archive, which is not supported'],
    [
      'a list beyond its end',
      () => edited(-6, 2 ** 31),
      'x.xlsx is damaged: its list of parts is incomplete',
    ],
    [
      'a part beyond its end',
      () => edited(42, 2 ** 31),
      'x.xlsx is damaged: a part begins after the end of the file',
    ],
    ['a wrong checksum', () => edited(16, 1), 'x.xlsx is damaged: a checksum is wrong'],
    [
      'a part that is not UTF-8',
      () => Buffer.from(zipSync({ 'xl/workbook.xml': Buffer.from([0xff]) })),
      'x.xlsx is damaged: it cannot be decompressed',
    ],
    ['a part that is not XML', () => workbook('<row><c'), 'x.xlsx is damaged: part of it is not valid XML'],
    [
      'a zip bomb',
      () => many(`<row><c t="str"><v>${'a'.repeat(1000)}</v></c></row>`, 17_000),
      'x.xlsx has a part compressed by a factor above 100, which no spreadsheet application does',
    ],
    // By day test/e2e/bombs.test.ts has as many rows, and as many columns.
    ...(SOAK ? ENDLESS : []),
    [
      'a number format of 256 characters',
      () => formatted('['.repeat(256)),
      'x.xlsx is damaged: a number format has more than 255 characters',
    ],
    [
      '60,000 columns',
      () => workbook(`<row r="1">${columns(60_000)}</row>`),
      'line 1: has 60000 columns (limit: 1000)',
    ],
    [
      'merged cells',
      () =>
        workbook(`${HEADER}<row r="2"><c r="A2" t="s"><v>1</v></c></row>`, {
          more: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
        }),
      'line 2: contains merged cells: unmerge them so that each row has its own value',
    ],
    [
      'a date',
      () => cell('<c r="A2" s="2"><v>46082</v></c>'),
      'line 2, column name: is a date (2026-03-01), and its display depends on the locale',
    ],
    [
      'a decimal',
      () => cell('<c r="A2"><v>12.5</v></c>'),
      'line 2, column name: is a number (12.5), and its display depends',
    ],
    [
      'lost digits',
      () => cell('<c r="A2"><v>9007199254740993</v></c>'),
      'line 2, column name: is a number (9007199254740992)',
    ],
    [
      'a missing shared string',
      () => cell('<c r="A2" t="s"><v>9</v></c>'),
      'x.xlsx is damaged: a cell refers to a string that is missing',
    ],
    [
      'a spreadsheet error',
      () => cell('<c r="A2" t="e"><v>#N/A</v></c>'),
      'line 2, column name: contains a spreadsheet error (#N/A)',
    ],
    // As openpyxl writes one, which works nothing out.
    [
      'a formula without a value',
      () => cell('<c r="A2"><f>A1</f><v></v></c>'),
      'line 2, column name: is a formula without a stored value',
    ],
    [
      'more cells than column names',
      () => cell('<c r="D2" t="str"><v>x</v></c>'),
      'line 2: has a cell beyond the last named column',
    ],
  ])('is refused with a message that states its fault: %s', async (_, bytes, message) => {
    const told = await refusal(bytes());
    if (typeof message === 'string') expect(told).toContain(message);
    else expect(told).toMatch(message);
  });

  it.each([
    ['A2:B2', 2],
    ['A3:A9', 3],
    ['B1:B3', 2],
    ['A1:A9', 2],
    ['A1:B1', undefined],
    ['A4:B4', undefined],
    ['C2:C3', undefined],
    ['B2:D2', 2],
  ])('has a fault for merged cells only if they overlap its table (%s)', async (ref, line) => {
    const cells = '<c t="str"><v>name</v></c><c t="str"><v>note</v></c>';
    const bytes = workbook(`<row r="2">${cells}</row><row r="3">${cells}</row>`, {
      more: `<mergeCells><mergeCell ref="${ref}"/></mergeCells>`,
    });
    const { faults } = await parseWithFaults(bytes, 'x.xlsx');
    const message = 'contains merged cells: unmerge them so that each row has its own value';
    expect(faults).toEqual(line === undefined ? [] : [{ line, message }]);
  });

  it('has booleans as displayed in columns that commands read, and as booleans in other columns', async () => {
    const boolean = (value: number) => `<c t="b"><v>${value}</v></c>`;
    const { rows } = await table(['name', 'slug', 'note'], boolean(1) + boolean(0) + boolean(1));
    expect(['name', 'slug', 'note'].map((column) => rows[0]?.values.get(column))).toEqual([
      'TRUE',
      'FALSE',
      true,
    ]);
  });

  it('is refused with a date that no calendar has, or with a spreadsheet error of 41 characters, whose first 20 are in the message', async () => {
    expect(await refusal(cell('<c r="A2" s="2"><v>1e15</v></c>'))).toContain(
      'x.xlsx: 1 fault (no changes were made)\n  line 2, column name: is a date, and its display depends on the locale: format the cell as text and retype the value',
    );
    expect(await refusal(cell(`<c r="A2" t="e"><v>#${'N'.repeat(40)}</v></c>`))).toMatch(
      /contains a spreadsheet error \(#N{19}\)$/,
    );
  });

  it('may have spreadsheet errors and formulas without a value in columns that no command reads', async () => {
    expect(await read(cell('<c t="str"><v>a</v></c><c t="e"><v>#N/A</v></c>'))).toEqual([
      [2, { name: 'a', 'my key': '#N/A' }],
    ]);
    expect(await read(cell('<c t="str"><v>a</v></c><c><f>A1</f><v></v></c>'))).toEqual([
      [2, { name: 'a', 'my key': '' }],
    ]);
  });

  it('is recognized by its content under any file name', async () => {
    expect((await parseInput(workbook(HEADER), 'standard input')).form).toEqual({ is: 'xlsx' });
    expect(await refusal(compound('Workbook'), 'old.xls')).toBe('old.xls is in the old Excel format (.xls)');
  });
});

describe('the displayed value', () => {
  it.each([
    [14, '', true],
    [0, '', false],
    [49, '@', false],
    [164, 'yyyy-mm-dd', true],
    [164, '[Red]0.00', false],
    [164, '[h]:mm', true],
    [164, '[hh]', true],
    [164, '[mm]', true],
    [164, '[ss]', true],
    [164, '0" days"', false],
    [164, 'General', false],
  ])('in the format %i with the code %j is a date: %s', (id, code, is) => {
    expect(createFormat(id, code).isDate).toBe(is);
  });

  it('is a date in exactly those built-in formats that Excel uses for dates', () => {
    const dates = Array.from({ length: 164 }, (_, id) => id).filter((id) => createFormat(id, '').isDate);
    const from = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, n) => first + n);
    expect(dates).toEqual([...from(14, 22), ...from(27, 36), ...from(45, 47), ...from(50, 58)]);
  });

  it.each([
    [46082.25, true, '2026-03-01 06:00:00'],
    [46082.25, false, '2026-03-01 06:00:00'],
    [46082, true, '2026-03-01 00:00:00'],
    [46082, false, '2026-03-01'],
    [1e9, false, undefined],
    [Number.NaN, false, undefined],
  ])('of the serial date %d (with time: %j) is %s', (serial, withTime, text) => {
    expect(dateText(serial, false, withTime)).toBe(text);
  });

  it.each([
    [12, 0, '', '12'],
    [-3, 1, '', '-3'],
    [1e15, 0, '', undefined],
    [0.5, 0, '', undefined],
    [0.07, 9, '', '7%'],
    [1234, 3, '', undefined],
    [5, 164, '00000', '00005'],
    [-5, 164, '000', undefined],
    [0, 164, '00', '00'],
    [0.07, 164, '0%', '7%'],
    [5, 164, '00.00', undefined],
    [5, 164, '#00', undefined],
    [5, 164, 'General', '5'],
    [5, 163, 'General', undefined],
    [5, 49, '@', '5'],
  ])('of the number %d in the format %i with the code %j is %s', (value, id, code, text) => {
    expect(seenNumber(value, createFormat(id, code))).toBe(text);
  });
});
