import { describe, expect, it } from 'vitest';
import type { ClockReading } from '#scans/append/overlap';
import { createTailProgress } from '#scans/tail/scan-printer';
import type { TailPosition } from '#scans/tail/state-file';

const HOUR_MS = 3_600_000;
const NOW = 100 * HOUR_MS;
const AT = { serviceMs: NOW, machineMs: NOW };

/** A progress that prints scans of codes. */
function createProgress(sinceMs: number, positions = new Map<string, TailPosition>()) {
  const progress = createTailProgress(sinceMs, positions);
  return {
    ...progress,
    print(id: number, ms: number, now: ClockReading = AT, hasBegun = true) {
      const position = positions.get('a') ?? progress.resume('a', now);
      progress.print({ codeId: 'a', position, id, ms, hasBegun }, now);
    },
  };
}

describe('the progress of a tail', () => {
  it('begins at the start of the first run for a new code', () => {
    const progress = createProgress(5);
    expect(progress.resume('a', AT)).toEqual({ fromMs: 5, at: AT, printed: new Map() });
  });

  it('stays an hour behind the newest printed scan, and drops older IDs (S3)', () => {
    const progress = createProgress(0);
    progress.print(1, 10 * HOUR_MS);
    progress.print(2, 11 * HOUR_MS + 1);
    progress.prune();
    expect(progress.resume('a', AT)).toEqual({
      fromMs: 10 * HOUR_MS + 1,
      at: AT,
      printed: new Map([[2, 11 * HOUR_MS + 1]]),
    });
    // One that is listed late takes nothing back.
    progress.print(3, 10 * HOUR_MS + 1);
    progress.prune();
    expect(progress.resume('a', AT).fromMs).toBe(10 * HOUR_MS + 1);
    expect([...progress.resume('a', AT).printed.keys()]).toEqual([2, 3]);
    expect(progress.resume('b', AT).fromMs).toBe(0);
  });

  it('never begins before the start of the first run', () => {
    const progress = createProgress(5 * HOUR_MS);
    progress.print(1, 5.5 * HOUR_MS);
    expect(progress.resume('a', AT).fromMs).toBe(5 * HOUR_MS);
  });

  it('advances with a scan that is dated now (S3)', () => {
    const progress = createProgress(0);
    progress.print(1, NOW);
    expect(progress.resume('a', AT).fromMs).toBe(NOW - HOUR_MS);
  });

  it('does not advance with a scan dated in the future, or while a reading from the start is incomplete (S3)', () => {
    const progress = createProgress(0);
    progress.print(1, NOW + 1);
    progress.print(2, NOW, AT, false);
    progress.prune();
    expect(progress.resume('a', AT)).toMatchObject({
      fromMs: 0,
      printed: new Map([
        [1, NOW + 1],
        [2, NOW],
      ]),
    });
  });

  /** Clocks at a true hour: that of the service is so many hours ahead, and this machine's too. */
  const at = (hour: number, { ahead = 0, machine = 0 } = {}) => ({
    serviceMs: NOW + (hour + ahead) * HOUR_MS,
    machineMs: NOW + (hour + machine) * HOUR_MS,
  });

  it("does not advance while the service's clock is suddenly ahead, and repeats no scan once the clock is right (S8)", () => {
    const progress = createProgress(0);
    progress.print(1, NOW, at(0));
    progress.print(2, NOW + 3.1 * HOUR_MS, at(0.1, { ahead: 3 }));
    progress.prune();
    const { fromMs, printed } = createTailProgress(0, progress.positions).resume('a', at(0.2));
    expect([fromMs, [...printed.keys()]]).toEqual([NOW - HOUR_MS, [1, 2]]);
  });

  it("goes back by the amount by which the service's clock was set back since the position was written (S8)", () => {
    const progress = createProgress(0);
    progress.print(1, NOW + 3 * HOUR_MS, at(0, { ahead: 3 }));
    // Soon, when the newest printed scan is dated in the future, and later.
    for (const hour of [0.1, 5]) {
      const positions = new Map([...progress.positions].map(([code, position]) => [code, { ...position }]));
      expect(createTailProgress(0, positions).resume('a', at(hour)).fromMs).toBe(NOW - HOUR_MS);
    }
    expect(createTailProgress(0, progress.positions).resume('a', at(5, { ahead: 3 })).fromMs).toBe(
      NOW + 2 * HOUR_MS,
    );
  });

  it('advances even if the clocks differ, rather than keep more than 10,000 IDs (S8)', () => {
    const progress = createProgress(0);
    const now = at(0.1, { ahead: 3 });
    progress.print(0, NOW, at(0));
    for (let id = 1; id <= 10_000; id++) progress.print(id, now.serviceMs, now);
    progress.prune();
    expect([progress.resume('a', now).fromMs, progress.resume('a', now).printed.size]).toEqual([
      now.serviceMs - HOUR_MS,
      10_000,
    ]);
  });
});
