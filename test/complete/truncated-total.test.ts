import { describe, expect, it } from 'vitest';
import { askBeyond, mayBeTruncated } from '../../src/complete/truncated-total.ts';
import type { ScanPageRequest } from '../../src/service/service.ts';
import type { ScanPage } from '../../src/service/shapes.ts';
import { page, RANGE, reading, START } from './reading.ts';

/** What asking beyond the page with seconds 10 to 14 tells when the service answers with `answer`, and what it was asked. */
async function asked(order: 'ascending' | 'descending', answer: ScanPage, last = page([10, 12, 14])) {
  const requests: ScanPageRequest[] = [];
  const read = async (request: ScanPageRequest) => {
    requests.push(request);
    return answer;
  };
  const range = { sinceMs: START, untilMs: RANGE.untilMs };
  return { more: await askBeyond(reading(read, { range }), order, last), requests };
}

it('may be truncated: a total that is as round as the numbers at which services stop counting', () => {
  expect([1000, 1500, 10_000].map(mayBeTruncated)).toEqual([true, true, true]);
  expect([0, 500, 999, 1001, 1250].map(mayBeTruncated)).toEqual([false, false, false, false, false]);
});

describe('asking beyond the last page', () => {
  it('asks by the time of its outermost row, whatever order the page itself has', async () => {
    const last = page([12, 14, 10]);
    const { untilMs } = { untilMs: RANGE.untilMs + 1000 };
    expect((await asked('ascending', page([14]), last)).requests).toEqual([
      { page: 1, limit: 500, sinceMs: START + 13_000, untilMs },
    ]);
    expect((await asked('descending', page([10]), last)).requests).toEqual([
      { page: 1, limit: 500, sinceMs: START - 1000, untilMs: START + 11_000 },
    ]);
  });

  it('tells that there is nothing where only rows of the page come, or rows inside it', async () => {
    expect((await asked('ascending', page([14]))).more).toBe(false);
    expect((await asked('descending', page([10]))).more).toBe(false);
    expect((await asked('ascending', page([13]))).more).toBe(false);
    expect((await asked('descending', page([11]))).more).toBe(false);
    expect((await asked('ascending', page([]))).more).toBe(false);
  });

  it('tells that there is more where a row comes that lies beyond, or at the edge and is not known', async () => {
    expect((await asked('ascending', page([14, 15]))).more).toBe(true);
    expect((await asked('descending', page([9, 10]))).more).toBe(true);
    expect((await asked('ascending', page([14, 99], { times: [14, 14] }))).more).toBe(true);
    expect((await asked('descending', page([10, 99], { times: [10, 10] }))).more).toBe(true);
  });

  it('cannot tell where the answer counts more rows than it shows: the service heeds no bounds', async () => {
    expect((await asked('ascending', page([14], { total: 2 }))).more).toBeUndefined();
  });

  it('does not ask where the page is too dense: its rows lie within two seconds', async () => {
    expect(await asked('ascending', page([15]), page([10, 11, 12]))).toEqual({ more: undefined, requests: [] });
    expect((await asked('ascending', page([15]), page([10, 11, 13]))).more).toBe(true);
  });
});
