/** `npm run bench [-- NAMES] [--large] [--json FILE]`: measures the built command and its peers, and prints medians. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bulk } from './bulk.ts';
import { latency } from './latency.ts';
import { limit } from './limit.ts';
import { memory } from './memory.ts';
import { formatReport, machine, type Report } from './report.ts';
import { startup } from './startup.ts';
import { throughput } from './throughput.ts';

const BENCHMARKS: Record<string, (directory: string, options: { large: boolean }) => Promise<Report[]>> = {
  ...{ startup, throughput, latency, limit, memory, bulk },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { large: { type: 'boolean', default: false }, json: { type: 'string' } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) throw new Error(`no benchmark ${unknown}; there are ${Object.keys(BENCHMARKS)}`);

const directory = await mkdtemp(join(tmpdir(), 'qrctl-bench-'));
const reports: Report[] = [];
console.log(`node ${machine.node}, ${machine.cores} cores of ${machine.processor}, ${machine.memoryGb} GB; medians\n`);
try {
  for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.error(`${name} …`);
    for (const report of await benchmark(directory, values)) {
      reports.push(report);
      console.log(formatReport(report));
    }
  }
  if (values.json) await writeFile(values.json, `${JSON.stringify({ machine, reports }, undefined, 2)}\n`);
} finally {
  await rm(directory, { recursive: true });
}
