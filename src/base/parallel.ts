/** Yields results in the order of `pages`. At most `concurrency` of them are pending or buffered. */
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
      // Prevents an unhandled rejection before the loop awaits the promise.
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

/** Handles items in `width` workers, until `stopped`. A failure ends its worker, and is thrown at the end. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<unknown>,
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
