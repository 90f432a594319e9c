import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { kill, platform } from 'node:process';
import type { Readable } from 'node:stream';
import { MOST_BYTES } from '#base/bounds';
import { AuthError, messageOf, systemCode } from '#base/errors';
import { redactKeys } from '#base/text/key';
import { shown } from '#base/text/quote';
import type { Clock } from '#base/time/time';
import { commandHint, parseKeyCommand } from './key-command.ts';

const COMMAND_MS = 30_000;
/** Maximum time in ms to wait for output after the command has ended, or for its end after SIGTERM. */
const GRACE_MS = 500;

export interface CommandRun {
  env: NodeJS.Dict<string>;
  clock: Clock;
  signal: AbortSignal;
  /** Whether the command may prompt. If so, it inherits standard input and stays in this process group. */
  canAsk: boolean;
  note(line: string): void;
  timeoutMs?: number;
}

/** Returns a key-command's output. Runs it without a shell or QRCTL_API_KEY. Throws AuthError if it fails. */
export async function runKeyCommand(line: string, run: CommandRun): Promise<string> {
  const { clock, signal, canAsk, timeoutMs = COMMAND_MS } = run;
  const [file, ...args] = parseKeyCommand(line);
  signal.throwIfAborted();
  const isGroup = !canAsk && platform !== 'win32';
  const child = spawn(file, args, {
    env: { ...run.env, QRCTL_API_KEY: undefined },
    stdio: [canAsk ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    detached: isGroup,
    windowsHide: true,
  });
  const over = new AbortController();
  const ended = problemOf(child);
  const output = collect(child, run);
  try {
    const late = clock
      .sleep(timeoutMs, AbortSignal.any([signal, over.signal]))
      .then(() => `did not finish within ${timeoutMs / 1000} s and was ended`);
    const problem = await Promise.race([ended, output.excess, late]);
    if (problem !== undefined) {
      const last = output.lastLine();
      const reason = last === '' ? '' : `: ${shown(last)}`;
      throw new AuthError(`the key-command ${problem}${reason}`, { hint: commandHint(line) });
    }
    await Promise.race([output.closed, clock.sleep(GRACE_MS, over.signal)]);
    return output.text();
  } finally {
    over.abort();
    if (child.exitCode === null && child.signalCode === null) await end(child, isGroup, ended, clock);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

function problemOf(child: Child): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`could not be started: ${startProblem(error)}`));
    child.on('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(code === null ? `was ended by ${signal}` : `failed with exit code ${code}`);
    });
  });
}

function startProblem(error: Error): string {
  const code = systemCode(error);
  if (code === 'ENOENT') return 'program not found';
  return code === 'EACCES' ? 'permission denied' : messageOf(error);
}

/** Collects output. Prints standard error by line, or at once if the command may prompt, up to a limit. */
function collect({ stdout, stderr }: Child, { canAsk, note }: CommandRun) {
  const chunks: Buffer[] = [];
  let outBytes = 0;
  let errorBytes = 0;
  let rest = '';
  let last = '';
  const print = (line: string) => {
    if (line.trim() === '') return;
    last = redactKeys(line);
    note(`key-command: ${last}`);
  };
  const excess = new Promise<string>((resolve) => {
    stdout.on('data', (chunk: Buffer) => {
      outBytes += chunk.length;
      if (outBytes > MOST_BYTES.keyStream) return resolve('printed far more than a key');
      chunks.push(chunk);
    });
  });
  stderr.on('data', (chunk: Buffer) => {
    errorBytes += chunk.length;
    if (errorBytes > MOST_BYTES.keyStream) return;
    const lines = (rest + chunk.toString('utf8')).split(/\r?\n/);
    rest = canAsk ? '' : (lines.pop() ?? '');
    for (const line of lines) print(line);
  });
  const closed = Promise.all(
    [stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.on('close', resolve))),
  );
  return {
    excess,
    closed,
    text: () => Buffer.concat(chunks).toString('utf8'),
    lastLine() {
      print(rest);
      return last;
    },
  };
}

async function end(child: Child, isGroup: boolean, ended: Promise<unknown>, clock: Clock): Promise<void> {
  send(child, isGroup, 'SIGTERM');
  const over = new AbortController();
  await Promise.race([ended, clock.sleep(GRACE_MS, over.signal).catch(() => undefined)]);
  over.abort();
  send(child, isGroup, 'SIGKILL');
}

function send(child: Child, isGroup: boolean, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    kill(isGroup ? -child.pid : child.pid, signal);
  } catch {}
}
