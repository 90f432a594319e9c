import { expect, test } from 'vitest';
import { fetchInOrder } from '#base/parallel';
import { collect } from '../service/setup.ts';

/** Pages that arrive when told to. */
function controlled() {
  const started: number[] = [];
  const waiting = new Map<number, { give(): void; fail(error: Error): void }>();
  const fetch = (page: number) =>
    new Promise<string>((resolve, reject) => {
      started.push(page);
      waiting.set(page, { give: () => resolve(`page ${page}`), fail: reject });
    });
  return {
    started,
    fetch,
    give: (page: number) => waiting.get(page)?.give(),
    fail: (page: number, error: Error) => waiting.get(page)?.fail(error),
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('fetchInOrder yields pages in order, even if later pages arrive first', async () => {
  const pages = await collect(
    fetchInOrder(
      [1, 2, 3, 4, 5],
      async (page) => {
        await new Promise((resolve) => setTimeout(resolve, 6 - page));
        return page;
      },
      5,
    ),
  );
  expect(pages).toEqual([1, 2, 3, 4, 5]);
});

test('fetchInOrder fetches at most `concurrency` pages ahead of a busy consumer', async () => {
  const { started, fetch, give } = controlled();
  const pages = fetchInOrder([1, 2, 3, 4, 5, 6], fetch, 2);
  const first = pages.next();
  await settle();
  expect(started).toEqual([1, 2]);
  give(1);
  give(2);
  expect(await first).toEqual({ value: 'page 1', done: false });
  await settle();
  // Page 1 is being worked on; page 2 waits, and one more is on its way.
  expect(started).toEqual([1, 2, 3]);
  await pages.return();
});

test('fetchInOrder reads page numbers lazily, and yields pages whose numbers are added while it runs', async () => {
  let last = 2;
  function* numbers() {
    for (let page = 1; page <= last; page++) yield page;
  }
  const seen: number[] = [];
  for await (const page of fetchInOrder(numbers(), async (number) => number, 1)) {
    if (page === 1) last = 4;
    seen.push(page);
  }
  expect(seen).toEqual([1, 2, 3, 4]);
});

test("fetchInOrder throws a page's error after it has yielded all earlier pages, and ignores later errors", async () => {
  const { fetch, give, fail } = controlled();
  const pages = fetchInOrder([1, 2, 3], fetch, 3);
  const first = pages.next();
  await settle();
  fail(3, new Error('third'));
  fail(2, new Error('second'));
  await settle();
  give(1);
  expect((await first).value).toBe('page 1');
  await expect(pages.next()).rejects.toThrow('second');
  expect(await pages.next()).toEqual({ value: undefined, done: true });
});

test('a consumer of fetchInOrder that stops early leaves no unhandled rejection, and closes the page number iterator', async () => {
  let closed = false;
  function* numbers() {
    try {
      for (let page = 1; ; page++) yield page;
    } finally {
      closed = true;
    }
  }
  for await (const page of fetchInOrder(
    numbers(),
    async (number) => (number > 1 ? Promise.reject(new Error('late')) : number),
    4,
  )) {
    expect(page).toBe(1);
    break;
  }
  await settle();
  expect(closed).toBe(true);
});
