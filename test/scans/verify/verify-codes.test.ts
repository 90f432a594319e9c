import { describe, expect, it } from 'vitest';
import { NotFoundError } from '#base/errors';
import type { ReadScans } from '#scans/export/range';
import { type ModelRow, modelScans } from '../../support/model-service/scans.ts';
import { SOAK } from '../../support/property-runs.ts';
import { type CodeOfRun, DAY_MS, START_MS, scansOver, verifyLogs } from './verify-logs.ts';

const DAY = START_MS / DAY_MS;

function oneDay(log: readonly ModelRow[], read: ReadScans = modelScans(log).read): CodeOfRun {
  return { read, log, range: { sinceMs: START_MS, untilMs: START_MS + DAY_MS } };
}

const without = (rows: readonly ModelRow[], ...ids: number[]) => rows.filter(({ id }) => !ids.includes(id));
const isGone = async () => Promise.reject(new NotFoundError('no such code'));

describe('verifyCodes', () => {
  it('compares each equal code with one request, and does not read the log again if all codes are equal (V1)', async () => {
    const services = [20, 30, 711].map((count) => modelScans(scansOver(1, count)));
    const [a, b, c] = services.map((service) => oneDay(service.state.rows, service.read));
    const { results, reads, done, added } = await verifyLogs({ a, b, c } as Record<string, CodeOfRun>);
    expect(results.map(({ outcome, logged, days }) => ({ outcome, logged, days }))).toEqual([
      { outcome: 'equal', logged: 20, days: [] },
      { outcome: 'equal', logged: 30, days: [] },
      { outcome: 'equal', logged: 711, days: [] },
    ]);
    expect(services.map(({ state }) => state.requests)).toEqual([1, 1, 1]);
    expect({ reads, done, added: added.size }).toEqual({ reads: 0, done: [1, 2, 3], added: 0 });
  });

  it('adds the missing scans of several codes, and reports their days', async () => {
    const scans = scansOver(3, 30);
    const range = { sinceMs: START_MS, untilMs: START_MS + 3 * DAY_MS };
    const a = { read: modelScans(scans).read, log: without(scans, 5, 25), range };
    const b = { read: modelScans(scans).read, log: without(scans, 6), range };
    const c = { read: modelScans(scans).read, log: scans, range };
    const { results, added, reads, repairs } = await verifyLogs({ a, b, c });
    expect(results.map(({ outcome, added }) => [outcome, added])).toEqual([
      ['different', 2],
      ['different', 1],
      ['equal', 0],
    ]);
    expect(results[0]?.days).toEqual([
      { day: DAY, missing: 1, gone: 0, twice: 0 },
      { day: DAY + 2, missing: 1, gone: 0, twice: 0 },
    ]);
    expect([...added].map(([code, ids]) => [code, [...ids.keys()]])).toEqual([
      ['a', [5, 25]],
      ['b', [6]],
    ]);
    expect({ reads, repairs }).toEqual({ reads: 1, repairs: 2 });
  });

  it('reports, in chronological order, days with repeated rows, missing scans or deleted scans', async () => {
    const scans = scansOver(9, 90);
    const gone = { id: 900, time: START_MS + 1.5 * DAY_MS };
    const read = modelScans(scans).read;
    const range = { sinceMs: START_MS, untilMs: START_MS + 9 * DAY_MS };
    const repeats = [85, 2, 3, 60].flatMap((at) => scans[at] ?? []);
    const codes = {
      a: { read, log: [...without(scans, 65), gone, ...repeats], range },
      b: { read, log: [...without(scans, 65), gone], range },
    };
    const { results } = await verifyLogs(codes);
    expect(results[1]?.days).toEqual([
      { day: DAY + 1, missing: 0, gone: 1, twice: 0 },
      { day: DAY + 6, missing: 1, gone: 0, twice: 0 },
    ]);
    expect(results[0]?.days).toEqual([
      { day: DAY, missing: 0, gone: 0, twice: 2 },
      { day: DAY + 1, missing: 0, gone: 1, twice: 0 },
      { day: DAY + 6, missing: 1, gone: 0, twice: 1 },
      { day: DAY + 8, missing: 0, gone: 0, twice: 1 },
    ]);
  });

  it('reports repeated rows of a code that is otherwise equal', async () => {
    const scans = scansOver(1, 30);
    const { results, reads } = await verifyLogs({
      a: oneDay([...scans, ...scans.slice(0, 2)], modelScans(scans).read),
    });
    expect(results[0]).toMatchObject({
      outcome: 'different',
      logged: 30,
      days: [{ day: DAY, missing: 0, gone: 0, twice: 2 }],
    });
    expect(reads).toBe(0);
  });

  it('reports a code whose log has a fault as neither equal nor deleted, and states the fault unless the code could not be compared', async () => {
    const scans = scansOver(1, 30);
    const all = modelScans(scans).read;
    const codes = {
      equal: oneDay(scans),
      different: oneDay(without(scans, 5), all),
      missing: oneDay([], all),
      gone: { ...oneDay(scans), missing: new NotFoundError('no such code') },
      unproven: { ...oneDay(scans), range: undefined },
    };
    const faults = Object.fromEntries(Object.keys(codes).map((id) => [id, `${id}.csv was edited`]));
    const { results } = await verifyLogs(codes, { isRepair: false, faults });
    expect(results.map(({ outcome, reason }) => [outcome, reason?.message])).toEqual([
      ['different', 'equal.csv was edited'],
      ['different', 'different.csv was edited'],
      ['missing', 'missing.csv was edited'],
      ['different', 'gone.csv was edited'],
      ['unproven', 'the files cover none of the range'],
    ]);
  });

  it('sends no request for a code that the log does not cover, and does not count the code as equal', async () => {
    const service = modelScans(scansOver(1, 30));
    const { results, done } = await verifyLogs({ a: { read: service.read, log: [], range: undefined } });
    expect(results[0]).toMatchObject({ outcome: 'unproven', range: undefined, logged: 0 });
    expect({ requests: service.state.requests, done }).toEqual({ requests: 0, done: [] });
  });

  it('requests one total for a code without rows in the log, and ignores scans just outside the range (V12)', async () => {
    const range = { sinceMs: START_MS, untilMs: START_MS + DAY_MS };
    const services = [scansOver(1, 1033), scansOver(2, 2).slice(1), [{ id: 1, time: range.untilMs }]].map(
      (rows) => modelScans(rows),
    );
    const [a, b, c] = services.map(({ read }): CodeOfRun => ({ read, log: [], range }));
    const { results, reads } = await verifyLogs({ a, b, c } as Record<string, CodeOfRun>, {
      isRepair: false,
    });
    expect(results.map(({ outcome, missing }) => [outcome, missing])).toEqual([
      ['missing', 1033],
      ['equal', 0],
      ['equal', 0],
    ]);
    expect({ requests: services.map(({ state }) => state.requests), reads }).toEqual({
      requests: [1, 1, 1],
      reads: 0,
    });
  });

  it('returns results in the order of the codes, even with several requests in flight', async () => {
    const codes = Array.from({ length: 6 }, (_, at) => [`c${at}`, oneDay(scansOver(1, 10 + at))]);
    const { results, done } = await verifyLogs(Object.fromEntries(codes), { width: 3 });
    expect(results.map(({ code, logged }) => [code.id, logged])).toEqual(
      codes.map(([id], at) => [id, 10 + at]),
    );
    expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('rejects with a failure that concerns all codes', async () => {
    const failure = new Error('no network');
    await expect(
      verifyLogs({ a: oneDay(scansOver(1, 30), async () => Promise.reject(failure)) }),
    ).rejects.toBe(failure);
    const scans = scansOver(1, 1200);
    const service = modelScans(scans);
    const read: ReadScans = (request) => (request.page > 1 ? Promise.reject(failure) : service.read(request));
    await expect(verifyLogs({ a: oneDay(without(scans, 5), read) })).rejects.toBe(failure);
  });
});

describe('a code that was deleted (V7)', () => {
  it('is not requested if the service did not list it, and its logged rows are counted', async () => {
    const service = modelScans([]);
    const log = scansOver(1, 30);
    const gone = {
      ...oneDay([...log, ...log.slice(0, 1)], service.read),
      missing: new NotFoundError('no such code'),
    };
    const { results, done } = await verifyLogs({ gone });
    const expected = { outcome: 'gone', logged: 30, days: [{ day: DAY, missing: 0, gone: 0, twice: 1 }] };
    expect(results[0]).toMatchObject(expected);
    expect({ requests: service.state.requests, done }).toEqual({ requests: 0, done: [] });
  });

  it('has the outcome `gone` if its total is refused with 404, and other codes are still compared', async () => {
    const scans = scansOver(1, 30);
    const b = oneDay(without(scans, 5), modelScans(scans).read);
    const { results } = await verifyLogs({ a: oneDay(scans, isGone), b });
    expect(results.map(({ outcome, days }) => [outcome, days.length])).toEqual([
      ['gone', 0],
      ['different', 1],
    ]);
  });

  it('has the outcome `gone` if it is deleted during the search for parts that differ', async () => {
    const scans = scansOver(64, 640);
    const service = modelScans(scans, { pageCap: 1 });
    const read: ReadScans = (request) => (service.state.requests === 1 ? isGone() : service.read(request));
    const range = { sinceMs: START_MS, untilMs: START_MS + 64 * DAY_MS };
    const { results, reads } = await verifyLogs({ a: { read, log: without(scans, 5), range } });
    expect(results[0]).toMatchObject({ outcome: 'gone', days: [] });
    expect(reads).toBe(0);
  });

  it('has the outcome `gone` if it is deleted while a part is read', async () => {
    const scans = scansOver(1, 1200);
    const service = modelScans(scans);
    const read: ReadScans = async (request) => {
      if (service.state.requests === 0) return service.read(request);
      return { rows: [], times: [], total: 0, serviceTimeMs: undefined };
    };
    const { results } = await verifyLogs({ a: oneDay(without(scans, 5), read) }, { getCode: isGone });
    expect(results[0]).toMatchObject({ outcome: 'gone', days: [], added: 0 });
  });

  it('has the outcome `gone` if it is deleted before a total that may be capped is requested again', async () => {
    const scans = scansOver(1, 100);
    const service = modelScans(scans);
    const read: ReadScans = (request) => (service.state.requests === 1 ? isGone() : service.read(request));
    const { results } = await verifyLogs({ a: oneDay(scans, read) });
    expect(results[0]).toMatchObject({ outcome: 'gone' });
  });
});

describe('a total that may be capped (V3)', () => {
  it('does not prove that the log is complete', async () => {
    const scans = scansOver(1, 130);
    const service = modelScans(scans, { cap: 100, order: 'ascending' });
    const { results, added } = await verifyLogs({ a: oneDay(scans.slice(0, 100), service.read) });
    expect(results[0]).toMatchObject({ outcome: 'different', added: 30 });
    expect([...(added.get('a')?.keys() ?? [])]).toEqual(scans.slice(100).map(({ id }) => id));
  });

  it('causes the scans to be read, with the outcome `equal` if no scan is missing', async () => {
    const scans = scansOver(1, 100);
    const { results, reads, repairs } = await verifyLogs({ a: oneDay(scans) });
    expect(results[0]).toMatchObject({ outcome: 'equal', days: [] });
    expect({ reads, repairs }).toEqual({ reads: 1, repairs: 0 });
  });

  it('is known not to be capped if the total of another code is larger, whichever was requested first', async () => {
    const services = [100, 151, 150].map((count) => modelScans(scansOver(1, count)));
    const [a, b, c] = services.map((service) => oneDay(service.state.rows, service.read));
    const { results, reads } = await verifyLogs({ a, b, c } as Record<string, CodeOfRun>);
    expect(results.map(({ outcome }) => outcome)).toEqual(['equal', 'equal', 'equal']);
    expect(services.map(({ state }) => state.requests)).toEqual([1, 1, 1]);
    expect(reads).toBe(0);
  });
});

describe('a part of a range that is read', () => {
  it('has its missing scans counted and added once, even if rows move while it is read (V5)', async () => {
    const scans = scansOver(1, 1300);
    const late = { id: 5000, time: START_MS + 1000 };
    const service = modelScans(scans, { order: 'descending', arrivals: new Map([[3, [late]]]) });
    const { results, added, repairs } = await verifyLogs({
      a: oneDay(without(scans, 5, 1200), service.read),
    });
    const expected = { outcome: 'different', added: 3, days: [{ day: DAY, missing: 3, gone: 0, twice: 0 }] };
    expect(results[0]).toMatchObject(expected);
    expect([...(added.get('a')?.keys() ?? [])].sort((a, b) => a - b)).toEqual([5, 1200, 5000]);
    expect(repairs).toBeGreaterThan(0);
  });

  it('has no scans counted or added if it could not be verified as complete (V5)', async () => {
    const scans = scansOver(1, 1300);
    const service = modelScans(scans, { lie: (total, request) => total + request });
    const a = { ...oneDay(without(scans, 5), service.read), slug: 'menu' };
    const { results, repairs } = await verifyLogs({ a });
    expect(results[0]).toMatchObject({ outcome: 'unproven', days: [], added: 0 });
    expect(results[0]?.reason?.message).toContain('menu');
    expect(repairs).toBe(0);
  });

  it('leaves its code `unproven` if it is not verified as complete, even if a later part can be compared', async () => {
    const scans = scansOver(64, 6400);
    const service = modelScans(scans, { pageCap: 20 });
    // The total of the first half grows with each request.
    const read: ReadScans = async (request) => {
      const page = await service.read(request);
      return (request.untilMs ?? 0) < START_MS + 32 * DAY_MS
        ? { ...page, total: page.total + service.state.requests }
        : page;
    };
    const range = { sinceMs: START_MS, untilMs: START_MS + 64 * DAY_MS };
    const { results, added } = await verifyLogs({ a: { read, log: without(scans, 5, 6000), range } });
    expect(results[0]).toMatchObject({ outcome: 'unproven', added: 1 });
    expect(results[0]?.reason?.message).toContain('the scan export for a ');
    expect([...(added.get('a')?.keys() ?? [])]).toEqual([6000]);
  });

  it('has a scan reported as gone only if a second reading lacks that scan too, because a replica may lag (V6)', async () => {
    const scans = scansOver(1, 30);
    const late = scans.slice(28);
    // The first response is of a replica without the last two scans.
    const lagging = () => modelScans(scans.slice(0, 28), { arrivals: new Map([[2, late]]) });
    const { results } = await verifyLogs({ a: oneDay(scans, lagging().read) });
    expect(results[0]).toMatchObject({ outcome: 'equal', days: [] });
    // Another scan is gone.
    const gone = { id: 900, time: START_MS + 1000 };
    const { results: others } = await verifyLogs({ a: oneDay([...scans, gone], lagging().read) });
    expect(others[0]).toMatchObject({
      outcome: 'different',
      days: [{ day: DAY, missing: 0, gone: 1, twice: 0 }],
    });
  });

  it('is read again only if the first reading, which reuses page 1 of the search, lacks scans that the log has', async () => {
    const scans = scansOver(1, 30);
    const lacking = modelScans(scans);
    await verifyLogs({ a: oneDay(without(scans, 5), lacking.read) });
    expect(lacking.state.requests).toBe(1);
    const gone = modelScans(scans);
    await verifyLogs({ a: oneDay([...scans, { id: 900, time: START_MS }], gone.read) });
    expect(gone.state.requests).toBe(2);
  });

  it('has all scans reported as gone if the service returns none, without a request for the code', async () => {
    const { results } = await verifyLogs(
      { a: oneDay(scansOver(1, 30), modelScans([]).read) },
      { getCode: isGone },
    );
    expect(results[0]).toMatchObject({
      outcome: 'different',
      days: [{ day: DAY, missing: 0, gone: 30, twice: 0 }],
    });
  });

  it('is compared in the same reading of the log as other parts, up to the specified number of IDs', async () => {
    const counts = { a: 501, b: 1, c: 499, d: 1 };
    const codes = Object.entries(counts).map(([id, count]) => [
      id,
      oneDay(scansOver(1, count), modelScans([]).read),
    ]);
    const { results, reads } = await verifyLogs(Object.fromEntries(codes), { mostIds: 500 });
    expect(results.map(({ days }) => days[0]?.gone)).toEqual(Object.values(counts));
    expect(reads).toBe(3);
    expect((await verifyLogs(Object.fromEntries(codes))).reads).toBe(1);
  });
});

describe('a year of scans', () => {
  const COUNT = SOAK ? 36_601 : 7321;
  const scans = Array.from(
    { length: COUNT },
    (_, at): ModelRow => ({ id: at + 1, time: START_MS + Math.floor((at * 366 * DAY_MS) / COUNT) }),
  );
  const until = START_MS + 366 * DAY_MS;

  it('costs one request if the log is equal, and at most two more per halving if one scan is missing (V1, V2)', async () => {
    const range = { sinceMs: undefined, untilMs: until };
    for (const order of ['ascending', 'descending'] as const) {
      const equal = modelScans(scans, { order });
      expect((await verifyLogs({ a: { read: equal.read, log: scans, range } })).results[0]?.outcome).toBe(
        'equal',
      );
      expect(equal.state.requests).toBe(1);
      for (const missing of [1, 1000, COUNT - 1]) {
        const service = modelScans(scans, { order });
        const { added } = await verifyLogs(
          { a: { read: service.read, log: without(scans, missing), range } },
          { width: 4 },
        );
        expect([...(added.get('a')?.keys() ?? [])]).toEqual([missing]);
        expect(service.state.requests).toBeLessThanOrEqual(1 + 2 * Math.log2(366) + 1);
      }
    }
  });
});
