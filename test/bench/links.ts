/** How near `qr check` comes to what one request a host at a time allows, and whether its memory follows the destinations. */
import { createServer, type Socket } from 'node:net';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { compare, type Result } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';

const HOSTS = 200;
const LATENCY_MS = 100;
const ANSWER =
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 11\r\nConnection: close\r\n\r\n<p>page</p>';

export async function links(directory: string): Promise<Report[]> {
  const hosts = await startHosts();
  const results: Result[] = [];
  const notes: string[] = [];
  try {
    for (const perHost of [10, 40]) {
      const sandbox = await startSandbox({ codes: 0, scans: 0, limit: 1e9 });
      // Addresses in place of names, because every Linux has all of 127.0.0.0/8, and none has 200 names for them.
      for (let at = 0; at < HOSTS * perHost; at++) {
        const destination = `http://127.0.1.${(at % HOSTS) + 1}:${hosts.port}/${at}`;
        sandbox.workspace.create({ name: `page ${at}`, type: 'url', destination });
      }
      const env = environment(
        { env: { QRCTL_BASE_URL: sandbox.baseUrl, QRCTL_API_KEY: sandbox.apiKey } },
        directory,
      );
      const name = `${(HOSTS * perHost).toLocaleString('en')} destinations`;
      try {
        const [result] = await compare(
          [{ name, command: qrctl('qr', 'check', '--allow-private', '-f', 'csv') }],
          env,
          {
            rounds: 3,
          },
        );
        if (!result) continue;
        results.push(result);
        notes.push(`${name}: ${(result.wallMs / (perHost * LATENCY_MS)).toFixed(2)} × the bound`);
      } finally {
        await sandbox.close();
      }
    }
  } finally {
    hosts.close();
  }
  const title = `Destinations on ${HOSTS} hosts that take ${LATENCY_MS} ms, asked one at a time each (ratios are of no meaning here)`;
  return [{ title, results, notes }];
}

/** On every address of this machine. */
async function startHosts(): Promise<{ port: number; close: () => void }> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => void setTimeout(() => socket.end(ANSWER), LATENCY_MS));
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', 4096, resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the hosts have no port');
  return { port: address.port, close: () => void server.close() };
}
