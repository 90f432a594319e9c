/** Runs the built command as its users do: a process of its own, a config directory of its own, and a bare environment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, TestRunner } from 'vitest';

/** What `node` is told to run: the build of this directory (test/global-setup.ts sees to it), or another installation. */
export const BIN =
  process.env.QRCTL_TEST_BIN ?? fileURLToPath(new URL('../../bin/qrctl.js', import.meta.url));

/** The node that runs it: ours, or another version (test/nodes.mjs). */
const NODE = process.env.QRCTL_TEST_NODE ?? process.execPath;

export interface CliOptions {
  /** Added to the bare environment; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  /** Standard input; empty when absent. */
  input?: string | Uint8Array;
  cwd?: string;
  /** Killed and failed after this long, as what hangs; 2 minutes when absent. */
  timeoutMs?: number;
  /** On a terminal of so many columns, 100 when true (a pseudo-terminal; all output is then in `stdout`, with CR LF). */
  tty?: boolean | number;
  /** Arguments for node, before the command's file. */
  nodeArgs?: string[];
  /** Another installation than `BIN`. */
  bin?: string;
}

export interface CliResult {
  /** As a shell tells it: 128 and its number where a signal ended it. */
  code: number;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunningCli {
  readonly child: ChildProcess;
  /** What it has written so far. */
  output(): { stdout: string; stderr: string };
  /** Resolves with the match as soon as `pattern` is in stdout or stderr; rejects when it ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  readonly done: Promise<CliResult>;
}

/** How a command ends, for `toMatchObject`: its exit code, and words of its standard error. */
export const ends = (code: number, words = '') => ({ code, stderr: expect.stringContaining(words) });

/** Resolves as soon as `seen` says so; where it never does, the test's own limit ends it. */
export async function until(seen: () => boolean): Promise<void> {
  while (!seen()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const GAP = /^.*(\bundefined\b|\bNaN\b|\[object |``|hint: *$|"hint":"").*$/m;

/** Fails if a message of a run lacks a value or the text of its hint. */
export function withoutGaps<T extends Pick<CliResult, 'stderr'>>(args: readonly string[], result: T): T {
  const [line] = GAP.exec(result.stderr) ?? [];
  if (line !== undefined) throw new Error(`a value is missing in a message of ${args.join(' ')}: ${line}`);
  return result;
}

/** Runs `qrctl ...args` to its end. */
export async function runCli(args: string[], options: CliOptions = {}): Promise<CliResult> {
  const home = await mkdtemp(join(tmpdir(), 'qrctl-test-'));
  try {
    return withoutGaps(args, await start(args, options, home).done);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Starts `qrctl ...args`; it is killed, and its config directory removed, when the running test finishes. */
export async function startCli(args: string[], options: CliOptions = {}): Promise<RunningCli> {
  const home = await mkdtemp(join(tmpdir(), 'qrctl-test-'));
  const running = start(args, options, home);
  onTestFinished(async () => {
    running.child.kill('SIGKILL');
    await running.done.catch(() => undefined);
    await rm(home, { recursive: true, force: true });
  });
  return running;
}

/** A directory that is removed when the running test finishes. */
export async function useDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-test-'));
  // What a process did that was just killed may still come in between.
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/** What a run takes from ours; the start-up cache is shared by all tests, as a user's runs share it. */
export const AMBIENT = { PATH: process.env.PATH, XDG_CACHE_HOME: process.env.QRCTL_TEST_CACHE };

/** State directory of each test: its commands share their ledgers, as those of a user do, and no other test sees them. */
const states = new WeakMap<object, string>();

function stateOfTest(home: string): string {
  const test = TestRunner.getCurrentTest();
  if (!test) return join(home, 'state');
  let directory = states.get(test);
  if (directory === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'qrctl-state-'));
    onTestFinished(() => rm(made, { recursive: true, force: true, maxRetries: 5 }));
    states.set(test, made);
    directory = made;
  }
  return directory;
}

/** The environment commands run in: no proxies, no colors, no locale and no zone of this machine. */
export function bareEnv(
  home: string,
  more: Record<string, string | undefined> = {},
): Record<string, string | undefined> {
  return {
    ...AMBIENT,
    HOME: home,
    TMPDIR: tmpdir(),
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    QRCTL_CONFIG_DIR: join(home, 'config'),
    QRCTL_STATE_DIR: stateOfTest(home),
    ...more,
  };
}

function start(args: string[], options: CliOptions, home: string): RunningCli {
  const words = [NODE, ...(options.nodeArgs ?? []), options.bin ?? BIN, ...args];
  const [command = '', ...rest] = options.tty
    ? onTerminal(words, options.tty === true ? 100 : options.tty)
    : words;
  const child = spawn(command, rest, {
    cwd: options.cwd ?? home,
    env: bareEnv(home, options.env),
    stdio: 'pipe',
  });
  const chunks: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  child.stdout.on('data', (chunk) => chunks.stdout.push(chunk));
  child.stderr.on('data', (chunk) => chunks.stderr.push(chunk));
  // A command that ends without reading its input closes the pipe; that is no failure of the test.
  child.stdin.on('error', () => undefined);
  if (!options.tty || options.input !== undefined) child.stdin.end(options.input ?? '');
  const output = () => ({
    stdout: Buffer.concat(chunks.stdout).toString(),
    stderr: Buffer.concat(chunks.stderr).toString(),
  });

  const done = new Promise<CliResult>((resolve, reject) => {
    const timeoutMs = options.timeoutMs ?? 120_000;
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Error(
          `qrctl ${args.join(' ')} ran longer than ${timeoutMs} ms:\n${output().stdout}\n${output().stderr}`,
        ),
      );
    }, timeoutMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(late);
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal, ...output() });
    });
  });
  done.catch(() => undefined);

  function waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(output().stdout) ?? pattern.exec(output().stderr);
        if (found) resolve(found);
        return found;
      };
      if (look()) return;
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      done.then(
        ({ code }) =>
          look() ?? reject(new Error(`ended with ${code} before ${pattern}:\n${output().stderr}`)),
        reject,
      );
    });
  }

  return { child, output, waitFor, done };
}

/** The system's own where it has one: what a version manager puts before it takes longer to start than the command. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';

/** Python's pty module is at hand wherever these tests run; Node has none. */
const TERMINAL = `
import os, pty, sys, fcntl, struct, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 40, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
import select
sources = [fd, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed: os.write(fd, typed)
        else: sources.remove(0)
    if fd in ready:
        try: shown = os.read(fd, 65536)
        except OSError: break
        if not shown: break
        os.write(1, shown)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`;

function onTerminal(words: string[], columns: number): string[] {
  return [PYTHON, '-c', TERMINAL, String(columns), ...words];
}
