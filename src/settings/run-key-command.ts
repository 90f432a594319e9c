/** Runs the command of a profile that prints its key (`op read …`, `pass …`), without a shell and without the key in its environment. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { kill, platform } from 'node:process';
import type { Readable } from 'node:stream';
import { AuthError, messageOf } from '../base/errors.ts';
import { redactKeys } from '../base/text/key.ts';
import { shown } from '../base/text/quote.ts';
import type { Clock } from '../base/time/time.ts';
import { commandHint, parseKeyCommand } from './key-command.ts';
import type { Variables } from './settings.ts';

/** How long the command may take, with the answer to its own prompts. */
const COMMAND_MS = 30_000;
/** How long its output is awaited once it has ended: a background process that it started may keep it open. */
const GRACE_MS = 500;
/** Far more than a key; and what it prints to standard error is for a person. */
const MOST_BYTES = 64 * 1024;

/** Surroundings of a run of the command. */
export interface CommandRun {
  env: Variables;
  clock: Clock;
  signal: AbortSignal;
  /** The command may prompt: it then inherits standard input and stays in this process group, as only that may use the terminal. */
  canAsk: boolean;
  /** Prints one line of the command's standard error. */
  tell(line: string): void;
  timeoutMs?: number;
}

/**
 * Runs a key-command and returns what it printed to standard output. It is killed, with its process group unless it may prompt, when the
 * time is over or the signal aborts. Throws AuthError if it can't be started, fails, takes too long or prints too much, UsageError like
 * `parseKeyCommand`, and the reason of the signal.
 */
export async function runKeyCommand(line: string, run: CommandRun): Promise<string> {
  const { clock, signal, canAsk, timeoutMs = COMMAND_MS } = run;
  const [file, ...args] = parseKeyCommand(line);
  signal.throwIfAborted();
  // Its own process group, so that whatever it started is ended with it.
  const isGroup = !canAsk && platform !== 'win32';
  const child = spawn(file, args, {
    env: { ...run.env, QRCTL_API_KEY: undefined },
    stdio: [canAsk ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    detached: isGroup,
    windowsHide: true,
  });
  const over = new AbortController();
  const ended = endOf(child);
  const printed = collect(child, run);
  try {
    const late = clock
      .sleep(timeoutMs, AbortSignal.any([signal, over.signal]))
      .then((): End => ({ problem: lateProblem(timeoutMs) }));
    const end = await Promise.race([ended, printed.tooMuch, late]);
    if (end.problem !== undefined) throw failure(line, end.problem, printed.lastLine());
    await Promise.race([printed.closed, clock.sleep(GRACE_MS, over.signal)]);
    return printed.text();
  } finally {
    over.abort();
    if (child.exitCode === null && child.signalCode === null) await end(child, isGroup, ended, clock);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** How the command ended; without a problem, it succeeded. */
interface End {
  problem?: string;
}

function lateProblem(timeoutMs: number): string {
  return `did not finish within ${timeoutMs / 1000} s and was ended`;
}

function endOf(child: Child): Promise<End> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ problem: `could not be started: ${startProblem(error)}` }));
    child.on('exit', (code, signal) => {
      if (code === 0) resolve({});
      else resolve({ problem: code === null ? `was ended by ${signal}` : `failed with exit code ${code}` });
    });
  });
}

function startProblem(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'program not found';
  return code === 'EACCES' ? 'permission denied' : messageOf(error);
}

/** Collects standard output, and passes on the lines of standard error; a prompt at its end has no line end. */
function collect({ stdout, stderr }: Child, { canAsk, tell }: CommandRun) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let said = 0;
  let rest = '';
  let last = '';
  const say = (line: string) => {
    if (line.trim() === '') return;
    last = redactKeys(line);
    tell(`key-command: ${last}`);
  };
  const tooMuch = new Promise<End>((resolve) => {
    stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) return resolve({ problem: 'printed far more than a key' });
      chunks.push(chunk);
    });
  });
  stderr.on('data', (chunk: Buffer) => {
    said += chunk.length;
    if (said > MOST_BYTES) return;
    const lines = (rest + chunk.toString('utf8')).split(/\r?\n/);
    rest = canAsk ? '' : (lines.pop() ?? '');
    for (const line of lines) say(line);
  });
  const closed = Promise.all(
    [stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.on('close', resolve))),
  );
  return {
    tooMuch,
    closed,
    text: () => Buffer.concat(chunks).toString('utf8'),
    lastLine() {
      say(rest);
      return last;
    },
  };
}

/** Ends the command, politely first; does not wait longer than a moment. */
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
  } catch {
    // it has ended
  }
}

function failure(line: string, problem: string, said: string): AuthError {
  const reason = said === '' ? '' : `: ${shown(said)}`;
  return new AuthError(`the key-command ${problem}${reason}`, { hint: commandHint(line) });
}
