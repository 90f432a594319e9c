/** Local service: an HTTP server on loopback that behaves as specified, with sample data. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createEndpoints } from './endpoints.ts';
import { type Answer, type Exchange, failure, json, type SandboxRequest } from './exchange.ts';
import { openApi } from './openapi.ts';
import { type SandboxOptions, type SandboxSettings, withDefaults } from './options.ts';
import { type Admission, createRateLimiter } from './rate-limit.ts';
import { acceptsGzip, readRequest, writeAnswer } from './transfer.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export interface Sandbox {
  /** Ends in /api/v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly port: number;
  /** The data behind the interface. */
  readonly workspace: Workspace;
  /** Stops listening and drops open connections. */
  close(): Promise<void>;
}

const VERSION_PATH = '/api/v1';
const OPENAPI_PATH = '/openapi.json';
/** Longer than a window of a minute, so that clients waiting for the next one keep their connections. */
const KEEP_ALIVE_MS = 75_000;

/** Starts a sandbox on 127.0.0.1. Rejects with the system's error (`EADDRINUSE`, `EACCES`) if the port is not available. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = withDefaults(options);
  const nowMs = () => settings.clock.now() + settings.clockSkewMs;
  const workspace = createWorkspace(settings, nowMs);
  const exchange = createExchanges(settings, workspace, nowMs);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, response) => {
    const served = settings.intercept ?? ((open: Exchange) => open.send(open.apply()));
    // A client that goes away in the middle is its own affair; its connection is of no more use.
    readRequest(incoming)
      .then((request) => served(exchange(request, incoming, response)))
      .catch(() => response.destroy());
  });
  const port = await listen(server, settings.port);
  const baseUrl = `http://127.0.0.1:${port}${VERSION_PATH}`;
  return { baseUrl, apiKey: settings.key, port, workspace, close: () => close(server) };
}

/** Creates an exchange for each request: counted at once, applied and sent when it is called. */
function createExchanges(settings: SandboxSettings, workspace: Workspace, nowMs: () => number) {
  const { clock, key, latencyMs, onRequest } = settings;
  const limiter = createRateLimiter(settings, nowMs);
  const endpoints = createEndpoints(settings, workspace, nowMs);
  let requests = 0;

  function answerTo(request: SandboxRequest, { allowed }: Admission): Answer {
    if (request.path === OPENAPI_PATH && request.method === 'GET') return json(200, openApi(VERSION_PATH));
    const path = endpointPath(request);
    if (path === undefined) return failure(404, 'not_found', 'No such endpoint');
    if (!isAuthorized(request, key)) {
      return failure(401, 'unauthorized', 'The API key is missing or invalid', {
        'WWW-Authenticate': 'Bearer',
      });
    }
    if (!allowed) return failure(429, 'rate_limited', 'Rate limit exceeded for the workspace');
    if (request.oversized)
      return failure(413, 'body_too_large', 'The request body is too large', { Connection: 'close' });
    return endpoints(path, request);
  }

  return (request: SandboxRequest, incoming: IncomingMessage, response: ServerResponse): Exchange => {
    const startedMs = clock.monotonic();
    // Others belong to no workspace.
    const isCounted = endpointPath(request) !== undefined && isAuthorized(request, key);
    const admission = isCounted ? limiter.admit() : limiter.look();
    const apply = (changed = request): Answer => {
      const answer = answerTo(changed, admission);
      return { ...answer, headers: { ...answer.headers, ...admission.headers } };
    };
    const send = async (answer: Answer) => {
      if (latencyMs > 0) await clock.sleep(latencyMs);
      await writeAnswer(response, answer, { gzipped: settings.gzip && acceptsGzip(request), nowMs: nowMs() });
      const { status } = answer;
      const ms = clock.monotonic() - startedMs;
      onRequest?.({
        method: request.method,
        url: incoming.url ?? '',
        status,
        ms,
        remaining: admission.remaining,
      });
    };
    return { request, number: requests++, apply, send, response };
  };
}

/** Returns the path after /api/v1, or undefined for other paths. */
function endpointPath({ path }: SandboxRequest): string | undefined {
  return path.startsWith(`${VERSION_PATH}/`) ? path.slice(VERSION_PATH.length) : undefined;
}

function isAuthorized({ headers }: SandboxRequest, key: string): boolean {
  return /^bearer +(\S+)$/i.exec(String(headers.authorization ?? ''))?.[1] === key;
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
