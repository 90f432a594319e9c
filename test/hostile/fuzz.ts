/** Gives every parser damaged input, each in a process of its own that is ended when one input takes too long. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { FuzzJob, FuzzNews } from './fuzz-child.ts';

export interface Finding {
  parser: string;
  number: number;
  what: string;
  /** The first 3,000 bytes, in base64. */
  input: string | undefined;
}

export interface ParserReport {
  parser: string;
  inputs: number;
  slowestMs: number;
  slowest: number;
  peakMb: number;
}

/** Of the processor for one input, or of the clock where nobody says how much of it was used: the machine may be busy. */
const MOST_MS = 5000;
/** Of the clock: what waits without end uses no processor. */
const MOST_WAITING_MS = 60_000;
const LOOK_MS = 500;
/** Of one process, whatever it was given. */
const MOST_MB = 500;
/** Of one parser; what is systematically wrong is seen by then. */
const MOST_FINDINGS = 20;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles the process; the caller may remove the file. */
async function bundle(): Promise<string> {
  const directory = join(ROOT, 'node_modules/.cache');
  mkdirSync(directory, { recursive: true });
  const outfile = join(directory, `fuzz-${process.pid}.mjs`);
  await build({
    entryPoints: [join(ROOT, 'test/hostile/fuzz-child.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    // By this the sources find dist/.
    define: { 'import.meta.dirname': JSON.stringify(join(ROOT, 'src')) },
    logLevel: 'warning',
  });
  return outfile;
}

interface FuzzOptions {
  seed: number;
  /** Over all parsers. */
  total: number;
  /** Some of them; all if absent. */
  only?: readonly string[] | undefined;
  parallel: number;
  told?(report: ParserReport): void;
}

/** Resolves when all parsers are through; `reports` in no certain order. */
export async function fuzz({
  seed,
  total,
  only,
  parallel,
  told,
}: FuzzOptions): Promise<{ reports: ParserReport[]; findings: Finding[] }> {
  const file = await bundle();
  const reports: ParserReport[] = [];
  const findings: Finding[] = [];
  const names = (await namesOf(file)).filter((name) => only === undefined || only.includes(name));
  const waiting = [...names];
  const work = async () => {
    for (let parser = waiting.shift(); parser !== undefined; parser = waiting.shift()) {
      const report = await runParser(file, { seed, total, parser }, findings);
      reports.push(report);
      told?.(report);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  rmSync(file);
  return { reports, findings };
}

async function namesOf(file: string): Promise<string[]> {
  const child = fork(file);
  const names = await new Promise<string[]>((resolve, reject) => {
    child.once('message', (news: FuzzNews) => resolve(news.is === 'parsers' ? news.names : []));
    child.once('exit', () => reject(new Error('it ended before it began')));
  });
  child.kill('SIGKILL');
  return names;
}

/** The input of a process that could not tell it any more. */
function inputOf(file: string, job: FuzzJob): Promise<string | undefined> {
  const child = fork(file);
  return new Promise((resolve) => {
    child.on('message', (news: FuzzNews) => {
      if (news.is === 'parsers') child.send({ ...job, isShown: true });
      else resolve(news.is === 'done' ? news.input : undefined);
    });
    child.on('exit', () => resolve(undefined));
  });
}

async function runParser(
  file: string,
  job: Omit<FuzzJob, 'first'>,
  findings: Finding[],
): Promise<ParserReport> {
  const report: ParserReport = { parser: job.parser, inputs: 0, slowestMs: 0, slowest: -1, peakMb: 0 };
  for (let first = 0; ; ) {
    const end = await runFrom(file, { ...job, first }, report, findings);
    if (end === undefined || findings.filter(({ parser }) => parser === job.parser).length >= MOST_FINDINGS)
      break;
    first = end;
  }
  if (report.peakMb > MOST_MB)
    findings.push({
      ...job,
      number: -1,
      what: `a peak of ${Math.round(report.peakMb)} MB`,
      input: undefined,
    });
  return report;
}

/** What a process has used of the processor, where /proc tells (Linux). */
function processorMs(pid: number | undefined): number | undefined {
  try {
    const [user, system] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').slice(11, 13).map(Number) ??
      [];
    // By ticks of a hundredth of a second.
    return user === undefined || system === undefined ? undefined : 10 * (user + system);
  } catch {
    return undefined;
  }
}

/** Resolves to the number to go on from in another process; undefined when all is done. */
function runFrom(
  file: string,
  job: FuzzJob,
  report: ParserReport,
  findings: Finding[],
): Promise<number | undefined> {
  const child: ChildProcess = fork(file, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let next = job.first;
  let stderr = '';
  let late = '';
  let since = { clock: performance.now(), processor: 0 };
  const now = () => ({ clock: performance.now(), processor: processorMs(child.pid) ?? performance.now() });
  const watch = setInterval(() => {
    const { clock, processor } = now();
    if (processor - since.processor > MOST_MS) late = `took more than ${MOST_MS} ms`;
    if (clock - since.clock > MOST_WAITING_MS) late = `nothing for ${MOST_WAITING_MS} ms`;
    if (late !== '') child.kill('SIGKILL');
  }, LOOK_MS);
  child.stderr?.on('data', (data) => {
    stderr = (stderr + String(data)).slice(-2000);
  });
  return new Promise((resolve) => {
    let end: { next: number | undefined } | undefined;
    child.on('message', (news: FuzzNews) => {
      since = now();
      if (news.is === 'parsers') child.send(job);
      else if (news.is === 'end') {
        end = news;
        report.peakMb = Math.max(report.peakMb, news.peakMb);
      } else {
        next = news.number + 1;
        report.inputs += 1;
        if (news.ms > report.slowestMs) Object.assign(report, { slowestMs: news.ms, slowest: news.number });
        if (news.failure !== undefined)
          findings.push({ parser: job.parser, number: news.number, what: news.failure, input: news.input });
      }
    });
    child.on('exit', async (code, signal) => {
      clearInterval(watch);
      if (end) return resolve(end.next);
      const what = late || `ended the process (${signal ?? code}): ${stderr}`;
      report.inputs += 1;
      findings.push({
        parser: job.parser,
        number: next,
        what,
        input: await inputOf(file, { ...job, first: next }),
      });
      resolve(next + 1);
    });
  });
}
