import { describe, expect, test } from 'vitest';
import { createBufferedSink } from '#files/formats/buffered-sink';
import type { Row } from '#files/formats/row-sink';

function stream() {
  const written: Row[] = [];
  let committed = false;
  let discarded = false;
  return {
    written,
    isCommitted: () => committed,
    isDiscarded: () => discarded,
    write: async (rows: readonly Row[]) => written.push(...rows),
    commit: async () => {
      committed = true;
    },
    discard: async () => {
      discarded = true;
    },
  };
}

const rows = (count: number, from = 0): Row[] => Array.from({ length: count }, (_, i) => ({ id: from + i }));

describe('buffered rows', () => {
  test('can be rolled back to a checkpoint while they are buffered', async () => {
    const out = stream();
    const sink = createBufferedSink(out);
    await sink.write(rows(3));
    const rewind = await sink.checkpoint();
    await sink.write(rows(5, 100));
    expect(await rewind()).toBe(true);
    await sink.write(rows(1, 7));
    await sink.commit();
    expect(out.written.map((row) => row.id)).toEqual([0, 1, 2, 7]);
    expect(out.isCommitted()).toBe(true);
  });

  test("are written once there are more than ten thousand, and then can't be rolled back", async () => {
    const out = stream();
    const sink = createBufferedSink(out);
    const rewind = await sink.checkpoint();
    await sink.write(rows(10_001));
    expect(out.written.length).toBe(10_001);
    expect(await rewind()).toBe(false);
    const later = await sink.checkpoint();
    await sink.write(rows(2));
    expect(await later()).toBe(true);
  });

  test('that cannot be written make the commit fail, and no later row is written', async () => {
    const out = stream();
    const broken: typeof out = {
      ...out,
      write: async () => Promise.reject(new Error('a row that cannot be written')),
    };
    const sink = createBufferedSink(broken);
    await sink.write(rows(6000));
    await expect(sink.write(rows(6000, 6000))).rejects.toThrow('cannot be written');
    broken.write = out.write;
    await sink.write(rows(10, 12_000));
    await expect(sink.commit()).rejects.toThrow('cannot be written');
    expect([out.written, out.isCommitted()]).toEqual([[], false]);
  });

  test('are not written if the export is discarded', async () => {
    const out = stream();
    const sink = createBufferedSink(out);
    await sink.write(rows(100));
    await sink.discard();
    expect([out.written, out.isCommitted(), out.isDiscarded()]).toEqual([[], false, true]);
  });
});
