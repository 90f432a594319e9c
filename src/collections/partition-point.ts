/**
 * Returns the position of the first item for which `isBefore` is false, or the number of items if there is none. A binary search: the items
 * must be partitioned (C++ `std::partition_point`).
 *
 * @param isBefore true for all items up to that position, false for all others
 */
export function partitionPoint<T extends object | bigint>(items: ArrayLike<T>, isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
