/** The settings in force for one command: flag > variable > profile > default. */

/** Requests of each window left to others: a number, or a share of the window's limit. */
export type Reserve = { requests: number } | { percent: number };

export const FORMATS = ['table', 'csv', 'json', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

export interface Settings {
  /** Name of the profile in force, whether stored or not. */
  profile: string;
  /** Ends in /api/v1, no trailing slash; undefined when nothing names one. */
  baseUrl: string | undefined;
  /** The key that may be sent to `baseUrl`; undefined when there is none. Never print it: see keyPrefix in settings/key.ts. */
  apiKey: string | undefined;
  /** Why there is no usable key although one is stored (it belongs to another base URL); one sentence. */
  apiKeyProblem: string | undefined;
  format: Format | undefined;
  timezone: string | undefined;
  shortUrl: string | undefined;
  reserve: Reserve;
  concurrency: number;
  /** Undefined: no bound. */
  maxWaitMs: number | undefined;
  timeoutMs: number;
}
