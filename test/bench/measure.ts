/** Measures commands side by side: wall time, processor time and peak memory of each and its children. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

type Env = Record<string, string | undefined>;

export interface Contestant {
  name: string;
  command: readonly string[];
  /** Called after each run: throws if the output is not what it should be. */
  check?(): Promise<void>;
}

/** Medians of the rounds. */
export interface Result extends Run {
  name: string;
  /** Medians of the ratios to the first contestant in the same round. */
  wallRatio: number;
  cpuRatio: number;
}

interface Run {
  wallMs: number;
  /** User and system time of the command and all it waited for. */
  cpuMs: number;
  /** Highest resident memory, summed over the processes of the command; undefined where /proc does not tell. */
  peakMb: number | undefined;
}

/**
 * The shell's own `time`, whose numbers are the kernel's; it does not count the shell. Its milliseconds are too coarse for a start,
 * so its clock is read as well.
 */
const TIMED =
  'TIMEFORMAT="%U %S"; from=$EPOCHREALTIME; time "$@"; code=$?; echo "$from $EPOCHREALTIME" >&2; exit $code';
const SAMPLE_MS = 10;

/** Runs `command`; rejects with the end of its standard error where it fails. Standard output is thrown away. */
function run(command: readonly string[], env: Env): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', TIMED, 'bash', ...command], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    let peakKb = 0;
    const sampling = setInterval(() => {
      peakKb = Math.max(peakKb, residentKb(childrenOf(child.pid ?? 0)));
    }, SAMPLE_MS);
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(sampling);
      const [times = '', clock = ''] = stderr.trimEnd().split('\n').slice(-2);
      const [user = 0, system = 0] = times.split(' ').map(seconds);
      const [from = Number.NaN, to = Number.NaN] = clock.split(' ').map(seconds);
      if (code !== 0) reject(new Error(`${command.join(' ')} ended with ${code}: ${stderr.slice(-500)}`));
      else
        resolve({
          wallMs: (to - from) * 1000,
          cpuMs: (user + system) * 1000,
          peakMb: peakKb > 0 ? peakKb / 1024 : undefined,
        });
    });
  });
}

/** Some languages have a comma in numbers. */
function seconds(text: string): number {
  return Number(text.replace(',', '.'));
}

function childrenOf(pid: number): number[] {
  const children = readProc(`${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

/** The kernel keeps the highest value of each process, so that a peak between two samples is not missed. */
function residentKb(pids: readonly number[]): number {
  return pids.reduce(
    (sum, pid) => sum + Number(/^VmHWM:\s+(\d+)/m.exec(readProc(`${pid}/status`))?.[1] ?? 0),
    0,
  );
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return ''; // it has ended, or this is not Linux
  }
}

/** Runs each contestant once per round, after a round that warms up, so that other load affects all alike. */
export async function compare(
  contestants: readonly Contestant[],
  env: Env,
  rounds: number,
): Promise<Result[]> {
  const runs: Run[][] = contestants.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [i, { command, check }] of contestants.entries()) {
      const measured = await run(command, env);
      await check?.();
      if (round >= 0) runs[i]?.push(measured);
    }
  }
  const first = runs[0] ?? [];
  return contestants.map(({ name }, i) => {
    const own = runs[i] ?? [];
    const peaks = own.flatMap(({ peakMb }) => peakMb ?? []);
    const ratioOf = (key: 'wallMs' | 'cpuMs') =>
      median(own.map((run, n) => run[key] / (first[n]?.[key] ?? 0)));
    return {
      name,
      wallMs: median(own.map(({ wallMs }) => wallMs)),
      cpuMs: median(own.map(({ cpuMs }) => cpuMs)),
      peakMb: peaks.length > 0 ? median(peaks) : undefined,
      wallRatio: ratioOf('wallMs'),
      cpuRatio: ratioOf('cpuMs'),
    };
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
