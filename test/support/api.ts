/** Plain requests to a sandbox, past the product's own client. */
import type { Pagination, QrCode } from '#service/shapes';
import type { TestSandbox } from './sandbox.ts';

/** Whatever the service may say; only what belongs to the kind of answer is there. */
export interface ReplyBody extends QrCode {
  data: { id: string | number; [field: string]: unknown }[];
  pagination: Pagination;
  error: string;
  code: string;
}

export interface Reply {
  status: number;
  headers: Headers;
  /** The parsed JSON body, null where there was none. */
  body: ReplyBody;
}

export interface Ask {
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  rawBody?: string;
  headers?: Record<string, string>;
  /** False sends no key. */
  key?: string | false;
}

/** Sends `method path` (path behind /api/v1, or `/openapi.json`) with the sandbox's key. */
export async function ask(
  sandbox: TestSandbox,
  method: string,
  path: string,
  options: Ask = {},
): Promise<Reply> {
  const { key = sandbox.apiKey } = options;
  const authorization: Record<string, string> = key === false ? {} : { authorization: `Bearer ${key}` };
  const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const base = path === '/openapi.json' ? `http://127.0.0.1:${sandbox.port}` : sandbox.baseUrl;
  const response = await fetch(base + path, {
    method,
    headers: { ...authorization, ...options.headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text || 'null') };
}
