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

/** Result of a request, also if no response was received. */
export interface Reply {
  /** Undefined if no response was received; then `failure` has the reason. */
  status: number | undefined;
  headers: Headers;
  failure: NetworkError | undefined;
  /** Expiry of the certificate, ms since the epoch; undefined without TLS. */
  tlsEndsMs: number | undefined;
  /** Bytes read from the socket. */
  bytes: number;
}

/** Browsers take 256 KiB; a page that sets a cookie for each of its partners has more than node's 16. */
const MOST_HEADER_BYTES = 256 * 1024;
/** Limit for interim responses (103), which may be endless. */
const MOST_BYTES = 1024 * 1024;
/** A connection that takes longer to one of several addresses is tried at the next as well; node's own 250 ms are too few for satellites. */
const NEXT_ADDRESS_AFTER_MS = 2500;

/** Timeout of a visit, at any step. */
export class LateError extends NetworkError {}

const ENDED = Object.assign(new Error('the headers are all that was wanted'), { stack: '' });

/** Sends one request. Rejects only with the signal's reason. */
export function ask(question: Question): Promise<Reply> {
  const { url, headers, proxy, timeoutMs, signal } = question;
  const reply: Reply = { status: undefined, headers: {}, failure: undefined, tlsEndsMs: undefined, bytes: 0 };
  const forward = proxy !== undefined && url.protocol === 'http:';
  let socket: Socket | undefined;
  const opener = createOpener(question, reply, (opened) => {
    socket = opened;
  });
  const connection = createConnection(forward ? undefined : proxy, forward ? undefined : opener);
  const client = new Client(forward ? proxy.origin : url.origin, {
    connect: connection.connect,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MOST_HEADER_BYTES,
  });
  return new Promise((resolve, reject) => {
    let sent = false;
    const end = () => {
      cancelDeadline();
      signal.removeEventListener('abort', onAbort);
      reply.bytes = Math.max(reply.bytes, socket?.bytesRead ?? 0);
      connection.cancel();
      // K4: at once, with whatever of the body is under way.
      client.destroy(ENDED).catch(() => undefined);
      socket?.destroy();
    };
    const fail = (failure: NetworkError) => {
      reply.failure ??= failure;
      end();
      resolve(reply);
    };
    const onAbort = () => {
      end();
      reject(signal.reason);
    };
    // K5: from the first step to the last header, however slowly they drip.
    const cancelDeadline = after(timeoutMs, () =>
      fail(new LateError(`no response within ${formatDuration(timeoutMs)}`, { sent })),
    );
    signal.addEventListener('abort', onAbort, { once: true });
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
          if (reply.status !== undefined || reply.failure) return;
          if (status < 200) {
            if ((socket?.bytesRead ?? 0) > MOST_BYTES)
              fail(new NetworkError('too many interim responses', { fault: 'answer', sent }));
            return;
          }
          if (forward && status === 407) return fail(proxyRefusal(proxy, status));
          reply.status = status;
          reply.headers = received;
          end();
          resolve(reply);
        },
        onResponseData() {},
        onResponseEnd() {},
        onResponseError(_controller, error) {
          const failure = failureOf(error, sent);
          if (reply.status === undefined) fail(forward ? throughProxy(proxy, failure, forward) : failure);
        },
      },
    );
  });
}

/** A response that browsers can't parse either will be the same next time. */
function failureOf(error: Error, sent: boolean): NetworkError {
  const failure = asNetworkError(error, sent);
  const code = 'code' in error ? String(error.code) : '';
  if (!/^(HPE_|UND_ERR_HEADERS_OVERFLOW|ERR_ASSERTION)/.test(code) && error.name !== 'HTTPParserError') return failure;
  return new NetworkError(failure.message, { fault: 'answer', sent, cause: error });
}

/** A plain-HTTP proxy receives the whole URL (RFC 9112, 3.2.2). */
function viaProxy(headers: Question['headers'], url: URL, proxy: URL): Record<string, string> {
  const authorization = proxyAuthorization(proxy);
  return { ...headers, host: url.host, ...(authorization && { 'proxy-authorization': authorization }) };
}

/** Opens sockets to the checked addresses only, and looks at a certificate before a byte is sent to its holder. */
function createOpener(question: Question, reply: Reply, opened: (socket: Socket) => void): OpenSocket {
  const { url, addresses, allowPrivate, proxy, sessions } = question;
  const open = buildConnector({
    timeout: 0,
    // K2: the name is not looked up a second time, when it could lead elsewhere.
    lookup: pinnedTo(addresses),
    autoSelectFamily: addresses.length > 1,
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
        (proxy ? undefined : addressFailure(socket.remoteAddress, allowPrivate)) ?? certificateFailure(socket, question, reply);
      if (failure) {
        socket.destroy();
        return callback(failure, null);
      }
      opened(socket);
      callback(null, socket);
    });
}

function pinnedTo(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all, family }, callback) => {
    const [first = { address: '', family: 4 }] = addresses.filter((found) => !family || found.family === Number(family));
    if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
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

function certificateFailure(socket: Socket, { url, sessions }: Question, reply: Reply): NetworkError | undefined {
  if (!isTls(socket)) return undefined;
  reply.tlsEndsMs = socket.isSessionReused()
    ? sessions.find(url.origin)?.endsMs
    : parseHttpDate(socket.getPeerX509Certificate()?.validTo ?? '');
  if (socket.authorized) {
    // K8: only of a host whose certificate was valid, because the next handshake shows none.
    socket.on('session', (session) => sessions.keep(url.origin, { session, endsMs: reply.tlsEndsMs }));
    return undefined;
  }
  const code = String(socket.authorizationError);
  const { message } = asNetworkError(Object.assign(new Error(code), { code }), false);
  return new NetworkError(message, { fault: 'certificate', sent: false });
}

function isTls(socket: Socket): socket is TLSSocket {
  return 'authorized' in socket;
}
