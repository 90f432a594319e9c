import type { Context } from '../../context.ts';
import { acquireLock } from '../../durable/lock.ts';

interface Closable {
  close(): Promise<void>;
}

/** Locks a journal against other runs, opens it, lets `work` have it, and closes both whatever happens. */
export async function withJournal<J extends Closable, T>(
  { clock, signal, console }: Context,
  path: string,
  open: (path: string) => Promise<J>,
  work: (journal: J) => Promise<T>,
): Promise<T> {
  const onWait = () => console.note(`another run is working on ${path}: waiting for it`);
  const lock = await acquireLock(path, { clock, signal, onWait });
  try {
    const journal = await open(path);
    try {
      return await work(journal);
    } finally {
      await journal.close();
    }
  } finally {
    await lock.release();
  }
}
