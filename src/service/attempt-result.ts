import { type RequestFailure, UnavailableError, UnexpectedResponseError } from '#base/errors';
import { ExcessiveJsonError } from '#base/text/bounded-json';
import type { CheckContext } from './checks.ts';
import { excerpt } from './excerpt.ts';
import { parseJson } from './json.ts';
import type { NetworkError, NetworkFault } from './network-error.ts';
import type { RateHeaders } from './rate-limit/rate-headers.ts';
import {
  CHECK_URL,
  PASSING_STATUSES,
  parseErrorBody,
  responseError,
  type Subject,
} from './response-error.ts';
import { type HttpResponse, header, type Method } from './transport.ts';

/**
 * Function that runs after the rate limit admits an attempt and before a byte is sent. If it returns work,
 * the attempt frees its place, does the work, and is then admitted before others.
 */
export type BeforeSend = () => Promise<(() => Promise<void>) | undefined>;

export interface Call<T> {
  method: Method;
  path: string;
  body?: unknown;
  json?: string;
  isPublic?: boolean;
  beforeSend?: BeforeSend | (() => Promise<void>);
  /** Checks a JSON body. Without a check, only a 204 is a success. */
  check?: (json: unknown, context: CheckContext) => T;
  onResponse?: (response: HttpResponse) => void;
  anyBody?: boolean;
}

type AttemptResult<T> =
  | { kind: 'done'; value: T }
  | { kind: 'limited' }
  /** `repeat`: another attempt is safe and may help. `sent`: the service may have applied the request. */
  | {
      kind: 'failed';
      error: RequestFailure;
      repeat: boolean;
      retryAfterMs?: number;
      sent: boolean;
    };

interface Received {
  response: HttpResponse;
  rate: RateHeaders;
  reached: boolean;
}

export async function resultOfResponse<T>(
  call: Call<T>,
  subject: Subject,
  received: Received,
): Promise<AttemptResult<T>> {
  const { response, rate } = received;
  const { status } = response;
  if (status >= 200 && status < 300) {
    call.onResponse?.(response);
    return readSuccess(call, subject, received);
  }
  // A 429 refuses the request (RFC 6585), so even a POST may be repeated.
  if (status === 429) return { kind: 'limited' };
  call.onResponse?.(response);
  const error = responseError(subject, response, await parseErrorBody(response.text), rate);
  const repeat = PASSING_STATUSES.has(status) && call.method !== 'POST';
  return { kind: 'failed', error, repeat, retryAfterMs: rate.retryAfterMs, sent: true };
}

async function readSuccess<T>(
  call: Call<T>,
  subject: Subject,
  { response, rate, reached }: Received,
): Promise<AttemptResult<T>> {
  const isDone = call.check ? call.anyBody && !isJson(response) : response.status === 204;
  if (isDone) return { kind: 'done', value: undefined as T };
  if (!call.check) {
    // A 2xx other than 204 may be from a proxy or captive portal.
    const error = unexpected('the response is not 204 (No Content)', subject, response);
    return { kind: 'failed', error, repeat: true, sent: true };
  }
  let json: unknown;
  try {
    json = await parseJson(response.text);
  } catch (cause) {
    if (cause instanceof ExcessiveJsonError) {
      const { status } = response;
      const hint = 'Run `qrctl doctor` to find the cause.';
      const error = new UnexpectedResponseError(`the response ${cause.message}`, { status, hint, cause });
      return { kind: 'failed', error, repeat: false, sent: true };
    }
    const what = response.text.trim() === '' ? 'empty response' : 'the response is not JSON';
    const error = unexpected(what, subject, response, cause);
    // Treats text that can't be the start of JSON as a gateway's, unless a response was valid before.
    const isTransient = reached || response.text === '' || /^\s*[[{]/.test(response.text);
    return { kind: 'failed', error, repeat: isTransient && call.method !== 'POST', sent: true };
  }
  return { kind: 'done', value: call.check(json, { dateMs: rate.dateMs, redact: subject.redact }) };
}

function isJson({ text, headers }: HttpResponse): boolean {
  return text !== '' && /^application\/([\w.-]+\+)?json\b/i.test(header(headers, 'content-type') ?? '');
}

const HINTS: Partial<Record<NetworkFault, string>> = {
  certificate:
    'Check the base URL. If you use a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file.',
  proxy:
    'Add the user name and password to the proxy URL: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT (or HTTP_PROXY for a service without TLS).',
  protocol: 'Check the port in the base URL, and whether the URL should begin with http://.',
};

export function resultOfFailure({ method, redact }: Subject, failure: NetworkError): AttemptResult<never> {
  const { fault, sent, hint } = failure;
  const message = redact(failure.message);
  const error =
    fault === 'answer'
      ? new UnexpectedResponseError(message, { hint: CHECK_URL, cause: failure })
      : new UnavailableError(message, {
          outcome: sent ? 'unknown' : 'not-applied',
          hint: hint ?? HINTS[fault] ?? 'Run `qrctl doctor` to find the cause.',
          cause: failure,
        });
  return { kind: 'failed', error, repeat: fault === 'network' && !(sent && method === 'POST'), sent };
}

function unexpected(
  what: string,
  { redact }: Subject,
  { status, text }: HttpResponse,
  cause?: unknown,
): UnexpectedResponseError {
  const words = excerpt(text, redact);
  const message = `${what}${words && `: ${words}`} (${status})`;
  return new UnexpectedResponseError(message, { status, hint: CHECK_URL, cause });
}

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 10_000;
const MIN_ATTEMPTS = 7;
/** Maximum Retry-After in ms, except after a 429. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Returns Retry-After, at most MAX_RETRY_AFTER_MS, plus an exponential back-off in ms with full jitter;
 * undefined to give up. `random` is in [0, 1).
 */
export function backoffMs(state: {
  attempts: number;
  spentMs: number;
  retryForMs: number;
  retryAfterMs: number | undefined;
  random: number;
}): number | undefined {
  if (state.attempts >= Math.max(MIN_ATTEMPTS, state.retryForMs / 1000)) return undefined;
  const jittered = state.random * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (state.attempts - 1));
  const statedMs = Math.min(MAX_RETRY_AFTER_MS, Math.max(0, state.retryAfterMs ?? 0));
  const ms = statedMs + jittered;
  return state.spentMs + ms > state.retryForMs || state.retryForMs === 0 ? undefined : ms;
}
