import { describe, expect, test } from 'vitest';
import { heldBack } from '../../src/output/buffered-sink.ts';
import type { Row } from '../../src/row-sink.ts';

function stream() {
  const written: Row[] = [];
  let finished = false;
  return {
    written,
    isFinished: () => finished,
    write: async (rows: readonly Row[]) => void written.push(...rows),
    finish: async () => {
      finished = true;
    },
    abort: async () => undefined,
  };
}

const rows = (count: number, from = 0): Row[] => Array.from({ length: count }, (_, i) => ({ id: from + i }));

describe('rows held back from a stream', () => {
  test('can be taken back while they are held, back to each mark', async () => {
    const out = stream();
    const sink = heldBack(out);
    await sink.write(rows(3));
    const takeBack = await sink.mark();
    await sink.write(rows(5, 100));
    expect(await takeBack()).toBe(true);
    await sink.write(rows(1, 7));
    await sink.finish();
    expect(out.written.map((row) => row.id)).toEqual([0, 1, 2, 7]);
    expect(out.isFinished()).toBe(true);
  });

  test('stream on past ten thousand, and then say that they cannot be taken back', async () => {
    const out = stream();
    const sink = heldBack(out);
    const takeBack = await sink.mark();
    await sink.write(rows(10_001));
    expect(out.written.length).toBe(10_001);
    expect(await takeBack()).toBe(false);
    const later = await sink.mark();
    await sink.write(rows(2));
    expect(await later()).toBe(true);
  });

  test('are never printed when the export is aborted', async () => {
    const out = stream();
    const sink = heldBack(out);
    await sink.write(rows(100));
    await sink.abort();
    expect(out.written).toEqual([]);
  });
});
