/** Servers on free ports of loopback. */
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Listens, and returns the port; the server is closed when the running test is over. */
export async function listen(server: Server | HttpServer): Promise<number> {
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return bind(server);
}

async function bind(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await bind(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
