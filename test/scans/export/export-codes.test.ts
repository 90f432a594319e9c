import { describe, expect, it } from 'vitest';
import {
  AuthError,
  LocalError,
  NotFoundError,
  RejectedError,
  UnavailableError,
  UnexpectedResponseError,
  UnprovenError,
  UsageError,
} from '#base/errors';
import type { CodeSink } from '#files/formats/row-sink';
import { type CodesExport, exportCodes } from '#scans/export/export-codes';
import type { ScanPageRequest } from '#service/service-options';
import type { QrCode } from '#service/shapes';
import { type ModelRow, type ModelScansOptions, modelScans } from '../../support/model-service/scans.ts';

const UNTIL = 1_760_000_000_000;
const down = () => new UnavailableError('the service failed (500)', { status: 500 });

interface World {
  rows?: ModelRow[];
  how?: ModelScansOptions;
  sinceFor?: CodeSink['sinceFor'];
  /** The Date header; null: the service sends none. */
  dateMs?: number | null;
  sinceMs?: number;
  failures?: Record<string, () => Error>;
  /** Codes of which something fails after rows were written. */
  breaks?: Record<string, () => Error>;
  job?: Partial<CodesExport>;
  nowMs?: () => number | undefined;
  concurrency?: number;
}

const clockOf = (now: () => number) => ({ now, sleep: async () => undefined });
const threeRows = [1, 2, 3].map((id) => ({ id, time: UNTIL - 10_000 + id }));

/** Exports codes `a` to `e`, three scans each, from a service that fails on some; `log` has what happened, in order. */
async function exported({
  failures = {},
  breaks = {},
  job = {},
  nowMs = () => UNTIL,
  rows = threeRows,
  how,
  sinceFor,
  dateMs = UNTIL,
  sinceMs,
  concurrency = 2,
}: World) {
  const { read } = modelScans(rows, how);
  const log: string[] = [];
  const asked: { id: string; sinceMs: number | undefined; untilMs: number | undefined }[] = [];
  const progress: string[] = [];
  const summary = exportCodes({
    service: {
      async listScans(id, request) {
        log.push(`ask ${id}`);
        asked.push({ id, sinceMs: request.sinceMs, untilMs: request.untilMs });
        const failure = failures[id];
        if (failure) throw failure();
        return { ...(await read(request)), serviceTimeMs: dateMs ?? undefined };
      },
      getCode: () => Promise.reject(new Error('not asked for')),
      nowMs,
      concurrency,
    },
    codes: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id })),
    untilMs: UNTIL,
    clock: clockOf(() => UNTIL + 999_999),
    async openSink({ id }) {
      let added = 0;
      let committed = false;
      log.push(`open ${id}`);
      return {
        sinceMs,
        ...(sinceFor && { sinceFor }),
        added: () => added,
        async write(batch) {
          log.push(`write ${id}`);
          added += batch.rows.length;
          const failure = breaks[id];
          if (failure) throw failure();
          return batch.rows.length;
        },
        async checkpoint() {
          log.push(`checkpoint ${id}`);
          const before = added;
          return async () => {
            added = before;
            return true;
          };
        },
        async commit() {
          log.push(`commit ${id}`);
          committed = true;
        },
        async discard() {
          if (!committed) {
            log.push(`discard ${id}`);
            added = 0;
          }
        },
      };
    },
    note: () => undefined,
    progress: ({ rows, total, codes }) => progress.push(`${rows} of ${total}, ${codes} done`),
    ...job,
  });
  const result = async () => {
    const { codes, scans, failures: failed } = await summary;
    return { codes, scans, failed: failed.map(({ code }) => code.id) };
  };
  const range = async () => (await summary).range;
  const hints = async () => (await summary).failures.map(({ error }) => (error as { hint?: string }).hint);
  const sinceAsked = () => asked.map(({ sinceMs: ms }) => ms);
  const messages = async () => (await summary).failures.map(({ error }) => error.message);
  const of = (verb: string) =>
    log.filter((line) => line.startsWith(verb)).map((line) => line.slice(verb.length + 1));
  return { result, range, messages, hints, sinceAsked, log, of, asked, progress };
}

/** One code, of a range with an end; and of one that ends when the service first says what time it is. */
const ONE = { codes: [{ id: 'a' }] };
const OPEN = { nowMs: () => undefined, job: { ...ONE, untilMs: undefined } };
const LATER_SCANS = "the service sends no Date header and has scans later than this machine's clock";

it('the progress of an export has an estimate of all scans from the codes that were requested so far', async () => {
  const estimates = new Set<number>();
  const { result } = await exported({ job: { progress: ({ estimate }) => estimates.add(estimate) } });
  await result();
  expect([...estimates]).toEqual([5 * threeRows.length]);
});

it.each<[string, number, number[]]>([
  ['for the other 700 ms of the margin if its range ended 300 ms ago', 300, [700]],
  ['for the whole margin of one second if its range ends now', 0, [1000]],
  ['for no time if its range ends in the future', -1, []],
  ['for no time if the margin has passed', 1000, []],
])(
  'an export with scans that keep arriving in the margin after its range waits %s (C2)',
  async (_, afterMs, waits) => {
    const rows = Array.from({ length: 1000 }, (_, id) => ({ id, time: UNTIL - 10_000 + id }));
    const arrivals = new Map(
      Array.from({ length: 99 }, (_, at) => [at + 2, [{ id: 1000 + at, time: UNTIL + at }]]),
    );
    const sleeps: number[] = [];
    const sleep = async (ms: number) => {
      sleeps.push(ms);
      arrivals.clear();
    };
    const { result, asked } = await exported({
      rows,
      how: { pageCap: 100, arrivals },
      job: { codes: [{ id: 'a' }], clock: { now: () => UNTIL, sleep } },
      nowMs: () => UNTIL + afterMs,
    });
    const summary = await result();
    expect(sleeps).toEqual(waits);
    if (waits.length === 0) return;
    expect(summary).toEqual({ codes: 1, scans: 1000, failed: [] });
    expect(asked.length).toBeLessThan(20);
  },
);

describe('an export from a service without a Date header', () => {
  const silent = { dateMs: null, nowMs: () => undefined, concurrency: 2 };
  const job = { ...OPEN.job, clock: clockOf(() => UNTIL) };

  it("has the scans up to the machine's time if the service has no later scans", async () => {
    const { result, asked } = await exported({ ...silent, job });
    expect(await result()).toEqual({ codes: 1, scans: 3, failed: [] });
    expect(asked).toHaveLength(2);
  });

  it("is refused if the service counts scans later than this machine's clock that page 1 lacks (C18)", async () => {
    const rows = [...threeRows, { id: 4, time: UNTIL + 60_000 }];
    const how = { shorten: (page: ModelRow[], request: number) => (request === 2 ? [] : page) };
    // Page 1 has the oldest alone.
    const { messages } = await exported({ ...silent, job, rows, how: { ...how, pageCap: 1 } });
    expect(await messages()).toEqual([expect.stringContaining(LATER_SCANS)]);
  });

  it("is refused if page 1 has scans later than this machine's clock (C18)", async () => {
    const rows = [...threeRows, { id: 4, time: UNTIL + 60_000 }];
    const { messages, hints, asked } = await exported({ ...silent, job, rows });
    expect(await hints()).toEqual([
      expect.stringMatching(/^Set the clock of this machine, or specify the end of the range with --until/),
    ]);
    expect(await messages()).toEqual([`${LATER_SCANS} (2025-10-09T08:53:20.000Z)`]);
    // Page 1 has it among others.
    expect(asked).toHaveLength(1);
  });
});

describe('an export from a service without a Date header that ignores bounds', () => {
  const silent = { dateMs: null, nowMs: () => undefined };
  const job = { ...OPEN.job, clock: clockOf(() => UNTIL) };

  it.each(['ascending', 'descending'] as const)(
    "is refused if pages in %s order have scans later than the machine's time (C18)",
    async (order) => {
      const rows = Array.from({ length: 120 }, (_, at) => ({ id: at, time: UNTIL + (at - 60) * 1000 }));
      const how = { ignoresBounds: true, pageCap: 50, order };
      const { messages } = await exported({ ...silent, job, rows, how });
      expect(await messages()).toEqual([expect.stringContaining(LATER_SCANS)]);
    },
  );

  it('is refused even without later scans, because the service counts earlier scans as later (C18)', async () => {
    const how = { ignoresBounds: true };
    const { messages } = await exported({ ...silent, job, how });
    expect(await messages()).toEqual([expect.stringContaining('the service sends no Date header')]);
  });
});

describe('an output whose start depends on the end of the range', () => {
  const sinceFor = (endMs: number) => endMs - 20_000;
  it('is read from that start with one request if the end is known before the export', async () => {
    const { result, sinceAsked } = await exported({ sinceMs: UNTIL - 1, sinceFor, job: ONE });
    expect((await result()).scans).toBe(3);
    expect(sinceAsked()).toEqual([UNTIL - 21_000]);
  });

  it('is read from that start with a second request for page 1 if only the first response shows the end', async () => {
    const { result, sinceAsked, asked } = await exported({ sinceMs: UNTIL - 1, sinceFor, ...OPEN });
    expect((await result()).scans).toBe(3);
    expect(sinceAsked()).toEqual([UNTIL - 1001, UNTIL - 21_000]);
    expect(asked.map(({ untilMs }) => untilMs)).toEqual([undefined, UNTIL + 1000]);
  });
});

describe('a range whose rows do not add up', () => {
  it('costs fewer requests if its end is known before the first request', async () => {
    const how = { lie: (total: number) => total + 7 };
    const known = await exported({ how, job: ONE });
    await known.messages().catch(() => undefined);
    const open = await exported({ how, ...OPEN });
    await open.messages().catch(() => undefined);
    expect(open.asked.length).toBeGreaterThan(known.asked.length);
  });
});

describe('an export from a service that dates scans later than its Date header', () => {
  const old = Array.from({ length: 7 }, (_, at) => ({ id: at + 1, time: UNTIL - 60_000 * (9 - at) }));
  const late = { id: 90, time: UNTIL - 60_000 * 9 + 1 };

  it.each([2, 3])(
    'contains a late scan that arrives at request %i, although page 1 has a scan after the end (C1)',
    async (at) => {
      const rows = [...old, { id: 80, time: UNTIL + 8000 }];
      const how: ModelScansOptions = { order: 'descending', pageCap: 3, arrivals: new Map([[at, [late]]]) };
      const { result, asked } = await exported({ ...OPEN, rows, how });
      expect(await result()).toEqual({ codes: 1, scans: 8, failed: [] });
      expect(asked.slice(0, 2).map(({ untilMs }) => untilMs)).toEqual([undefined, UNTIL + 1000]);
    },
  );

  it('costs one more request, unless the later scans are within a second of the end or page 1 has all rows', async () => {
    const cost = async (aheadMs: number, pageCap: number) => {
      const rows = [...old, { id: 80, time: UNTIL + aheadMs }];
      const { result, asked } = await exported({ ...OPEN, rows, how: { order: 'descending', pageCap } });
      expect((await result()).scans).toBe(7);
      return asked.length;
    };
    expect([await cost(1000, 3), await cost(999, 3), await cost(1000, 50)]).toEqual([4, 3, 1]);
  });

  it('has no scans if every scan is later than the Date header', async () => {
    const rows = old.map(({ id }) => ({ id, time: UNTIL + 5000 + id }));
    const job = { ...OPEN.job, codes: [{ id: 'a', slug: 's' }] };
    const { result, asked } = await exported({ ...OPEN, job, rows, how: { pageCap: 3 } });
    expect(await result()).toEqual({ codes: 1, scans: 0, failed: [] });
    expect(asked).toHaveLength(2);
  });
});

describe('the range of an export', () => {
  const codes = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
  const read = async (begins: (number | undefined)[]) => {
    const next = begins.flatMap((begin) => [begin, begin]); // asked before the end of the range is known, and after
    return (await exported({ sinceFor: () => next.shift(), job: { codes }, concurrency: 1 })).range();
  };

  it('begins at the earliest start of any code, and has the same end for all codes', async () => {
    const [late, later] = [UNTIL - 20_000, UNTIL - 10_000];
    const whole = { sinceMs: undefined, untilMs: UNTIL };
    expect(await read([late, UNTIL - 30_000, later])).toEqual({ sinceMs: UNTIL - 30_000, untilMs: UNTIL });
    expect(await read([late, undefined, later])).toEqual(whole);
    expect(await read([undefined, late, later])).toEqual(whole);
  });
});

describe('a range', () => {
  it('is refused with a hint if its beginning equals its end (C19)', async () => {
    const { hints } = await exported({ sinceMs: UNTIL, job: ONE });
    expect(await hints()).toEqual([
      "Pass an earlier --since or a later --until. Without --until, the range ends at the service's current time.",
    ]);
  });

  it.each([UNTIL, UNTIL + 1])(
    'is refused without a request if its beginning is not before its known end (C19)',
    async (sinceMs) => {
      const { messages, asked } = await exported({ sinceMs, job: ONE });
      expect(await messages()).toEqual([
        expect.stringMatching(
          /^the end of the range \(2025-10-09.*\) is not after its start \(2025-10-09T08:53:20/,
        ),
      ]);
      expect(asked).toEqual([]);
    },
  );

  it('is refused after one request if the response shows that its end is not after its beginning (C19)', async () => {
    const { messages, asked } = await exported({ sinceMs: UNTIL + 5, ...OPEN });
    const message = expect.stringMatching(/^the end of the range .* is not after its start/);
    expect(await messages()).toEqual([message]);
    expect(asked).toHaveLength(1);
  });
});

describe('a code without scans', () => {
  it('is requested if no response has contained it, because it may not exist (C14)', async () => {
    await expect((await exported({ rows: [], job: ONE })).result()).rejects.toThrow('not asked for');
  });

  it('is not requested if it was listed', async () => {
    const { result } = await exported({ rows: [], job: { codes: [{ id: 'a', slug: 'menu' }] } });
    expect(await result()).toEqual({ codes: 1, scans: 0, failed: [] });
  });
});

describe('the end of the range', () => {
  it('excludes later scans, even if page 1 counted them before the end was known', async () => {
    const many = Array.from({ length: 1203 }, (_, i) => ({ id: i + 1, time: UNTIL - 5_000_000 + i * 1000 }));
    const rows = [...many, { id: 5000, time: UNTIL + 500_000 }];
    const { result, asked } = await exported({ rows, ...OPEN, concurrency: 1 });
    expect(await result()).toEqual({ codes: 1, scans: 1203, failed: [] });
    expect(asked).toHaveLength(6);
  });

  it('is fixed by the first response, before any other request (C1)', async () => {
    const { result, asked, log } = await exported({ job: { untilMs: undefined }, nowMs: () => undefined });
    await result();
    expect(asked[0]).toEqual({ id: 'a', sinceMs: undefined, untilMs: undefined });
    expect(new Set(asked.slice(1).map(({ untilMs }) => untilMs))).toEqual(new Set([UNTIL + 1000]));
    expect(log.indexOf('ask b')).toBeGreaterThan(log.indexOf('commit a'));
  });

  it("is the service's time from an earlier response, and does not advance with that clock (C1)", async () => {
    let now = UNTIL;
    const { result, asked } = await exported({ job: { untilMs: undefined }, nowMs: () => now++ });
    await result();
    expect(new Set(asked.map(({ untilMs }) => untilMs))).toEqual(new Set([UNTIL + 1000]));
  });

  it('is the same for all codes, even if the first codes are deleted and the service sends no Date header (C1)', async () => {
    let now = UNTIL;
    const gone = () => new NotFoundError('no code', { status: 404 });
    const { result, range, asked, log } = await exported({
      failures: { a: gone, b: gone },
      dateMs: null,
      nowMs: () => undefined,
      job: { untilMs: undefined, clock: clockOf(() => now++) },
    });
    expect(await result()).toEqual({ codes: 3, scans: 9, failed: ['a', 'b'] });
    expect(await range()).toEqual({ sinceMs: undefined, untilMs: UNTIL });
    const last = asked.filter(({ id }) => id === 'd' || id === 'e');
    expect(new Set(last.map(({ untilMs }) => untilMs))).toEqual(new Set([UNTIL + 1000]));
    expect(log.indexOf('ask d')).toBeGreaterThan(log.indexOf('commit c'));
    expect(log.indexOf('ask e')).toBeLessThan(log.indexOf('commit d'));
  });

  it("is the machine's time if the service sends no Date header", async () => {
    const { read } = modelScans([{ id: 1, time: UNTIL - 5 }]);
    const listScans = (_: string, request: ScanPageRequest) => read(request);
    const getCode = () => Promise.reject(down());
    const service = { listScans, getCode, nowMs: () => undefined, concurrency: 2 };
    const clock = clockOf(() => UNTIL - 5);
    const { result, of } = await exported({ job: { untilMs: undefined, service, clock } });
    expect((await result()).scans).toBe(0);
    expect(of('commit')).toHaveLength(5);
  });
});

describe('the codes in an export', () => {
  it('are prefetched, but their rows are written one code after the other (C16)', async () => {
    const { result, log, of } = await exported({});
    expect(await result()).toEqual({ codes: 5, scans: 15, failed: [] });
    expect(log.indexOf('ask d')).toBeLessThan(log.indexOf('write c'));
    const own = log
      .filter((line) => /^(checkpoint|write|commit)/.test(line))
      .filter((line, i, lines) => line !== lines[i - 1]);
    expect(own).toEqual(
      ['a', 'b', 'c', 'd', 'e'].flatMap((id) => [`checkpoint ${id}`, `write ${id}`, `commit ${id}`]),
    );
    expect(of('discard')).toEqual([]);
  });

  it('are counted as done in the progress, which has a total of scans once every code was requested', async () => {
    const { result, progress } = await exported({});
    await result();
    expect(progress[0]).toBe('2 of undefined, 0 done');
    expect(progress).toContain('6 of undefined, 1 done');
    expect(progress).toContain('9 of 15, 2 done');
    expect(progress.at(-1)).toBe('15 of 15, 5 done');
  });

  it('may be an empty list', async () => {
    const { result } = await exported({ job: { codes: [] } });
    expect(await result()).toEqual({ codes: 0, scans: 0, failed: [] });
  });
});

describe('a code that fails alone', () => {
  it.each<[string, () => Error]>([
    ['does not exist', () => new NotFoundError('not found (404)', { status: 404 })],
    ['cannot be verified as complete', () => new UnprovenError('could not be proven complete')],
    ['has an invalid response', () => new UnexpectedResponseError('a row without an id')],
    ['has a file that is refused', () => new UsageError('was edited')],
    [
      'has a range that the service refuses but accepted for another code',
      () => new RejectedError('rejected (400)', { status: 400 }),
    ],
    ['is the only code for which the service fails', down],
  ])('does not prevent the export of other codes if it %s (C17)', async (_, failure) => {
    const { result, of } = await exported({ failures: { c: failure } });
    expect(await result()).toEqual({ codes: 4, scans: 12, failed: ['c'] });
    expect(of('commit')).toEqual(['a', 'b', 'd', 'e']);
    expect(of('discard')).toEqual(['c']);
  });

  it('has its rows rolled back before the rows of the next code are written (C17)', async () => {
    const { result, log } = await exported({ breaks: { c: () => new UnprovenError('does not add up') } });
    expect(await result()).toEqual({ codes: 4, scans: 12, failed: ['c'] });
    expect(log.indexOf('discard c')).toBeLessThan(log.indexOf('checkpoint d'));
  });

  it('is reported even if every second code fails', async () => {
    const { result } = await exported({ failures: { a: down, c: down, e: down } });
    expect((await result()).failed).toEqual(['a', 'c', 'e']);
  });

  it('may be a deleted code without scans (C14)', async () => {
    const listScans = async () => ({ rows: [], times: [], total: 0, serviceTimeMs: undefined });
    const getCode = async (id: string) => {
      if (id === 'b') throw new NotFoundError('not found (404)');
      return {} as QrCode;
    };
    const service = { listScans, getCode, nowMs: () => UNTIL, concurrency: 2 };
    const { result } = await exported({ job: { service } });
    expect(await result()).toEqual({ codes: 4, scans: 0, failed: ['b'] });
  });

  it('does not count towards an outage if the service refuses it with 404', async () => {
    const gone = () => new NotFoundError('not found (404)');
    const { result } = await exported({ failures: { b: gone, c: down } });
    expect((await result()).failed).toEqual(['b', 'c']);
  });

  it('is identified in the error by its slug if known, or else by its ID', async () => {
    const { read } = modelScans([{ id: 1, time: UNTIL - 5000 }], { lie: (total) => total + 1 });
    const listScans = (_: string, request: ScanPageRequest) => read(request);
    const service = { listScans, getCode: async () => ({}) as QrCode, nowMs: () => UNTIL, concurrency: 2 };
    const { messages } = await exported({
      job: { codes: [{ id: 'a', slug: 'spring-menu' }, { id: 'b' }], service },
    });
    expect(await messages()).toEqual([
      expect.stringMatching(/^the scan export for spring-menu until /),
      expect.stringMatching(/^the scan export for b until /),
    ]);
  });
});

describe('an export fails if', () => {
  it.each<[string, Record<string, () => Error>, RegExp]>([
    ['the service fails on two codes in a row', { b: down, c: down }, /failed/],
    ['there is no response', { b: () => new UnavailableError('connection refused') }, /connection refused/],
    [
      'the first range is refused',
      { a: () => new RejectedError('rejected (400)', { status: 400 }) },
      /rejected/,
    ],
    ['the key is refused', { b: () => new AuthError('unauthorized (401)') }, /unauthorized/],
  ])('%s (C17)', async (_, failures, message) => {
    const { result, of } = await exported({ failures });
    await expect(result()).rejects.toThrow(message);
    expect(of('discard').sort()).toEqual(
      of('open')
        .filter((id) => !of('commit').includes(id))
        .sort(),
    );
  });

  it('the disk is full, and then discards the prefetched codes (C17)', async () => {
    const { result, of } = await exported({ breaks: { b: () => new LocalError('no space left') } });
    await expect(result()).rejects.toThrow('no space left');
    expect(of('open').length).toBeGreaterThan(2);
    expect(of('discard').sort()).toEqual(of('open').filter((id) => id !== 'a'));
  });
});
