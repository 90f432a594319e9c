import { describe, expect, it } from 'vitest';
import { NotFoundError } from '../../../src/base/errors.ts';
import { SETTLE_MS } from '../../../src/codes/engine/creation/landing-delay.ts';
import { byAge } from '../../../src/codes/engine/identify.ts';
import { createListing, readCodes, idOf as resolve, staleError } from '../../../src/codes/engine/known-codes.ts';
import type { QrCode } from '../../../src/service/shapes.ts';
import { fakeClock } from '../../support/clock.ts';
import { codeOf, idOf } from './plan-world.ts';

const HEX = 'ABCDEFAB-0000-4000-8000-00000000000A';
const shown = codeOf(9, { id: HEX });

/** Lists these one after the other, the last one again and again. */
function listingOf(...lists: QrCode[][]) {
  let read = 0;
  const listing = createListing({ listCodes: async () => lists[Math.min(read++, lists.length - 1)] ?? [] });
  return { listing, reads: () => read };
}

/** Reads the codes from these listings; `there` are the codes of the service. */
async function read(lists: QrCode[][], there: QrCode[], ids: string[]) {
  const clock = fakeClock({ wallMs: 0 });
  const asked: string[] = [];
  const getCode = async (id: string) => {
    asked.push(id);
    const code = there.find((one) => one.id === id);
    if (!code) throw new NotFoundError('no code');
    return code;
  };
  const { listing, reads } = listingOf(...lists);
  const job = { clock, settleMs: SETTLE_MS, signal: new AbortController().signal, concurrency: 2, service: { getCode } };
  const { codes, isStale } = await clock.run(readCodes(job, listing, new Set(ids)));
  return { ids: [...codes.keys()], isStale, asked, reads: reads(), waitedMs: clock.monotonic() };
}

describe('the codes of a plan', () => {
  it('are those of one listing if it has all that must not be missed, in any case of their ids', async () => {
    const ids = [idOf(1), HEX.toLowerCase()];
    expect(await read([[codeOf(1), shown]], [], ids)).toEqual({ ids, isStale: false, asked: [], reads: 1, waitedMs: 0 });
  });

  it('lack those that were deleted', async () => {
    const all = await read([[codeOf(1)]], [codeOf(1)], [idOf(1), idOf(2)]);
    expect(all).toEqual({ ids: [idOf(1)], isStale: false, asked: [idOf(2)], reads: 1, waitedMs: 0 });
  });

  it('are read again after --settle if the listing lacks one that exists, and may then be complete (Y15)', async () => {
    const late = await read([[codeOf(1)], [codeOf(1), codeOf(2)]], [codeOf(2)], [idOf(2)]);
    expect(late).toEqual({ ids: [idOf(1), idOf(2)], isStale: false, asked: [idOf(2)], reads: 2, waitedMs: SETTLE_MS });
    const stale = await read([[codeOf(3)]], [codeOf(2)], [idOf(2)]);
    expect(stale).toMatchObject({ ids: [idOf(2), idOf(3)], isStale: true, asked: [idOf(2), idOf(2)], reads: 2 });
    expect(staleError().hint).toContain('cache or gateway');
  });

  it('are sorted by age, then by id; of unknown age last', () => {
    const at = '2026-01-01T00:00:00Z';
    const codes = [codeOf(4, { created_at: '' }), codeOf(3, { created_at: at }), codeOf(2, { created_at: at }), codeOf(1)];
    for (const all of [codes, codes.toReversed()]) expect([...byAge(all).keys()]).toEqual([2, 3, 1, 4].map(idOf));
  });
});

describe('a code that the user specified', () => {
  it('is its id without a listing, or the id of its slug', async () => {
    const { listing, reads } = listingOf([codeOf(1), shown]);
    expect(await resolve(HEX, listing)).toBe(HEX.toLowerCase());
    expect(reads()).toBe(0);
    expect(await resolve('s1', listing)).toBe(idOf(1));
    expect(await resolve('s9', listing)).toBe(HEX.toLowerCase());
    expect(reads()).toBe(1);
  });

  it('is refused if no code has the slug', async () => {
    const end = resolve('other', listingOf([codeOf(1)]).listing);
    await expect(end).rejects.toBeInstanceOf(NotFoundError);
    await expect(end).rejects.toMatchObject({ hint: 'Run `qrctl qr list` to see all slugs.' });
  });
});
