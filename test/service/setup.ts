/** What the tests of the service share: a service on a real clock that never waits between attempts, and its answers. */

import { onTestFinished } from 'vitest';
import { systemClock } from '#base/time/time';
import { createService } from '#service/create-service';
import type { Service } from '#service/service';
import type { ServiceOptions } from '#service/service-options';
import { makeCode, makeScan } from '../support/make.ts';
import { NO_SLUG_STORE } from '../support/no-slug-store.ts';

export const KEY = 'svc_live_0123456789abcdef';

/** A service that is closed with the running test. Backoffs are jittered down to nothing. */
export function useService(baseUrl: string, options: Partial<ServiceOptions> = {}): Service {
  const service = createService({
    baseUrl,
    apiKey: KEY,
    userAgent: 'qrctl/test',
    clock: { ...systemClock, random: () => 0 },
    signal: new AbortController().signal,
    concurrency: 4,
    reserve: { requests: 0 },
    maxWaitMs: undefined,
    timeoutMs: 120_000,
    // Seven attempts, without a wait between them.
    retryForMs: 7000,
    env: {},
    slugStore: NO_SLUG_STORE,
    ...options,
  });
  onTestFinished(() => service.close());
  return service;
}

export const CODE = makeCode({ slug: 'abc123', name: 'Poster' });
export const SCAN = makeScan();

/** A page of a list as the specification describes it. */
export function pageOf(data: readonly unknown[], total = data.length) {
  return { data, pagination: { page: 1, limit: 100, total, pages: 1 } };
}

/** What a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was expected to fail');
}

/** Everything an async iterable yields (Array.fromAsync, which Node 20 has not got). */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
