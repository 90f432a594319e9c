import { describe, expect, it } from 'vitest';
import { createResolver, RefusedAddressError, widenLookups } from '#codes/destinations/resolve-host';

const v4 = (address: string) => ({ address, family: 4 });

/** A name server that gives these answers in turn, and what it was asked. */
function answering(...answers: (string[] | Error)[]) {
  const asked: string[] = [];
  return {
    asked,
    lookup: async (hostname: string) => {
      const answer = answers[asked.push(hostname) - 1] ?? [];
      if (answer instanceof Error) throw answer;
      return answer.map(v4);
    },
  };
}

describe('createResolver', () => {
  it('returns only the public addresses of a name, and rejects names and IP addresses that are not public (K1)', async () => {
    const { lookup } = answering(['10.0.0.1', '5.5.5.5'], ['192.168.0.1']);
    const resolve = createResolver(lookup, false, 4);
    expect(await resolve('mixed.test')).toEqual([v4('5.5.5.5')]);
    await expect(resolve('home.test')).rejects.toThrow(
      'home.test resolves to 192.168.0.1, which is a private address; checking it requires --allow-private',
    );
    await expect(resolve('[::1]')).rejects.toThrow(
      '::1 is a loopback address; checking it requires --allow-private',
    );
    await expect(resolve('127.0.0.1')).rejects.toBeInstanceOf(RefusedAddressError);
  });

  it('returns all addresses for a name if private addresses are allowed', async () => {
    const { lookup } = answering(['10.0.0.1', '5.5.5.5']);
    expect(await createResolver(lookup, true, 4)('mixed.test')).toEqual([v4('10.0.0.1'), v4('5.5.5.5')]);
  });

  it("looks up a name once, so that a later DNS response can't change its addresses (K2)", async () => {
    const { lookup, asked } = answering(['5.5.5.5'], ['10.0.0.1']);
    const resolve = createResolver(lookup, false, 4);
    await resolve('rebinds.test');
    expect(await resolve('rebinds.test')).toEqual([v4('5.5.5.5')]);
    expect(asked).toEqual(['rebinds.test']);
  });

  it('looks up a name again after a failed lookup', async () => {
    const { lookup } = answering(new Error('EAI_AGAIN'), ['5.5.5.5']);
    const resolve = createResolver(lookup, false, 4);
    await expect(resolve('late.test')).rejects.toThrow('EAI_AGAIN');
    expect(await resolve('late.test')).toEqual([v4('5.5.5.5')]);
  });

  it('rejects a name without an address', async () => {
    await expect(createResolver(answering([]).lookup, false, 4)('empty.test')).rejects.toThrow(
      'empty.test has no address',
    );
  });

  it('looks up at most `width` names at a time, and calls `began` when each lookup starts', async () => {
    const waiting: (() => void)[] = [];
    const lookup = (hostname: string) =>
      new Promise<{ address: string; family: number }[]>((found) =>
        waiting.push(() => found([v4(`5.5.5.${hostname}`)])),
      );
    const resolve = createResolver(lookup, false, 4);
    const began: number[] = [];
    const all = Promise.all([1, 2, 3, 4, 5, 6].map((n) => resolve(`${n}`, () => began.push(n))));
    await Promise.resolve();
    expect(began).toEqual([1, 2, 3, 4]);
    while (began.length < 6 || waiting.length > 0) {
      waiting.shift()?.();
      await new Promise((resolved) => setImmediate(resolved));
    }
    expect((await all).map(([found]) => found?.address)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `5.5.5.${n}`));
    // The turns are free again, and as many as before.
    for (const n of [7, 8, 9, 10, 11]) void resolve(`${n}`, () => began.push(n));
    await Promise.resolve();
    expect(began.slice(6)).toEqual([7, 8, 9, 10]);
  });
});

describe('widenLookups', () => {
  it('sets UV_THREADPOOL_SIZE to 64 unless it is set, and returns half the number of threads, from 2 to 512', () => {
    const env: NodeJS.ProcessEnv = {};
    expect(widenLookups(env)).toBe(32);
    expect(env.UV_THREADPOOL_SIZE).toBe('64');
    expect(widenLookups({ UV_THREADPOOL_SIZE: '8' })).toBe(4);
    expect(widenLookups({ UV_THREADPOOL_SIZE: '9' })).toBe(4);
    for (const few of ['many', '1', '0', '-8']) expect(widenLookups({ UV_THREADPOOL_SIZE: few })).toBe(2);
    expect(widenLookups({ UV_THREADPOOL_SIZE: '5000' })).toBe(512);
  });
});
