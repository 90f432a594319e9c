/** What a count costs in requests, without a process: never more than the pages of the same ranges, whatever is compared with. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AuthError, NotFoundError } from '#base/errors';
import { createLocalTime } from '#base/time/local-time';
import type { ScanRun } from '#scans/scan-run';
import { COMPARISONS } from '#scans/stats/calendar';
import { countService } from '#scans/stats/count-scans';
import { type Dimension, groupOf } from '#scans/stats/dimensions';
import { figuresOf } from '#scans/stats/figures';
import type { CountRequest } from '#scans/stats/readings';
import type { Service } from '#service/service';
import { type ModelRow, type ModelScansOptions, modelScans } from '../../support/model-service/scans.ts';
import { runs } from '../../support/property-runs.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 3, 20, 15, 30);
const CODE = { id: '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11', slug: 'menu', name: 'Menu' };

/** Progress as it is shown. */
interface Shown {
  done: number;
  total?: number | undefined;
}

type Asked = Pick<CountRequest, 'compare' | 'span'> & { dimensions: readonly Dimension[] };

/** The figures by day, and what they cost, of a service that holds these scans. */
async function count(rows: readonly ModelRow[], how: ModelScansOptions, asked: Asked, zone: string) {
  const scans = modelScans(rows, how);
  const service = {
    concurrency: 3,
    listScans: (_code: string, request: Parameters<Service['listScans']>[1]) => scans.read(request),
    nowMs: () => NOW_MS,
    stats: () => ({ requests: scans.state.requests, retries: 0, pauses: 0, pausedMs: 0 }),
  };
  const notes: string[] = [];
  const shown: Shown[] = [];
  const context = {
    clock: { now: () => NOW_MS },
    console: {
      progress: () => ({ update: (work: Shown) => shown.push(work), stop: () => undefined }),
      note: (line: string) => notes.push(line),
    },
  } as unknown as ScanRun;
  const local = createLocalTime(zone);
  const plan: CountRequest = {
    local,
    ...asked,
    groups: asked.dimensions.map(groupOf),
    table: undefined,
    destinationOf: undefined,
  };
  const { current, before, span, failures } = await countService(
    context,
    service as unknown as Service,
    plan,
    [CODE],
  );
  const figures = figuresOf(groupOf('day'), {
    current,
    before,
    span,
    top: undefined,
    nowMs: NOW_MS,
    zone,
    offsetMs: local.offsetMs,
  });
  return {
    rows: figures.rows,
    requests: scans.state.requests,
    failures,
    isRepeated: notes.length > 0,
    shown,
  };
}

describe('a count from the service', () => {
  it('by day for 30 days and the 30 days before costs at most 61 requests, or one per page if that is less', async () => {
    const span = { sinceMs: Date.UTC(2026, 2, 1), untilMs: Date.UTC(2026, 2, 31) };
    const asked: Asked = { dimensions: ['day'], compare: 'previous', span };
    const spread = (scans: number) =>
      Array.from({ length: scans }, (_, at) => ({
        id: at + 1,
        time: span.untilMs - 7 - Math.floor((at * 60 * DAY_MS) / scans),
      }));
    for (const [scans, requests] of [
      [0, 1],
      [49, 1],
      [121, 3],
      [3049, 61],
      [3499, 61],
    ] as const) {
      expect((await count(spread(scans), { pageCap: 50 }, asked, 'UTC')).requests, `${scans} scans`).toBe(
        requests,
      );
    }
  });

  it('never reports more counted scans than its total, and reports the total at the end', async () => {
    const span = { sinceMs: Date.UTC(2026, 2, 1), untilMs: Date.UTC(2026, 2, 31) };
    const rows = Array.from({ length: 900 }, (_, at) => ({
      id: at + 1,
      time: span.untilMs - 7 - at * 8_000_000,
    }));
    for (const compare of ['none', 'previous', 'year'] as const) {
      const { shown } = await count(rows, { pageCap: 50 }, { dimensions: ['device'], compare, span }, 'UTC');
      const inRange = rows.filter(
        ({ time }) => time >= (compare === 'previous' ? Date.UTC(2026, 0, 30) : span.sinceMs),
      ).length;
      expect(shown.filter(({ done, total = done }) => done > total)).toEqual([]);
      // Scans in the margins of a request are counted by the service.
      const total = shown.findLast((work) => work.total !== undefined)?.total ?? 0;
      expect([total >= inRange, total <= inRange + 2]).toEqual([true, true]);
      expect(shown.at(-1)?.done).toBe(inRange);
    }
  });

  it('by day costs at most 30 requests more than reading all pages if totals do not add up, with the same figures (F7)', async () => {
    const span = { sinceMs: Date.UTC(2026, 2, 1), untilMs: Date.UTC(2026, 2, 31) };
    const rows = Array.from({ length: 300 }, (_, at) => ({
      id: at + 1,
      time: span.sinceMs + (at + 1) * 8_640_000 - 500,
    }));
    const ask = (dimensions: Asked['dimensions']) =>
      count(rows, { wholeSeconds: true, pageCap: 5 }, { dimensions, compare: 'none', span }, 'UTC');
    const [counted, read] = [await ask(['day']), await ask(['day', 'device'])];
    expect(counted.rows).toEqual(read.rows);
    expect(counted.isRepeated).toBe(true);
    expect(counted.requests).toBeLessThanOrEqual(read.requests + 30);
  });

  it('by day never costs more requests than reading all pages, and gives the same figures as the pages', async () => {
    const model = fc.record({
      order: fc.constantFrom('ascending' as const, 'descending' as const),
      pageCap: fc.constantFrom(2, 5, 500),
      sinceInclusive: fc.boolean(),
    });
    const cases = { byTotals: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 60 * 24 * 60 }), { maxLength: 300, size: 'max' }),
        model,
        fc.integer({ min: 1, max: 28 }),
        fc.integer({ min: -3, max: 10 }),
        fc.constantFrom(...COMPARISONS),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe'),
        async (minutes, how, days, ago, compare, zone) => {
          // Every fourth a year earlier.
          const rows = minutes.map((at, i) => ({
            id: i + 1,
            time: NOW_MS - at * 60_000 - (i % 4 === 0 ? 365 * DAY_MS : 0) + 7,
          }));
          const untilMs = NOW_MS - ago * DAY_MS;
          const span = { sinceMs: untilMs - days * DAY_MS, untilMs };
          const ask = (dimensions: Asked['dimensions']) =>
            count(rows, how, { dimensions, compare, span }, zone);
          const [counted, read] = [await ask(['day']), await ask(['day', 'device'])];
          expect(counted).toMatchObject({ failures: [], isRepeated: false });
          expect(counted.rows).toEqual(read.rows);
          expect(counted.requests).toBeLessThanOrEqual(read.requests);
          if (counted.requests < read.requests) cases.byTotals += 1;
        },
      ),
      runs(20),
    );
    expect(cases.byTotals).toBeGreaterThan(0);
  });
});

describe('a count of two codes of which one does not exist', () => {
  const span = { sinceMs: Date.UTC(2026, 2, 1), untilMs: Date.UTC(2026, 2, 31) };

  /** Counts a code specified by ID and created on 10 February. The clock is wrong, the service's time is not. */
  async function countYoung(
    days: readonly string[],
    asked: Partial<CountRequest>,
    failure: Error = new NotFoundError('no such code'),
  ) {
    const scans = modelScans(days.map((day, at) => ({ id: at + 1, time: Date.parse(`${day}T12:00:00Z`) })));
    let ages = 0;
    const service = {
      concurrency: 2,
      listScans: async (id: string, request: Parameters<Service['listScans']>[1]) => {
        if (id !== CODE.id) throw failure;
        return scans.read(request);
      },
      getCode: async () => {
        ages += 1;
        return { ...CODE, created_at: '2026-02-10T12:00:00Z' };
      },
      nowMs: () => NOW_MS,
      stats: () => ({ requests: 0 }),
    };
    const progress = () => ({ update: () => undefined, stop: () => undefined });
    const console = { progress, note: () => undefined };
    const context = { clock: { now: () => NOW_MS - 40 * DAY_MS }, console } as unknown as ScanRun;
    const plan: CountRequest = {
      span,
      compare: 'none',
      groups: [groupOf('device')],
      local: createLocalTime('UTC'),
      ...asked,
    };
    const codes = [{ id: CODE.id }, { id: '00000000-0000-4000-8000-000000000000' }];
    const counted = await countService(context, service as unknown as Service, plan, codes);
    const { data, failures, current, before, nowMs } = counted;
    const day = (ms: number | undefined) =>
      ms && Number.isFinite(ms) && new Date(ms).toISOString().slice(0, 10);
    return {
      ages,
      begins: day(data.fromMs),
      ends: day(counted.span.untilMs),
      before: before && `${day(before.span.sinceMs)} ${day(before.span.untilMs)} ${before.isCovered}`,
      failed: failures.length,
      scans: current.total(),
      isNow: nowMs === NOW_MS,
    };
  }

  it('by month requests the age of the existing code, because the months do not show when its scans began', async () => {
    const asked: Partial<CountRequest> = {
      groups: [groupOf('month')],
      compare: 'previous',
      span: { sinceMs: Date.UTC(2026, 1, 1), untilMs: Date.UTC(2026, 3, 1) },
    };
    const days = Array.from({ length: 3000 }, (_, at) => `2026-03-${10 + (at % 20)}`);
    const expected = { ages: 1, failed: 1, scans: 3000, before: '2025-12-04 2026-02-01 false' };
    expect(await countYoung(days, asked)).toMatchObject(expected);
    await expect(countYoung(days, asked, new AuthError('rejected'))).rejects.toThrow('rejected');
  });

  it.each<[string[], Partial<CountRequest>, object]>([
    [['2026-03-01', '2026-03-05'], {}, { ages: 0, ends: '2026-03-31', scans: 2 }],
    [['2026-03-02'], {}, { ages: 1, ends: '2026-03-31', scans: 1 }],
    [['2026-03-05'], { span: { sinceMs: span.sinceMs } }, { ages: 1, ends: '2026-04-20', scans: 1 }],
    [
      ['2026-02-12', '2026-03-05'],
      { compare: 'previous' },
      { ages: 1, begins: '2026-02-12', ends: '2026-03-31', before: '2026-01-30 2026-03-01 false', scans: 1 },
    ],
    [
      ['2026-03-05'],
      { compare: 'year' },
      { ages: 2, begins: '2026-03-05', ends: '2026-03-31', before: '2025-03-01 2025-03-31 false', scans: 1 },
    ],
  ])(
    'with scans on %j for %j has one failure, and requests the existing code only if the first day has no scans',
    async (days, asked, expected) => {
      expect(await countYoung(days, asked)).toEqual({ failed: 1, isNow: true, ...expected });
    },
  );
});
