import { describe, expect, test } from 'vitest';
import { NotFoundError, UnprovenError } from '../../src/errors.ts';
import { findCode, listAllCodes } from '../../src/service/codes.ts';
import type { PageRequest } from '../../src/service/service.ts';
import type { QrCode } from '../../src/service/shapes.ts';
import { CODE, collect } from './setup.ts';

function code(number: number): QrCode {
  return { ...CODE, id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`, slug: `slug-${number}` };
}

const codes = (count: number) => Array.from({ length: count }, (_, at) => code(at));

/** A service that lists `world()`; `world` may change between requests. */
function lister(world: (request: number) => QrCode[], { largest = 100, total = (real: number) => real } = {}) {
  const asked: PageRequest[] = [];
  return {
    asked,
    async listCodes(request: PageRequest) {
      const all = world(asked.length);
      asked.push(request);
      const limit = Math.min(request.limit, largest);
      const rows = all.slice((request.page - 1) * limit, request.page * limit);
      return { rows, total: total(all.length), serviceTimeMs: undefined };
    },
    getCode: async (id: string) => ({ ...CODE, id }),
  };
}

async function slugs(pages: AsyncIterable<QrCode[]>): Promise<string[]> {
  return (await collect(pages)).flat().map(({ slug }) => slug);
}

const expected = (count: number) => codes(count).map(({ slug }) => slug);

describe('listAllCodes', () => {
  test.each([0, 1, 99, 100, 101, 250])('%i codes cost as many requests as they fill pages', async (count) => {
    const service = lister(() => codes(count));
    expect(await slugs(listAllCodes(service, 4))).toEqual(expected(count));
    // One more behind a full last page: a total may be capped.
    const behind = count > 0 && count % 100 === 0 ? 1 : 0;
    expect(service.asked).toHaveLength(Math.max(1, Math.ceil(count / 100)) + behind);
  });

  test('a service that serves smaller pages than asked shortens nothing', async () => {
    const service = lister(() => codes(95), { largest: 20 });
    expect(await slugs(listAllCodes(service, 4))).toEqual(expected(95));
    expect(service.asked).toHaveLength(5);
  });

  test('a code created meanwhile shifts the pages: each comes once, and none is missing', async () => {
    const service = lister((request) => (request < 2 ? codes(250) : [code(999), ...codes(250)]));
    const found = await slugs(listAllCodes(service, 1));
    expect(new Set(found)).toEqual(new Set([...expected(250), 'slug-999']));
    expect(found).toHaveLength(251);
  });

  test('a code deleted meanwhile, which would hide another, makes it read again', async () => {
    const service = lister((request) => (request < 1 ? codes(250) : codes(250).slice(1)));
    const found = await slugs(listAllCodes(service, 1));
    expect(new Set(found)).toEqual(new Set(expected(250)));
  });

  test('a total that never adds up ends after three readings', async () => {
    const service = lister(() => codes(150), { total: (real) => real + 1 });
    await expect(slugs(listAllCodes(service, 4))).rejects.toThrow(UnprovenError);
    expect(service.asked).toHaveLength(6);
  });
});

describe('findCode', () => {
  test('an id in either case is asked for directly', async () => {
    const service = lister(() => []);
    expect(await findCode(service, 'ABCDEF00-0000-4000-8000-000000000000', 4)).toMatchObject({
      id: 'abcdef00-0000-4000-8000-000000000000',
    });
    expect(service.asked).toEqual([]);
  });

  test('a slug costs the listing up to its code', async () => {
    const service = lister(() => codes(1000));
    expect(await findCode(service, 'slug-150', 1)).toEqual(code(150));
    expect(service.asked.length).toBeLessThanOrEqual(3);
  });

  test('one that is not there is told with the nearest', async () => {
    const service = lister(() => codes(3));
    await expect(findCode(service, 'slug-2x', 4)).rejects.toMatchObject({
      constructor: NotFoundError,
      hint: 'did you mean slug-2?',
    });
    await expect(findCode(service, 'something else', 4)).rejects.toMatchObject({
      constructor: NotFoundError,
      hint: expect.stringContaining('qr list'),
    });
  });
});
