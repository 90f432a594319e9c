import { expect, onTestFinished, test } from 'vitest';
import { runCli, startCli } from '../support/cli.ts';
import { rawAnswer, useFaultServer } from '../support/fault-server.ts';
import { applyThenDrop, dropBefore, half, sometimes, wrongTotal } from '../support/faults.ts';
import { useSandbox } from '../support/sandbox.ts';
import { startSandboxProcess } from '../support/sandbox-process.ts';

const post = (name: string) => ({ method: 'POST', body: JSON.stringify({ name }) });

test('dropBefore does not apply a request, applyThenDrop applies it, and neither responds', async () => {
  const intercept = sometimes(({ number }) => (number === 0 ? dropBefore : number === 1 && applyThenDrop));
  const sandbox = await useSandbox({ codes: 0, intercept });
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  await expect(fetch(`${sandbox.baseUrl}/qr`, { ...post('a'), headers })).rejects.toThrow();
  expect(sandbox.workspace.codes()).toEqual([]);
  await expect(fetch(`${sandbox.baseUrl}/qr`, { ...post('b'), headers })).rejects.toThrow();
  expect(sandbox.workspace.codes()).toMatchObject([{ name: 'b' }]);
  expect((await fetch(`${sandbox.baseUrl}/qr`, { ...post('c'), headers })).status).toBe(201);
});

test('half of a response causes an error with a Content-Length, and a truncated text without one', async () => {
  const sandbox = await useSandbox({ intercept: sometimes(({ number }) => half(number === 0)) });
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  const read = async () => (await fetch(`${sandbox.baseUrl}/qr`, { headers })).text();
  await expect(read()).rejects.toThrow();
  const text = await read();
  expect(() => JSON.parse(text)).toThrow();
});

test('wrongTotal changes the total of a real response', async () => {
  const sandbox = await useSandbox({ codes: 3, intercept: wrongTotal((total) => total - 1) });
  const response = await fetch(`${sandbox.baseUrl}/qr`, {
    headers: { authorization: `Bearer ${sandbox.apiKey}` },
  });
  expect(await response.json()).toMatchObject({ pagination: { total: 2 } });
});

test('the server of raw bytes receives whole requests and sends the given response', async () => {
  const server = await useFaultServer(({ socket }) => socket.write(rawAnswer(201, { id: 1 })));
  const response = await fetch(`${server.baseUrl}/qr`, post('a'));
  expect([response.status, await response.json()]).toEqual([201, { id: 1 }]);
  expect(server.requests).toMatchObject([{ method: 'POST', url: '/api/v1/qr', body: '{"name":"a"}' }]);
});

test('a sandbox runs in a process of its own', async () => {
  const { env, close } = await startSandboxProcess({ codes: 2, scans: 5 });
  onTestFinished(close);
  const response = await fetch(`${env.QRCTL_BASE_URL}/qr`, {
    headers: { authorization: `Bearer ${env.QRCTL_API_KEY}` },
  });
  expect(await response.json()).toMatchObject({ pagination: { total: 2 } });
});

test('a command can run on a terminal and read typed text', async () => {
  const shows = 'process.stdout.isTTY + " " + process.stdin.isTTY + " " + process.stdout.columns';
  expect((await runCli([], { nodeArgs: ['-p', shows], tty: true })).stdout).toBe('true true 100\r\n');
  const running = await startCli([], {
    nodeArgs: ['-e', 'process.stdin.once("data", (d) => process.exit(d.length))'],
    tty: true,
  });
  running.child.stdin?.write('abc\n');
  expect((await running.done).code).toBe(4);
});
