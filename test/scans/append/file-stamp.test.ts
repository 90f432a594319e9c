/** What a run costs that finds the file as the last one left it, and what it finds where somebody touched it. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import type { Disk } from '#files/durable/disk';
import { formatRecord, UnknownRecordError } from '#files/durable/record-file';
import { type FileStamp, hasStamp, parseState, stampOf } from '#scans/append/state';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import {
  CODE,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
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

beforeEach(() => {
  memory = createMemoryDisk();
  // More than a block of the hash.
  service = { [CODE]: rowsAt(...Array.from({ length: 3000 }, (_, i) => i * 1000)) };
});

/** A run, and how many bytes of the file it read. */
async function bytesReadBy(work: (disk: Disk) => Promise<unknown>): Promise<number> {
  let read = 0;
  const open: Disk['open'] = async (path, flags, mode) => {
    const file = await memory.disk.open(path, flags, mode);
    if (path !== FILE) return file;
    return {
      ...file,
      async read(...given) {
        const result = await file.read(...given);
        read += result.bytesRead;
        return result;
      },
    };
  };
  await work({ ...memory.disk, open });
  return read;
}

const again = () => bytesReadBy((disk) => run(memory, service, { disk, pageRows: 500 }));

describe('a run after a complete run', () => {
  beforeEach(() => run(memory, service, { pageRows: 500 }));

  it('reads less than one block of the file, with or without new rows (A19)', async () => {
    expect(fileText().length).toBeGreaterThan(2 * 65_536);
    expect(await again()).toBeLessThan(65_536);
    service[CODE]?.push({ id: 9999, time: START + 3000 * 1000 });
    expect(await again()).toBeLessThan(65_536);
    expect(await again()).toBeLessThan(65_536);
    expect(idsIn(fileText())).toHaveLength(3001);
    // What was never read again is described as if it had been.
    memory.write(FILE, fileText());
    expect(await again()).toBe(fileText().length);
  });

  it('reads the whole file if its metadata changed, but the next run reads less than one block (A19)', async () => {
    await (await memory.disk.open(FILE, 'r+')).chmod(0o640);
    expect(await again()).toBe(fileText().length);
    expect(await again()).toBeLessThan(65_536);
  });

  it('refuses a file with a changed byte, even if its mtime was set back (A6, A19)', async () => {
    for (const at of [0, 70_000, fileText().length - 2]) {
      const before = memory.read(FILE) ?? '';
      const changed = Buffer.from(before);
      changed[at] = (changed[at] as number) ^ 1;
      memory.write(FILE, changed);
      const { mtimeNs } = state().stamp;
      const open: Disk['open'] = async (...where) => {
        const file = await memory.disk.open(...where);
        return { ...file, stat: async () => ({ ...(await file.stat()), mtimeNs: BigInt(mtimeNs) }) };
      };
      await expect(run(memory, service, { disk: { ...memory.disk, open } })).rejects.toThrow(
        'the file was edited or replaced',
      );
      memory.write(FILE, before);
    }
  });

  it.each(['ino', 'mtimeNs', 'ctimeNs'] as const)(
    'reads the whole file if its %s differs from the state (A19)',
    async (part) => {
      const changed = { ...state(), stamp: { ...state().stamp, [part]: '7' }, checksum: undefined };
      memory.write(STATE, formatRecord(changed));
      expect(await again()).toBe(fileText().length);
    },
  );
});

describe('on a file system with a coarse clock,', () => {
  it('a run whose last write is in the current tick records no stamp, so the next run reads the whole file (A19)', async () => {
    memory.timeNs = () => 1_767_225_600_000_000_000n;
    await run(memory, service, { pageRows: 500 });
    expect(state().stamp).toBeUndefined();
    expect(await again()).toBeGreaterThanOrEqual(fileText().length);
    // Changed within the tick: no time tells.
    memory.write(FILE, fileText().replace('Safari', 'Chrome'));
    await expect(run(memory, service, { pageRows: 500 })).rejects.toThrow(UsageError);
  });

  it('a run waits at its end for the next tick of the clock, so that it can record a stamp (A19)', async () => {
    let nowNs = 1_767_225_600_000_000_000n;
    memory.timeNs = () => nowNs;
    const slept: number[] = [];
    const clock = {
      now: () => START,
      monotonic: () => 0,
      random: () => 0,
      async sleep(ms: number) {
        slept.push(ms);
        if (slept.length === 2) nowNs += 4_000_000n;
      },
    };
    await run(memory, service, { pageRows: 5000, clock });
    expect(slept).toEqual([5, 5]);
    expect(state().stamp).toBeDefined();
    expect(await again()).toBeLessThan(65_536);
    expect(memory.names()).toEqual([FILE, STATE]);
  });
});

it('a state from qrctl 1.0, with one digest for all bytes, is accepted and replaced by version 2, unless the file was edited', async () => {
  await run(memory, service, { pageRows: 500 });
  const { blocks: _, stamp: __, checksum: ___, ...rest } = state();
  const plain = (text: string) => createHash('sha256').update(text).digest('hex');
  const body = JSON.stringify({ ...rest, version: 1, sha256: plain(fileText()) });
  memory.write(STATE, `${body.slice(0, -1)},"checksum":"${plain(body)}"}\n`);
  service[CODE]?.push({ id: 9999, time: START + HOUR });
  expect(await run(memory, service, { pageRows: 500 })).toBe(1);
  expect(state()).toMatchObject({ version: 2, stamp: expect.anything() });
  memory.write(STATE, `${body.slice(0, -1)},"checksum":"${plain(body)}"}\n`);
  memory.write(FILE, fileText().replace('Safari', 'Chrome'));
  await expect(run(memory, service, { pageRows: 500 })).rejects.toThrow('the file was edited or replaced');
});

it('a stamp in a state keeps nanoseconds, and malformed stamps are rejected', async () => {
  const [ino, mtimeNs, ctimeNs] = [2n ** 63n, -5n, 1_767_225_600_123_456_789n];
  await run(memory, service, { pageRows: 500 });
  const stat = { ...(await memory.disk.lstat(FILE)), ino, mtimeNs, ctimeNs };
  const stamp = stampOf(stat, ctimeNs + 1n) as FileStamp;
  const withStamp = (value: unknown) => formatRecord({ ...state(), stamp: value, checksum: undefined });
  expect(parseState(withStamp(stamp)).stamp).toEqual(stamp);
  expect(hasStamp(stat, stamp)).toBe(true);
  expect(hasStamp({ ...stat, ctimeNs: ctimeNs + 1n }, stamp)).toBe(false);
  for (const value of [null, 'x', {}, { ...stamp, ino: 7 }, { ...stamp, ctimeNs: '1e9' }]) {
    expect(() => parseState(withStamp(value))).toThrow(UnknownRecordError);
  }
});
