/** Random services and logs: every missing scan is found and added, nothing else is, and `equal` is only said of a log that lacks nothing. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Range } from '#scans/export/range';
import { type ModelRow, type ModelScansOptions, modelScans } from '../../support/model-service/scans.ts';
import { runs } from '../../support/property-runs.ts';
import { DAY_MS, START_MS, verifyLogs } from './verify-logs.ts';

const CODE = 'a';

const world = fc.record({
  count: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 1500 })),
  days: fc.constantFrom(1, 2, 40, 366),
  /** Times on a coarse grid, so that there are ties, also at midnight. */
  grid: fc.constantFrom(1, 500, 1000, DAY_MS / 4),
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

function build({
  count,
  days,
  grid,
  holes,
  doubles,
  foreign,
  arrivals,
  behind,
  bounded,
  seed,
  ...how
}: World) {
  const chance = chances(seed);
  const instant = () => START_MS + Math.floor((chance() * days * DAY_MS) / grid) * grid;
  const times = Array.from({ length: count }, instant).sort((a, b) => a - b);
  const rows = times.map((time, i): ModelRow => ({ id: i + 1, time }));
  const range: Range = bounded
    ? { sinceMs: START_MS + (days * DAY_MS) / 10, untilMs: START_MS + (days * DAY_MS * 9) / 10 }
    : { sinceMs: undefined, untilMs: (times.at(-1) ?? START_MS) + 1 };
  const isInside = ({ time }: ModelRow) => time >= (range.sinceMs ?? time) && time < range.untilMs;
  const log = rows.filter(() => chance() >= holes);
  for (const row of log.filter(() => chance() < doubles)) log.push(row);
  for (let i = 0; i < foreign; i++) log.push({ id: 50_000 + i, time: instant() });
  const coming = new Map<number, ModelRow[]>();
  for (let i = 0; i < arrivals; i++)
    coming.set(2 + Math.floor(chance() * 20), [{ id: 100_000 + i, time: instant() }]);
  const options: ModelScansOptions = {
    ...how,
    arrivals: coming,
    lag: () => Math.floor(chance() * (behind + 1)),
  };
  const service = modelScans(rows, {
    ...options,
    ...(how.cap === undefined && { cap: Number.POSITIVE_INFINITY }),
  });
  return { service, range, log, isInside, how };
}

async function verify(
  service: ReturnType<typeof modelScans>,
  range: Range,
  log: readonly ModelRow[],
  width: number,
) {
  const { results, added } = await verifyLogs({ [CODE]: { read: service.read, log, range } }, { width });
  return { result: results[0], added: added.get(CODE) ?? new Map<number, number>() };
}

test('verify finds and adds every missing scan, and no others, or reports `unproven`, if the service has every logged scan (V1, V2, V3, V5, V6)', async () => {
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
        expect(how.cap !== undefined || how.order === 'none' || how.shuffleTies || made.arrivals > 0).toBe(
          true,
        );
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
      const twice = log.filter(
        (row, at) => isInside(row) && log.findIndex(({ id }) => id === row.id) < at,
      ).length;
      expect(result?.days.reduce((sum, day) => sum + day.twice, 0)).toBe(twice);
      if (foreign.length === 0) expect(result?.days.reduce((sum, day) => sum + day.gone, 0)).toBe(0);
    }),
    runs(40, 10_000),
  );
  expect(seen.equal).toBeGreaterThan(0);
  expect(seen.different).toBeGreaterThan(seen.unproven);
}, 3_600_000);
