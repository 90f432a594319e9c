import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { MemoryDisk } from '../support/memory-disk.ts';
import {
  CODE,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  idsOf,
  OTHER_CODE,
  openOn,
  rowsAt,
  run,
  START,
  STATE,
  type TestService,
} from './runs.ts';

let memory: MemoryDisk;
let service: TestService;

const fileText = () => memory.read(FILE) ?? '';
const state = () => JSON.parse(memory.read(STATE) ?? '');
const ids = () => idsIn(fileText());
const everything = () => memory.names().map((name) => [name, memory.read(name)]);

beforeEach(() => {
  memory = createMemoryDisk();
  service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR) };
});

describe('a first run', () => {
  it('writes the header and every scan, and a state beside the file', async () => {
    expect(await run(memory, service)).toBe(4);
    expect(fileText().split('\n')[0]).toBe('id,ts,country,city,device,os,browser,referrer');
    expect(ids()).toEqual(['1', '2', '3', '4']);
    expect(memory.names()).toEqual([FILE, STATE]);
    expect(state()).toMatchObject({
      version: 1,
      baseUrl: 'https://example.test/api/v1',
      codes: [CODE],
      bytes: fileText().length,
    });
  });

  it('keeps the ids inside the overlap and no others', async () => {
    await run(memory, service);
    expect(state().positions[CODE]).toMatchObject({
      watermarkMs: START + 3 * HOUR,
      rows: 4,
      ids: [
        ['3', START + 2 * HOUR],
        ['4', START + 3 * HOUR],
      ],
    });
  });

  it('makes a file with a header and nothing else where there are no scans', async () => {
    await run(memory, { [CODE]: [] });
    expect(ids()).toEqual([]);
    expect(fileText()).not.toBe('');
    service[CODE] = rowsAt(5);
    await run(memory, service);
    expect(ids()).toEqual(['1']);
  });

  it('touches nothing when the service fails before the first row', async () => {
    await expect(run(memory, service, { failAfter: 0 })).rejects.toThrow('the service failed');
    expect(memory.names()).toEqual([]);
  });

  it('goes on where it was when the service fails midway', async () => {
    service[CODE] = rowsAt(...Array.from({ length: 30 }, (_, i) => i * HOUR));
    await expect(run(memory, service, { failAfter: 20 })).rejects.toThrow('the service failed');
    expect(ids()).toHaveLength(18);
    const file = await openOn(memory, service);
    expect(file.sinkOf(CODE).sinceMs).toBe(START + 16 * HOUR);
    expect(state().positions[CODE]).toMatchObject({ watermarkMs: START + 17 * HOUR, rows: 18 });
    await file.discard();
    expect(await run(memory, service)).toBe(12);
    expect(ids().sort()).toEqual(idsOf(service));
  });

  it('fills an empty file that is already there', async () => {
    memory.write(FILE, '');
    await run(memory, service);
    expect(ids()).toHaveLength(4);
  });
});

describe('a later run', () => {
  it('adds what is new and what came late, at the end', async () => {
    await run(memory, service);
    service[CODE]?.push({ id: 20, time: START + 4 * HOUR }, { id: 21, time: START + 2.5 * HOUR });
    expect(await run(memory, service)).toBe(2);
    expect(ids()).toEqual(['1', '2', '3', '4', '21', '20']);
  });

  it('writes nothing at all when nothing is new', async () => {
    await run(memory, service);
    memory.revive();
    expect(await run(memory, service)).toBe(0);
    expect(memory.steps()).toBe(0);
  });

  it('reads again from the overlap before the newest row, and never before the first run’s --since', async () => {
    await run(memory, service, { sinceMs: START });
    let file = await openOn(memory, service, { sinceMs: START + 99 * HOUR });
    expect(file.sinkOf(CODE).sinceMs).toBe(START + 2 * HOUR);
    await file.discard();
    file = await openOn(memory, service, { overlapMs: 1000 * HOUR });
    expect(file.sinkOf(CODE).sinceMs).toBe(START);
    await file.discard();
  });

  it('finds late rows without an overlap when they are of the newest instant', async () => {
    await run(memory, service, { overlapMs: 0 });
    service[CODE]?.push({ id: 9, time: START + 3 * HOUR });
    await run(memory, service, { overlapMs: 0 });
    expect(ids()).toEqual(['1', '2', '3', '4', '9']);
  });

  it('takes the ids it needs from the file when the overlap has become longer', async () => {
    await run(memory, service, { overlapMs: 0 });
    service[CODE]?.push({ id: 9, time: START + HOUR / 2 });
    expect(await run(memory, service, { overlapMs: 3 * HOUR })).toBe(1);
    expect(ids()).toEqual(['1', '2', '3', '4', '9']);
  });

  it('drops rows that are handed over again in the same run, however old', async () => {
    service[CODE] = rowsAt(...Array.from({ length: 50 }, (_, i) => i * HOUR));
    await run(memory, service);
    const file = await openOn(memory, service, { overlapMs: 0 });
    const rows = service[CODE].map(({ id }) => ({ id }));
    const times = service[CODE].map(({ time }) => time);
    const sink = file.sinkOf(CODE);
    expect(await sink.write({ rows: rows.slice(40), times: times.slice(40) })).toBe(0);
    expect(await sink.write({ rows, times })).toBe(0);
    await file.commit();
    expect(ids()).toHaveLength(50);
  });

  it('reads an unproven stretch again', async () => {
    await run(memory, service);
    const file = await openOn(memory, service, { overlapMs: 2 * HOUR });
    const sink = file.sinkOf(CODE);
    const rewind = await sink.checkpoint();
    expect(await rewind()).toBe(true);
    const time = START + 9 * HOUR;
    await sink.write({ rows: [{ id: 30, ts: '2026-01-01T09:00:00.000Z' }], times: [time] });
    await file.discard();
    service[CODE]?.push({ id: 30, time }, { id: 31, time: START + 1.5 * HOUR });
    const next = await openOn(memory, service);
    expect(next.sinkOf(CODE).sinceMs).toBe(START + HOUR);
    await next.discard();
    await run(memory, service);
    expect(ids()).toEqual(['1', '2', '3', '4', '30', '31']);
  });

  it('reads everything again when nothing of it was proven', async () => {
    const file = await openOn(memory, service);
    const sink = file.sinkOf(CODE);
    await (await sink.checkpoint())();
    await sink.write({ rows: [{ id: 4, ts: '2026-01-01T03:00:00.000Z' }], times: [START + 3 * HOUR] });
    await file.discard();
    const next = await openOn(memory, service);
    expect(next.sinkOf(CODE).sinceMs).toBeUndefined();
    expect(state().positions[CODE]).toMatchObject({ watermarkMs: START + 3 * HOUR, rows: 1 });
    await next.discard();
    expect(await run(memory, service)).toBe(3);
    expect(ids()).toEqual(['4', '1', '2', '3']);
  });

  it('keeps the digits of ids beyond 2^53 apart', async () => {
    service[CODE] = [9007199254740992n, 9007199254740993n].map((id) => ({ id, time: START }));
    await run(memory, service);
    service[CODE].push({ id: 9007199254740994n, time: START });
    expect(await run(memory, service)).toBe(1);
    expect(ids()).toEqual(['9007199254740992', '9007199254740993', '9007199254740994']);
  });

  it('cuts off what a killed run left uncommitted', async () => {
    await run(memory, service);
    const committed = fileText();
    memory.write(FILE, `${committed}5,2026-01-01T05:00:00.000Z,DE,,mob`);
    const notes: string[] = [];
    await run(memory, service, { note: (line) => notes.push(line) });
    expect(fileText()).toBe(committed);
    expect(notes).toEqual(['scans.out: 34 bytes after the last commit, left by a stopped run, were cut off']);
  });
});

it('claims nothing more when somebody moves the file away or writes to it during the run', async () => {
  for (const change of [() => memory.write(FILE, 'x'.repeat(2000)), () => memory.remove(FILE)]) {
    memory = createMemoryDisk();
    await run(memory, service);
    const before = memory.read(STATE);
    const file = await openOn(memory, service);
    change();
    const row = { id: 9, ts: '2026-01-02T00:00:00.000Z' };
    const adding = file.sinkOf(CODE).write({ rows: [row], times: [START + 24 * HOUR] });
    await expect(adding).rejects.toThrow('was moved or changed by somebody else');
    await file.discard();
    expect(memory.read(STATE)).toBe(before);
  }
});

describe('several codes in one file', () => {
  beforeEach(() => {
    service = {
      [CODE]: rowsAt(0, HOUR),
      [OTHER_CODE]: rowsAt(HOUR, 2 * HOUR).map((row) => ({ ...row, id: Number(row.id) + 100 })),
    };
  });

  it('keeps a watermark for each', async () => {
    await run(memory, service);
    service[CODE]?.push({ id: 3, time: START + 9 * HOUR });
    service[OTHER_CODE]?.push({ id: 103, time: START + 3 * HOUR });
    expect(await run(memory, service)).toBe(2);
    expect(ids()).toEqual(['1', '2', '101', '102', '3', '103']);
  });

  it('tells the same id of two codes apart', async () => {
    service[OTHER_CODE] = rowsAt(0, HOUR);
    expect(await run(memory, service)).toBe(4);
    expect(await run(memory, service, { overlapMs: 9 * HOUR })).toBe(0);
  });

  it('lets codes come and go with --all, and refuses another choice without it', async () => {
    const all = { identity: { all: true } };
    await run(memory, service, all);
    const grown = { ...service, '33333333-3333-4333-8333-333333333333': [{ id: 201, time: START }] };
    expect(await run(memory, grown, all)).toBe(1);
    const fewer: TestService = { [OTHER_CODE]: service[OTHER_CODE] ?? [] };
    expect(await run(memory, fewer, all)).toBe(0);
    await expect(run(memory, fewer)).rejects.toThrow('holds the scans of all codes, not of code');
  });
});

describe('an append is refused, and everything left as it is, when', () => {
  const cases: [string, () => void, RegExp, Parameters<typeof run>[2]?][] = [
    ['the file is shorter than committed', () => memory.write(FILE, fileText().slice(0, -10)), /it was cut/],
    ['the file was edited', () => memory.write(FILE, fileText().replace('Safari', 'Firefox')), /was edited or replaced/],
    ['one bit of the file is another', () => memory.write(FILE, fileText().replace('DE', 'DF')), /was edited or replaced/],
    ['the file was replaced by a longer one', () => memory.write(FILE, 'x'.repeat(5000)), /was edited or replaced/],
    ['the file was moved away', () => memory.remove(FILE), /it is gone/],
    [
      'another base URL is meant',
      () => {},
      /was exported from https:\/\/example/,
      { identity: { baseUrl: 'https://b.test/api/v1' } },
    ],
    ['another code is meant', () => {}, /holds the scans of code 1111/, { identity: { codes: [OTHER_CODE] } }],
    ['other columns are wanted', () => {}, /has the columns id,ts,country/, { identity: { columns: ['id', 'ts'] } }],
    ['another format is wanted', () => {}, /was written as csv, not ndjson/, { identity: { format: 'ndjson' } }],
    [
      'other cells are wanted',
      () => {},
      /was written without --raw-cells/,
      { identity: { dialect: { header: true, excel: false, rawCells: true, keepExtra: false } } },
    ],
    [
      'the state is of a later version',
      () => memory.write(STATE, later(memory.read(STATE) ?? '')),
      /version 2, which this qrctl does not know/,
    ],
    [
      'the state is gone and the file was edited',
      () => {
        memory.remove(STATE);
        memory.write(FILE, fileText().replace('2026-01-01T01', 'yesterday'));
      },
      /a row that is no scan/,
    ],
    [
      'the state is gone and the file holds a scan twice',
      () => {
        memory.remove(STATE);
        memory.write(FILE, `${fileText()}${fileText().split('\n')[4]}\n`);
      },
      /the row 4 twice/,
    ],
    [
      'the state is unreadable and the file gone',
      () => {
        memory.write(STATE, '{');
        memory.remove(FILE);
      },
      /cannot be read: it was cut or changed, and the file is gone/,
    ],
  ];

  it.each(cases)('%s', async (_, change, message, options) => {
    await run(memory, service);
    change();
    const before = everything();
    const again = run(memory, service, options);
    await expect(again).rejects.toThrow(UsageError);
    await expect(again).rejects.toThrow(message);
    await expect(again).rejects.toMatchObject({ hint: expect.stringContaining('--restart') });
    expect(everything()).toEqual(before);
  });

  it('a file of somebody else stands there', async () => {
    memory.write(FILE, 'name,amount\nTea,3\n');
    await expect(run(memory, service)).rejects.toThrow(UsageError);
    expect(fileText()).toBe('name,amount\nTea,3\n');
  });

  it('somebody puts a file there after a first run that committed nothing', async () => {
    memory.fault = (_, operation) =>
      operation.startsWith(`create ${FILE}`) && !operation.includes('state') ? 'end-before' : undefined;
    await expect(run(memory, service)).rejects.toThrow();
    memory.revive();
    memory.write(FILE, 'precious');
    await expect(run(memory, service)).rejects.toThrow('it was not written by this export');
    expect(fileText()).toBe('precious');
  });

  it('the columns do not tell which scans the file has', async () => {
    await expect(run(memory, service, { identity: { columns: ['country', 'ts'] } })).rejects.toThrow(
      '--append needs the column id',
    );
  });

  it('the file would be compressed', async () => {
    await expect(run(memory, service, { path: '/data/scans.csv.gz' })).rejects.toThrow('plain CSV or NDJSON');
  });
});

describe('a lost state is worked out from the file', () => {
  it.each(['csv', 'ndjson'] as const)('of %s', async (format) => {
    const options = { identity: { format } };
    await run(memory, service, options);
    service[CODE]?.push({ id: 20, time: START + 4 * HOUR }, { id: 21, time: START + 2.5 * HOUR });
    memory.remove(STATE);
    expect(await run(memory, service, options)).toBe(2);
    expect(idsIn(fileText(), format)).toEqual(['1', '2', '3', '4', '21', '20']);
    expect(state().positions[CODE].watermarkMs).toBe(START + 4 * HOUR);
  });

  it('though its last line is torn', async () => {
    await run(memory, service);
    memory.write(FILE, fileText().slice(0, -3));
    memory.remove(STATE);
    expect(await run(memory, service)).toBe(1);
    expect(ids()).toEqual(['1', '2', '3', '4']);
  });

  it('though the torn line is longer than anything that follows', async () => {
    await run(memory, service);
    const before = fileText();
    memory.write(FILE, `${before}5,2026-01-01T05:00:00.000Z,DE,"${'x'.repeat(1000)}\n`);
    memory.remove(STATE);
    expect(await run(memory, service)).toBe(0);
    expect(fileText()).toBe(before);
  });

  it('though cells hold line breaks, quotes and commas', async () => {
    service[CODE]?.push(
      { id: 7, time: START + 4 * HOUR, referrer: 'a "b",\nc' },
      { id: 8, time: START + 4 * HOUR, referrer: '\n' },
    );
    await run(memory, service);
    const before = fileText();
    memory.remove(STATE);
    memory.write(FILE, before.slice(0, -1));
    await run(memory, service);
    expect(fileText()).toBe(before);
  });

  it('with BOM and CRLF', async () => {
    const options = { identity: { dialect: { header: true, excel: true, rawCells: false, keepExtra: false } } };
    await run(memory, service, options);
    memory.remove(STATE);
    expect(await run(memory, service, options)).toBe(0);
    await expect(run(memory, service)).rejects.toThrow('was written with --excel');
  });

  it('of several codes, each known by its qr_id', async () => {
    service = { [CODE]: rowsAt(0, HOUR), [OTHER_CODE]: rowsAt(0, HOUR) };
    await run(memory, service);
    service[OTHER_CODE]?.push({ id: 5, time: START + 2 * HOUR });
    memory.remove(STATE);
    expect(await run(memory, service)).toBe(1);
    memory.remove(STATE);
    await expect(run(memory, { [CODE]: [], '33333333-3333-4333-8333-333333333333': [] })).rejects.toThrow(
      'a row of another code',
    );
  });

  it('but nothing is added when the service shows other scans for this code', async () => {
    await run(memory, service);
    memory.remove(STATE);
    const before = fileText();
    const newer = { [OTHER_CODE]: rowsAt(7 * HOUR, 8 * HOUR, 9 * HOUR) };
    await expect(run(memory, newer)).rejects.toThrow('does not show the newest row of it for this code');
    await expect(run(memory, { [OTHER_CODE]: [] })).rejects.toThrow(UsageError);
    await expect(run(memory, { [OTHER_CODE]: rowsAt(2 * HOUR, 2.2 * HOUR) })).rejects.toThrow(UsageError);
    expect(fileText()).toBe(before);
    expect(memory.names()).toEqual([FILE]);
  });

  it('but not without a header, which alone names the columns', async () => {
    const options = { identity: { dialect: { header: false, excel: false, rawCells: false, keepExtra: false } } };
    await run(memory, service, options);
    expect(await run(memory, service, options)).toBe(0);
    memory.remove(STATE);
    await expect(run(memory, service, options)).rejects.toThrow('no header');
  });
});

describe('--restart', () => {
  it('exports from the beginning, in any new form, and replaces file and state', async () => {
    await run(memory, service);
    memory.write(FILE, 'edited');
    await run(memory, service, { restart: true, identity: { columns: ['id', 'ts'] } });
    expect(fileText().split('\n')[0]).toBe('id,ts');
    expect(ids()).toEqual(['1', '2', '3', '4']);
    expect(memory.names()).toEqual([FILE, STATE]);
    service[CODE]?.push({ id: 5, time: START + 4 * HOUR });
    expect(await run(memory, service, { identity: { columns: ['id', 'ts'] } })).toBe(1);
  });

  it('leaves the old file and state when it fails', async () => {
    await run(memory, service);
    const before = everything();
    await expect(run(memory, service, { restart: true, failAfter: 3 })).rejects.toThrow('the service failed');
    expect(everything()).toEqual(before);
  });

  it('works as a first run too', async () => {
    await run(memory, service, { restart: true });
    expect(ids()).toHaveLength(4);
  });
});

/** The state as a later version might write it. */
function later(text: string): string {
  const body = text.slice(0, text.lastIndexOf(',"checksum"')).replace('"version":1', '"version":2');
  const checksum = createHash('sha256').update(`${body}}`).digest('hex');
  return `${body},"checksum":"${checksum}"}\n`;
}
