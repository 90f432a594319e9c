import { describe, expect, test } from 'vitest';
import { createSlugMemory } from '../../src/service/slug-memory.ts';

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const code = (number: number) => ({ id: idOf(number), slug: `slug-${number}` });

/** What is kept between runs. */
function storeOf(kept: unknown) {
  const store = { kept, writes: 0 };
  return {
    store,
    read: async () => store.kept,
    async write(next: unknown) {
      store.kept = next;
      store.writes += 1;
    },
  };
}

describe('what is remembered of slugs', () => {
  test('is what was seen in this run and in those before', async () => {
    const store = storeOf([['slug-1', idOf(1)]]);
    const memory = createSlugMemory(store);
    memory.note([code(2)]);
    expect(await memory.idOf('slug-1')).toBe(idOf(1));
    expect(await memory.idOf('slug-2')).toBe(idOf(2));
    expect(await memory.idOf('slug-3')).toBeUndefined();
    expect(await memory.size()).toBe(2);
    await memory.save();
    expect(await createSlugMemory(store).idOf('slug-2')).toBe(idOf(2));
  });

  test('is written only where it has changed, and read only where it is asked for', async () => {
    const store = storeOf([['slug-1', idOf(1)]]);
    await createSlugMemory({ ...store, read: () => Promise.reject(new Error('not asked for')) }).save();
    const memory = createSlugMemory(store);
    memory.note([code(1)]);
    await memory.save();
    expect(store.store.writes).toBe(0);
  });

  test('is forgotten when it was refuted, or its code deleted', async () => {
    const store = storeOf([1, 2, 3].map((number) => [`slug-${number}`, idOf(number)]));
    const memory = createSlugMemory(store);
    memory.forget('slug-1');
    memory.forgetCode(idOf(2));
    expect(await Promise.all(['slug-1', 'slug-2', 'slug-3'].map(memory.idOf))).toEqual([undefined, undefined, idOf(3)]);
    await memory.save();
    expect(store.store.kept).toEqual([['slug-3', idOf(3)]]);
  });

  test('is bounded: what was seen last stays', async () => {
    const store = storeOf(undefined);
    const memory = createSlugMemory(store);
    memory.note(Array.from({ length: 25_000 }, (_, at) => code(at)));
    memory.note([{ id: idOf(99_999), slug: 'x'.repeat(65) }]);
    await memory.save();
    const kept = store.store.kept as [string, string][];
    expect(kept).toHaveLength(20_000);
    expect(kept.at(-1)).toEqual(['slug-24999', idOf(24_999)]);
  });

  test.each([undefined, null, 3, 'x', {}, [3], [[]], [['a']], [['a', 'no uuid']], [[3, idOf(1)]]])(
    'is nothing where %j was kept',
    async (kept) => {
      expect(await createSlugMemory(storeOf(kept)).size()).toBe(0);
    },
  );
});
