import {
  AuthError,
  NotFoundError,
  type Outcome,
  PlanLimitError,
  RejectedError,
  type RequestFailure,
  UnavailableError,
  UnexpectedResponseError,
} from '#base/errors';
import { quote } from '#base/text/quote';
import { excerpt, oneLine, type Redact } from './excerpt.ts';
import { isObject, parseJson } from './json.ts';
import type { RateHeaders } from './rate-limit/rate-headers.ts';
import { type HttpResponse, header, type Method } from './transport.ts';

export interface Subject {
  method: Method;
  redact: Redact;
  keyHint?: string;
}

interface ErrorBody {
  error: string;
  code: string | undefined;
}

/** Statuses after which another attempt may help, if it is safe. */
export const PASSING_STATUSES = new Set([408, 500, 502, 503, 504]);

export const CHECK_URL = 'Run `qrctl doctor` to check the base URL.';

/** Statuses that show that nothing was applied, if the body is an Error object of the service. */
const NOT_APPLIED_STATUSES = new Set([400, 401, 403, 429]);

export async function parseErrorBody(text: string): Promise<ErrorBody | undefined> {
  const body = await parseJson(text).catch(() => undefined);
  if (!isObject(body) || typeof body.error !== 'string') return undefined;
  return { error: body.error, code: typeof body.code === 'string' ? body.code : undefined };
}

export async function isFromService({ text }: HttpResponse, { remaining }: RateHeaders): Promise<boolean> {
  return remaining !== undefined || (await parseErrorBody(text)) !== undefined;
}

/** Returns the error for a response with any status except 2xx and 429. */
export function responseError(
  subject: Subject,
  { status, headers, text }: HttpResponse,
  body: ErrorBody | undefined,
  { remaining }: RateHeaders,
): RequestFailure {
  // Detects gateways, whose 400 or 404 is not about the code or its values.
  const isFromService = body !== undefined || remaining !== undefined;
  const { redact } = subject;
  const reason = body ? oneLine(body.error, redact) : excerpt(text, redact);
  const outcome: Outcome = body && NOT_APPLIED_STATUSES.has(status) ? 'not-applied' : 'unknown';
  const details = { status, outcome, ...(body?.code !== undefined && { code: oneLine(body.code, redact) }) };
  const because = reason === '' ? '' : `: ${reason}`;

  if (status < 400) {
    const target = oneLine(header(headers, 'location') ?? '', redact);
    return new UnexpectedResponseError(
      `redirected${target && ` to ${quote(target)}`} (${status}), but qrctl does not follow redirects`,
      { ...details, hint: CHECK_URL },
    );
  }
  if (status === 401) {
    return new AuthError(`the service rejected the API key (401)${because}`, {
      ...details,
      hint: subject.keyHint ?? 'Use a valid API key.',
    });
  }
  if (status === 403 && subject.method === 'POST' && (body !== undefined || text === '')) {
    return new PlanLimitError(`the plan's code limit is reached (403)${because}`, {
      ...details,
      hint: 'Delete codes that you no longer need (`qrctl qr delete`), or change the plan.',
    });
  }
  if (status === 404 && isFromService) {
    return new NotFoundError(`not found (404)${because}`, {
      ...details,
      hint: 'Run `qrctl qr list` to see all codes.',
    });
  }
  if ((status === 400 || status === 422) && isFromService) {
    return new RejectedError(`the service rejected the values (${status})${because}`, details);
  }
  if (PASSING_STATUSES.has(status)) {
    return new UnavailableError(`the service failed (${status})${because}`, {
      ...details,
      hint: 'Try again later, or run `qrctl doctor` to find the cause.',
    });
  }
  const whose = isFromService ? 'unexpected response' : 'unexpected response that is not from the service';
  return new UnexpectedResponseError(`${whose} (${status})${because}`, { ...details, hint: CHECK_URL });
}
