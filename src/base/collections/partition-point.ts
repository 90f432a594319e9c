/** Returns the first index below `count` that `holds`, or `count`. A binary search: what holds at one index must hold at all after it. */
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

/**
 * Returns the position of the first item for which `isBefore` is false, or the number of items if there is none. The items must be
 * partitioned (C++ `std::partition_point`).
 *
 * @param isBefore true for all items up to that position, false for all others
 */
export function partitionPoint<T extends object | bigint>(
  items: ArrayLike<T>,
  isBefore: (item: T) => boolean,
): number {
  return firstIndex(items.length, (at) => {
    const item = items[at];
    return item === undefined || !isBefore(item);
  });
}
