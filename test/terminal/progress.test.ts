import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createBar, renderBar } from '#terminal/progress';
import { fakeClock } from '../support/clock.ts';

describe('the line of a progress bar', () => {
  const state = { unit: 'scans', done: 45_000, total: 100_000, detail: 'page 90 of 200', elapsedMs: 10_000 };

  test('shows the percentage, the counts, the pages, the rate and the remaining time', () => {
    expect(renderBar(state, 100)).toBe(
      '█████████░░░░░░░░░░░  45%  45,000/100,000 scans  page 90 of 200  4,500/s  13 s left',
    );
  });

  test('shows the remaining time of a pause instead of the rate', () => {
    expect(renderBar({ ...state, pauseLeftMs: 41_200 }, 100)).toMatch(
      /waiting 42 s for the rate limit {2}13 s left$/,
    );
  });

  test('omits the bar, the pages, then percentage and remaining time on narrower terminals, and keeps the countdown of a pause', () => {
    const lines = [110, 100, 85, 70, 60].map((room) => renderBar({ ...state, pauseLeftMs: 5000 }, room));
    expect(lines).toEqual([
      '█████████░░░░░░░░░░░  45%  45,000/100,000 scans  page 90 of 200  waiting 5 s for the rate limit  13 s left',
      '████░░░░░░  45%  45,000/100,000 scans  page 90 of 200  waiting 5 s for the rate limit  13 s left',
      ' 45%  45,000/100,000 scans  page 90 of 200  waiting 5 s for the rate limit  13 s left',
      ' 45%  45,000/100,000 scans  waiting 5 s for the rate limit  13 s left',
      '45,000/100,000 scans  waiting 5 s for the rate limit',
    ]);
  });

  test('has a remaining time based on the work and the predicted waits, but only after one second', () => {
    expect(renderBar({ ...state, elapsedMs: 900 }, 100)).not.toContain('left');
    expect(renderBar({ ...state, waitMs: 60_000 }, 100)).toMatch(/1 min 13 s left$/);
    expect(renderBar({ ...state, waitMs: 60_000, pauseLeftMs: 41_200 }, 120)).toMatch(/ {2}32 s left$/);
    for (const done of [0, 99_999, 100_000]) expect(renderBar({ ...state, done }, 100)).not.toContain('left');
    expect(renderBar({ ...state, done: 100_000, waitMs: 60_000 }, 100)).not.toContain('left');
    expect(renderBar({ ...state, done: 50_000, elapsedMs: 1000 }, 100)).toMatch(/1 s left$/);
  });

  test('has an estimated percentage of at most 99% if the total is unknown', () => {
    const line = renderBar({ unit: 'scans', done: 500, estimate: 1000, elapsedMs: 2000 }, 100);
    expect(line).toBe('██████████░░░░░░░░░░  50%  500 scans  250/s  2 s left');
    expect(renderBar({ unit: 'scans', done: 1000, estimate: 1000, elapsedMs: 0 }, 100)).toContain(' 99%');
  });

  test('has no bar without a total or an estimate, and no rate in the first 500 ms', () => {
    expect(renderBar({ unit: 'scans', done: 12, elapsedMs: 499 }, 100)).toBe('12 scans');
    expect(renderBar({ unit: 'scans', done: 12, elapsedMs: 500 }, 100)).toBe('12 scans  24/s');
    expect(renderBar({ unit: 'scans', done: 12, elapsedMs: 6000 }, 100)).toBe('12 scans  2/s');
  });

  test('fits into the terminal, and shows at most 100%', () => {
    expect(renderBar(state, 20)).toBe('45,000/100,000 scans');
    expect(renderBar(state, 5)).toBe('45,00');
    expect(renderBar({ ...state, done: 200_000 }, 100)).toMatch(/^█{20} 100%/);
    expect(renderBar({ ...state, done: 0, total: 0 }, 100)).toContain('  0%  0/0 scans');
  });
});

describe('a progress bar', () => {
  function setUp() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = fakeClock();
    const written: string[] = [];
    const surface = {
      columns: 80,
      width: () => surface.columns,
      write: (text: string) => written.push(text),
    };
    const bar = createBar('scans', surface, clock);
    const last = () => written.at(-1);
    return { bar, clock, surface, written, tick: () => vi.advanceTimersToNextTimer(), last };
  }

  test('is redrawn on each tick of its timer, not on each update', () => {
    const { bar, tick, last, written } = setUp();
    const before = written.length;
    bar.update({ done: 500, total: 1000 });
    expect(written).toHaveLength(before);
    tick();
    expect(last()).toContain('500/1,000 scans');
  });

  test('counts down while paused, and excludes the pause from the rate', async () => {
    const { bar, clock, tick, last } = setUp();
    bar.update({ done: 1000, total: 2000 });
    await clock.advance(1000);
    bar.pause(30_000);
    expect(last()).toContain('waiting 30 s for the rate limit');
    await clock.advance(29_500);
    tick();
    expect(last()).toContain('waiting 1 s for the rate limit');
    await clock.advance(2000);
    tick();
    expect(last()).toContain('rate limit: resuming');
    bar.resume();
    expect(last()).toContain('1,000/s');
  });

  test('turns off line wrapping and leaves the cursor at the start of the line, so a resize leaves no fragments', () => {
    const { bar, surface, tick, last } = setUp();
    bar.update({ done: 1000, total: 2000 });
    tick();
    expect(last()).toMatch(/^\r\x1b\[J\x1b\[\?7l.*1,000\/2,000 scans\x1b\[\?7h\r$/);
    surface.columns = 20;
    tick();
    expect(last()).toBe('\r\x1b[J\x1b[?7l1,000/2,000 scans\x1b[?7h\r');
    bar.hide();
    expect(last()).toBe('\r\x1b[J');
  });

  test('does not draw after it has stopped', () => {
    const { bar, tick, written } = setUp();
    bar.stop();
    const before = written.length;
    tick();
    bar.show();
    bar.pause(1000);
    bar.resume();
    expect(written).toHaveLength(before);
    expect(vi.getTimerCount()).toBe(0);
  });
});
