/** Hosts on loopback that react to each request as a test wants, over TCP and over TLS. */
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { systemClock } from '#base/time/time';
import type { CheckJob } from '#codes/destinations/check-destinations';
import { listen } from '../../support/listen.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../../support/tls.ts';

type React = (request: { socket: Socket; host: string; path: string; head: string; number: number }) => void;

/** Its port, every head it was sent, and how many requests it had open at most, by host. */
export async function useHost(react: React) {
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
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port, heads, most };
}

export const answer = (status: number, headers = '') =>
  `HTTP/1.1 ${status} Status\r\nContent-Length: 0\r\n${headers}\r\n`;

/** The address of a host that answers 200, or as it is told, with the certificate of `test/support/tls.ts`. */
export async function useTlsHost(
  connected: (socket: TLSSocket) => void,
  respond = () => answer(200),
): Promise<URL> {
  const server = createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (socket) => {
    connected(socket);
    socket.on('error', () => undefined).once('data', () => socket.end(respond()));
  });
  server.on('tlsClientError', () => undefined);
  const port = await listen(server);
  return new URL(`https://api.test:${port}/`);
}

/** A check of hosts on loopback. Its clock is the machine's, except that pauses up to 10 s are only recorded. */
export function job(given: Partial<CheckJob> = {}): CheckJob & { slept: number[] } {
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
