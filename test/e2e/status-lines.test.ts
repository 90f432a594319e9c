/** First lines of responses that no server should send: each ends its request, and neither the run nor the patience of whoever waits. */
import { describe, expect, test } from 'vitest';
import { runCli, startCli, until } from '../support/cli.ts';
import { type RawRequest, useFaultServer } from '../support/fault-server.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const LINES = [
  'HTTP/1.1 99 x',
  'HTTP/1.1 099 x',
  'HTTP/1.1 000',
  'HTTP/1.1 101',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x',
  'HTTP/1.1 1000',
  'HTTP/1.1 -1 x',
  'HTTP/1.1',
  'HTTP/9.9 200 OK',
  'garbage',
  'HTTP/1.1 99999999999999999999 x',
];
/** An assertion of undici fails at these. */
const ASSERTED = LINES.slice(1, 4);
/** Interim responses, over and over. */
const ENDLESS = ['HTTP/1.1 102 Processing', 'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload'];

function sendBody(line: string, { socket }: RawRequest): void {
  socket.write(`${line}\r\nContent-Length: 2\r\n\r\nhi`);
}

function sendForever(line: string, { socket }: RawRequest): void {
  const timer = setInterval(() => socket.write(`${line}\r\n\r\n`.repeat(50)), 1);
  socket.on('close', () => clearInterval(timer));
}

describe('an invalid status line', () => {
  test.each(LINES)('from a gateway makes the command exit with 7 within 30 s: %j', async (line) => {
    const { env } = await useFaultServer((request) => sendBody(line, request));
    // An assertion outside of any promise ends a process; here it fails the test.
    const run = line === ASSERTED[0] ? runCli : runByDay;
    const { code, stderr } = await run(['qr', 'list', '--retry-for', '300ms'], { env, timeoutMs: 30_000 });
    expect(code).toBe(7);
    expect(stderr).toMatch(/the response is not HTTP|the connection was closed/);
    expect(stderr).not.toMatch(/assert|unexpected failure/);
  });

  test('from a destination is reported for its code, and the other codes are checked', async () => {
    const { port } = await useFaultServer((request) => {
      const [, kind, index] = /^\/(\w+)\/(\d+)/.exec(request.url) ?? [];
      const line = (kind === 'endless' ? ENDLESS : LINES)[Number(index)];
      if (line === undefined) request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      else if (kind === 'endless') sendForever(line, request);
      else sendBody(line, request);
    });
    const sandbox = await useSandbox({ codes: 0 });
    const at = (path: string) => `http://127.0.0.1:${port}/${path}`;
    const bad = [...LINES.map((_, i) => at(`line/${i}`)), ...ENDLESS.map((_, i) => at(`endless/${i}`))];
    for (const destination of [...bad, at('')])
      sandbox.workspace.create({ name: 'x', type: 'url', destination });
    const args = ['qr', 'check', '--allow-private', '--timeout', '2s', '-f', 'json', '--concurrency', '4'];
    const { code, stdout, stderr } = await runByDay(args, { env: sandbox.env, timeoutMs: 60_000 });
    expect(code, stderr).toBe(8);
    const rows: { destination: string; outcome: string }[] = JSON.parse(stdout);
    expect(rows).toHaveLength(bad.length + 1);
    // Browsers open it.
    const opened = at(`line/${LINES.indexOf('HTTP/9.9 200 OK')}`);
    for (const { destination, outcome } of rows) {
      expect([destination, outcome]).toEqual([
        destination,
        expect.stringMatching(
          bad.includes(destination) && destination !== opened ? /^(broken|unreachable)$/ : /^ok$/,
        ),
      ]);
    }
  });

  test.each([...firstRows(1, ASSERTED), ...firstRows(1, ENDLESS)])(
    'does not disable --timeout and SIGTERM: %j',
    async (line) => {
      const { env, requests } = await useFaultServer((request) =>
        (ENDLESS.includes(line) ? sendForever : sendBody)(line, request),
      );
      const args = ['qr', 'list', '--timeout', '1s', '--retry-for', '10m'];
      const running = await startCli(args, { env, timeoutMs: 30_000 });
      await until(() => requests.length > 1);
      running.child.kill('SIGTERM');
      expect((await running.done).code).toBe(143);
    },
  );
});
