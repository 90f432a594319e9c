/** Decides the result of one attempt of a request: its value, its message, and whether and when it may be repeated. */
import { type RequestFailure, UnavailableError, UnexpectedAnswerError } from '../base/errors.ts';
import { ExcessiveJsonError } from '../base/text/bounded-json.ts';
import { answerError, PASSING_STATUSES, parseErrorBody, type Subject } from './answer-error.ts';
import type { AnswerContext } from './checks.ts';
import { excerpt } from './excerpt.ts';
import { parseJson } from './json.ts';
import type { NetworkError, NetworkFault } from './network-error.ts';
import type { RateHeaders } from './rate-limit/rate-headers.ts';
import type { BeforeSend } from './service.ts';
import { type Answer, header, type Method } from './transport.ts';

/** Request to the service, and the check of its response. */
export interface Call<T> {
  method: Method;
  /** Path and query from the root of the host. */
  path: string;
  body?: unknown;
  /** Body that is JSON already, sent unchanged instead of `body`. */
  json?: string | undefined;
  /** The key goes along. */
  authorized: boolean;
  beforeSend?: BeforeSend | (() => Promise<void>) | undefined;
  /**
   * Turns the parsed body of a 2xx answer into what the caller wants, or throws UnexpectedAnswerError.
   * Undefined: the response is 204, without a body.
   */
  check?: (json: unknown, answer: AnswerContext) => T;
  /** Called for every response but a pause for the rate limit, whatever its status, before it is processed. */
  onAnswer?: (answer: Answer) => void;
  /** A response without a body, or without a JSON content type, is accepted unread. */
  anyBody?: boolean;
}

export type AttemptResult<T> =
  | { kind: 'done'; value: T }
  /** 429, from the service or an intermediary: the governor pauses all requests; it uses up no attempt. */
  | { kind: 'limited' }
  /** `repeat`: another attempt is safe, and may help. `sent`: the service may have applied the request. */
  | {
      kind: 'failed';
      error: RequestFailure;
      repeat: boolean;
      retryAfterMs?: number | undefined;
      sent: boolean;
    };

interface Answered {
  answer: Answer;
  rate: RateHeaders;
  /** The service itself has responded before. */
  reached: boolean;
}

/** Returns the result of an attempt that got a response, whatever its status. */
export async function resultOfAnswer<T>(
  call: Call<T>,
  subject: Subject,
  answered: Answered,
): Promise<AttemptResult<T>> {
  const { answer, rate } = answered;
  const { status } = answer;
  if (status >= 200 && status < 300) {
    call.onAnswer?.(answer);
    return readSuccess(call, subject, answered);
  }
  // RFC 6585: whichever server sends it, the request was not processed. This includes POST.
  if (status === 429) return { kind: 'limited' };
  call.onAnswer?.(answer);
  const error = answerError(subject, answer, await parseErrorBody(answer.text), rate);
  const repeat = PASSING_STATUSES.has(status) && call.method !== 'POST';
  return { kind: 'failed', error, repeat, retryAfterMs: rate.retryAfterMs, sent: true };
}

async function readSuccess<T>(
  call: Call<T>,
  subject: Subject,
  { answer, rate, reached }: Answered,
): Promise<AttemptResult<T>> {
  // Only a caller that wants nothing leaves `check` out, and then T is void.
  const isDone = call.check ? call.anyBody && !saysJson(answer) : answer.status === 204;
  if (isDone) return { kind: 'done', value: undefined as T };
  if (!call.check) return { kind: 'failed', error: notEmpty(subject, answer), repeat: true, sent: true };
  let json: unknown;
  try {
    json = await parseJson(answer.text);
  } catch (cause) {
    if (cause instanceof ExcessiveJsonError)
      return { kind: 'failed', error: excessive(answer, cause), repeat: false, sent: true };
    const error = notJson(subject, answer, cause);
    // A body that begins like JSON was truncated. A page of HTML is from another server: a transient one of a gateway if the service was
    // reached before; otherwise the base URL is wrong.
    const passes = reached || answer.text === '' || /^\s*[[{]/.test(answer.text);
    return { kind: 'failed', error, repeat: passes && call.method !== 'POST', sent: true };
  }
  return { kind: 'done', value: call.check(json, { dateMs: rate.dateMs, redact: subject.redact }) };
}

function saysJson({ text, headers }: Answer): boolean {
  return text !== '' && /^application\/([\w.-]+\+)?json\b/i.test(header(headers, 'content-type') ?? '');
}

const HINTS: Partial<Record<NetworkFault, string>> = {
  certificate:
    'Check the base URL. If you use a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file.',
  proxy:
    'Add the user name and password to the proxy URL: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT (or HTTP_PROXY for a service without TLS).',
  protocol: 'Check the port in the base URL, and whether the URL should begin with http://.',
};

/** The result of an attempt that brought none. */
export function resultOfFailure({ method, redact }: Subject, failure: NetworkError): AttemptResult<never> {
  const { fault, sent, hint } = failure;
  // It may contain a header of the response.
  const message = redact(failure.message);
  const error =
    fault === 'answer'
      ? new UnexpectedAnswerError(message, {
          hint: 'Run `qrctl doctor` to check the base URL.',
          cause: failure,
        })
      : new UnavailableError(message, {
          outcome: sent ? 'unknown' : 'not-applied',
          hint: hint ?? HINTS[fault] ?? 'Run `qrctl doctor` to find the cause.',
          cause: failure,
        });
  return { kind: 'failed', error, repeat: fault === 'network' && !(sent && method === 'POST'), sent };
}

function excessive({ status }: Answer, cause: ExcessiveJsonError): UnexpectedAnswerError {
  return new UnexpectedAnswerError(`the response ${cause.message}`, {
    status,
    hint: 'Run `qrctl doctor` to find the cause.',
    cause,
  });
}

/** A page of a proxy or portal may have any status of success, but only 204 is the service's word that it deleted the code. */
function notEmpty({ redact }: Subject, answer: Answer): UnexpectedAnswerError {
  const words = excerpt(answer.text, redact);
  return new UnexpectedAnswerError(
    `the response is not 204 (No Content)${words && `: ${words}`} (${answer.status})`,
    {
      status: answer.status,
      hint: 'Run `qrctl doctor` to check the base URL.',
    },
  );
}

function notJson({ redact }: Subject, answer: Answer, cause: unknown): UnexpectedAnswerError {
  const words = excerpt(answer.text, redact);
  // A page may have tags alone.
  const said = words === '' ? '' : `: ${words}`;
  const what = answer.text.trim() === '' ? 'empty response' : `the response is not JSON${said}`;
  return new UnexpectedAnswerError(`${what} (${answer.status})`, {
    status: answer.status,
    hint: 'Run `qrctl doctor` to check the base URL.',
    cause,
  });
}

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
/** Far more than chance makes of a long backoff: an attempt for each second that may be spent, and so many at least. */
const FEWEST_ATTEMPTS = 7;
/** Longest Retry-After that is honored, except that of a 429: `backoffMs` is not called for one, and src/service/rate-limit/rate-window.ts bounds it (L8). */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * Returns the ms to wait before the next attempt, or undefined to give up: exponential back-off with full jitter, bounded in count and
 * time. `attempts` were made, the outage has lasted `spentMs` (without pauses for the rate limit) and may last `retryForMs`;
 * `retryAfterMs` is honored up to a minute. `random` is in [0, 1).
 */
export function backoffMs(state: {
  attempts: number;
  spentMs: number;
  retryForMs: number;
  retryAfterMs: number | undefined;
  random: number;
}): number | undefined {
  if (state.attempts >= Math.max(FEWEST_ATTEMPTS, state.retryForMs / 1000)) return undefined;
  const jittered = state.random * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (state.attempts - 1));
  const wished = Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, state.retryAfterMs ?? 0));
  const ms = wished + jittered;
  return state.spentMs + ms > state.retryForMs || state.retryForMs === 0 ? undefined : ms;
}
