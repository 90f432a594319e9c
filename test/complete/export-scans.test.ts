import { describe, expect, test } from 'vitest';
import { exportScans } from '../../src/complete/export-scans.ts';
import { UnprovenError } from '../../src/errors.ts';
import { fetchInOrder } from '../../src/service/pages.ts';
import { type ModelRow, type ModelScansOptions, modelScans } from '../support/model-service/scans.ts';

const START = 1_760_000_000_000;
const HOUR = 3_600_000;
const RANGE = { sinceMs: undefined, untilMs: START + 1000 * HOUR };

/** Rows with ids from 1, `together` of them in each second. */
function rows(count: number, together = 1): ModelRow[] {
  return Array.from({ length: count }, (_, i) => ({ id: i + 1, time: START + Math.floor(i / together) * 1000 }));
}

async function exported(count: number, how: ModelScansOptions & { together?: number }) {
  const service = modelScans(rows(count, how.together), how);
  let ids: number[] = [];
  const job = { code: 'spring-menu', range: RANGE, fetchInOrder, width: 4, note: () => undefined };
  await exportScans(
    { ...job, read: service.read, checkExists: async () => undefined },
    {
      async write(batch) {
        ids.push(...batch.rows.map((row) => Number(row.id)));
        return batch.rows.length;
      },
      checkpoint: async () => async () => {
        ids = [];
        return true;
      },
    },
  );
  return { ids, requests: service.state.requests };
}

const all = (count: number) => rows(count).map((row) => row.id);
const capped = (cap: number): ModelScansOptions => ({ reach: cap, lie: (total) => Math.min(total, cap) });

describe.each(['ascending', 'descending'] as const)('a service that pages %s', (order) => {
  test.each([
    [1200, 1000],
    [6000, 5000],
    [26_000, 10_000],
  ])('has %i scans, and neither counts nor shows more than %i: they are all exported', async (count, cap) => {
    expect((await exported(count, { order, ...capped(cap) })).ids).toEqual(all(count));
  });

  test.each([
    [5000, 1000],
    [60_000, 10_000],
  ])('has %i scans, and pages no further than %i: they are all exported', async (count, reach) => {
    expect((await exported(count, { order, reach })).ids).toEqual(all(count));
    expect((await exported(count, { order, reach, refusesBeyond: true })).ids).toEqual(all(count));
  });

  test.each([1000, 1500, 5000])('has just %i scans: that costs one request more than its pages', async (count) => {
    for (const together of [1, 3]) {
      const { ids, requests } = await exported(count, { order, together });
      expect(ids).toEqual(all(count));
      expect(requests).toBe(count / 500 + 1);
    }
  });

  test('has bursts of 700 scans that swap places in every answer: they are all exported', async () => {
    expect((await exported(3500, { order, together: 700, shuffleTies: true })).ids).toEqual(all(3500));
    expect((await exported(1200, { order, together: 1200, shuffleTies: true })).ids).toEqual(all(1200));
  });
});

describe('what does not add up is said', () => {
  test.each<[string, ModelScansOptions, RegExp]>([
    ['a total that is too large', { lie: (total) => total + 7 }, /the service counts \d+ rows and shows \d+$/],
    [
      'rows that are gone all at once, of a code that is still there',
      { lie: (total, request) => (request < 3 ? total : 0), shorten: (page, request) => (request < 3 ? page : []) },
      /the service showed rows before, and now none$/,
    ],
  ])('%s', async (_, how, words) => {
    const failure = await exported(1800, { order: 'descending', ...how }).catch((error) => error);
    expect(failure).toBeInstanceOf(UnprovenError);
    expect(failure.message).toMatch(/^the export of the scans of spring-menu until .* could not be proven complete: /);
    expect(failure.message).toMatch(words);
  });
});
