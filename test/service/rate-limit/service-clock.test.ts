import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createServiceClock } from '#service/rate-limit/service-clock';
import { fakeClock } from '../../support/clock.ts';
import { runs } from '../../support/property-runs.ts';

/** A whole second of the service's clock. */
const T = Date.UTC(2020, 0, 1);

function observing() {
  const clock = fakeClock();
  return { clock, ...createServiceClock(clock) };
}

describe("the service's clock", () => {
  it('is unknown before the first Date', () => {
    expect(observing().nowMs()).toBeUndefined();
  });

  it('is the Date of the first response at the time when the response was received', async () => {
    const { observe, nowMs, clock } = observing();
    observe(T, 100, 200);
    expect(nowMs(200)).toBe(T);
    expect(nowMs()).toBe(T - 200);
    await clock.advance(500);
    expect(nowMs()).toBe(T + 300);
  });

  it('is corrected forward, and not back by a response that is consistent with the last correction', () => {
    const { observe, nowMs } = observing();
    observe(T, 100, 200);
    observe(T + 1000, 300, 400);
    expect(nowMs(400)).toBe(T + 1000);
    observe(T + 1000, 1000, 1100);
    expect(nowMs(1100)).toBe(T + 1700);
  });

  it('is never ahead of the service, whatever the latency in each direction (L4)', () => {
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
  ])('changes to the newest Date if the service sets its clock %s', (_way, ms) => {
    const { observe, nowMs } = observing();
    observe(T, 0, 0);
    observe(T + ms + 1000, 1000, 1000);
    expect(nowMs(1000)).toBe(T + ms + 1000);
  });

  it('counts as set back only if a Date, plus a second of rounding, is more than a second behind the known time', () => {
    // After the first answer the clock is between T and T + 1000 at the start.
    const back = observing();
    back.observe(T, 0, 0);
    back.observe(T - 2000, 0, 0);
    expect(back.nowMs(0)).toBe(T);
    const further = observing();
    further.observe(T, 0, 0);
    further.observe(T - 2001, 0, 0);
    expect(further.nowMs(0)).toBe(T - 2001);
    const forward = observing();
    forward.observe(T, 100, 100);
    forward.observe(T + 2000, 0, 100);
    forward.observe(T, 100, 100);
    expect(forward.nowMs(100)).toBe(T + 2000);
  });

  it('is corrected for drift: a newer lower bound replaces an older bound that may be further off', () => {
    // After ten thousand seconds a bound may be a second off.
    const received = 50_000 + 10_000_000;
    const old = observing();
    old.observe(T + 50_000, 50_000, 50_000);
    old.observe(T + received - 1000, received, received);
    expect(old.nowMs(received)).toBe(T + received);
    old.observe(T + received - 1000, received - 1, received - 1);
    expect(old.nowMs(received)).toBe(T + received - 999);
  });
});
