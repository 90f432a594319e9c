/** Pages fetched in parallel and delivered in order. */

/**
 * Calls `fetch` for each page (its number, or what else is fetched), at most `concurrency` at a time or waiting to be taken, and yields the results in order. `pages`
 * is read only as places become free, so it may take what earlier pages said into account; what is done now may have more to give after
 * the next page. One at a time is fetched only when the page before has been used, so that none is fetched in vain. When one fetch fails, its
 * error is thrown in its place; when the consumer stops or one fails, the results of the others are dropped.
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
      // Awaited below in its turn, or never: a failure nobody asks for any more must not end the process.
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
