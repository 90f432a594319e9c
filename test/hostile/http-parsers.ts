/** Parsers of what servers send. */
import { createServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createByteBuffer } from '#base/text/byte-buffer';
import { systemClock } from '#base/time/time';
import { createCookies } from '#codes/destinations/cookies';
import { follow } from '#codes/destinations/follow';
import { createTlsSessions } from '#codes/destinations/tls-sessions';
import { judge } from '#codes/destinations/verdict';
import { checkCode, checkCodePage, checkScanPage } from '#service/checks';
import { createService } from '#service/create-service';
import { addChunk, decodeBody } from '#service/decode-body';
import { parseJson } from '#service/json';
import { NetworkError } from '#service/network-error';
import { parseRateHeaders } from '#service/rate-limit/rate-headers';
import { createRateWindow } from '#service/rate-limit/rate-window';
import { createServiceClock } from '#service/rate-limit/service-clock';
import { NO_SLUG_STORE } from '../support/no-slug-store.ts';
import type { Parser } from './file-parsers.ts';
import { CODE, CODE_PAGE, HEADERS, ID, RESPONSES, SCAN_PAGE } from './samples.ts';

import { each, texts } from './tried.ts';

const NOW_MS = 1_790_000_000_000;

/** `name: value` lines, as a response has them. */
function parseHeaders(bytes: Buffer): void {
  const found = new Map<string, string[]>();
  for (const line of bytes.toString('latin1').split('\n')) {
    const [name = '', value = ''] = line.split(/:(.*)/s, 2);
    const key = name.trim().toLowerCase();
    const values = found.get(key) ?? [];
    values.push(value.trim());
    found.set(key, values);
  }
  found.delete('__proto__');
  const headers = Object.fromEntries(found);
  const rate = parseRateHeaders((name) => headers[name]?.[0]);
  const clock = { now: () => NOW_MS, monotonic: () => 5 };
  const serviceClock = createServiceClock(clock);
  if (rate.dateMs !== undefined) serviceClock.observe(rate.dateMs, 0, 5);
  const window = createRateWindow({ clock, serviceClock, reserve: { percent: 10 } });
  for (const limited of [false, true]) window.learn({ headers: rate, limited, sentAt: 4 });
  const waitMs = window.waitMs();
  if (!(waitMs >= 0 && waitMs <= 3_662_000)) throw new Error(`a wait of ${waitMs} ms`);
  const cookies = createCookies();
  cookies.take(new URL('https://www.example.com/'), headers);
  cookies.for(new URL('https://www.example.com/a'));
}

async function parseBody(bytes: Buffer): Promise<void> {
  const context = { dateMs: undefined, redact: (text: string) => text };
  const json = await parseJson(bytes.toString());
  await each([checkCode, checkCodePage, checkScanPage].map((check) => () => check(json, context)));
}

let listening: Promise<Server> | undefined;
let response: Buffer = Buffer.alloc(0);

/** Sends the bytes to whoever asks, in two parts, and closes. */
function listen(): Promise<Server> {
  listening ??= new Promise((resolve) => {
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          const half = response.length >> 1;
          socket.write(response.subarray(0, half), () => socket.end(response.subarray(half)));
        });
    });
    server.unref().listen(0, '127.0.0.1', () => resolve(server));
  });
  return listening;
}

async function originOf(bytes: Buffer): Promise<string> {
  const address = (await listen()).address();
  response = bytes;
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

async function askService(bytes: Buffer): Promise<void> {
  const { signal } = new AbortController();
  const rules = { concurrency: 1, reserve: { requests: 0 }, maxWaitMs: 0, timeoutMs: 2000, retryForMs: 0 };
  const baseUrl = `${await originOf(bytes)}/api/v1`;
  const service = createService({
    ...rules,
    baseUrl,
    apiKey: 'svc_live_a',
    userAgent: 'x',
    clock: systemClock,
    signal,
    env: {},
    slugStore: NO_SLUG_STORE,
  });
  await each([
    () => (bytes.length % 2 === 0 ? service.listCodes({ page: 1, limit: 100 }) : service.deleteCode(ID)),
  ]);
  await service.close();
}

async function askStranger(bytes: Buffer): Promise<void> {
  const trip = await follow(new URL(await originOf(bytes)), {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    proxyFor: () => undefined,
    refuse: (url) => (url.hostname === '127.0.0.1' ? undefined : 'it leads elsewhere'),
    inTurn: (_, work) => work(),
    headers: {},
    allowPrivate: true,
    sessions: createTlsSessions(),
    timeoutMs: 2000,
    clock: systemClock,
    signal: new AbortController().signal,
  });
  judge(trip);
}

async function unpack(bytes: Buffer): Promise<void> {
  const body = createByteBuffer();
  addChunk(body, bytes);
  await decodeBody(body.bytes(), bytes.length % 3 === 0 ? 'x-gzip' : 'gzip');
}

export const HTTP_PARSERS: readonly Parser[] = [
  { name: 'headers', share: 5, samples: texts(...HEADERS), parse: parseHeaders },
  {
    name: 'bodies',
    share: 6,
    samples: texts(CODE, CODE_PAGE, SCAN_PAGE),
    parse: parseBody,
    throws: [SyntaxError],
  },
  {
    name: 'gzip bodies',
    share: 2,
    samples: [gzipSync(CODE_PAGE), ...texts(CODE)],
    pack: gzipSync,
    parse: unpack,
    throws: [NetworkError],
  },
  { name: 'responses of the service', share: 6, samples: texts(...RESPONSES), parse: askService },
  { name: 'responses of destinations', share: 6, samples: texts(...RESPONSES), parse: askStranger },
];
