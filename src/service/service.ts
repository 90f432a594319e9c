import type { RequestFailure } from '../base/errors.ts';
import type { GovernorOptions, PauseEvents } from './rate-limit/governor.ts';
import type { RateLimit } from './rate-limit/rate-limit.ts';
import type { CodeChanges, NewCode, Page, QrCode, ScanPage } from './shapes.ts';
import type { SlugMemory, SlugStore } from './slug-memory.ts';
import type { Method } from './transport.ts';
import type { Workspace } from './workspace.ts';

export interface ServiceOptions extends Omit<GovernorOptions, 'events'> {
  baseUrl: string;
  apiKey: string;
  profile?: string | undefined;
  keyHint?: string | undefined;
  /** Sent as User-Agent, e.g. `qrctl/1.0.0`. */
  userAgent: string;
  /** Maximum time of one request, from connecting to its last byte. */
  timeoutMs: number;
  /** Maximum time of an outage (failed connections, 5xx, invalid responses). */
  retryForMs: number;
  /** Read for HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NODE_TLS_REJECT_UNAUTHORIZED. */
  env: Readonly<Record<string, string | undefined>>;
  events?: ServiceEvents;
  /** Storage of slugs between runs; default: none. */
  slugStore?: SlugStore;
}

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
 * Hook awaited before every attempt, after the rate limit admits it and before a byte is sent. If it throws, nothing was sent, and its
 * error is thrown unchanged. Work that it returns is done first: the attempt returns its place, and then waits for a new one ahead of all
 * others.
 */
export type BeforeSend = () => Promise<(() => Promise<void>) | undefined>;

export type SendDelete = (beforeSend?: BeforeSend) => Promise<void>;

/** Times are whole milliseconds since the epoch; the service's own bounds may be inclusive or exclusive. */
export interface ScanPageRequest extends PageRequest {
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

export interface ServiceEvents extends PauseEvents {
  request?(trace: {
    method: string;
    path: string;
    status: number | undefined;
    ms: number;
    remaining: number | undefined;
  }): void;
  retry?(retry: { reason: string; ms: number; attempt: number }): void;
}

/** `path` is relative to the base URL and includes the query; `json` is the body, sent unchanged. */
export interface RawRequest {
  method: Method;
  path: string;
  json?: string | undefined;
}

export interface RawResponse {
  status: number;
  text: string;
  failure: RequestFailure | undefined;
}

/**
 * Every method throws the signal's reason or a request failure: AuthError (401), NotFoundError (404), PlanLimitError (403 to POST),
 * RejectedError (400), RateLimitError (--max-wait), UnavailableError (network, 5xx, after retries), UnexpectedResponseError (not as
 * specified).
 */
export interface Service {
  readonly baseUrl: string;
  readonly concurrency: number;
  readonly workspace: Workspace;
  /** Every code in a response is cached here, and every deleted one removed. */
  readonly slugs: SlugMemory;
  listCodes(request: PageRequest): Promise<Page<QrCode>>;
  getCode(id: string): Promise<QrCode>;
  /**
   * Creates a code. Never repeated unless certainly not applied; `outcome` of a failure states which. The bulk engine writes its intent to
   * disk in `beforeSend`.
   */
  createCode(code: NewCode, beforeSend?: () => Promise<void>): Promise<QrCode>;
  updateCode(id: string, changes: CodeChanges): Promise<QrCode>;
  /** Permanently deletes the code and its scans. Only 204 is a success, or 404 to a repetition (also to the work of `beforeSend`). */
  deleteCode(id: string, beforeSend?: BeforeSend): Promise<void>;
  listScans(id: string, request: ScanPageRequest): Promise<ScanPage>;
  /**
   * Sends any request under the base URL. Resolves to the response, whatever its status; `failure` is the error that a method would throw.
   */
  send(request: RawRequest): Promise<RawResponse>;
  openApi(): Promise<unknown>;
  rateLimit(): RateLimit;
  stats(): ServiceStats;
  /** The service's clock now, ms since the epoch, from the Date headers seen; undefined before the first response. */
  nowMs(): number | undefined;
  /** Returns the ms to wait before a request whose Date header would halve the uncertainty of `nowMs`. */
  msToClockSample(): number;
  /** Minimum number of requests that the service counted and this process did not send; call it while none is in flight. */
  externalRequests(): number;
  close(): Promise<void>;
}
