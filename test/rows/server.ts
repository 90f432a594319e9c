/** The model of the service behind HTTP on loopback, with everything that gateways and networks do to requests and responses. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FIELDS } from '#codes/engine/plan/model';
import type { CodeChanges, NewCode, QrCode } from '#service/shapes';
import type { Random } from '../codes/engine/plan/world/random.ts';
import type { ModelService } from '../codes/engine/plan/world/service.ts';

/** A request as the service saw it. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  answer: string;
}

/** What stands behind the server while a run is under way. */
interface Stage {
  readonly service: ModelService;
  readonly random: Random;
  /** Most codes on a page, whatever was asked. */
  readonly pageSize: number;
  readonly isNewestFirst: boolean;
  /** Is told of a POST before it is applied, and returns the identity of its row. `sent`: it may have been applied. */
  onPost(values: NewCode): Promise<{ readonly token: number; sent(): void }>;
  onPatch(id: string, set: CodeChanges): Promise<void>;
  onDelete(id: string): Promise<void>;
  onListing(listing: ReadonlyMap<string, QrCode>): void;
  /** Number of the sheet of the run. */
  readonly copy: number;
  /** Is asked before and after a request is applied: true, and the process of the run is dead. */
  isKilled(when: 'before' | 'after'): boolean;
}

export interface Server {
  readonly baseUrl: string;
  stage: Stage | undefined;
  /** Requests since they were taken out. */
  seen: Seen[];
  /** Rejection of a hook: a fault of the test itself. */
  failure: unknown;
  close(): Promise<void>;
}

export const API_KEY = 'svc_live_rows';

/** Starts it. */
export async function startServer(): Promise<Server> {
  const http = createServer((request, response) => {
    void handle(server, request, response).catch((error) => {
      server.failure ??= error;
      response.destroy();
    });
  });
  http.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const server: Server = {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    stage: undefined,
    seen: [],
    failure: undefined,
    close() {
      http.closeAllConnections();
      return new Promise((resolve) => http.close(() => resolve()));
    },
  };
  return server;
}

const LOGIN =
  '<!doctype html><html><head><title>Sign in</title></head><body><form><input name="password"></form></body></html>';

/** Ways to lose a response; what was done stays done. */
const LOSSES = ['drop', 'gateway', 'broken', 'half', 'login'] as const;

async function handle(server: Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const url = new URL(request.url ?? '/', 'http://loopback');
  const { method = '' } = request;
  const path = url.pathname.replace('/api/v1', '');
  const seen: Seen = { method, path: `${path}${url.search}`, body, answer: '' };
  server.seen.push(seen);
  const { stage } = server;
  if (!stage) throw new Error(`A request came between two runs: ${method} ${path}`);
  const answer = createAnswer(response, seen);
  if (stage.isKilled('before')) return answer.lose('drop');
  const { service, random } = stage;
  const isTroubled = !service.isCalm && random.chance(service.traits.faults / 3);
  const trouble = random.below(5);
  if (isTroubled && trouble === 0) return answer.error(429, { 'Retry-After': `${1 + random.below(3)}` });
  if (method === 'GET') {
    if (isTroubled) return trouble === 1 ? answer.error(503) : answer.lose(random.pick(LOSSES));
    const id = path.startsWith('/qr/') ? path.slice('/qr/'.length) : undefined;
    return id === undefined ? list(stage, url.searchParams, answer) : get(stage, id, answer);
  }
  await write(stage, { method, id: path.slice('/qr/'.length), body, isTroubled }, answer);
}

interface Write {
  readonly method: string;
  readonly id: string;
  readonly body: string;
  readonly isTroubled: boolean;
}

async function write(stage: Stage, { method, id, body, isTroubled }: Write, answer: Answer): Promise<void> {
  const { service, random, copy } = stage;
  const loss = random.pick(LOSSES);
  if (method === 'POST') {
    const values = JSON.parse(body) as NewCode;
    const { token, sent } = await stage.onPost(values);
    const posted = service.post(values, token, copy);
    if (posted.is !== 'not') sent();
    if (stage.isKilled('after')) return answer.lose('drop');
    if (posted.is === 'made') return answer.send(201, posted.made.code);
    return posted.is === 'not' ? answer.error(400) : answer.lose(loss);
  }
  if (method === 'PATCH') {
    const set = JSON.parse(body) as CodeChanges;
    await stage.onPatch(id, set);
    if (FIELDS.every((field) => set[field] === undefined)) throw new Error('A PATCH has no field.');
    const { code, isLost } = service.patch(id, set, copy);
    if (stage.isKilled('after')) return answer.lose('drop');
    if (code) return answer.send(200, code);
    return isLost ? answer.lose(loss) : answer.error(404);
  }
  await stage.onDelete(id);
  const isThere = service.get(id) !== undefined;
  if (isThere && !(isTroubled && random.chance(0.5))) service.delete(id);
  if (stage.isKilled('after')) return answer.lose('drop');
  if (isTroubled) return answer.lose(loss);
  return isThere ? answer.send(204, undefined) : answer.error(404);
}

function list(
  { service, pageSize, isNewestFirst, onListing }: Stage,
  query: URLSearchParams,
  answer: Answer,
): void {
  const page = Number(query.get('page') ?? 1);
  const limit = Math.min(Number(query.get('limit') ?? 20), pageSize);
  const all = service.list();
  onListing(all);
  const codes = isNewestFirst ? [...all.values()].reverse() : [...all.values()];
  const data = codes.slice((page - 1) * limit, page * limit);
  const pages = Math.max(1, Math.ceil(codes.length / limit));
  answer.send(200, { data, pagination: { page, limit, total: codes.length, pages } });
}

function get({ service }: Stage, id: string, answer: Answer): void {
  const code = service.get(id);
  if (code) answer.send(200, code);
  else answer.error(404);
}

interface Answer {
  send(status: number, value: unknown, headers?: Record<string, string>): void;
  error(status: number, headers?: Record<string, string>): void;
  lose(how: (typeof LOSSES)[number]): void;
}

function createAnswer(response: ServerResponse, seen: Seen): Answer {
  const headers = {
    'X-RateLimit-Plan': 'business',
    'X-RateLimit-Limit': '100000',
    'X-RateLimit-Remaining': '99999',
    'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1000) + 60),
  };
  const html = (status: number, text: string) => {
    response.writeHead(status, { ...headers, 'Content-Type': 'text/html' });
    response.end(text);
  };
  const send: Answer['send'] = (status, value, more = {}) => {
    seen.answer = `${status}${isCode(value) ? ` ${value.slug}` : ''}`;
    const text = value === undefined ? '' : JSON.stringify(value);
    response.writeHead(status, {
      ...headers,
      ...more,
      ...(text !== '' && { 'Content-Type': 'application/json' }),
    });
    response.end(text);
  };
  return {
    send,
    error: (status, more) => send(status, { error: `An error ${status}`, code: 'made_up' }, more),
    lose(how) {
      seen.answer = `lost (${how})`;
      if (how === 'drop') response.destroy();
      else if (how === 'gateway') html(502, '<html><body><h1>502 Bad Gateway</h1></body></html>');
      else if (how === 'broken') html(500, '');
      else if (how === 'login') html(200, LOGIN);
      else {
        response.writeHead(201, { ...headers, 'Content-Type': 'application/json', 'Content-Length': '400' });
        response.write('{"id":"0000', () => response.destroy());
      }
    },
  };
}

function isCode(value: unknown): value is QrCode {
  return typeof value === 'object' && value !== null && 'slug' in value;
}
