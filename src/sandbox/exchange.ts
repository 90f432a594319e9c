/** One request and its answer, as plain values: what endpoints take and give, and what tests can step in between. */
import type { ServerResponse } from 'node:http';

export interface SandboxRequest {
  method: string;
  /** As sent, without the query. */
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The whole body; undefined where there was none. */
  body: Buffer | undefined;
  /** The body was too large and has been cut. */
  oversized: boolean;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Undefined: no body (204). A Buffer is taken to be JSON already encoded. */
  body: string | Buffer | undefined;
}

/** A request that has been counted against the rate limit and waits for its answer. */
export interface Exchange {
  readonly request: SandboxRequest;
  /** How many requests came before this one. */
  readonly number: number;
  /** Does what is asked and gives the answer, rate headers included. Each call applies it once more. */
  apply(request?: SandboxRequest): Answer;
  /** Sends an answer, after the latency. */
  send(answer: Answer): Promise<void>;
  /** The raw response, for connections that break. */
  readonly response: ServerResponse;
}

/** Takes the place of `send(apply())`. */
export type Intercept = (exchange: Exchange) => void | Promise<void>;

/** What is known of a request once it is answered. */
export interface RequestRecord {
  method: string;
  /** Path and query. */
  url: string;
  status: number;
  /** From the last byte of the request to the answer. */
  ms: number;
  /** X-RateLimit-Remaining of the answer. */
  remaining: number;
}

/** An answer of JSON. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers }, body: JSON.stringify(value) };
}

/** An Error body (section 2 of the specification). */
export function failure(status: number, code: string, error: string, headers: Record<string, string> = {}): Answer {
  return json(status, { error, code }, headers);
}
