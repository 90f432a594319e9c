import type { ServerResponse } from 'node:http';

export interface SandboxRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body?: Buffer;
  oversized: boolean;
}

export interface SandboxResponse {
  status: number;
  headers: Record<string, string>;
  body?: string | Buffer;
}

export interface Exchange {
  request: SandboxRequest;
  number: number;
  /** Executes `request` (default: the received one) if it is accepted. Returns the response. */
  apply(request?: SandboxRequest): SandboxResponse;
  send(response: SandboxResponse): Promise<void>;
  response: ServerResponse;
}

export type Intercept = (exchange: Exchange) => void | Promise<void>;

export interface RequestRecord {
  method: string;
  url: string;
  status: number;
  ms: number;
  remaining: number;
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): SandboxResponse {
  const type = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(value) };
}

export function failure(
  status: number,
  code: string,
  error: string,
  headers: Record<string, string> = {},
): SandboxResponse {
  return json(status, { error, code }, headers);
}
