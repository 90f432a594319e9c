/** Exports of one code from a sandbox that has its pages ready, beside what people would use instead. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { type Contestant, compare } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';
import { checkBytes, checkCells, FORMATS, type Truth, truthOf } from './truth.ts';

/** After the last scan, and the same in every run: the sandbox keeps its pages by what is asked. */
export const UNTIL = '2025-02-01';
const PEERS = fileURLToPath(new URL('../../test/bench/peers', import.meta.url));

export async function throughput(directory: string, { large }: { large: boolean }): Promise<Report[]> {
  const reports: Report[] = [];
  for (const scans of large ? [100_000, 1_000_000, 10_000_000] : [100_000, 1_000_000]) {
    const { id, truth } = truthOf(scans);
    const sandbox = await startSandboxProcess({
      codes: 1,
      scans,
      scanOrder: 'asc',
      limit: 1e9,
      prepared: true,
    });
    try {
      const { contestants, notes } = entrants(id, directory, truth);
      const how = scans > 1_000_000 ? { rounds: 1, warmUp: false } : { rounds: 5 };
      const results = await compare(contestants, { ...environment(sandbox, directory), CODE: id }, how);
      const title = `${scans.toLocaleString('en')} scans to a file, four requests in flight`;
      reports.push({
        title,
        results,
        notes: ['every file is the truth: qrctl byte for byte, peers cell for cell', ...notes],
      });
    } finally {
      await sandbox.close();
    }
  }
  return reports;
}

function entrants(
  id: string,
  directory: string,
  truth: Truth,
): { contestants: Contestant[]; notes: string[] } {
  const own = FORMATS.map((format): Contestant => {
    const path = join(directory, `qrctl.${format}`);
    const command = qrctl('scans', 'export', id, '--until', UNTIL, '--quiet', '-o', path);
    return { name: `qrctl ${format}`, command, check: () => checkBytes(path, truth[format]) };
  });
  const peers = [
    { name: 'bare node:http + JSON.parse', needs: [], command: [process.execPath, join(PEERS, 'bare.mjs')] },
    { name: 'Python http.client + csv', needs: ['python3'], command: ['python3', join(PEERS, 'export.py')] },
    {
      name: 'fetch + csv-stringify',
      needs: [],
      command: [process.execPath, join(PEERS, 'fetch-csv-stringify.mjs')],
    },
    { name: 'curl + jq', needs: ['curl', 'jq'], command: ['bash', join(PEERS, 'curl-jq.sh')] },
  ];
  const missing = (needs: readonly string[]) => needs.filter((tool) => spawnSync(tool, ['--version']).error);
  const able = peers.filter(({ needs }) => missing(needs).length === 0);
  const others = able.map(({ name, command }, i): Contestant => {
    const path = join(directory, `peer-${i}.csv`);
    return { name, command: [...command, path], check: () => checkCells(path, truth.raw) };
  });
  const notes = peers
    .filter((peer) => !able.includes(peer))
    .map(({ name, needs }) => `${name} skipped: no ${missing(needs)}`);
  const [bare, ...rest] = others;
  return { contestants: [...(bare ? [bare] : []), ...own, ...rest], notes };
}
