import { createServer, connect as dial, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UnavailableError, UsageError } from '#base/errors';
import { NetworkError } from '#service/network-error';
import { proxyAuthorization, proxyFor, proxyRefusal, throughProxy } from '#service/proxy';
import { rawAnswer, useFaultServer } from '../support/fault-server.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../support/tls.ts';
import { CODE, pageOf, rejection, useService } from './setup.ts';

describe('proxyFor', () => {
  const API = 'https://api.test';
  const PROXY = 'proxy.test:3128';
  const LOCAL = 'http://127.0.0.1:8080';
  const https = { HTTPS_PROXY: `http://${PROXY}`, HTTP_PROXY: 'http://other.test' };
  const except = (hosts: string) => ({ ...https, NO_PROXY: hosts });

  test.each<[string, string, Record<string, string>, string | undefined]>([
    ['HTTPS_PROXY applies to https', API, https, PROXY],
    ['HTTP_PROXY does not apply to https', API, { HTTP_PROXY: 'http://other.test' }, undefined],
    ['a lower-case variable takes precedence', API, { ...https, https_proxy: 'http://low:1' }, 'low:1'],
    ['an empty variable sets no proxy', API, { HTTPS_PROXY: '' }, undefined],
    ['a host and port without a scheme is an HTTP proxy', API, { HTTPS_PROXY: PROXY }, PROXY],
    ['NO_PROXY excludes its hosts', API, except('x.test, api.test'), undefined],
    ['NO_PROXY excludes subdomains', API, except('test'), undefined],
    ['NO_PROXY may have a leading dot', API, except('.test'), undefined],
    ['NO_PROXY may begin with an asterisk', API, { ...https, no_proxy: '*.test' }, undefined],
    ['NO_PROXY does not match part of a label', API, except('pi.test'), PROXY],
    ['NO_PROXY excludes the port of the service', API, except('api.test:443'), undefined],
    ['NO_PROXY with another port excludes nothing', API, except('api.test:8443'), PROXY],
    ['NO_PROXY excludes an IPv4 network', 'https://10.1.2.3', except('192.168.0.0/16,10.0.0.0/8'), undefined],
    ['NO_PROXY excludes a network with 16 bits', 'https://10.1.2.3', except('10.1.0.0/16'), undefined],
    ['NO_PROXY excludes a network of one address', 'https://10.1.2.3', except('10.1.2.3/32'), undefined],
    ['an empty entry excludes nothing', 'https://api.test.', except('x.test, ,'), PROXY],
    ['another IPv4 network excludes nothing', 'https://10.1.2.3', except('10.2.0.0/16'), PROXY],
    ['NO_PROXY excludes an IPv6 network', 'https://[fd00::1]', except('fc00::/7'), undefined],
    ['another IPv6 network excludes nothing', 'https://[2001:db8::1]', except('[fc00::]/7,0.0.0.0/0'), PROXY],
    ['a network excludes no host name', API, except('0.0.0.0/0'), PROXY],
    ['an invalid network excludes nothing', 'https://10.1.2.3', except('10.0.0.0/33,999.0.0.0/8,/8'), PROXY],
    ['NO_PROXY=* excludes every host', API, except('*'), undefined],
    ['NO_PROXY excludes an IPv6 address', 'https://[2001:db8::1]', except('2001:db8::1'), undefined],
    [
      'NO_PROXY excludes an IPv6 address in brackets with its port',
      'https://[2001:db8::1]:8443',
      except('[2001:db8::1]:8443'),
      undefined,
    ],
    ['a remote proxy is not used for this machine', LOCAL, { HTTP_PROXY: 'http://proxy.test' }, undefined],
    [
      'a proxy on this machine is used for this machine',
      LOCAL,
      { HTTP_PROXY: 'http://127.0.0.1:3128' },
      '127.0.0.1:3128',
    ],
  ])('follows the rule: %s', (_name, service, env, host) => {
    expect(proxyFor(new URL(service), env)?.host).toBe(host);
  });

  test('returns a proxy whose percent-encoded user name and password proxyAuthorization decodes', () => {
    const proxyOf = (value: string) =>
      proxyFor(new URL('https://api.test'), { HTTPS_PROXY: value }) ?? new URL('http://none');
    for (const [value, credentials] of [
      ['http://CORP%5Cjane:a%23b%2Fc%3Fd@proxy.test:3128', 'CORP\\jane:a#b/c?d'],
      ['jane:p@ss@proxy.test:3128/', 'jane:p@ss'],
      ['HTTPS://jane:100%@proxy.test', 'jane:100%'],
    ] as const) {
      expect(proxyOf(value).hostname).toBe('proxy.test');
      expect(proxyAuthorization(proxyOf(value))).toBe(`Basic ${Buffer.from(credentials).toString('base64')}`);
    }
  });

  test('suggests how to set the variable, and how to encode special characters if the URL has a password', () => {
    const of = (service: string, value: string) => () =>
      proxyFor(new URL(service), { HTTP_PROXY: value, HTTPS_PROXY: value });
    expect(of('https://api.test', 'socks5://proxy.test')).toThrow(
      expect.objectContaining({
        message: 'HTTPS_PROXY is not the URL of an http or https proxy',
        hint: 'Set HTTPS_PROXY=http://HOST:PORT, or unset it.',
      }),
    );
    expect(of('http://api.test', 'http://a\\b:c@proxy.test')).toThrow(
      expect.objectContaining({
        message: 'HTTP_PROXY is not the URL of an http or https proxy',
        hint: 'Set HTTP_PROXY=http://HOST:PORT, or unset it. In user name and password, write \\ as %5C, # as %23, / as %2F and ? as %3F.',
      }),
    );
  });

  test.each([
    'socks5://user:hunter2@proxy.test',
    'http://user:hunter2@:99999',
    'http://CORP\\user:hunter2@proxy.test:3128',
    'CORP\\user:hunter2@proxy.test:3128',
    'http://user:hunter2#x@proxy.test:3128',
    'http://user:p@hunter2#word@proxy.test:3128',
    'http://user:80/hunter2@proxy.test',
    'http://user:80?hunter2@proxy.test',
    'http:/user:hunter2@proxy.test',
    'http://user:hunter2 x@proxy.test',
    'http://proxy.test:3128/hunter2',
  ])('refuses a proxy URL with an unclear host, scheme or path, and repeats no password: %s', (value) => {
    const refused = () => proxyFor(new URL('https://api.test'), { HTTPS_PROXY: value });
    expect(refused).toThrow(UsageError);
    expect(refused).not.toThrow(/hunter2/);
  });
});

test('proxyAuthorization returns undefined for a proxy URL without a user name', () => {
  expect(proxyAuthorization(new URL('http://:secret@proxy.test'))).toBeUndefined();
});

describe('a failure at a proxy', () => {
  const proxy = new URL('http://user:secret@proxy.test:3128');
  const failure = (options: object) =>
    new NetworkError('the connection was reset', { fault: 'network', sent: false, ...options });

  test.each([
    [true, 'HTTP_PROXY'],
    [false, 'HTTPS_PROXY'],
  ])('before the request was sent names the proxy and has a hint (forwarded: %j)', (isForwarded, name) => {
    expect(throughProxy(proxy, failure({}), isForwarded)).toMatchObject({
      message: 'cannot connect through the proxy proxy.test:3128: the connection was reset',
      fault: 'network',
      sent: false,
      hint: `Check ${name}, or add the host to NO_PROXY to connect without the proxy.`,
    });
  });

  test.each([{ sent: true }, { hint: 'Check the certificate.' }, { fault: 'proxy' }])(
    'is unchanged if it has %j',
    (options) => {
      const known = failure(options);
      expect(throughProxy(proxy, known, false)).toBe(known);
    },
  );

  test('that refuses the connection is reported with the status', () => {
    expect(proxyRefusal(proxy, 403)).toMatchObject({
      message: 'the proxy proxy.test:3128 refused the connection (403)',
      sent: false,
      hint: 'Check that the proxy allows connections to this host.',
    });
  });
});

describe('a proxy for plain http', () => {
  test("receives the full URL, the proxy password, and the service's host in the Host header", async () => {
    const proxy = await useFaultServer(({ socket }) => socket.write(rawAnswer(200, pageOf([CODE]))));
    const env = { HTTP_PROXY: `http://user:p%40ss@127.0.0.1:${proxy.port}` };
    await useService('http://127.0.0.1:9/api/v1', { env }).listCodes({ page: 1, limit: 20 });
    expect(proxy.requests[0]).toMatchObject({
      url: 'http://127.0.0.1:9/api/v1/qr?page=1&limit=20',
      head: expect.stringContaining('host: 127.0.0.1:9'),
    });
    expect(proxy.requests[0]?.head).toContain(
      `proxy-authorization: Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    );
  });
});

describe('a proxy that requires a password', () => {
  const UNAUTHORIZED = 'HTTP/1.1 407 No\r\nContent-Length: 13\r\n\r\n<html></html>';

  test.each([
    ['for plain http', 'http://127.0.0.1:9/api/v1', 'HTTP_PROXY'],
    ['for https', 'https://api.test/api/v1', 'HTTPS_PROXY'],
  ])(
    '%s gets one request, and the error has the outcome `not-applied` and a hint on setting the password',
    async (_, baseUrl, name) => {
      const proxy = await useProxy((socket) => socket.end(UNAUTHORIZED));
      const env = { [name]: proxy.env.HTTPS_PROXY };
      const error = await rejection(useService(baseUrl, { env }).createCode({ name: 'A' }));
      expect(error).toBeInstanceOf(UnavailableError);
      expect(error).toMatchObject({
        outcome: 'not-applied',
        message: expect.stringMatching(
          /^the proxy 127\.0\.0\.1:\d+ requires a user name and password \(407\) \[/,
        ),
        hint: expect.stringContaining(
          'Add the user name and password to the proxy URL: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT',
        ),
      });
      expect(proxy.heads).toHaveLength(1);
    },
  );
});

/** A CONNECT proxy that does what `react` does to each request head. */
async function useProxy(react: (socket: Socket, head: string) => void) {
  const heads: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('data', (data) => {
      heads.push(data.toString('latin1'));
      react(socket, data.toString('latin1'));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return { heads, port, env: { HTTPS_PROXY: `http://user:secret@127.0.0.1:${port}` } };
}

describe('a proxy for https', () => {
  test("receives CONNECT with the proxy password, and no key is sent if the service's certificate is invalid", async () => {
    const seen: string[] = [];
    const service = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (socket) =>
      socket.on('data', (data) => seen.push(String(data))),
    );
    service.on('tlsClientError', (error) => seen.push(String('code' in error && error.code)));
    service.listen(0, '127.0.0.1');
    onTestFinished(() => void service.close());
    await new Promise((resolve) => service.once('listening', resolve));
    const { port } = service.address() as { port: number };
    const proxy = await useProxy((socket) => {
      const onward = dial(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => {});
    });
    const error = await rejection(
      useService('https://api.test/api/v1', { env: proxy.env }).createCode({ name: 'A' }),
    );
    expect(proxy.heads).toHaveLength(1);
    expect(proxy.heads[0]).toMatch(/^CONNECT api.test:443 HTTP\/1.1\r\n/);
    expect(proxy.heads[0]).toContain(
      `proxy-authorization: Basic ${Buffer.from('user:secret').toString('base64')}`,
    );
    // The tunnel reached the service: its certificate is what stops us, at once, before anything was sent.
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({
      outcome: 'not-applied',
      message: expect.stringContaining('certificate is self-signed'),
    });
    expect(seen.join()).not.toContain('Bearer');
  });

  test.each<[string, (socket: Socket) => void, RegExp]>([
    [
      'resets CONNECT',
      (socket) => socket.resetAndDestroy(),
      /through the proxy 127.0.0.1:\d+: the connection was (closed|reset)/,
    ],
    [
      'refuses CONNECT',
      (socket) => socket.end('HTTP/1.1 403 No\r\n\r\n'),
      /the proxy 127.0.0.1:\d+ refused the connection \(403\)/,
    ],
    [
      'uses another protocol',
      (socket) => socket.end('220 mail.test ESMTP\r\n'),
      /through the proxy 127.0.0.1:\d+: the /,
    ],
    [
      'closes the connection in the TLS handshake',
      (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
      /connection was (closed|reset)/,
    ],
  ])(
    'that %s gets at most seven requests, and the outcome is `not-applied`',
    async (_name, react, message) => {
      const proxy = await useProxy(react);
      const error = await rejection(
        useService('https://api.test/api/v1', { env: proxy.env }).createCode({ name: 'A' }),
      );
      expect(error).toBeInstanceOf(UnavailableError);
      expect(error).toMatchObject({ outcome: 'not-applied' });
      expect(String(error)).toMatch(message);
      expect(String(error)).not.toContain('secret');
      expect(proxy.heads.length).toBeLessThanOrEqual(7);
    },
  );

  test('that does not respond to CONNECT causes a timeout with the outcome `not-applied`', async () => {
    const proxy = await useProxy(() => {});
    const error = await rejection(
      useService('https://api.test/api/v1', { env: proxy.env, timeoutMs: 30 }).createCode({ name: 'A' }),
    );
    expect(error).toMatchObject({
      outcome: 'not-applied',
      message: expect.stringContaining('timed out after 30 ms'),
    });
  });
});

test('NODE_TLS_REJECT_UNAUTHORIZED=0 is refused, except for a service on this machine', () => {
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  expect(() => useService('https://api.test/api/v1', { env })).toThrow(UsageError);
  expect(() => useService('https://127.0.0.1/api/v1', { env })).not.toThrow();
});
