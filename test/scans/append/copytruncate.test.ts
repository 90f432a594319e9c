/** `--rotated` with `copytruncate`: which copies are read for the rows of a stopped run, and what becomes of them. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Disk } from '../../../src/files/durable/disk.ts';
import type { CommittedPoint, OpenJob } from '../../../src/scans/append/committed-point.ts';
import { addCopiedIds } from '../../../src/scans/append/copytruncate.ts';
import { CODE, createMemoryDisk, FILE, ownWorkspace, STATE } from './runs.ts';

const BEGIN = 'id,ts\n';
const COPY = `${FILE}.1`;
const PACKED = `${FILE}.1.gz`;

let memory: ReturnType<typeof createMemoryDisk>;
let said: string[];
let warned: string[];

beforeEach(() => {
  memory = createMemoryDisk();
  [said, warned] = [[], []];
  memory.write(STATE, '{}');
});

/** The ids that are known after all copies were read. */
async function take(changes: Partial<OpenJob> = {}): Promise<string[]> {
  const overlaps: CommittedPoint['overlaps'] = new Map();
  const dialect = { header: true, excel: false, rawCells: false };
  const job: OpenJob = {
    disk: memory.disk,
    paths: { file: FILE, state: STATE, restart: `${FILE}.restart` },
    identity: { codes: [CODE], all: false, columns: ['id', 'ts'], format: 'csv', dialect },
    own: ownWorkspace([CODE]),
    begin: BEGIN,
    overlapMs: 0,
    sinceMs: undefined,
    note: (line) => said.push(line),
    warn: (line) => warned.push(line),
    ...changes,
  };
  await addCopiedIds(job, { file: undefined, overlaps, rotated: [] } as unknown as CommittedPoint);
  return [...overlaps.values()].flatMap(({ ids }) => [...ids.keys()]);
}

const row = (id: number) => `${id},2026-01-01T00:00:00.000Z\n`;

describe('a copy (A33)', () => {
  it('gives the ids of its rows, and is left as it is if its last row is whole', async () => {
    memory.write(COPY, BEGIN + row(1) + row(2));
    expect(await take()).toEqual(['1', '2']);
    expect(said).toEqual(['Skipping 2 rows from a stopped run (already in scans.out.1)']);
    expect(warned).toEqual([]);
    expect(memory.steps()).toBe(0);
  });

  it('loses an incomplete row, which is reported with its size', async () => {
    memory.write(COPY, `${BEGIN + row(1)}2,20`);
    expect(await take()).toEqual(['1']);
    expect(memory.read(COPY)).toBe(BEGIN + row(1));
    expect(warned).toEqual([expect.stringContaining('(4 bytes)')]);
  });

  it.each([BEGIN, ''])('without rows (%j) is left as it is, and nothing is said', async (text) => {
    memory.write(COPY, text);
    expect(await take()).toEqual([]);
    expect([memory.read(COPY), said, warned]).toEqual([text, [], []]);
  });

  it('that was changed when the state was written, or later, counts; an older one does not', async () => {
    const stateNs = (await memory.disk.lstat(STATE)).mtimeNs;
    for (const [aheadNs, ids] of [
      [-1n, []],
      [0n, ['1']],
      [1n, ['1']],
    ] as const) {
      memory.timeNs = () => stateNs + aheadNs;
      memory.write(COPY, BEGIN + row(1));
      expect(await take()).toEqual(ids);
      memory.remove(COPY);
    }
  });

  it('that cannot be read is refused, with what to do', async () => {
    memory.write(PACKED, 'packed');
    await expect(take()).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(PACKED),
      hint: expect.stringContaining(
        'Decompress or repair scans.out.1.gz. If it has no rows of that run, move it to another directory.',
      ),
    });
    memory.remove(PACKED);
    // Of another export, though its bytes could be rows of this one.
    memory.write(COPY, '{"ts":"2026-01-01T00:00:00.000Z","id":1}\n');
    const dialect = { header: true, excel: false, rawCells: false };
    const identity = { codes: [CODE], all: false, columns: ['id', 'ts'], format: 'ndjson' as const, dialect };
    await expect(take({ begin: '', identity })).rejects.toMatchObject({ name: 'UsageError' });
  });
});

describe('is not read as a copy (A33):', () => {
  it('an empty file, a directory, and a file that vanishes', async () => {
    memory.write(PACKED, '');
    await memory.disk.mkdir(`${FILE}.2.gz`);
    memory.write(`${FILE}.3.gz`, 'packed');
    const lstat: Disk['lstat'] = async (path) => {
      if (path === `${FILE}.3.gz`) memory.remove(path);
      return memory.disk.lstat(path);
    };
    expect(await take({ disk: { ...memory.disk, lstat } })).toEqual([]);
    memory.write(COPY, BEGIN + row(1));
    const open: Disk['open'] = async (path, ...rest) => {
      memory.remove(COPY);
      return memory.disk.open(path, ...rest);
    };
    expect(await take({ disk: { ...memory.disk, open } })).toEqual([]);
  });
});
