/** Requests in flight hide the time a request takes. */
import { join } from 'node:path';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { compare } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';
import { UNTIL } from './throughput.ts';
import { checkBytes, truthOf } from './truth.ts';

const SCANS = 100_000;

export async function latency(directory: string): Promise<Report[]> {
  const { id, truth } = truthOf(SCANS);
  const sandbox = await startSandboxProcess({
    codes: 1,
    scans: SCANS,
    latencyMs: 100,
    limit: 1e9,
    prepared: true,
  });
  const path = join(directory, 'latency.csv');
  try {
    const contestants = ['1', '4', '8'].map((width) => ({
      name: `${width} in flight`,
      command: qrctl('scans', 'export', id, '--until', UNTIL, '--quiet', '--concurrency', width, '-o', path),
      check: () => checkBytes(path, truth.csv),
    }));
    const results = await compare(contestants, environment(sandbox, directory), { rounds: 3 });
    return [{ title: '200 pages from a service that takes 100 ms', results, notes: [] }];
  } finally {
    await sandbox.close();
  }
}
