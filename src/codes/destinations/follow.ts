import type { LookupAddress } from 'node:dns';
import { parseUrl } from '#base/text/parse-url';
import { formatCount, quote } from '#base/text/quote';
import { after, type Clock, formatDuration } from '#base/time/time';
import { asNetworkError, NetworkError } from '#service/network-error';
import { type Headers, header } from '#service/transport';
import { createCookies } from './cookies.ts';
import { type Reply, request } from './request.ts';
import { RefusedAddressError, type Resolve } from './resolve-host.ts';
import type { TlsSessions } from './tls-sessions.ts';

type TripEnd =
  | { is: 'response'; status: number; headers: Headers }
  | { is: 'failed'; failure: NetworkError }
  | { is: 'blocked' | 'unreachable' | 'broken' | 'not-web'; error: string; status?: number };

export interface Trip {
  end: TripEnd;
  finalUrl: string;
  redirects: number;
  tlsEndsMs?: number;
  ms: number;
}

export interface TripOptions {
  resolve: Resolve;
  proxyFor: (url: URL) => URL | undefined;
  refuse: (url: URL) => string | undefined;
  inTurn: <T>(hostname: string, work: () => Promise<T>) => Promise<T>;
  headers: Readonly<Record<string, string>>;
  allowPrivate: boolean;
  sessions: TlsSessions;
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
}

const MOST_REDIRECTS = 20;
/** Maximum length of a redirect URL in characters. */
const LONGEST_ADDRESS = 32_768;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Requests a URL and follows redirects. Rejects only with the signal's reason, or if the proxy is unusable.
 */
export async function follow(start: URL, options: TripOptions): Promise<Trip> {
  const cookies = createCookies();
  const seen = new Set<string>();
  let url = start;
  let spentMs = 0;
  let tlsEndsMs: number | undefined;
  for (let redirects = 0; ; redirects++) {
    const trip = (end: TripEnd): Trip => {
      return {
        end,
        finalUrl: withoutSecrets(url).href + url.hash,
        redirects,
        ms: Math.round(spentMs),
        tlsEndsMs,
      };
    };
    const refused = options.refuse(url);
    if (refused !== undefined) return trip({ is: 'blocked', error: refused });
    const hop = await options.inTurn(url.hostname, async () => {
      options.signal.throwIfAborted();
      const timer = startTimer(options.clock);
      const timeoutMs = options.timeoutMs - spentMs;
      const reply = await requestHop(url, { ...options, timeoutMs }, cookies.for(url), timer);
      spentMs += timer.elapsedMs();
      return reply;
    });
    if ('is' in hop) return trip(hop);
    if (hop.tlsEndsMs !== undefined) tlsEndsMs = Math.min(tlsEndsMs ?? hop.tlsEndsMs, hop.tlsEndsMs);
    if (hop.failure) return trip({ is: 'failed', failure: hop.failure });
    const { status, headers } = hop;
    cookies.take(url, headers);
    if (!REDIRECTS.has(status)) return trip({ is: 'response', status, headers });

    const astray = (how: string) => trip({ is: 'broken', error: `redirects ${how} (${status})`, status });
    const location = asText(header(headers, 'location') ?? '');
    if (location === '') return astray('without a Location header');
    const next = parseUrl(location, url);
    if (!next) return astray('to an invalid URL');
    const { length } = next.href;
    if (length > LONGEST_ADDRESS) return astray(`to a URL that is ${formatCount(length)} characters long`);
    if (next.hash === '') next.hash = url.hash;
    if (!/^https?:$/.test(next.protocol)) {
      const error = `redirects to ${quote(next.href)}, which is not a web address`;
      return { ...trip({ is: 'not-web', error }), finalUrl: next.href, redirects: redirects + 1 };
    }
    const place = `${next.href} ${cookies.for(next)}`;
    if (seen.has(place)) return astray('in a loop');
    if (redirects >= MOST_REDIRECTS) return astray(`more than ${MOST_REDIRECTS} times`);
    seen.add(place);
    url = next;
  }
}

/** Decodes a Location header as browsers do: as UTF-8 if valid, else Latin-1. */
function asText(location: string): string {
  const text = Buffer.from(location, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? location : text;
}

async function requestHop(
  url: URL,
  options: TripOptions,
  cookie: string,
  timer: Timer,
): Promise<Reply | TripEnd> {
  const { signal, timeoutMs, allowPrivate, sessions } = options;
  const proxy = options.proxyFor(url);
  let addresses: readonly LookupAddress[] = [];
  try {
    addresses = await lookUp(url.hostname, options, timer);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RefusedAddressError) return { is: 'unreachable', error: error.message };
    const failure = asNetworkError(error, false);
    if (!proxy) return { is: 'failed', failure };
    // K1: without --allow-private, refuses names that only the proxy resolves: their addresses are unknown.
    if (!allowPrivate) {
      const reason = `${failure.message} on this machine; a request through the proxy requires --allow-private`;
      return { is: 'failed', failure: new NetworkError(reason, { sent: false }) };
    }
  }
  return request({
    url: withoutSecrets(url),
    addresses,
    headers: cookie === '' ? options.headers : { ...options.headers, cookie },
    proxy,
    allowPrivate,
    sessions,
    signal,
    timeoutMs: Math.max(1, timeoutMs - timer.elapsedMs()),
  });
}

/** Resolves a host name. Rejects if the lookup takes longer than `timeoutMs`, but does not cancel it. */
function lookUp(
  hostname: string,
  { resolve: resolveHost, timeoutMs, signal }: TripOptions,
  timer: Timer,
): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    let cancel = () => {};
    const began = () => {
      timer.restart();
      cancel = after(timeoutMs, () => {
        const message = `the host name was not resolved within ${formatDuration(timeoutMs)}`;
        reject(new NetworkError(message, { sent: false }));
      });
    };
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    resolveHost(hostname, began)
      .then(resolve, reject)
      .finally(() => {
        cancel();
        signal.removeEventListener('abort', onAbort);
      });
  });
}

type Timer = ReturnType<typeof startTimer>;

function startTimer(clock: Clock) {
  let start = clock.monotonic();
  return {
    restart() {
      start = clock.monotonic();
    },
    elapsedMs: () => clock.monotonic() - start,
  };
}

/** K7: removes user, password and fragment from a URL. */
function withoutSecrets(url: URL): URL {
  return Object.assign(new URL(url), { username: '', password: '', hash: '' });
}
