/** Servers on ports 80 and 443 of every address, which answer by the name they are asked for, in bare bytes; and what they saw. */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureContext } from 'node:tls';
import { onTestFinished } from 'vitest';

interface Visit {
  host: string;
  path: string;
  head: string;
  /** The address that was connected to. */
  address: string;
  /** How many requests for this host came before. */
  number: number;
}

/** Answers one request; what it does not end stays open. */
export type Behaviour = (socket: Socket, visit: Visit) => void;

export interface Hosts {
  visits: Visit[];
  /** Addresses that were connected to, also where nothing was asked. */
  connected: string[];
  /** The most requests that were open at once, by host. */
  most: Map<string, number>;
  /** Bytes of bodies that the other side's kernel took, by host. */
  taken(host: string): number;
}

/** Starts them; they end with the running test. `certificateOf` has one by the name that TLS asks for. */
export async function useHosts(
  behaviours: (host: string) => Behaviour | undefined,
  certificateOf: (name: string) => SecureContext,
): Promise<Hosts> {
  const sockets: { name: string; socket: Socket }[] = [];
  const taken = (host: string) =>
    Math.max(0, ...sockets.map(({ name, socket }) => (name === host ? socket.bytesWritten : 0)));
  const hosts: Hosts = { visits: [], connected: [], most: new Map(), taken };
  const open = new Set<Socket>();
  const counts = new Map<string, number>();
  const busy = new Map<string, number>();

  function listen(socket: Socket): void {
    const address = (socket.localAddress ?? '').replace(/^::ffff:/, '');
    hosts.connected.push(address);
    open.add(socket);
    socket.on('error', () => socket.destroy());
    let head = '';
    let current: string | undefined;
    socket.on('close', () => {
      open.delete(socket);
      if (current === undefined) return;
      busy.set(current, (busy.get(current) ?? 1) - 1);
    });
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n') || current !== undefined) return;
      const [, path = ''] = head.split(' ');
      const host = (/^host: *([^\r\n]*)/im.exec(head)?.[1] ?? '').toLowerCase();
      const name = host.replace(/:\d+$/, '');
      current = name;
      sockets.push({ name, socket });
      const number = counts.get(name) ?? 0;
      counts.set(name, number + 1);
      busy.set(name, (busy.get(name) ?? 0) + 1);
      hosts.most.set(name, Math.max(hosts.most.get(name) ?? 0, busy.get(name) ?? 0));
      const visit = { host: name, path, head, address, number };
      hosts.visits.push(visit);
      const behave = behaviours(name);
      if (behave) behave(socket, visit);
      else socket.end(answer(200));
    });
  }

  const fallback = certificateOf('');
  const tls = createTlsServer(
    { SNICallback: (name, done) => done(null, certificateOf(name) ?? fallback) },
    listen,
  );
  tls.on('tlsClientError', () => undefined);
  const plain = createServer(listen);
  // A server that speaks no TLS where TLS is expected.
  const deaf = createServer((socket) =>
    socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  );
  await Promise.all([start(plain, 80), start(tls, 443), start(deaf, 8443)]);
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    // Not waited for: a handshake that was given up is open for as long as it likes.
    for (const server of [plain, tls, deaf]) server.close();
  });
  return hosts;
}

function start(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => server.listen(port, '::', resolve));
}

/** The bytes of an answer with a small page. */
export function answer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body = '<p>page</p>',
): string {
  const lines = Object.entries({
    'Content-Type': 'text/html',
    'Content-Length': `${Buffer.byteLength(body)}`,
    Connection: 'close',
    ...headers,
  });
  return `HTTP/1.1 ${status} Status\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
