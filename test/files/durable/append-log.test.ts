import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LocalError, UsageError } from '#base/errors';
import type { Disk, DiskFile } from '#files/durable/disk';
import { openAppendLog, readAppendLog } from '../../support/logs.ts';
import { createMemoryDisk, type MemoryDisk } from '../../support/memory-disk.ts';
import { runs } from '../../support/property-runs.ts';
import { atEveryStep, POWER_CUTS } from './every-step.ts';

interface Line {
  is: string;
  n: number;
  text?: string;
}

const LOG = '/data/ledger-1.jsonl';
const ADVICE = { elsewhere: 'name another place', damaged: 'put it back', noun: 'ledger' };
const lines = (count: number, from = 0): Line[] =>
  Array.from({ length: count }, (_, n) => ({ is: 'row é', n: n + from }));

async function write({ disk }: MemoryDisk, records: readonly Line[]): Promise<void> {
  const log = await openAppendLog<Line>(LOG, ADVICE, disk);
  try {
    await log.append(records);
  } finally {
    await log.close().catch(() => undefined);
  }
}

const read = ({ disk }: MemoryDisk) => readAppendLog<Line>(LOG, ADVICE, disk);

/** The bytes of a log with so many lines. */
async function logOf(count: number): Promise<Buffer> {
  const memory = createMemoryDisk();
  await write(memory, lines(count));
  return memory.disk.readFile(LOG);
}

describe('a log', () => {
  it('returns the records from all runs in order', async () => {
    const memory = createMemoryDisk();
    expect(await read(memory)).toEqual([]);
    await write(memory, lines(2));
    await write(memory, lines(3, 2));
    expect(await read(memory)).toEqual(lines(5));
    expect((await openAppendLog<Line>(LOG, ADVICE, memory.disk)).found).toEqual(lines(5));
  });

  it('returns texts unchanged, even with line ends, NULs, lone surrogates, or the end of a log line', async () => {
    const odd = ['\u2028', '\r\n', '\0', '\ud800', '東京', '"}\n{"', ',"crc":"00000000"}'];
    const texts = fc.array(fc.oneof(fc.string(), fc.constantFrom(...odd)));
    await fc.assert(
      fc.asyncProperty(texts, async (found) => {
        const memory = createMemoryDisk();
        const records = found.map((text, n) => ({ is: 'text', n, text }));
        await write(memory, records);
        expect(await read(memory)).toEqual(records);
      }),
      runs(50),
    );
  });

  it('is one JSON object per line', async () => {
    const text = String(await logOf(3));
    expect(text.split('\n').map((line) => line && JSON.parse(line).n)).toEqual([0, 1, 2, '']);
  });

  it('writes concurrent records in order with at most two flushes, and acknowledges them after the flush (D8)', async () => {
    const memory = createMemoryDisk();
    const log = await openAppendLog<Line>(LOG, ADVICE, memory.disk);
    let flushes = 0;
    memory.fault = (_, operation) => {
      if (operation.startsWith('sync')) flushes++;
      return undefined;
    };
    await Promise.all(lines(200).map((line) => log.append([line])));
    expect(flushes).toBeLessThanOrEqual(2);
    memory.revive({ keep: () => 0 });
    expect(await read(memory)).toEqual(lines(200));
  });

  it('adds none of the records in a call if one of the records cannot be written as JSON', async () => {
    const memory = createMemoryDisk();
    const log = await openAppendLog<Line>(LOG, ADVICE, memory.disk);
    // What JSON cannot say fails where it is made, before the disk is touched.
    const circular: Line & { self?: unknown } = { is: 'row', n: 1 };
    circular.self = circular;
    expect(() => log.append([...lines(1), circular])).toThrow(TypeError);
    await log.append(lines(1, 1));
    await log.close();
    expect(await read(memory)).toEqual(lines(1, 1));
  });

  it('accepts 60,000 records in one call', async () => {
    const memory = createMemoryDisk();
    await write(memory, lines(60_000));
    expect((await read(memory)).length).toBe(60_000);
  });
});

/** Opens the log, adds to it in three calls, two of them at once; tells what was promised by the time it ended. */
function session(promised: Line[]) {
  return async ({ disk }: MemoryDisk) => {
    promised.length = 0;
    const log = await openAppendLog<Line>(LOG, ADVICE, disk);
    const add = async (records: Line[]) => {
      await log.append(records);
      promised.push(...records);
    };
    const start = log.found.length;
    await add(lines(2, start));
    await Promise.all([add(lines(1, start + 2)), add(lines(3, start + 3))]);
    await log.close();
  };
}

const scenarios = [
  { name: 'a new log', before: 0, prepare: () => undefined },
  { name: 'a log from an earlier run', before: 3, prepare: (memory: MemoryDisk) => write(memory, lines(3)) },
];

describe.each(scenarios)('$name', ({ before, prepare }) => {
  const promised: Line[] = [];

  /** It has what was promised, at most what was asked for, and takes more. */
  async function expectWhole(memory: MemoryDisk) {
    const kept = lines(before + promised.length);
    await write(memory, [{ is: 'row é', n: 99 }]);
    const found = await read(memory);
    expect(found.slice(0, kept.length)).toEqual(kept);
    expect(found).toEqual([...lines(found.length - 1), { is: 'row é', n: 99 }]);
  }

  it('has all acknowledged records if the process is killed at any step, and accepts more records (D9)', async () => {
    const faults = ['end-before', 'end-within', 'end-after'] as const;
    await atEveryStep(prepare, session(promised), faults, async ({ memory }) => {
      memory.revive();
      await expectWhole(memory);
    });
  });

  it.each(POWER_CUTS)(
    'has all acknowledged records after a power cut at any step with pattern %# of lost writes (D8)',
    async (keep) => {
      const faults = ['end-before', 'end-within', 'end-after'] as const;
      await atEveryStep(prepare, session(promised), faults, async ({ memory }) => {
        memory.revive({ keep });
        await expectWhole(memory);
      });
    },
  );

  it('has all acknowledged records after a disk failure at any step, which causes a LocalError (D11)', async () => {
    await atEveryStep(prepare, session(promised), ['ENOSPC', 'EIO'], async ({ memory, error }) => {
      expect(error).toBeInstanceOf(LocalError);
      memory.revive({ keep: () => 0 });
      await expectWhole(memory);
    });
  });

  it('is complete after partial writes (D5)', async () => {
    await atEveryStep(prepare, session(promised), ['short'], async ({ memory, error }) => {
      expect(error).toBeUndefined();
      await expectWhole(memory);
    });
  });
});

describe('a failed or closed log', () => {
  it('rejects later appends and close() with the error of its first failure (D11)', async () => {
    const memory = createMemoryDisk();
    const log = await openAppendLog<Line>(LOG, ADVICE, memory.disk);
    await log.append(lines(1));
    memory.fault = (_, operation) => (operation.startsWith('sync') ? 'EIO' : undefined);
    const refused = await log.append(lines(1, 1)).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      message: `cannot write the ledger ${LOG}: the device reported an input/output error (EIO)`,
    });
    memory.fault = () => undefined;
    await expect(log.append(lines(1, 2))).rejects.toBe(refused);
    await expect(log.close()).rejects.toBe(refused);
  });

  it('rejects appends after close()', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'qrctl-log-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const log = await openAppendLog<Line>(join(directory, 'x.journal'), ADVICE);
    await log.close();
    await expect(log.append(lines(1))).rejects.toThrow(LocalError);
  });
});

describe('a record that is added with note()', () => {
  it('is written immediately, and is durable after the next append or close (D8)', async () => {
    for (const end of ['append', 'close', 'nothing'] as const) {
      const memory = createMemoryDisk();
      const log = await openAppendLog<Line>(LOG, ADVICE, memory.disk);
      log.note(lines(2));
      await new Promise((resolve) => setImmediate(resolve));
      expect(memory.read(LOG)?.split('\n')).toHaveLength(3);
      if (end === 'append') await log.append([]);
      if (end === 'close') await log.close();
      memory.revive({ keep: () => 0 });
      expect(await read(memory)).toEqual(end === 'nothing' ? [] : lines(2));
    }
  });

  it('is necessary for close() to flush the log: without records, close() flushes nothing', async () => {
    const memory = createMemoryDisk();
    const log = await openAppendLog<Line>(LOG, ADVICE, memory.disk);
    const operations: string[] = [];
    memory.fault = (_, operation) => void operations.push(operation);
    await log.close();
    expect(operations).toEqual([]);
  });

  it('keeps its order among appended records, and is kept if the process is killed', async () => {
    const memory = createMemoryDisk();
    const log = await openAppendLog<Line>(LOG, ADVICE, memory.disk);
    log.note(lines(1));
    await log.append(lines(1, 1));
    log.note(lines(1, 2));
    await new Promise((resolve) => setImmediate(resolve));
    memory.revive();
    expect(await read(memory)).toEqual(lines(3));
  });

  it('makes the next append fail if it could not be written (D11)', async () => {
    const memory = createMemoryDisk();
    const log = await openAppendLog<Line>(LOG, ADVICE, memory.disk);
    memory.fault = (_, operation) => (operation.startsWith('write') ? 'ENOSPC' : undefined);
    log.note(lines(1));
    await new Promise((resolve) => setImmediate(resolve));
    memory.fault = () => undefined;
    await expect(log.append(lines(1, 1))).rejects.toThrow(LocalError);
  });
});

describe('an open log', () => {
  const changes: [string, string, (memory: MemoryDisk) => Promise<void> | void][] = [
    ['removed', 'moved or removed', ({ remove }) => remove(LOG)],
    [
      'replaced by another file',
      'moved or removed',
      async ({ disk, remove }) => {
        remove(LOG);
        await disk.open(LOG, 'wx+');
      },
    ],
    [
      'truncated',
      'changed by another process',
      ({ disk }) => disk.open(LOG, 'r+').then((file) => file.truncate(3)),
    ],
    [
      'overwritten',
      'changed by another process',
      ({ disk }) =>
        disk.open(LOG, 'r+').then(async (file) => void (await file.write(Buffer.alloc(9000), 0, 9000, 0))),
    ],
  ];

  it.each(changes)('acknowledges nothing more after it was %s (D15)', async (_, what, change) => {
    const memory = createMemoryDisk();
    const log = await openAppendLog<Line>(LOG, ADVICE, memory.disk);
    await log.append(lines(1));
    await change(memory);
    const message = `the ledger ${LOG} was ${what} while this run was writing it`;
    await expect(log.append(lines(1, 1))).rejects.toMatchObject({
      name: 'LocalError',
      message,
      hint: expect.stringContaining('Restore the ledger'),
    });
    await expect(log.append(lines(1, 2))).rejects.toThrow(message);
  });

  it('fails if its path leads to the same inode number on another file system (D15)', async () => {
    const { disk } = createMemoryDisk();
    const stat = async (path: string) => ({ ...(await disk.stat(path)), dev: 4711n });
    const log = await openAppendLog<Line>(LOG, ADVICE, { ...disk, stat });
    await expect(log.append(lines(1))).rejects.toThrow('moved or removed');
  });

  it('has a durable name even if an earlier run was killed before flushing the name (D8)', async () => {
    const memory = createMemoryDisk();
    memory.fault = (step) => (step === 1 ? 'end-before' : undefined);
    await openAppendLog<Line>(LOG, ADVICE, memory.disk).catch(() => undefined);
    memory.revive();
    await write(memory, lines(2));
    memory.revive({ keep: () => 0 });
    expect(await read(memory)).toEqual(lines(2));
  });
});

describe('an existing file', () => {
  it('keeps its whole lines and loses a partial last line, wherever the file ends (D9)', async () => {
    const bytes = await logOf(4);
    for (let length = 0; length <= bytes.length; length++) {
      const memory = createMemoryDisk();
      memory.write(LOG, bytes.subarray(0, length));
      const left = bytes.subarray(0, length).filter((byte) => byte === 0x0a).length;
      expect(await read(memory)).toEqual(lines(left));
      await write(memory, lines(1, 99));
      expect(await read(memory)).toEqual([...lines(left), ...lines(1, 99)]);
    }
  });

  it('has only whole lines after an append, even if the partial line was longer than the new line (D9)', async () => {
    const memory = createMemoryDisk();
    memory.write(LOG, `${await logOf(2)}{"is":"row é","text":"${'x'.repeat(1000)}`);
    await write(memory, lines(1, 2));
    expect(await memory.disk.readFile(LOG)).toEqual(await logOf(3));
  });

  it('can end in zeros, as after a power cut that kept only the length (D9)', async () => {
    const bytes = await logOf(2);
    for (let length = 0; length < bytes.length; length++) {
      const memory = createMemoryDisk();
      memory.write(LOG, Buffer.concat([bytes.subarray(0, length), Buffer.alloc(bytes.length - length)]));
      const left = bytes.subarray(0, length).filter((byte) => byte === 0x0a).length;
      await write(memory, lines(1, 99));
      expect(await read(memory)).toEqual([...lines(left), ...lines(1, 99)]);
    }
  });

  it('is refused if it is damaged before its last line, because a created code could be hidden (D10)', async () => {
    const bytes = await logOf(6);
    const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    await fc.assert(
      fc.asyncProperty(fc.nat(lastLine - 2), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        const memory = createMemoryDisk();
        memory.write(LOG, damaged);
        await expect(openAppendLog(LOG, ADVICE, memory.disk)).rejects.toThrow(UsageError);
        expect(await memory.disk.readFile(LOG)).toEqual(damaged);
      }),
      runs(60, 10_000),
    );
  });

  it('that is damaged causes a UsageError with the number of its first damaged line', async () => {
    const memory = createMemoryDisk();
    memory.write(
      LOG,
      String(await logOf(5))
        .replace('"n":1', '"n":7')
        .replace('"n":2', '"n":8'),
    );
    const opening = openAppendLog(LOG, ADVICE, memory.disk);
    await expect(opening).rejects.toThrow(UsageError);
    await expect(opening).rejects.toMatchObject({
      message: `${LOG} is damaged at line 2`,
      hint: ADVICE.damaged,
    });
  });

  it('is accepted if only its last lines are damaged, even if these lines end in line breaks (D9)', async () => {
    const memory = createMemoryDisk();
    memory.write(LOG, `${await logOf(2)}\0\0\0\n{"is":"no\n`);
    expect((await openAppendLog<Line>(LOG, ADVICE, memory.disk)).found).toEqual(lines(2));
  });

  it.each([
    'name,type\nA,url\n',
    '{"is":"x"}\n',
    `5,"crc":"${crc32('5').toString(16).padStart(8, '0')}"}\n`,
    'no',
    '/',
    '{"if',
    '\0\0a',
  ])('is refused if it is not a log: %j', async (text) => {
    const memory = createMemoryDisk();
    memory.write(LOG, text);
    await expect(openAppendLog(LOG, ADVICE, memory.disk)).rejects.toThrow(UsageError);
    const refusal = { message: `${LOG} is not a qrctl ledger`, hint: ADVICE.damaged };
    await expect(read(memory)).rejects.toMatchObject(refusal);
    expect(memory.read(LOG)).toBe(text);
  });
});

it('a log with a line longer than 64 MiB is refused', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'qrctl-log-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'log');
  writeFileSync(path, '');
  truncateSync(path, 2 ** 30);
  const refusal = {
    name: 'DamagedLogError',
    message: `${path} is not a qrctl ledger: line 1 is longer than 64 MiB`,
    hint: ADVICE.damaged,
  };
  await expect(openAppendLog(path, ADVICE)).rejects.toMatchObject(refusal);
});

describe('a log file', () => {
  const refusedAt = async (path: string) => {
    const errors = await Promise.all(
      [openAppendLog(path, ADVICE), readAppendLog(path, ADVICE)].map((work) =>
        work.catch((error: unknown) => error),
      ),
    );
    return errors;
  };

  it('cannot be a directory or a device, or have a device as its directory', async () => {
    for (const path of [tmpdir(), '/dev/null', '/dev/null/x']) {
      for (const error of await refusedAt(path)) {
        expect(error).toBeInstanceOf(UsageError);
        expect(error).toMatchObject({ message: expect.stringContaining(path), hint: 'Name another place.' });
      }
    }
  });

  it('must be in an existing directory', async () => {
    const memory = createMemoryDisk();
    await expect(openAppendLog('/data/no/x.journal', ADVICE, memory.disk)).rejects.toMatchObject({
      message: 'cannot write the ledger /data/no/x.journal: its directory does not exist (ENOENT)',
      hint: 'Create the directory first, or name another place.',
    });
  });

  it('is refused if its path is a link, or if root opens it and another user may have created it (D14)', async () => {
    const memory = createMemoryDisk();
    const linked = '/data/linked.journal';
    memory.write(LOG, await logOf(2));
    await memory.disk.symlink(LOG, linked);
    await expect(openAppendLog(linked, ADVICE, memory.disk)).rejects.toThrow(UsageError);
    const lstat: Disk['lstat'] = async (path) => {
      const stat = await memory.disk.lstat(path);
      return path === '/data' ? Object.assign(stat, { uid: 4711 }) : stat;
    };
    const open: Disk['open'] = async (...where) => {
      const file = await memory.disk.open(...where);
      return { ...file, stat: async () => Object.assign(await file.stat(), { uid: 5 }) };
    };
    const opening = openAppendLog(LOG, ADVICE, { ...memory.disk, lstat, open, user: () => 0 });
    await expect(opening).rejects.toThrow(
      'it belongs to user 5, and its directory is writable by users other than root',
    );
    expect(await memory.disk.readFile(LOG)).toEqual(await logOf(2));
  });

  it('is refused if a directory in its path was swapped (D14)', async () => {
    const memory = createMemoryDisk();
    let closed = 0;
    const open: Disk['open'] = async (...where) => {
      const file = await memory.disk.open(...where);
      const close = () => file.close().finally(() => closed++);
      return { ...file, close, currentPath: async () => '/elsewhere/ledger-1.jsonl' };
    };
    await expect(openAppendLog(LOG, ADVICE, { ...memory.disk, open })).rejects.toThrow(
      'it or a directory in its path was moved',
    );
    expect(closed).toBe(1);
  });

  it('causes a LocalError if it cannot be read', async () => {
    const memory = createMemoryDisk();
    const broken = {
      ...memory.disk,
      readFile: async () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })),
    };
    await expect(readAppendLog(LOG, ADVICE, broken)).rejects.toThrow(LocalError);
  });

  it('keeps its records if it cannot be truncated', async () => {
    const memory = createMemoryDisk();
    const whole = await logOf(2);
    memory.write(LOG, Buffer.concat([whole, Buffer.from('{"is":"torn')]));
    memory.fault = (_, operation) => (operation.startsWith('truncate') ? 'EIO' : undefined);
    await expect(openAppendLog(LOG, ADVICE, memory.disk)).rejects.toThrow(LocalError);
    expect(await read(memory)).toEqual(lines(2));
  });

  it('is read completely, even in pieces of 7 bytes', async () => {
    const memory = createMemoryDisk();
    await write(memory, lines(3));
    const { disk } = memory;
    const slow: Disk = {
      ...disk,
      async open(...where) {
        const file = await disk.open(...where);
        const read: DiskFile['read'] = (buffer, offset, length, position) =>
          file.read(buffer, offset, Math.min(length, 7), position);
        const stat = async () => ({ ...(await file.stat()), size: (await file.stat()).size + 100 }); // it was cut just now
        return { ...file, read, stat };
      },
    };
    expect((await openAppendLog<Line>(LOG, ADVICE, slow)).found).toEqual(lines(3));
  });

  it('is closed again if its content is refused', async () => {
    const memory = createMemoryDisk();
    memory.write(LOG, 'no log');
    const { disk } = memory;
    let closed = 0;
    const counting: Disk = {
      ...disk,
      async open(...where) {
        const file = await disk.open(...where);
        const close = async () => {
          closed++;
          await file.close();
        };
        return { ...file, close };
      },
    };
    await expect(openAppendLog(LOG, ADVICE, counting)).rejects.toThrow(UsageError);
    expect(closed).toBe(1);
  });

  it('has the same bytes on a real disk as in memory, is accepted if it is empty, and is refused if it is not a log', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'qrctl-log-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const path = join(directory, 'x.journal');
    const log = await openAppendLog<Line>(path, ADVICE);
    await log.append(lines(2));
    await log.close();
    expect(await readFile(path)).toEqual(await logOf(2));
    await writeFile(path, '');
    expect(await readAppendLog(path, ADVICE)).toEqual([]);
    await writeFile(path, 'dear diary\n');
    await expect(readAppendLog(path, ADVICE)).rejects.toThrow(`${path} is not a qrctl ledger`);
  });
});
