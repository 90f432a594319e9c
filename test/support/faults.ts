/**
 * What services and networks do wrong, as values that stand between a sandbox's requests and answers:
 * `useSandbox({ intercept: sometimes((x) => x.number === 3 && applyThenDrop) })`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Exchange, failure, type Intercept, type SandboxResponse } from '#sandbox/exchange';

/** One way to answer badly. */
export type Fault = Intercept;

/** Plain service. */
export const honest: Fault = (exchange) => exchange.send(exchange.apply());

/** The fault `choose` gives for an exchange, or plain service where it gives nothing. */
export function sometimes(choose: (exchange: Exchange) => Fault | false | undefined): Intercept {
  return (exchange) => (choose(exchange) || honest)(exchange);
}

// Connections

/** The connection breaks before anything happens. */
export const dropBefore: Fault = ({ response }) => void response.destroy();

/** It happens, but the connection breaks before the answer. */
export const applyThenDrop: Fault = (exchange) => {
  exchange.apply();
  exchange.response.destroy();
};

/** It happens, and no answer ever comes. */
export const applyThenHang: Fault = (exchange) => void exchange.apply();

/** Nothing happens, and no answer ever comes. */
export const hang: Fault = () => undefined;

/** The connection breaks, and `ms` later it happens all the same. */
export function landLate(ms: number): Fault {
  return async (exchange) => {
    exchange.response.destroy();
    await sleep(ms, undefined, { ref: false });
    exchange.apply();
  };
}

/** Half the body of a true answer, then the connection breaks; `announced`: with the length of the whole. */
export function half(announced: boolean): Fault {
  return (exchange) => {
    const { status, headers, body = '' } = exchange.apply();
    const bytes = Buffer.from(body);
    const length: Record<string, string> = announced
      ? { 'Content-Length': String(bytes.length) }
      : { Connection: 'close' };
    exchange.response.writeHead(status, { ...headers, ...length });
    exchange.response.write(bytes.subarray(0, bytes.length / 2), () => exchange.response.socket?.end());
  };
}

// Answers that take the place of the true one

/** An Error body of the given status; `applied`: after doing what was asked. */
export function fails(
  status: number,
  { applied = false, headers = {} }: { applied?: boolean; headers?: Record<string, string> } = {},
): Fault {
  return ({ apply, send }) => {
    if (applied) apply();
    return send(failure(status, 'made_up', `A made-up ${status}`, headers));
  };
}

/** 429 with Retry-After (seconds or an HTTP date; none when undefined) and an Error body. */
export function refuses(retryAfter?: string): Fault {
  return fails(429, { headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter } });
}

/** A gateway's page of HTML; `applied`: after doing what was asked. */
export function gateway(status = 502, { applied = false }: { applied?: boolean } = {}): Fault {
  return ({ apply, send }) => {
    if (applied) apply();
    const body =
      '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';
    return send({ status, headers: { 'Content-Type': 'text/html' }, body });
  };
}

export function redirects(location: string, status = 302): Fault {
  return ({ send }) => send({ status, headers: { Location: location }, body: '' });
}

/** 200 and `bytes` zeros that fit in a few kilobytes of gzip. */
export function gzipBomb(bytes: number): Fault {
  return ({ send }) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    return send({ status: 200, headers, body: gzipSync(Buffer.alloc(bytes, '0')) });
  };
}

// True answers, changed

/** Applies the request and sends the answer after `change`. */
function changed(change: (answer: SandboxResponse, exchange: Exchange) => SandboxResponse): Fault {
  return (exchange) => exchange.send(change(exchange.apply(), exchange));
}

/** The body of a page, as loose as a test needs it. */
interface PageBody extends Record<string, unknown> {
  data: Record<string, unknown>[];
  pagination: Record<string, unknown>;
}

/** As `changed`, for the parsed JSON body of a page. `change` may alter it in place or return another. */
export function changedBody(change: (body: PageBody, exchange: Exchange) => unknown): Fault {
  return changed((answer, exchange) => {
    const body: PageBody = JSON.parse(String(answer.body));
    return { ...answer, body: JSON.stringify(change(body, exchange) ?? body) };
  });
}

/** `pagination.total` (and pages) as `change` says. */
export function wrongTotal(change: (total: number) => unknown): Fault {
  return changedBody((body) => {
    body.pagination.total = change(Number(body.pagination.total));
  });
}

/** Never more than `rows` rows a page, whatever was asked: pages of that size. */
export function smallerPages(rows: number): Fault {
  return ({ apply, send, request }) => {
    const query = new URLSearchParams(request.query);
    query.set('limit', String(Math.min(rows, Number(query.get('limit') ?? rows))));
    return send(apply({ ...request, query }));
  };
}
