/**
 * Sends one GET to a third-party server and reads status and headers. The connection goes only to verified addresses, is closed as
 * soon as the headers have arrived, and carries no data but the request for a page.
 */
import type { LookupAddress } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createConnection, type OpenSocket } from '../service/connect.ts';
import { asNetworkError, NetworkError } from '../service/network-error.ts';
import { proxyAuthorization, proxyRefusal, throughProxy } from '../service/proxy.ts';
import type { Headers } from '../service/transport.ts';
import { buildConnector, Client } from '../service/undici.ts';
import { after, formatDuration, parseHttpDate } from '../time/time.ts';
import { specialKind } from './address-rules.ts';
import type { TlsSessions } from './tls-sessions.ts';

export interface Question {
  /** http or https, without user, password and fragment. */
  url: URL;
  /** Addresses of the host; empty behind a proxy that resolves it. */
  addresses: readonly LookupAddress[];
  headers: Readonly<Record<string, string>>;
  proxy: URL | undefined;
  allowPrivate: boolean;
  sessions: TlsSessions;
  /** Time limit from name resolution to the last header. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Result of a request: the head of its response, or why there is none. */
export type Reply = Seen &
  ({ status: number; headers: Headers; failure: undefined } | { status: undefined; failure: NetworkError });

/** What a connection shows before a response. */
interface Seen {
  /** Expiry of the certificate, ms since the epoch; undefined without TLS. */
  tlsEndsMs: number | undefined;
}

/** Browsers take 256 KiB; a page that sets a cookie for each of its partners has more than node's 16. */
const MOST_HEADER_BYTES = 256 * 1024;
/** Limit for interim responses (103), which may be endless. Servers send one or two. */
const MOST_INTERIM = 20;
/** A connection that takes longer to one of several addresses is tried at the next as well; node's own 250 ms are too few for satellites. */
const NEXT_ADDRESS_AFTER_MS = 2500;

/** Timeout of a visit, at any step. */
export class LateError extends NetworkError {}

const ENDED = Object.assign(new Error('the headers are all that was wanted'), { stack: '' });

/** Sends one request. Rejects only with the signal's reason. */
export function ask(question: Question): Promise<Reply> {
  const { url, headers, proxy, timeoutMs, signal } = question;
  const seen: Seen = { tlsEndsMs: undefined };
  const forward = proxy !== undefined && url.protocol === 'http:';
  const connection = forward ? createConnection(undefined) : createConnection(proxy, createOpener(question, seen));
  const client = new Client(forward ? proxy.origin : url.origin, {
    connect: connection.connect,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MOST_HEADER_BYTES,
  });
  return new Promise((resolve, reject) => {
    let sent = false;
    let interim = 0;
    const end = () => {
      cancelDeadline();
      signal.removeEventListener('abort', onAbort);
      connection.cancel();
      // K4: at once, with whatever of the body is under way.
      client.destroy(ENDED).catch(() => undefined);
    };
    // Settled before the end, which fails the request under way as well.
    const fail = (failure: NetworkError) => {
      resolve({ ...seen, status: undefined, failure });
      end();
    };
    const onAbort = () => {
      reject(signal.reason);
      end();
    };
    // K5: from the first step to the last header, however slowly they drip.
    const cancelDeadline = after(timeoutMs, () =>
      fail(new LateError(`no response within ${formatDuration(timeoutMs)}`, { sent })),
    );
    signal.addEventListener('abort', onAbort);
    client.dispatch(
      {
        method: 'GET',
        path: forward ? url.href : url.pathname + url.search,
        headers: forward ? viaProxy(headers, url, proxy) : { ...headers },
      },
      {
        onRequestStart() {
          sent = true;
        },
        onResponseStart(_controller, status, received) {
          if (status < 200) {
            interim += 1;
            if (interim > MOST_INTERIM) fail(new NetworkError('too many interim responses', { fault: 'answer', sent }));
            return;
          }
          if (forward && status === 407) return fail(proxyRefusal(proxy, status));
          resolve({ ...seen, status, headers: received, failure: undefined });
          end();
        },
        onResponseData() {},
        onResponseEnd() {},
        onResponseError(_controller, error) {
          const failure = failureOf(error, sent);
          fail(forward ? throughProxy(proxy, failure, forward) : failure);
        },
      },
    );
  });
}

/** A response that browsers can't parse either will be the same next time. */
function failureOf(error: Error, sent: boolean): NetworkError {
  const failure = asNetworkError(error, sent);
  const code = 'code' in error ? String(error.code) : '';
  if (error.name !== 'HTTPParserError' && !/UND_ERR_HEADERS_OVERFLOW|ERR_ASSERTION/.test(code)) return failure;
  return new NetworkError(failure.message, { fault: 'answer', sent, cause: error });
}

/** A plain-HTTP proxy receives the whole URL (RFC 9112, 3.2.2). */
function viaProxy(headers: Question['headers'], url: URL, proxy: URL): Record<string, string> {
  const authorization = proxyAuthorization(proxy);
  return { ...headers, host: url.host, ...(authorization && { 'proxy-authorization': authorization }) };
}

/** Opens sockets to the checked addresses only, and looks at a certificate before a byte is sent to its holder. */
function createOpener(question: Question, seen: Seen): OpenSocket {
  const { url, addresses, allowPrivate, proxy, sessions } = question;
  const open = buildConnector({
    timeout: 0,
    // K2: the name is not looked up a second time, when it could lead elsewhere.
    lookup: pinnedTo(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    // `sessions` stores the session with the data of the certificate.
    maxCachedSessions: 0,
    ...(url.protocol === 'https:' && { secureContext: sessions.context(), session: sessions.find(url.origin)?.session }),
    // Judged below, so that the expiry date of an expired certificate is still available.
    rejectUnauthorized: false,
  });
  return (options, callback) =>
    open(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      const failure =
        (proxy ? undefined : addressFailure(socket.remoteAddress, allowPrivate)) ?? certificateFailure(socket, question, seen);
      if (failure) {
        socket.destroy();
        return callback(failure, null);
      }
      callback(null, socket);
    });
}

function pinnedTo(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, _options, callback) => callback(null, [...addresses]);
}

/**
 * Returns why no data may be sent on a socket; undefined if it may. K3: the remote address is not allowed, whatever led there. A
 * socket that was reset as soon as it was opened has no remote address.
 */
export function addressFailure(remoteAddress: string | undefined, allowPrivate: boolean): NetworkError | undefined {
  if (remoteAddress === undefined) return new NetworkError('the connection was reset', { sent: false });
  const kind = allowPrivate ? undefined : specialKind(remoteAddress);
  return kind === undefined
    ? undefined
    : new NetworkError(`the connection reached a ${kind} address`, { fault: 'answer', sent: false });
}

function certificateFailure(socket: Socket, { url, sessions }: Question, seen: Seen): NetworkError | undefined {
  if (!isTls(socket)) return undefined;
  const knownMs = sessions.find(url.origin)?.endsMs;
  seen.tlsEndsMs = socket.isSessionReused() ? knownMs : parseHttpDate(socket.getPeerX509Certificate()?.validTo ?? '');
  if (socket.authorized) {
    // K8: only of a host whose certificate was valid, because the next handshake shows none.
    socket.on('session', (session) => sessions.keep(url.origin, { session, endsMs: seen.tlsEndsMs }));
    return undefined;
  }
  const code = String(socket.authorizationError);
  const { message } = asNetworkError(Object.assign(new Error(code), { code }), false);
  return new NetworkError(message, { fault: 'certificate', sent: false });
}

function isTls(socket: Socket): socket is TLSSocket {
  return 'authorized' in socket;
}
