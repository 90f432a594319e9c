import { describe, expect, test } from 'vitest';
import { NotFoundError } from '#base/errors';
import { findCode, findCodes, targetOf } from '#codes/listing/find-codes';
import type { PageRequest } from '#service/service-options';
import type { QrCode } from '#service/shapes';
import { createSlugMemory } from '#service/slug-memory';
import { CODE } from '../../service/setup.ts';
import { NO_SLUG_STORE } from '../../support/no-slug-store.ts';

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const code = (number: number): QrCode => ({ ...CODE, id: idOf(number), slug: `slug-${number}` });
const codes = (count: number) => Array.from({ length: count }, (_, at) => code(at));

/** A service with these codes. */
function serviceOf(all: QrCode[], slugs = createSlugMemory(NO_SLUG_STORE)) {
  const asked: PageRequest[] = [];
  const got: string[] = [];
  return {
    concurrency: 4,
    asked,
    async listCodes(request: PageRequest) {
      asked.push(request);
      const rows = all.slice((request.page - 1) * request.limit, request.page * request.limit);
      return { rows, total: all.length, serviceTimeMs: Date.UTC(2026, 6, 1) };
    },
    got,
    slugs,
    async getCode(id: string) {
      got.push(id);
      if (all.length === 0) return { ...CODE, id };
      const found = all.find((other) => other.id === id);
      if (!found) throw new NotFoundError('not found (404)', { status: 404 });
      return found;
    },
  };
}

describe('findCode', () => {
  test('requests a code by its ID, even an ID in upper case, without the listing', async () => {
    const service = serviceOf([]);
    expect(await findCode(service, 'ABCDEF00-0000-4000-8000-000000000000')).toMatchObject({
      id: 'abcdef00-0000-4000-8000-000000000000',
    });
    expect(service.asked).toEqual([]);
  });

  test('requests the listing up to the page with the slug', async () => {
    for (const [number, pages] of [
      [0, 1],
      [99, 1],
      [150, 2],
      [999, 10],
    ] as const) {
      const service = serviceOf(codes(1000));
      expect(await findCode(service, `slug-${number}`)).toEqual(code(number));
      expect(service.asked).toHaveLength(pages);
    }
  });

  test('suggests the most similar slug for an unknown slug, or else `qr list`', async () => {
    const service = serviceOf(codes(3));
    await expect(findCode(service, 'slug-2x')).rejects.toMatchObject({
      constructor: NotFoundError,
      hint: 'Did you mean slug-2?',
    });
    await expect(findCode(service, 'something else')).rejects.toMatchObject({
      constructor: NotFoundError,
      hint: expect.stringContaining('qr list'),
    });
  });
});

describe('a slug', () => {
  /** A service of so many codes, all of which were listed once. */
  function knowing(count: number, now = codes(count)) {
    const slugs = createSlugMemory(NO_SLUG_STORE);
    slugs.note(codes(count));
    return serviceOf(now, slugs);
  }

  async function slugsOf(service: ReturnType<typeof serviceOf>, ...names: string[]) {
    const targets = names.map(targetOf);
    const lookup = await findCodes(targets, service, true);
    return targets.map((target) => lookup(target)?.slug);
  }

  test('that was seen before is found with one request, which verifies that the code still has the slug', async () => {
    const service = knowing(3000);
    expect(await findCode(service, 'slug-2900')).toEqual(code(2900));
    expect(service.got).toEqual([idOf(2900)]);
    expect(service.asked).toEqual([]);
  });

  test.each([
    ['whose code was deleted', [...codes(5).slice(1), { ...code(7), slug: 'slug-0' }], idOf(7)],
    [
      'that now belongs to another code',
      [
        { ...code(0), slug: 'other' },
        { ...code(9), slug: 'slug-0' },
      ],
      idOf(9),
    ],
  ])(
    'that was seen before and %s is removed from the cache, and looked up in the listing',
    async (_, now, id) => {
      const service = knowing(5, now);
      expect(await findCode(service, 'slug-0')).toMatchObject({ id });
      expect(service.got).toEqual([idOf(0)]);
      expect(service.asked).toHaveLength(1);
      expect(await service.slugs.idOf('slug-0')).toBeUndefined();
    },
  );

  test('that was seen before is requested by ID, as are two other such slugs, if that takes fewer requests than the listing', async () => {
    const service = knowing(1000);
    const wanted = ['slug-999', 'slug-0', 'slug-500'];
    expect(await slugsOf(service, ...wanted)).toEqual(wanted);
    expect(service.got).toHaveLength(3);
    expect(service.asked).toEqual([]);
  });

  test('is looked up in the listing with other slugs if that takes fewer requests, or if a slug was never seen', async () => {
    const many = knowing(150);
    await slugsOf(many, 'slug-0', 'slug-1', 'slug-2');
    expect([many.got.length, many.asked.length]).toEqual([0, 1]);
    const fresh = serviceOf(codes(450));
    await slugsOf(fresh, 'slug-120', 'slug-20');
    expect([fresh.got.length, fresh.asked.length]).toEqual([0, 2]);
  });

  test('is looked up in the listing together with IDs until at most three IDs remain, which are requested directly', async () => {
    const service = serviceOf(codes(450));
    expect(await slugsOf(service, 'slug-120', idOf(3), idOf(300))).toEqual([
      'slug-120',
      'slug-3',
      'slug-300',
    ]);
    expect([service.got, service.asked.length]).toEqual([[idOf(300)], 2]);
    const many = serviceOf(codes(450));
    await slugsOf(many, 'slug-120', idOf(300), idOf(301), idOf(302), idOf(440));
    expect([many.got, many.asked.length]).toEqual([[idOf(440)], 4]);
  });

  test('that was seen before and whose code was deleted is reported, even among other slugs', async () => {
    const service = knowing(1000, codes(999));
    await expect(slugsOf(service, 'slug-0', 'slug-999')).rejects.toThrow(
      'no code has the ID or slug slug-999',
    );
  });
});
