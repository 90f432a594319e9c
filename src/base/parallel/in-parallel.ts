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
