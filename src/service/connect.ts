import type { Socket } from 'node:net';
import type { buildConnector as Connector } from 'undici';
import { keepWasmSimple } from '#base/run/v8-flags';
import { asNetworkError, NetworkError } from './network-error.ts';
import { proxyAuthorization, proxyRefusal, throughProxy } from './proxy.ts';
import { buildConnector, Client, symbols } from './undici.ts';

type Callback = Connector.Callback;
export type OpenSocket = (options: Connector.Options, callback: Callback) => Socket;

/** Maximum number of connections per request. undici would retry endlessly if the peer closes each. */
const MAX_OPENS = 3;

/** Shared connector, which resumes TLS sessions. It has no timeout, because callers set deadlines. */
const connectDirectly = buildConnector({ timeout: 0 });

/**
 * Creates a connector, through the proxy `tunnel` if set. It replaces undici's socket errors, after which
 * undici would retry endlessly.
 */
export function createConnection(tunnel: URL | undefined, openSocket: OpenSocket = connectDirectly) {
  let opens = 0;
  let cancel = () => {};
  return {
    connect(options: Connector.Options, callback: Callback): void {
      opens += 1;
      if (opens > MAX_OPENS) {
        callback(new NetworkError('every connection was closed immediately', { sent: false }), null);
        return;
      }
      cancel = tunnel
        ? openTunnel(tunnel, options, plainly(callback), openSocket)
        : open(options, plainly(callback), openSocket);
    },
    cancel: () => cancel(),
    renew() {
      opens = 0;
    },
  };
}

function plainly(callback: Callback): Callback {
  return (...[error, socket]) => {
    if (error) {
      callback(asNetworkError(error, false), null);
      return;
    }
    keepWasmSimple();
    callback(null, socket);
    skipContinue(socket);
  };
}

/** Changes an unrequested 100 (RFC 9110, 15.2) to 102, because undici disconnects after 100 but skips 102. */
function skipContinue(socket: Socket): void {
  const parser: Parser | null | undefined = Reflect.get(socket, symbols.kParser);
  if (!parser) return;
  const { onHeadersComplete } = parser;
  parser.onHeadersComplete = (status, ...rest) =>
    onHeadersComplete.call(parser, status === 100 ? 102 : status, ...rest);
}

interface Parser {
  onHeadersComplete(status: number, ...rest: unknown[]): number;
}

function open(options: Connector.Options, callback: Callback, openSocket: OpenSocket): () => void {
  let pending: Socket | undefined = openSocket(options, (...outcome) => {
    pending = undefined;
    callback(...outcome);
  });
  return () => pending?.destroy();
}

function openTunnel(
  proxy: URL,
  options: Connector.Options,
  callback: Callback,
  openSocket: OpenSocket,
): () => void {
  const connection = createConnection(undefined);
  const client = new Client(proxy.origin, {
    connect: connection.connect,
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const target = `${options.hostname.includes(':') ? `[${options.hostname}]` : options.hostname}:${options.port || 443}`;
  const authorization = proxyAuthorization(proxy);
  let stop = () => {
    connection.cancel();
    client.destroy().catch(() => {});
  };
  const fail = (error: NetworkError) => {
    stop();
    callback(error, null);
  };
  client.dispatch(
    {
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(authorization && { 'proxy-authorization': authorization }) },
    },
    {
      onRequestStart() {},
      onRequestUpgrade(_controller, status, _headers, socket) {
        if (status < 200 || status > 299) {
          socket.on('error', () => {}).destroy();
          fail(proxyRefusal(proxy, status));
          return;
        }
        const cancelTls = open({ ...options, httpSocket: socket as Socket }, callback, openSocket);
        stop = () => {
          cancelTls();
          socket.destroy();
        };
      },
      onResponseError(_controller, error) {
        fail(throughProxy(proxy, asNetworkError(error, false), false));
      },
    },
  );
  return () => stop();
}
