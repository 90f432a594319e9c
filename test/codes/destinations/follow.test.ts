/** One visit along its redirects, to a host on loopback whose names all lead to one port. */
import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import { createSecureContext } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { systemClock } from '#base/time/time';
import { follow, type TripOptions } from '#codes/destinations/follow';
import { RefusedAddressError } from '#codes/destinations/resolve-host';
import { createTlsSessions } from '#codes/destinations/tls-sessions';
import { NetworkError } from '#service/network-error';
import { listen } from '../../support/listen.ts';
import { CERTIFICATE } from '../../support/tls.ts';
import { answer, useTlsHost } from './use-host.ts';

type Locations = Record<string, string | undefined>;

/**
 * A host that redirects each path to its location, does not respond for the path `silent`, and answers 200 for others. Returns its address,
 * and the requests with their cookies.
 */
async function useHost(
  locations: Locations | ((path: string) => string | undefined),
  cookie?: string,
  silent?: string,
) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    asked.push(`${headers.host?.split(':')[0]}${url} ${headers.cookie ?? '-'}`);
    const location = typeof locations === 'function' ? locations(url) : locations[url];
    const isRedirect = typeof locations === 'function' ? location !== undefined : url in locations;
    if (url === silent) return;
    if (cookie !== undefined && headers.cookie === undefined) response.setHeader('set-cookie', cookie);
    if (location !== undefined) response.setHeader('location', location);
    response.writeHead(isRedirect ? 302 : 200).end();
  });
  const port = await listen(server);
  return { origin: `http://a.test:${port}`, port, asked };
}

function options(given: Partial<TripOptions> = {}): TripOptions {
  return {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    proxyFor: () => undefined,
    refuse: () => undefined,
    inTurn: (_, work) => work(),
    headers: {},
    allowPrivate: true,
    sessions: createTlsSessions(),
    timeoutMs: 30_000,
    clock: systemClock,
    signal: new AbortController().signal,
    ...given,
  };
}

describe('follow', () => {
  it('counts redirects, and adds the fragment of the first address unless the last address has one', async () => {
    const { origin } = await useHost({ '/1': '/2', '/2': '3?q=1' });
    const trip = await follow(new URL(`${origin}/1#menu`), options());
    expect(trip).toMatchObject({
      end: { is: 'response', status: 200 },
      redirects: 2,
      finalUrl: `${origin}/3?q=1#menu`,
    });
    const { origin: own } = await useHost({ '/1': '/2#own' });
    expect((await follow(new URL(`${own}/1#menu`), options())).finalUrl).toBe(`${own}/2#own`);
  });

  it.each<[string, Locations, string]>([
    ['without a Location', { '/': undefined }, 'redirects without a Location header'],
    ['with an empty Location', { '/': '' }, 'redirects without a Location header'],
    ['to an invalid URL', { '/': 'http://[' }, 'redirects to an invalid URL'],
    ['to itself', { '/': '/' }, 'redirects in a loop'],
    ['to an earlier address', { '/': '/a', '/a': '/b', '/b': '/a' }, 'redirects in a loop'],
  ])('ends as `broken` at a redirect %s', async (_, locations, why) => {
    const { origin } = await useHost(locations);
    const error = `${why} (302)`;
    expect((await follow(new URL(origin), options())).end).toEqual({ is: 'broken', status: 302, error });
  });

  it('follows at most twenty redirects', async () => {
    const next = (most: number) => (path: string) => {
      const at = Number(path.slice(1));
      return at < most ? `/${at + 1}` : undefined;
    };
    const twenty = await useHost(next(20));
    expect(await follow(new URL(`${twenty.origin}/0`), options())).toMatchObject({
      end: { is: 'response' },
      redirects: 20,
    });
    const more = await useHost(next(21));
    const trip = await follow(new URL(`${more.origin}/0`), options());
    const error = 'redirects more than 20 times (302)';
    expect(trip).toMatchObject({ end: { is: 'broken', error }, redirects: 20 });
    expect(more.asked).toHaveLength(21);
  });

  it('stops at a redirect to a scheme other than http and https, and counts that redirect', async () => {
    const { origin, asked } = await useHost({ '/': 'tel:+49301234567' });
    expect(await follow(new URL(origin), options())).toMatchObject({
      end: {
        is: 'not-web',
        error: 'redirects to tel:+49301234567, which is not a web address',
      },
      finalUrl: 'tel:+49301234567',
      redirects: 1,
    });
    expect(asked).toHaveLength(1);
  });

  it('follows a redirect back to the same address if a cookie has changed', async () => {
    const host = await useHost((path) => (host.asked.length === 1 ? path : undefined), 'seen=1');
    const trip = await follow(new URL(`${host.origin}/x`), options());
    expect(trip).toMatchObject({ end: { is: 'response', status: 200 }, redirects: 1 });
    expect(host.asked).toEqual(['a.test/x -', 'a.test/x seen=1']);
  });

  it('ends as `unreachable` if a host name is refused, and as `failed` if it is not found', async () => {
    const refused = options({ resolve: () => Promise.reject(new RefusedAddressError('a.test is private')) });
    expect((await follow(new URL('http://a.test/'), refused)).end).toEqual({
      is: 'unreachable',
      error: 'a.test is private',
    });
    const missing = () => Promise.reject(new NetworkError('host name not found', { sent: false }));
    const trip = await follow(new URL('http://a.test/'), options({ resolve: missing }));
    expect(trip.end).toMatchObject({
      is: 'failed',
      failure: { message: 'host name not found', sent: false },
    });
  });

  it("lets the proxy resolve a name that this machine can't resolve, but only with --allow-private (K1)", async () => {
    const proxy = await useHost({});
    const given = {
      resolve: () => Promise.reject(new NetworkError('host name not found', { sent: false })),
      proxyFor: () => new URL(`http://127.0.0.1:${proxy.port}`),
    };
    const refused = await follow(new URL('http://inner.test/x'), options({ ...given, allowPrivate: false }));
    expect(refused.end).toMatchObject({
      is: 'failed',
      failure: { message: expect.stringContaining('--allow-private'), sent: false },
    });
    expect(proxy.asked).toEqual([]);
    const allowed = await follow(new URL('http://inner.test/x'), options(given));
    expect([allowed.end.is, proxy.asked.length > 0]).toEqual(['response', true]);
  });

  it('rejects with the abort reason if aborted during a lookup, and leaves no abort listener after a visit', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('interrupted');
    const { origin } = await useHost({});
    await follow(new URL(origin), options({ signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const visit = follow(
      new URL('http://a.test/'),
      options({ resolve: () => new Promise(() => {}), signal }),
    );
    controller.abort(reason);
    await expect(visit).rejects.toBe(reason);
  });

  it('sends no request if it is aborted while it waits for its turn', async () => {
    const controller = new AbortController();
    const { origin, asked } = await useHost({});
    const inTurn: TripOptions['inTurn'] = (_, work) => {
      controller.abort(new Error('stop'));
      return work();
    };
    await expect(follow(new URL(origin), options({ inTurn, signal: controller.signal }))).rejects.toThrow(
      'stop',
    );
    expect(asked).toEqual([]);
  });

  it('reports a name as not resolved if its lookup does not end before the timeout', async () => {
    const resolve: TripOptions['resolve'] = (_, began) => {
      began?.();
      return new Promise(() => {});
    };
    const { end } = await follow(new URL('http://a.test/'), options({ resolve, timeoutMs: 20 }));
    expect(end).toMatchObject({
      is: 'failed',
      failure: { message: expect.stringContaining('was not resolved within'), sent: false },
    });
  });

  it('returns the total time for a visit, including its lookups', async () => {
    let nowMs = 0;
    const clock = { ...systemClock, monotonic: () => nowMs };
    const { origin } = await useHost({ '/1': '/2', '/2': '/3' });
    const resolve = async () => {
      nowMs += 400;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const trip = await follow(new URL(`${origin}/1`), options({ clock, resolve, timeoutMs: 10_000 }));
    expect([trip.redirects, trip.ms]).toEqual([2, 1200]);
  });

  it('limits each request to the time left after the lookup and earlier requests (K5)', async () => {
    let nowMs = 0;
    const clock = { ...systemClock, monotonic: () => nowMs };
    const slow = await useHost(
      (path) => {
        nowMs += 9800;
        return path === '/1' ? '/2' : undefined;
      },
      undefined,
      '/2',
    );
    const redirected = await follow(new URL(`${slow.origin}/1`), options({ clock, timeoutMs: 10_000 }));
    expect(redirected).toMatchObject({
      end: { failure: { message: 'no response within 200 ms' } },
      redirects: 1,
    });
    const resolve: TripOptions['resolve'] = async () => {
      nowMs += 9700;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const found = await follow(new URL(`${slow.origin}/2`), options({ clock, resolve, timeoutMs: 10_000 }));
    expect(found.end).toMatchObject({ failure: { message: 'no response within 300 ms' } });
  });

  it('starts the timeout when the lookup starts, not while the lookup waits for its turn', async () => {
    let nowMs = 0;
    const clock = { ...systemClock, monotonic: () => nowMs };
    const resolve: TripOptions['resolve'] = async (_, began) => {
      nowMs += 9000;
      began?.();
      nowMs += 500;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const { origin } = await useHost({});
    const trip = await follow(new URL(origin), options({ clock, resolve, timeoutMs: 10_000 }));
    expect(trip).toMatchObject({ end: { is: 'response' }, ms: 500 });
  });

  it('uses TLS for a redirect to an https address', async () => {
    const { origin, port } = await useHost((path) => (path === '/' ? `https://a.test:${port}/` : undefined));
    expect(await follow(new URL(origin), options())).toMatchObject({
      end: { is: 'failed', failure: { fault: 'protocol' } },
      finalUrl: `https://a.test:${port}/`,
      redirects: 1,
    });
  });

  it('returns the earliest certificate expiry along the redirects', async () => {
    const hosts: URL[] = [];
    for (const next of [1, undefined, 1]) {
      hosts.push(
        await useTlsHost(
          () => undefined,
          () => (next === undefined ? answer(200) : answer(302, `Location: ${hosts[next]}\r\n`)),
        ),
      );
    }
    const [first, last, other] = hosts as [URL, URL, URL];
    // Each end is that of the session of a visit before.
    const ends = new Map([
      [first.origin, 2000],
      [last.origin, 3000],
      [other.origin, 4000],
    ]);
    const store = createTlsSessions();
    const sessions = {
      ...store,
      context: () => createSecureContext({ ca: CERTIFICATE }),
      keep: (origin: string, known: Parameters<typeof store.keep>[1]) =>
        store.keep(origin, { ...known, endsMs: ends.get(origin) }),
    };
    for (const url of hosts) await follow(url, options({ sessions }));
    const seen = [];
    for (const url of hosts) seen.push((await follow(url, options({ sessions }))).tlsEndsMs);
    expect(seen).toEqual([2000, 3000, 3000]);
    const { origin } = await useHost({ '/': last.href });
    expect((await follow(new URL(origin), options({ sessions }))).tlsEndsMs).toBe(3000);
    expect((await follow(new URL(`${origin}/page`), options({ sessions }))).tlsEndsMs).toBeUndefined();
  });
});
