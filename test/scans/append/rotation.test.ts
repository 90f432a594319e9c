/** `--rotated`: a file that is moved away between runs, by hand, by logrotate, after a kill, in any order. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { LocalError, UsageError } from '#base/errors';
import { systemClock } from '#base/time/time';
import type { Disk } from '#files/durable/disk';
import { formatRecord } from '#files/durable/record-file';
import { Ended, type Fault, type MemoryDisk } from '../../support/memory-disk.ts';
import { firstRows, runs, SOAK } from '../../support/property-runs.ts';
import {
  CODE,
  countingDisk,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  idsOf,
  OTHER_CODE,
  openOn,
  ownWorkspace,
  type RunOptions,
  rowsAt,
  run,
  START,
  STATE,
  type TestService,
  timedRows,
} from './runs.ts';

let memory: MemoryDisk;
let service: TestService;

const rotated = (options: RunOptions = {}) => run(memory, service, { rotated: true, ...options });
const state = () => JSON.parse(memory.read(STATE) ?? '');
const files = () => memory.names().filter((name) => name !== STATE);
const ids = (name = FILE, format: 'csv' | 'ndjson' = 'csv') => idsIn(memory.read(name) ?? '', format);
const allIds = () =>
  files()
    .flatMap((name) => ids(name))
    .sort();

function add(...times: number[]): void {
  const rows = service[CODE] ?? [];
  for (const time of times) rows.push({ id: rows.length + 1, time: START + time });
}

/** A scan that takes more than the block that an untouched file is known by. */
function addLong(): void {
  service[CODE]?.push({ id: 1000, time: START + 2.5 * HOUR, referrer: 'x'.repeat(100_000) });
}

/** As logrotate does: the newest has the lowest number. */
async function rotate(into = memory): Promise<void> {
  if (into.read(FILE) === undefined) return;
  const old = into.names().filter((name) => /\.\d+$/.test(name)).length;
  await into.disk.rename(FILE, `${FILE}.${old + 1}`);
}

/** A run that is killed when it comes to a step on the disk for the `nth` time, or as `fault` says. */
async function killedAt(
  step: string,
  { nth = 1, fault = 'end-before', ...options }: KillOptions = {},
): Promise<void> {
  const seen = new Set<number>();
  memory.fault = (at, operation) => {
    if (operation === step) seen.add(at);
    return operation === step && seen.size === nth ? fault : undefined;
  };
  await expect(rotated(options)).rejects.toThrow(Ended);
  memory.revive();
}

interface KillOptions extends RunOptions {
  nth?: number;
  fault?: Fault;
}

/** A run that is killed after its last row and before the commit of it. */
const killedRun = () => killedAt(`sync ${FILE}`, { nth: 2, pageRows: 1 });

beforeEach(() => {
  memory = createMemoryDisk();
  service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR) };
});

describe('an append to a file that was moved away', () => {
  it('continues in a new file without lost or duplicate rows, even if rows arrive late (A24)', async () => {
    await rotated();
    await rotate();
    add(2.5 * HOUR, 1.5 * HOUR);
    const said: string[] = [];
    expect(await rotated({ note: (line) => said.push(line) })).toBe(2);
    expect(said).toEqual(['scans.out was rotated. Continuing in a new file']);
    expect([ids(`${FILE}.1`), ids()]).toEqual([
      ['1', '2', '3'],
      ['5', '4'],
    ]);
    expect(memory.read(FILE)?.split('\n')[0]).toBe(memory.read(`${FILE}.1`)?.split('\n')[0]);
    expect(state().positions[CODE]).toMatchObject({ rows: 2, movedUntilMs: START + 2 * HOUR });
  });

  it('writes a complete new file if the first run stopped before it wrote any row', async () => {
    memory.write(FILE, '');
    await killedAt('flush /data', { fault: 'end-after' });
    expect(memory.names()).toEqual([FILE, STATE]);
    memory.remove(FILE);
    expect(await rotated()).toBe(3);
    expect(ids()).toEqual(['1', '2', '3']);
  });

  it('is refused without --rotated', async () => {
    await rotated();
    await rotate();
    const refused = run(memory, service);
    await expect(refused).rejects.toThrow('the file no longer exists');
    await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining('add --rotated') });
  });

  it("is refused if another program's file is at the path", async () => {
    await rotated();
    memory.write(FILE, 'mine\n');
    await expect(rotated()).rejects.toThrow(UsageError);
    expect(memory.read(FILE)).toBe('mine\n');
  });

  it('is refused if the run uses another service (A6)', async () => {
    await rotated();
    await rotate();
    await expect(
      rotated({ own: ownWorkspace([], { baseUrl: 'https://other.test/api/v1' }) }),
    ).rejects.toThrow('belongs to');
  });
});

describe('after a run that was killed,', () => {
  it('uncommitted rows are removed from the rotated file (A26)', async () => {
    await rotated();
    add(3 * HOUR, 4 * HOUR);
    await killedRun();
    expect(ids().length).toBeGreaterThan(3);
    await rotate();
    const said: string[] = [];
    await rotated({ warn: (line) => said.push(line) });
    expect([...ids(`${FILE}.1`), ...ids()]).toEqual(idsOf(service));
    expect(said).toEqual([
      expect.stringMatching(
        /^scans\.out\.1: removed \d+ bytes that a stopped run left after the last commit .*$/,
      ),
    ]);
  });

  it('a rotated file without committed rows is found by its inode, although an older file begins with the same bytes (A27)', async () => {
    service = { [CODE]: [] };
    await rotated();
    await rotate();
    await rotated();
    add(HOUR);
    await rotate();
    add(2 * HOUR);
    // Its first rows are written and not committed.
    await killedRun();
    await rotate();
    await rotated();
    expect(allIds()).toEqual(idsOf(service));
  });

  it('an incomplete header is removed from the rotated file (A27)', async () => {
    await rotated();
    await rotate();
    await killedAt(`write ${FILE}`, { fault: 'end-within' });
    await rotate();
    await rotated();
    expect(memory.read(`${FILE}.2`)).toBe('');
    expect([...ids(`${FILE}.1`), ...ids()]).toEqual(idsOf(service));
  });

  it('the rotated file is found under any name in the same directory (A26)', async () => {
    await rotated();
    add(3 * HOUR, 4 * HOUR);
    await killedRun();
    const archived = '/data/january.csv';
    await memory.disk.rename(FILE, archived);
    await rotated();
    expect([...ids(archived), ...ids()]).toEqual(idsOf(service));
  });

  it('a copy of the rotated file that has another inode is not accepted (A26)', async () => {
    await rotated();
    add(3 * HOUR, 4 * HOUR);
    await killedRun();
    memory.write(`${FILE}.1`, memory.read(FILE)?.slice(0, state().bytes) ?? '');
    memory.remove(FILE);
    memory.write(FILE, '');
    await expect(rotated()).rejects.toThrow('the rotated file is needed to find the rows of that run');
  });

  it('no new file is started if the rotated file is not in the directory (A26)', async () => {
    // Longer than the state, which stands beside too.
    add(...Array.from({ length: 99 }, (_, i) => i * HOUR));
    await rotated();
    add(103 * HOUR);
    await killedRun();
    const left = memory.read(FILE) ?? '';
    memory.remove(FILE);
    memory.write(`${FILE}.1`, left);
    const before = memory.read(STATE);
    const refused = rotated();
    await expect(refused).rejects.toThrow('the rotated file is needed to find the rows of that run');
    await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining('delaycompress') });
    expect(memory.read(STATE)).toBe(before);
    expect(memory.read(`${FILE}.1`)).toBe(left);
    memory.remove(`${FILE}.1`);
    await expect(rotated()).rejects.toThrow('the rotated file is needed to find the rows of that run');
  });

  it('no new file is started if the rotated file vanished or was edited or truncated (A26)', async () => {
    addLong();
    await rotated();
    add(4 * HOUR);
    await killedRun();
    await rotate();
    const open: Disk['open'] = async (path, ...rest) => {
      if (path === `${FILE}.1`) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
      return memory.disk.open(path, ...rest);
    };
    await expect(rotated({ disk: { ...memory.disk, open } })).rejects.toThrow(
      'the rotated file is needed to find the rows of that run',
    );
    const text = memory.read(`${FILE}.1`) ?? '';
    memory.write(`${FILE}.1`, text.replace('mobile', 'tablet'));
    await expect(rotated()).rejects.toThrow('the file was edited or replaced since the last run');
    memory.write(`${FILE}.1`, text.slice(0, 999));
    await expect(rotated()).rejects.toThrow('the rotated file is needed to find the rows of that run');
    expect(memory.read(FILE)).toBeUndefined();
    memory.write(`${FILE}.1`, text);
    const { disk, stillOpen } = countingDisk(memory);
    await rotated({ disk });
    expect(stillOpen()).toBe(0);
    expect([...ids(`${FILE}.1`), ...ids()].sort()).toEqual(idsOf(service));
  });

  it('a new file without rows is continued, and no note is printed', async () => {
    for (const stop of [`write ${FILE}`, `sync ${FILE}`]) {
      memory = createMemoryDisk();
      await killedAt(stop);
      const said: string[] = [];
      expect(await rotated({ note: (line) => said.push(line) })).toBe(3);
      expect(said).toEqual([]);
    }
  });

  it('a rotated file without uncommitted rows stays unchanged, and no warning is printed', async () => {
    await rotated();
    add(3 * HOUR);
    await killedAt(`write ${FILE}`);
    await rotate();
    const said: string[] = [];
    expect(await rotated({ warn: (line) => said.push(line) })).toBe(1);
    expect(said).toEqual([]);
    expect([...ids(`${FILE}.1`), ...ids()]).toEqual(idsOf(service));
  });
});

describe('a file that logrotate copied and truncated', () => {
  /** The file keeps its inode: it is copied, and emptied in its place. */
  async function copyAndEmpty(): Promise<void> {
    memory.fault = () => undefined;
    memory.write(`${FILE}.1`, memory.read(FILE) ?? '');
    const file = await memory.disk.open(FILE, 'r+');
    await file.truncate(0);
    await file.close();
  }

  it.each(['', '.gz'])(
    'is continued after a complete run if the copy, named scans.out.1%s, has all rows (A33)',
    async (packing) => {
      await rotated();
      await copyAndEmpty();
      const copy = memory.read(`${FILE}.1`) ?? '';
      if (packing !== '') {
        memory.remove(`${FILE}.1`);
        memory.write(`${FILE}.1.gz`, gzipSync(copy));
      }
      add(3 * HOUR);
      expect(await rotated()).toBe(1);
      expect(ids()).toEqual(['4']);
    },
  );

  it.each(['', '.gz', '.zst'])(
    'is refused if the copy, named scans.out.1%s, lacks rows or cannot be read (A33)',
    async (packing) => {
      await rotated();
      await copyAndEmpty();
      const part = (memory.read(`${FILE}.1`) ?? '').slice(0, -20);
      memory.remove(`${FILE}.1`);
      memory.write(`${FILE}.1${packing}`, packing === '.gz' ? gzipSync(part) : part);
      await expect(rotated()).rejects.toThrow('emptied in place');
      if (packing === '.gz') memory.write(`${FILE}.1.gz`, gzipSync(part).subarray(0, -9));
      await expect(rotated()).rejects.toThrow('emptied in place');
    },
  );

  it.each(['killed', 'killed before its first commit'] as const)(
    'is refused and unchanged after a run that was %s (A33)',
    async (last) => {
      if (last === 'killed') await rotated();
      add(3 * HOUR, 4 * HOUR);
      if (last === 'killed') await killedRun();
      else await killedAt(`sync ${FILE}`, { pageRows: 1 });
      await copyAndEmpty();
      const before = memory.names().map((name) => memory.read(name));
      const refused = rotated();
      await expect(refused).rejects.toThrow(
        'the file was emptied in place, as copytruncate of logrotate does',
      );
      await expect(refused).rejects.toMatchObject({
        name: 'UsageError',
        hint: expect.stringContaining('set create instead of copytruncate'),
      });
      expect(memory.names().map((name) => memory.read(name))).toEqual(before);
      // The copy is put back.
      memory.write(FILE, memory.read(`${FILE}.1`) ?? '');
      memory.remove(`${FILE}.1`);
      await rotated();
      expect(allIds()).toEqual(idsOf(service));
    },
  );

  it('is refused without a copy, until the empty file is deleted (A33)', async () => {
    await rotated();
    await copyAndEmpty();
    memory.remove(`${FILE}.1`);
    await expect(rotated()).rejects.toThrow('emptied in place');
    memory.remove(FILE);
    add(3 * HOUR);
    expect(await rotated()).toBe(1);
    expect(ids()).toEqual(['4']);
  });
});

it('a log whose state is from an earlier version and has no inode is continued after a rotation', async () => {
  await rotated();
  const { ino: _, checksum: __, ...older } = state();
  memory.write(STATE, formatRecord(older));
  await rotate();
  add(3 * HOUR);
  expect(await rotated()).toBe(1);
});

it('a scan older than the scans whose IDs are known from the rotated file is refused, not duplicated (A25)', async () => {
  await rotated();
  await rotate();
  add(3 * HOUR);
  await rotated();
  const refused = rotated({ overlapMs: 50 * HOUR });
  await expect(refused).rejects.toMatchObject({
    hint: expect.stringContaining('with the same --overlap as in earlier runs'),
  });
  await expect(refused).rejects.toThrow(
    /the service returned a scan dated 2026-01-01T00:00:00\.000Z, but scans before 2026-01-01T0[12]:00:00\.000Z are in rotated files/,
  );
  expect(await rotated()).toBe(0);
});

/** A run at an instant by the machine's clock, and `back` before it by the service's. */
const at = (machine: number, back = 0): RunOptions => ({
  clock: { ...systemClock, now: () => START + machine, sleep: async () => {} },
  serviceNow: () => START + machine - back,
});

it("an append to a rotated log is refused if the service's clock was set back by 25 hours, until --restart starts a new log (A25)", async () => {
  add(...Array.from({ length: 20 }, (_, hour) => (3 + hour) * HOUR));
  await rotated(at(22 * HOUR));
  await rotate();
  add(23 * HOUR);
  await rotated(at(23 * HOUR));
  // A day later by the machine's clock, and two hours before the last run by the service's.
  add(21.5 * HOUR);
  for (const later of [46 * HOUR, 46.5 * HOUR]) {
    const refused = rotated(at(later, 25 * HOUR));
    await expect(refused).rejects.toThrow(
      "the service's clock was set back by 25 h since the last run, so scans from ",
    );
    await expect(refused).rejects.toMatchObject({
      hint: expect.stringContaining('run the command once with --restart'),
    });
  }
  for (const name of files()) await memory.disk.rename(name, name.replace('/data/', '/data/old-'));
  await rotated({ ...at(48 * HOUR, 25 * HOUR), restart: true });
  expect(ids().sort()).toEqual(idsOf(service));
  await rotate();
  add(24 * HOUR);
  await rotated(at(49 * HOUR, 25 * HOUR));
  expect([...ids(`${FILE}.2`), ...ids()].sort()).toEqual(idsOf(service));
});

it.each([
  [
    '5 hours',
    5 * HOUR,
    [
      expect.stringContaining(
        'the clock of this machine or of the service was set by 5 h since the last run',
      ),
    ],
  ],
  ['30 minutes', 0.5 * HOUR, []],
  ['375 days', 9000 * HOUR, []],
])(
  "a rotated log is continued although this machine's clock was %s behind in the previous run, with a warning only for 5 hours (A25)",
  async (_, behind, said) => {
    add(...Array.from({ length: 20 }, (_, hour) => (3 + hour) * HOUR));
    await rotated(at(23 * HOUR));
    await rotate();
    add(23.5 * HOUR);
    await rotated(at(24 * HOUR - behind, -behind));
    add(30 * HOUR);
    const warned: string[] = [];
    expect(await rotated({ ...at(31 * HOUR), warn: (line) => warned.push(line) })).toBe(1);
    expect(warned).toEqual(said);
    add(32 * HOUR);
    expect(await rotated({ ...at(33 * HOUR), warn: (line) => warned.push(line) })).toBe(1);
    expect(warned).toEqual(said);
    expect(allIds()).toEqual(idsOf(service));
  },
);

describe('after a run that ended with exit code 9,', () => {
  beforeEach(async () => {
    add(50 * HOUR, 51 * HOUR);
    await expect(rotated({ unproven: true })).rejects.toThrow('does not add up');
  });

  it('the next run reads the IDs of the unverified rows from the rotated file (A29)', async () => {
    await rotate();
    add(50.5 * HOUR, 1.5 * HOUR, 52 * HOUR);
    const said: string[] = [];
    expect(await rotated({ note: (line) => said.push(line) })).toBe(3);
    expect(ids().sort()).toEqual(['6', '7', '8']);
    expect(said[0]).toBe(
      'scans.out was rotated. Continuing in a new file. Rereading scans that the last run could not verify, and skipping those already in scans.out.1',
    );
    await rotate();
    expect(await rotated()).toBe(0);
  });

  it('the state keeps the IDs of unverified rows through kills, further failures and rotations (A29)', async () => {
    await rotate();
    add(1.5 * HOUR, 52 * HOUR);
    await expect(rotated({ unproven: true })).rejects.toThrow('does not add up');
    memory.remove(`${FILE}.1`);
    add(2.5 * HOUR, 53 * HOUR);
    await killedRun();
    await rotate();
    await rotated();
    const kept = ['1', '2', '3', '4', '5'];
    expect([...kept, ...allIds()].sort()).toEqual(idsOf(service));
    // With the proof they go: the state is that of an ordinary night again.
    expect(state().positions[CODE].ids.length).toBeLessThan(4);
  });

  it('a rotated file in which no row was committed is not read', async () => {
    await rotate();
    add(52 * HOUR);
    await killedAt(`write ${FILE}`, { nth: 2 });
    await rotate();
    const said: string[] = [];
    await rotated({ note: (line) => said.push(line) });
    expect(said).toEqual(['scans.out was rotated. Continuing in a new file']);
    expect(allIds()).toEqual(idsOf(service));
  });

  it('only the rotated file with the inode in the state is read, and a disk error causes a LocalError', async () => {
    const other = '/elsewhere/scans.out';
    memory.write(`${FILE}.old`, memory.read(FILE) ?? '');
    await memory.disk.mkdir('/elsewhere');
    await memory.disk.rename(FILE, other);
    await memory.disk.mkdir(`${FILE}.d`);
    await expect(rotated()).rejects.toThrow('the rotated file is needed to find the rows of that run');
    await memory.disk.rename(other, `${FILE}.1`);
    const open: Disk['open'] = async (...args) => {
      const file = await memory.disk.open(...args);
      const read = () => Promise.reject(Object.assign(new Error('EIO: injected'), { code: 'EIO' }));
      return args[0] === `${FILE}.1` ? { ...file, read } : file;
    };
    await expect(rotated({ disk: { ...memory.disk, open } })).rejects.toThrow(LocalError);
    const lstat: Disk['lstat'] = async (path) => {
      if (path === `${FILE}.old`) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
      return memory.disk.lstat(path);
    };
    add(1.5 * HOUR);
    expect(await rotated({ disk: { ...memory.disk, lstat } })).toBe(1);
  });

  it('the next run is refused while the rotated file is missing or edited, and continues after it was restored (A29)', async () => {
    memory = createMemoryDisk();
    addLong();
    await expect(rotated({ unproven: true })).rejects.toThrow('does not add up');
    const old = memory.read(FILE) ?? '';
    await rotate();
    memory.write(`${FILE}.1`, old.replace('mobile', 'tablet'));
    const before = memory.read(STATE);
    await expect(rotated()).rejects.toThrow('the file was edited or replaced since the last run');
    memory.remove(`${FILE}.1`);
    const refused = rotated();
    await expect(refused).rejects.toThrow(
      'the last run could not be verified as complete, and the rotated file is needed to find the rows of that run',
    );
    await expect(refused).rejects.toMatchObject({
      hint: expect.stringContaining('Move the rotated file back to scans.out, uncompressed'),
    });
    expect([memory.read(STATE), memory.read(FILE)]).toEqual([before, undefined]);
    memory.write(FILE, old);
    add(1.5 * HOUR);
    expect(await rotated()).toBe(1);
  });
});

it('a log with one unverified code gets no duplicate row after a rotation (A29)', async () => {
  service = { [CODE]: rowsAt(0, 50 * HOUR), [OTHER_CODE]: rowsAt(0, 50 * HOUR) };
  const file = await openOn(memory, service, { rotated: true });
  for (const [code, rows] of Object.entries(service)) {
    const sink = file.sinkOf(code);
    const rewind = await sink.checkpoint();
    await sink.write(timedRows(rows, code));
    if (code === CODE) await rewind();
    else await sink.commit();
  }
  await file.discard();
  await rotate();
  expect(await rotated()).toBe(0);
});

it('after a rotation, a row older than the rows whose IDs are in the state is refused, even if the last run read further back (A25)', async () => {
  service = { [CODE]: rowsAt(0, 10 * HOUR) };
  await rotated();
  await rotate();
  add(11 * HOUR);
  const overlapMs = 5 * HOUR;
  await expect(rotated({ overlapMs, unproven: true })).rejects.toThrow('does not add up');
  await rotate();
  add(6 * HOUR);
  await expect(rotated({ overlapMs })).rejects.toThrow(
    "are in rotated files and can't be checked for duplicates",
  );
});

it('thousands of rows that are written again after a rewind are not duplicated, even rows in the rotated file (A25)', async () => {
  await rotated();
  await rotate();
  for (let i = 0; i < 10_100; i++) add(3 * HOUR + i * 1000);
  const file = await openOn(memory, service, { rotated: true });
  const sink = file.sinkOf(CODE);
  const rows = (service[CODE] ?? []).filter(({ time }) => time >= START + HOUR);
  const rewind = await sink.checkpoint();
  await sink.write(timedRows(rows));
  await rewind();
  await sink.write(timedRows(rows));
  await sink.commit();
  await file.commit();
  expect(ids()).toHaveLength(10_100);
});

it('a lost state is not rebuilt from the new file after a rotation (A28)', async () => {
  await rotated();
  await rotate();
  add(3 * HOUR);
  await rotated();
  memory.remove(STATE);
  const before = files().map((name) => memory.read(name));
  for (const isRotated of [true, false]) {
    const refused = rotated({ rotated: isRotated });
    await expect(refused).rejects.toThrow(
      'so the scans in its rotated files (such as scans.out.1) are unknown',
    );
    await expect(refused).rejects.toMatchObject({
      name: 'UsageError',
      hint: expect.stringContaining('move the log with its rotated files'),
    });
  }
  expect(memory.names()).toEqual([FILE, `${FILE}.1`]);
  expect(files().map((name) => memory.read(name))).toEqual(before);
  // The rotated file may be elsewhere.
  memory.remove(`${FILE}.1`);
  await expect(rotated()).rejects.toMatchObject({
    hint: expect.stringContaining('If the log was never rotated'),
  });
  // An empty file is none, as logrotate with create leaves it before a first run.
  memory.write(FILE, '');
  expect(await rotated()).toBe(4);
});

it('the hint for a lost state suggests converting the log with its nonempty rotated files, newest first (A28)', async () => {
  const all = { ...service, [OTHER_CODE]: rowsAt(0) };
  await run(memory, all);
  for (const age of ['10', '2', '1']) memory.write(`${FILE}.${age}`, 'rows');
  memory.write(`${FILE}.3`, '');
  await memory.disk.mkdir(`${FILE}.4`);
  memory.remove(STATE);
  const inputs = ['', '.1', '.2', '.10'].map((age) => `--input ${FILE}${age}`).join(' ');
  await expect(run(memory, all)).rejects.toMatchObject({
    message: expect.stringContaining('(such as scans.out.1)'),
    hint: expect.stringContaining(
      `\`qrctl scans export ${inputs} --output-dir DIR --partition-by month\`. If`,
    ),
  });
});

const event = fc.record({
  scans: fc.array(fc.oneof(fc.constant(0), fc.nat({ max: HOUR })), { maxLength: 5 }),
  rotate: fc.constantFrom('no', 'move', 'create'),
  run: fc.option(
    fc.record({
      at: fc.nat({ max: 40 }),
      kind: fc.constantFrom<Fault | undefined>(
        'ENOSPC',
        'EIO',
        'short',
        'end-before',
        'end-within',
        'end-after',
        undefined,
      ),
      pageRows: fc.integer({ min: 1, max: 3 }),
      failAfter: fc.constantFrom(2, 1e9),
      unproven: fc.boolean(),
    }),
    { nil: undefined },
  ),
});

it.each(firstRows(1, ['csv', 'ndjson'] as const))(
  'after any history of runs, kills and rotations, each scan is exactly once in all files (%s) (A24, A26, A27, A29)',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (events) => {
        const disk = createMemoryDisk();
        const scans: TestService = { [CODE]: [] };
        let nowMs = START;
        let nextId = 1;
        const options = { rotated: true, identity: { format } };
        for (const { scans: ages, rotate: how, run: attempt } of events) {
          nowMs += HOUR / 2;
          for (const ago of ages) scans[CODE]?.push({ id: nextId++, time: nowMs - ago });
          if (how !== 'no') {
            await rotate(disk);
            if (how === 'create' && disk.read(FILE) === undefined && disk.read(STATE)) disk.write(FILE, '');
          }
          if (!attempt) continue;
          disk.fault = (step) => (step === attempt.at ? attempt.kind : undefined);
          const { pageRows, failAfter, unproven } = attempt;
          await run(disk, scans, { ...options, pageRows, failAfter, unproven }).catch(() => undefined);
          disk.revive();
          disk.fault = () => undefined;
        }
        await run(disk, scans, options);
        const all = disk
          .names()
          .filter((name) => name.startsWith(FILE) && name !== STATE && !name.endsWith('.partial'));
        expect(all.flatMap((name) => idsOn(disk, name, format)).sort()).toEqual(idsOf(scans));
      }),
      runs(15, 10_000),
    );
  },
  // Ten thousand histories take an hour where the machine has other work.
  SOAK ? 4 * HOUR : undefined,
);

function idsOn(disk: MemoryDisk, name: string, format: 'csv' | 'ndjson'): string[] {
  return idsIn(disk.read(name) ?? '', format);
}
