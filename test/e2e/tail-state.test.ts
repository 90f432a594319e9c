/** `scans tail --state` over restarts: each scan once, however a run ends, and nothing of other workspaces, codes and runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#base/time/time';
import { failure } from '#sandbox/exchange';
import type { SandboxOptions } from '#sandbox/options';
import { argv } from '../support/argv.ts';
import { BIN, bareEnv, startCli, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';
import { useSharedAddress } from '../support/two-workspaces.ts';

const BATCH = 500;
const MINUTE = 60_000;

async function useTail(options: SandboxOptions = {}) {
  const sandbox = await useSandbox({ codes: 2, scans: 0, limit: 1_000_000, ...options });
  const cwd = await useDirectory();
  const state = join(cwd, 'tail.json');
  const id = sandbox.codeId();
  const args = (...more: string[]) => argv`
    scans tail ${more} --state ${state} --interval 25ms -f ndjson --fields id
  `;
  return {
    sandbox,
    cwd,
    state,
    id,
    args,
    at: { env: sandbox.env, cwd },
    /** Adds a scan of so many minutes ago. */
    add: (minutes = 0, code = id) =>
      sandbox.workspace.addScan(code, { ts: new Date(Date.now() - minutes * MINUTE).toISOString() }),
    start: (...more: string[]) => startCli(args(...more), { env: sandbox.env, cwd }),
    /** Waits until the state has so many printed scans. */
    async recorded(count: number) {
      for (;;) {
        const text = await readFile(state, 'utf8').catch(() => '{"positions":[]}');
        const saved: [string, { printed: unknown[] }][] = JSON.parse(text).positions;
        if (saved.reduce((sum, [, { printed }]) => sum + printed.length, 0) >= count) return;
        await sleep(5);
      }
    },
  };
}

const idsIn = (stdout: string): number[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).id);

describe('a restarted tail', () => {
  test('continues after the last printed scan, and also prints older scans that arrived late', async () => {
    const { add, at, args, id } = await useTail();
    add(120);
    add(30);
    const first = await runByDay([...args(id, '--since', '3h'), '--max-events', '2'], at);
    expect(idsIn(first.stdout)).toHaveLength(2);
    add(20);
    // Listed late: it is older than the newest printed scan.
    add(70);
    add(10);
    const second = await runByDay([...args(id, '--since', '3h'), '--max-events', '3'], at);
    expect(second.code).toBe(0);
    expect(new Set([...idsIn(first.stdout), ...idsIn(second.stdout)]).size).toBe(5);
    expect(second.stderr).toContain('tail.json; --since applies only to its first run\n');
    add(5);
    const third = await runByDay([...args(id), '--max-events', '1'], at);
    expect(third.stderr).toMatch(/^Continuing from .*tail\.json\nWaiting/);
  });

  test('begins at the start of the earlier run if that run was killed before its first scan (S4)', async () => {
    const { add, start, args, at, id } = await useTail();
    const running = await start(id);
    await running.waitFor(/Waiting for scans/);
    running.child.kill('SIGKILL');
    await running.done;
    add();
    const run = await runByDay([...args(id), '--max-events', '1'], at);
    expect(idsIn(run.stdout)).toHaveLength(1);
  });

  test('prints the scans of a code that was created between the two runs', async () => {
    const { add, args, at, sandbox, state } = await useTail();
    add();
    await runByDay([...args('--all', '--since', '1h'), '--max-events', '1'], at);
    const { id } = sandbox.workspace.create({ name: 'new' });
    add(0, id);
    const run = await runByDay([...args('--all'), '--max-events', '1'], at);
    expect(idsIn(run.stdout)).toEqual(sandbox.scans(id).map((scan) => scan.id));
    expect(await readFile(state, 'utf8')).toContain(id);
  });
});

describe('a service', () => {
  test('whose clock is three hours ahead during one run causes no lost and no repeated scan after restarts (S8)', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const { add, args, at, id } = await useTail({ clock });
    const printed: number[] = [];
    for (const hours of [0, 3, 0, 0]) {
      aheadMs = hours * 60 * MINUTE;
      for (const minutes of [2, 1, 0]) add(minutes - hours * 60);
      const run = await runByDay([...args(id, '--since', '1h'), '--max-events', '3'], at);
      expect(run.code).toBe(0);
      printed.push(...idsIn(run.stdout));
    }
    expect([printed.length, new Set(printed).size]).toEqual([12, 12]);
  });

  test.each([1, 2])(
    'that once responds that a code does not exist (%i codes followed) does not end the tail (S9)',
    async (followed) => {
      let refuses = false;
      const { add, recorded, sandbox, id, state, args, at } = await useTail({
        async intercept({ request, apply, send }) {
          const isRefused = refuses && request.method === 'GET' && request.path.endsWith(`/${id}/scans`);
          if (isRefused) refuses = false;
          await send(isRefused ? failure(404, 'not_found', 'No such code') : apply());
        },
      });
      const codes = [id, sandbox.codeId(1)].slice(0, followed);
      for (const minutes of [3, 2]) add(minutes);
      const running = runByDay([...args(...codes, '--since', '1h'), '--max-events', '4'], at);
      await recorded(2);
      refuses = true;
      while (refuses) await sleep(5);
      for (const minutes of [1, 0]) add(minutes);
      const { code, stdout, stderr } = await running;
      expect({ code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.not.stringContaining('no longer exists'),
      });
      expect(new Set(idsIn(stdout)).size).toBe(4);
      expect(await readFile(state, 'utf8')).toContain(id);
      add();
      const next = await runByDay([...args(...codes), '--max-events', '1'], at);
      expect(idsIn(next.stdout)).toEqual([Math.max(...sandbox.scans(id).map((scan) => Number(scan.id)))]);
    },
  );

  test.runIf(SOAK)(
    'that responds for a while that a code does not exist causes no repeated scan (S9)',
    async () => {
      let isGone = false;
      const { add, start, sandbox, id } = await useTail({
        async intercept({ request, apply, send }) {
          await send(
            isGone && request.path.includes(id) ? failure(404, 'not_found', 'No such code') : apply(),
          );
        },
      });
      add(1);
      const running = await start('--all', '--since', '1h', '--max-events', '2');
      await running.waitFor(/"id":/);
      isGone = true;
      await running.waitFor(/no longer exists/);
      isGone = false;
      await running.waitFor(/Following the new code/);
      add();
      expect(new Set(idsIn((await running.done).stdout))).toEqual(
        new Set(sandbox.scans(id).map((scan) => Number(scan.id))),
      );
    },
  );
});

describe('a kill with SIGKILL', () => {
  test('at different times loses no scan, and the next run repeats at most the last 500 printed scans (S2)', async () => {
    const { start, sandbox, id } = await useTail({
      codes: 1,
      scans: SOAK ? 6000 : 4000,
      spanMs: 20 * MINUTE,
      endsAtMs: Date.now(),
    });
    const runs: number[][] = [];
    const all = sandbox.scans(id).map((scan) => Number(scan.id));
    const left = (more: readonly number[] = []) => all.length - new Set([...runs.flat(), ...more]).size;
    // A fast machine may print all scans before the last round: a run would then wait for a scan that never comes.
    for (let round = 0; round < (SOAK ? 40 : 2) && left() > 0; round++) {
      const running = await start(id, '--since', '1h');
      // In the middle of the scans; a run that is killed before it has recorded a batch prints that batch again.
      await running.waitFor(/"id":/);
      await sleep((round * 7) % 40);
      running.child.kill('SIGKILL');
      // Of a line that was cut, the ID is not whole.
      const { stdout } = await running.done;
      runs.push(idsIn(stdout.slice(0, stdout.lastIndexOf('\n') + 1)));
    }
    const rest = await start(id, '--since', '1h');
    while (left(idsIn(rest.output().stdout.replace(/[^\n]*$/, ''))) > 0) await sleep(20);
    rest.child.kill('SIGTERM');
    runs.push(idsIn((await rest.done).stdout));
    runs.forEach((run, at) => {
      expect(new Set(run).size).toBe(run.length);
      const before = runs.slice(0, at).flat();
      const [printed, last] = [new Set(before), new Set(before.slice(-BATCH))];
      const again = run.filter((scan) => printed.has(scan));
      expect(again.every((scan) => last.has(scan))).toBe(true);
    });
    expect(runs.slice(0, -1).filter((run) => run.length > 0).length).toBeGreaterThan(1);
  });

  test('leaves each scan that is recorded in the state exactly once in the file that receives standard output', async () => {
    const { add, args, cwd, recorded, sandbox, id } = await useTail();
    const out = join(cwd, 'scans.ndjson');
    for (let round = 1; round <= (SOAK ? 3 : 2); round++) {
      const fd = openSync(out, 'a');
      const child = spawn(process.execPath, [BIN, ...args(id, '--since', '1h')], {
        cwd,
        env: bareEnv(cwd, sandbox.env) as NodeJS.ProcessEnv,
        stdio: ['ignore', fd, 'ignore'],
      });
      closeSync(fd);
      add();
      await recorded(round);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect(idsIn(await readFile(out, 'utf8'))).toEqual(sandbox.scans(id).map((scan) => scan.id));
  });
});

describe('a tail is refused', () => {
  test('if its state belongs to another workspace, or to another address without --moved-from (S6)', async () => {
    const { add, at, args, id, cwd } = await useTail();
    const other = await useSandbox({ codes: 2, scans: 5, seed: 9 });
    const own = await useTail();
    const address = await useSharedAddress({ own: own.sandbox, other });
    add();
    own.add(0, own.id);
    await runByDay([...args(id, '--since', '1h'), '--max-events', '1'], at);
    const moved = await runByDay([...args(id), '--max-events', '1'], { cwd, env: own.sandbox.env });
    const expected = [2, '', expect.stringContaining('--moved-from')];
    expect([moved.code, moved.stdout, moved.stderr]).toEqual(expected);
    await runByDay([...own.args('--all', '--since', '1h'), '--max-events', '1'], {
      cwd,
      env: address.env('own'),
    });
    const wrongKey = await runByDay([...own.args('--all'), '--max-events', '1'], {
      cwd,
      env: address.env('other'),
    });
    expect([wrongKey.code, wrongKey.stdout, wrongKey.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('belongs to another workspace'),
    ]);
  });

  test('if the directory of its state does not exist, or if --moved-from is passed without --state', async () => {
    const { at, cwd, id, sandbox } = await useTail();
    const missing = await runByDay(['scans', 'tail', id, '--state', join(cwd, 'no', 'tail.json')], at);
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('its directory does not exist'),
    ]);
    const alone = await runByDay(['scans', 'tail', id, '--moved-from', sandbox.baseUrl], at);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--moved-from requires --state')]);
  });
});

test('a link to a state is followed, and an empty target is refused with exit code 2', async () => {
  const { add, at, args, id, cwd, state } = await useTail();
  await symlink(state, join(cwd, 'link.json'));
  add();
  const words = [...args(id, '--since', '1h'), '--max-events', '1'].map((word) =>
    word === state ? join(cwd, 'link.json') : word,
  );
  // The target is not there yet.
  await writeFile(state, '');
  expect((await runByDay(words, at)).code).toBe(2);
  await import('node:fs/promises').then(({ rm }) => rm(state));
  const run = await runByDay([...args(id, '--since', '1h'), '--max-events', '1'], at);
  expect(run.code).toBe(0);
  add();
  expect(idsIn((await runByDay(words, at)).stdout)).toHaveLength(1);
  expect(await readFile(state, 'utf8')).toContain('"version":1');
});
