import { describe, expect, it } from 'vitest';
import { NotFoundError, RejectedError, UnavailableError } from '#base/errors';
import { cut, formatRange, pageReader, pageSizeOf, readFirst, widened, widest } from '#scans/export/range';
import type { ScanPageRequest } from '#service/service-options';
import { answers, idsOf, page, RANGE, reading, START } from './reading.ts';

const range = { sinceMs: START + 2000, untilMs: START + 4000 };

describe('a range', () => {
  it('is requested with a margin of a second on each side (C2)', async () => {
    const asked: ScanPageRequest[] = [];
    const read = async (request: ScanPageRequest) => {
      asked.push(request);
      return page([]);
    };
    await readFirst(read, widened(range));
    await pageReader(reading(read, { range }), page([2], { total: 9 }))(3);
    const wider = { sinceMs: START + 1000, untilMs: START + 5000 };
    expect(asked).toEqual([
      { page: 1, limit: 500, ...wider },
      { page: 3, limit: 1, ...wider },
    ]);
  });

  it('is requested without a bound that it lacks', async () => {
    const asked: ScanPageRequest[] = [];
    await readFirst(
      async (request) => {
        asked.push(request);
        return page([]);
      },
      { sinceMs: undefined, untilMs: undefined },
    );
    expect(asked).toEqual([{ page: 1, limit: 500 }]);
  });

  it('cuts rows exactly: it includes its beginning and excludes its end (C2)', () => {
    expect(idsOf(cut(page([1, 2, 3, 4, 5]), range))).toEqual([2, 3]);
    expect(idsOf(cut(page([1, 2, 3, 4, 5]), { sinceMs: undefined, untilMs: range.untilMs }))).toEqual([
      1, 2, 3,
    ]);
  });

  it('leaves a batch of rows unchanged if all of them are inside', () => {
    const inside = page([2, 3]);
    expect(cut(inside, range)).toBe(inside);
  });

  it('is formatted as its bounds in UTC', () => {
    expect(formatRange({ sinceMs: 0, untilMs: 1000 })).toBe(
      'from 1970-01-01T00:00:00.000Z until 1970-01-01T00:00:01.000Z',
    );
    expect(formatRange({ sinceMs: undefined, untilMs: 1000 })).toBe('until 1970-01-01T00:00:01.000Z');
  });
});

describe('the size of a page', () => {
  it('is the number of rows on page 1 if the total is larger, and the maximum if page 1 has all rows or none', () => {
    expect(pageSizeOf(page([1, 2], { total: 3 }))).toBe(2);
    expect(pageSizeOf(page([1, 2], { total: 2 }))).toBe(500);
    expect(pageSizeOf(page([], { total: 3 }))).toBe(500);
  });

  it.each([
    [2, 2],
    [3, 3],
    [499, 499],
    [1, 500],
    [0, 500],
    [500, 500],
    [1000, 500],
  ])('with a reported limit of %i is %i rows if page 1 has all rows', (limit, size) => {
    expect(pageSizeOf({ ...page([1, 2]), limit })).toBe(size);
  });

  it('is one row for a reported limit of 1 if page 1 is empty, and the maximum for a limit of 0', () => {
    expect(pageSizeOf({ ...page([], { total: 3 }), limit: 1 })).toBe(1);
    expect(pageSizeOf({ ...page([], { total: 3 }), limit: 0 })).toBe(500);
  });
});

describe('a page that the service refuses', () => {
  const read = (error: Error, number: number) => {
    const first = page([1, 2], { total: 4 });
    return pageReader(reading(answers(error).read, { range: RANGE }), first)(number);
  };

  it('is treated as empty if page 1 was returned, because the service has no further pages', async () => {
    const empty = { rows: [], times: [], total: 4, serviceTimeMs: undefined };
    expect(await read(new RejectedError('page out of range'), 2)).toEqual(empty);
    expect(await read(new NotFoundError('no such page'), 2)).toEqual(empty);
  });

  it.each<[string, Error, number]>([
    ['it is page 1', new RejectedError('bad range'), 1],
    ['it is page 1 of a deleted code', new NotFoundError('not found'), 1],
    ['the service fails in another way', new UnavailableError('the service failed'), 3],
  ])('causes the error of the service if %s', async (_, error, number) => {
    await expect(read(error, number)).rejects.toBe(error);
  });
});

it('the range of an export contains the ranges of all its codes', () => {
  const range = { sinceMs: 3, untilMs: 9 };
  expect(widest(undefined, range)).toBe(range);
  expect(widest(range, { sinceMs: 2, untilMs: 8 })).toEqual({ sinceMs: 2, untilMs: 9 });
  expect(widest({ sinceMs: 2, untilMs: 8 }, range)).toEqual({ sinceMs: 2, untilMs: 9 });
  expect(widest(range, { untilMs: 8 })).toEqual({ sinceMs: undefined, untilMs: 9 });
});
