/** How one attempt ended: the one place that decides what is done, what is said, and what may be tried again. */
import { type RequestFailure, UnavailableError, UnexpectedAnswerError } from '../errors.ts';
import type { RateFacts } from '../limit/rate-headers.ts';
import { answerError, PASSING_STATUSES, parseErrorBody, type Subject } from './answer-error.ts';
import { excerpt } from './excerpt.ts';
import { parseJson } from './json.ts';
import type { NetworkError, NetworkFault } from './network-error.ts';
import type { Answer, Method } from './transport.ts';

export interface Call<T> {
  method: Method;
  /** Path and query from the root of the host. */
  path: string;
  body?: unknown;
  /** The key goes along. */
  authorized: boolean;
  /** Awaited before every attempt, when the rate limit has let it through; what it throws ends the call, and nothing was sent. */
  beforeSend?: (() => Promise<void>) | undefined;
  /**
   * Turns the parsed body of a 2xx answer into what the caller wants, or throws UnexpectedAnswerError whose message begins
   * with `subject`. Undefined: the body does not matter.
   */
  check?: (json: unknown, answer: { subject: string; dateMs: number | undefined }) => T;
}

/** How one attempt ended. */
export type Verdict<T> =
  | { kind: 'done'; value: T }
  /** 429: the governor makes everybody pause; not an attempt that failed. */
  | { kind: 'refused' }
  | { kind: 'failed'; error: RequestFailure; repeat: boolean; retryAfterMs?: number | undefined; sent: boolean };

interface Answered {
  answer: Answer;
  facts: RateFacts;
  /** The service has answered before, as itself. */
  reached: boolean;
}

/** The verdict on an answer. */
export async function judgeAnswer<T>(call: Call<T>, subject: Subject, answered: Answered): Promise<Verdict<T>> {
  const { answer, facts } = answered;
  const { status } = answer;
  if (status >= 200 && status < 300) return readSuccess(call, subject, answered);
  const body = await parseErrorBody(answer.text);
  if (status === 429 && (body !== undefined || call.method !== 'POST')) return { kind: 'refused' };
  const error = answerError(subject, answer, body);
  const repeat = PASSING_STATUSES.has(status) && call.method !== 'POST';
  return { kind: 'failed', error, repeat, retryAfterMs: facts.retryAfterMs, sent: true };
}

async function readSuccess<T>(call: Call<T>, subject: Subject, { answer, facts, reached }: Answered): Promise<Verdict<T>> {
  // Only a caller that wants nothing leaves `check` out, and then T is void.
  if (!call.check) return { kind: 'done', value: undefined as T };
  let json: unknown;
  try {
    json = await parseJson(answer.text);
  } catch (cause) {
    const error = notJson(subject, answer, cause);
    // What begins like JSON was cut on its way. A page of HTML is somebody else's answer: of a gateway that passes, if the
    // service was reached before; if not, the base URL is wrong.
    const passes = reached || answer.text === '' || /^\s*[[{]/.test(answer.text);
    return { kind: 'failed', error, repeat: passes && call.method !== 'POST', sent: true };
  }
  return { kind: 'done', value: call.check(json, { subject: subject.name, dateMs: facts.dateMs }) };
}

const HINTS: Partial<Record<NetworkFault, string>> = {
  certificate: 'check the base URL; where its authority is your own, name its certificate with NODE_EXTRA_CA_CERTS=FILE',
  protocol: 'check the port of the base URL, or whether it begins with http://',
};

/** The verdict on an exchange that brought no answer. */
export function judgeFailure({ method, name }: Subject, failure: NetworkError): Verdict<never> {
  const { fault, sent, message } = failure;
  const error =
    fault === 'answer'
      ? new UnexpectedAnswerError(`${name}: ${message}`, { hint: 'check the base URL: qrctl doctor', cause: failure })
      : new UnavailableError(`${name}: ${message}`, {
          outcome: sent ? 'unknown' : 'not-applied',
          hint: HINTS[fault] ?? 'see: qrctl doctor',
          cause: failure,
        });
  return { kind: 'failed', error, repeat: fault === 'network' && !(sent && method === 'POST'), sent };
}

function notJson({ name, redact }: Subject, answer: Answer, cause: unknown): UnexpectedAnswerError {
  const words = excerpt(answer.text, redact);
  const what = words === '' ? 'an empty answer' : `an answer that is not JSON: ${words}`;
  return new UnexpectedAnswerError(`${name}: ${what} (${answer.status})`, {
    status: answer.status,
    hint: 'check the base URL: qrctl doctor',
    cause,
  });
}
