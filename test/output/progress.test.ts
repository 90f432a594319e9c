import { describe, expect, test } from 'vitest';
import { createBar } from '../../src/output/progress.ts';
import { renderBar } from '../../src/output/progress-bar.ts';
import { fakeClock } from '../support/clock.ts';

describe('the line of a bar', () => {
  const state = { unit: 'scans', done: 45_000, total: 100_000, detail: 'page 90 of 200', elapsedMs: 10_000 };

  test('shows the share, the counts, the pages and the rate', () => {
    expect(renderBar(state, 100)).toBe('█████████░░░░░░░░░░░  45%  45,000/100,000 scans  page 90 of 200  4,500/s');
  });

  test('counts the pause down in place of the rate', () => {
    expect(renderBar({ ...state, pauseLeftMs: 41_200 }, 100)).toMatch(/rate limit: 42 s left$/);
  });

  test('on a narrow terminal shortens the bar, does without it, then without the detail, never without the countdown', () => {
    const lines = [90, 80, 70, 50].map((room) => renderBar({ ...state, pauseLeftMs: 5000 }, room));
    expect(lines).toEqual([
      '█████████░░░░░░░░░░░  45%  45,000/100,000 scans  page 90 of 200  rate limit: 5 s left',
      '████░░░░░░  45%  45,000/100,000 scans  page 90 of 200  rate limit: 5 s left',
      '45,000/100,000 scans  page 90 of 200  rate limit: 5 s left',
      '45,000/100,000 scans  rate limit: 5 s left',
    ]);
  });

  test('has no bar while the total is unknown, and no rate before it means something', () => {
    expect(renderBar({ unit: 'scans', done: 12, elapsedMs: 100 }, 100)).toBe('12 scans');
  });

  test('never is wider than the terminal, nor fuller than full', () => {
    expect(renderBar(state, 20)).toBe('45,000/100,000 scans');
    expect(renderBar(state, 5)).toBe('45,00');
    expect(renderBar({ ...state, done: 200_000 }, 100)).toMatch(/^█{20} 100%/);
    expect(renderBar({ ...state, done: 0, total: 0 }, 100)).toContain('  0%  0/0 scans');
  });
});

describe('a bar', () => {
  function setUp() {
    const clock = fakeClock();
    const written: string[] = [];
    const surface = { columns: 80, width: () => surface.columns, write: (text: string) => written.push(text) };
    let tick: () => void = () => undefined;
    let ticking = true;
    const bar = createBar('scans', surface, clock, (_ms, fire) => {
      tick = fire;
      return () => {
        ticking = false;
      };
    });
    const last = () => written.at(-1);
    return { bar, clock, surface, written, tick: () => tick(), last, isTicking: () => ticking };
  }

  test('is drawn with every tick, and not with every page', () => {
    const { bar, tick, last, written } = setUp();
    const before = written.length;
    bar.update({ done: 500, total: 1000 });
    expect(written).toHaveLength(before);
    tick();
    expect(last()).toContain('500/1,000 scans');
  });

  test('counts down while paused, and leaves the pause out of the rate', async () => {
    const { bar, clock, tick, last } = setUp();
    bar.update({ done: 1000, total: 2000 });
    await clock.advance(1000);
    bar.pause(30_000);
    expect(last()).toContain('rate limit: 30 s left');
    await clock.advance(29_500);
    tick();
    expect(last()).toContain('rate limit: 1 s left');
    await clock.advance(2000);
    tick();
    expect(last()).toContain('rate limit: going on');
    bar.resume();
    expect(last()).toContain('1,000/s');
  });

  test('after a resize the wrapped old line is cleared', () => {
    const { bar, surface, tick, written } = setUp();
    bar.update({ done: 1000, total: 2000 });
    tick();
    surface.columns = 20;
    tick();
    expect(written.at(-1)).toMatch(/^\r\x1b\[2A\x1b\[J1,000/);
  });

  test('stops for good', () => {
    const { bar, tick, written, isTicking } = setUp();
    bar.stop();
    const before = written.length;
    tick();
    bar.show();
    bar.pause(1000);
    bar.resume();
    expect(written).toHaveLength(before);
    expect(isTicking()).toBe(false);
  });
});
