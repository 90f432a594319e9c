/** Finds the codes that rows specify, by the fewest requests. */

import { describe, expect, it } from 'vitest';
import { NotFoundError } from '#base/errors';
import type { TargetRow } from '#codes/input/check-rows';
import { faultsOfTwoNames, findCodes, type Lookup, missingCode, noSuchCode } from '#codes/listing/find-codes';
import type { QrCode } from '#service/shapes';
import { createSlugMemory } from '#service/slug-memory';
import { makeCode } from '../../support/make.ts';
import { NO_SLUG_STORE } from '../../support/no-slug-store.ts';

const code = (n: number): QrCode => makeCode({ id: `id-${n}`, slug: `s${n}`, name: `Code ${n}` });
const target = (row: number, id?: string, slug?: string): TargetRow => ({
  row,
  line: row + 1,
  values: new Map(),
  id,
  slug,
});

describe('the codes for rows', () => {
  function reader(total: number, seen: QrCode[] = []) {
    const asked: string[] = [];
    const slugs = createSlugMemory(NO_SLUG_STORE);
    slugs.note(seen);
    const all = Array.from({ length: total }, (_, at) => code(at + 1));
    return {
      asked,
      concurrency: 2,
      slugs,
      async listCodes({ page, limit }: { page: number; limit: number }) {
        asked.push(`page ${page} of ${limit}`);
        return {
          rows: all.slice((page - 1) * limit, page * limit),
          total,
          serviceTimeMs: Date.UTC(2026, 6, 1),
        };
      },
      async getCode(id: string) {
        asked.push(id);
        if (id === 'id-9') throw new NotFoundError('gone');
        return code(Number(id.slice(3)));
      },
    };
  }

  it('are requested one by one if at most three are specified by ID, and a missing code is not a failure', async () => {
    const few = reader(5);
    const find = await findCodes([target(1, 'id-1'), target(2, 'id-9'), target(3, 'id-1')], few);
    expect([find({ id: 'id-1', slug: undefined })?.slug, find({ id: 'id-9', slug: 's1' })]).toEqual([
      's1',
      undefined,
    ]);
    expect(few.asked.sort()).toEqual(['id-1', 'id-9']);
  });

  it('are read from the listing if a row has only a slug, and the slug is not cached', async () => {
    const slug = reader(5);
    const find = await findCodes([target(1, undefined, 's2')], slug);
    expect([find({ id: undefined, slug: 's2' })?.id, find({ id: undefined, slug: 'x' })]).toEqual([
      'id-2',
      undefined,
    ]);
    expect(slug.asked).toEqual(['page 1 of 100']);
  });

  it('are read from the listing until all slugs and all but three IDs are found, or to the end if a slug is missing', async () => {
    const asked = async (...rows: TargetRow[]) => {
      const pages = reader(290);
      await findCodes(rows, pages);
      return pages.asked.map((each) => each.replace(/^page (.) of 100$/, '$1')).join('');
    };
    expect(await asked(target(1, undefined, 's1'), target(2, undefined, 's100'), target(3, 'id-2'))).toBe(
      '1',
    );
    expect(await asked(target(1, undefined, 's1'), target(2, undefined, 's101'))).toBe('12');
    expect(await asked(target(1, undefined, 's1'), target(2, 'id-290'))).toBe('1id-290');
    const many = [201, 202, 203, 290].map((n) => target(n, `id-${n}`));
    expect(await asked(target(1, undefined, 's1'), ...many)).toBe('123');
    expect(await asked(target(1, undefined, 's1'), target(2, undefined, 'x'))).toBe('123');
    // Its slug may be of another code.
    expect(await asked(target(1, undefined, 's1'), target(2, 'id-2', 's201'))).toBe('123');
  });

  it('are requested by ID after page 1 of the listing if that takes fewer requests than the remaining pages', async () => {
    const rows = (...numbers: number[]) => numbers.map((n, at) => target(at + 1, `id-${n}`));
    const asked = async (total: number, ...numbers: number[]) => {
      const some = reader(total);
      const find = await findCodes(rows(...numbers), some);
      expect(numbers.map((n) => find({ id: `id-${n}`, slug: undefined })?.slug)).toEqual(
        numbers.map((n) => `s${n}`),
      );
      return some.asked;
    };
    expect(await asked(401, 1, 2, 3, 4)).toEqual(['page 1 of 100']);
    expect(await asked(401, 1, 2, 101, 102, 401)).toEqual(['page 1 of 100', 'id-101', 'id-102', 'id-401']);
    expect(await asked(401, 1, 101, 102, 103, 201)).toEqual([
      'page 1 of 100',
      'page 2 of 100',
      'page 3 of 100',
    ]);
  });

  it('are requested by the cached IDs of their slugs if that takes no more requests than the listing', async () => {
    const known = reader(5, [code(2)]);
    const find = await findCodes([target(1, undefined, 's2')], known);
    expect(find({ id: undefined, slug: 's2' })?.id).toBe('id-2');
    expect(known.asked).toEqual(['id-2']);
  });

  it('are read from the listing if a cached slug now belongs to another code, or its code was deleted', async () => {
    for (const other of [code(3), code(9)]) {
      const stale = reader(5, [{ ...other, slug: 's2' }]);
      const find = await findCodes([target(1, undefined, 's2')], stale);
      expect(find({ id: undefined, slug: 's2' })?.id).toBe('id-2');
      expect(stale.asked).toEqual([other.id, 'page 1 of 100']);
    }
  });
});

describe('a row', () => {
  const one = [code(1), code(2)];
  const lookup: Lookup = ({ id, slug }) =>
    one.find((each) => (id === undefined ? each.slug === slug : each.id === id));

  it.each([
    ['id-1', 's2', 'the ID belongs to s1, but the slug is s2: correct one of them'],
    ['id-1', 's1', undefined],
    ['id-1', '007', undefined],
    ['id-9', 's2', undefined],
    ['id-1', undefined, undefined],
    [undefined, 's2', undefined],
  ])('with the ID %s and the slug %s is a fault only if they belong to two codes', (id, slug, message) => {
    const faults = message === undefined ? [] : [{ line: 5, message, isSorted: true }];
    expect(faultsOfTwoNames([target(4, id, slug)], lookup)).toEqual(faults);
  });
});

it('a missing code is described by its ID, or else by its slug, with a hint', () => {
  const hint = 'Run `qrctl qr list` to see all codes.';
  expect(missingCode({ id: 'id-9', slug: 's9' })).toEqual({
    id: 'id-9',
    missing: new NotFoundError('no code has the ID id-9', { hint }),
  });
  expect(missingCode({ id: undefined, slug: 's9' })).toEqual({
    id: '',
    missing: new NotFoundError('no code has the slug s9', { hint }),
  });
});

it.each([
  ['CAFE\u0301', 'Specify a code by slug. The code with this name has the slug s1.'],
  ['Menu', '2 codes have this name. Run `qrctl qr list --name Menu` to list them.'],
  ['Menu of today', 'Run `qrctl qr list --name TEXT` to search by name.'],
  ['s12', 'Did you mean s1?'],
  ['unlike-any', 'Run `qrctl qr list` to see all slugs.'],
])('an unknown slug %j has the hint %j', (slug, hint) => {
  const codes = [
    { slug: 's1', name: ' caf\u00e9' },
    { slug: 's4', name: 'menu' },
    { slug: 's5', name: 'MENU ' },
  ];
  expect(noSuchCode(slug, codes).hint).toBe(hint);
});
