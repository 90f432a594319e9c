/** Workspaces of one service: the same base URL, and which of them is meant is said by the key, as it is at the real one. */
import { createServer, request } from 'node:http';
import { listen } from './listen.ts';
import type { TestSandbox } from './sandbox.ts';

export interface SharedAddress {
  readonly baseUrl: string;
  readonly port: number;
  /** What a command line needs to use it with that key. */
  env(key: string): { QRCTL_BASE_URL: string; QRCTL_API_KEY: string };
  /** Method and path of each request so far. */
  readonly requests: string[];
}

/** Starts an address on loopback that passes requests on to the sandbox of their key; closed with the running test. */
export async function useSharedAddress(
  workspaces: Readonly<Record<string, TestSandbox>>,
): Promise<SharedAddress> {
  const requests: string[] = [];
  const server = createServer((incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    const sandbox = workspaces[incoming.headers.authorization?.replace('Bearer ', '') ?? ''];
    if (!sandbox) {
      outgoing
        .writeHead(401, { 'Content-Type': 'application/json' })
        .end('{"error":{"code":"UNAUTHORIZED","message":"no"}}');
      return;
    }
    const { method, url = '', headers } = incoming;
    const target = new URL(url, sandbox.baseUrl);
    const passed = request(
      target,
      { method, headers: { ...headers, authorization: `Bearer ${sandbox.apiKey}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  const port = await listen(server);
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  return { baseUrl, port, requests, env: (key) => ({ QRCTL_BASE_URL: baseUrl, QRCTL_API_KEY: key }) };
}
