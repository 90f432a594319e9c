import type { BeforeSend, Call } from './attempt-result.ts';
import type { GovernorOptions, PauseEvents } from './rate-limit/governor.ts';
import type { SlugStore } from './slug-memory.ts';

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

export interface PageRequest {
  page: number;
  limit: number;
}

export type SendDelete = (beforeSend?: BeforeSend) => Promise<void>;

/** Page, and time bounds in whole epoch ms. The service may include or exclude scans at a bound. */
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

export type RawRequest = Pick<Call<void>, 'method' | 'path' | 'json'>;
