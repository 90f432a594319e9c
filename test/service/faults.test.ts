import { getEventListeners, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  AuthError,
  exitCodeOf,
  InterruptedError,
  NotFoundError,
  PlanLimitError,
  RejectedError,
  UnavailableError,
  UnexpectedResponseError,
} from '#base/errors';
import { systemClock } from '#base/time/time';
import { fakeClock } from '../support/clock.ts';
import { type RawRequest, rawAnswer, useFaultServer } from '../support/fault-server.ts';
import { CODE, KEY, pageOf, rejection, SCAN, useService } from './setup.ts';

type React = (request: RawRequest) => void;

const say = (text: string | Buffer) => (request: RawRequest) => void request.socket.write(text);
const sayAndClose = (text: string | Buffer) => (request: RawRequest) => void request.socket.end(text);
const hang: React = () => {};

const list = say(rawAnswer(200, pageOf([CODE])));
const created = say(rawAnswer(201, CODE));
const refusal = (status: number, headers: Record<string, string> = {}) =>
  say(rawAnswer(status, { error: 'the words of the service', code: 'its_code' }, headers));

function gzipped(body: Buffer): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

type Server = Awaited<ReturnType<typeof useFaultServer>>;
const failedCreate = ({ baseUrl }: Server) => rejection(useService(baseUrl).createCode({ name: 'A' }));
const failedGet = ({ baseUrl }: Server) => rejection(useService(baseUrl).getCode(CODE.id));
const failedList = ({ baseUrl }: Server) => rejection(useService(baseUrl).listCodes({ page: 1, limit: 1 }));

const whole = JSON.stringify(pageOf([CODE]));

/** Faults after which nobody can know whether the request was applied. */
const UNKNOWN: [string, React][] = [
  ['a connection reset after sending', ({ socket }) => socket.resetAndDestroy()],
  ['a connection that closes without a response', ({ socket }) => socket.end()],
  ['a body shorter than its Content-Length', sayAndClose(rawAnswer(200, whole, {}, whole.length + 50))],
  ['a body that a closed connection cuts off', sayAndClose(rawAnswer(200, whole.slice(0, 60), {}, null))],
  [
    'a chunked body that ends early',
    sayAndClose('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"dat\r\n'),
  ],
  ['an empty 200 response', say(rawAnswer(200, ''))],
  ['damaged gzip', say(gzipped(gzipSync(whole).subarray(0, 60)))],
  ['something that is not HTTP', sayAndClose('SSH-2.0-OpenSSH_9.6\r\n')],
  ['status 500', refusal(500)],
  [
    'status 502 with an HTML page',
    say(rawAnswer(502, '<html><h1>Bad Gateway</h1></html>', { 'Content-Type': 'text/html' })),
  ],
  ['status 503 with Retry-After 0', refusal(503, { 'Retry-After': '0' })],
  ['status 504', refusal(504)],
  ['status 408', refusal(408)],
];

describe.each(UNKNOWN)('after %s', (_name, fault) => {
  test('GET, PATCH and DELETE are repeated', async () => {
    const server = await useFaultServer((request) => {
      if (request.number % 2 === 0) return fault(request);
      if (request.method === 'DELETE') return request.socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      return request.method === 'GET' ? list(request) : say(rawAnswer(200, CODE))(request);
    });
    const service = useService(server.baseUrl);
    expect((await service.listCodes({ page: 1, limit: 100 })).rows).toEqual([CODE]);
    expect(await service.updateCode(CODE.id, { name: 'New' })).toEqual(CODE);
    await service.deleteCode(CODE.id);
    expect(server.requests.length).toBeGreaterThanOrEqual(5);
  });

  test('POST is not repeated, and has the outcome `unknown`', async () => {
    const server = await useFaultServer(fault);
    const error = await failedCreate(server);
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  ['has too many values', `{"data":[${'{},'.repeat(3_000_000)}{}]}`],
  ['contains a number with more than 100 digits', `{"data":[{"id":${'7'.repeat(2_000_000)}}]}`],
])('a response that %s is refused, and the request is not repeated', async (what, body) => {
  const packed = gzipSync(body);
  const server = await useFaultServer(say(gzipped(packed)));
  const error = await rejection(
    useService(server.baseUrl, { timeoutMs: 20_000 }).listCodes({ page: 1, limit: 1 }),
  );
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(error).toMatchObject({ message: expect.stringContaining(`the response ${what}`), status: 200 });
  expect(server.requests).toHaveLength(1);
});

describe('a page from a gateway', () => {
  const page = '<html><head><title>Oops</title></head></html>';
  test.each([400, 404, 422])(
    'with status %i is reported as not from the service, not as invalid values or a missing code',
    async (status) => {
      const server = await useFaultServer(say(rawAnswer(status, page)));
      const error = await failedGet(server);
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      const words = `unexpected response that is not from the service (${status}): Oops`;
      expect(error).toMatchObject({ message: expect.stringContaining(words) });
      expect(exitCodeOf(error)).toBe(1);
    },
  );

  test('with status 404 and a rate-limit header is treated as a response from the service', async () => {
    const server = await useFaultServer(say(rawAnswer(404, '', { 'X-RateLimit-Remaining': '3' })));
    expect(await failedGet(server)).toBeInstanceOf(NotFoundError);
  });

  test('with status 404 is an error even after a DELETE whose response was lost', async () => {
    const server = await useFaultServer((request) =>
      request.number === 0 ? void request.socket.resetAndDestroy() : say(rawAnswer(404, page))(request),
    );
    expect(await rejection(useService(server.baseUrl).deleteCode(CODE.id))).toBeInstanceOf(
      UnexpectedResponseError,
    );
  });
});

test('eight equal failures in concurrent requests are reported at most four times', async () => {
  const server = await useFaultServer((request) =>
    (request.number < 8 ? say(rawAnswer(503, '', {})) : list)(request),
  );
  const told: string[] = [];
  const clock = { ...systemClock, random: () => 0.5 };
  const service = useService(server.baseUrl, {
    clock,
    concurrency: 8,
    events: { retry: ({ reason }) => told.push(reason) },
  });
  const first = service.listCodes({ page: 1, limit: 1 });
  await Promise.all([first, ...Array.from({ length: 3 }, () => service.listCodes({ page: 1, limit: 1 }))]);
  expect(server.requests.length).toBeGreaterThanOrEqual(11);
  expect(told.length).toBeLessThanOrEqual(4);
  expect(told[0]).toContain('the service failed (503)');
});

test('interim responses (100 and 103) before a response are ignored, even on a reused connection', async () => {
  const interim =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100\r\nA: b\r\n\r\n';
  const server = await useFaultServer((request) => {
    request.socket.write(interim);
    return request.method === 'POST' ? created(request) : list(request);
  });
  const service = useService(server.baseUrl);
  for (let at = 0; at < 3; at++)
    expect((await service.listCodes({ page: 1, limit: 100 })).rows).toEqual([CODE]);
  expect(await service.createCode({ name: 'A' })).toEqual(CODE);
  expect(server.requests).toHaveLength(4);
});

test('a POST whose connection closes after an interim response has the outcome `unknown`', async () => {
  const server = await useFaultServer(({ socket }) => void socket.end('HTTP/1.1 100 Continue\r\n\r\n'));
  expect(await failedCreate(server)).toMatchObject({ outcome: 'unknown' });
});

describe('POST', () => {
  test('has the outcome `not-applied` if the service refuses it with status 400, 401 or 403 and an Error body', async () => {
    const classes = { 400: RejectedError, 401: AuthError, 403: PlanLimitError };
    for (const [status, failure] of Object.entries(classes)) {
      const server = await useFaultServer(refusal(Number(status)));
      const error = await failedCreate(server);
      expect(error).toBeInstanceOf(failure);
      expect(error).toMatchObject({ outcome: 'not-applied', code: 'its_code', status: Number(status) });
      expect(server.requests).toHaveLength(1);
    }
  });

  test('has the outcome `unknown` if a gateway refuses it with an HTML page', async () => {
    for (const status of [400, 401, 403]) {
      const server = await useFaultServer(say(rawAnswer(status, '<p>Denied by WAF</p>')));
      expect(await failedCreate(server)).toMatchObject({ outcome: 'unknown', status });
      expect(server.requests).toHaveLength(1);
    }
  });

  test('is repeated after the Retry-After of a 429 that has an HTML page instead of an Error body', async () => {
    const page = say(rawAnswer(429, '<html><h1>429 Too Many Requests</h1></html>', { 'Retry-After': '0.4' }));
    const server = await useFaultServer((request) => (request.number < 3 ? page : created)(request));
    const pauses: number[] = [];
    const clock = { ...fakeClock(), random: () => 0 };
    const service = useService(server.baseUrl, { clock, events: { pause: ({ ms }) => pauses.push(ms) } });
    expect(await clock.run(service.createCode({ name: 'A' }))).toEqual(CODE);
    expect(server.requests).toHaveLength(4);
    // Not a second, as where nobody says how long.
    expect(pauses).toEqual([400, 400, 400]);
  });

  test('is repeated after a 429 with an Error body', async () => {
    const server = await useFaultServer((request) =>
      request.number === 0 ? refusal(429, { 'Retry-After': '1' })(request) : created(request),
    );
    const pauses: number[] = [];
    const clock = { ...fakeClock(), random: () => 0 };
    const service = useService(server.baseUrl, { clock, events: { pause: ({ ms }) => pauses.push(ms) } });
    expect(await clock.run(service.createCode({ name: 'A' }))).toEqual(CODE);
    expect(server.requests.map(({ body }) => body)).toEqual(['{"name":"A"}', '{"name":"A"}']);
    expect(pauses).toEqual([1000]);
  });

  test('is repeated if the connection is refused, and has the outcome `not-applied` after the last attempt', async () => {
    const attempts: unknown[] = [];
    const service = useService(`http://127.0.0.1:${await closedPort()}/api/v1`, {
      events: { retry: (retry) => attempts.push(retry) },
    });
    const error = await rejection(service.createCode({ name: 'A' }));
    expect(error).toBeInstanceOf(UnavailableError);
    const words = /^connection refused \(after 7 attempts\) \[POST \/api\/v1\/qr on 127\.0\.0\.1:\d+\]$/;
    expect(error).toMatchObject({ outcome: 'not-applied', message: expect.stringMatching(words) });
    expect(attempts).toHaveLength(6);
  });

  test('has the outcome `not-applied` if the TLS handshake times out', async () => {
    const { server, port } = await listening();
    onTestFinished(() => void server.close());
    const service = useService(`https://127.0.0.1:${port}/api/v1`, { timeoutMs: 30 });
    const message = expect.stringContaining('timed out after 30 ms');
    const error = await rejection(service.createCode({ name: 'A' }));
    expect(error).toMatchObject({ outcome: 'not-applied', message });
  });

  test('opens a new connection for each request, while GET reuses a connection', async () => {
    const server = await useFaultServer((request) =>
      request.method === 'GET' ? list(request) : created(request),
    );
    const service = useService(server.baseUrl);
    for (let round = 0; round < 3; round++) {
      await service.listCodes({ page: 1, limit: 1 });
      await service.createCode({ name: 'A' });
    }
    expect(server.connections()).toBe(1 + 3);
  });

  test.each([
    ['no id', { ...CODE, id: undefined }],
    ['an id that is not a UUID', { ...CODE, id: '17' }],
    ['a list instead of a code', [CODE]],
  ])('has the outcome `unknown` after a 201 response with %s', async (_name, body) => {
    const server = await useFaultServer(say(rawAnswer(201, body)));
    const error = await failedCreate(server);
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ outcome: 'unknown' });
  });

  test('succeeds if the response is 200 with a code', async () => {
    const server = await useFaultServer(say(rawAnswer(200, CODE)));
    expect(await useService(server.baseUrl).createCode({ name: 'A' })).toEqual(CODE);
  });
});

/** A server that answers nothing. */
async function listening() {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as { port: number }).port };
}

async function closedPort(): Promise<number> {
  const { server, port } = await listening();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('DELETE', () => {
  const missing = refusal(404);

  test('succeeds if its first response was lost and the next one is 404', async () => {
    const server = await useFaultServer((request) =>
      request.number === 0 ? request.socket.resetAndDestroy() : missing(request),
    );
    await useService(server.baseUrl).deleteCode(CODE.id);
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    [200, '<html>Please log in</html>', 'text/html'],
    [202, '{}', 'application/json'],
  ])(
    'is repeated after a %i instead of 204, and succeeds if the next response is 404',
    async (status, body, type) => {
      const page = say(rawAnswer(status, body, { 'Content-Type': type }));
      const portal = await useFaultServer(page);
      expect(await rejection(useService(portal.baseUrl).deleteCode(CODE.id))).toBeInstanceOf(
        UnexpectedResponseError,
      );
      const slow = await useFaultServer((request) =>
        request.number === 0 ? page(request) : missing(request),
      );
      await useService(slow.baseUrl).deleteCode(CODE.id);
      expect(slow.requests).toHaveLength(2);
    },
  );

  test('fails if the first response other than a 429 is 404', async () => {
    for (const first of [missing, refusal(429, { 'Retry-After': '1' })]) {
      const server = await useFaultServer((request) =>
        request.number === 0 ? first(request) : missing(request),
      );
      expect(await rejection(useService(server.baseUrl).deleteCode(CODE.id))).toBeInstanceOf(NotFoundError);
    }
  });
});

describe('a call', () => {
  test.each<[string, React]>([
    ['hangs', hang],
    ['hangs within its headers', say('HTTP/1.1 200 OK\r\nContent-')],
    [
      'sends one byte every 10 ms',
      ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
        const drip = setInterval(() => socket.write(' '), 10);
        socket.on('close', () => clearInterval(drip));
      },
    ],
  ])('times out per attempt if the service %s, and fails after seven attempts', async (_name, fault) => {
    const server = await useFaultServer(fault);
    const error = await rejection(useService(server.baseUrl, { timeoutMs: 40 }).getCode(CODE.id));
    expect(error).toBeInstanceOf(UnavailableError);
    const message = expect.stringContaining('timed out after 40 ms (after 7 attempts');
    expect(error).toMatchObject({ message });
    // On a busy machine the time may be over before the service sees one of them.
    expect(server.requests.length).toBeLessThanOrEqual(7);
  });

  test('that is aborted with a request in flight ends immediately, with the abort reason as the error', async () => {
    const aborter = new AbortController();
    const reason = new InterruptedError('SIGINT');
    const server = await useFaultServer(() => aborter.abort(reason));
    expect(await rejection(useService(server.baseUrl, { signal: aborter.signal }).getCode(CODE.id))).toBe(
      reason,
    );
  });

  test('that has ended no longer listens for an abort', async () => {
    const { signal } = new AbortController();
    const server = await useFaultServer((request) =>
      request.method === 'POST' ? created(request) : list(request),
    );
    const service = useService(server.baseUrl, { signal });
    const before = getEventListeners(signal, 'abort').length;
    await service.listCodes({ page: 1, limit: 1 });
    await service.createCode({ name: 'A' });
    expect(getEventListeners(signal, 'abort')).toHaveLength(before);
  });

  test('that is aborted during a back-off ends immediately, with the abort reason as the error', async () => {
    const aborter = new AbortController();
    const reason = new InterruptedError('SIGTERM');
    const events = { retry: () => queueMicrotask(() => aborter.abort(reason)) };
    const server = await useFaultServer(refusal(503, { 'Retry-After': '50' }));
    expect(
      await rejection(
        useService(server.baseUrl, { retryForMs: 60_000, signal: aborter.signal, events }).getCode(CODE.id),
      ),
    ).toBe(reason);
  });

  test('in flight fails when close() is called', async () => {
    const server = await useFaultServer(() => void service.close());
    const service = useService(server.baseUrl);
    expect(await rejection(service.getCode(CODE.id))).toMatchObject({ message: 'the service was closed' });
  });

  test('on a kept connection that the service closed while it was idle causes no extra request', async () => {
    let socket: Socket | undefined;
    const server = await useFaultServer((request) => {
      list(request);
      socket = request.socket;
    });
    const service = useService(server.baseUrl);
    for (let round = 0; round < 4; round++) {
      await service.listCodes({ page: 1, limit: 1 });
      // Closed when the other side has closed it, too.
      if (socket) await once(socket.end(), 'close');
    }
    expect(service.stats().requests).toBe(4);
  });
});

describe('a response', () => {
  test('is requested with gzip and no-cache, and decompressed', async () => {
    const server = await useFaultServer(say(gzipped(gzipSync(whole))));
    expect((await useService(server.baseUrl).listCodes({ page: 1, limit: 1 })).rows).toEqual([CODE]);
    expect(server.requests[0]?.head).toContain('accept-encoding: gzip');
    expect(server.requests[0]?.head).toContain('cache-control: no-cache');
  });

  test('with a byte order mark and characters that are split across chunks is read', async () => {
    const body = Buffer.from(`\uFEFF${JSON.stringify(pageOf([{ ...CODE, name: '東京 🗼' }]))}`);
    const server = await useFaultServer(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
      for (const byte of body) socket.write(Buffer.of(byte));
    });
    expect((await useService(server.baseUrl).listCodes({ page: 1, limit: 1 })).rows[0]?.name).toBe('東京 🗼');
  });

  test('with a gzip body that decompresses to more than 64 MiB is refused, and not requested again', async () => {
    const server = await useFaultServer(
      say(gzipped(gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '), { level: 1 }))),
    );
    const error = await failedList(server);
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ message: expect.stringContaining('larger than 64 MiB') });
    expect(server.requests).toHaveLength(1);
  });

  test('in an encoding that was not requested is refused with an error that states the encoding', async () => {
    const server = await useFaultServer(
      say('HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: 2\r\n\r\nxx'),
    );
    const error = await failedList(server);
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    const hint = expect.stringContaining('base URL');
    expect(error).toMatchObject({ message: expect.stringContaining('zstd'), hint });
    expect(server.requests).toHaveLength(1);
  });

  test('without an end is refused after 64 MiB', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, ' ');
    const server = await useFaultServer(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
      const pour = () => {
        if (socket.writable) socket.write(megabyte, pour);
      };
      pour();
    });
    const error = await failedList(server);
    expect(error).toMatchObject({ message: expect.stringContaining('larger than 64 MiB') });
  });

  test('keeps all digits in IDs above 2^53, and __proto__ as an ordinary field', async () => {
    const row = JSON.stringify(SCAN).replace('"id":1', '"id":9007199254740993,"__proto__":{"polluted":true}');
    const server = await useFaultServer(say(rawAnswer(200, `{"data":[${row}],"pagination":{"total":1}}`)));
    const { rows } = await useService(server.baseUrl).listScans(CODE.id, { page: 1, limit: 500 });
    expect(rows[0]?.id).toBe(9007199254740993n);
    expect(Object.keys(rows[0] ?? {})).toContain('__proto__');
    expect('polluted' in {}).toBe(false);
    expect('polluted' in (rows[0] ?? {})).toBe(false);
  });
});

describe('an error', () => {
  const tell = async (react: React) => {
    const server = await useFaultServer(react);
    const error = await failedGet(server);
    return (error as Error).message.replace(/127.0.0.1:\d+/, 'HOST').replace(CODE.id, 'ID');
  };

  test('for an HTML page has fewer than 230 characters, and no tags, scripts or control characters', async () => {
    const page = `<html><head><title>502 Bad \u001b[31mGateway</title><style>b{}</style></head><body>
      <script>alert("${'x'.repeat(5000)}")</script><h1>nginx</h1>\u202e${'and so on '.repeat(50)}</body></html>`;
    const message = await tell(say(rawAnswer(502, page)));
    expect(message).toMatch(
      /^the service failed \(502\): 502 Bad \[31mGateway nginx and so on .*… \(after 7 attempts( in \d+ s)?\) \[GET \/api\/v1\/qr\/ID on HOST\]$/,
    );
    expect(message.length).toBeLessThan(230);
  });

  test('for an HTML page with status 200 states that the response is not JSON', async () => {
    expect(await tell(say(rawAnswer(200, '<html><body>Log in to the hotel Wi-Fi</body></html>')))).toBe(
      'the response is not JSON: Log in to the hotel Wi-Fi (200) [GET /api/v1/qr/ID on HOST]',
    );
  });

  test.each([
    ['<html><body><script src="x"></script></body></html>', 'the response is not JSON'],
    ['\u200b', 'the response is not JSON'],
    ['', 'empty response'],
    [' \r\n', 'empty response'],
  ])(
    'states that a body of white space is empty, and that a body without visible text is not JSON: %j',
    async (text, what) => {
      expect(await tell(say(rawAnswer(200, text)))).toMatch(
        new RegExp(`^${what} \\(200\\).*\\[GET /api/v1/qr/ID on HOST\\]$`),
      );
    },
  );

  test('for an HTML page with status 200 is avoided by repeating the request if the service has responded before', async () => {
    const html = rawAnswer(200, '<html><body>Back in a moment</body></html>');
    const server = await useFaultServer((request) =>
      say(request.number === 1 ? html : rawAnswer(200, CODE))(request),
    );
    const service = useService(server.baseUrl);
    await service.getCode(CODE.id);
    expect((await service.getCode(CODE.id)).id).toBe(CODE.id);
    expect(server.requests).toHaveLength(3);
  });

  test.each([301, 302, 303, 307, 308])(
    'for a redirect contains its target, which is not requested: %i',
    async (status) => {
      const other = await useFaultServer(list);
      const location = `${other.baseUrl}/qr`;
      const server = await useFaultServer(say(rawAnswer(status, '', { Location: location })));
      const error = await failedGet(server);
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error).toMatchObject({
        message: expect.stringContaining(`redirected to ${location} (${status})`),
      });
      expect([server.requests.length, other.requests.length]).toEqual([1, 0]);
    },
  );

  test.each([
    [400, RejectedError],
    [401, AuthError],
    [403, UnexpectedResponseError],
    [404, NotFoundError],
    [409, UnexpectedResponseError],
    [422, RejectedError],
    [501, UnexpectedResponseError],
  ])(
    'for a GET with the response %i has the message and code from the service, and the GET is not repeated',
    async (status, failure) => {
      const server = await useFaultServer(refusal(status));
      const error = await failedGet(server);
      expect(error).toBeInstanceOf(failure);
      expect(error).toMatchObject({
        status,
        code: 'its_code',
        message: expect.stringContaining(`(${status}): the words of the service`),
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  test('contains no twelve consecutive characters of the key if the service repeats the key, even with hidden characters', async () => {
    const hidden = `${KEY.slice(0, 12)}\u200b\n\u001b${KEY.slice(12)}`;
    for (const text of [`bad key ${KEY}`, `bad key ${hidden}`, `${'y'.repeat(110)}${KEY}`]) {
      for (const body of [JSON.stringify({ error: text, code: KEY }), `<b>${text}</b>`, text]) {
        const server = await useFaultServer(say(rawAnswer(401, body, { Location: KEY })));
        const error = await failedGet(server);
        const shown = JSON.stringify([error, String(error), (error as Error).stack]);
        for (let at = 0; at + 12 <= KEY.length; at++) expect(shown).not.toContain(KEY.slice(at, at + 12));
      }
    }
  });

  test('states that a host name was not found', async () => {
    const error = await rejection(useService('https://qrctl.invalid/api/v1').getCode(CODE.id));
    expect(error).toMatchObject({
      message: expect.stringMatching(/^host name not found .*\[GET \/api\/v1\/qr\/\S+ on qrctl\.invalid\]$/),
    });
  });
});

describe('requests', () => {
  test('are reported with method, path with query, status, duration and remaining requests, but without the key', async () => {
    const traces: unknown[] = [];
    const server = await useFaultServer((request) =>
      request.number === 0
        ? request.socket.resetAndDestroy()
        : say(rawAnswer(200, pageOf([SCAN]), { 'X-RateLimit-Remaining': '17' }))(request),
    );
    const service = useService(server.baseUrl, { events: { request: (trace) => traces.push(trace) } });
    await service.listScans(CODE.id, { page: 2, limit: 500, sinceMs: 0, untilMs: 1 });
    const path = `/api/v1/qr/${CODE.id}/scans?page=2&limit=500&since=1970-01-01T00%3A00%3A00.000Z&until=1970-01-01T00%3A00%3A00.001Z`;
    expect(traces).toEqual([
      { method: 'GET', path, status: undefined, remaining: undefined, ms: expect.any(Number) },
      { method: 'GET', path, status: 200, remaining: 17, ms: expect.any(Number) },
    ]);
    expect(server.requests[1]?.url).toBe(path);
    expect(server.requests[1]?.head).toContain(`authorization: Bearer ${KEY}`);
    expect(JSON.stringify(traces)).not.toContain(KEY);
    expect(service.stats()).toEqual({ requests: 2, retries: 1, pauses: 0, pausedMs: 0 });
  });

  test('for /openapi.json are sent outside the base URL and without the key', async () => {
    const server = await useFaultServer(say(rawAnswer(200, { openapi: '3.1.0' })));
    expect(await useService(server.baseUrl).openApi()).toEqual({ openapi: '3.1.0' });
    expect(server.requests[0]).toMatchObject({
      url: '/openapi.json',
      head: expect.not.stringContaining('uthorization'),
    });
  });
});
