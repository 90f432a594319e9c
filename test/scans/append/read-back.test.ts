import { describe, expect, it } from 'vitest';
import type { DiskFile } from '#files/durable/disk';
import type { AppendIdentity } from '#scans/append/identity';
import {
  countUncommittedRows,
  findFirstRow,
  type RebuildJob,
  readRows,
  rebuild,
} from '#scans/append/read-back';
import { type SavedRow, UnrecognizedRowError } from '#scans/append/row-parsers';
import { createMemoryDisk } from '../../support/memory-disk.ts';

const PATH = '/data/scans';
const DIALECT = { header: true, excel: false, rawCells: false };
const T1 = Date.UTC(2026, 0, 1);

const csv: AppendIdentity = {
  codes: ['c'],
  all: false,
  columns: ['id', 'ts', 'referrer'],
  format: 'csv',
  dialect: DIALECT,
};
const ndjson: AppendIdentity = { ...csv, format: 'ndjson' };

/** A file with that text which gives at most `piece` bytes a read. */
async function fileOf(text: string, piece = 1e9): Promise<DiskFile> {
  const memory = createMemoryDisk();
  memory.write(PATH, text);
  const file = await memory.disk.open(PATH, 'r+');
  return {
    ...file,
    read: (buffer, offset, length, position) => file.read(buffer, offset, Math.min(length, piece), position),
  };
}

async function rowsIn(
  text: string,
  identity: AppendIdentity,
  { strict = false, piece = 1e9, start = 0 } = {},
) {
  const rows: SavedRow[] = [];
  const stretch = { start, end: Buffer.byteLength(text), strict };
  const end = await readRows(await fileOf(text, piece), stretch, identity, (row) => rows.push(row));
  return { rows, end };
}

async function rebuilt(text: string, identity: AppendIdentity, changes: Partial<RebuildJob> = {}) {
  const begin =
    identity.format === 'csv' ? `${identity.dialect.excel ? '\uFEFF' : ''}${identity.columns.join()}\n` : '';
  return rebuild({
    file: await fileOf(text),
    size: Buffer.byteLength(text),
    identity,
    begin,
    overlapMs: 1000,
    ...changes,
  });
}

describe('rows are read back', () => {
  it('from CSV with all digits of their IDs, with their times, and with the code from the column or the export', async () => {
    const text = '18014398509481985,2026-01-01T00:00:00.000Z,"a ""b"",\nc"\n2,2026-01-01T00:00:01Z,\n';
    expect(await rowsIn(text, csv)).toEqual({
      rows: [
        { code: 'c', id: '18014398509481985', timeMs: T1 },
        { code: 'c', id: '2', timeMs: T1 + 1000 },
      ],
      end: text.length,
    });
    const labeled = { ...csv, columns: ['qr_id', 'ts', 'id'] };
    expect((await rowsIn('c,2026-01-01T00:00:00Z,7\n', labeled)).rows).toEqual([
      { code: 'c', id: '7', timeMs: T1 },
    ]);
  });

  it('from NDJSON with all digits of their IDs, and with the code from the column or the export', async () => {
    const text =
      '{"id":18014398509481985,"ts":"2026-01-01T00:00:00.000Z","qr_id":"c"}\n{"id":-2,"ts":"2026-01-01T00:00:01Z"}\n';
    const rows = [
      { id: '18014398509481985', timeMs: T1 },
      { id: '-2', timeMs: T1 + 1000 },
    ];
    expect((await rowsIn(text, ndjson)).rows).toEqual(rows.map((row) => ({ ...row, code: 'c' })));
    const { rows: labeled } = await rowsIn(text, { ...ndjson, columns: ['qr_id', 'id', 'ts'] });
    expect(labeled.map(({ code }) => code)).toEqual(['c', undefined]);
  });

  it.each([1, 2, 7, 30, 64])('with the same result from pieces of %i bytes', async (piece) => {
    const lines = Array.from(
      { length: 20 },
      (_, i) => `${i},2026-01-01T00:00:00.000Z,"é${'\n"",'.repeat(i % 4)}"\n`,
    ).join('');
    expect(await rowsIn(lines, csv, { piece })).toEqual(await rowsIn(lines, csv));
    // An odd number of lines, each with an odd number of quotes.
    const objects = Array.from(
      { length: 21 },
      (_, i) => `{"id":${i},"ts":"2026-01-01T00:00:00Z","referrer":"\\"é"}\n`,
    ).join('');
    expect(await rowsIn(objects, ndjson, { piece })).toEqual(await rowsIn(objects, ndjson));
    expect((await rowsIn(objects, ndjson, { piece })).rows).toHaveLength(21);
  });

  it('from a given offset, without an incomplete row at the end', async () => {
    const text = 'id,ts,referrer\n1,2026-01-01T00:00:00Z,\n2,2026-01-01T00:00';
    expect(await rowsIn(text, csv, { start: 15 })).toMatchObject({ rows: [{ id: '1' }], end: 39 });
    expect(await rowsIn('1,2026-01-01T00:00:00Z,"open\n', csv)).toEqual({ rows: [], end: 0 });
    expect((await rowsIn('{"id":1,"ts":"2026-01-01T00:00:00Z"}\n{"id":2,', ndjson)).end).toBe(37);
  });

  it('without an incomplete last row, but strict mode refuses a last line that does not begin like a row (A21)', async () => {
    const row = '1,2026-01-01T00:00:00Z,\n';
    expect((await rowsIn(`${row}a note`, csv)).rows).toHaveLength(1);
    await expect(rowsIn(`${row}a note`, csv, { strict: true })).rejects.toThrow(
      new UnrecognizedRowError('a last line that is not part of a scan'),
    );
    const [last, several] = [
      { ...csv, columns: ['referrer', 'id', 'ts'], dialect: { ...DIALECT, excel: true, delimiter: ';' } },
      { ...csv, columns: ['qr_id', 'ts', 'id'], codes: ['abc', 'xyz'] },
    ];
    for (const [torn, identity] of [
      ['x;7;2026-01-01 00:00:00,5z\r', last],
      ['x;7\r', last],
      ['xy', several],
      ['abc,2026-01-01T00:00:00Z,-7', several],
      ['gone', { ...several, all: true }],
      [`7,2026-01-01T00:00:00Z,${'x'.repeat(600)}`, csv],
    ] as const)
      expect(await rowsIn(torn, identity, { strict: true })).toEqual({ rows: [], end: 0 });
    for (const [torn, identity] of [
      ['x;7;May', last],
      ['x;7;2026;', last],
      ['xz', several],
      ['abc,May', several],
    ] as const)
      await expect(rowsIn(torn, identity, { strict: true }), torn).rejects.toThrow(
        'a last line that is not part of a scan',
      );
  });

  it('from CSV with CRLF line ends, as --excel writes it', async () => {
    const excel = { ...csv, dialect: { ...DIALECT, excel: true } };
    expect((await rowsIn('1,2026-01-01T00:00:00Z,x\r\n', excel)).rows).toEqual([
      { code: 'c', id: '1', timeMs: T1 },
    ]);
  });

  it('until the run is interrupted', async () => {
    const reading = readRows(
      await fileOf('x\n'),
      { start: 0, end: 2, signal: AbortSignal.abort('now') },
      csv,
      () => undefined,
    );
    await expect(reading).rejects.toBe('now');
  });
});

describe('countUncommittedRows', () => {
  const count = async (text: string, changes: Partial<DiskFile> = {}) =>
    countUncommittedRows(
      { ...(await fileOf(text)), ...changes },
      { start: 0, end: Buffer.byteLength(text) },
      csv,
    );

  it('counts complete rows, and returns undefined for other text unless it contains a block of zeros (A21)', async () => {
    expect(await count('1,2026-01-01T00:00:00Z,\n2,2026')).toBe(1);
    const notOurs = `${'a note '.repeat(80).slice(0, 511)}\n`;
    expect(await count(notOurs)).toBeUndefined();
    expect(await count(`${notOurs}${'\0'.repeat(512)}`)).toBe(0);
  });

  it('rejects if the disk fails', async () => {
    const file = await fileOf('x\n');
    let reads = 0;
    const failing = {
      read: async (...given: Parameters<DiskFile['read']>) => {
        reads += 1;
        if (reads === 1) throw new Error('EIO');
        return file.read(...given);
      },
    };
    await expect(count('x\n', failing)).rejects.toThrow('EIO');
  });
});

describe('readRows rejects', () => {
  const cases: [string, AppendIdentity, string, boolean?][] = [
    ['a row with 2 cells instead of 3', csv, '1,2026-01-01T00:00:00Z\n'],
    ['a row with 1 cell instead of 3', csv, '1,2026-01-01T00:00:00Z,\n\n'],
    ['a row that is not a scan', csv, 'x,2026-01-01T00:00:00Z,\n'],
    ['a row that is not a scan', csv, '1x,2026-01-01T00:00:00Z,\n'],
    ['a row that is not a scan', csv, 'x1,2026-01-01T00:00:00Z,\n'],
    ['a row that is not a scan', csv, '1,yesterday,\n'],
    ['a row that is not a scan', ndjson, '{"id":"1","ts":"2026-01-01T00:00:00Z"}\n'],
    ['a row that is not a scan', ndjson, '{"id":1,"ts":5}\n'],
    ['a row that is not a scan', ndjson, '{"id":1.5,"ts":"2026-01-01T00:00:00Z"}\n'],
    ['a row that cannot be parsed', csv, '1,2026-01-01T00:00:00Z,a"b"\n'],
    ['a row that cannot be parsed', ndjson, '{"id":1,\n'],
    ['a row that cannot be parsed', ndjson, '\n'],
    ['a line that is not a JSON object', ndjson, '7\n'],
    ['a line that is not a JSON object', ndjson, 'null\n'],
    ['a row with different columns', ndjson, '{"ts":"2026-01-01T00:00:00Z","id":1,"referrer":null}\n', true],
    [
      'a row with different columns',
      ndjson,
      '{"id":1,"ts":"2026-01-01T00:00:00Z","referrer":null,"os":null}\n',
      true,
    ],
  ];
  it.each(cases)('%s (A14)', async (message, identity, text, strict) => {
    await expect(rowsIn(text, identity, { strict })).rejects.toThrow(new UnrecognizedRowError(message));
  });

  it('a row with an extra column only in strict mode', async () => {
    const more = '{"id":1,"ts":"2026-01-01T00:00:00Z","referrer":null,"os":null}\n';
    expect((await rowsIn(more, ndjson)).rows).toHaveLength(1);
    await expect(rowsIn(more, ndjson, { strict: true })).rejects.toThrow(UnrecognizedRowError);
  });
});

describe('a lost state is rebuilt', () => {
  const HEAD = 'id,ts,referrer\n';
  const at = (id: number, second: number) => `${id},2026-01-01T00:00:0${second}Z,\n`;

  it('from every row, with the row count, watermark, oldest time, size, and the newest row as proof of ownership', async () => {
    const text = `${HEAD}${at(1, 2)}${at(2, 0)}${at(3, 5)}${at(4, 5)}${at(5, 3)}6,2026`;
    const { bytes, overlaps, oldestMs, proof } = await rebuilt(text, csv);
    expect(bytes).toBe(text.length - 6);
    expect(oldestMs).toBe(T1);
    expect(proof).toEqual({ id: '4', timeMs: T1 + 5000 });
    expect(overlaps.get('c')).toMatchObject({ rows: 5, watermarkMs: T1 + 5000 });
  });

  it('without proof of ownership if each row contains its code, or if there are no rows', async () => {
    const labeled = { ...csv, columns: ['id', 'ts', 'qr_id'], codes: ['c', 'd'] };
    const text = 'id,ts,qr_id\n1,2026-01-01T00:00:00Z,c\n1,2026-01-01T00:00:00Z,d\n';
    const { overlaps, proof } = await rebuilt(text, labeled);
    expect([...overlaps.keys()]).toEqual(['c', 'd']);
    expect(proof).toBeUndefined();
    const expected = { bytes: HEAD.length, oldestMs: undefined, proof: undefined };
    expect(await rebuilt(HEAD, csv)).toMatchObject(expected);
  });

  it('from NDJSON, which has no header', async () => {
    const text = '{"id":1,"ts":"2026-01-01T00:00:00Z","referrer":null}\n';
    for (const header of [true, false]) {
      const { overlaps } = await rebuilt(text, { ...ndjson, dialect: { ...DIALECT, header } });
      expect(overlaps.get('c')?.rows).toBe(1);
    }
  });

  it('from 10,100 rows with fewer than 1,000 IDs in memory', async () => {
    const text =
      HEAD +
      Array.from(
        { length: 10_100 },
        (_, i) => `${i},2026-01-01T${String(Math.floor(i / 600)).padStart(2, '0')}:00:00Z,\n`,
      ).join('');
    expect((await rebuilt(text, csv)).overlaps.get('c')?.ids.size).toBeLessThan(1000);
  });

  const refused: [string, string, AppendIdentity, string?][] = [
    ['the row 1 twice', `${HEAD}${at(1, 0)}${at(1, 0)}`, csv],
    ['different columns', `id,ts\n1,2026-01-01T00:00:00Z\n`, csv],
    ['different columns', 'id,ts,ref', csv],
    ['a last line that is not part of a scan', `${HEAD}${at(1, 0)}a note of mine`, csv],
    ['no header', at(1, 0), { ...csv, dialect: { ...DIALECT, header: false } }, ''],
    [
      'a row of another code, d',
      'id,ts,qr_id\n1,2026-01-01T00:00:00Z,d\n',
      { ...csv, columns: ['id', 'ts', 'qr_id'] },
    ],
    ['a row with different columns', '{"id":1,"ts":"2026-01-01T00:00:00Z"}\n', ndjson],
    [
      'a row of another code, undefined',
      '{"qr_id":null,"id":1,"ts":"2026-01-01T00:00:00Z"}\n',
      { ...ndjson, columns: ['qr_id', 'id', 'ts'] },
    ],
  ];
  it.each(refused)('unless the file has %s (A14)', async (message, text, identity, begin) => {
    const job = begin === undefined ? {} : { begin };
    await expect(rebuilt(text, identity, job)).rejects.toThrow(new UnrecognizedRowError(message));
  });
});

describe('findFirstRow', () => {
  const find = async (text: string, identity: AppendIdentity) =>
    findFirstRow(await fileOf(text), Buffer.byteLength(text), identity, undefined);

  it('returns the offset after the CSV header, or without a header, after the byte order mark if there is one', async () => {
    expect(await find('id,ts\n1,2\n', csv)).toBe(6);
    expect(await find('\n1,2\n', csv)).toBe(1);
    const bare = { ...csv, dialect: { ...DIALECT, header: false } };
    expect([await find('1,2\n', bare), await find('\uFEFF1,2\n', bare)]).toEqual([0, 3]);
    expect(await find('{"id":1}\n', ndjson)).toBe(0);
  });

  it('rejects if the header has no line end or is longer than 64 KiB', async () => {
    await expect(find('id,ts', csv)).rejects.toThrow(UnrecognizedRowError);
    expect(await find(`${'x'.repeat(64 * 1024 - 1)}\n1,2\n`, csv)).toBe(64 * 1024);
    await expect(find(`${'x'.repeat(64 * 1024)}\n1,2\n`, csv)).rejects.toThrow(UnrecognizedRowError);
  });
});
