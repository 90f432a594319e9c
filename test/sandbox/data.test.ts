import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { slug } from '#sandbox/chance';
import { CODE_STATUSES, CODE_TYPES, DEVICES } from '#service/shapes';
import { ask } from '../support/api.ts';
import { fakeClock } from '../support/clock.ts';
import { useSandbox, withSandbox } from '../support/sandbox.ts';

describe('sample data', () => {
  test('is the same for the same seed, and different for another seed', async () => {
    const dump = (seed: number) =>
      withSandbox({ seed, codes: 5, scans: 20 }, async ({ workspace, scans, codeId }) => [
        workspace.codes(),
        scans(codeId()),
      ]);
    expect(await dump(1)).toEqual(await dump(1));
    expect(await dump(2)).not.toEqual(await dump(1));
  });

  test('is the same in each version, so that documented examples and their figures remain correct', async () => {
    const sandbox = await useSandbox({ codes: 60, scans: 200, hasEqualSizes: false, listOrder: 'oldest' });
    const codes = sandbox.workspace.codes();
    expect(codes[1]).toEqual({
      id: '9b9b2215-b56e-45b0-abb6-ade67964680c',
      slug: 'summer-menu',
      name: 'Table tents Berlin 2026-2',
      type: 'url',
      destination:
        'https://www.example.com/url/summer-menu?utm_source=table&utm_medium=print&utm_campaign=table-tents',
      status: 'active',
      created_at: '2024-09-30T13:00:00.000Z',
      updated_at: '2024-09-30T13:00:00.000Z',
    });
    const scans = codes.map(({ id }) => sandbox.scans(id));
    expect(scans[1]?.[0]).toEqual({
      id: 2_000_000_001,
      ts: '2024-10-03T11:56:55.746Z',
      country: 'JP',
      city: '東京',
      device: 'desktop',
      os: 'Windows',
      browser: 'Edge',
      referrer: null,
    });
    const digest = createHash('sha256')
      .update(JSON.stringify([codes, scans]))
      .digest('hex');
    expect(digest).toBe('017444b609233c29e1b8cdd2968d5c115563fc795f0589588730f3e53b59094a');
  });

  test('has every type and status, and names that are difficult for tables, sheets and terminals', async () => {
    const codes = (await useSandbox({ codes: 100 })).workspace.codes();
    expect(new Set(codes.map(({ type }) => type))).toEqual(new Set(CODE_TYPES));
    expect(new Set(codes.map(({ status }) => status))).toEqual(new Set(CODE_STATUSES));
    const names = codes.map(({ name }) => name);
    for (const awkward of [
      /^=/,
      /"/,
      /,/,
      /\p{Script=Han}/u,
      /\p{Script=Arabic}/u,
      /\p{Emoji_Presentation}/u,
      /\u001b/,
      /\n/,
    ]) {
      expect(names.some((name) => awkward.test(name))).toBe(true);
    }
    expect(codes.some(({ destination }) => destination === null)).toBe(true);
  });

  test('has scans with every device, with and without a country or city, and with hostile referrers', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 3000 });
    const scans = sandbox.scans(sandbox.codeId());
    expect(new Set(scans.map(({ device }) => device))).toEqual(new Set(DEVICES));
    expect(scans.some(({ country, city }) => country !== null && city === null)).toBe(true);
    expect(scans.some(({ country }) => country === null)).toBe(true);
    for (const hostile of [/^=/, /^@/, /\u001b/, /\n/, /"/, /\u202e/]) {
      expect(scans.some(({ referrer }) => hostile.test(referrer ?? ''))).toBe(true);
    }
  });

  test('has scan IDs that are unique in the workspace', async () => {
    const sandbox = await useSandbox({ codes: 5, scans: 300 });
    const ids = sandbox.workspace.codes().flatMap(({ id }) => sandbox.scans(id).map((scan) => scan.id));
    expect(new Set(ids).size).toBe(1500);
  });

  test('has unique slugs for 100,000 codes', () => {
    expect(new Set(Array.from({ length: 100_000 }, (_, index) => slug(1, 1, index))).size).toBe(100_000);
  });

  test('has the codes that the examples in README and help use', async () => {
    const codes = (await useSandbox({ codes: 4, listOrder: 'oldest' })).workspace.codes();
    expect(codes.map((code) => code.slug).slice(0, 3)).toEqual(['spring-menu', 'summer-menu', 'old-poster']);
  });

  test('has codes that were created one after the other, before their first scans', async () => {
    const sandbox = await useSandbox({ codes: 3, listOrder: 'oldest' });
    const created = sandbox.workspace.codes().map(({ created_at }) => created_at);
    expect(created).toEqual([...new Set(created)].sort());
    expect((sandbox.scans(sandbox.codeId(2))[0]?.ts ?? '') > (created[2] ?? '')).toBe(true);
  });
});

describe('sample scans', () => {
  const HOUR_MS = 3_600_000;

  /** The scans of the n-th code by a number of their time. */
  async function countBy(n: number, of: (ms: number) => number): Promise<number[]> {
    const sandbox = await useSandbox({ codes: 3, scans: 5000 });
    const counts: number[] = [];
    for (const { ts } of sandbox.scans(sandbox.codeId(n))) {
      const at = of(Date.parse(ts));
      counts[at] = (counts[at] ?? 0) + 1;
    }
    return counts;
  }

  test('for a menu are most frequent at lunch and dinner, and on Fridays and Saturdays', async () => {
    // In winter: the zone of its city is UTC.
    const hours = await countBy(0, (ms) => Math.floor(ms / HOUR_MS) % 24);
    const busiest = hours.map((scans, hour) => ({ scans, hour })).sort((a, b) => b.scans - a.scans);
    expect(
      busiest
        .slice(0, 4)
        .map(({ hour }) => hour)
        .sort(),
    ).toEqual([12, 13, 19, 20]);
    const weekdays = await countBy(0, (ms) => new Date(ms).getUTCDay());
    expect(Math.min(weekdays[5] ?? 0, weekdays[6] ?? 0)).toBeGreaterThan(1.3 * (weekdays[1] ?? 0));
  });

  test('for a removed poster stop, and those for a growing menu become more frequent', async () => {
    const START = 1_735_689_600_000 - 90 * 24 * HOUR_MS;
    const decade = (ms: number) => Math.floor((ms - START) / (10 * 24 * HOUR_MS));
    const dead = await countBy(2, decade);
    expect([dead.length, (dead[5] ?? 0) > 300]).toEqual([7, true]);
    const grown = await countBy(1, decade);
    expect(grown[8] ?? 0).toBeGreaterThan(2 * (grown[0] ?? 0));
  });

  test('are mostly from the city in the name of the code', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 2000 });
    const cities = sandbox.scans(sandbox.codeId()).map(({ city }) => city);
    const [name = ''] = sandbox.workspace.codes().map((code) => code.name);
    expect(cities.filter((city) => city !== null && name.includes(city)).length).toBeGreaterThan(1000);
  });

  test('belong mostly to a quarter of the codes, or equally to all codes if hasEqualSizes is set', async () => {
    const totals = async (hasEqualSizes: boolean) => {
      const sandbox = await useSandbox({ codes: 40, scans: 1000, hasEqualSizes });
      return sandbox.workspace.codes().map(({ id }) => sandbox.scans(id).length);
    };
    expect(new Set(await totals(true))).toEqual(new Set([1000]));
    const sizes = (await totals(false)).sort((a, b) => b - a);
    const sum = (some: number[]) => some.reduce((all, size) => all + size, 0);
    expect(sum(sizes.slice(0, 10))).toBeGreaterThan(0.6 * sum(sizes));
    expect(sizes.at(-1) ?? 0).toBeLessThan(100);
  });
});

describe('live scans', () => {
  test('arrive without a limit for sample codes, and up to a limit for created codes', async () => {
    const clock = fakeClock();
    const sandbox = await useSandbox({ codes: 1, scans: 10, live: 2, liveScansOfNewCode: 5, clock });
    const created = await ask(sandbox, 'POST', '/qr', { body: { name: 'new' } });
    const totals = async () =>
      Promise.all(
        [sandbox.codeId(), created.body.id].map(
          async (id) => (await ask(sandbox, 'GET', `/qr/${id}/scans`)).body.pagination.total,
        ),
      );
    expect(await totals()).toEqual([10, 0]);
    await clock.advance(2000);
    expect(await totals()).toEqual([14, 4]);
    await clock.advance(58_000);
    expect(await totals()).toEqual([130, 5]);
  });
});

describe('latency', () => {
  test('delays the response to a request, but not the effect of the request', async () => {
    const clock = fakeClock();
    const sandbox = await useSandbox({ codes: 0, latencyMs: 250, clock });
    const reply = ask(sandbox, 'POST', '/qr', { body: { name: 'slow' } });
    while (sandbox.workspace.codes().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(sandbox.requests).toEqual([]);
    await clock.advance(250);
    expect((await reply).status).toBe(201);
    expect(sandbox.requests).toMatchObject([{ method: 'POST', status: 201, ms: 250 }]);
  });
});
