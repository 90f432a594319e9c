/** Interface of the service for commands: its six endpoints, typed and checked, behind the rate limit and the retries. */
import type { RequestFailure } from '../base/errors.ts';
import type { GovernorOptions, PauseEvents } from './rate-limit/governor.ts';
import type { RateLimit } from './rate-limit/rate-limit.ts';
import type { CodeChanges, NewCode, Page, QrCode, ScanPage } from './shapes.ts';
import type { SlugMemory, SlugStore } from './slug-memory.ts';
import type { Method } from './transport.ts';
import type { Workspace } from './workspace.ts';

/** Options of `createService` (create-service.ts). */
export interface ServiceOptions extends Omit<GovernorOptions, 'events'> {
  /** As parseBaseUrl returns it. */
  baseUrl: string;
  /** Already checked to be visible ASCII. */
  apiKey: string;
  /** Name of the profile that the key came from, for messages. */
  profile?: string | undefined;
  /** Hint if the service rejects the key. */
  keyHint?: string | undefined;
  /** Sent as User-Agent, e.g. `qrctl/1.0.0`. */
  userAgent: string;
  /** One request, from connecting to its last byte. */
  timeoutMs: number;
  /** Longest outage (failed connections, 5xx, invalid responses) before a call ends, ms from its first failure. */
  retryForMs: number;
  /** Read for HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NODE_TLS_REJECT_UNAUTHORIZED. */
  env: Readonly<Record<string, string | undefined>>;
  events?: ServiceEvents;
  /** Where slugs are remembered from one run to the next; absent: nowhere. */
  slugStore?: SlugStore;
}

/** Cost of the requests of a command so far; `retries` are those that repeated a failed one. */
interface ServiceStats {
  requests: number;
  retries: number;
  pauses: number;
  pausedMs: number;
}

export interface PageRequest {
  page: number;
  limit: number;
}

/**
 * Hook awaited before every attempt, after the rate limit admits it and before a byte is sent. An error it throws is passed on unchanged,
 * and nothing was sent. Work that it returns is done first: the attempt returns its place, and then waits for a new one ahead of all
 * others.
 */
export type BeforeSend = () => Promise<(() => Promise<void>) | undefined>;

/** Sends the DELETE of one code. Rejects as `deleteCode` of the service does. */
export type SendDelete = (beforeSend?: BeforeSend) => Promise<void>;

/** Times are whole milliseconds since the epoch; the service's own bounds may be inclusive or exclusive. */
export interface ScanPageRequest extends PageRequest {
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

/** Told while requests run; used for `--verbose`, the progress bar's countdown, and notes. */
export interface ServiceEvents extends PauseEvents {
  /** Called after every attempt. `status` is undefined if there was no response. */
  request?(trace: {
    method: string;
    path: string;
    status: number | undefined;
    ms: number;
    remaining: number | undefined;
  }): void;
  /** A failed attempt is going to be repeated after `ms`. */
  retry?(retry: { reason: string; ms: number; attempt: number }): void;
}

/** `path` follows the base URL and includes its query; `json` is the body, sent unchanged. */
export interface RawRequest {
  method: Method;
  path: string;
  json?: string | undefined;
}

/** `text` is the body, with the key redacted if the response repeats it. */
export interface RawAnswer {
  status: number;
  text: string;
  failure: RequestFailure | undefined;
}

/**
 * Every method throws one of the request failures of errors.ts: AuthError (401), NotFoundError (404), PlanLimitError (403 to
 * POST), RejectedError (400), RateLimitError (--max-wait), UnavailableError (network, 5xx, after retries),
 * UnexpectedAnswerError (anything the specification does not describe); or the abort signal's reason.
 */
export interface Service {
  readonly baseUrl: string;
  /** Requests in flight at once, by the settings. */
  readonly concurrency: number;
  /** The workspace of its key, by which files on disk are recognized. */
  readonly workspace: Workspace;
  /** Every code in a response is cached here, and every deleted one removed. */
  readonly slugs: SlugMemory;
  listCodes(request: PageRequest): Promise<Page<QrCode>>;
  getCode(id: string): Promise<QrCode>;
  /**
   * Creates a code. Never repeated unless certainly not applied; `outcome` of a failure states which (`not-applied` or `unknown`).
   * `beforeSend` is awaited before every attempt, when the rate limit admits it and before a byte is sent; if it throws, nothing was sent,
   * and its error is thrown unchanged. (The bulk engine writes its intent to disk there.)
   */
  createCode(code: NewCode, beforeSend?: () => Promise<void>): Promise<QrCode>;
  updateCode(id: string, changes: CodeChanges): Promise<QrCode>;
  /**
   * Permanently deletes the code and its scans. Only 204 is a success; other responses of success throw UnexpectedAnswerError after retries. A
   * repeated DELETE that gets 404 has succeeded, also if the work of `beforeSend` gets it.
   */
  deleteCode(id: string, beforeSend?: BeforeSend): Promise<void>;
  listScans(id: string, request: ScanPageRequest): Promise<ScanPage>;
  /**
   * Sends any request under the base URL, with the key: for endpoints without a method here. Resolves to the response, whatever its status;
   * `failure` is the error that a method would throw. POST is never repeated unless certainly not applied.
   */
  send(request: RawRequest): Promise<RawAnswer>;
  /** The machine-readable description at the root of the service's host; needs no shape. */
  openApi(): Promise<unknown>;
  rateLimit(): RateLimit;
  /** Cost of the requests of this command so far. */
  stats(): ServiceStats;
  /** The service's clock now, ms since the epoch, from the Date headers seen; undefined before the first response. */
  nowMs(): number | undefined;
  /** Ms to wait before a request whose Date header would show most about that clock: it halves the uncertainty. */
  msToClockSample(): number;
  /** Minimum number of requests that the service counted and this process did not send; call it while none is in flight. */
  externalRequests(): number;
  close(): Promise<void>;
}
