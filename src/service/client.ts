import { NotFoundError, RequestFailure } from '#base/errors';
import { formatDuration } from '#base/time/time';
import { backoffMs, type Call, resultOfFailure, resultOfResponse } from './attempt-result.ts';
import { createRedact } from './excerpt.ts';
import { withRequest } from './name-request.ts';
import { asNetworkError, type NetworkError } from './network-error.ts';
import { createGovernor, type Ticket } from './rate-limit/governor.ts';
import { parseRateHeaders, type RateHeaders } from './rate-limit/rate-headers.ts';
import { isFromService, type Subject } from './response-error.ts';
import type { ServiceEvents, ServiceOptions } from './service-options.ts';
import { type Exchange, type HttpResponse, header, type Transport } from './transport.ts';

export function createClient(options: ServiceOptions, transport: Transport) {
  const { clock, signal, retryForMs, keyHint, events = {} } = options;
  const host = new URL(options.baseUrl).host;
  const redact = createRedact(options.apiKey);
  const governor = createGovernor({ ...options, events });
  let requests = 0;
  let retries = 0;
  let failingSinceMs: number | undefined;
  let reached = false;
  let noted: { message: string; until: number } | undefined;

  /** Reports only one of several concurrent retries with the same failure. */
  function noteRetry(message: string, retry: Parameters<NonNullable<ServiceEvents['retry']>>[0]): void {
    const now = clock.monotonic();
    if (noted?.message === message && now < noted.until) return;
    noted = { message, until: now + retry.ms };
    events.retry?.(retry);
  }

  function outageMs(spentMs = 0): number {
    const now = clock.monotonic();
    failingSinceMs ??= now;
    return Math.max(spentMs, now - failingSinceMs);
  }

  async function call<T>(call: Call<T>): Promise<T> {
    const exchange = exchangeOf(call);
    const name = `${call.method} ${call.path.split('?', 1)[0]} on ${host}`;
    const subject: Subject = { method: call.method, redact, keyHint };
    const throwNamed = (error: unknown): never => {
      if (error instanceof RequestFailure) error.message = withRequest(error.message, name);
      throw error;
    };
    let attempts = 0;
    /** Time in ms since the first failed attempt, without waits for the rate limit. */
    let spentMs: number | undefined;
    let maybeApplied = false;
    // A 404 to a DELETE counts as a success if an earlier attempt may have been applied.
    const isGone = (error: unknown) =>
      call.method === 'DELETE' && maybeApplied && error instanceof NotFoundError;
    for (let again = false; ; ) {
      const ticket = await placeFor(call, again).catch((error) => {
        if (isGone(error)) return undefined;
        throw error;
      });
      if (!ticket) return undefined as T;
      const began = clock.monotonic();
      const received = await attempt(exchange, ticket);
      const result =
        'response' in received
          ? await resultOfResponse(call, subject, { ...received, reached }).catch(throwNamed)
          : resultOfFailure(subject, received);
      if (spentMs !== undefined) spentMs += clock.monotonic() - began;
      if (result.kind !== 'failed' || (!result.repeat && 'response' in received)) failingSinceMs = undefined;
      again = result.kind === 'limited';
      // L17: a 429 does not count as an attempt.
      if (result.kind === 'limited') continue;
      if (result.kind === 'done') {
        reached ||= !call.isPublic;
        return result.value;
      }

      if (isGone(result.error)) return undefined as T;
      maybeApplied ||= result.sent;
      attempts += 1;
      const { retryAfterMs } = result;
      const ms = result.repeat
        ? backoffMs({
            attempts,
            spentMs: outageMs(spentMs),
            retryForMs,
            retryAfterMs,
            random: clock.random(),
          })
        : undefined;
      if (ms === undefined) {
        const time = (spentMs ?? 0) < 1000 ? '' : ` in ${formatDuration(spentMs ?? 0)}`;
        if (attempts > 1) result.error.message += ` (after ${attempts} attempts${time})`;
        return throwNamed(result.error);
      }
      noteRetry(result.error.message, {
        reason: withRequest(result.error.message, name),
        ms,
        attempt: attempts + 1,
      });
      await clock.sleep(ms, signal);
      spentMs = (spentMs ?? 0) + ms;
      retries += 1;
    }
  }

  async function placeFor({ beforeSend }: Call<unknown>, again: boolean): Promise<Ticket> {
    for (let first = again; ; first = true) {
      const ticket = await governor.admit(first);
      const work = await beforeSend?.().catch((reason) => {
        ticket.failed(false);
        throw reason;
      });
      if (!work) return ticket;
      // Frees the place, so that requests in `work` are admitted even with a concurrency of one.
      ticket.failed(false);
      await work();
    }
  }

  function exchangeOf({ method, path, body, json, isPublic, anyBody: exact }: Call<unknown>): Exchange {
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      // Makes caches revalidate with the service (RFC 9111, 5.2.1.4).
      'cache-control': 'no-cache',
      'user-agent': options.userAgent,
    };
    if (!isPublic) headers.authorization = `Bearer ${options.apiKey}`;
    const text = json ?? (body === undefined ? undefined : JSON.stringify(body));
    if (text === undefined) return { method, path, headers, exact };
    headers['content-type'] = 'application/json';
    return { method, path, headers, body: text, exact };
  }

  async function attempt(
    exchange: Exchange,
    ticket: Ticket,
  ): Promise<{ response: HttpResponse; rate: RateHeaders } | NetworkError> {
    const { method, path } = exchange;
    const began = clock.monotonic();
    const trace = (status?: number, remaining?: number) =>
      events.request?.({ method, path, status, ms: clock.monotonic() - began, remaining });
    requests += 1;
    try {
      const response = await transport.exchange(exchange);
      const rate = parseRateHeaders((name) => header(response.headers, name));
      trace(response.status, rate.remaining);
      if (response.status >= 500 && rate.remaining === undefined) ticket.failed(true);
      else if (response.status === 429 && !(await isFromService(response, rate)))
        ticket.throttled(rate.retryAfterMs);
      else ticket.received(rate, response.status === 429);
      return { response, rate };
    } catch (error) {
      if (signal.aborted) {
        ticket.failed(true);
        throw signal.reason;
      }
      const failure = asNetworkError(error, true);
      trace();
      ticket.failed(failure.sent);
      return failure;
    }
  }

  return {
    call,
    rateLimit: governor.rateLimit,
    stats: () => ({ requests, retries, ...governor.pauses() }),
    nowMs: () => {
      const now = governor.serviceClock.nowMs();
      return now === undefined ? undefined : Math.floor(now);
    },
  };
}
