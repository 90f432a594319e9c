import { describe, expect, it } from 'vitest';
import { readEvidence } from '#scans/watch/evidence';
import { windowsUntil } from '#scans/watch/judge';
import { type ModelScansOptions, modelScans } from '../../support/model-service/scans.ts';

const DAY_MS = 86_400_000;
const END = Date.UTC(2026, 9, 5, 4);
const windows = windowsUntil(END, 'UTC');

/** Times before the end, in days. */
function rowsAt(days: readonly number[]) {
  return [...days].sort((a, b) => b - a).map((ago, i) => ({ id: i + 1, time: END - ago * DAY_MS }));
}

/** So many scans a day, from so many days ago to so many days ago. */
function daily(scans: number, from: number, to = 0): number[] {
  return Array.from({ length: Math.round((from - to) * scans) }, (_, i) => to + (i + 0.5) / scans);
}

async function read(days: readonly number[], how: ModelScansOptions = {}, createdMs?: number) {
  const service = modelScans(rowsAt(days), how);
  const evidence = await readEvidence({ read: service.read, createdMs, windows });
  return { evidence, requests: () => service.state.requests };
}

describe('evidence from the service', () => {
  it('costs one request if a page has all scans, and otherwise two unless the total may be capped', async () => {
    const small = await read(daily(3, 70));
    expect(small.evidence).toMatchObject({ recent: 21, baseline: 168, last: { ms: END - DAY_MS / 6 } });
    expect(await small.evidence.findLast()).toEqual(small.evidence.last);
    expect(small.requests()).toBe(1);
    const none = await read([70]);
    expect([none.evidence.last, none.evidence.recent, none.requests()]).toEqual(['none', 0, 1]);
    const large = await read(daily(33, 70));
    expect(large.evidence).toMatchObject({ recent: 231, baseline: 1848 });
    expect(large.requests()).toBe(2);
  });

  const bounds = [true, false].flatMap((sinceInclusive) =>
    [true, false].flatMap((untilInclusive) =>
      [true, false].map((wholeSeconds) => ({ sinceInclusive, untilInclusive, wholeSeconds })),
    ),
  );
  it.each(bounds)(
    'counts weeks exactly from returned rows, whatever bounds the service applies: %j (W8)',
    async (how) => {
      const edges = [0, 1 / DAY_MS, 7, 7 - 1 / DAY_MS, 7 + 1 / DAY_MS, 63, 63 + 1 / DAY_MS];
      const { evidence } = await read([...edges, ...daily(2, 60, 1)], how);
      expect([evidence.recent, evidence.baseline]).toEqual([12 + 3, 106 + 2]);
    },
  );

  it.each([
    ['descending', 2],
    ['ascending', 3],
  ] as const)('finds the last scan on pages in %s order with %d requests', async (order, requests) => {
    const busy = await read(daily(99, 70, 0.5), { order });
    const last = { ms: END - (0.5 + 0.5 / 99) * DAY_MS };
    expect(busy.evidence.last === 'unknown' ? await busy.evidence.findLast() : busy.evidence.last).toEqual(
      last,
    );
    expect(busy.requests()).toBe(requests);
    const silent = await read(daily(99, 70, 8), { order });
    expect(silent.evidence).toMatchObject({ recent: 0, baseline: 99 * 55 });
    expect(
      silent.evidence.last === 'unknown' ? await silent.evidence.findLast() : silent.evidence.last,
    ).toEqual({ ms: END - (8 + 0.5 / 99) * DAY_MS });
    expect(silent.requests()).toBe(requests);
  });

  it('ignores scans at the end of the range or later (W8)', async () => {
    const { evidence } = await read([1, 0.5, 0, -500 / DAY_MS]);
    expect(evidence).toMatchObject({ recent: 2, last: { ms: END - DAY_MS / 2 } });
  });

  it('does not show the last scan if pages are unsorted or the total may be capped', async () => {
    const mixed = await read(daily(99, 70), { order: 'none' });
    const expected = ['unknown', 'unknown', 2];
    expect([mixed.evidence.last, await mixed.evidence.findLast(), mixed.requests()]).toEqual(expected);
    const capped = await read(daily(150, 63), { cap: 1000 });
    expect([capped.evidence.last, await capped.evidence.findLast(), capped.requests()]).toEqual([
      'unknown',
      'unknown',
      4,
    ]);
  });

  it('counts the eight earlier weeks in halves if the total may be capped, and is capped if no part has a smaller total (W7)', async () => {
    const capped = await read(daily(30, 63), { cap: 1000 });
    expect(capped.evidence).toMatchObject({ recent: 210, baseline: 56 * 30 });
    expect(capped.requests()).toBe(4);
    const beyond = await read(daily(60, 63), { cap: 1000 });
    expect(beyond.evidence.isCapped).toBe(true);
    expect(beyond.requests()).toBe(4);
    // A number of scans that happens to be round.
    const round = await read([
      ...daily(3, 60),
      ...daily(2, 63, 60),
      62.9,
      62.8,
      62.7,
      62.6,
      62.5,
      62.4,
      62.3,
      62.2,
      62.1,
      62,
      61.9,
      61.8,
      61.7,
      61.6,
    ]);
    expect(round.evidence).toMatchObject({ recent: 21, baseline: 200 - 21 });
    expect(round.requests()).toBe(4);
  });

  it('does not take the last scan from a page whose total may be capped (W7)', async () => {
    const how = { order: 'ascending', cap: 500 } as const;
    const busy = await read(daily(150, 63), how);
    expect([
      busy.evidence.last,
      await busy.evidence.findLast(),
      await busy.evidence.hasSince(END - DAY_MS),
    ]).toEqual([...['unknown', 'unknown', true]]);
    // The total of the newer half is below the cap: its last page shows the last scan.
    const dead = await read(daily(16, 63, 8.5), how);
    expect([dead.evidence.last, await dead.evidence.findLast()]).toEqual([
      'unknown',
      { ms: END - (8.5 + 0.5 / 16) * DAY_MS },
    ]);
    expect(dead.evidence).toMatchObject({ recent: 0, baseline: 16 * 54.5, isCapped: false });
    const hidden = await read(daily(25, 63, 8.5), how);
    expect([hidden.evidence.isCapped, await hidden.evidence.findLast()]).toEqual([true, 'unknown']);
    expect(await hidden.evidence.hasSince(END - 8 * DAY_MS)).toBe(false);
  });

  it('counts the scans in the hours of a silence, one and two weeks earlier', async () => {
    const { evidence } = await read([...daily(50, 63, 9), ...daily(100, 9, 2)]);
    expect(await evidence.countSameHours(1, END - 2 * DAY_MS)).toBe(200);
    expect(await evidence.countSameHours(2, END - 2 * DAY_MS)).toBe(100);
  });

  it('finds scans before the nine weeks, and the last of them', async () => {
    for (const order of ['ascending', 'descending'] as const) {
      const old = await read([...daily(10, 200, 100.1)], { order });
      expect(await old.evidence.hasEarlier()).toBe(true);
      expect(await old.evidence.findEarlier()).toEqual({ ms: END - 100.15 * DAY_MS });
      expect(old.requests()).toBe(order === 'ascending' ? 3 : 2);
    }
    const round = await read([...daily(10, 200, 100)], { order: 'ascending' });
    expect(await round.evidence.findEarlier()).toBe('unknown');
    const fresh = await read(daily(10, 60));
    expect([await fresh.evidence.hasEarlier(), await fresh.evidence.findEarlier()]).toEqual([false, 'none']);
  });

  it('marks a code as young if it was created within the nine weeks', async () => {
    const { startMs } = windows;
    expect((await read([], {}, startMs + 1)).evidence.isYoung).toBe(true);
    expect((await read([], {}, startMs)).evidence.isYoung).toBe(false);
    expect((await read([])).evidence.isYoung).toBe(false);
  });
});

describe('the weeks that are compared', () => {
  it('begin at the same local time, even if clocks change (W6)', () => {
    const end = Date.parse('2026-11-20T04:00:00+01:00');
    const found = windowsUntil(end, 'Europe/Berlin');
    expect(found).toEqual({
      startMs: Date.parse('2026-09-18T04:00:00+02:00'),
      middleMs: Date.parse('2026-10-16T04:00:00+02:00'),
      weekMs: Date.parse('2026-11-13T04:00:00+01:00'),
      endMs: end,
    });
  });
});
