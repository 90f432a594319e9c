import type { RequestFailure } from '#base/errors';
import type { GovernorOptions, PauseEvents } from './rate-limit/governor.ts';
import type { RateLimit } from './rate-limit/rate-limit.ts';
import type { CodeChanges, NewCode, Page, QrCode, ScanPage } from './shapes.ts';
import type { SlugMemory, SlugStore } from './slug-memory.ts';
import type { Method } from './transport.ts';
import type { Workspace } from './workspace.ts';

export interface ServiceOptions extends Omit<GovernorOptions, 'events'> {
  baseUrl: string;
  apiKey: string;
  profile?: string;
  keyHint?: string;
  userAgent: string;
  timeoutMs: number;
  retryForMs: number;
  env: NodeJS.Dict<string>;
  events?: ServiceEvents;
  slugStore: SlugStore;
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
 * Called after the rate limit admits an attempt and before a byte is sent. Its error is thrown unchanged. If
 * it returns work, the attempt gives up its place, does the work, and waits ahead of all others.
 */
export type BeforeSend = () => Promise<(() => Promise<void>) | undefined>;

export type SendDelete = (beforeSend?: BeforeSend) => Promise<void>;

/** Times are whole ms since the epoch; the service's bounds may be inclusive or exclusive. */
export interface ScanPageRequest extends PageRequest {
  sinceMs?: number;
  untilMs?: number;
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

/** `path` is relative to the base URL, `json` an exact body. */
export interface RawRequest {
  method: Method;
  path: string;
  json?: string;
}

export interface RawResponse {
  status: number;
  text: string;
  failure: RequestFailure | undefined;
}

/**
 * Methods throw the signal's reason or AuthError (401), NotFoundError (404), PlanLimitError (403 to POST),
 * RejectedError (400), RateLimitError (--max-wait), UnavailableError, UnexpectedResponseError.
 */
export interface Service {
  baseUrl: string;
  concurrency: number;
  workspace: Workspace;
  slugs: SlugMemory;
  listCodes(request: PageRequest): Promise<Page<QrCode>>;
  getCode(id: string): Promise<QrCode>;
  /** Creates a code. Repeated only if certainly not applied. */
  createCode(code: NewCode, beforeSend?: () => Promise<void>): Promise<QrCode>;
  updateCode(id: string, changes: CodeChanges): Promise<QrCode>;
  /** Deletes a code. Only 204 is a success, or 404 after a lost response. */
  deleteCode(id: string, beforeSend?: BeforeSend): Promise<void>;
  listScans(id: string, request: ScanPageRequest): Promise<ScanPage>;
  /** Sends a request; resolves for any status. */
  send(request: RawRequest): Promise<RawResponse>;
  openApi(): Promise<unknown>;
  rateLimit(): RateLimit;
  stats(): ServiceStats;
  /** Time of the service; undefined before the first Date header. */
  nowMs(): number | undefined;
  close(): Promise<void>;
}
