import { describe, expect, it } from 'vitest';
import { createTailProgress } from '../../src/tail/progress.ts';

const HOUR_MS = 3_600_000;
const NOW = 100 * HOUR_MS;
const BEGUN = { nowMs: NOW, hasBegun: true };

describe('the progress of a tail', () => {
  it('begins where the first run began, also for a code that is new', () => {
    const progress = createTailProgress(5, new Map());
    expect(progress.positionOf('a')).toEqual({ fromMs: 5, printed: new Map() });
  });

  it('stays an hour behind the newest printed scan, and forgets what is older (S3)', () => {
    const progress = createTailProgress(0, new Map());
    progress.print('a', { id: 1, ms: 10 * HOUR_MS }, BEGUN);
    progress.print('a', { id: 2, ms: 11 * HOUR_MS + 1 }, BEGUN);
    progress.prune();
    expect(progress.positionOf('a')).toEqual({ fromMs: 10 * HOUR_MS + 1, printed: new Map([[2, 11 * HOUR_MS + 1]]) });
    // One that is listed late takes nothing back.
    progress.print('a', { id: 3, ms: 10 * HOUR_MS + 1 }, BEGUN);
    progress.prune();
    expect(progress.positionOf('a').fromMs).toBe(10 * HOUR_MS + 1);
    expect([...progress.positionOf('a').printed.keys()]).toEqual([2, 3]);
    expect(progress.positionOf('b').fromMs).toBe(0);
  });

  it('does not begin before its start', () => {
    const progress = createTailProgress(5 * HOUR_MS, new Map());
    progress.print('a', { id: 1, ms: 5.5 * HOUR_MS }, BEGUN);
    expect(progress.positionOf('a').fromMs).toBe(5 * HOUR_MS);
  });

  it('learns from a scan of this instant (S3)', () => {
    const progress = createTailProgress(0, new Map());
    progress.print('a', { id: 1, ms: NOW }, BEGUN);
    expect(progress.positionOf('a').fromMs).toBe(NOW - HOUR_MS);
  });

  it('learns nothing from a scan of the future, nor before all of the start was returned (S3)', () => {
    const progress = createTailProgress(0, new Map());
    progress.print('a', { id: 1, ms: NOW + 1 }, BEGUN);
    progress.print('a', { id: 2, ms: NOW }, { nowMs: NOW, hasBegun: false });
    progress.prune();
    expect(progress.positionOf('a')).toMatchObject({
      fromMs: 0,
      printed: new Map([
        [1, NOW + 1],
        [2, NOW],
      ]),
    });
  });
});
