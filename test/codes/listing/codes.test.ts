import { describe, expect, test } from 'vitest';
import { NotFoundError, RejectedError, UnprovenError } from '#base/errors';
import { type Doubt, everyCode, listAllCodes } from '#codes/listing/codes';
import type { PageRequest } from '#service/service-options';
import type { QrCode } from '#service/shapes';
import { CODE, collect } from '../../service/setup.ts';
import { firstRows, SOAK } from '../../support/property-runs.ts';

const CREATED = Date.parse(CODE.created_at);
/** Half a year after the codes were created. */
const ANSWERED = Date.UTC(2026, 6, 1);

function code(number: number, createdMs = CREATED): QrCode {
  const created_at = new Date(createdMs).toISOString();
  return {
    ...CODE,
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    slug: `slug-${number}`,
    created_at,
  };
}

const codes = (count: number) => Array.from({ length: count }, (_, at) => code(at));

interface Habits {
  largest?: number;
  total?: (real: number) => number;
  dateMs?: number | undefined;
  /** What a page without rows is answered with. */
  beyond?: (rows: readonly QrCode[]) => QrCode[];
}

/** A service that lists `world()`; `world` may change between requests. */
function lister(world: (request: number) => QrCode[], habits: Habits = {}) {
  const { largest = 100, total = (real) => real, beyond = () => [] } = habits;
  const serviceTimeMs = 'dateMs' in habits ? habits.dateMs : ANSWERED;
  const asked: PageRequest[] = [];
  return {
    asked,
    async listCodes(request: PageRequest) {
      const all = world(asked.length);
      asked.push(request);
      const limit = Math.min(request.limit, largest);
      const rows = all.slice((request.page - 1) * limit, request.page * limit);
      return { rows: rows.length > 0 ? rows : beyond(all), total: total(all.length), serviceTimeMs };
    },
  };
}

async function slugs(pages: AsyncIterable<QrCode[]>): Promise<string[]> {
  return (await collect(pages)).flat().map(({ slug }) => slug);
}

const expected = (count: number) => codes(count).map(({ slug }) => slug);

describe('the list of codes that do not change', () => {
  // One more behind a full last page, at numbers where totals are cut off; at others where that is doubted.
  const most = [0, 1, 50, 99, 100, 101, 150, 250, 1000, 2000, 5000, 10_000];
  const behind: Record<Doubt, number[]> = {
    usual: [100, 1000, 5000, 10_000],
    round: [100, 1000, 2000, 5000, 10_000],
    any: most.filter((count) => count > 0),
  };
  test.each(most)(
    'with %i codes takes as many requests as it has pages, and one more if the total may be capped',
    async (count) => {
      const all = codes(count);
      for (const doubt of ['usual', 'round', 'any'] as const) {
        const service = lister(() => all);
        expect(await slugs(listAllCodes({ ...service, concurrency: 4 }, doubt))).toEqual(expected(count));
        const pages = Math.max(1, Math.ceil(count / 100)) + (behind[doubt].includes(count) ? 1 : 0);
        expect(service.asked).toHaveLength(pages);
      }
    },
  );

  test('with a total capped at an unusual number is complete only if `doubt` includes such totals', async () => {
    for (const [cap, doubt] of [
      [2000, 'round'],
      [1999, 'any'],
    ] as const) {
      const service = lister(() => codes(2350), { total: (real) => Math.min(real, cap) });
      expect(await everyCode({ ...service, concurrency: 4 }, doubt)).toHaveLength(2350);
      const believed = lister(() => codes(2350), { total: (real) => Math.min(real, cap) });
      expect(await everyCode({ ...believed, concurrency: 4 })).toHaveLength(2000);
    }
  });

  test('is read in one pass if the newest codes come first, even if they were just created and no response has a Date', async () => {
    const service = lister(() => Array.from({ length: 250 }, (_, at) => code(at, ANSWERED - at)), {
      dateMs: undefined,
    });
    await slugs(listAllCodes({ ...service, concurrency: 4 }));
    expect(service.asked).toHaveLength(3);
  });

  test('is complete if the pages are smaller than requested', async () => {
    const service = lister(() => codes(95), { largest: 20 });
    expect(await slugs(listAllCodes({ ...service, concurrency: 4 }))).toEqual(expected(95));
    expect(service.asked).toHaveLength(5);
  });

  test('takes a request for another page if the pages are smaller than requested and the last page is full', async () => {
    const service = lister(() => codes(80), { largest: 20 });
    expect(await slugs(listAllCodes({ ...service, concurrency: 4 }))).toEqual(expected(80));
    expect(service.asked.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5]);
  });

  test('is complete if the total is less than the number of codes on the first page', async () => {
    const service = lister(() => codes(95), { largest: 20, total: () => 3 });
    expect(await slugs(listAllCodes({ ...service, concurrency: 4 }))).toEqual(expected(95));
  });

  test('is complete if the total is wrong and round, even if it is not a multiple of the page size', async () => {
    const service = lister(() => codes(150), { largest: 30, total: () => 100 });
    expect(await slugs(listAllCodes({ ...service, concurrency: 1 }))).toEqual(expected(150));
  });

  test('is complete if the total is capped at 200, after two passes that find the same codes', async () => {
    const service = lister(() => codes(350), { total: (real) => Math.min(real, 200) });
    expect(await slugs(listAllCodes({ ...service, concurrency: 4 }))).toEqual(expected(350));
    expect(service.asked).toHaveLength(8);
  });

  test('takes one request after the last page, even if it repeats that page', async () => {
    const service = lister(() => codes(100), { beyond: (all) => [...all] });
    expect(await slugs(listAllCodes({ ...service, concurrency: 4 }))).toEqual(expected(100));
    expect(service.asked).toHaveLength(2);
  });

  test('is complete with more than 100,000 codes on one page', async () => {
    // More than a function takes as arguments.
    const MANY = SOAK ? 200_000 : 130_000;
    const page = { rows: codes(MANY), total: MANY, serviceTimeMs: ANSWERED };
    const empty = { rows: [], total: MANY, serviceTimeMs: ANSWERED };
    const service = { listCodes: async (request: PageRequest) => (request.page === 1 ? page : empty) };
    expect(await everyCode({ ...service, concurrency: 4 })).toHaveLength(MANY);
  });
});

describe('the list of codes that are created and deleted', () => {
  test('has each code once, even if a creation during the reading shifts the pages', async () => {
    const service = lister((request) => (request < 2 ? codes(250) : [code(999), ...codes(250)]));
    const found = await slugs(listAllCodes({ ...service, concurrency: 1 }));
    expect(new Set(found)).toEqual(new Set([...expected(250), 'slug-999']));
    expect(found).toHaveLength(251);
  });

  test('has all codes, even if a deletion during the reading could hide one of them', async () => {
    const service = lister((request) => (request < 1 ? codes(250) : codes(250).slice(1)));
    const found = await slugs(listAllCodes({ ...service, concurrency: 1 }));
    expect(new Set(found)).toEqual(new Set(expected(250)));
  });

  test('is refused if a page lacks a code in every pass', async () => {
    // The oldest first: what is created comes last, within the reading.
    const service = lister((request) => codes(250 + request));
    const lacking = {
      async listCodes(request: PageRequest) {
        const page = await service.listCodes(request);
        return request.page === 2 ? { ...page, rows: page.rows.slice(1) } : page;
      },
    };
    await expect(slugs(listAllCodes({ ...lacking, concurrency: 1 }))).rejects.toThrow(UnprovenError);
  });

  describe('has all earlier codes after a deletion and a creation that keep the total', () => {
    const moved = (createdMs: number) => [...codes(250).slice(1), code(999, createdMs)];
    const habits: [string, Habits, number][] = [
      ['one second before the Date of the response', {}, ANSWERED - 1000],
      ['at a time from a clock that is behind the Date of the response', {}, ANSWERED - 5 * 60_000],
      ['at any time, and no response has a Date', { dateMs: undefined }, CREATED],
    ];
    test.each(habits)('if the new code was created %s', async (_, habit, createdMs) => {
      const service = lister((request) => (request < 1 ? codes(250) : moved(createdMs)), habit);
      expect(await slugs(listAllCodes({ ...service, concurrency: 1 }))).toEqual(
        expect.arrayContaining(expected(250)),
      );
    });

    test('if an older code is dated in the future and therefore looks newer than the new code', async () => {
      const [, ...others] = codes(250);
      const future = code(0, ANSWERED + 1e9);
      const now = [future, ...others.slice(1), code(999, ANSWERED)];
      const service = lister((request) => (request < 1 ? [future, ...others] : now));
      expect(await slugs(listAllCodes({ ...service, concurrency: 1 }))).toEqual(
        expect.arrayContaining(expected(250)),
      );
    });

    test('if the creation time of the new code has no zone', async () => {
      const local = {
        ...code(999),
        created_at: new Date(ANSWERED - 8 * 3_600_000).toISOString().slice(0, -1),
      };
      const service = lister((request) => (request < 1 ? codes(250) : [...codes(250).slice(1), local]));
      expect(await slugs(listAllCodes({ ...service, concurrency: 1 }))).toEqual(
        expect.arrayContaining(expected(250)),
      );
    });

    test('if the creation time of the new code is invalid', async () => {
      const strange = { ...code(999), created_at: 'yesterday' };
      const service = lister((request) => (request < 1 ? codes(250) : [...codes(250).slice(1), strange]));
      expect(await slugs(listAllCodes({ ...service, concurrency: 1 }))).toEqual(
        expect.arrayContaining(expected(250)),
      );
    });
  });

  test('is refused after three passes if the codes change continuously', async () => {
    const all = Array.from({ length: 260 }, (_, at) => code(at, at < 250 ? CREATED : ANSWERED));
    const service = lister((request) => all.slice(Math.floor(request / 2), 250 + Math.floor(request / 2)));
    await expect(slugs(listAllCodes({ ...service, concurrency: 1 }))).rejects.toThrow(UnprovenError);
    expect(service.asked).toHaveLength(9);
  });
});

describe('a wrong total', () => {
  const honest = (count: number) => Math.max(1, Math.ceil(count / 100));
  const refuse = (error: Error) => () => {
    throw error;
  };
  const totals = [
    (real: number) => real + 1,
    (real: number) => real + 37,
    () => 1e9,
    () => 1e15,
    () => Number.MAX_SAFE_INTEGER,
  ];
  const ends: [string, NonNullable<Habits['beyond']>][] = [
    ['is empty', () => []],
    ['repeats the last page', (all) => all.slice(-100)],
    ['repeats the first page', (all) => all.slice(0, 100)],
    ['returns 404', refuse(new NotFoundError('no such page', { status: 404 }))],
    ['returns 400', refuse(new RejectedError('no such page', { status: 400 }))],
  ];
  const cases = ends.flatMap(([what, beyond]) =>
    (SOAK ? [1, 4, 32] : [4]).map((width) => [what, width, beyond] as const),
  );
  test.each(cases)(
    'leads to a refusal after at most three passes plus 20 requests if a page beyond the end %s (concurrency %i)',
    async (_, width, beyond) => {
      for (const count of firstRows(4, [0, 1, 100, 150, 1000])) {
        for (const total of totals) {
          const service = lister(() => codes(count), { total, beyond: count === 0 ? () => [] : beyond });
          await expect(slugs(listAllCodes({ ...service, concurrency: width }))).rejects.toThrow(
            /could not be verified as complete/,
          );
          expect(service.asked.length).toBeLessThanOrEqual(3 * honest(count) + 20);
        }
      }
    },
  );

  test('that is one too large leads to a refusal after three passes', async () => {
    const service = lister(() => codes(150), { total: (real) => real + 1 });
    await expect(slugs(listAllCodes({ ...service, concurrency: 4 }))).rejects.toMatchObject({
      name: UnprovenError.name,
      message:
        'the list of codes could not be verified as complete: received 150 codes, but the service reports 151 (3 passes)',
      hint: 'Run the command again. Codes may have been created or deleted during the run.',
    });
    expect(service.asked).toHaveLength(6);
  });
});
