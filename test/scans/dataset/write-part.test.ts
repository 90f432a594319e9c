/** What is written of a part: each row once, however many there are, and every file that was opened is closed. */
import { describe, expect, it } from 'vitest';
import type { Formatter } from '#files/formats/formatter';
import { createParquetFormatter } from '#files/formats/parquet/parquet';
import { formatPart, readPart, writePart } from '#scans/dataset/parts';
import { createMemoryDisk } from '../../support/memory-disk.ts';
import { countingDisk } from '../append/runs.ts';

const NAMES = ['qr_id', 'id', 'ts'];
/** More than are formatted at once. */
const COUNT = 4001;
const rows = Array.from({ length: COUNT }, (_, id) => ({ qr_id: 'a', id, ts: '2026-10-01T01:02:03.004Z' }));
const ids = rows.map(({ id }) => String(id));
const PATH = '/data/part-000001.parquet';
const parquet = { format: 'parquet' } as const;

/** The sizes of what it is given at once. */
function createSizes(): Formatter & { sizes: number[] } {
  const sizes: number[] = [];
  return { sizes, begin: () => 'begin ', rows: ({ length }) => `${sizes.push(length)} `, end: () => 'end' };
}

async function* failing(): AsyncGenerator<string> {
  yield 'begin';
  throw new Error('the rows failed');
}

async function drained(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces);
}

describe('the rows of a part', () => {
  it('are formatted in batches of at most 2,000 rows, each row once', async () => {
    const formatter = createSizes();
    const text = [];
    for await (const piece of formatPart(formatter, rows)) text.push(piece);
    expect(formatter.sizes).toEqual([2000, 2000, 1]);
    expect(text.join('')).toBe('begin 1 2 3 end');
  });

  it('are formatted in one batch if they fill it, without an empty second batch', async () => {
    const formatter = createSizes();
    await drained(formatPart(formatter, rows.slice(0, 2000)));
    expect(formatter.sizes).toEqual([2000]);
  });
});

describe('a part file', () => {
  it('is closed after it was written or read', async () => {
    const { disk, stillOpen, path, bytes } = await written();
    const read: string[] = [];
    await readPart({ disk, path, part: { bytes }, identity: parquet as never, begin: '' }, ({ id }) =>
      read.push(id),
    );
    expect(read).toEqual(ids);
    expect(stillOpen()).toBe(0);
  });

  it("is closed if its rows can't be produced", async () => {
    const { disk, stillOpen } = countingDisk(createMemoryDisk());
    await expect(writePart(disk, PATH, `${PATH}.partial`, failing())).rejects.toThrow('the rows failed');
    expect(stillOpen()).toBe(0);
  });

  it('is not reported as damaged if the run was interrupted', async () => {
    const { disk, path, bytes } = await written();
    const signal = AbortSignal.abort(new Error('interrupted'));
    const reading = readPart(
      { disk, path, part: { bytes }, identity: parquet as never, begin: '', signal },
      () => {},
    );
    await expect(reading).rejects.toThrow(/^interrupted$/);
  });
});

async function written(count = COUNT) {
  const { disk, stillOpen } = countingDisk(createMemoryDisk());
  const bytes = await writePart(
    disk,
    PATH,
    PATH,
    formatPart(createParquetFormatter(NAMES), rows.slice(0, count)),
  );
  return { disk, stillOpen, path: PATH, bytes };
}
