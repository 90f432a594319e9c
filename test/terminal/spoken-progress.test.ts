import { expect, onTestFinished, test, vi } from 'vitest';
import { createSpokenProgress } from '#terminal/progress';
import { fakeClock } from '../support/clock.ts';

test('progress for a screen reader is one line for each 30 s of work and one line for each pause', async () => {
  const clock = fakeClock();
  const said: string[] = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const progress = createSpokenProgress('scans', (line) => said.push(line), clock);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(1000);
      vi.advanceTimersByTime(1000);
    }
    return said.splice(0);
  };
  progress.pause(2000);
  progress.resume();
  expect(await pass(0)).toEqual(['Waiting 2 s for the rate limit']);
  progress.update({ done: 3000, total: 9000, detail: 'page 6 of 18' });
  expect(await pass(29)).toEqual([]);
  progress.pause(42_000);
  expect(await pass(42)).toEqual([
    'Waiting 42 s for the rate limit: 3,000 of 9,000 scans, 33%, page 6 of 18, 103 per second, 58 s left',
  ]);
  progress.resume();
  expect(await pass(1)).toEqual([
    'Working for 30 s: 3,000 of 9,000 scans, 33%, page 6 of 18, 100 per second, 1 min left',
  ]);
  progress.update({ done: 6000, total: 9000 });
  expect(await pass(59)).toEqual(['Working for 1 min: 6,000 of 9,000 scans, 66%, 100 per second, 30 s left']);
  progress.stop();
  expect(await pass(60)).toEqual([]);
});
