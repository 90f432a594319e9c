/** An export that the rate limit bounds, with real windows of a minute: as many as it takes, and no more time than they last. */
import { join } from 'node:path';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { compare } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';
import { checkBytes, truthOf } from './truth.ts';

const LIMIT = 60;
const WINDOW_MS = 60_000;
const REQUESTS = 150;

export async function limit(directory: string): Promise<Report[]> {
  const scans = (REQUESTS - 1) * 500;
  const { id, truth } = truthOf(scans);
  const sandbox = await startSandboxProcess({
    codes: 1,
    scans,
    limit: LIMIT,
    windowMs: WINDOW_MS,
    windowStart: 'first-request',
  });
  const path = join(directory, 'limit.csv');
  let statuses: string[] = [];
  try {
    const contestant = {
      name: 'qrctl',
      command: qrctl('scans', 'export', id, '--verbose', '-o', path),
      async check({ stderr }: { stderr: string }) {
        statuses = [...stderr.matchAll(/ GET \S+ (\w+) /g)].map(([, status = '']) => status);
        if (statuses.length < REQUESTS) throw new Error(`--verbose shows only ${statuses.length} requests`);
        await checkBytes(path, truth.csv);
      },
    };
    const [result] = await compare([contestant], environment(sandbox, directory), {
      rounds: 1,
      warmUp: false,
    });
    // All windows but the last must be waited out.
    const floorMs = (Math.ceil(REQUESTS / LIMIT) - 1) * WINDOW_MS;
    const floor = { name: 'floor', wallMs: floorMs, cpuMs: 0, peakMb: undefined, wallRatio: 1, cpuRatio: 0 };
    const results = result ? [floor, { ...result, wallRatio: result.wallMs / floorMs }] : [];
    const refused = statuses.filter((status) => status === '429').length;
    const notes = [`${statuses.length} requests (at least ${REQUESTS} are needed), ${refused} answered 429`];
    return [{ title: `${REQUESTS} requests at ${LIMIT} a minute`, results, notes }];
  } finally {
    await sandbox.close();
  }
}
