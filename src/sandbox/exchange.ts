/** One request and its response as plain values: input and output of endpoints, which tests can intercept. */
import type { ServerResponse } from 'node:http';

export interface SandboxRequest {
  method: string;
  /** Path as sent, without the query. */
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The whole body; undefined if there was none. */
  body: Buffer | undefined;
  /** The body was too large and has been cut. */
  oversized: boolean;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Undefined: no body (204). A Buffer is encoded JSON. */
  body: string | Buffer | undefined;
}

/** Request that was counted against the rate limit and waits for its response. */
export interface Exchange {
  readonly request: SandboxRequest;
  /** Number of requests before this one. */
  readonly number: number;
  /** Applies the request and returns the response, including rate limit headers. Each call applies it again. */
  apply(request?: SandboxRequest): Answer;
  /** Sends a response, after the latency. */
  send(answer: Answer): Promise<void>;
  /** The raw response, for connections that break. */
  readonly response: ServerResponse;
}

/** Takes the place of `send(apply())`. */
export type Intercept = (exchange: Exchange) => void | Promise<void>;

/** Log record of a request, after the response was sent. */
export interface RequestRecord {
  method: string;
  /** Path and query. */
  url: string;
  status: number;
  /** Time from the last byte of the request to the response. */
  ms: number;
  /** X-RateLimit-Remaining of the response. */
  remaining: number;
}

/** Creates a JSON response. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** Creates an error response (section 2 of the specification). */
export function failure(
  status: number,
  code: string,
  error: string,
  headers: Record<string, string> = {},
): Answer {
  return json(status, { error, code }, headers);
}
