/** What the tests of the rate limit share: answers' headers, and a client in front of the model of a service. */
import { setMaxListeners } from 'node:events';
import { createClient } from '#service/client';
import type { RateHeaders } from '#service/rate-limit/rate-headers';
import type { ServiceOptions } from '#service/service-options';
import type { Transport } from '#service/transport';
import { type FakeClock, fakeClock } from '../../support/clock.ts';
import { type ModelRateWindowOptions, modelRateWindow } from '../../support/model-service/rate-window.ts';
import { NO_SLUG_STORE } from '../../support/no-slug-store.ts';

export const DAY = 86_400_000;
export const START = 1_800_000_000_000;
export const GET = { method: 'GET', path: '/api/v1/qr', check: (json: unknown) => json } as const;

/** The headers of an answer that says only this. */
export function headersOf(said: Partial<RateHeaders>): RateHeaders {
  const nothing = { plan: undefined, limit: undefined, remaining: undefined };
  return { ...nothing, resetMs: undefined, retryAfterMs: undefined, dateMs: undefined, ...said };
}

export type ClientSetup = Partial<
  Pick<ServiceOptions, 'concurrency' | 'reserve' | 'maxWaitMs' | 'retryForMs' | 'events' | 'signal'>
>;
export type Setup = Partial<Omit<ModelRateWindowOptions, 'clock'>> & ClientSetup & { seed?: number };

export function client(clock: FakeClock, transport: Transport, setup: ClientSetup) {
  const {
    retryForMs = 30_000,
    concurrency = 4,
    reserve = { requests: 0 },
    maxWaitMs,
    events = {},
    signal = new AbortController().signal,
  } = setup;
  setMaxListeners(0, signal);
  const rest = {
    baseUrl: 'http://127.0.0.1/api/v1',
    apiKey: 'svc_live_k',
    userAgent: 'qrctl/test',
    timeoutMs: 30_000,
    env: {},
    slugStore: NO_SLUG_STORE,
  };
  return createClient(
    { ...rest, clock, signal, concurrency, reserve, maxWaitMs, retryForMs, events },
    transport,
  );
}

/** A client of the model, with 60 requests a minute unless told otherwise. */
export function prepare(setup: Setup) {
  const clock = fakeClock({ seed: setup.seed ?? 1, wallMs: START + (((setup.seed ?? 1) * 137) % 1000) });
  const model = modelRateWindow({ clock, limit: 60, windowMs: 60_000, ...setup });
  return { clock, model, sender: client(clock, model.transport, setup) };
}

/** Sends `requests` requests as fast as the client lets them, and tells how it went. */
export async function simulate(requests: number, setup: Setup) {
  const { clock, model, sender } = prepare(setup);
  const start = clock.now();
  await clock.run(Promise.all(Array.from({ length: requests }, () => sender.call(GET))));
  // The least time any client needs: the rest of the first window, then whole ones.
  const { windowMs = 60_000, phaseMs = 0, limit = 60, startsOnDemand } = setup;
  const firstReset = startsOnDemand
    ? start + windowMs
    : (Math.floor((start - phaseMs) / windowMs) + 1) * windowMs + phaseMs;
  const windows = Math.ceil(requests / limit);
  const floorMs = windows === 1 ? 0 : firstReset - start + (windows - 2) * windowMs;
  return { model, sender, floorMs, tookMs: clock.monotonic(), limited: model.counts.get(429) ?? 0 };
}
