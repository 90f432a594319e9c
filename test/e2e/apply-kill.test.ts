/** `qr apply` killed at each request and at its system calls: the next run has each key once. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argv } from '../support/argv.ts';
import { BIN, bareEnv, type RunningCli, runCli, startCli, useDirectory } from '../support/cli.ts';
import { sometimes } from '../support/faults.ts';
import { SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const ROWS = 6;
const KEYS = Array.from({ length: ROWS }, (_, n) => `k${n}`);
/** One of the rows is to be paused; two say the same. */
const before = (n: number) => `k${n},Row ${n === 5 ? 4 : n},sms,,${n === 1 ? 'paused' : ''}\n`;
const after = (n: number) =>
  `k${n},Row ${n === 5 ? 4 : n}${n === 2 ? ' new' : ''},sms,,${n === 1 ? 'paused' : ''}\n`;
const fileOf = (row: (n: number) => string, rows = ROWS) =>
  `key,name,type,destination,status\n${Array.from({ length: rows }, (_, n) => row(n)).join('')}`;

/** Runs the file to its end, and checks that each key has one code, and that another run has nothing to do. */
async function checkEnd(sandbox: TestSandbox, file: string, told: string, state = {}): Promise<void> {
  const run = () =>
    runByDay(['qr', 'apply', '--from', file, '--settle', '100ms'], { env: { ...sandbox.env, ...state } });
  const end = await run();
  expect([end.code, end.stderr], told).toEqual([0, expect.anything()]);
  const codes = sandbox.workspace.codes();
  expect(codes.map(({ name }) => name).sort(), told).toEqual([
    'Row 0',
    'Row 1',
    'Row 2 new',
    'Row 3',
    'Row 4',
    'Row 4',
  ]);
  expect(
    codes.filter(({ status }) => status === 'paused').map(({ name }) => name),
    told,
  ).toEqual(['Row 1']);
  const lock = JSON.parse(await readFile(file.replace('.csv', '.lock.json'), 'utf8'));
  const entries = lock.codes.filter((entry: unknown) => entry !== null);
  expect(
    entries.map(({ key }: { key: string }) => key),
    told,
  ).toEqual(KEYS);
  expect(entries.map(({ id }: { id: string }) => id).sort(), told).toEqual(codes.map(({ id }) => id).sort());
  const requests = sandbox.requests.length;
  expect((await run()).code, told).toBe(0);
  expect(sandbox.requests.length - requests, told).toBe(1);
}

describe('qr apply, killed at request number', () => {
  const all = Array.from({ length: ROWS + 1 }, (_, n) => n).flatMap((n) => [
    [n, 'before it arrives'] as const,
    [n, 'when it was applied'] as const,
  ]);
  it.each(SOAK ? all : all.slice(3, 4))(
    '%i %s, leaves one code per key after the next run',
    async (number, when) => {
      let running: RunningCli | undefined;
      let count = 0;
      const sandbox = await useSandbox({
        codes: 0,
        scans: 0,
        plan: 'business',
        intercept: sometimes(() => {
          if (running === undefined || count++ !== number) return undefined;
          return (exchange) => {
            if (when === 'when it was applied') exchange.apply();
            running?.child.kill('SIGKILL');
          };
        }),
      });
      const file = join(await useDirectory(), 'codes.csv');
      const apply = ['qr', 'apply', '--from', file, '--settle', '100ms', '--concurrency', '2'];
      await writeFile(file, fileOf(before, 3));
      expect((await runByDay(apply, { env: sandbox.env })).code).toBe(0);
      await writeFile(file, fileOf(after));
      running = await startCli(apply, { env: sandbox.env });
      await running.done;
      running = undefined;
      await checkEnd(sandbox, file, `${number} ${when}`);
    },
    60_000,
  );
});

const STRACE = 'strace';
const hasStrace = spawnSync(STRACE, ['-V']).status === 0;
const FAULTS = [
  { fault: 'signal=SIGKILL', ends: [null, 137] },
  { fault: 'error=ENOSPC', ends: [1] },
];
const CALLS = ['fdatasync', 'fsync', 'pwrite64', 'rename', 'unlink', 'openat'];
const TIMES = Array.from({ length: 10 }, (_, n) => n + 1);
const ATTACKS = FAULTS.flatMap((of) => CALLS.flatMap((call) => TIMES.map((n) => ({ ...of, call, n }))));

describe.runIf(hasStrace && SOAK)('qr apply on a failing disk', () => {
  it('exits with an error or is killed, and the next run leaves one code per key', async () => {
    const place = await useDirectory();
    let hit = 0;
    for (let at = 0; at < ATTACKS.length; at += 4)
      await Promise.all(
        ATTACKS.slice(at, at + 4).map(async ({ fault, ends, call, n }) => {
          const told = `${call} ${n} ${fault}`;
          const sandbox = await useSandbox({ codes: 0, scans: 0, plan: 'business' });
          const directory = join(place, `${call}-${n}-${fault}`);
          await mkdir(directory);
          const file = join(directory, 'codes.csv');
          await writeFile(file, fileOf(before, 3));
          const state = join(directory, 'state');
          const first = await runCli(['qr', 'apply', '--from', file], {
            env: { ...sandbox.env, QRCTL_STATE_DIR: state },
          });
          expect(first.code).toBe(0);
          await writeFile(file, fileOf(after));
          const lock = join(directory, 'codes.lock.json');
          const paths = [lock, directory, state, join(state, 'ledger-1.jsonl')].flatMap((path) => [
            '-P',
            path,
          ]);
          const command = argv`
            ${process.execPath} ${BIN} qr apply --from ${file} --concurrency 1 --settle 100ms
          `;
          const env = bareEnv(directory, {
            UV_THREADPOOL_SIZE: '1',
            ...sandbox.env,
            QRCTL_STATE_DIR: state,
          }) as NodeJS.ProcessEnv;
          const inject = `inject=${call}:${fault}:when=${n}`;
          const child = spawn(
            STRACE,
            ['-f', '-qq', '-o', '/dev/null', ...paths, '-e', 'trace=all', '-e', inject, ...command],
            {
              env,
              stdio: 'ignore',
            },
          );
          const [code] = await once(child, 'exit');
          if (code !== 0) {
            hit++;
            expect([...ends, 2], told).toContain(code);
          }
          await checkEnd(sandbox, file, told, { QRCTL_STATE_DIR: state });
        }),
      );
    expect(hit).toBeGreaterThan(20);
  }, 1_200_000);
});
