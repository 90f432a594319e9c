/** What `scans tail` reads of one code, without a process and without a wait: each call is one interval. */
import { expect, it } from 'vitest';
import { fetchInOrder } from '#base/parallel';
import { followCode } from '#scans/tail/follow-codes';
import { createTailProgress } from '#scans/tail/scan-printer';
import { type ModelScansOptions, modelScans } from '../../support/model-service/scans.ts';

const START_MS = Date.UTC(2026, 0, 15, 12);

/** A code followed from the start, whose service behaves as `how` says; `list` has it list scans, at minutes from the start. */
function follow(how: ModelScansOptions = {}) {
  const scans = modelScans([], how);
  const notes: string[] = [];
  let outage = false;
  let nowMs = START_MS + 365 * 24 * 3_600_000;
  const progress = createTailProgress(START_MS, new Map());
  const reading = () => ({ serviceMs: nowMs, machineMs: nowMs });
  const position = progress.resume('a', reading());
  const followed = followCode({
    code: 'menu',
    read(request) {
      if (outage) throw new Error('down');
      return scans.read(request);
    },
    checkExists: async () => undefined,
    fetchInOrder,
    width: 2,
    position,
    nowMs: () => nowMs,
    note: (line) => void notes.push(line),
  });
  let id = 0;
  return {
    scans,
    notes,
    setClock: (minutes: number) => {
      nowMs = START_MS + minutes * 60_000;
    },
    stop: (is: boolean) => {
      outage = is;
    },
    list(...minutes: number[]) {
      const rows = minutes.map((at) => ({ id: ++id, time: START_MS + at * 60_000 }));
      const way = how.order === 'descending' ? -1 : 1;
      scans.state.rows = [...scans.state.rows, ...rows].sort(
        (a, b) => way * (a.time - b.time || a.id - b.id),
      );
    },
    /** Returns new scans, and prints them. */
    async next() {
      const found = await followed.next();
      for (const { row, ms } of found)
        progress.print({ codeId: 'a', position, id: row.id, ms, hasBegun: followed.hasBegun() }, reading());
      progress.prune();
      return found.map(({ row, ms }) => [Number(row.id), (ms - START_MS) / 60_000]);
    },
  };
}

it('following a code returns each scan once, oldest first, including late scans and scans with the same time', async () => {
  for (const order of ['ascending', 'descending'] as const) {
    const { list, next } = follow({ order });
    list(1, 2);
    expect(await next()).toEqual([
      [1, 1],
      [2, 2],
    ]);
    list(3, 0.5, 2);
    expect(await next()).toEqual([
      [4, 0.5],
      [5, 2],
      [3, 3],
    ]);
    expect(await next()).toEqual([]);
  }
});

it('following a code returns a scan that the service lists twice only once, and prints at most one note', async () => {
  for (const countsRepeats of [false, true]) {
    for (const order of ['ascending', 'descending'] as const) {
      const { list, next, notes } = follow({ twice: new Set([2]), countsRepeats, order });
      list(1, 2, 3);
      expect((await next()).map(([id]) => id)).toEqual([1, 2, 3]);
      list(4, 2.5);
      expect((await next()).map(([id]) => id)).toEqual([5, 4]);
      expect(await next()).toEqual([]);
      expect(notes.length).toBeLessThan(2);
      for (const note of notes) expect(note).toContain('Printing the scans that the service returned');
    }
  }
});

it('following a code finds scans that are listed 58 minutes late, with under two requests per interval on average', async () => {
  const { list, next, scans } = follow();
  const known = Array.from({ length: 3000 }, (_, n) => 60 + n / 50);
  list(...known);
  expect(await next()).toHaveLength(3000);
  list(62.001);
  const before = scans.state.requests;
  const late: number[][] = [];
  const intervals = 28;
  for (let n = 0; n < intervals; n++) late.push(...(await next()));
  expect(late).toEqual([[3001, 62.001]]);
  expect((scans.state.requests - before) / intervals).toBeLessThan(2);
});

it('following a code continues with current scans after a scan that is dated in the future', async () => {
  const { list, next, setClock } = follow();
  const YEAR = 365 * 24 * 60;
  setClock(2);
  list(1, YEAR);
  expect((await next()).map(([id]) => id)).toEqual([1, 2]);
  setClock(200);
  list(150);
  expect((await next()).map(([id]) => id)).toEqual([3]);
  // More of them than are read again each time.
  list(...Array.from({ length: 300 }, (_, at) => YEAR + at));
  expect(await next()).toHaveLength(300);
  setClock(300);
  list(290);
  expect((await next()).map(([, minute]) => minute)).toEqual([290]);
  expect(await next()).toEqual([]);
});
