/**
 * Work on many things at once, and not on all of them: memory and connections do not grow with their number. Items are taken from the
 * iterator when their turn comes, so that there may be any number of them.
 */

/**
 * Runs `work` over the items in order, `width` at a time, until all are done or `stopped()`. Where work fails, its worker takes no more,
 * the others go on; rejects with the first failure when all have ended.
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
