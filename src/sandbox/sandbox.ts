import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { MOST_BYTES } from '#base/bounds';
import { formatHttpDate, formatInstant, parseDuration } from '#base/time/time';
import { createEndpoints } from './endpoints.ts';
import { type Exchange, failure, json, type SandboxRequest, type SandboxResponse } from './exchange.ts';
import { openApi } from './openapi.ts';
import {
  isClockTime,
  REQUESTS_OF_PLAN,
  type SandboxOptions,
  type SandboxSettings,
  withDefaults,
} from './options.ts';
import { createWorkspace } from './workspace.ts';

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

const VERSION_PATH = '/api/v1';
const OPENAPI_PATH = '/openapi.json';
const CLOCK_PATH = '/sandbox/clock';
/** Time in ms before an idle connection is closed. Clients may wait as long as a rate limit window. */
const KEEP_ALIVE_MS = 75_000;

/** Starts a sandbox on 127.0.0.1. Rejects with system errors such as `EADDRINUSE`. */
export async function startSandbox(options: SandboxOptions = {}) {
  const settings = withDefaults(options);
  const { workspace, createExchange } = openService(settings);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, response) => {
    const served = settings.intercept ?? ((open: Exchange) => open.send(open.apply()));
    readRequest(incoming)
      .then((request) => served(createExchange(request, incoming, response)))
      .catch(() => response.destroy());
  });
  const port = await listen(server, settings.port);
  const baseUrl = `http://127.0.0.1:${port}${VERSION_PATH}`;
  return { baseUrl, apiKey: settings.key, port, workspace, close: () => close(server) };
}

function openService(settings: SandboxSettings) {
  const { clock, key, latencyMs, onRequest } = settings;
  let advancedMs = 0;
  const nowMs = () => clock.now() + settings.clockSkewMs + advancedMs;
  const workspace = createWorkspace(settings, nowMs);
  const limiter = createRateLimiter(settings, nowMs);
  const endpoints = createEndpoints(settings, workspace, nowMs);
  let requests = 0;

  function advanceClock({ body }: SandboxRequest): SandboxResponse {
    const ms = parseDuration(String(body ?? '').trim());
    if (ms === undefined || !isClockTime(nowMs() + ms))
      return failure(400, 'validation_error', 'The body must be a duration such as 24h');
    advancedMs += ms;
    return json(200, { now: formatInstant(nowMs()) });
  }

  function responseTo(request: SandboxRequest, allowed: boolean): SandboxResponse {
    if (request.path === OPENAPI_PATH && request.method === 'GET') return json(200, openApi(VERSION_PATH));
    if (request.path === CLOCK_PATH && request.method === 'POST') return advanceClock(request);
    const path = endpointPath(request);
    if (path === undefined) return failure(404, 'not_found', 'No such endpoint');
    if (!isAuthorized(request, key)) {
      const headers = { 'WWW-Authenticate': 'Bearer' };
      return failure(401, 'unauthorized', 'The API key is missing or invalid', headers);
    }
    if (!allowed) return failure(429, 'rate_limited', 'Rate limit exceeded for the workspace');
    if (request.oversized)
      return failure(413, 'body_too_large', 'The request body is too large', { Connection: 'close' });
    return endpoints(path, request);
  }

  function createExchange(
    request: SandboxRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Exchange {
    const startedMs = clock.monotonic();
    const isCounted = endpointPath(request) !== undefined && isAuthorized(request, key);
    const admission = limiter.admit(isCounted);
    const apply = (changed = request): SandboxResponse => {
      const response = responseTo(changed, admission.allowed);
      return { ...response, headers: { ...response.headers, ...admission.headers } };
    };
    const send = async (response: SandboxResponse) => {
      if (latencyMs > 0) await clock.sleep(latencyMs);
      const gzipped = settings.gzip && acceptsGzip(request);
      await writeResponse(outgoing, response, { gzipped, nowMs: nowMs() });
      const [{ method }, { status }, { remaining }] = [request, response, admission];
      const ms = clock.monotonic() - startedMs;
      onRequest?.({ method, url: incoming.url ?? '', status, ms, remaining });
    };
    return { request, number: requests++, apply, send, response: outgoing };
  }

  return { workspace, createExchange };
}

function endpointPath({ path }: SandboxRequest): string | undefined {
  return path.startsWith(`${VERSION_PATH}/`) ? path.slice(VERSION_PATH.length) : undefined;
}

function isAuthorized({ headers }: SandboxRequest, key: string): boolean {
  return /^bearer +(\S+)$/i.exec(String(headers.authorization ?? ''))?.[1] === key;
}

async function listen(server: Server, port: number): Promise<number> {
  const listening = once(server, 'listening');
  // Keeps running if the server later fails to accept a connection (EMFILE).
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await listening;
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

const MIN_COMPRESSED_BYTES = 1024;

const compress = promisify(gzip);

async function readRequest(incoming: IncomingMessage): Promise<SandboxRequest> {
  const { method = '', url = '', headers } = incoming;
  const [path = '', ...query] = url.split('?');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES.sandboxBody) chunks.push(chunk);
    // Reads up to 64 times the maximum, so that the client can receive the 413.
    if (bytes > 64 * MOST_BYTES.sandboxBody) throw new Error('endless request');
  }
  const body = bytes === 0 ? undefined : Buffer.concat(chunks);
  const parameters = new URLSearchParams(query.join('?'));
  return { method, path, query: parameters, headers, body, oversized: bytes > MOST_BYTES.sandboxBody };
}

async function writeResponse(
  response: ServerResponse,
  { status, headers, body }: SandboxResponse,
  { gzipped, nowMs }: { gzipped: boolean; nowMs: number },
): Promise<void> {
  response.sendDate = false;
  const common = { Date: formatHttpDate(nowMs), ...headers };
  if (body === undefined) {
    response.writeHead(status, common).end();
    return;
  }
  const plain = typeof body === 'string' ? Buffer.from(body) : body;
  const smaller = gzipped && plain.length >= MIN_COMPRESSED_BYTES;
  const sent = smaller ? await compress(plain, { level: 1 }) : plain;
  const encoding = smaller ? { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } : {};
  response.writeHead(status, { ...common, ...encoding, 'Content-Length': String(sent.length) }).end(sent);
}

function acceptsGzip({ headers }: SandboxRequest): boolean {
  const accepted = String(headers['accept-encoding'] ?? '');
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted);
}

export function createRateLimiter(settings: SandboxSettings, nowMs: () => number) {
  const limit = settings.limit ?? REQUESTS_OF_PLAN[settings.plan];
  const { windowMs, windowStart } = settings;
  let openedMs = -Infinity;
  let used = 0;

  function admit(counted = true) {
    const now = nowMs();
    if (now < openedMs || now >= openedMs + windowMs) {
      openedMs = windowStart === 'epoch' ? Math.floor(now / windowMs) * windowMs : now;
      used = 0;
    }
    const allowed = !counted || used < limit;
    if (counted && allowed) used++;
    const remaining = Math.max(0, limit - used);
    // Rounds the reset time up, because an earlier request would still get 429.
    const resetMs = openedMs + windowMs;
    const headers: Record<string, string> = {
      'X-RateLimit-Plan': settings.plan,
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(Math.ceil(resetMs / 1000)),
    };
    if (!allowed) headers['Retry-After'] = String(Math.max(1, Math.ceil((resetMs - now) / 1000)));
    return { allowed, remaining, headers };
  }

  return { admit };
}
