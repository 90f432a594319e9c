/**
 * Calls `fetch` for each page (its number, or another item), with at most `concurrency` calls in flight or waiting to be consumed, and
 * yields the results in order. `pages` is read only as places become free, so it may depend on earlier results. With a concurrency of one,
 * no page is fetched unnecessarily. A failed fetch throws in its place; results after the end of the loop are dropped.
 */
export async function* fetchInOrder<Item, T>(
  pages: Iterable<Item>,
  fetch: (page: Item) => Promise<T>,
  concurrency: number,
): AsyncGenerator<T, void, undefined> {
  const numbers = pages[Symbol.iterator]();
  const ahead: Promise<T>[] = [];
  const fill = () => {
    while (ahead.length < concurrency) {
      const next = numbers.next();
      if (next.done) return;
      const page = fetch(next.value);
      // Awaited below in its turn, or never.
      page.catch(() => {});
      ahead.push(page);
    }
  };
  try {
    for (fill(); ahead.length > 0; fill()) {
      const result = await ahead[0];
      ahead.shift();
      if (concurrency > 1) fill();
      yield result as T;
    }
  } finally {
    numbers.return?.();
  }
}
