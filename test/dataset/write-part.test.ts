/** What is written of a part: each row once, however many there are, and every file that was opened is closed. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPart } from '../../src/dataset/read-part.ts';
import { formatPart, mergeParts, type PartFormatter, writePart } from '../../src/dataset/write-part.ts';
import { type Disk, nodeDisk } from '../../src/durable/disk.ts';
import { createParquetFormatter } from '../../src/output/parquet.ts';
import { useDirectory } from '../support/cli.ts';

const NAMES = ['qr_id', 'id', 'ts'];
/** More than are formatted at once. */
const COUNT = 4001;
const rows = Array.from({ length: COUNT }, (_, id) => ({ qr_id: 'a', id, ts: '2026-10-01T01:02:03.004Z' }));
const ids = rows.map(({ id }) => String(id));
const parquet = { format: 'parquet' } as const;

/** The sizes of what it is given at once. */
function createSizes(): PartFormatter & { sizes: number[] } {
  const sizes: number[] = [];
  return { sizes, begin: () => 'begin ', rows: ({ length }) => `${sizes.push(length)} `, end: () => 'end' };
}

/** A disk that knows how many files are open. */
function createCounting(): { disk: Disk; open: () => number; opened: () => number } {
  let [open, opened] = [0, 0];
  const counted: Disk['open'] = async (path, ...rest) => {
    const file = await nodeDisk.open(path, ...rest);
    opened += 1;
    open += 1;
    return Object.assign(Object.create(file), {
      close() {
        open -= 1;
        return file.close();
      },
    });
  };
  return { disk: { ...nodeDisk, open: counted }, open: () => open, opened: () => opened };
}

async function* failing(): AsyncGenerator<string> {
  yield 'begin';
  throw new Error('the rows failed');
}

async function drained(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces);
}

describe('the rows of a part', () => {
  it('are formatted some at a time, each once', async () => {
    const formatter = createSizes();
    const text = [];
    for await (const piece of formatPart(formatter, rows)) text.push(piece);
    expect(formatter.sizes).toEqual([2000, 2000, 1]);
    expect(text.join('')).toBe('begin 1 2 3 end');
  });

  it('are formatted in one go if they are as many as that, and no empty batch follows', async () => {
    const formatter = createSizes();
    await drained(formatPart(formatter, rows.slice(0, 2000)));
    expect(formatter.sizes).toEqual([2000]);
  });

  it('are merged from Parquet some at a time, each once', async () => {
    const { path, bytes } = await written();
    const formatter = createSizes();
    await drained(mergeParts(nodeDisk, formatter, parquet, [{ path, bytes }]));
    expect(formatter.sizes).toEqual([2000, 2000, 1]);
  });
});

describe('the file of a part', () => {
  it('is closed when it was written, read and merged', async () => {
    const { disk, open, opened } = createCounting();
    const { path, bytes } = await written(disk);
    const read: string[] = [];
    await readPart({ disk, path, part: { bytes }, identity: parquet as never, begin: '' }, ({ id }) => read.push(id));
    expect(read).toEqual(ids);
    await drained(mergeParts(disk, createSizes(), parquet, [{ path, bytes }]));
    expect([opened(), open()]).toEqual([3, 0]);
  });

  it('is closed when the rows failed', async () => {
    const { disk, open, opened } = createCounting();
    const path = join(await useDirectory(), 'part');
    await expect(writePart(disk, path, `${path}.partial`, failing())).rejects.toThrow('the rows failed');
    expect([opened(), open()]).toEqual([1, 0]);
  });

  it('is not said to be damaged when the run was interrupted', async () => {
    const { path, bytes } = await written();
    const signal = AbortSignal.abort(new Error('interrupted'));
    const reading = readPart({ disk: nodeDisk, path, part: { bytes }, identity: parquet as never, begin: '', signal }, () => {});
    await expect(reading).rejects.toThrow(/^interrupted$/);
    await expect(drained(mergeParts(nodeDisk, createSizes(), parquet, [{ path, bytes }], signal))).rejects.toThrow(
      /^interrupted$/,
    );
  });
});

async function written(disk = nodeDisk): Promise<{ path: string; bytes: number }> {
  const path = join(await useDirectory(), 'part-000001.parquet');
  return { path, bytes: await writePart(disk, path, path, formatPart(createParquetFormatter(NAMES), rows)) };
}
