/**
 * Groups items by a key, in their order; groups are in the order of their first items. Like the language's own `Map.groupBy`, which Node 20
 * lacks. Linear in the number of items, whatever their distribution.
 */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
