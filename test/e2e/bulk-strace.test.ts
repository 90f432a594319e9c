/** The unmodified command, killed or failed by the kernel at each of its calls on the ledger, the results and their directories. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argv } from '../support/argv.ts';
import { BIN, bareEnv, runCli, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const STRACE = 'strace';
const hasStrace = spawnSync(STRACE, ['-V']).status === 0;
const NAMES = Array.from({ length: 9 }, (_, n) => `Row ${n + 1}`);

const FAULTS = [
  { fault: 'signal=SIGKILL', ends: [null, 137] },
  { fault: 'error=ENOSPC', ends: [1] },
];
const CALLS = ['fdatasync', 'fsync', 'pwrite64', 'ftruncate', 'rename'];
/** The first flushes make the ledger; then come intent and outcome of each row in turn. */
const TIMES = Array.from({ length: 12 }, (_, n) => n + 1);

const ATTACKS = FAULTS.flatMap((of) => CALLS.flatMap((call) => TIMES.map((n) => ({ ...of, call, n }))));

/** Runs the command with a fault at its n-th call of that name on the files; resolves to its exit code. */
async function attack(sandbox: TestSandbox, directory: string, inject: string): Promise<number | null> {
  const state = join(directory, 'state');
  const paths = [join(state, 'ledger-1.jsonl'), state, directory].flatMap((path) => ['-P', path]);
  const command = argv`
    ${process.execPath} ${BIN} qr create --from ${join(directory, 'codes.csv')} --concurrency 1
  `;
  // strace counts the calls of each thread; with one thread for files that is all of them.
  const env = bareEnv(directory, {
    UV_THREADPOOL_SIZE: '1',
    ...sandbox.env,
    QRCTL_STATE_DIR: state,
  }) as NodeJS.ProcessEnv;
  const child = spawn(
    STRACE,
    ['-f', '-qq', '-o', '/dev/null', ...paths, '-e', 'trace=all', '-e', inject, ...command],
    {
      env,
      stdio: 'ignore',
    },
  );
  const [code] = await once(child, 'exit');
  return code;
}

describe.runIf(hasStrace && SOAK)('qr create --from on a failing disk', () => {
  it('exits with 1 or is killed, and the next run leaves one code per row', async () => {
    const place = await useDirectory();
    let hit = 0;
    await inBatches(ATTACKS, 8, async ({ fault, ends, call, n }) => {
      const sandbox = await useSandbox({ codes: 0, scans: 0 });
      const directory = join(place, `${call}-${n}-${fault}`);
      await mkdir(directory);
      const file = join(directory, 'codes.csv');
      await writeFile(file, `name,type\n${NAMES.map((name) => `${name},sms`).join('\n')}\n`);
      const code = await attack(sandbox, directory, `inject=${call}:${fault}:when=${n}`);
      if (code !== 0) {
        hit++;
        expect(ends, `${call} ${n}`).toContain(code);
        // A directory that cannot be flushed is told of after the rename: then the results are there, and whole.
        const results = await readFile(join(directory, 'codes.results.csv'), 'utf8').catch(() => undefined);
        if (results !== undefined) expect(results.trim().split('\n')).toHaveLength(NAMES.length + 1);
      }
      const env = { ...sandbox.env, QRCTL_STATE_DIR: join(directory, 'state') };
      const again = await runCli(['qr', 'create', '--from', file, '--settle', '100ms'], { env });
      expect([again.code, again.stderr], `${call} ${n} ${fault}`).toEqual([0, expect.anything()]);
      const names = sandbox.workspace.codes().map(({ name }) => name);
      expect(names.sort(), `${call} ${n} ${fault}`).toEqual(NAMES);
    });
    expect(hit).toBeGreaterThan(5);
  }, 600_000);
});

async function inBatches<T>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += size) await Promise.all(items.slice(at, at + size).map(work));
}
