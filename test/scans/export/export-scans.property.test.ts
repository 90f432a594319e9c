import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnprovenError } from '#base/errors';
import { exportScans } from '#scans/export/export-scans';
import { type Range, widened } from '#scans/export/range';
import {
  type ModelRow,
  type ModelScans,
  type ModelScansOptions,
  modelScans,
} from '../../support/model-service/scans.ts';
import { runs } from '../../support/property-runs.ts';
import { fetchAhead, idsOf, memorySink, START } from './reading.ts';

const RUNS = runs(25, 4000);

async function run(service: ModelScans, range: Range, width: number, proveBeyond = false) {
  const notes: string[] = [];
  const sink = memorySink();
  await exportScans(
    {
      code: 'a',
      read: service.read,
      checkExists: async () => undefined,
      range,
      asked: widened(range),
      fetchInOrder: fetchAhead,
      width,
      proveBeyond,
      note: (line) => notes.push(line),
    },
    sink,
  );
  return { ids: idsOf(sink.kept), notes };
}

function inRange(rows: readonly ModelRow[], { sinceMs, untilMs }: Range): number[] {
  return rows
    .filter(({ time }) => time >= (sinceMs ?? Number.NEGATIVE_INFINITY) && time < untilMs)
    .sort((a, b) => a.time - b.time || a.id - b.id)
    .map((row) => row.id);
}

/** Times on a coarse grid, so that ties across page borders are common. */
const time = (span: number, grid: number) =>
  fc.integer({ min: 0, max: Math.ceil(span / grid) }).map((n) => START + n * grid);

const world = fc
  .record({
    count: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 900 })),
    span: fc.constantFrom(3_000, 60_000, 5_000_000),
    grid: fc.constantFrom(1, 250, 1000, 20_000),
    pageCap: fc.constantFrom(3, 7, 50, 100, 500),
    order: fc.constantFrom('ascending' as const, 'descending' as const, 'none' as const),
    shuffleTies: fc.boolean(),
    sinceInclusive: fc.boolean(),
    untilInclusive: fc.boolean(),
    wholeSeconds: fc.boolean(),
    emptyCountsNothing: fc.boolean(),
    beyond: fc.constantFrom('empty' as const, 'last' as const, 'first' as const),
    width: fc.integer({ min: 1, max: 8 }),
    bounded: fc.boolean(),
  })
  .chain((shape) =>
    fc.record({
      shape: fc.constant(shape),
      times: fc.array(time(shape.span, shape.grid), { minLength: shape.count, maxLength: shape.count }),
      arrivals: fc.array(fc.tuple(fc.integer({ min: 2, max: 30 }), time(shape.span, shape.grid)), {
        maxLength: 12,
      }),
      bounds: fc.tuple(time(shape.span, shape.grid), time(shape.span, shape.grid)),
      late: fc.boolean(),
    }),
  );

type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

function build({ shape, times, arrivals, bounds, late }: World) {
  const rows = times.sort((a, b) => a - b).map((at, i) => ({ id: i + 1, time: at }));
  const untilMs = shape.bounded ? Math.max(...bounds) + 1 : START + shape.span + 5000;
  const range: Range = { sinceMs: shape.bounded ? Math.min(...bounds) : undefined, untilMs };
  const coming = new Map<number, ModelRow[]>();
  arrivals.forEach(([request, at], i) => {
    const row = { id: 100_000 + i, time: late ? at : untilMs + 300 + i };
    coming.set(request, [...(coming.get(request) ?? []), row]);
  });
  const how: ModelScansOptions = { ...shape, arrivals: coming };
  return { rows, range, how, width: shape.width };
}

/** Exact as of one of the answers, or not proven: never silently wrong. */
async function isExactOrRefused(
  service: ModelScans,
  range: Range,
  width: number,
  proveBeyond = false,
): Promise<boolean> {
  try {
    const { ids, notes } = await run(service, range, width, proveBeyond);
    // As many as there were when one of the answers came; rows arrive, and none vanish.
    const states = [...service.state.answered].map((rows) => inRange(rows, range));
    const expected = states.find((state) => state.length === ids.length) ?? states.at(-1);
    if (notes.length === 0) expect(ids).toEqual(expected);
    else expect([...ids].sort((a, b) => a - b)).toEqual(expected?.sort((a, b) => a - b));
    return true;
  } catch (error) {
    if (error instanceof UnprovenError) return false;
    throw error;
  }
}

/** What all lies in one second cannot be told apart by time: the protocol says that a truncated total is not found out there. */
function isOfOneSecond(rows: readonly ModelRow[], { sinceMs = START, untilMs }: Range): boolean {
  const inside = rows.filter(({ time }) => time >= sinceMs && time < untilMs);
  return new Set(inside.map(({ time }) => Math.floor(time / 1000))).size < 2;
}

/** How many rows lie in the last two seconds, or the first two: a service that knows seconds only shows them all when asked what is beyond. */
function outermostTwoSeconds(rows: readonly ModelRow[], isDescending: boolean): number {
  const times = rows.map(({ time }) => time);
  const end = isDescending ? Math.min(...times) : Math.max(...times);
  return times.filter((time) => Math.abs(time - end) < 2000).length;
}

/** The most that a service may cost: three times its pages and twenty requests; more where rows of one instant swap places under a total that is right. */
function boundOf(service: ModelScans, range: Range): number {
  const rows = inRange(service.state.rows, {
    sinceMs: (range.sinceMs ?? START) - 2000,
    untilMs: range.untilMs + 2000,
  }).length;
  return (
    3 * Math.ceil(Math.max(rows, service.state.rows.length) / service.pageSize) +
    20 +
    (service.swapsTies ? 12 * Math.ceil(service.state.rows.length / service.pageSize) : 0)
  );
}

/** Every scan that was in each state that answered, and none twice or made up; or not proven. */
async function holdsWhatStoodThere(service: ModelScans, range: Range, width: number): Promise<void> {
  try {
    const { ids } = await run(service, range, width);
    const found = new Set(ids);
    const states = [...service.state.answered].map((rows) => new Set(inRange(rows, range)));
    expect(found.size).toBe(ids.length);
    expect(
      [...(states[0] ?? [])].filter((id) => states.every((state) => state.has(id)) && !found.has(id)),
    ).toEqual([]);
    expect(ids.filter((id) => !states.some((state) => state.has(id)))).toEqual([]);
  } catch (error) {
    if (!(error instanceof UnprovenError)) throw error;
  }
}

describe('an export from any service', () => {
  test('has every scan in the range once, or is refused in fewer than 10% of cases', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => {
        const { rows, range, how, width } = build(drawn);
        if (!(await isExactOrRefused(modelScans(rows, how), range, width))) refused += 1;
      }),
      RUNS,
    );
    expect(refused).toBeLessThan(RUNS.numRuns / 10);
  });

  test('has every scan once, or is refused, if totals or pages are wrong', async () => {
    const lies = fc.record({
      drawn: world,
      at: fc.integer({ min: 1, max: 12 }),
      by: fc.integer({ min: -5, max: 5 }),
      always: fc.boolean(),
      cut: fc.boolean(),
      cap: fc.option(fc.integer({ min: 1, max: 200 })),
    });
    await fc.assert(
      fc.asyncProperty(lies, async ({ drawn, at, by, always, cut, cap }) => {
        // No arrivals and no shuffled ties here: a total that is wrong by just the number of rows they hide deceives any reader.
        const { rows, range, how, width } = build({
          ...drawn,
          shape: { ...drawn.shape, shuffleTies: false },
          arrivals: [],
        });
        if ((cap !== null || (always && by < 0)) && isOfOneSecond(rows, range)) return;
        // A page of a few rows of no order is in order by chance.
        if (cap !== null && how.order === 'none' && Math.min(cap, how.pageCap ?? 500) < 8) return;
        // A total that is truncated and too small as well is the one lie too many that the protocol names.
        const lie = (total: number, request: number) =>
          cap === null ? Math.max(0, total + (always || request === at ? by : 0)) : Math.min(cap, total);
        const shorten = (page: ModelRow[], request: number) =>
          cut && by === 0 && cap === null && request === at ? page.slice(0, page.length >> 1) : page;
        await isExactOrRefused(modelScans(rows, { ...how, lie, shorten }), range, width);
      }),
      RUNS,
    );
  });

  test('costs at most three times its pages plus 20 requests if a total is too large, even if rows swap places (C13)', async () => {
    const lies = fc.record({ drawn: world, by: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(lies, async ({ drawn, by }) => {
        const { rows, range, how, width } = build({ ...drawn, arrivals: [] });
        // A page that is shown again behind the end, its rows in another order, counts as another page.
        const lie = (total: number) => total + by;
        const service = modelScans(rows, { ...how, shuffleTies: true, beyond: 'empty', lie });
        await run(service, range, width).catch((error) => expect(error).toBeInstanceOf(UnprovenError));
        expect(service.state.requests).toBeLessThanOrEqual(
          3 * Math.ceil(rows.length / service.pageSize) + 20,
        );
      }),
      RUNS,
    );
  });

  test('is refused, or has every scan that always existed and no scan twice, if scans vanish or replicas lag', async () => {
    // Either scans vanish or they arrive: both together is what the protocol says cannot be found out.
    const changes = fc.record({
      drawn: world,
      vanish: fc.boolean(),
      at: fc.array(fc.tuple(fc.integer({ min: 2, max: 20 }), fc.nat({ max: 900 })), {
        minLength: 1,
        maxLength: 10,
      }),
      lags: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 20 }),
      late: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(changes, async ({ drawn, vanish, at, lags, late }) => {
        const { rows, range, how, width } = build({ ...drawn, late, arrivals: vanish ? [] : drawn.arrivals });
        const departures = new Map(
          at.map(([request, id]) => [request, vanish ? [(id % Math.max(rows.length, 1)) + 1] : []]),
        );
        const lag = (request: number) => lags[request % 20] ?? 0;
        await holdsWhatStoodThere(modelScans(rows, { ...how, departures, lag }), range, width);
      }),
      RUNS,
    );
  });

  test('has every scan once, or is refused, if some scans are listed twice or pages are truncated', async () => {
    const faults = fc.record({
      drawn: world,
      twice: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 5 }),
      countsRepeats: fc.boolean(),
      short: fc.array(fc.boolean(), { maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(faults, async ({ drawn, twice, countsRepeats, short }) => {
        const { rows, range, how, width } = build({ ...drawn, arrivals: [] });
        const shorten = (page: ModelRow[], request: number) =>
          twice.length === 0 && short[request % 20] ? page.slice(0, page.length >> 1) : page;
        await isExactOrRefused(
          modelScans(rows, { ...how, twice: new Set(twice), countsRepeats, shorten }),
          range,
          width,
        );
      }),
      RUNS,
    );
  });

  test('has every scan once, or is refused, if the service caps its totals and pages', async () => {
    const caps = fc.record({
      drawn: world,
      pages: fc.integer({ min: 1, max: 20 }),
      round: fc.boolean(),
      ignoresBounds: fc.boolean(),
      odd: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(caps, async ({ drawn, pages, round, ignoresBounds, odd }) => {
        const { rows, range, how, width } = build({ ...drawn, arrivals: [] });
        const size = Math.min(how.pageCap ?? 500, 500);
        // A cap at the end of the only page of a service that serves smaller pages than asked is a total like any other.
        const cap = odd ? 7 * pages + 1 : round ? 50 * pages : size < 50 ? size * (pages + 1) : size * pages;
        if (isOfOneSecond(rows, range)) return;
        const service = modelScans(rows, { ...how, cap, ignoresBounds });
        await isExactOrRefused(service, range, width, odd);
        expect(service.state.requests).toBeLessThanOrEqual(boundOf(service, range));
      }),
      RUNS,
    );
  });

  test('costs at most one request per page, one per page of scans that share seconds, and six more if the service is unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => {
        const { rows, range, how, width } = build({ ...drawn, arrivals: [] });
        if (how.order === 'none' || (how.wholeSeconds && isOfOneSecond(rows, range))) return;
        const service = modelScans(rows, { ...how, shuffleTies: false });
        await run(service, range, width);
        const asked = inRange(rows, {
          sinceMs: (range.sinceMs ?? START) - 2000,
          untilMs: range.untilMs + 1001,
        }).length;
        const size = Math.min(how.pageCap ?? 500, 500);
        const isDense = new Set(rows.map(({ time }) => Math.floor(time / 1000))).size < asked / 2;
        // Where many share a second it may take more to tell what lies beyond it.
        const atEdge = outermostTwoSeconds(rows, how.order === 'descending');
        const beyond = isDense
          ? 6 + Math.ceil(asked / size)
          : how.wholeSeconds || size < 50
            ? 4 + Math.ceil(atEdge / size)
            : 1;
        expect(service.state.requests).toBeLessThanOrEqual(Math.max(1, Math.ceil(asked / size)) + beyond);
      }),
      RUNS,
    );
  });
});
