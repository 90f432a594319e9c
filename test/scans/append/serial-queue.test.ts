import { describe, expect, it } from 'vitest';
import { createSerialQueue } from '#scans/append/serial-queue';
import { type FakeClock, fakeClock } from '../../support/clock.ts';

/** A queue whose commits take 10 ms, with the times at which they ended. */
function start(fail?: () => Error | undefined): {
  clock: FakeClock;
  queue: ReturnType<typeof createSerialQueue>;
  commits: number[];
  rows(): Promise<void>;
} {
  const clock = fakeClock();
  const commits: number[] = [];
  const queue = createSerialQueue(clock, async () => {
    const error = fail?.();
    if (error) throw error;
    await clock.sleep(10);
    commits.push(clock.monotonic());
  });
  return { clock, queue, commits, rows: () => queue.run(() => queue.commitWhenDue()) };
}

describe('commits', () => {
  it('are made after every page if a page takes ten times as long as a commit', async () => {
    const { clock, commits, rows } = start();
    for (let page = 0; page < 3; page++) {
      const written = rows();
      await clock.advance(10);
      await written;
      await clock.advance(100);
    }
    expect(commits).toEqual([10, 120, 230]);
  });

  it('take at most a tenth of the running time', async () => {
    const { clock, commits, rows } = start();
    const first = rows();
    await clock.advance(10);
    await first;
    for (let page = 0; page < 500; page++) {
      void rows();
      await clock.advance(1);
    }
    expect(commits).toEqual([10, 110, 210, 310, 410, 510]);
  });

  it('include the last rows before a long pause', async () => {
    const { clock, commits, rows } = start();
    const first = rows();
    await clock.advance(10);
    await first;
    await rows();
    expect(commits).toEqual([10]);
    await clock.advance(60_000);
    expect(commits).toEqual([10, 110]);
  });

  it('include rows written after a delayed commit', async () => {
    const { clock, commits, rows } = start();
    void rows();
    await clock.advance(10);
    await rows();
    await clock.advance(100);
    await rows();
    await clock.advance(60_000);
    expect(commits).toEqual([10, 110, 210]);
  });

  it('are made immediately if they are due, even twice in one operation', async () => {
    const { clock, queue, commits } = start();
    const twice = queue.run(async () => {
      await queue.commitWhenDue();
      await clock.sleep(90);
      await queue.commitWhenDue();
      return commits.length;
    });
    expect(await clock.run(twice)).toBe(2);
  });

  it('stop when the queue stops, even if a delayed commit is due', async () => {
    const { clock, commits } = start();
    let wake = (): void => undefined;
    const sleep = () => new Promise<void>((resolve) => (wake = resolve));
    const commit = async () => {
      commits.push(clock.monotonic());
      await clock.advance(10);
    };
    const queue = createSerialQueue({ ...clock, sleep }, commit);
    await queue.run(() => queue.commitWhenDue());
    await queue.run(() => queue.commitWhenDue());
    wake();
    await queue.stop();
    await clock.advance(60_000);
    expect(commits).toEqual([0]);
  });
});

describe('a serial queue', () => {
  it('runs one operation at a time', async () => {
    const { clock, queue } = start();
    const order: string[] = [];
    const slow = queue.run(async () => {
      await clock.sleep(5);
      order.push('slow');
    });
    const fast = queue.run(async () => void order.push('fast'));
    await clock.advance(5);
    await Promise.all([slow, fast]);
    expect(order).toEqual(['slow', 'fast']);
  });

  it('rejects later operations with the error of a failed commit, even if the commit ran in the background', async () => {
    let full = false;
    const { clock, queue, rows } = start(() => (full ? new Error('disk full') : undefined));
    const first = rows();
    await clock.advance(10);
    await first;
    await rows();
    full = true;
    await clock.advance(1000);
    full = false;
    await expect(queue.run(async () => 'written')).rejects.toThrow('disk full');
    await queue.stop();
  });
});
