/** A server of bare bytes on loopback, for faults no HTTP library will produce. */
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawRequest {
  socket: Socket;
  method: string;
  /** Path and query. */
  url: string;
  /** Request line and headers as sent. */
  head: string;
  body: string;
  /** How many requests came before it, over all connections. */
  number: number;
}

export interface FaultServer {
  /** Ends in /api/v1. */
  readonly baseUrl: string;
  readonly port: number;
  readonly env: { QRCTL_BASE_URL: string; QRCTL_API_KEY: string };
  /** Every whole request so far. */
  readonly requests: readonly RawRequest[];
  readonly connections: () => number;
}

/**
 * Starts a server that hands every whole request to `react`, which writes what it likes, and before that each connection to `greet`; closed
 * with the running test.
 */
export async function useFaultServer(
  react: (request: RawRequest) => void,
  greet?: (socket: Socket) => void,
): Promise<FaultServer> {
  const requests: RawRequest[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    greet?.(socket);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let whole = takeRequest(received); whole; whole = takeRequest(received)) {
        received = received.subarray(whole.bytes);
        const request = { socket, number: requests.length, ...whole.request };
        requests.push(request);
        react(request);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  return {
    baseUrl,
    port,
    requests,
    connections: () => connections,
    env: { QRCTL_BASE_URL: baseUrl, QRCTL_API_KEY: 'svc_live_test' },
  };
}

/** The bytes of a JSON answer. `length` overrides Content-Length; null leaves it out and closes the connection at the end. */
export function rawAnswer(
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
  length?: number | null,
): string {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  const bytes = length === undefined ? Buffer.byteLength(body) : length;
  const lines = Object.entries({
    'Content-Type': 'application/json',
    ...(bytes === null ? { Connection: 'close' } : { 'Content-Length': String(bytes) }),
    ...headers,
  }).map(([name, text]) => `${name}: ${text}`);
  return `${[`HTTP/1.1 ${status} Status`, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

/** The first whole request (with Content-Length or without body) of the bytes. */
function takeRequest(received: Buffer) {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = received.subarray(0, end).toString('latin1');
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const bytes = end + 4 + length;
  if (received.length < bytes) return undefined;
  const [method = '', url = ''] = head.split(' ');
  return { bytes, request: { method, url, head, body: received.subarray(end + 4, bytes).toString() } };
}
