/** Work in parallel, bounded, so that memory and connections do not grow with the number of items. */

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

/**
 * Runs `work` over the items in order, `width` at a time, until all are done or `stopped()`. Items are taken from the iterator in their
 * turn. A worker whose work fails takes no more; rejects with the first failure when all workers have ended.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
  stopped: () => boolean = () => false,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    while (!stopped()) {
      const next = iterator.next();
      if (next.done) return;
      await work(next.value);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: width }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
