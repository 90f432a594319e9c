/** `scans tail` as it is typed: each scan once, oldest first, however the service behaves. */
import { expect, test } from 'vitest';
import { runCli, startCli } from '../support/cli.ts';
import { useSandbox } from '../support/sandbox.ts';

const FAST = ['--interval', '50ms', '-f', 'ndjson', '--fields', 'id'];

test('prints what was there since a time, oldest first, and ends after --max-events', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 700 });
  const { code, stdout } = await runCli(
    ['scans', 'tail', sandbox.codeId(), '--since', '2024-01-01', '--max-events', '600', ...FAST],
    { env: sandbox.env },
  );
  const expected = sandbox
    .scans(sandbox.codeId())
    .slice(0, 600)
    .map(({ id }) => id);
  expect(code).toBe(0);
  const ids = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect(ids).toEqual(expected);
});

test('prints each new scan once, those listed late too', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 0 });
  const id = sandbox.codeId();
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const running = await startCli(['scans', 'tail', id, '--since', '1h', '--max-events', '3', ...FAST], { env: sandbox.env });
  await running.waitFor(/waiting for scans/);
  sandbox.workspace.addScan(id, { ts: at(0) });
  await running.waitFor(/"id":/);
  sandbox.workspace.addScan(id, { ts: at(-60_000) });
  await running.waitFor(/"id":[\s\S]*"id":/);
  sandbox.workspace.addScan(id, { ts: at(0) });
  const { code, stdout } = await running.done;
  expect(code).toBe(0);
  expect(new Set(stdout.trim().split('\n')).size).toBe(3);
});

test('ends by SIGTERM with 143', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 0 });
  const running = await startCli(['scans', 'tail', sandbox.codeId(), ...FAST], { env: sandbox.env });
  await running.waitFor(/waiting for scans/);
  running.child.kill('SIGTERM');
  expect((await running.done).code).toBe(143);
});
