import type { Dispatcher } from 'undici';
import { type ByteBuffer, createByteBuffer } from '#base/text/byte-buffer';
import { after, formatDuration } from '#base/time/time';
import { createConnection } from './connect.ts';
import { addChunk, decodeBody } from './decode-body.ts';
import { asNetworkError, NetworkError } from './network-error.ts';
import { proxyAuthorization, proxyRefusal, throughProxy } from './proxy.ts';
import { Client } from './undici.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface Exchange {
  method: Method;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Whether the response is printed as received, without added escapes. */
  exact?: boolean;
}

/** Returns a header's first value. `name` must be in lower case. */
export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0])?.trim();
}

export interface HttpResponse {
  status: number;
  headers: Headers;
  text: string;
}

export type Transport = ReturnType<typeof createTransport>;

interface Wire {
  client: Dispatcher;
  body: ByteBuffer;
  once: boolean;
  renew(): void;
  destroy(): void;
}

/** Shared error without a stack, because Node would format one per closed connection. */
const ENDED = Object.assign(new Error('the connection is no longer needed'), { stack: '' });

export function createTransport(options: {
  origin: URL;
  proxy: URL | undefined;
  timeoutMs: number;
  signal: AbortSignal;
}) {
  const { origin, proxy, timeoutMs, signal } = options;
  const idle: Wire[] = [];
  const open = new Set<Wire>();
  /** Response buffers to reuse, because each POST uses a new connection. */
  const spareBodies: ByteBuffer[] = [];
  const forward = proxy && origin.protocol === 'http:' ? forwarding(origin, proxy) : undefined;

  function openWire(once: boolean): Wire {
    const connection = createConnection(forward ? undefined : proxy);
    const client = new Client(forward && proxy ? proxy.origin : origin.origin, {
      connect: connection.connect,
      pipelining: once ? 0 : 1,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const wire = {
      client,
      body: spareBodies.pop() ?? createByteBuffer(),
      once,
      renew: connection.renew,
      destroy() {
        open.delete(wire);
        connection.cancel();
        client.destroy(ENDED).catch(() => {});
      },
    };
    open.add(wire);
    return wire;
  }

  return {
    /**
     * Sends a request. Throws NetworkError, or the signal's reason. A POST uses a new connection, because its
     * outcome would be unknown if the service closed a kept connection at that moment.
     */
    async exchange(request: Exchange): Promise<HttpResponse> {
      signal.throwIfAborted();
      const once = request.method === 'POST';
      const wire = (once ? undefined : idle.pop()) ?? openWire(once);
      wire.renew();
      const sent = forward ? forward(request) : request;
      const { status, headers } = await converse(wire, sent, timeoutMs, signal).catch((error) => {
        wire.destroy();
        if (!proxy || !(error instanceof NetworkError)) throw error;
        throw throughProxy(proxy, error, forward !== undefined);
      });
      // Only a proxy sends 407 (RFC 9110, 15.5.8), without forwarding the request.
      if (forward && proxy && status === 407) {
        wire.destroy();
        throw proxyRefusal(proxy, status);
      }
      const escapes = status === 200 && !request.exact;
      const encoding = String(headers['content-encoding'] ?? '');
      const text = decodeBody(wire.body.bytes(), encoding.trim().toLowerCase(), escapes);
      if (once) spareBodies.push(wire.body);
      else idle.push(wire);
      return { status, headers, text: await text };
    },
    close() {
      for (const wire of open) wire.destroy();
    },
  };
}

function forwarding(origin: URL, proxy: URL): (request: Exchange) => Exchange {
  const authorization = proxyAuthorization(proxy);
  const extra = { host: origin.host, ...(authorization && { 'proxy-authorization': authorization }) };
  return (request) => ({
    ...request,
    path: origin.origin + request.path,
    headers: { ...request.headers, ...extra },
  });
}

/** Sends a request, and reads the response into `body`. On failure, the caller must destroy the wire. */
function converse(
  { client, body, once, destroy }: Wire,
  request: Exchange,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Omit<HttpResponse, 'text'>> {
  return new Promise((resolve, reject) => {
    const head: Omit<HttpResponse, 'text'> = { status: 0, headers: {} };
    let sent = false;
    body.clear();
    const onAbort = () => fail(signal.reason);
    const release = () => {
      cancelDeadline();
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (reason: unknown) => {
      release();
      reject(reason);
    };
    // Limits the whole exchange. undici's timeouts limit only the time between chunks.
    const cancelDeadline = after(timeoutMs, () => {
      fail(new NetworkError(`timed out after ${formatDuration(timeoutMs)}`, { sent }));
    });
    signal.addEventListener('abort', onAbort, { once: true });
    client.dispatch(request, {
      onRequestStart() {
        sent = true;
      },
      onResponseStart(_controller, status, headers) {
        head.status = status;
        head.headers = headers;
      },
      onResponseData(_controller, chunk) {
        try {
          addChunk(body, chunk);
        } catch (error) {
          fail(error);
        }
      },
      onResponseEnd() {
        release();
        // Closes the connection before undici does. Node would format the stack of undici's error.
        if (once) destroy();
        resolve(head);
      },
      onResponseError(_controller, error) {
        fail(asNetworkError(error, sent));
      },
    });
  });
}
