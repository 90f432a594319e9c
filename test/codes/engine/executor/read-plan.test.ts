/** How a run reads the codes for its rows, and detects a listing that lacks existing codes. */
import { describe, expect, it } from 'vitest';
import { NotFoundError, UnprovenError } from '#base/errors';
import { listingOf, readAgain, readFirst, readNamed } from '#codes/engine/executor/read-plan';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { Ledger } from '#codes/engine/plan/model';
import { plan } from '#codes/engine/plan/plan';
import type { QrCode } from '#service/shapes';
import { CODE } from '../../../service/setup.ts';
import { codeOf, idOf, newRow, POLICY, rowOf } from '../plan/make.ts';

/** Plans the deletion of one code. Each listing returns the next of `lists`. `isThere`: whether the service has the code. */
async function readRow(lists: readonly (readonly QrCode[])[], isThere: boolean) {
  const waits: number[] = [];
  const left = [...lists];
  const next = () => left.shift() ?? [];
  const ledger: Ledger = {
    view: () => createReplay().view(),
    append: async () => undefined,
    note: () => undefined,
  };
  const read = readFirst({
    run: 'r',
    rows: [rowOf(2, { id: CODE.id.toLowerCase() })],
    policy: { ...POLICY, verb: 'delete' },
    lock: undefined,
    ledger,
    plan,
    settleMs: 10_000,
    readNamed: async () => listingOf(next(), false),
    listCodes: async () => next(),
    clock: { now: () => 0, monotonic: () => 0, random: () => 0, sleep: async (ms) => void waits.push(ms) },
    signal: new AbortController().signal,
    service: {
      async getCode() {
        if (!isThere) throw new NotFoundError('not found');
        return CODE;
      },
    },
  });
  return { waits, read };
}

describe('a row for `qr delete` whose code is missing from a listing', () => {
  it('has the action `deleted` if a request for the code does not find it either', async () => {
    const { read } = await readRow([[]], false);
    expect((await read).plan.items).toMatchObject([{ action: 'deleted' }]);
  });

  it('is assigned to its code if a later listing contains the code', async () => {
    const { read, waits } = await readRow([[], [], [CODE]], true);
    expect((await read).plan.items).toMatchObject([{ action: 'delete', code: CODE }]);
    expect(waits).toEqual([10_000]);
  });

  it('makes the run fail if the service returns the code, but no listing contains it', async () => {
    const { read } = await readRow([[], [], []], true);
    await expect(read).rejects.toMatchObject({
      message: 'the list of codes is out of date: it lacks codes that exist',
      hint: 'Make the cache or gateway forward GET requests to the service. Then run the same command again.',
    });
  });
});

describe('a listing', () => {
  /** Plans again after the run created the codes in `made`. Each listing returns the next of `lists`. `existing`: codes that the service has. */
  async function readMade(
    made: readonly string[],
    lists: readonly (readonly QrCode[])[],
    existing: string[],
  ) {
    const requested: string[] = [];
    const left = [...lists];
    const replay = createReplay();
    const settled: boolean[] = [];
    const read = readAgain(
      {
        run: 'r',
        rows: [newRow(2, 'Menu', 'https://example.com/menu')],
        policy: POLICY,
        lock: undefined,
        ledger: { view: () => replay.view() },
        plan(input) {
          settled.push(input.isSettled);
          return plan(input);
        },
        settleMs: 10_000,
        readNamed: undefined,
        listCodes: async () => left.shift() ?? [],
        clock: { now: () => 0, monotonic: () => 0, random: () => 0, sleep: async () => undefined },
        signal: new AbortController().signal,
        service: {
          async getCode(id) {
            requested.push(id);
            if (!existing.includes(id)) throw new NotFoundError('not found');
            return codeOf(1, { id });
          },
        },
      },
      new Set(made),
    );
    const result = await read.catch((error: unknown) => error);
    return { requested, result, settled };
  }

  const made = [1, 2, 3, 4, 5].map(idOf);

  it('is out of date if it lacks an existing code among the three newest codes that the run created', async () => {
    const { result, requested, settled } = await readMade(made, [[], []], [idOf(5)]);
    expect(result).toBeInstanceOf(UnprovenError);
    expect(requested).toEqual([...made.slice(-3), ...made.slice(-3)]);
    expect(settled).toEqual([true, true]);
  });

  it('requires no further requests if it contains every code that the run created', async () => {
    const codes = [5, 4, 3, 2, 1].map((number) => codeOf(number));
    const { result, requested } = await readMade(made, [codes], made);
    expect(requested).toEqual([]);
    expect(result).toMatchObject({ plan: { items: [{ action: 'create' }] } });
  });

  it('has its codes sorted from oldest to newest, keyed by lowercase ID', () => {
    const codes = [
      codeOf(1, { created_at: '2026-02-01T00:00:00Z' }),
      codeOf(2, { id: idOf(2).toUpperCase(), created_at: '2026-01-01T00:00:00Z' }),
    ];
    const listing = listingOf(codes, true);
    expect([...listing.codes.keys()]).toEqual([idOf(2), idOf(1)]);
    expect(listing.isWhole).toBe(true);
  });

  it('of only the codes specified in rows includes the codes for both the ID and the slug of a row', async () => {
    const codes = [1, 2, 3].map((number) => codeOf(number));
    const finder = {
      concurrency: 1,
      slugs: {
        idOf: async () => undefined,
        size: async () => 0,
        forget: () => undefined,
      },
      listCodes: async () => ({ rows: codes, total: codes.length, serviceTimeMs: undefined }),
      getCode: async (id: string) => {
        const found = codes.find((code) => code.id === id);
        if (!found) throw new NotFoundError('not found');
        return found;
      },
    };
    const read = async (...rows: Partial<Parameters<typeof rowOf>[1]>[]) => {
      const listing = await readNamed(
        finder as unknown as Parameters<typeof readNamed>[0],
        rows.map((row, at) => rowOf(at + 2, row)),
      );
      expect(listing.isWhole).toBe(false);
      return [...listing.codes.values()].map(({ slug }) => slug);
    };
    expect(await read({ id: idOf(1) })).toEqual(['n0001']);
    expect(await read({ slug: 'n0002' })).toEqual(['n0002']);
    expect(await read({ id: idOf(1), slug: 'n0003' })).toEqual(['n0001', 'n0003']);
    expect(await read({ id: idOf(1), slug: 'none' }, { slug: 'n0001' })).toEqual(['n0001']);
    expect(await read({ id: idOf(9) })).toEqual([]);
  });
});
