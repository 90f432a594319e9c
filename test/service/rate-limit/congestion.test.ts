/** A gateway that refuses bursts: fewer requests go at once, and further apart, until they get through. */
import { describe, expect, it, test } from 'vitest';
import { createCongestion } from '#service/rate-limit/congestion';
import type { Transport } from '#service/transport';
import { fakeClock } from '../../support/clock.ts';
import { client, GET, START } from './setup.ts';

const POST = { ...GET, method: 'POST' } as const;

/** A gateway in front of a service without a limit: of the requests that arrive in the same 100 ms one gets through. */
function burstGateway(clock: ReturnType<typeof fakeClock>, latencyMs: number) {
  const counts = { 200: 0, 503: 0 };
  let slot = Number.NaN;
  const transport: Transport = {
    async exchange() {
      const arrived = Math.floor(clock.monotonic() / 100);
      const status = arrived === slot ? 503 : 200;
      slot = arrived;
      counts[status] += 1;
      await clock.sleep(latencyMs);
      const service = {
        date: new Date(clock.now()).toUTCString(),
        'x-ratelimit-limit': '1000',
        'x-ratelimit-remaining': '999',
      };
      return { status, headers: status === 200 ? service : {}, text: '{}' };
    },
    close: () => undefined,
  };
  return { transport, counts };
}

describe('through a gateway that responds to bursts with 503', () => {
  test.each([1, 20, 90, 300])(
    '80 GET requests cause fewer than 60 refusals at a latency of %i ms (L21)',
    async (latencyMs) => {
      const clock = fakeClock({ wallMs: START });
      const { transport, counts } = burstGateway(clock, latencyMs);
      const sender = client(clock, transport, {});
      await clock.run(Promise.all(Array.from({ length: 80 }, () => sender.call(GET))));
      expect(counts[200]).toBe(80);
      expect(counts[503]).toBeLessThan(60);
      expect(clock.monotonic()).toBeLessThan(35_000);
    },
  );

  test.each([1, 20, 90, 300])(
    '80 POST requests cause fewer than 25 refusals at a latency of %i ms (L21, L22)',
    async (latencyMs) => {
      const clock = fakeClock({ wallMs: START });
      const { transport, counts } = burstGateway(clock, latencyMs);
      const sender = client(clock, transport, {});
      await clock.run(Promise.allSettled(Array.from({ length: 80 }, () => sender.call(POST))));
      expect(counts[200] + counts[503]).toBe(80);
      expect(counts[503]).toBeLessThan(25);
      expect(clock.monotonic()).toBeLessThan(35_000);
    },
  );
});

describe('requests in flight', () => {
  const prepare = (concurrency = 8) => {
    const clock = fakeClock({ wallMs: START });
    const congestion = createCongestion(clock, concurrency);
    const end = (...through: boolean[]) => {
      for (const one of through) congestion.ended(one, clock.monotonic());
      return [congestion.width(), congestion.waitMs()];
    };
    return { clock, congestion, end };
  };

  it('are halved in number if at least half of them fail, and are then sent further apart (L21)', async () => {
    const { clock, congestion, end } = prepare();
    expect(end(true, false)).toEqual([8, 0]);
    expect(end(false)).toEqual([4, 100]);
    expect(end(true, false, false)).toEqual([2, 100]);
    expect(end(false, false)).toEqual([1, 100]);
    await clock.advance(100);
    for (const gapMs of [50, 100, 200, 200]) {
      end(true, false, false);
      await clock.advance(100);
      congestion.sent();
      expect(congestion.waitMs()).toBe(gapMs);
      await clock.advance(gapMs);
    }
  });

  it('are unchanged in number if under half fail, after a second without success, or if only requests from before the last change fail (L21)', async () => {
    const { clock, congestion, end } = prepare();
    for (let i = 0; i < 50; i++) end(true, true, false);
    expect(congestion.width()).toBe(8);
    await clock.advance(1001);
    expect(end(...Array.from({ length: 50 }, () => false))).toEqual([8, 0]);
    expect(end(true, false, false, false)).toEqual([4, 100]);
    await clock.advance(1);
    for (let i = 0; i < 5; i++) congestion.ended(false, clock.monotonic() - 2);
    expect(congestion.width()).toBe(4);
  });

  it('grow in number after 16 responses, or after 32 if the last increase failed (L22)', () => {
    const { congestion, end } = prepare();
    const through = (count: number) => end(...Array.from({ length: count }, () => true))[0];
    end(true, false, false);
    expect([through(15), through(1), through(15), through(1)]).toEqual([4, 5, 5, 6]);
    end(false, false);
    expect([congestion.width(), through(31), through(1)]).toEqual([3, 3, 4]);
    expect(through(1000)).toBe(8);
  });

  it('depend in number only on results since the last change or outage (L21)', async () => {
    const { clock, end } = prepare();
    expect(end(true, false, false)).toEqual([4, 100]);
    expect(end(true, true, false, false)).toEqual([2, 100]);
    await clock.advance(1001);
    expect(end(true, true, false, false)[0]).toBe(1);
  });

  it('are halved in number if all fail within a second after a request got through (L21)', async () => {
    const { clock, end } = prepare();
    end(true);
    await clock.advance(1000);
    expect(end(false, false)[0]).toBe(4);
  });

  it('need 32 responses to grow in number only if the last increase failed, not after any other failure (L22)', () => {
    const { end } = prepare();
    const through = (count: number) => end(...Array.from({ length: count }, () => true))[0];
    end(true, false, false);
    expect(through(15)).toBe(4);
    expect(end(false)[0]).toBe(4);
    expect(through(1)).toBe(5);
    end(false, false);
    end(true, false, false);
    expect([through(31), through(1)]).toEqual([1, 2]);
  });

  it.each([1, 8])(
    'are first sent closer together, and then grow in number, up to a concurrency of %i (L22)',
    async (concurrency) => {
      const { clock, congestion, end } = prepare(concurrency);
      for (let i = 0; i < 6; i++) end(true, false, false);
      const found: number[] = [];
      for (let i = 0; i < 4; i++) {
        await clock.advance(200);
        congestion.sent();
        found.push(congestion.waitMs());
        end(...Array.from({ length: 16 }, () => true));
      }
      expect(found).toEqual([200, 100, 50, 0]);
      expect(congestion.width()).toBe(Math.min(concurrency, 2));
    },
  );
});
