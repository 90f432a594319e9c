/** An append costs its new rows, not the file: ten new rows on a long file and on a short one, in turns. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withDefaults } from '../../src/sandbox/options.ts';
import { createWorkspace } from '../../src/sandbox/workspace.ts';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { type Contestant, compare } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';
import { run } from './run.ts';

const LONG = 3_000_000;
const SHORT = 20_000;
const NEW_ROWS = 10;
const ROUNDS = 15;

export async function append(directory: string): Promise<Report[]> {
  const options = {
    codes: 1,
    scans: LONG + NEW_ROWS * (ROUNDS + 2),
    scanOrder: 'asc',
    tieSize: 1,
    limit: 1e9,
  } as const;
  const sandbox = await startSandboxProcess(options);
  const workspace = createWorkspace(withDefaults(options), () => 0);
  const [{ id = '' } = {}] = workspace.codes();
  const env = environment(sandbox, directory);
  /** The time of the n-th scan: until then there are n before it. */
  const timeOf = (n: number) => {
    const query = { page: n + 1, limit: 1, sinceMs: undefined, untilMs: undefined, nowMs: 0, turn: 0 };
    return String(JSON.parse(workspace.log(id)?.page(query).rows[0] ?? '{}').ts);
  };

  async function begin(rows: number): Promise<Contestant> {
    const path = join(directory, `append-${rows}.csv`);
    const command = (...more: string[]) =>
      qrctl('scans', 'export', id, '-o', path, '--append', '--quiet', ...more);
    await run(command('--since', timeOf(LONG - rows), '--until', timeOf(LONG)), env);
    let round = 0;
    let { size } = await stat(path);
    return {
      name: `${NEW_ROWS} new rows on ${rows.toLocaleString('en')}`,
      get command() {
        round++;
        return command('--until', timeOf(LONG + round * NEW_ROWS));
      },
      async check() {
        const grown = (await stat(path)).size - size;
        size += grown;
        if (grown < 50 * NEW_ROWS || grown > 200 * NEW_ROWS)
          throw new Error(`${path} grew by ${grown} bytes`);
      },
    };
  }

  try {
    const results = await compare([await begin(SHORT), await begin(LONG)], env, { rounds: ROUNDS });
    return [
      {
        title: 'An append by the length of its file',
        results,
        notes: ['no byte before the last 64 KiB is read again'],
      },
    ];
  } finally {
    await sandbox.close();
  }
}
