/** A request from call to checked answer: rate limit, transport, retries, and one error class for each way it can end. */
import type { RequestFailure } from '../errors.ts';
import { createGovernor, type Ticket } from '../limit/governor.ts';
import { parseRateFacts, type RateFacts } from '../limit/rate-headers.ts';
import { createServiceClock } from '../limit/service-clock.ts';
import type { Subject } from './answer-error.ts';
import { createRedact } from './excerpt.ts';
import { asNetworkError, type NetworkError } from './network-error.ts';
import { backoffMs } from './retry.ts';
import type { RateLimit, ServiceOptions, ServiceStats } from './service.ts';
import type { Answer, Exchange, Transport } from './transport.ts';
import { type Call, judgeAnswer, judgeFailure } from './verdict.ts';

export interface Client {
  call<T>(call: Call<T>): Promise<T>;
  rateLimit(): RateLimit;
  stats(): ServiceStats;
  nowMs(): number | undefined;
  msToClockSample(): number;
}

export function createClient(options: ServiceOptions, transport: Transport): Client {
  const { clock, signal, events = {} } = options;
  const host = new URL(options.baseUrl).host;
  const redact = createRedact(options.apiKey);
  const serviceClock = createServiceClock(clock);
  const governor = createGovernor({ ...options, serviceClock, events });
  let requests = 0;
  let newest: RateFacts | undefined;
  /** The service has answered as itself, so the base URL leads to it. */
  let reached = false;

  function exchangeOf({ method, path, body, authorized }: Call<unknown>): Exchange {
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': options.userAgent,
    };
    if (authorized) headers.authorization = `Bearer ${options.apiKey}`;
    if (body === undefined) return { method, path, headers };
    headers['content-type'] = 'application/json';
    return { method, path, headers, body: JSON.stringify(body) };
  }

  /** One exchange, told to the governor and to whoever listens. */
  async function attempt(exchange: Exchange, ticket: Ticket): Promise<{ answer: Answer; facts: RateFacts } | NetworkError> {
    const { method, path } = exchange;
    const began = clock.monotonic();
    const trace = (status?: number, remaining?: number) =>
      events.request?.({ method, path, status, ms: clock.monotonic() - began, remaining });
    requests += 1;
    try {
      const answer = await transport.exchange(exchange);
      const facts = parseRateFacts(answer.headers);
      if (facts.remaining !== undefined || newest === undefined) newest = facts;
      trace(answer.status, facts.remaining);
      // A gateway that fails before the service knows nothing of its limit.
      if (answer.status >= 500 && facts.remaining === undefined) ticket.failed(true);
      else ticket.answered(facts, answer.status === 429);
      return { answer, facts };
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

  async function call<T>(call: Call<T>): Promise<T> {
    const exchange = exchangeOf(call);
    const subject: Subject = { method: call.method, name: `${call.method} ${pathOf(call.path)} on ${host}`, redact };
    let attempts = 0;
    let spentMs = 0;
    /** An earlier attempt may have been applied. */
    let maybeApplied = false;
    for (let again = false; ; ) {
      const ticket = await governor.admit(again);
      await call.beforeSend?.().catch((reason) => {
        ticket.failed(false);
        throw reason;
      });
      const began = clock.monotonic();
      const result = await attempt(exchange, ticket);
      const verdict =
        'answer' in result ? await judgeAnswer(call, subject, { ...result, reached }) : judgeFailure(subject, result);
      spentMs += clock.monotonic() - began;
      again = verdict.kind === 'refused';
      if (verdict.kind === 'done') {
        reached ||= call.authorized;
        return verdict.value;
      }
      if (verdict.kind === 'refused') continue;

      // What an earlier, unanswered DELETE deleted is gone: that was the aim.
      if (call.method === 'DELETE' && maybeApplied && verdict.error.status === 404) return undefined as T;
      maybeApplied ||= verdict.sent;
      attempts += 1;
      const { retryAfterMs } = verdict;
      const ms = verdict.repeat ? backoffMs({ attempts, spentMs, retryAfterMs, random: clock.random() }) : undefined;
      if (ms === undefined) throw attempts > 1 ? afterAttempts(verdict.error, attempts) : verdict.error;
      events.retry?.({ reason: verdict.error.message, ms, attempt: attempts + 1 });
      await clock.sleep(ms, signal);
      spentMs += ms;
    }
  }

  return {
    call,
    rateLimit: () => ({
      plan: newest?.plan,
      limit: newest?.limit,
      remaining: newest?.remaining,
      resetMs: newest?.resetMs,
      resetInMs: newest?.resetMs === undefined ? undefined : newest.resetMs - (serviceClock.nowMs() ?? clock.now()),
    }),
    stats: () => ({ requests, ...governor.pauses() }),
    msToClockSample: serviceClock.msToBestSample,
    nowMs: () => {
      const now = serviceClock.nowMs();
      return now === undefined ? undefined : Math.floor(now);
    },
  };
}

function pathOf(path: string): string {
  return path.split('?', 1)[0] ?? path;
}

/** The same failure, saying how often it was tried. */
function afterAttempts(error: RequestFailure, attempts: number): RequestFailure {
  error.message += ` (after ${attempts} attempts)`;
  return error;
}
