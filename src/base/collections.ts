/** Replaces `Map.groupBy`, which Node 20 lacks. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    getOrAdd(groups, keyOf(item), (): T[] => []).push(item);
  }
  return groups;
}

export function countBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) {
    const key = keyOf(item);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Returns the last item per key, in the order of the keys' first items. */
export function onceBy<T>(items: Iterable<T>, keyOf: (item: T) => unknown): T[] {
  return [...new Map(Array.from(items, (item) => [keyOf(item), item])).values()];
}

export function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

export function* inChunks<T>(items: readonly T[], most: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most);
}

export async function collectPages<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pages) for (const item of page) items.push(item);
  return items;
}

/** Returns the first index for which `holds` is true, or `count`. `holds` must stay true after it. */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function getOrAdd<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
