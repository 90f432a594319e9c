/** `npm run bench`: measures the built command and its peers, and prints medians. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { append } from './append.ts';
import { bulk } from './bulk.ts';
import { images } from './images.ts';
import { latency } from './latency.ts';
import { limit } from './limit.ts';
import { links } from './links.ts';
import { memory } from './memory.ts';
import { formatReport, machine, type Report } from './report.ts';
import { rows } from './rows.ts';
import { startup } from './startup.ts';
import { throughput } from './throughput.ts';

const BENCHMARKS: Record<string, (directory: string, options: { large: boolean }) => Promise<Report[]>> = {
  startup,
  throughput,
  latency,
  limit,
  memory,
  append,
  bulk,
  rows,
  links,
  images,
};

const USAGE = `npm run bench [-- NAMES] [--large] [--json FILE]
  NAMES    ${Object.keys(BENCHMARKS).join(', ')}; all unless named
  --large  adds exports of 10 million scans, which take many minutes and several GB of disk
  --json   writes the results as JSON too`;

const asked = readArguments();
if (asked) await measure(asked);

async function measure({
  names,
  large,
  json,
}: {
  names: readonly string[];
  large: boolean;
  json: string | undefined;
}) {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-bench-'));
  const reports: Report[] = [];
  console.log(
    `node ${machine.node}, ${machine.cores} cores of ${machine.processor}, ${machine.memoryGb} GB; medians\n`,
  );
  try {
    for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      console.error(`${name} …`);
      for (const report of await benchmark(directory, { large })) {
        reports.push(report);
        console.log(formatReport(report));
      }
    }
    if (json) await writeFile(json, `${JSON.stringify({ machine, reports }, undefined, 2)}\n`);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** What to measure; undefined when all is said (by a usage, or by what is wrong with the arguments). */
function readArguments() {
  try {
    const { positionals: names, values } = parseArgs({
      allowPositionals: true,
      options: {
        large: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name));
    if (unknown.length > 0) throw new Error(`no benchmark ${unknown.join(', ')}`);
    if (!values.help) return { names, large: values.large, json: values.json };
    console.log(USAGE);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exitCode = 2;
  }
  return undefined;
}
