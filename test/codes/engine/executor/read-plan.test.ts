/** Codes that rows name: what a list without them shows. */
import { describe, expect, it } from 'vitest';
import { NotFoundError } from '#base/errors';
import { listingOf, readFirst } from '#codes/engine/executor/read-plan';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { Ledger } from '#codes/engine/plan/model';
import { plan } from '#codes/engine/plan/plan';
import type { QrCode } from '#service/shapes';
import { CODE } from '../../../service/setup.ts';
import { POLICY, rowOf } from '../plan/make.ts';

/** Reads one row for a deletion, with lists of these codes, one after the other. `isThere`: the service has the code of the row. */
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

describe('a row whose code is missing from a listing', () => {
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
    await expect(read).rejects.toThrow('the list of codes is out of date');
  });
});
