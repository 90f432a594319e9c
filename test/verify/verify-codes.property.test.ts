/** Random services and logs: every missing scan is found and added, nothing else is, and `equal` is only said of a log that lacks nothing. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Range } from '../../src/complete/range.ts';
import { createLogIndex } from '../../src/verify/log-index.ts';
import { verifyCodes } from '../../src/verify/verify-codes.ts';
import { type ModelRow, type ModelScansOptions, modelScans } from '../support/model-service/scans.ts';
import { runs } from '../support/property-runs.ts';

const CODE = 'a';
const DAY = 86_400_000;
const START = 1_767_225_600_000;

const world = fc.record({
  count: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 1500 })),
  days: fc.constantFrom(1, 2, 40, 366),
  /** Times on a coarse grid, so that there are ties, also at midnight. */
  grid: fc.constantFrom(1, 500, 1000, DAY / 4),
  pageCap: fc.constantFrom(7, 50, 100, 500),
  order: fc.constantFrom('ascending' as const, 'descending' as const, 'none' as const),
  shuffleTies: fc.boolean(),
  sinceInclusive: fc.boolean(),
  untilInclusive: fc.boolean(),
  wholeSeconds: fc.boolean(),
  cap: fc.constantFrom(undefined, undefined, 50, 500, 1000),
  width: fc.integer({ min: 1, max: 4 }),
  bounded: fc.boolean(),
  holes: fc.constantFrom(0, 0, 0.001, 0.02, 0.5, 1),
  doubles: fc.constantFrom(0, 0, 0.01),
  foreign: fc.constantFrom(0, 0, 0, 3),
  arrivals: fc.integer({ min: 0, max: 4 }),
  /** Requests by which the replica that answers may be behind. */
  behind: fc.constantFrom(0, 0, 5),
  seed: fc.integer({ min: 1, max: 2 ** 31 - 2 }),
});

type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

/** Deterministic numbers from 0 to 1 (Park and Miller). */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
}

function build({ count, days, grid, holes, doubles, foreign, arrivals, behind, bounded, seed, ...how }: World) {
  const chance = chances(seed);
  const instant = () => START + Math.floor((chance() * days * DAY) / grid) * grid;
  const times = Array.from({ length: count }, instant).sort((a, b) => a - b);
  const rows = times.map((time, i): ModelRow => ({ id: i + 1, time }));
  const range: Range = bounded
    ? { sinceMs: START + (days * DAY) / 10, untilMs: START + (days * DAY * 9) / 10 }
    : { sinceMs: undefined, untilMs: (times.at(-1) ?? START) + 1 };
  const isInside = ({ time }: ModelRow) => time >= (range.sinceMs ?? time) && time < range.untilMs;
  const log = rows.filter(() => chance() >= holes);
  for (const row of log.filter(() => chance() < doubles)) log.push(row);
  for (let i = 0; i < foreign; i++) log.push({ id: 50_000 + i, time: instant() });
  const coming = new Map<number, ModelRow[]>();
  for (let i = 0; i < arrivals; i++) coming.set(2 + Math.floor(chance() * 20), [{ id: 100_000 + i, time: instant() }]);
  const options: ModelScansOptions = { ...how, arrivals: coming, lag: () => Math.floor(chance() * (behind + 1)) };
  const service = modelScans(rows, { ...options, ...(how.cap === undefined && { cap: Number.POSITIVE_INFINITY }) });
  return { service, range, log, isInside, how };
}

async function verify(service: ReturnType<typeof modelScans>, range: Range, log: readonly ModelRow[], width: number) {
  const isWanted = (_: string, ms: number) => ms >= (range.sinceMs ?? ms) && ms < range.untilMs;
  const index = createLogIndex(isWanted);
  for (const { id, time } of log) index.add(CODE, id, time);
  const added = new Map<number, number>();
  const [result] = await verifyCodes({
    codes: [{ id: CODE }],
    index,
    rangeOf: () => range,
    readRows: async (take) => {
      for (const { id, time } of log) take(CODE, id, time);
    },
    service: { listScans: (_, request) => service.read(request), getCode: async () => ({}) as never },
    width,
    note: () => undefined,
    async repair(_, { rows, times }) {
      rows.forEach(({ id }, at) => {
        added.set(Number(id), times[at] ?? 0);
      });
      return rows.length;
    },
    progress: () => undefined,
  });
  return { result, added };
}

test('finds and adds every missing scan, and nothing else (V1, V2, V3, V5, V6)', async () => {
  const seen = { equal: 0, different: 0, unproven: 0 };
  await fc.assert(
    fc.asyncProperty(world, async (made) => {
      const { service, range, log, isInside, how } = build(made);
      const before = service.state.rows.filter(isInside);
      const logged = new Set(log.map(({ id }) => id));
      const { result, added } = await verify(service, range, log, how.width);
      if (result?.outcome === 'unproven') {
        seen.unproven += 1;
        // Only a service whose rows have no order, whose totals are capped, or whose rows swap places may be impossible to verify.
        expect(how.cap !== undefined || how.order === 'none' || how.shuffleTies || made.arrivals > 0).toBe(true);
        return;
      }
      seen[result?.outcome === 'equal' ? 'equal' : 'different'] += 1;
      const after = new Map(service.state.rows.filter(isInside).map(({ id, time }) => [id, time]));
      for (const [id, time] of added) {
        expect(after.get(id)).toBe(time);
        expect(logged.has(id)).toBe(false);
      }
      const holes = before.filter(({ id }) => !logged.has(id));
      const foreign = log.filter((row) => isInside(row) && row.id >= 50_000);
      const left = holes.filter(({ id }) => !added.has(id));
      // Rows of another origin may hide as many missing ones: the service counts, it doesn't list (PROTOCOL.md, limits).
      if (foreign.length === 0) expect(left).toEqual([]);
      const twice = log.filter((row, at) => isInside(row) && log.findIndex(({ id }) => id === row.id) < at).length;
      expect(result?.days.reduce((sum, day) => sum + day.twice, 0)).toBe(twice);
      if (foreign.length === 0) expect(result?.days.reduce((sum, day) => sum + day.gone, 0)).toBe(0);
    }),
    runs(150, 10_000),
  );
  expect(seen.equal).toBeGreaterThan(0);
  expect(seen.different).toBeGreaterThan(seen.unproven);
}, 3_600_000);

test('costs one request if equal, and two per halving if a scan is missing (V1, V2)', async () => {
  const rows = Array.from(
    { length: 36_601 },
    (_, i): ModelRow => ({ id: i + 1, time: START + Math.floor((i * 366 * DAY) / 36_601) }),
  );
  const range = { sinceMs: undefined, untilMs: START + 366 * DAY };
  for (const order of ['ascending', 'descending'] as const) {
    const equal = modelScans(rows, { order });
    expect((await verify(equal, range, rows, 4)).result?.outcome).toBe('equal');
    expect(equal.state.requests).toBe(1);
    for (const missing of [1, 1000, 36_600]) {
      const service = modelScans(rows, { order });
      const { added } = await verify(
        service,
        range,
        rows.filter(({ id }) => id !== missing),
        4,
      );
      expect([...added.keys()]).toEqual([missing]);
      expect(service.state.requests).toBeLessThanOrEqual(1 + 2 * Math.log2(366) + 1);
    }
  }
});

test('compares IDs if one page has all scans: a row of another origin does not hide a missing scan (V4)', async () => {
  const rows = Array.from({ length: 101 }, (_, i): ModelRow => ({ id: i + 1, time: START + i * 3_600_000 }));
  const range = { sinceMs: undefined, untilMs: START + 366 * DAY };
  const log = [...rows.slice(1), { id: 900, time: START + 1000 }];
  const { result, added } = await verify(modelScans(rows), range, log, 1);
  expect([...added.keys()]).toEqual([1]);
  expect(result?.days).toEqual([{ day: START / DAY, missing: 1, gone: 1, twice: 0 }]);
});

test('reads the range once if the service ignores its bounds (V9)', async () => {
  const rows = Array.from(
    { length: 36_601 },
    (_, i): ModelRow => ({ id: i + 1, time: START + Math.floor((i * 366 * DAY) / 36_601) }),
  );
  const service = modelScans(rows, { ignoresBounds: true });
  const range = { sinceMs: START + 10 * DAY, untilMs: START + 300 * DAY };
  const { result, added } = await verify(
    service,
    range,
    rows.filter(({ id }) => id !== 5000),
    4,
  );
  expect([...added.keys()]).toEqual([5000]);
  expect(result?.days).toHaveLength(1);
  expect(service.state.requests).toBeLessThan(4 * Math.ceil(rows.length / 500));
});
