import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createCsvFormatter } from '#files/formats/csv';
import { createJsonFormatter, createNdjsonFormatter } from '#files/formats/json';
import type { Row } from '#files/formats/row-sink';
import type { ValueDimension } from '#scans/stats/dimensions';
import { listInputs } from '#scans/stats/input/list-inputs';
import { readInputs } from '#scans/stats/input/read-scans';
import { argv } from '../../../support/argv.ts';
import { useDirectory } from '../../../support/cli.ts';
import { FORMULAS } from '../../../support/hostile-strings.ts';
import { SOAK } from '../../../support/property-runs.ts';

const NAMES = ['id', 'ts', 'country', 'city', 'device', 'os', 'browser', 'referrer'];

function scan(id: number | bigint, second: number, more: Row = {}): Row {
  const ts = new Date(1_760_000_000_000 + second * 1000).toISOString();
  const values = { country: 'DE', city: null, device: 'mobile', os: 'iOS', browser: 'Safari' };
  return { id, ts, ...values, referrer: null, ...more };
}

function csv(rows: readonly Row[], names: readonly string[] = NAMES, excel = false): string {
  const formatter = createCsvFormatter(names, { header: true, rawCells: false, excel });
  return formatter.begin() + Buffer.from(formatter.rows(rows) as Uint8Array).toString();
}

function json(rows: readonly Row[]): string {
  const formatter = createJsonFormatter(undefined, 'list');
  return (
    formatter.begin() +
    (rows.length > 0 ? Buffer.from(formatter.rows(rows) as Uint8Array).toString() : '') +
    formatter.end()
  );
}

function ndjson(rows: readonly Row[]): string {
  return Buffer.from(createNdjsonFormatter(undefined).rows(rows) as Uint8Array).toString();
}

/** Writes the files, and reads them as `--input` does. */
async function read(
  files: Record<string, string | Uint8Array>,
  fields: readonly ValueDimension[] = [],
  isClosed = false,
) {
  const directory = await useDirectory();
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  let taken: { ms: number; row: Row; code: string }[] = [];
  let starts = 0;
  const notes: string[] = [];
  const paths = Object.keys(files).map((name) => join(directory, name));
  await readInputs({
    paths,
    fields,
    ...(isClosed && { closed: new Set(paths) }),
    start() {
      starts += 1;
      taken = [];
      return (ms, row, { value }) => taken.push({ ms, row, code: value });
    },
    note: (line) => notes.push(line.replaceAll(`${directory}/`, '')),
  });
  return { taken, starts, notes, ids: taken.map(({ row }) => String(row.id)) };
}

async function refusal(files: Record<string, string | Uint8Array>, fields: readonly ValueDimension[] = []) {
  const error: Error = await read(files, fields).then(
    () => new Error('was not refused'),
    (error) => error,
  );
  return { name: error.name, message: error.message.replace(new RegExp(`${tmpdir()}/[^/]+/`, 'g'), '') };
}

describe('scan files', () => {
  const rows = [
    scan(1, 0, { referrer: 'a,b' }),
    scan(2, 0),
    scan(2n ** 60n, 1, { city: 'Köln\n"am Rhein"' }),
    scan(4, 2),
  ];

  it.each([
    ['a.csv', csv(rows)],
    ['a.csv', csv(rows, NAMES, true)],
    ['a.csv', csv(rows).replaceAll(',', ';').replace('"a;b"', '"a,b"')],
    ['a.tsv', csv(rows.map((row) => ({ ...row, referrer: null }))).replaceAll(',', '\t')],
    ['a.json', json(rows)],
    ['a.json', JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? Number(value) : value), 2)],
    ['a.ndjson', ndjson(rows)],
    ['a.ndjson', ndjson(rows).trimEnd()],
    ['a.ndjson', ndjson(rows).replaceAll('\n', '\r\n\n')],
    ['a.csv.gz', gzipSync(csv(rows))],
    ['a.ndjson.gz', Buffer.concat([gzipSync(ndjson(rows.slice(0, 2))), gzipSync(ndjson(rows.slice(2)))])],
    ['a.json.gz', gzipSync(json(rows))],
    ['named.wrongly', ndjson(rows)],
  ])('are read completely: %s (%#)', async (name, content) => {
    const { taken } = await read({ [name]: content }, ['city']);
    expect(taken).toHaveLength(4);
    expect(taken.map(({ ms }) => ms)).toEqual([0, 0, 1000, 2000].map((ms) => 1_760_000_000_000 + ms));
    expect(taken[2]?.row.city).toBe('Köln\n"am Rhein"');
    expect(taken[0]?.row.city).toBe(null);
  });

  it('can be empty', async () => {
    expect((await read({ 'a.csv': csv([]), 'b.json': '[]\n', 'c.ndjson': '' })).taken).toEqual([]);
  });

  it('that are read in several pieces have each scan once', async () => {
    const many = Array.from({ length: SOAK ? 9000 : 2000 }, (_, i) =>
      scan(i, i, { referrer: i % 7 === 0 ? `"x${i}\n,"` : `https://shop.example/${i}` }),
    );
    for (const [name, content] of [
      ['a.csv', csv(many)],
      ['a.json', json(many)],
      ['a.json', JSON.stringify(many, null, 2)],
      ['a.json', JSON.stringify(many)],
      ['a.json', JSON.stringify(many).replaceAll('},{', '}\n,{')],
      ['a.ndjson', ndjson(many)],
      ['a.ndjson', ` \n${ndjson(many)}`],
      ['a.json', `\n ${json(many)}`],
    ] as const) {
      const { taken, starts } = await read({ [name]: content });
      expect(taken.map(({ row }) => Number(row.id))).toEqual(many.map(({ id }) => id));
      expect(starts).toBe(1);
    }
  });

  it('have the original values in cells in which formulas were escaped (F4)', async () => {
    const hostile = [...Object.values(FORMULAS), "'=1+1", "''", "'", '=1', '-5', '\t=x'];
    const made = hostile.map((referrer, i) => scan(i, i, { referrer }));
    const { taken } = await read({ 'a.csv': csv(made) }, ['referrer']);
    expect(taken.map(({ row }) => row.referrer)).toEqual(hostile);
  });

  it('have a code for each scan, from the slug or from the name of the file', async () => {
    const labeled = csv([{ ...scan(1, 0), qr_id: 'x', qr_slug: 'menu' }], ['qr_id', 'qr_slug', ...NAMES]);
    expect((await read({ 'all.csv': labeled })).taken[0]?.code).toBe('menu');
    expect((await read({ 'spring.csv.gz': gzipSync(csv([scan(1, 0)])) })).taken[0]?.code).toBe('spring');
  });
});

describe('a file with a long record', () => {
  const head = 'id,ts,city\n1,2026-10-01T00:00:00Z,';
  const large = 'x'.repeat(2 ** 20);
  const lines = 'x\n'.repeat(2 ** 19 + 20_000);

  it.each([
    ['a.csv', `${head}${large}\n`, 'line 2 is longer than 1 MiB'],
    ['a.csv', `${head}"Bonn"\n${large}\0`, 'line 3 is longer than 1 MiB'],
    ['a.csv', `${head}"Bonn"\n2,2026-10-01T00:00:00Z,"${lines}`, 'line 3: is longer than 1 MiB'],
    ['a.csv.gz', gzipSync(Buffer.alloc(2 ** 21)), 'line 1 is longer than 1 MiB'],
    ['a.ndjson', `{"id":1,"ts":"2026-10-01T00:00:00Z","city":"${large}"}\n`, 'line 1 is longer than 1 MiB'],
    ['a.json', `[\n{"id":1,\n"city":["${lines}"]}]\n`, 'a record in or after line 1 is longer than 1 MiB'],
    [
      'a.json',
      `[{"id":1,"ts":"2026-10-01T00:00:00Z"},\n${'\n{['.repeat(2 ** 19)}`,
      'a record in or after line 3 is longer than 1 MiB',
    ],
    ['a.json', Buffer.alloc(2 ** 21, '['), 'a record in line 1 is longer than 1 MiB'],
  ])(
    '(%s) is refused with a line number if the record is longer than 1 MiB (F11, %#)',
    async (name, content, why) => {
      expect(await refusal({ [name]: content })).toEqual({
        name: 'UsageError',
        message: `cannot read scans from ${name}: ${why}`,
      });
    },
  );

  it('is refused even if it is a device that never ends (F11)', async () => {
    const job = { paths: ['/dev/zero'], fields: [], start: () => () => undefined, note: () => undefined };
    const reading = readInputs(job);
    await expect(reading).rejects.toThrow('cannot read scans from /dev/zero: line 1 is longer than 1 MiB');
  });

  it('is read if each record is shorter than 1 MiB', async () => {
    const city = 'x'.repeat(2 ** 20 - 1000);
    const made = [
      scan(1, 0, { city }),
      scan(2, 1, { city: city.slice(0, 800_000).replaceAll('xxxx', 'xxx\n') }),
      scan(3, 2, { city }),
    ];
    for (const [name, content] of [
      ['a.csv', csv(made, ['id', 'ts', 'city'])],
      ...(SOAK ? ([['a.json', json(made)]] as const) : []),
      ['a.json', JSON.stringify(made, null, 2)],
    ] as const) {
      expect((await read({ [name]: content }, ['city'])).taken.map(({ row }) => row.city)).toEqual(
        made.map((row) => row.city),
      );
    }
  });
});

describe('a repeated scan', () => {
  it('is not recognized if all scans are in chronological order, because then no IDs are stored (F5)', async () => {
    const files = { 'a.csv': csv([scan(1, 0), scan(2, 0)]), 'b.csv': csv([scan(3, 0), scan(1, 9)]) };
    expect(await read(files)).toMatchObject({ starts: 1, ids: ['1', '2', '3', '1'] });
  });

  it('is recognized by its ID if files overlap or scans arrived late (F5)', async () => {
    const september = csv([scan(1, 0), scan(2, 5), scan(3, 5)]);
    const both = ndjson([scan(2, 5), scan(3, 5), scan(9, 1), scan(4, 7)]);
    expect(await read({ 'a.csv': september, 'b.ndjson': both })).toMatchObject({
      starts: 2,
      ids: ['1', '2', '3', '9', '4'],
    });
    expect((await read({ 'b.ndjson': both, 'a.csv': september })).ids.sort().join()).toBe('1,2,3,4,9');
    expect((await read({ 'a.ndjson': ndjson([scan(1, 5), scan(1, 5)]) })).ids).toEqual(['1']);
  });

  it('is recognized among thousands of IDs in any order, even IDs beyond 2^53', async () => {
    const ids = Array.from({ length: 5000 }, (_, i) => BigInt((i * 7919) % 5003) * 40_000n + 2n ** 60n);
    const made = ids.map((id, i) => scan(id, i % 50));
    const { taken } = await read({ 'a.ndjson': ndjson(made), 'b.ndjson': ndjson([...made].reverse()) });
    expect(new Set(taken.map(({ row }) => row.id)).size).toBe(5000);
    expect(taken).toHaveLength(5000);
  });

  it('is counted once per code if scan IDs are unique only within a code', async () => {
    const code = (qr_id: string) => ndjson([1, 2].map((id) => ({ ...scan(id, id), qr_id, qr_slug: qr_id })));
    expect((await read({ 'a.ndjson': code('a') + code('b') + code('a') })).taken).toHaveLength(4);
    const uuid = (n: number) => `00000000-0000-4000-8000-00000000000${n}.csv`;
    expect((await read({ [uuid(1)]: csv([scan(1, 0)]), [uuid(2)]: csv([scan(1, 7)]) })).taken).toHaveLength(
      2,
    );
  });

  it('is recognized by its ID if one file is named after the ID of its code, and the other has no code ID (F6)', async () => {
    const uuid = '00000000-0000-4000-8000-000000000001';
    const both = csv([scan(1, 0), scan(2, 5)]);
    expect(await read({ [`${uuid}.csv`]: both, 'menu.csv': both })).toMatchObject({
      starts: 2,
      ids: ['1', '2'],
    });
    const three = { 'a.csv': both, [`${uuid}.csv`]: both, 'b.csv': csv([scan(3, 1)]) };
    expect((await read(three)).ids).toEqual(['1', '2', '3']);
  });

  it('is recognized in rotated files, which have the code of their log', async () => {
    const uuid = '00000000-0000-4000-8000-00000000000A';
    const codes = async (names: string[]) => {
      const made = names.map((name, i): [string, Uint8Array | string] => {
        const text = csv([scan(1, 0), scan(i + 2, i + 1)]);
        return [name, name.endsWith('.gz') ? gzipSync(text) : text];
      });
      const { taken } = await read(Object.fromEntries(made));
      return [taken.length, new Set(taken.map(({ code }) => code))];
    };
    const one = uuid.toLowerCase();
    expect(await codes(['menu.csv.2.gz', 'menu.csv.1', 'menu-20261101.csv', 'menu.csv'])).toEqual([
      5,
      new Set(['menu']),
    ]);
    expect(await codes([`${uuid}.csv.2.gz`, `${uuid}.csv`])).toEqual([3, new Set([one])]);
  });

  it('is recognized if the ID of its code is in capitals in one of two files', async () => {
    const uuid = '00000000-0000-4000-8000-00000000000A';
    const labeled = csv([{ ...scan(1, 0), qr_id: uuid, qr_slug: 'menu' }], ['qr_id', 'qr_slug', ...NAMES]);
    expect(
      (await read({ 'all.csv': labeled, [`${uuid.toLowerCase()}.csv`]: csv([scan(1, 0)]) })).ids,
    ).toEqual(['1']);
  });

  it('causes a refusal if the files have no codes and an ID has two times (F6)', async () => {
    expect(await refusal({ 'a.csv': csv([scan(1, 5), scan(2, 6)]), 'b.csv': csv([scan(1, 0)]) })).toEqual({
      name: 'UnprovenError',
      message: 'cannot remove duplicate scans: two scans with different times have the ID 1',
    });
  });

  it('causes a refusal if only one of two files has the codes (F6)', async () => {
    const labeled = csv([{ ...scan(1, 0), qr_id: 'x' }], ['qr_id', ...NAMES]);
    expect(await refusal({ 'a.csv': labeled, 'b.csv': csv([scan(1, 0)]) })).toEqual({
      name: 'UsageError',
      message:
        'cannot count a.csv and b.csv together: only a.csv has the code IDs (qr_id) needed to detect duplicates',
    });
  });
});

describe('no scans are read from', () => {
  it.each([
    [
      'a.csv',
      'name,destination\nMenu,https://x.example\n',
      'missing columns id and ts (found: name,destination)',
    ],
    ['a.csv', '1,2026-10-01T00:00:00Z,DE\n', 'missing columns id and ts (found: 1,2026-10-01T00:00:00Z,DE)'],
    ['a.csv', 'id,ts\n1,2026-10-01T00:00:00Z\n2,yesterday\n', 'near line 3: ts is "yesterday", not a time'],
    ['a.csv', 'id,ts\nx,2026-10-01T00:00:00Z\n', 'near line 2: id is "x", not a whole number'],
    ['a.csv', 'id,ts\n1,2026-10-01T00:00:00Z,DE\n', 'line 2: has 3 cells, but the header has 2'],
    ['a.csv', 'id,ts\n"1,2026-10-01T00:00:00Z\n', 'line 2: a quote (") opened here is never closed'],
    [
      'a.csv',
      'id,ts\n"1"x,2026-10-01T00:00:00Z\n',
      'line 2: a quote (") appears inside a cell: enclose the whole cell in quotes and double each quote in it ("5"" disc")',
    ],
    ['a.csv', 'id,ts', 'the first line is incomplete'],
    ['a.csv', Buffer.from('id,ts\n\xff\n', 'latin1'), 'invalid UTF-8 in or after line 1'],
    ['a.ndjson', '{"id":1,"ts":"2026-10-01T00:00:00Z"}\n[1]\n', 'line 2 is not a JSON object'],
    ['a.ndjson', '{"id":1.5,"ts":"2026-10-01T00:00:00Z"}\n', 'near line 1: id is "1.5", not a whole number'],
    ['a.ndjson', '{"ts":"2026-10-01T00:00:00Z"}\n', 'missing column id (found: ts)'],
    [
      'a.ndjson',
      '{"id":1,"ts":"2026-10-01T00:00:00Z","qr_id":"a"}\n{"id":1,"ts":"2026-10-01T00:00:00Z"}\n',
      'near line 2: only some rows have the column qr_id',
    ],
    ['a.json', '[{"id":1,"ts":"2026-10-01T00:00:00Z"},\n', 'the JSON array is incomplete'],
    ['a.json', '[\n1\n]\n', 'a value in or after line 1 is not an object'],
    ['a.json', '[{"id":}]\n', 'invalid JSON in or after line 1'],
    ['a.xlsx', 'PK\x03\x04rest', 'the file is a workbook or ZIP archive'],
    ['a.csv', Buffer.from('\ufeffid,ts\n', 'utf16le'), 'the file is text in UTF-16'],
    ['a.gz', gzipSync(gzipSync('id,ts\n')), 'the file is compressed twice'],
  ])('%s with the content %j', async (name, content, why) => {
    expect(await refusal({ [name]: content })).toEqual({
      name: 'UsageError',
      message: `cannot read scans from ${name}: ${why}`,
    });
  });

  it('a file with two exports if only one of them has the requested column', async () => {
    const line = (id: number, more = {}) =>
      `${JSON.stringify({ id, ts: '2026-10-01T00:00:00Z', ...more })}\n`;
    const files = { 'a.ndjson': line(1, { city: null }) + line(2, { city: 'Bonn' }) + line(3) };
    expect((await refusal(files, ['city'])).message).toBe(
      'cannot read scans from a.ndjson: near line 3: only some rows have the column city',
    );
    expect((await read(files, [])).taken).toHaveLength(3);
  });

  it('a file without the requested column', async () => {
    const files = { 'a.csv': csv([scan(1, 0)]), 'b.csv': csv([scan(2, 1)], ['id', 'ts', 'device']) };
    expect((await refusal(files, ['city'])).message).toBe(
      'cannot read city from b.csv: the file has no city column',
    );
    await expect(read(files, ['city'])).rejects.toMatchObject({
      hint: 'Omit city from --by or --fields, or export the file again with all fields.',
    });
  });

  it('a truncated compressed file', async () => {
    const whole = gzipSync(csv(Array.from({ length: 100 }, (_, i) => scan(i, i))));
    expect((await refusal({ 'a.csv.gz': whole.subarray(0, -20) })).message).toMatch(
      /^a\.csv\.gz is not a complete gzip file: /,
    );
  });
});

describe('a file that is being written', () => {
  it.each([
    ['a.csv', `${csv([scan(1, 0), scan(2, 1)])}3,2026-10-`],
    ['a.csv', `${csv([scan(1, 0), scan(2, 1)])}3,2026-10-01T00:00:00Z,DE,"Köln\nam R`],
    ['a.ndjson', `${ndjson([scan(1, 0), scan(2, 1)])}{"id":3,"ts":`],
  ])('(%s) is read without its incomplete last line, and a note is printed', async (name, content) => {
    for (const isClosed of [false, true])
      expect(await read({ [name]: content }, [], isClosed)).toMatchObject({
        ids: ['1', '2'],
        notes: [
          `The last line of ${name} is incomplete and was not counted. An export may still be writing the file`,
        ],
      });
  });
});

describe('a last line without a line end', () => {
  const whole = csv([scan(1, 0), scan(2, 1, { city: 'Köln\n"am" Rhein' })]);

  it.each([whole, whole.replaceAll('\n', '\r\n'), csv([scan(1, 0), scan(2, 1)])])(
    'is counted if it has all cells and no export appends to the file: %j',
    async (text) => {
      const found = await read({ 'a.csv': text.trimEnd() }, ['city'], true);
      expect(found).toMatchObject({ ids: ['1', '2'], notes: [] });
      expect(found.taken).toEqual((await read({ 'a.csv': text }, ['city'])).taken);
    },
  );

  it('is not counted if an export may still append to the file', async () => {
    expect(await read({ 'a.csv': whole.trimEnd() })).toMatchObject({
      ids: ['1'],
      notes: [expect.stringContaining('incomplete')],
    });
  });
});

/** The files that `--input` would read, in their order. */
async function listed(names: string[]): Promise<string[]> {
  const logs = await listInputs(names, { rotated: true, note: () => undefined, warn: () => undefined });
  return logs.flatMap(({ paths }) => paths);
}

describe('the files for --input', () => {
  it('include all data files of a directory, sorted by name', async () => {
    const directory = await useDirectory();
    await mkdir(join(directory, 'dt=2026-10-02'));
    await mkdir(join(directory, 'dt=2026-10-01'));
    for (const name of argv`
      dt=2026-10-02/part-1.csv dt=2026-10-01/part-1.csv scans.csv.state.json _manifest.json notes.txt
      .x.csv
    `) {
      await writeFile(join(directory, name), '');
    }
    const found = (await listed([directory])).map((path) => path.slice(directory.length + 1));
    expect(found).toEqual(['dt=2026-10-01/part-1.csv', 'dt=2026-10-02/part-1.csv']);
  });

  it('cause a warning about a rotated file that is a link, unless the link leads to a device or a missing file (D17)', async () => {
    const directory = await useDirectory();
    const at = (name: string) => join(directory, name);
    await writeFile(at('scans.csv'), '');
    await writeFile(at('archived'), '');
    await symlink(at('archived'), at('scans.csv.1'));
    await symlink(at('gone'), at('scans.csv.2'));
    await symlink('/dev/zero', at('scans.csv.3'));
    const warned: string[] = [];
    const warn = (message: string) => void warned.push(message);
    await listInputs([at('scans.csv')], { rotated: true, note: () => undefined, warn });
    expect(warned.join('\n').match(/scans\.csv\.\d/g)).toEqual(['scans.csv.1']);
  });

  it('must exist, and a directory must contain scan files', async () => {
    const directory = await useDirectory();
    await expect(listed([join(directory, 'gone.csv')])).rejects.toThrow(/^cannot read .*gone\.csv: /);
    await expect(listed([directory])).rejects.toThrow(/^no scan files in /);
  });
});
