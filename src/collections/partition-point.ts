/**
 * Of items that all come before or after some line, in their order: the place of the first that comes after it, or their number where
 * none does. By halves, so that it costs as many questions as the number of items has binary digits (C++ `std::partition_point`).
 *
 * @param isBefore true for all items up to that place, false for all others
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
