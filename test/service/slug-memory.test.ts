import { describe, expect, test, vi } from 'vitest';
import { createSlugMemory } from '#service/slug-memory';

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const code = (number: number) => ({ id: idOf(number), slug: `slug-${number}`, name: `Code ${number}` });
const entry = (number: number) => [`slug-${number}`, idOf(number), `Code ${number}`];

/** What is kept between runs. */
function storeOf(kept: unknown) {
  const store = { kept, writes: 0 };
  return {
    store,
    read: async () => store.kept,
    has: async (codes: readonly unknown[]) =>
      codes.every((one) => JSON.stringify(store.kept).includes(JSON.stringify(one))),
    async write(next: unknown) {
      store.kept = next;
      store.writes += 1;
    },
  };
}

describe('remembered slugs', () => {
  test('are the slugs from this run and earlier runs', async () => {
    const store = storeOf({ codes: [entry(1)] });
    const memory = createSlugMemory(store);
    memory.note([code(2)]);
    expect(await memory.idOf('slug-1')).toBe(idOf(1));
    expect(await memory.idOf('slug-2')).toBe(idOf(2));
    expect(await memory.idOf('slug-3')).toBeUndefined();
    expect(await memory.size()).toBe(2);
    await memory.save();
    expect(await createSlugMemory(store).idOf('slug-2')).toBe(idOf(2));
  });

  test('are written only if they changed, and read only if needed', async () => {
    const store = storeOf({ codes: [entry(1)] });
    await createSlugMemory({ ...store, read: () => Promise.reject(new Error('not asked for')) }).save();
    const memory = createSlugMemory({ ...store, read: () => Promise.reject(new Error('not needed')) });
    memory.note([code(1)]);
    await memory.save();
    expect(store.store.writes).toBe(0);
    const unsure = createSlugMemory({ ...store, has: async () => false });
    unsure.note([code(1)]);
    await unsure.save();
    expect(store.store.writes).toBe(0);
  });

  test.each([
    [500, 0],
    [501, 1],
  ])(
    'of a run with %i unchanged codes are compared with %i reads of the stored value',
    async (count, reads) => {
      const codes = Array.from({ length: count }, (_, at) => code(at));
      const store = storeOf({ codes: codes.map((_, at) => entry(at)) });
      const read = vi.fn(store.read);
      const memory = createSlugMemory({ ...store, read });
      memory.note(codes);
      await memory.save();
      expect([read.mock.calls.length, store.store.writes]).toEqual([reads, 0]);
    },
  );

  test('are written if a name changed, a code is new, or a slug is forgotten', async () => {
    for (const change of [
      { note: [{ ...code(1), name: 'New' }], forget: undefined, kept: [['slug-1', idOf(1), 'New']] },
      { note: [code(1), code(2)], forget: undefined, kept: [entry(1), entry(2)] },
      { note: [code(2)], forget: 'slug-1', kept: [entry(2)] },
      {
        note: [code(2), { ...code(1), id: 'ABCDEFAB-0000-4000-8000-000000000000' }],
        forget: undefined,
        kept: [entry(2), ['slug-1', 'abcdefab-0000-4000-8000-000000000000', 'Code 1']],
      },
      { note: [code(1)], forget: 'slug-1', kept: [] },
    ]) {
      const store = storeOf({ codes: [entry(1)] });
      const memory = createSlugMemory(store);
      memory.note(change.note);
      if (change.forget !== undefined) memory.forget(change.forget);
      await memory.save();
      expect(store.store.kept).toEqual({ codes: change.kept });
    }
  });

  test('are forgotten if they were wrong, or their code was deleted', async () => {
    const store = storeOf({ codes: [1, 2, 3].map(entry) });
    const memory = createSlugMemory(store);
    memory.forget('slug-1');
    memory.forgetCode(idOf(2));
    expect(await Promise.all(['slug-1', 'slug-2', 'slug-3'].map(memory.idOf))).toEqual([
      undefined,
      undefined,
      idOf(3),
    ]);
    await memory.save();
    expect(store.store.kept).toEqual({ codes: [entry(3)] });
  });

  test('are limited to the 20,000 most recent slugs of at most 64 characters', async () => {
    const store = storeOf(undefined);
    const memory = createSlugMemory(store);
    memory.note(Array.from({ length: 25_000 }, (_, at) => code(at)));
    memory.note([
      { ...code(99_999), slug: 'x'.repeat(65) },
      { ...code(0), slug: 'x'.repeat(64) },
    ]);
    await memory.save();
    const { codes } = store.store.kept as { codes: unknown[] };
    expect(codes).toHaveLength(20_000);
    expect(codes.slice(-2)).toEqual([entry(24_999), ['x'.repeat(64), idOf(0), 'Code 0']]);
    memory.note(Array.from({ length: 40_000 }, (_, at) => code(30_000 + at)));
    expect(await Promise.all(['slug-0', 'slug-50000', 'slug-69999'].map(memory.idOf))).toEqual([
      undefined,
      idOf(50_000),
      idOf(69_999),
    ]);
  });

  test('of earlier runs are read up to 20,000, and those of this run are reduced to 20,000 once they exceed 40,000', async () => {
    const codes = Array.from({ length: 40_001 }, (_, at) => code(at));
    const memory = createSlugMemory(storeOf({ codes: codes.slice(0, 20_001).map((_, at) => entry(at)) }));
    expect(await memory.size()).toBe(20_000);
    const fresh = createSlugMemory(storeOf(undefined));
    fresh.note(codes);
    expect(await Promise.all(['slug-20000', 'slug-20001', 'slug-40000'].map(fresh.idOf))).toEqual([
      undefined,
      idOf(20_001),
      idOf(40_000),
    ]);
  });

  test('keep their order if they are unchanged, and an unknown slug can be forgotten', async () => {
    const store = storeOf({ codes: [entry(1), entry(2)] });
    const memory = createSlugMemory(store);
    memory.note([code(1), code(3)]);
    memory.forget('slug-9');
    expect(await memory.codes()).toEqual([code(1), code(2), code(3)]);
    await memory.save();
    expect(store.store.kept).toEqual({ codes: [1, 2, 3].map(entry) });
  });

  test('are stored with the names of their codes, and only for the listed codes after a complete listing', async () => {
    const store = storeOf({ codes: [entry(1), entry(2)] });
    const memory = createSlugMemory(store);
    memory.note([
      { ...code(2), name: 'New' },
      { ...code(3), name: 'x'.repeat(200) },
    ]);
    expect((await memory.codes()).map(({ name }) => name)).toEqual(['Code 1', 'New', 'x'.repeat(100)]);
    memory.noteListing({ atMs: 5, answered: false, whole: false });
    expect(await memory.size()).toBe(3);
    memory.noteListing({ atMs: 5, answered: true, whole: true });
    expect(await memory.size()).toBe(2);
    await memory.save();
    const next = createSlugMemory(store);
    expect([await next.listing(), await next.size()]).toEqual([{ atMs: 5, answered: true }, 2]);
    next.forgetCode(idOf(2));
    await next.save();
    expect(store.store.kept).toMatchObject({
      listing: { atMs: 5, answered: true },
      codes: [['slug-3', idOf(3), 'x'.repeat(100)]],
    });
  });

  test('are read without invalid entries, and their listing counts as answered only if the stored `answered` is true', async () => {
    const memory = createSlugMemory(
      storeOf({ codes: [[], entry(1)], listing: { atMs: 5, answered: 'yes' } }),
    );
    expect([await memory.listing(), await memory.codes()]).toEqual([{ atMs: 5, answered: false }, [code(1)]]);
  });

  test('are written again if one of several names changed, or all codes were listed', async () => {
    const store = storeOf({ codes: [entry(1), entry(2)] });
    const renamed = createSlugMemory(store);
    renamed.note([{ ...code(2), name: 'New' }]);
    await renamed.save();
    expect(store.store.kept).toEqual({ codes: [entry(1), ['slug-2', idOf(2), 'New']] });
    const listed = createSlugMemory(store);
    listed.note([code(1), { ...code(2), name: 'New' }]);
    listed.noteListing({ atMs: 5, answered: true, whole: true });
    await listed.save();
    expect(store.store.kept).toEqual({
      codes: [entry(1), ['slug-2', idOf(2), 'New']],
      listing: { atMs: 5, answered: true },
    });
  });

  const lists = [
    [3],
    [[]],
    [['a']],
    [['a', 'no uuid', 'b']],
    [['a', [idOf(1)], 'b']],
    [[3, idOf(1), 'b']],
    [['a', idOf(1)]],
    [['a', idOf(1), 3]],
    'x',
    null,
  ];
  test.each([
    undefined,
    null,
    3,
    'x',
    {},
    [['slug-1', idOf(1)]],
    ...lists.map((codes) => ({ codes, listing: { atMs: 'x' } })),
  ])('are ignored if the stored value is %j', async (kept) => {
    const memory = createSlugMemory(storeOf(kept));
    expect([await memory.size(), await memory.listing()]).toEqual([0, undefined]);
  });
});
