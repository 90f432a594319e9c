/**
 * Runs the command's source in this process: for what is tried in many lines, where a process for each would take most of the time.
 * Each command is also run as it is built, with each of its ways to end (test/e2e).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished, vi } from 'vitest';
import * as app from '../../src/app.ts';
import { main } from '../../src/main.ts';
import { bareEnv, type CliOptions, type CliResult, runCli } from './cli.ts';
import { SOAK } from './property-runs.ts';

type HereOptions = Pick<CliOptions, 'cwd' | 'env' | 'input'>;
export type HereResult = Pick<CliResult, 'code' | 'stdout' | 'stderr'>;

let running = false;

/** Runs `qrctl ...args` to its end, as `runCli` does. One at a time: directory, variables and streams are those of this process. */
export async function runHere(
  args: string[],
  { cwd, env, input = '' }: HereOptions = {},
): Promise<HereResult> {
  if (running) throw new Error('another run is under way here: use runCli for several at once');
  running = true;
  const before = { cwd: process.cwd(), env: process.env };
  const home = await mkdtemp(join(tmpdir(), 'qrctl-test-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  const stdin = vi
    .spyOn(process, 'stdin', 'get')
    .mockReturnValue(Readable.from([Buffer.from(input)]) as typeof process.stdin);
  process.chdir(cwd ?? home);
  process.env = bareEnv(home, env);
  try {
    const code = await main(
      args,
      () => app,
      () => undefined,
    );
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.env = before.env;
    process.chdir(before.cwd);
    for (const mocked of [stdin, stdout, stderr]) mocked.mockRestore();
    running = false;
  }
}

/** As `runHere`, but as it is built where it is to be on a terminal. */
export function runHereOrOnTerminal(args: string[], options: CliOptions): Promise<HereResult> {
  return (options.tty ? runCli : runHere)(args, options);
}

/** The last run that `runByDay` began: the next one waits for it. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `qrctl ...args` here, one after the other, with every change, and as it is built where QRCTL_SOAK=1 or where node gets arguments
 * too. For what a command does: that it does so as it is built is shown with every change by test/e2e/exit-codes.test.ts, and by each
 * that is started to be killed, stopped or limited.
 */
export function runByDay(args: string[], options: CliOptions = {}): Promise<HereResult> {
  if (SOAK || options.nodeArgs || options.tty) return runCli(args, options);
  const mine = last.then(() => runHere(args, options));
  last = mine.catch(() => undefined);
  return mine;
}

/** Keeps what is written to a stream in place of writing it. */
function capture(stream: NodeJS.WriteStream): { text(): string; mockRestore(): void } {
  const chunks: Buffer[] = [];
  const others = stream.rawListeners('error');
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk, ...more) => {
    chunks.push(Buffer.from(chunk as Uint8Array));
    for (const done of more) if (typeof done === 'function') (done as () => void)();
    return true;
  });
  return {
    text: () => Buffer.concat(chunks).toString(),
    mockRestore() {
      spy.mockRestore();
      // A process ends with its listeners.
      for (const added of stream.rawListeners('error')) {
        if (!others.includes(added)) stream.off('error', added as () => void);
      }
    },
  };
}
