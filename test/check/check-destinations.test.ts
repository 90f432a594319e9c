/** Whole checks against hosts on loopback, each name of which leads to one port. */
import { createServer, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addressFailure, ask } from '../../src/check/ask.ts';
import { type CheckJob, checkDestinations } from '../../src/check/check-destinations.ts';
import { createTlsSessions } from '../../src/check/tls-sessions.ts';
import { systemClock } from '../../src/time/time.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../support/tls.ts';

type React = (request: { socket: Socket; host: string; path: string; head: string; number: number }) => void;

/** Its port, every head it was sent, and how many requests it had open at most, by host. */
async function useHost(react: React) {
  const heads: string[] = [];
  const open = new Map<string, number>();
  const most = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let head = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      head += chunk;
      if (!head.endsWith('\r\n\r\n')) return;
      const host = /^host: ([^:\r]*)/im.exec(head)?.[1] ?? '';
      open.set(host, (open.get(host) ?? 0) + 1);
      most.set(host, Math.max(most.get(host) ?? 0, open.get(host) ?? 0));
      socket.on('close', () => open.set(host, (open.get(host) ?? 1) - 1));
      react({ socket, host, path: head.split(' ')[1] ?? '', head, number: heads.push(head) - 1 });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, heads, most };
}

const answer = (status: number, headers = '') => `HTTP/1.1 ${status} Status\r\nContent-Length: 0\r\n${headers}\r\n`;

/** An HTTP date 4 seconds after the response's own (RFC 9110, 10.2.3). */
const DATED = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:49:41 GMT\r\n';

/** The clock of this machine, but for pauses, which are only noted. */
function job(given: Partial<CheckJob> = {}): CheckJob & { slept: number[] } {
  const slept: number[] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    if (ms <= 10_000) slept.push(ms);
    else await systemClock.sleep(ms, signal);
  };
  return {
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    lookupWidth: 4,
    proxyFor: () => undefined,
    refuse: () => undefined,
    headers: { 'user-agent': 'test' },
    allowPrivate: true,
    width: 8,
    timeoutMs: 60_000,
    clock: { ...systemClock, sleep },
    signal: new AbortController().signal,
    onDone: () => undefined,
    slept,
    ...given,
  };
}

const question = {
  ...{ addresses: [{ address: '127.0.0.1', family: 4 }], headers: {}, proxy: undefined, allowPrivate: true },
  sessions: createTlsSessions(),
};

describe('checkDestinations', () => {
  it('asks each address once, and a host one thing at a time, redirects too (K6)', async () => {
    const { port, heads, most } = await useHost(({ socket, path, host }) => {
      const location = host === 'a.test' && path === '/3' ? `Location: http://b.test:${port}/moved\r\n` : '';
      setImmediate(() => socket.end(answer(location ? 302 : 200, location)));
    });
    const urls = ['a', 'b', 'c'].flatMap((host) => Array.from({ length: 6 }, (_, n) => `http://${host}.test:${port}/${n}`));
    const verdicts = await checkDestinations([...urls, ...urls], job());
    expect(heads).toHaveLength(19);
    expect([...most.values()]).toEqual([1, 1, 1]);
    expect(verdicts.get(`http://a.test:${port}/3`)).toMatchObject({
      outcome: 'redirected',
      redirects: 1,
      finalUrl: `http://b.test:${port}/moved`,
    });
    expect([...verdicts.values()].filter(({ outcome }) => outcome === 'ok')).toHaveLength(17);
  });

  it('shows nobody the password of an address, nor anything but what it is given to send (K7)', async () => {
    const { port, heads } = await useHost(({ socket }) => socket.end(answer(401)));
    const url = `http://me:secret@a.test:${port}/x`;
    const verdict = (await checkDestinations([url], job())).get(url);
    expect(verdict).toMatchObject({ outcome: 'blocked', status: 401, finalUrl: `http://a.test:${port}/x` });
    const sent = heads[0]
      ?.trim()
      .split('\r\n')
      .map((line) => line.split(':', 1)[0]?.toLowerCase());
    expect(sent).toEqual(['get /x http/1.1', 'host', 'connection', 'user-agent']);
  });

  it('asks a second time where the first may have met a hiccup, as late as it is told', async () => {
    const { port } = await useHost(({ socket, path, number }) => {
      if (path === '/reset' && number === 0) socket.destroy();
      else if (path === '/busy' && number === 2) socket.end(answer(429, 'Retry-After: 7\r\n'));
      else if (path === '/dated' && number === 4) socket.end(answer(503, DATED));
      else if (path === '/never') socket.end(answer(503, 'Retry-After: 3600\r\n'));
      else socket.end(answer(200));
    });
    const work = job();
    const urls = ['reset', 'busy', 'dated', 'never'].map((path) => `http://a.test:${port}/${path}`);
    const verdicts = await checkDestinations(urls, work);
    expect(urls.map((url) => verdicts.get(url)?.outcome)).toEqual(['ok', 'ok', 'ok', 'broken']);
    expect(work.slept).toEqual([2000, 7000, 4000, 10_000]);
  });

  it('does not wait for the rest of a host that is down', async () => {
    const { port } = await useHost(() => undefined);
    const asked: string[] = [];
    const lookup = async (hostname: string) => {
      asked.push(hostname);
      throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    };
    const urls = Array.from({ length: 9 }, (_, n) => `http://gone.test:${port}/${n}`);
    const verdicts = await checkDestinations(urls, job({ lookup }));
    expect([...verdicts.values()].map(({ outcome, error }) => `${outcome}: ${error}`)).toEqual(
      new Array(9).fill('unreachable: host name not found'),
    );
    expect(asked).toHaveLength(3);
  });

  it('counts no time against a name that waits for other names to be looked up', async () => {
    const lookup = async () => {
      await systemClock.sleep(500);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const urls = Array.from({ length: 4 }, (_, n) => `http://h${n}.test/`);
    const verdicts = await checkDestinations(urls, job({ lookup, lookupWidth: 1, timeoutMs: 1900, allowPrivate: false }));
    for (const { error } of verdicts.values()) expect(error).toContain('resolves to 127.0.0.1, which is a loopback address');
  });

  it('bounds what a host costs that takes every request and answers none (K9)', async () => {
    const { port, heads } = await useHost(() => undefined);
    const urls = Array.from({ length: 40 }, (_, n) => `http://hung.test:${port}/${n}`);
    // Long enough for a busy machine to send eight requests.
    const verdicts = await checkDestinations(urls, job({ timeoutMs: 250 }));
    // What is left of the time once the name is found.
    const said = [...verdicts.values()].map(({ outcome, error }) => `${outcome}: ${error?.replace(/\d+ ms$/, '… ms')}`);
    expect(said.slice(0, 5)).toEqual(new Array(5).fill('unreachable: no response within … ms'));
    expect(said.slice(5)).toEqual(
      new Array(35).fill('unreachable: not requested: 5 addresses of its host gave no response within … ms'),
    );
    expect(heads).toHaveLength(8);
  });

  it('waits no more for a host where waiting did not help, until it does better (K9)', async () => {
    const { port, heads } = await useHost(({ socket, path }) => {
      socket.end(path === '/well' ? answer(200) : answer(503, 'Retry-After: 7\r\n'));
    });
    const paths = [...new Array(10).keys(), 'well', 'again'];
    const work = job();
    await checkDestinations(
      paths.map((path) => `http://busy.test:${port}/${path}`),
      work,
    );
    expect(work.slept).toEqual([7000, 7000, 7000, 7000]);
    expect(heads).toHaveLength(paths.length + 4);
  });

  it('follows no address that is longer than servers take', async () => {
    const { port } = await useHost(({ socket, path }) => {
      socket.end(answer(path.length < 10 ? 302 : 200, `Location: /${'x'.repeat(path === '/long' ? 70_000 : 8000)}\r\n`));
    });
    const [long, short] = [`http://a.test:${port}/long`, `http://a.test:${port}/short`];
    const verdicts = await checkDestinations([long, short], job());
    expect(verdicts.get(long)).toMatchObject({
      outcome: 'broken',
      finalUrl: long,
      error: expect.stringMatching(/^redirects to a URL of 70,\d{3} characters \(302\)$/),
    });
    expect(verdicts.get(short)).toMatchObject({ outcome: 'redirected' });
  });

  it('never asks what is ours', async () => {
    const { port, heads } = await useHost(({ socket }) => socket.end(answer(200)));
    const url = `http://qr.test:${port}/abc`;
    const verdicts = await checkDestinations(
      [url],
      job({ refuse: ({ hostname }) => (hostname === 'qr.test' ? 'is a code' : undefined) }),
    );
    expect(verdicts.get(url)).toMatchObject({ outcome: 'blocked', error: 'is a code' });
    expect(heads).toEqual([]);
  });

  it('ends with the reason of an interruption', async () => {
    const controller = new AbortController();
    const { port } = await useHost(() => controller.abort(new Error('stop')));
    await expect(checkDestinations([`http://a.test:${port}/`], job({ signal: controller.signal }))).rejects.toThrow('stop');
  });
});

describe('ask', () => {
  it('sends nothing to an address that is not public, whatever led there (K3)', async () => {
    const { port, heads } = await useHost(({ socket }) => socket.end(answer(200)));
    const url = new URL(`http://a.test:${port}/`);
    const reply = await ask({ ...question, url, allowPrivate: false, timeoutMs: 60_000, signal: new AbortController().signal });
    expect(reply.failure?.message).toBe('the connection reached a loopback address');
    expect(heads).toEqual([]);
  });

  it('takes a connection that is gone already for one, and not for one to a strange address', () => {
    expect(addressFailure(undefined, false)).toMatchObject({ message: 'the connection was reset', fault: 'network' });
    expect(addressFailure('10.0.0.1', false)).toMatchObject({
      message: 'the connection reached a private address',
      fault: 'answer',
    });
    expect(addressFailure('10.0.0.1', true)).toBeUndefined();
    expect(addressFailure('5.5.5.5', false)).toBeUndefined();
  });

  it('ends the connection with the headers, and reads no body (K4)', async () => {
    let taken = 0;
    const { port } = await useHost(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) taken = socket.bytesWritten;
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    const url = new URL(`http://a.test:${port}/`);
    const reply = await ask({ ...question, url, timeoutMs: 60_000, signal: new AbortController().signal });
    expect(reply).toMatchObject({ status: 200, failure: undefined });
    expect(reply.bytes).toBeLessThan(200_000);
    expect(taken).toBeLessThan(16 * 2 ** 20);
  });

  it('ends when its time is over, however the headers drip (K5)', async () => {
    const { port } = await useHost(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('X: y\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const url = new URL(`http://a.test:${port}/`);
    const reply = await ask({ ...question, url, timeoutMs: 200, signal: new AbortController().signal });
    expect(reply).toMatchObject({ status: undefined, failure: { message: 'no response within 200 ms' } });
  });

  it('shows the certificate once and goes on with that session, which says when it ended as well (K8)', async () => {
    const reused: boolean[] = [];
    const url = await useTlsHost((socket) => reused.push(socket.isSessionReused()));
    const sessions = { ...createTlsSessions(), context: () => createSecureContext({ ca: CERTIFICATE }) };
    const visit = () => ask({ ...question, url, sessions, timeoutMs: 60_000, signal: new AbortController().signal });
    const replies = [await visit(), await visit()];
    expect(reused).toEqual([false, true]);
    for (const reply of replies) expect(reply).toMatchObject({ status: 200, tlsEndsMs: Date.UTC(2120, 0, 1) });
  });

  it('keeps no session of a host whose certificate is not good (K8)', async () => {
    const url = await useTlsHost(() => undefined);
    const { sessions } = question;
    for (let visit = 0; visit < 2; visit++) {
      const reply = await ask({ ...question, url, timeoutMs: 60_000, signal: new AbortController().signal });
      expect(reply).toMatchObject({ status: undefined, failure: { fault: 'certificate' }, tlsEndsMs: Date.UTC(2120, 0, 1) });
      expect(sessions.find(url.origin)).toBeUndefined();
    }
  });
});

/** The address of a host that answers 200, with the certificate of `test/support/tls.ts`. */
async function useTlsHost(connected: (socket: TLSSocket) => void): Promise<URL> {
  const server = createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (socket) => {
    connected(socket);
    socket.on('error', () => undefined).once('data', () => socket.end(answer(200)));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return new URL(`https://api.test:${typeof address === 'object' && address ? address.port : 0}/`);
}
