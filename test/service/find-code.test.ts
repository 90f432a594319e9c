import { describe, expect, test } from 'vitest';
import { NotFoundError } from '../../src/errors.ts';
import { findCode } from '../../src/service/find-code.ts';
import type { PageRequest } from '../../src/service/service.ts';
import type { QrCode } from '../../src/service/shapes.ts';
import { CODE } from './setup.ts';

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const code = (number: number): QrCode => ({ ...CODE, id: idOf(number), slug: `slug-${number}` });
const codes = (count: number) => Array.from({ length: count }, (_, at) => code(at));

/** A service with these codes. */
function serviceOf(all: QrCode[]) {
  const asked: PageRequest[] = [];
  return {
    asked,
    async listCodes(request: PageRequest) {
      asked.push(request);
      const rows = all.slice((request.page - 1) * request.limit, request.page * request.limit);
      return { rows, total: all.length, serviceTimeMs: Date.UTC(2026, 6, 1) };
    },
    getCode: async (id: string) => ({ ...CODE, id }),
  };
}

describe('findCode', () => {
  test('an id in either case is asked for directly', async () => {
    const service = serviceOf([]);
    expect(await findCode(service, 'ABCDEF00-0000-4000-8000-000000000000')).toMatchObject({
      id: 'abcdef00-0000-4000-8000-000000000000',
    });
    expect(service.asked).toEqual([]);
  });

  test('a slug costs the listing up to the page that has its code, and none behind', async () => {
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

  test('one that is not there is told with the nearest', async () => {
    const service = serviceOf(codes(3));
    await expect(findCode(service, 'slug-2x')).rejects.toMatchObject({
      constructor: NotFoundError,
      hint: 'did you mean slug-2?',
    });
    await expect(findCode(service, 'something else')).rejects.toMatchObject({
      constructor: NotFoundError,
      hint: expect.stringContaining('qr list'),
    });
  });
});
