import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import { parseInput } from '#codes/input/read-input';
import { entriesOf } from '../../support/entries-of.ts';
import { SOAK } from '../../support/property-runs.ts';

const read = async (text: string | Uint8Array, name = 'codes.csv', rawCells = false) => {
  const { columns, rows } = await parseInput(typeof text === 'string' ? Buffer.from(text) : text, name, {
    rawCells,
  });
  return {
    columns,
    rows: rows.map(
      ({ row, line, values }) => [row, line, Object.fromEntries(entriesOf(columns, values))] as const,
    ),
  };
};

describe('CSV', () => {
  const plain = {
    columns: ['name', 'destination'],
    rows: [[1, 2, { name: 'Käse', destination: 'https://x.de' }]],
  };

  it.each([
    ['plain', 'name,destination\nKäse,https://x.de\n'],
    ['without a final line end', 'name,destination\nKäse,https://x.de'],
    ['with a byte order mark and CRLF', '\ufeffname,destination\r\nKäse,https://x.de\r\n'],
    ['with semicolons', 'name;destination\nKäse;https://x.de\n'],
    ['with tabs', 'name\tdestination\nKäse\thttps://x.de\n'],
    ['with line ends from old Macs', 'name,destination\rKäse,https://x.de\r'],
    ['with quotes around each cell', '"name","destination"\n"Käse","https://x.de"\n'],
    ['with empty rows, as spreadsheets leave them', 'name,destination\nKäse,https://x.de\n\n,\n ,\n'],
    ['with empty columns at its end', 'name,destination,,\nKäse,https://x.de,,\n'],
    ['with spaces around the column names', ' name ,\tdestination, \nKäse,https://x.de,\n'],
  ])('is read in this form: %s', async (_, text) => {
    expect(await read(text)).toEqual(plain);
  });

  it('is read in UTF-16, as Excel saves "Unicode Text"', async () => {
    const text = '\ufeffname\tdestination\r\nKäse\thttps://x.de\r\n';
    const little = Buffer.from(text, 'utf16le');
    expect(await read(little, 'codes.txt')).toEqual(plain);
    expect(await read(Buffer.from(little).swap16(), 'codes.txt')).toEqual(plain);
  });

  it.each([
    ['every line in quotes', '"name,type,destination";;\n"Käse,url,""https://x.de/?a;b,c""";;\n"Brot,,";;\n'],
    [
      'every line, even around a blank line,',
      'name,type,destination;;\n"Käse,url,""https://x.de/?a;b,c""";;\n;;\nBrot,,;;\n',
    ],
    ['only the header', 'name,type,destination;;\nKäse;url;"https://x.de/?a;b,c"\nBrot;;\n'],
  ])('with commas is read if a spreadsheet with semicolons saved %s as one cell', async (_, text) => {
    expect((await read(text)).rows).toEqual([
      [1, 2, { name: 'Käse', type: 'url', destination: 'https://x.de/?a;b,c' }],
      [2, text.includes('\n;;') ? 4 : 3, { name: 'Brot', type: '', destination: '' }],
    ]);
  });

  it('is refused if only some of its lines have all their values in one cell, or if such a cell has a misplaced quote', async () => {
    const text = 'name,type,destination;;\nBrot, frisch;;\nKäse;url;https://x.de\n';
    await expect(read(text)).rejects.toThrow(
      /^codes\.csv: [\s\S]*line 3: mixed delimiters: this line uses semicolons, but line 1 and others use commas/,
    );
    await expect(read('a,b;;\n"x ""y,z";;\n')).rejects.toThrow(
      /^codes\.csv: [\s\S]*line 2: cannot be split at commas: a quote \("\) appears inside a cell/,
    );
  });

  it('is refused with more than 4,000,000 cells below its header, even if they are blank', async () => {
    const text = `a\n${`${','.repeat(999)}\n`.repeat(4000)}`;
    expect((await read(text)).rows).toEqual([]);
    await expect(read(`${text}b\n`)).rejects.toThrow(
      /^codes\.csv: [\s\S]*line 4002: exceeds the limit of 4,000,000 cells per file/,
    );
    const columns = Array.from({ length: 990 }, (_, at) => `c${at}`).join(',');
    const wide = `${columns}\n${`a${','.repeat(989)}\n`.repeat(4040)}`;
    expect((await parseInput(Buffer.from(wide), 'codes.csv')).rows).toHaveLength(4040);
    await expect(read(`${wide}a\n`)).rejects.toThrow('codes.csv has more than 4040 rows of 990 columns');
  });

  it('is read with its form: the delimiter, the byte order mark and the line ends', async () => {
    const form = async (text: string, name = 'x.csv') => (await parseInput(Buffer.from(text), name)).form;
    expect(await form('\ufeffa;b\r\n1;2\r\n')).toEqual({
      is: 'csv',
      delimiter: ';',
      bom: true,
      lineEnd: '\r\n',
    });
    expect(await form('a\n1\n', 'x.tsv')).toEqual({ is: 'csv', delimiter: '\t', bom: false, lineEnd: '\n' });
    expect(await form('sep=;\r\na;b\n1;2\n')).toMatchObject({ delimiter: ';', lineEnd: '\n' });
    expect(await form('a,b,c,d;;e\n')).toMatchObject({ delimiter: ',' });
    expect(await form('[]', 'x.dat')).toEqual({ is: 'json' });
  });

  it('may declare its separator in the first line, as in Excel', async () => {
    expect((await read('sep=;\r\nname;note\r\na,b;c\r\n')).rows).toEqual([
      [1, 3, { name: 'a,b', note: 'c' }],
    ]);
    expect((await read('SEP=|\nname|note\na,b|c\n')).rows).toEqual([[1, 3, { name: 'a,b', note: 'c' }]]);
    expect((await read('sep=;\nname,note\na,b\n')).rows).toEqual([[1, 3, { 'name,note': 'a,b' }]]);
    expect((await read('sep=;\nname,note; ;\na,b; ;\n')).rows).toEqual([[1, 3, { name: 'a', note: 'b' }]]);
    expect((await read('name\nsep=;\n')).rows).toEqual([[1, 2, { name: 'sep=;' }]]);
  });

  it('is read with the separator of its header, ignoring blank lines before it and separators in quotes', async () => {
    expect((await read('\n\n"a;b;c;d",note\nx,y\n')).rows).toEqual([[1, 4, { 'a;b;c;d': 'x', note: 'y' }]]);
    expect((await read('\n\nname;note\nx,z;y\n')).rows).toEqual([[1, 4, { name: 'x,z', note: 'y' }]]);
  });

  it('without any value has no columns and no rows', async () => {
    for (const text of ['\n\n', ' ,\n,,\n', 'sep=;\n'])
      expect(await read(text)).toEqual({ columns: [], rows: [] });
  });

  it('is read with the original values of cells with escaped formulas, and also keeps these cells as written', async () => {
    const { rows } = await parseInput(Buffer.from("name,note\n'=1,x\na,b\n"), 'codes.csv');
    expect(rows.map(({ values }) => values.get('name'))).toEqual(['=1', 'a']);
    expect(rows.map(({ defused }) => defused)).toEqual([new Map([['name', "'=1"]]), undefined]);
  });

  it('is read with the line numbers that an editor shows, even after cells with line breaks', async () => {
    const text = 'name,note\r\n"two\r\nlines",x\r\n\r\n"three\n\nlines",y\r\nlast,z\r\n';
    expect((await read(text)).rows.map(([row, line]) => [row, line])).toEqual([
      [1, 2],
      [2, 5],
      [3, 8],
    ]);
  });

  it('is read with the cells that another program wrote, and with the correct line numbers', async () => {
    const cell = fc.stringMatching(/^[a-z0-9 ,;"'\n\réß=+]{0,8}$/);
    const separators = fc.constantFrom(',', ';', '\t');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1 }),
        separators,
        async (cells, delimiter) => {
          const kept = cells.filter((pair) => pair.some((text) => text.trim() !== ''));
          const text = stringify([['name', 'other'], ...cells], { delimiter });
          const { rows } = await read(text, 'codes.csv', true);
          expect(rows.map(([, , values]) => [values.name, values.other])).toEqual(kept);
          const lines = text.split(/\r\n|\n|\r/);
          for (const [, line, { name }] of rows) {
            const start = String(name).split(/["\r\n]/)[0] ?? '';
            expect(lines[line - 1]).toContain(start);
          }
        },
      ),
    );
  });

  it.each([
    ['a quote that is never closed', 'name\nx\n"y\nz\n', /line 3: a quote/],
    ['a quote inside a cell', 'name\n5" disc\n', /line 2: a quote/],
    ['a column twice', 'name,type,name\na,b,c\n', /line 1, column name: appears twice/],
    ['an empty column name', 'name,,type\na,b,c\n', /line 1: the header of column 2 is empty/],
    [
      'more cells in a row than in the header',
      'name,type\na,url\nb,url,x\n',
      /line 3: has 3 cells, but the header has 2: enclose values that contain a separator in quotes/,
    ],
    ['a cell after a git conflict marker', 'name\n<<<<<<< HEAD,x\n', /line 2: has 2 cells/],
    ['an empty name between names', 'sep=;\nname,x;;type\n', /line 2: the header of column 2 is empty/],
    [
      'a git conflict marker',
      'name,type\n<<<<<<< HEAD\na,url\n',
      /line 2: is a git conflict marker \(<{7}\)/,
    ],
    [
      'fewer cells in a row than in the header',
      'name,type\na\n',
      /line 2: has 1 cell, but the header has 2: it ends early\. Add 1 separator/,
    ],
  ])('is refused with %s', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('may lack empty result cells at the ends of rows, which Excel omits, except in an incomplete last line', async () => {
    const ours = 'id,slug,short_url,created_at,updated_at,outcome,error,base,Decision';
    const text = `name,note,${ours}\na,x,i,s,,,,created,,r1\nb,y\n`;
    const { rows } = await read(text);
    expect(rows.map(([, , { name, id, Decision }]) => [name, id, Decision])).toEqual([
      ['a', 'i', ''],
      ['b', '', ''],
    ]);
    expect((await read(`${text}c,z,i,s,,,,created,,,r2`)).rows).toHaveLength(3);
    await expect(read(`${text}c,z`)).rejects.toThrow(/line 4: has 2 cells, but the header has 11/);
    for (const column of ours.split(','))
      expect((await read(`name,note,${column}\na,b\n`)).rows[0]?.[2]).toMatchObject({ note: 'b' });
    await expect(read(text.trimEnd())).rejects.toThrow(/line 3: has 2 cells, but the header has 11/);
    await expect(read('name,note,id\na\n')).rejects.toThrow(/line 2: has 1 cell/);
  });

  it('with a misplaced quote is refused, and the error has the line in its message, and as data for an annotation', async () => {
    await expect(read('name\n"a",b\nx\n5" disc\n')).rejects.toMatchObject({
      rows: [{ file: 'codes.csv', line: 4, message: expect.stringContaining('a quote (") appears inside') }],
    });
    await expect(read('name\n"a\nb"\n"c"\n"d"e\n"f"\n')).rejects.toThrow(/line 5: a quote/);
  });

  it.each<[string, Buffer, string]>([
    [
      'bytes of another code page',
      Buffer.from('name\nok\n Käse \nx\n', 'latin1'),
      'line 3 contains bytes that are not UTF-8 (in Windows-1252, the line is "Käse")',
    ],
    [
      'the first bytes of a character at its end',
      Buffer.from('name\nKä').subarray(0, -1),
      'line 2 contains bytes that are not UTF-8 (in Windows-1252, the line is "KÃ")',
    ],
    [
      'half a character in UTF-16',
      Buffer.from('\ufeffname\n\ud800x', 'utf16le'),
      'contains bytes that are not UTF-16LE',
    ],
    ['UTF-16 without a byte order mark', Buffer.from('name', 'utf16le'), 'line 1 contains a NUL byte'],
    ['a NUL byte at its start', Buffer.from('\0name\nx\n'), 'line 1 contains a NUL byte'],
    ['NUL bytes after a power cut', Buffer.from('name\nx\n\0\0\0\0'), 'line 3 contains a NUL byte'],
  ])(
    'is refused with %s, and the error has a hint to save the file in another format',
    async (_, bytes, message) => {
      await expect(read(bytes)).rejects.toMatchObject({
        message: `codes.csv: ${message}`,
        hint: 'In Excel, save the file as a workbook (.xlsx) or as "CSV UTF-8 (comma delimited)".',
      });
    },
  );

  it('may have a NUL byte in a cell', async () => {
    expect((await read('name\nx\0y\n')).rows).toEqual([[1, 2, { name: 'x\0y' }]]);
  });
});

describe('JSON', () => {
  it('is read as an array of objects, with their values and item numbers', async () => {
    const text =
      '[\n {"name": "a", "tags": ["x", {"y": "],{"}], "n": 9007199254740993},\n\n {"name":"b"}, {"name":\n"c"}]';
    const { columns, rows } = await read(text, 'codes.json');
    expect(columns).toEqual(['name', 'tags', 'n']);
    expect(rows).toEqual([
      [1, 1, { name: 'a', tags: ['x', { y: '],{' }], n: 9007199254740993n }],
      [2, 2, { name: 'b' }],
      [3, 3, { name: 'c' }],
    ]);
  });

  it('is read with the same values as by JSON.parse, whether or not it is indented', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.constantFrom(undefined, 1),
        async (values, indent) => {
          const { rows } = await read(JSON.stringify(values, null, indent), 'x.json');
          const plain = JSON.stringify(
            rows.map(([, , row]) => row),
            (_, value) => (typeof value === 'bigint' ? Number(value) : value),
          );
          expect(JSON.parse(plain)).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
    );
  });

  it('is read as one object per line in NDJSON', async () => {
    const { rows } = await read('{"name":"a"}\r\n\n{"name":"b"}\n', 'codes.jsonl');
    expect(rows).toEqual([
      [1, 1, { name: 'a' }],
      [2, 3, { name: 'b' }],
    ]);
  });

  it('keeps __proto__ as an ordinary key', async () => {
    const bytes = Buffer.from('[{"name":"a","__proto__":{"type":"x"}}]');
    const { columns, rows } = await parseInput(bytes, 'x.json');
    expect(entriesOf(columns, rows[0]?.values)).toEqual([
      ['name', 'a'],
      ['__proto__', { type: 'x' }],
    ]);
  });

  it.each([
    ['x.json', ' \n', ['the file is empty']],
    ['x.json', '\n {"name":"a"}', ['must be an array of objects: [{"name": "…"}, …]']],
    ['x.json', `{"name":${'9'.repeat(101)}}`, ['must be an array of objects: [{"name": "…"}, …]']],
    ['x.json', '"a"', ['must be an array of objects: [{"name": "…"}, …]']],
    ['x.json', '\n{"name":"a",\n"type":url}', ['line 3: is not valid JSON']],
    ['x.json', '[{"name":"a"}', ['line 1: is not valid JSON: the end is missing']],
    ['x.json', '\n[{"name":"a"},\n,{}]', ['line 3: is not valid JSON: unexpected comma']],
    ['x.json', '[{"name":"a"},\n3,{"name":}]', ['item 2: is not a JSON object', 'item 3: is not valid JSON']],
    [
      'x.ndjson',
      '{"name":"a"}\n{"name":\n[]\n',
      ['line 2: is not valid JSON', 'line 3: is not a JSON object'],
    ],
  ])(
    'is refused unless it is an array of objects or has one object per line (%s, %j)',
    async (name, text, faults) => {
      const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
      const refused = read(text, name);
      await expect(refused).rejects.toBeInstanceOf(UsageError);
      await expect(refused).rejects.toThrow(
        [`${name}: ${count} (no changes were made)`, ...faults.map((fault) => `  ${fault}`)].join('\n'),
      );
    },
  );

  it.runIf(SOAK)('is refused with more than 4,000,000 values', async () => {
    const item = JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`c${at}`, 0])));
    await expect(read(`${`${item}\n`.repeat(4000)}{"c1":0}\n`, 'codes.ndjson')).rejects.toThrow(
      /line 4001: exceeds the limit of 4,000,000 values per file/,
    );
  });

  it('is refused with the line of a fault, even after 2,000 lines', async () => {
    const lines = `{"name":"${'a'.repeat(100)}"}\n`.repeat(2000);
    await expect(read(`${lines}3`, 'x.ndjson')).rejects.toThrow('line 2001: is not a JSON object');
  });
});

it('one object in JSON is read only if it has the fields of a code', async () => {
  const code = { id: 'a', slug: 's', name: 'Menu', type: 'url', created_at: '2026-10-01T00:00:00Z' };
  expect((await read(JSON.stringify(code), 'x.json')).rows).toEqual([[1, 1, code]]);
  const input = await parseInput(Buffer.from(`\n ${JSON.stringify(code)}\n`), 'x.json');
  expect([input.isRecord, input.rows.length]).toEqual([true, 1]);
  for (const field of Object.keys(code))
    await expect(read(JSON.stringify({ ...code, [field]: undefined }), 'x.json')).rejects.toThrow(
      'must be an array of objects',
    );
});

it('a file is read in the format of its extension, or if that is unknown, of its content', async () => {
  expect((await read(' [{"name":"a"}]', 'standard input')).rows).toHaveLength(1);
  expect((await read('\n{"name":"a"}\n{"name":"b"}', 'codes.dat')).rows).toHaveLength(2);
  expect((await read('name\na\nb\nc\n', 'codes.txt')).rows).toHaveLength(3);
  await expect(read('{ \r\n "name":"a"}', 'codes.dat')).rejects.toThrow('must be an array of objects');
  await expect(read('[]', 'json.csv')).resolves.toMatchObject({ columns: ['[]'] });
  await expect(read('[]', 'a.JSON')).resolves.toMatchObject({ columns: [] });
});

it('a string of more than a megabyte in a JSON array is read', async () => {
  const name = 'say "{[,]}" \\ '.repeat(SOAK ? 900_000 : 90_000);
  const { rows } = await parseInput(
    Buffer.from(JSON.stringify([{ name }, { name: 'b' }], null, 1)),
    'x.json',
  );
  expect(rows.map(({ line }) => line)).toEqual([1, 2]);
  expect(rows[0]?.values.get('name')).toBe(name);
});

describe('a file', () => {
  it.each([
    [
      'x.csv',
      `${Array.from({ length: 60_000 }, (_, n) => `c${n}`).join()}\n`,
      'has 60000 cells (limit: 1000)',
    ],
    [
      'x.json',
      `[{"name":"a","n":${'9'.repeat(SOAK ? 2_000_000 : 200_000)}}]`,
      'item 1: contains a number with more than 100 digits',
    ],
    [
      'x.ndjson',
      `{"name":${'['.repeat(SOAK ? 500_000 : 100_000)}`,
      'line 1: is nested more than 100 levels deep',
    ],
    ['x.json', `[${'{"a":'.repeat(101)}`, 'is not valid JSON: the end is missing'],
    ['x.json', `[{"name":"a"},,{"name":"b"}]`, 'is not valid JSON: unexpected comma'],
    ['x.json', `[{"name":"a"}] 5`, 'unexpected text after the end'],
    [
      'x.json',
      `[{${Array.from({ length: 1001 }, (_, n) => `"c${n}":1`)}}]`,
      'item 1: exceeds the limit of 1000 columns per file',
    ],
    ['x.ndjson', `{"name":"${'a'.repeat(2 ** 24)}"}`, 'line 1: is longer than 16 MiB'],
    [
      'x.ndjson',
      Array.from({ length: 1001 }, (_, n) => `{"c${n}":1}`).join('\n'),
      'exceeds the limit of 1000 columns per file',
    ],
  ])(
    'that exceeds a limit or is damaged is refused with a message that states its fault (%s)',
    async (name, text, message) => {
      await expect(read(text, name)).rejects.toThrow(message);
    },
  );

  it.each([
    ['x.csv', `name\n${'a,b\n'.repeat(5000)}`],
    ['x.ndjson', '3\n'.repeat(5000)],
  ])('with 5,000 faults is refused with a message of 52 lines (%s)', async (name, text) => {
    const faults = await read(text, name).catch((error) => error.message);
    expect(faults.split('\n')).toHaveLength(52);
    expect(faults).toMatch(/^x\.\w+: at least 1,000 faults[\s\S]*and at least 950 more$/);
  });

  it.each([
    ['x.json', (columns: string[]) => `[{${columns.map((name) => `"${name}":1`)}}]`],
    ['x.csv', (columns: string[]) => `${columns}\n${columns}\n`],
  ])('may have 1,000 columns (%s)', async (name, textOf) => {
    const columns = Array.from({ length: 1000 }, (_, n) => `c${n}`);
    expect(await read(textOf(columns), name)).toMatchObject({ columns, rows: [expect.anything()] });
  });
});
