/** `npm run bench`: measures the built command and its peers, and prints a table of medians. */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Measured, TASKS } from './tasks.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { large: { type: 'boolean', default: false }, rounds: { type: 'string', default: '9' } },
});
const names = positionals.length > 0 ? positionals : Object.keys(TASKS);
const unknown = names.filter((name) => !Object.hasOwn(TASKS, name));
if (unknown.length > 0)
  throw new Error(`no task ${unknown.join(', ')}: use ${Object.keys(TASKS).join(', ')}`);

const rounds = Number(values.rounds);
const size = values.large
  ? { scans: 3_000_000, rows: 140_000, rounds }
  : { scans: 300_000, rows: 1000, rounds };
const directory = await mkdtemp(join(tmpdir(), 'qrctl-bench-'));
const load = () => loadavg()[0]?.toFixed(1);
const loadBefore = load();
const time = (ms: number) => (ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`);
try {
  console.log('| task | program | CPU | ÷ | wall | ÷ | memory |\n|---|---|--:|--:|--:|--:|--:|');
  for (const name of names) for (const row of (await TASKS[name]?.(directory, size)) ?? []) print(row);
  console.log(
    `\nNode ${process.version}, ${cpus().length} cores of ${cpus()[0]?.model}, load ${loadBefore} to ${load()}`,
  );
} finally {
  await rm(directory, { recursive: true });
}

function print({ task, results }: Measured): void {
  for (const [i, { name, cpuMs, cpuRatio, wallMs, wallRatio, peakMb = 0 }] of results.entries()) {
    const cells = [
      time(cpuMs),
      cpuRatio.toFixed(2),
      time(wallMs),
      wallRatio.toFixed(2),
      `${peakMb.toFixed(0)} MB`,
    ];
    console.log(`| ${[i === 0 ? task : '', name, ...cells].join(' | ')} |`);
  }
}
