/** One request to a host on loopback, from the connection to the last header. */
import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createSecureContext } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { addressFailure, LateError, type RequestOptions, request } from '#codes/destinations/request';
import { createTlsSessions } from '#codes/destinations/tls-sessions';
import { freePort, listen } from '../../support/listen.ts';
import { CERTIFICATE } from '../../support/tls.ts';
import { answer, useHost, useTlsHost } from './use-host.ts';

const HAS_IPV6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
const LOOPBACK = { address: '127.0.0.1', family: 4 };

/** Sends one request to a URL, or to a path of a host on a port. */
function visit(url: URL | number, given: Partial<RequestOptions> = {}) {
  return request({
    url: url instanceof URL ? url : new URL(`http://a.test:${url}/x?q=1`),
    addresses: [LOOPBACK],
    headers: {},
    proxy: undefined,
    allowPrivate: true,
    sessions: createTlsSessions(),
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...given,
  });
}

/** Sessions whose authority is that of the hosts of these tests. */
function trustingSessions() {
  return { ...createTlsSessions(), context: () => createSecureContext({ ca: CERTIFICATE }) };
}

describe('request', () => {
  it('sends the configured headers, returns the status and headers of the response, and removes its abort listener', async () => {
    const { port, heads } = await useHost(({ socket }) =>
      socket.end(answer(302, 'Location: /next\r\nSet-Cookie: a=1\r\n')),
    );
    const { signal } = new AbortController();
    const reply = await visit(port, { signal, headers: { 'user-agent': 'test' } });
    expect(reply).toMatchObject({ status: 302, failure: undefined, tlsEndsMs: undefined });
    expect(reply.status === 302 && reply.headers).toMatchObject({
      location: ['/next'],
      'set-cookie': ['a=1'],
    });
    expect(heads[0]?.split('\r\n').slice(0, -2)).toEqual([
      'GET /x?q=1 HTTP/1.1',
      `host: a.test:${port}`,
      'connection: keep-alive',
      'user-agent: test',
    ]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('creates no TLS context for a page without TLS', async () => {
    const { port } = await useHost(({ socket }) => socket.end(answer(200)));
    const context = () => {
      throw new Error('not needed');
    };
    expect(await visit(port, { sessions: { ...createTlsSessions(), context } })).toMatchObject({
      status: 200,
    });
  });

  it("rejects with the abort signal's reason", async () => {
    const controller = new AbortController();
    const { port } = await useHost(() => controller.abort(new Error('stop')));
    await expect(visit(port, { signal: controller.signal })).rejects.toThrow('stop');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it("rejects with the abort signal's reason during a TLS handshake", async () => {
    const controller = new AbortController();
    const server = createTcpServer((socket) =>
      socket.on('error', () => undefined).once('data', () => controller.abort(new Error('stop'))),
    );
    const port = await listen(server);
    await expect(visit(new URL(`https://a.test:${port}/`), { signal: controller.signal })).rejects.toThrow(
      'stop',
    );
  });

  it('sends no request if the connection reached an address that is not public (K3)', async () => {
    const { port, heads } = await useHost(({ socket }) => socket.end(answer(200)));
    const reply = await visit(port, { allowPrivate: false });
    expect(reply.failure?.message).toBe('the connection reached a loopback address');
    expect(heads).toEqual([]);
  });

  it('checks connections with `addressFailure`, which returns a failure for a closed connection, and for a private address unless private addresses are allowed', () => {
    expect(addressFailure(undefined, false)).toMatchObject({
      message: 'the connection was reset',
      fault: 'network',
      sent: false,
    });
    expect(addressFailure('10.0.0.1', false)).toMatchObject({
      message: 'the connection reached a private address',
      fault: 'answer',
      sent: false,
    });
    expect(addressFailure('10.0.0.1', true)).toBeUndefined();
    expect(addressFailure('5.5.5.5', false)).toBeUndefined();
  });

  it('connects to the next address of a host if the first address refuses the connection', async () => {
    const { port } = await useHost(({ socket }) => socket.end(answer(200)));
    const addresses = [{ address: '127.0.0.2', family: 4 }, LOOPBACK];
    expect(await visit(port, { addresses })).toMatchObject({ status: 200 });
  });

  it('reports whether a request was sent before it failed', async () => {
    expect(await visit(await freePort())).toMatchObject({
      status: undefined,
      failure: { message: 'connection refused', fault: 'network', sent: false },
    });
    const { port } = await useHost(({ socket }) => socket.end());
    const message = 'the connection was closed before the response was complete';
    expect(await visit(port)).toMatchObject({
      status: undefined,
      failure: { message, fault: 'network', sent: true },
    });
    const reset = await useHost(({ socket }) => socket.resetAndDestroy());
    expect(await visit(reset.port)).toMatchObject({
      status: undefined,
      failure: { message: 'the connection was reset', fault: 'network', sent: true },
    });
  });

  it.each([
    ['nonsense\r\n\r\n', 'the response is not HTTP'],
    ['HTTP/1.1 099 Too low\r\nContent-Length: 0\r\n\r\n', 'the response is not HTTP'],
    [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(300_000)}\r\n\r\n`, 'the response headers are too large'],
  ])(
    "returns the fault `answer`, not `network`, for a response that browsers can't read (case %#)",
    async (text, message) => {
      const { port } = await useHost(({ socket }) => socket.end(text));
      expect(await visit(port)).toMatchObject({
        status: undefined,
        failure: { message, fault: 'answer', sent: true },
      });
    },
  );

  it('closes the connection after the headers, without reading the whole body (K4)', async () => {
    const written = new Promise<number>((resolve) => {
      const host = useHost(({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n');
        socket.on('close', () => resolve(socket.bytesWritten));
        const more = () => {
          while (
            !socket.destroyed &&
            socket.bytesWritten < 100 * 2 ** 20 &&
            socket.write(Buffer.alloc(65_536))
          );
          if (socket.bytesWritten >= 100 * 2 ** 20) resolve(socket.bytesWritten);
          else socket.once('drain', more);
        };
        more();
      });
      host
        .then(({ port }) => visit(port))
        .then((reply) => expect(reply).toMatchObject({ status: 200, failure: undefined }));
    });
    expect(await written).toBeLessThan(16 * 2 ** 20);
  });

  it('ends at its timeout, even if headers keep arriving or the TLS handshake does not end (K5)', async () => {
    const { port } = await useHost(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('X: y\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const reply = await visit(port, { timeoutMs: 200 });
    expect(reply).toMatchObject({
      status: undefined,
      failure: { message: 'no response within 200 ms', fault: 'network' },
    });
    expect(reply.failure).toBeInstanceOf(LateError);
    expect(reply.failure?.sent).toBe(true);
    // A handshake that does not end: nothing was sent.
    const silent = await useHost(() => undefined);
    const { failure } = await visit(new URL(`https://a.test:${silent.port}/`), { timeoutMs: 200 });
    expect(failure).toBeInstanceOf(LateError);
    expect(failure?.sent).toBe(false);
  });

  it('resumes the TLS session for a second request, and returns the same certificate expiry (K8)', async () => {
    const reused: boolean[] = [];
    const url = await useTlsHost((socket) => reused.push(socket.isSessionReused()));
    const sessions = trustingSessions();
    const replies = [await visit(url, { sessions }), await visit(url, { sessions })];
    expect(reused).toEqual([false, true]);
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 200, tlsEndsMs: Date.UTC(2120, 0, 1) });
  });

  it('does not store a TLS session with a host whose certificate is invalid (K8)', async () => {
    const url = await useTlsHost(() => undefined);
    const sessions = createTlsSessions();
    for (let at = 0; at < 2; at++) {
      const reply = await visit(url, { sessions });
      expect(reply).toMatchObject({
        status: undefined,
        tlsEndsMs: Date.UTC(2120, 0, 1),
        failure: { message: 'the certificate is self-signed', fault: 'certificate', sent: false },
      });
      expect(sessions.find(url.origin)).toBeUndefined();
    }
  });
});

describe('request through a proxy', () => {
  it("sends the whole URL, the headers, and the proxy's user and password to the proxy if the page has no TLS", async () => {
    const { port, heads } = await useHost(({ socket }) => socket.end(answer(200)));
    const url = new URL('http://inner.test:8080/x?q=1');
    const headers = { 'user-agent': 'test' };
    const given = { addresses: [], allowPrivate: false, headers };
    const replies = [
      await visit(url, { ...given, proxy: new URL(`http://me:secret@127.0.0.1:${port}`) }),
      await visit(url, { ...given, proxy: new URL(`http://127.0.0.1:${port}`) }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const lines = heads.map((head) => head.trim().split('\r\n'));
    const common = [
      'GET http://inner.test:8080/x?q=1 HTTP/1.1',
      'host: inner.test:8080',
      'connection: keep-alive',
    ];
    expect(lines).toEqual([
      [
        ...common,
        'user-agent: test',
        `proxy-authorization: Basic ${Buffer.from('me:secret').toString('base64')}`,
      ],
      [...common, 'user-agent: test'],
    ]);
  });

  it('reports a proxy that requires a password or refuses the connection', async () => {
    const { port } = await useHost(({ socket }) => socket.end(answer(407)));
    const url = new URL('http://inner.test/');
    expect(await visit(url, { proxy: new URL(`http://127.0.0.1:${port}`) })).toMatchObject({
      status: undefined,
      failure: {
        message: `the proxy 127.0.0.1:${port} requires a user name and password (407)`,
        fault: 'proxy',
        sent: false,
      },
    });
    // A page may respond so as well.
    expect(await visit(port)).toMatchObject({ status: 407 });
    const closed = await freePort();
    expect(await visit(url, { proxy: new URL(`http://127.0.0.1:${closed}`) })).toMatchObject({
      failure: { message: `cannot connect through the proxy 127.0.0.1:${closed}: connection refused` },
    });
  });

  it.runIf(HAS_IPV6)('connects to a proxy at an IPv6 address', async () => {
    const [url, closed] = [new URL('http://inner.test/'), await freePort()];
    expect(await visit(url, { proxy: new URL(`http://[::1]:${closed}`) })).toMatchObject({
      failure: { message: `cannot connect through the proxy [::1]:${closed}: connection refused` },
    });
  });

  it('opens a tunnel for a page with TLS', async () => {
    const page = await useTlsHost(() => undefined);
    const tunnels: string[] = [];
    const proxy = createServer().on('connect', ({ url = '' }, client) => {
      tunnels.push(url);
      const socket = connect(Number(page.port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(client).pipe(socket);
      });
      for (const end of [socket, client]) end.on('error', () => undefined);
    });
    const port = await listen(proxy);
    const given = { addresses: [], allowPrivate: false, sessions: trustingSessions() };
    const reply = await visit(page, { ...given, proxy: new URL(`http://127.0.0.1:${port}`) });
    expect(reply).toMatchObject({ status: 200, tlsEndsMs: Date.UTC(2120, 0, 1) });
    expect(tunnels).toEqual([page.host]);
  });
});
