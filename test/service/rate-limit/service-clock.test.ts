import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createServiceClock } from '../../../src/service/rate-limit/service-clock.ts';
import { fakeClock } from '../../support/clock.ts';
import { runs } from '../../support/property-runs.ts';

/** A whole second of the service's clock. */
const T = Date.UTC(2020, 0, 1);

function observing() {
  const clock = fakeClock();
  return { clock, ...createServiceClock(clock) };
}

describe('the clock of the service', () => {
  it('is unknown before the first Date', () => {
    const { nowMs, msToBestSample } = observing();
    expect(nowMs()).toBeUndefined();
    expect(msToBestSample()).toBe(0);
  });

  it('is, after one response, its Date at the time of receiving it', async () => {
    const { observe, nowMs, clock } = observing();
    observe(T, 100, 200);
    expect(nowMs(200)).toBe(T);
    expect(nowMs()).toBe(T - 200);
    await clock.advance(500);
    expect(nowMs()).toBe(T + 300);
  });

  it('is corrected forward by responses, never back', () => {
    const { observe, nowMs } = observing();
    observe(T, 100, 200);
    observe(T + 1000, 300, 400);
    expect(nowMs(400)).toBe(T + 1000);
    observe(T + 1000, 1000, 1100);
    expect(nowMs(1100)).toBe(T + 1700);
  });

  it('is never ahead, whatever the latency in each direction (L4)', () => {
    const exchange = fc.record({
      pauseMs: fc.integer({ min: 0, max: 5000 }),
      thereMs: fc.integer({ min: 0, max: 900 }),
      backMs: fc.integer({ min: 0, max: 900 }),
    });
    const cases = fc.tuple(
      fc.integer({ min: 0, max: 10_000_000 }),
      fc.array(exchange, { minLength: 1, maxLength: 20 }),
    );
    fc.assert(
      fc.property(cases, ([offset, exchanges]) => {
        const { observe, nowMs } = observing();
        let now = 0;
        for (const { pauseMs, thereMs, backMs } of exchanges) {
          const sentAt = now + pauseMs;
          const answeredAt = sentAt + thereMs;
          now = answeredAt + backMs;
          observe(Math.floor((T + offset + answeredAt) / 1000) * 1000, sentAt, now);
          expect(nowMs(now)).toBeLessThanOrEqual(T + offset + now);
          expect(nowMs(now)).toBeGreaterThan(T + offset + now - 1000 - backMs);
        }
      }),
      runs(25),
    );
  });

  it.each([
    ['forward', 5_000_000],
    ['back', -5_000_000],
  ])('may be set %s: earlier bounds are dropped', (_way, ms) => {
    const { observe, nowMs } = observing();
    observe(T, 0, 0);
    observe(T + ms + 1000, 1000, 1000);
    expect(nowMs(1000)).toBe(T + ms + 1000);
  });

  it('was set only if a response is more than a second beyond the bounds', () => {
    // After the first answer the clock is between T and T + 1000 at the start.
    const back = observing();
    back.observe(T, 0, 0);
    back.observe(T - 2000, 0, 0);
    expect(back.nowMs(0)).toBe(T);
    const further = observing();
    further.observe(T, 0, 0);
    further.observe(T - 2001, 0, 0);
    expect(further.nowMs(0)).toBe(T - 2001);
    // Forward, what tells the two apart is the upper bound, and by it the best moment to ask.
    const forward = observing();
    forward.observe(T, 100, 100);
    forward.observe(T + 2000, 0, 100);
    expect(forward.msToBestSample()).toBe(1000 - (50 + 400));
    const set = observing();
    set.observe(T, 100, 100);
    set.observe(T + 2001, 0, 100);
    expect(set.msToBestSample()).toBe(1000 - (50 + 451));
  });

  it('drifts: an old lower bound gives way to a newer that is less worse than it may be off', () => {
    // After ten thousand seconds a bound may be a second off.
    const received = 50_000 + 10_000_000;
    const old = observing();
    old.observe(T + 50_000, 50_000, 50_000);
    old.observe(T + received - 1000, received, received);
    expect(old.nowMs(received)).toBe(T + received);
    old.observe(T + received - 1000, received - 1, received - 1);
    expect(old.nowMs(received)).toBe(T + received - 999);
  });

  it.each([
    [149_990, 1000 - 505],
    // The bound is 1009 ms in place of 1000.
    [149_991, 1000 - 509],
  ])('drifts: so does an old upper bound (sent at %d)', (sentAt, ms) => {
    const { observe, msToBestSample } = observing();
    observe(T + 50_000, 50_000, 50_000);
    observe(T + 150_000, sentAt, 150_000);
    expect(msToBestSample()).toBe(ms);
  });
});

describe('the best time of a sample', () => {
  it('is when the second changes by the middle of what is possible, less half a round trip', async () => {
    const { observe, msToBestSample, clock } = observing();
    observe(T, 0, 0);
    // The clock is T to T + 1000 at 0: its second changes, by the middle, 500 ms later.
    expect(msToBestSample()).toBe(500);
    await clock.advance(200);
    expect(msToBestSample()).toBe(300);
    await clock.advance(300);
    expect(msToBestSample()).toBe(1000);
  });

  it('is earlier by half of the last round trip', () => {
    const { observe, msToBestSample } = observing();
    observe(T, 0, 100);
    // T - 100 to T + 1000 at 0; 450 more, and 50 on the way.
    expect(msToBestSample()).toBe(500);
    observe(T, 0, 300);
    expect(msToBestSample()).toBe(400);
  });

  it('narrows the clock down to milliseconds when repeated', async () => {
    const { observe, msToBestSample, nowMs, clock } = observing();
    const offset = T + 777;
    for (let n = 0; n < 12; n++) {
      await clock.advance(msToBestSample());
      const sentAt = clock.monotonic();
      await clock.advance(2);
      observe(Math.floor((offset + sentAt + 1) / 1000) * 1000, sentAt, clock.monotonic());
    }
    const known = nowMs() ?? 0;
    expect(offset + clock.monotonic() - known).toBeLessThan(10);
  });

  it('is within a second also for a clock before 1970', () => {
    const { observe, msToBestSample } = observing();
    observe(-5000, 0, 0);
    expect(msToBestSample()).toBe(500);
  });
});
