import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { after, formatDuration, parseHttpDate } from '#base/time/time';
import { createConnection, type OpenSocket } from '#service/connect';
import { asNetworkError, CLOSED_EARLY, NetworkError } from '#service/network-error';
import { proxyAuthorization, proxyRefusal, throughProxy } from '#service/proxy';
import type { Headers } from '#service/transport';
import { buildConnector } from '#service/undici';
import { createHeadReader } from './read-head.ts';
import { specialKind } from './resolve-host.ts';
import type { TlsSessions } from './tls-sessions.ts';

export interface RequestOptions {
  url: URL;
  addresses: readonly LookupAddress[];
  headers: Readonly<Record<string, string>>;
  proxy?: URL;
  allowPrivate: boolean;
  sessions: TlsSessions;
  /** Time limit in ms for connecting and receiving all headers. */
  timeoutMs: number;
  signal: AbortSignal;
}

export type Reply = Seen & Outcome;

type Outcome =
  | { status: number; headers: Headers; failure?: undefined }
  | { status?: undefined; failure: NetworkError };

type Seen = { tlsEndsMs?: number };

/** Time in ms before the next address is tried. Node's default of 250 is too short for satellite links. */
const NEXT_ADDRESS_AFTER_MS = 2500;

export class LateError extends NetworkError {}

/** Requests a URL and reads the response headers. Returns failures. Rejects only with the signal's reason. */
export function request(options: RequestOptions): Promise<Reply> {
  const { url, proxy, timeoutMs, signal } = options;
  const seen: Seen = { tlsEndsMs: undefined };
  const forward = url.protocol === 'http:' ? proxy : undefined;
  const connection = forward
    ? createConnection(undefined)
    : createConnection(proxy, createOpener(options, seen));
  return new Promise((resolve, reject) => {
    let socket: Socket | undefined;
    const end = () => {
      cancelDeadline();
      signal.removeEventListener('abort', onAbort);
      connection.cancel();
      // K4: closes the connection without reading the body.
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
    // K5: one deadline covers all steps, even slow headers.
    const cancelDeadline = after(timeoutMs, () => {
      const message = `no response within ${formatDuration(timeoutMs)}`;
      settle({ status: undefined, failure: new LateError(message, { sent: socket !== undefined }) });
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
        opened.write(formatRequest(options, forward));
      },
    );
  });
}

function formatRequest({ url, headers }: RequestOptions, forward: URL | undefined): string {
  const authorization = forward && proxyAuthorization(forward);
  const all = { host: url.host, connection: 'keep-alive', ...headers };
  const lines = Object.entries(authorization ? { ...all, 'proxy-authorization': authorization } : all);
  const target = forward ? url.href : url.pathname + url.search;
  return `GET ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

function createOpener(options: RequestOptions, seen: Seen): OpenSocket {
  const { url, addresses, allowPrivate, proxy, sessions } = options;
  const open = buildConnector({
    timeout: 0,
    // K2: uses the checked addresses, because a second lookup could return different ones.
    lookup: (_hostname, _options, callback) => callback(null, [...addresses]),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    // Disables undici's cache, because `sessions` also stores when the certificate expires.
    maxCachedSessions: 0,
    ...(url.protocol === 'https:' && {
      secureContext: sessions.context(),
      session: sessions.find(url.origin)?.session,
    }),
    rejectUnauthorized: false,
  });
  return (target, callback) =>
    open(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      const failure =
        (proxy ? undefined : addressFailure(socket.remoteAddress, allowPrivate)) ??
        certificateFailure(socket, options, seen);
      if (!failure) return callback(null, socket);
      socket.destroy();
      callback(failure, null);
    });
}

/** K3: returns a failure if the remote address is not allowed, or missing because the socket was reset. */
export function addressFailure(
  remoteAddress: string | undefined,
  allowPrivate: boolean,
): NetworkError | undefined {
  if (remoteAddress === undefined) return new NetworkError('the connection was reset', { sent: false });
  const kind = allowPrivate ? undefined : specialKind(remoteAddress);
  if (kind === undefined) return undefined;
  return new NetworkError(`the connection reached a ${kind} address`, { fault: 'answer', sent: false });
}

function certificateFailure(
  socket: Socket,
  { url, sessions }: RequestOptions,
  seen: Seen,
): NetworkError | undefined {
  if (!isTls(socket)) return undefined;
  seen.tlsEndsMs = socket.isSessionReused()
    ? sessions.find(url.origin)?.endsMs
    : parseHttpDate(socket.getPeerX509Certificate()?.validTo ?? '');
  if (socket.authorized) {
    // K8: keeps only sessions with valid certificates, because a resumed handshake shows no certificate.
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
