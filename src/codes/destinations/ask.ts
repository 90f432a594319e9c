/**
 * Sends one GET to a third-party server and reads status and headers. The connection goes only to verified addresses, is closed as
 * soon as the headers have arrived, and carries no data but the request for a page.
 */
import type { LookupAddress } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { after, formatDuration, parseHttpDate } from '../../base/time/time.ts';
import { createConnection, type OpenSocket } from '../../service/connect.ts';
import { asNetworkError, CLOSED_EARLY, NetworkError } from '../../service/network-error.ts';
import { proxyAuthorization, proxyRefusal, throughProxy } from '../../service/proxy.ts';
import type { Headers } from '../../service/transport.ts';
import { buildConnector } from '../../service/undici.ts';
import { specialKind } from './address-rules.ts';
import { createHeadReader } from './read-head.ts';
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
export type Reply = Seen & Outcome;

type Outcome =
  | { status: number; headers: Headers; failure: undefined }
  | { status: undefined; failure: NetworkError };

/** What a connection shows before a response. */
interface Seen {
  /** Expiry of the certificate, ms since the epoch; undefined without TLS. */
  tlsEndsMs: number | undefined;
}

/** A connection that takes longer to one of several addresses is tried at the next as well; node's own 250 ms are too few for satellites. */
const NEXT_ADDRESS_AFTER_MS = 2500;

/** Timeout of a visit, at any step. */
export class LateError extends NetworkError {}

/** Sends one request. Rejects only with the signal's reason. */
export function ask(question: Question): Promise<Reply> {
  const { url, proxy, timeoutMs, signal } = question;
  const seen: Seen = { tlsEndsMs: undefined };
  const forward = url.protocol === 'http:' ? proxy : undefined;
  const connection = forward
    ? createConnection(undefined)
    : createConnection(proxy, createOpener(question, seen));
  return new Promise((resolve, reject) => {
    let socket: Socket | undefined;
    const end = () => {
      cancelDeadline();
      signal.removeEventListener('abort', onAbort);
      connection.cancel();
      // K4: at once, with whatever of the body is under way.
      socket?.destroy();
    };
    const settle = (outcome: Outcome) => {
      resolve({ ...seen, ...outcome });
      end();
    };
    const fail = (error: unknown) => {
      const failure = asNetworkError(error, socket !== undefined);
      settle({ status: undefined, failure: forward ? throughProxy(forward, failure, true) : failure });
    };
    const onAbort = () => {
      reject(signal.reason);
      end();
    };
    // K5: from the first step to the last header, however slowly they drip.
    const cancelDeadline = after(timeoutMs, () => {
      const failure = new LateError(`no response within ${formatDuration(timeoutMs)}`, {
        sent: socket !== undefined,
      });
      settle({ status: undefined, failure });
    });
    signal.addEventListener('abort', onAbort);
    const { hostname, host, protocol, port } = forward ?? url;
    connection.connect(
      { hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port },
      (error, opened) => {
        if (!opened) return fail(error);
        socket = opened;
        const readHead = createHeadReader();
        opened.on('error', fail);
        opened.on('end', () => fail(new NetworkError(CLOSED_EARLY, { sent: true })));
        opened.on('data', (chunk) => {
          try {
            const head = readHead(chunk);
            if (head?.status === 407 && forward) fail(proxyRefusal(forward, head.status));
            else if (head) settle({ ...head, failure: undefined });
          } catch (error) {
            fail(error);
          }
        });
        opened.write(requestHead(question, forward));
      },
    );
  });
}

/** Formats the request. A plain-HTTP proxy receives the whole URL (RFC 9112, 3.2.2), and its own user and password. */
function requestHead({ url, headers }: Question, forward: URL | undefined): string {
  const authorization = forward && proxyAuthorization(forward);
  const lines = Object.entries({
    ...{ host: url.host, connection: 'keep-alive', ...headers },
    ...(authorization && { 'proxy-authorization': authorization }),
  }).map(([name, value]) => `${name}: ${value}`);
  return `GET ${forward ? url.href : url.pathname + url.search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
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
    ...(url.protocol === 'https:' && {
      secureContext: sessions.context(),
      session: sessions.find(url.origin)?.session,
    }),
    // Judged below, so that the expiry date of an expired certificate is still available.
    rejectUnauthorized: false,
  });
  return (options, callback) =>
    open(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      const failure =
        (proxy ? undefined : addressFailure(socket.remoteAddress, allowPrivate)) ??
        certificateFailure(socket, question, seen);
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
export function addressFailure(
  remoteAddress: string | undefined,
  allowPrivate: boolean,
): NetworkError | undefined {
  if (remoteAddress === undefined) return new NetworkError('the connection was reset', { sent: false });
  const kind = allowPrivate ? undefined : specialKind(remoteAddress);
  return kind === undefined
    ? undefined
    : new NetworkError(`the connection reached a ${kind} address`, { fault: 'answer', sent: false });
}

function certificateFailure(
  socket: Socket,
  { url, sessions }: Question,
  seen: Seen,
): NetworkError | undefined {
  if (!isTls(socket)) return undefined;
  const knownMs = sessions.find(url.origin)?.endsMs;
  seen.tlsEndsMs = socket.isSessionReused()
    ? knownMs
    : parseHttpDate(socket.getPeerX509Certificate()?.validTo ?? '');
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
