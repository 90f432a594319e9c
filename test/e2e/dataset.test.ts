/**
 * A dataset of the built command while somebody reads it all the time: it is killed at random and by the kernel at each of its flushes,
 * writes and renames. The reader lists and reads as an engine does, by hyparquet.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { argv } from '../support/argv.ts';
import { AMBIENT, BIN, runCli, startCli, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const STRACE = 'strace';
const hasStrace = spawnSync(STRACE, ['-V']).status === 0;

const flags = (lake: string, ...more: string[]) => argv`
  scans export --all --output-dir ${lake} -f parquet --partition-by day --append --quiet ${more}
`;

interface Reader {
  /** Ids in the dataset now, sorted. Throws at a file that is not whole, a row that is there twice, one in another's day or one that is gone. */
  look(): Promise<string[]>;
  stop(): Promise<number>;
}

function startReader(lake: string): Reader {
  let before = new Set<string>();
  let looks = 0;
  let stopped = false;

  async function look(): Promise<string[]> {
    const found: string[] = [];
    for (const partition of await readdir(lake).catch(() => [])) {
      if (!partition.startsWith('dt=')) continue;
      for (const name of await readdir(join(lake, partition)))
        if (name.endsWith('.parquet')) found.push(...(await idsIn(join(lake, partition, name), partition)));
    }
    expect(new Set(found).size).toBe(found.length);
    const now = new Set(found);
    expect([...before].filter((id) => !now.has(id))).toEqual([]);
    before = now;
    looks += 1;
    return found.sort();
  }

  async function idsIn(path: string, partition: string): Promise<string[]> {
    const file = new Uint8Array(await readFile(path)).buffer;
    const rows = await parquetReadObjects({ file, columns: ['id', 'ts'] });
    for (const { ts } of rows) expect(`dt=${ts.toISOString().slice(0, 10)}`).toBe(partition);
    return rows.map(({ id }) => `${id}`);
  }

  const reading = (async () => {
    while (!stopped) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  })();
  reading.catch(() => undefined); // told by `stop`
  return {
    look,
    async stop() {
      stopped = true;
      await reading;
      return looks;
    },
  };
}

/** New scans, some of them late. */
function addNight(sandbox: TestSandbox, night: number): void {
  const now = Date.now();
  for (let i = 0; i < 6; i++) {
    const ts = new Date(now - 1000 - (i % 3) * 600_000 - (night % 5) * 7).toISOString();
    sandbox.workspace.addScan(sandbox.codeId(i % 3), { ts });
  }
}

function allIds(sandbox: TestSandbox): string[] {
  return [0, 1, 2].flatMap((n) => sandbox.scans(sandbox.codeId(n)).map(({ id }) => `${id}`)).sort();
}

describe('an export to a dataset', () => {
  it.each([
    [['--partition-by', 'day'], /--partition-by requires --output-dir/],
    [
      ['--partition-by', 'day', '--output-dir', 'x', '--append', '--restart'],
      /--restart can't be used with --partition-by/,
    ],
    [
      ['--partition-by', 'day', '--output-dir', 'x', '--no-header'],
      /--no-header can't be used with --partition-by/,
    ],
    [
      ['--partition-by', 'day', '--output-dir', 'x', '--fields', 'id,ts'],
      /a dataset requires the fields qr_id, id and ts/,
    ],
    [['-o', 'x.json', '--append'], /Use a name that ends in .csv or .ndjson with --output\.\n/],
    [['-o', 'x.json', '-f', 'json', '--append'], /with --output, and omit --format\./],
    [['-o', 'x.csv', '--append', '--fields', 'country'], /Add id,ts to --fields\./],
  ])('is refused with exit code 2 and without a request if the flags are %j', async (given, reason) => {
    const sandbox = await useSandbox({ codes: 1, scans: 1 });
    const run = await runByDay(['scans', 'export', '--all', ...given], {
      env: sandbox.env,
      cwd: await useDirectory(),
    });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(reason) });
    expect(sandbox.requests).toEqual([]);
  });

  // By day on a disk in memory, at every step (test/scans/dataset/faults.test.ts).
  it.runIf(SOAK)(
    'shows a reader only complete parts despite 120 kills, and has every scan after the next complete run',
    async () => {
      const sandbox = await useSandbox({ codes: 3, scans: 900 });
      const lake = join(await useDirectory(), 'lake');
      const reader = startReader(lake);
      for (let night = 0; night < 120; night++) {
        addNight(sandbox, night);
        const running = await startCli(flags(lake), { env: sandbox.env });
        // Within what a run takes, from its start to its end.
        await new Promise((resolve) => setTimeout(resolve, (night * 37) % 400));
        running.child.kill('SIGKILL');
        await running.done;
      }
      expect(await runCli(flags(lake), { env: sandbox.env })).toMatchObject({ code: 0 });
      expect(await reader.look()).toEqual(allIds(sandbox));
      expect(await reader.stop()).toBeGreaterThan(3);
    },
    900_000,
  );

  it.runIf(hasStrace && SOAK)(
    'shows a reader only complete parts if the kernel kills the run at a flush, a write or a rename',
    async () => {
      const sandbox = await useSandbox({ codes: 3, scans: 200 });
      const directory = await useDirectory();
      const lake = join(directory, 'lake');
      const reader = startReader(lake);
      let hit = 0;
      const times = 20;
      for (const call of ['fsync', 'pwrite64', 'rename', 'fdatasync']) {
        for (let n = 1; n <= times; n++) {
          addNight(sandbox, n);
          const inject = `inject=${call}:signal=SIGKILL:when=${n}`;
          const env = {
            ...AMBIENT,
            UV_THREADPOOL_SIZE: '1',
            HOME: directory,
            QRCTL_CONFIG_DIR: directory,
            ...sandbox.env,
          };
          const command = [process.execPath, BIN, ...flags(lake)];
          const child = spawn(
            STRACE,
            ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject, ...command],
            { env, stdio: 'ignore' },
          );
          const [code] = await once(child, 'exit');
          if (code !== 0) hit += 1;
          await reader.look();
        }
      }
      expect(hit).toBeGreaterThan(1);
      expect(await runCli(flags(lake), { env: sandbox.env })).toMatchObject({ code: 0 });
      expect(await reader.look()).toEqual(allIds(sandbox));
      await reader.stop();
    },
    900_000,
  );
});
