import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnprovenError } from '#base/errors';
import { listAllCodes } from '#codes/listing/codes';
import type { PageRequest } from '#service/service-options';
import type { QrCode } from '#service/shapes';
import { CODE, collect } from '../../service/setup.ts';
import { runs } from '../../support/property-runs.ts';

const RUNS = runs(25, 6_000);
const NOW = Date.UTC(2026, 6, 1);
const MINUTE = 60_000;

type Order = 'newest first' | 'oldest first' | 'by name';
type Change = { at: number; remove: number | undefined; create: boolean };

/** How `created_at` is written: what its clock is ahead of that of Date, ms, and in which zone where it names none. */
type Clock = { skewMs: number; offsetMs: number | undefined };

interface World {
  count: number;
  /** How old the youngest code is when the list is asked for, ms, and what lies between two. */
  ageMs: number;
  apartMs: number;
  order: Order;
  largest: number;
  width: number;
  hasDate: boolean;
  clock: Clock;
  /** The oldest code is dated in the future, as imported ones may be; known by Date only. */
  future: boolean;
}

interface Lies {
  total: (real: number, request: number) => number;
  beyond: 'empty' | 'first' | 'last';
  twice: number[];
}

const HONEST: Lies = { total: (real) => real, beyond: 'empty', twice: [] };

const world: fc.Arbitrary<World> = fc.record({
  count: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 320 })),
  ageMs: fc.constantFrom(1000, 5 * MINUTE, 3600 * MINUTE),
  apartMs: fc.constantFrom(1, 1000, 3 * MINUTE),
  order: fc.constantFrom<Order[]>('newest first', 'oldest first', 'by name'),
  largest: fc.constantFrom(2, 3, 7, 20, 100),
  width: fc.integer({ min: 1, max: 6 }),
  hasDate: fc.boolean(),
  clock: fc.record({
    skewMs: fc.integer({ min: -9 * MINUTE, max: 9 * MINUTE }),
    offsetMs: fc.option(
      fc.integer({ min: -14, max: 14 }).map((hours) => hours * 60 * MINUTE),
      { nil: undefined },
    ),
  }),
  future: fc.boolean(),
});

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    at: fc.integer({ min: 1, max: 25 }),
    remove: fc.option(fc.nat({ max: 400 }), { nil: undefined }),
    create: fc.boolean(),
  }),
  { maxLength: 8 },
);

function dated(number: number, createdMs: number, { skewMs, offsetMs }: Clock): QrCode {
  const iso = new Date(createdMs + skewMs + (offsetMs ?? 0)).toISOString();
  const created_at = offsetMs === undefined ? iso : iso.slice(0, -1);
  return {
    ...CODE,
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    slug: `slug-${number}`,
    created_at,
  };
}

/** A second a request: the states of the workspace, and answers from the newest, or from one that is some requests old. */
function serve(drawn: World, changed: readonly Change[], lags: (request: number) => number, lies = HONEST) {
  const { count, ageMs, apartMs, order, largest, hasDate, clock, future } = drawn;
  const first = Array.from({ length: count }, (_, at) =>
    dated(at, NOW - ageMs - (count - at) * apartMs, clock),
  );
  if (future && hasDate && first.length > 0)
    first[0] = { ...first[0], ...dated(0, NOW + 1000 * 24 * 60 * MINUTE, clock) };
  if (order === 'newest first') first.reverse();
  if (order === 'by name') first.sort((a, b) => Number(a.slug.slice(-2)) - Number(b.slug.slice(-2)));
  for (const at of lies.twice) if (first[at]) first.splice((at * 7) % first.length, 0, first[at]);
  const states = [first];
  const answered: number[] = [];
  let requests = 0;

  function advance(): void {
    let state = [...(states.at(-1) ?? [])];
    changed.forEach(({ at, remove, create }, n) => {
      if (at !== requests) return;
      if (remove !== undefined && state.length > 0) state.splice(remove % state.length, 1);
      if (!create) return;
      const made = dated(1000 + n, NOW + requests * 1000, clock);
      const place = {
        'newest first': 0,
        'oldest first': state.length,
        'by name': (n * 37) % (state.length + 1),
      }[order];
      state = state.toSpliced(place, 0, made);
    });
    states.push(state);
  }
  return {
    states,
    requests: () => requests,
    /** What stood there from the oldest state that answered to the newest. */
    stood: () => {
      const seen = states.slice(Math.min(...answered), Math.max(...answered) + 1);
      const [oldest = [], ...later] = seen.map((state) => new Set(state.map(({ slug }) => slug)));
      return [...oldest].filter((slug) => later.every((state) => state.has(slug)));
    },
    async listCodes({ page, limit }: PageRequest) {
      if (requests > 0) advance();
      const version = Math.max(0, states.length - 1 - lags(requests));
      answered.push(version);
      const state = states[version] ?? [];
      const total = Math.max(0, lies.total(state.length, requests));
      requests += 1;
      const size = Math.min(limit, largest);
      const rows = state.slice((page - 1) * size, page * size);
      const beyond = { empty: [], first: state.slice(0, size), last: state.slice(-size) }[lies.beyond];
      return {
        rows: rows.length > 0 ? rows : beyond,
        total,
        serviceTimeMs: hasDate ? NOW + requests * 1000 : undefined,
      };
    },
  };
}

/** Every code that stood there all the time, none twice and none made up, within the requests it may cost; or not proven. */
async function isCompleteOrRefused(
  service: ReturnType<typeof serve>,
  { width, largest }: World,
): Promise<boolean> {
  const most = Math.max(...service.states.map((state) => state.length));
  const found = await collect(listAllCodes({ ...service, concurrency: width })).catch((error) => {
    if (error instanceof UnprovenError) return undefined;
    throw error;
  });
  const grown = Math.max(most, ...service.states.map((state) => state.length));
  expect(service.requests()).toBeLessThanOrEqual(3 * Math.max(1, Math.ceil(grown / largest)) + 20);
  if (!found) return false;
  const slugs = found.flat().map(({ slug }) => slug);
  const shown = new Set(slugs);
  const real = new Set(service.states.flat().map(({ slug }) => slug));
  expect(slugs).toHaveLength(shown.size);
  expect(service.stood().filter((slug) => !shown.has(slug))).toEqual([]);
  expect(slugs.filter((slug) => !real.has(slug))).toEqual([]);
  return true;
}

describe('a list of codes', () => {
  test('has each code that exists during the whole reading exactly once, or is refused, if codes are created or deleted', async () => {
    await fc.assert(
      fc.asyncProperty(world, changes, fc.integer({ min: 0, max: 5 }), async (drawn, changed, behind) => {
        // The first answers come from a replica that is behind, and none from an older state than the one before.
        const lags = (request: number) => Math.min(behind, request);
        await isCompleteOrRefused(serve(drawn, changed, lags), drawn);
      }),
      RUNS,
    );
  });

  test('is complete or refused if responses are outdated while codes are only created or only deleted', async () => {
    const lagged = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(world, changes, lagged, fc.boolean(), async (drawn, changed, lags, come) => {
        if (drawn.order === 'by name') return; // codes come in the middle, where a gap of older answers is filled by what is new
        const oneWay = changed.map(({ at, remove }) => ({
          at,
          remove: come ? undefined : (remove ?? 0),
          create: come,
        }));
        await isCompleteOrRefused(
          serve(drawn, oneWay, (request) => lags[request % lags.length] ?? 0),
          drawn,
        );
      }),
      RUNS,
    );
  });

  test('is complete or refused if totals are wrong or capped, codes repeat, or pages after the last one have codes', async () => {
    const lies = fc.record({
      by: fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(-1e15, 1e9, 1e15)),
      at: fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined }),
      cap: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
      beyond: fc.constantFrom('empty' as const, 'first' as const, 'last' as const),
      twice: fc.array(fc.nat({ max: 320 }), { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(world, lies, async (drawn, { by, at, cap, beyond, twice }) => {
        const total = (real: number, request: number) =>
          Math.min(cap ?? Number.POSITIVE_INFINITY, real + (at === undefined || at === request ? by : 0));
        // Repeats fill a page, which then looks like the end: only a total can tell.
        if (twice.length > 0 && (by !== 0 || cap !== undefined)) return;
        const service = serve(drawn, [], () => 0, { total, beyond, twice });
        // A total that is just what the first page shows is like any other.
        if (drawn.largest < 100 && total(service.states[0]?.length ?? 0, 0) === drawn.largest) return;
        await isCompleteOrRefused(service, drawn);
      }),
      RUNS,
    );
  });

  test('from an unchanged workspace requires at most one request more than it has pages', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => {
        const still = { ...drawn, hasDate: true, ageMs: 3600 * MINUTE, future: false };
        const service = serve(still, [], () => 0);
        expect(await isCompleteOrRefused(service, still)).toBe(true);
        expect(service.requests()).toBeLessThanOrEqual(
          Math.max(1, Math.ceil(drawn.count / drawn.largest)) + 1,
        );
      }),
      RUNS,
    );
  });
});
