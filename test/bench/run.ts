/** Runs one command to its end and measures it: wall time, processor time and peak memory of it and its children. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Run {
  wallMs: number;
  /** User and system time of the command and all it waited for. */
  cpuMs: number;
  /** Highest resident memory, summed over the processes of the command; undefined where /proc does not tell. */
  peakMb: number | undefined;
  stderr: string;
}

/**
 * The shell's own `time`, whose numbers are the kernel's; it does not count the shell. Its milliseconds are too coarse for a start,
 * so its clock is read as well.
 */
const TIMED =
  'TIMEFORMAT="%U %S"; from=$EPOCHREALTIME; time "$@"; code=$?; echo "$from $EPOCHREALTIME" >&2; exit $code';
const SAMPLE_MS = 10;

/** Runs `command`; rejects with the end of its standard error where it fails. Standard output is thrown away. */
export function run(command: readonly string[], env: Record<string, string | undefined>): Promise<Run> {
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
          stderr,
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
