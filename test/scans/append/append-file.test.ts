import { beforeEach, describe, expect, it } from 'vitest';
import { LocalError, UsageError } from '#base/errors';
import { readingPositions } from '#scans/append/overlap';
import { readExtent, readLogState } from '#scans/append/recorded-log';
import type { MemoryDisk } from '../../support/memory-disk.ts';
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
  it('writes the header, every scan, and a state next to the file', async () => {
    expect(await run(memory, service)).toBe(4);
    expect(fileText().split('\n')[0]).toBe('id,ts,country,city,device,os,browser,referrer');
    expect(ids()).toEqual(['1', '2', '3', '4']);
    expect(memory.names()).toEqual([FILE, STATE]);
    expect(state()).toMatchObject({
      version: 2,
      baseUrl: 'https://example.test/api/v1',
      codes: [CODE],
      bytes: fileText().length,
    });
  });

  it('records in its state only the IDs of scans in the overlap', async () => {
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

  it('creates a file with only a header if there are no scans', async () => {
    await run(memory, { [CODE]: [] });
    expect(ids()).toEqual([]);
    expect(fileText()).not.toBe('');
    service[CODE] = rowsAt(5);
    await run(memory, service);
    expect(ids()).toEqual(['1']);
  });

  it('that stops before it creates the file lets the next run create it, even without scans', async () => {
    memory.fault = (_, operation) =>
      operation.startsWith(`create ${FILE}`) && !operation.includes('state') ? 'end-before' : undefined;
    await expect(run(memory, { [CODE]: [] })).rejects.toThrow();
    memory.revive();
    expect(memory.names()).toEqual([STATE]);
    await run(memory, { [CODE]: [] });
    expect(memory.names()).toEqual([FILE, STATE]);
    expect(fileText()).not.toBe('');
  });

  it('creates no file if the service fails before the first row', async () => {
    await expect(run(memory, service, { failAfter: 0 })).rejects.toThrow('the service failed');
    expect(memory.names()).toEqual([]);
  });

  it('that fails lets the next run read from one overlap before the last committed row', async () => {
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

  it('writes its rows to an existing file that is empty', async () => {
    memory.write(FILE, '');
    await run(memory, service);
    expect(ids()).toHaveLength(4);
  });
});

describe('a later run', () => {
  it('adds new and late scans at the end of the file', async () => {
    await run(memory, service);
    service[CODE]?.push({ id: 20, time: START + 4 * HOUR }, { id: 21, time: START + 2.5 * HOUR });
    expect(await run(memory, service)).toBe(2);
    expect(ids()).toEqual(['1', '2', '3', '4', '21', '20']);
  });

  it('writes nothing to the disk if no scan is new', async () => {
    await run(memory, service);
    memory.revive();
    expect(await run(memory, service)).toBe(0);
    expect(memory.steps()).toBe(0);
  });

  it('reads from one overlap before the newest row, but never before the --since of the first run (A18)', async () => {
    await run(memory, service, { sinceMs: START });
    let file = await openOn(memory, service, { sinceMs: START + 99 * HOUR });
    expect(file.sinkOf(CODE).sinceMs).toBe(START + 2 * HOUR);
    await file.discard();
    file = await openOn(memory, service, { overlapMs: 1000 * HOUR });
    expect(file.sinkOf(CODE).sinceMs).toBe(START);
    await file.discard();
  });
});

describe('several codes in one file', () => {
  beforeEach(() => {
    service = {
      [CODE]: rowsAt(0, HOUR),
      [OTHER_CODE]: rowsAt(HOUR, 2 * HOUR).map((row) => ({ ...row, id: Number(row.id) + 100 })),
    };
  });

  it('each have their own watermark', async () => {
    await run(memory, service);
    service[CODE]?.push({ id: 3, time: START + 9 * HOUR });
    service[OTHER_CODE]?.push({ id: 103, time: START + 3 * HOUR });
    expect(await run(memory, service)).toBe(2);
    expect(ids()).toEqual(['1', '2', '101', '102', '3', '103']);
  });

  it('can have scans with equal IDs, which are not duplicates of each other', async () => {
    service[OTHER_CODE] = rowsAt(0, HOUR);
    expect(await run(memory, service)).toBe(4);
    expect(await run(memory, service, { overlapMs: 9 * HOUR })).toBe(0);
  });

  it('can differ in the next run only with --all', async () => {
    const all = { identity: { all: true } };
    await run(memory, service, all);
    const grown = { ...service, '33333333-3333-4333-8333-333333333333': [{ id: 201, time: START }] };
    expect(await run(memory, grown, all)).toBe(1);
    const fewer: TestService = { [OTHER_CODE]: service[OTHER_CODE] ?? [] };
    expect(await run(memory, fewer, all)).toBe(0);
    await expect(run(memory, fewer)).rejects.toThrow('contains the scans of all codes, not of code');
  });
});

describe('an append is refused at the start if', () => {
  it('several codes are exported without the column qr_id', async () => {
    for (const identity of [
      { codes: [CODE, OTHER_CODE], columns: ['id', 'ts'] },
      { all: true, columns: ['id', 'ts'] },
    ]) {
      const opening = openOn(memory, service, { identity });
      await expect(opening).rejects.toThrow(
        '--append requires the column qr_id to identify the scans in the file',
      );
      await expect(opening).rejects.toMatchObject({ hint: 'Pass --fields qr_id,id,ts.' });
    }
    await (await openOn(memory, service, { identity: { columns: ['id', 'ts'] } })).discard();
  });

  it('the path is not a regular file', async () => {
    const stat = async () => ({ ...(await memory.disk.stat(FILE)), isFile: () => false });
    memory.write(FILE, '');
    const opening = openOn(memory, service, { disk: { ...memory.disk, lstat: stat } });
    await expect(opening).rejects.toThrow(
      new UsageError(`cannot append to ${FILE}: it is not a regular file`),
    );
  });

  it('the directory of the file is not writable, although the file is writable', async () => {
    await run(memory, service);
    const before = everything();
    const checkWritable = async (path: string) => {
      if (path === '/data') throw Object.assign(new Error('no'), { code: 'EACCES' });
    };
    const refused = openOn(memory, service, { disk: { ...memory.disk, checkWritable } });
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(
      `cannot write to the directory of ${FILE}: permission denied (EACCES)`,
    );
    expect(everything()).toEqual(before);
  });

  it('the directory does not exist', async () => {
    const opening = openOn(memory, service, { path: '/nowhere/scans.csv' });
    await expect(opening).rejects.toThrow(UsageError);
    await expect(opening).rejects.toThrow(
      'cannot append to /nowhere/scans.csv: its directory does not exist (ENOENT)',
    );
  });
});

it("an append follows a link that appears while it waits for the lock, and locks the link's target (D14)", async () => {
  await run(memory, service);
  let swapped = false;
  const other = '/data/other.csv';
  memory.write(other, '');
  const locked: string[] = [];
  const lock = async (path: string) => {
    swapped = true;
    locked.push(path);
    return { release: async () => void locked.push(`not ${path}`) };
  };
  const lstat = async (path: string) => ({
    ...(await memory.disk.lstat(path)),
    isSymbolicLink: () => swapped && path === FILE,
  });
  const readlink = async () => 'other.csv';
  const file = await openOn(memory, service, { lock, disk: { ...memory.disk, lstat, readlink } });
  expect(file.path).toBe(other);
  expect(locked).toEqual([FILE, `not ${FILE}`, other]);
  await file.discard();
});

describe('an error while the file is opened', () => {
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  it.each(['lstat', 'readFile'] as const)(
    'is reported with the path, and the lock is released, if %s fails',
    async (operation) => {
      let held = 0;
      const lock = async () => {
        held++;
        return { release: async () => void held-- };
      };
      const opening = (code: string) =>
        openOn(memory, service, { lock, disk: { ...memory.disk, [operation]: failing(code) } });
      await expect(opening('EACCES')).rejects.toThrow(UsageError);
      await expect(opening('EACCES')).rejects.toThrow(`cannot append to ${FILE}: permission denied (EACCES)`);
      await expect(opening('EIO')).rejects.toThrow(LocalError);
      expect(held).toBe(0);
    },
  );

  it('is rethrown if it is not a system error', async () => {
    const mistake = new TypeError('a mistake');
    for (const operation of ['lstat', 'readFile']) {
      const disk = { ...memory.disk, [operation]: () => Promise.reject(mistake) };
      await expect(openOn(memory, service, { disk })).rejects.toBe(mistake);
    }
  });
});

it('an append removes temporary files that killed runs left', async () => {
  memory.write('/data/.scans.out.restart', 'half');
  memory.write('/data/.scans.out.state.json.partial', '{');
  await (await openOn(memory, service)).discard();
  expect(memory.names()).toEqual([]);
});

describe('the lock of an append', () => {
  it('is taken before the file is read, so that the rows of a run that ended meanwhile are found (A7)', async () => {
    const released: string[] = [];
    const lock = async (path: string) => {
      await run(memory, service);
      return { release: async () => void released.push(path) };
    };
    expect(await run(memory, service, { lock })).toBe(0);
    expect(ids()).toHaveLength(4);
    expect(released).toEqual([FILE]);
  });

  it('is released after a refusal', async () => {
    const released: string[] = [];
    const lock = async (path: string) => ({ release: async () => void released.push(path) });
    memory.write(FILE, 'precious');
    await expect(openOn(memory, service, { lock })).rejects.toThrow(UsageError);
    expect(released).toEqual([FILE]);
  });

  it('is requested with the signal of the run and the callback that reports waiting', async () => {
    const signal = new AbortController().signal;
    const onWait = () => undefined;
    const lock = async (_: string, given: object) => {
      expect(given).toMatchObject({ signal, onWait });
      throw new UsageError('another run');
    };
    await expect(openOn(memory, service, { lock, signal, onWait })).rejects.toThrow('another run');
  });
});

describe('readLogState', () => {
  const positions = async () => {
    const saved = await readLogState(FILE, memory.disk);
    return saved ? readingPositions(saved, HOUR) : new Map();
  };

  it('returns a state whose positions are the times from which the next append would read', async () => {
    await run(memory, { ...service, [OTHER_CODE]: [] });
    const before = everything();
    expect([...(await positions())]).toEqual([[CODE, START + 2 * HOUR]]);
    expect(everything()).toEqual(before);
  });

  it('returns no positions if the state is missing, damaged or from a later version', async () => {
    expect([...(await positions())]).toEqual([]);
    for (const text of ['{', '{"version":3,']) {
      memory.write(STATE, text);
      expect([...(await positions())]).toEqual([]);
    }
  });

  it('returns the identity of the export, such as its codes and format', async () => {
    const readIdentity = async () => (await readLogState(FILE, memory.disk))?.identity;
    expect(await readIdentity()).toBeUndefined();
    await run(memory, service);
    expect(await readIdentity()).toMatchObject({ codes: [CODE], format: 'csv', all: false });
  });

  it('rethrows errors that are not system errors', async () => {
    await run(memory, service);
    const failing = { ...memory.disk, readFile: () => Promise.reject(new TypeError('a mistake')) };
    await expect(readLogState(FILE, failing)).rejects.toThrow('a mistake');
  });
});

describe('the beginning of a log', () => {
  const beginning = async () => (await readExtent(FILE, memory.disk)).beginsMs;

  it('is the --since of the first run, or -Infinity without --since', async () => {
    expect(await beginning()).toBeUndefined();
    await run(memory, service);
    expect(await beginning()).toBe(Number.NEGATIVE_INFINITY);
    memory = createMemoryDisk();
    await run(memory, service, { sinceMs: START + HOUR });
    expect(await beginning()).toBe(START + HOUR);
  });

  it('is unknown if the state or the file is missing, or the file lacks committed bytes (A15)', async () => {
    await run(memory, service);
    const [text, saved] = [fileText(), memory.read(STATE) ?? ''];
    memory.write(FILE, text.slice(0, -1));
    expect(await beginning()).toBeUndefined();
    memory.write(FILE, `${text}x`);
    expect(await beginning()).toBe(Number.NEGATIVE_INFINITY);
    memory.remove(FILE);
    expect(await beginning()).toBeUndefined();
    memory.write(FILE, text);
    memory.remove(STATE);
    expect(await beginning()).toBeUndefined();
    memory.write(STATE, saved);
    expect(await beginning()).toBe(Number.NEGATIVE_INFINITY);
  });

  it('is unknown after a rotation, even if one of several codes has no rows', async () => {
    service[OTHER_CODE] = [];
    await run(memory, service, { rotated: true });
    await memory.disk.rename(FILE, `${FILE}.1`);
    await run(memory, service, { rotated: true });
    expect(await beginning()).toBeUndefined();
  });
});

describe('--restart', () => {
  it('exports all scans again with different columns, and keeps the edited file as FILE.old', async () => {
    await run(memory, service);
    memory.write(FILE, 'edited');
    await run(memory, service, { restart: true, identity: { columns: ['id', 'ts'] } });
    expect(fileText().split('\n')[0]).toBe('id,ts');
    expect(ids()).toEqual(['1', '2', '3', '4']);
    expect(memory.names()).toEqual([FILE, `${FILE}.old`, STATE]);
    service[CODE]?.push({ id: 5, time: START + 4 * HOUR });
    expect(await run(memory, service, { identity: { columns: ['id', 'ts'] } })).toBe(1);
  });

  it('leaves the old file and state unchanged if the run fails', async () => {
    await run(memory, service);
    const before = everything();
    await expect(run(memory, service, { restart: true, failAfter: 3 })).rejects.toThrow('the service failed');
    expect(everything()).toEqual(before);
  });

  it('first completes an earlier --restart that was stopped between its two renames (A8)', async () => {
    await run(memory, service);
    service[CODE]?.push({ id: 0, time: START - HOUR });
    memory.fault = (_, operation) =>
      operation === 'rename /data/.scans.out.restart' ? 'end-before' : undefined;
    await expect(run(memory, service, { restart: true })).rejects.toThrow();
    memory.revive();
    await expect(run(memory, service, { restart: true, failAfter: 0 })).rejects.toThrow('the service failed');
    expect(ids()).toEqual(['0', '1', '2', '3', '4']);
    expect(await run(memory, service)).toBe(0);
  });

  it('creates the file if it does not exist', async () => {
    await run(memory, service, { restart: true });
    expect(ids()).toHaveLength(4);
  });
});
