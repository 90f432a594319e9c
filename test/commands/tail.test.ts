/** `scans tail` as it is typed: each scan once, oldest first, however the service behaves. */
import { expect, test } from 'vitest';
import { failure } from '#sandbox/exchange';
import { startCli, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const FAST = ['--interval', '50ms', '-f', 'ndjson', '--fields', 'id'];

test('scans tail prints existing scans since a time, oldest first, and ends after --max-events scans', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 700 });
  const { code, stdout } = await runByDay(
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

test('scans tail --all also follows a code that is created during the run, and prints a note about it', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 0, limit: 100_000 });
  const args = ['scans', 'tail', '--all', '--max-events', '1', '--interval', '20ms', '-f', 'ndjson'];
  const running = await startCli(args, { env: sandbox.env });
  await running.waitFor(/Waiting for scans/);
  const { id, slug } = sandbox.workspace.create({ name: 'new' });
  await running.waitFor(new RegExp(`Following the new code ${slug}`));
  sandbox.workspace.addScan(id, { ts: new Date().toISOString() });
  const { code, stdout } = await running.done;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ qr_id: id, qr_name: 'new' });
});

test('scans tail ends with 143 on SIGTERM', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 0 });
  const running = await startCli(['scans', 'tail', sandbox.codeId(), ...FAST], { env: sandbox.env });
  await running.waitFor(/Waiting for scans/);
  running.child.kill('SIGTERM');
  expect((await running.done).code).toBe(143);
});

test('scans tail prints one note about an outage, continues after it, and prints each scan once, oldest first', async () => {
  // A minute of it, and only a moment where every change is tested.
  const outageMs = SOAK ? 60_000 : 300;
  let refused = 0;
  let isDown = false;
  const sandbox = await useSandbox({
    codes: 1,
    scans: 0,
    limit: 100_000,
    async intercept({ apply, send }) {
      if (isDown) refused += 1;
      await send(isDown ? failure(503, 'unavailable', 'The service is down') : apply());
    },
  });
  const id = sandbox.codeId();
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const add = (ms: number) => sandbox.workspace.addScan(id, { ts: at(ms) });
  const running = await startCli(
    ['scans', 'tail', id, '--since', '1h', '--max-events', '4', '--retry-for', '100ms', ...FAST],
    { env: sandbox.env },
  );
  await running.waitFor(/Waiting for scans/);
  add(-120_000);
  await running.waitFor(/"id":/);
  isDown = true;
  await running.waitFor(/resuming when the service responds again/);
  for (const ms of [-60_000, -90_000, -30_000]) add(ms);
  await new Promise((resolve) => setTimeout(resolve, outageMs));
  isDown = false;
  const { code, stdout, stderr } = await running.done;
  expect(code).toBe(0);
  expect(refused).toBeGreaterThan(0);
  expect(stderr.match(/resuming when the service responds again/g)).toHaveLength(1);
  expect(stderr).toContain('The service is responding again');
  const times = new Map(sandbox.scans(id).map((scan) => [scan.id, scan.ts]));
  const shown = stdout
    .trim()
    .split('\n')
    .map((line) => times.get(JSON.parse(line).id) ?? '');
  expect(new Set(shown).size).toBe(4);
  expect(shown).toEqual([...shown].sort());
});

test('scans tail ends with 0 if its reader closes the pipe', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 0 });
  const id = sandbox.codeId();
  const running = await startCli(['scans', 'tail', id, '--since', '1h', ...FAST], { env: sandbox.env });
  await running.waitFor(/Waiting for scans/);
  sandbox.workspace.addScan(id, { ts: new Date(Date.now() - 60_000).toISOString() });
  await running.waitFor(/"id":/);
  running.child.stdout?.destroy();
  sandbox.workspace.addScan(id, { ts: new Date(Date.now() - 30_000).toISOString() });
  expect((await running.done).code).toBe(0);
});

test('scans tail prints the columns of the scan, and also those of its code unless a single code is specified', async () => {
  const sandbox = await useSandbox({ codes: 2, scans: 0, limit: 100_000 });
  const [id, other] = [sandbox.codeId(0), sandbox.codeId(1)];
  const slug = sandbox.workspace.code(id)?.slug;
  sandbox.workspace.addScan(id, { ts: new Date(Date.now() - 60_000).toISOString() });
  const tail = (...args: string[]) =>
    runByDay(['scans', 'tail', ...args, '--since', '1h', '--max-events', '1'], { env: sandbox.env });
  const one = await tail(id);
  expect(one.stdout).toMatch(/^id,ts,country,.*\n\d+,\d{4}-.*\n$/);
  expect(one.stderr).toBe(`Waiting for scans of ${slug}. Press Ctrl-C to stop\n`);
  const two = await tail(id, other, '--no-header');
  expect(two.stdout).toMatch(new RegExp(`^${id},${slug},[^\\n]*\\n$`));
  expect(two.stderr).toBe('Waiting for scans of 2 codes. Press Ctrl-C to stop\n');
  const all = await tail('--all', '-f', 'ndjson');
  expect(Object.keys(JSON.parse(all.stdout)).slice(0, 3)).toEqual(['qr_id', 'qr_slug', 'qr_name']);
});

test('scans tail exits with 4 for a code that does not exist, and prints no scan', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 0 });
  const gone = '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11';
  const run = await runByDay(['scans', 'tail', sandbox.codeId(), gone], { env: sandbox.env });
  expect(run).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining(gone) });
  expect(run.stderr).not.toContain('Waiting');
});

test('scans tail with --state continues after the last run, notes that --since has no effect, and exits with 2 for other codes', async () => {
  const sandbox = await useSandbox({ codes: 2, scans: 3, limit: 100_000 });
  const id = sandbox.codeId();
  const cwd = await useDirectory();
  const tail = (...args: string[]) =>
    runByDay(['scans', 'tail', ...args, '--state', 'tail.json', '--max-events', '1', ...FAST], {
      env: sandbox.env,
      cwd,
    });
  const notes = async (...args: string[]) => (await tail(...args)).stderr.split('\n')[0];
  expect(await notes(id, '--since', '2000-01-01')).toMatch(/^Waiting for/);
  expect(await notes(id)).toBe('Continuing from tail.json');
  expect(await notes(id, '--since', '2000-01-01')).toBe(
    'Continuing from tail.json; --since applies only to its first run',
  );
  for (const [other, target] of [
    [sandbox.codeId(1), `code ${sandbox.codeId(1)}`],
    ['--all', 'all codes'],
  ] as const)
    expect(await tail(other)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`cannot continue from tail.json: it follows code ${id}, not ${target}`),
    });
});
