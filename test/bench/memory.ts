/** Peak memory must not follow the number of scans, whichever way the service pages. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { compare, type Result } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';
import { UNTIL } from './throughput.ts';
import { checkBytes, truthOf } from './truth.ts';

const WAYS = [
  { name: 'oldest first', scanOrder: 'asc', flags: [] },
  { name: 'newest first', scanOrder: 'desc', flags: [] },
  { name: '--append', scanOrder: 'desc', flags: ['--append'] },
] as const;

export async function memory(directory: string, { large }: { large: boolean }): Promise<Report[]> {
  const results: Result[][] = WAYS.map(() => []);
  for (const scans of large ? [100_000, 1_000_000, 10_000_000] : [100_000, 1_000_000]) {
    const { id, truth } = truthOf(scans);
    for (const [i, { name, scanOrder, flags }] of WAYS.entries()) {
      const sandbox = await startSandboxProcess({ codes: 1, scans, scanOrder, limit: 1e9 });
      const path = join(directory, 'memory.csv');
      const contestant = {
        name: `${name}, ${scans.toLocaleString('en')}`,
        command: qrctl('scans', 'export', id, '--until', UNTIL, '--quiet', '-o', path, ...flags),
        async check() {
          await checkBytes(path, truth.csv);
          await rm(`${path}.state.json`, { force: true });
          await rm(path);
        },
      };
      try {
        const rounds = scans > 1_000_000 ? 1 : 3;
        const measured = await compare([contestant], environment(sandbox, directory), {
          rounds,
          warmUp: false,
        });
        results[i]?.push(...measured);
      } finally {
        await sandbox.close();
      }
    }
  }
  const notes = results.map(
    (runs, i) => `${WAYS[i]?.name}: most scans ÷ fewest = ${growth(runs).toFixed(2)} × the memory`,
  );
  return [
    {
      title: 'Peak memory by number of scans (ratios are of no meaning here)',
      results: results.flat(),
      notes,
    },
  ];
}

function growth(runs: readonly Result[]): number {
  return (runs.at(-1)?.peakMb ?? Number.NaN) / (runs[0]?.peakMb ?? Number.NaN);
}
