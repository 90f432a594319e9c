/**
 * Runs the command's source in this process: for what is tried in many lines, where a process for each would take most of the time.
 * Each command is also run as it is built, with each of its ways to end (test/e2e).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { onTestFinished, vi } from 'vitest';
import * as app from '#app';
import { main } from '#main';
import { bareEnv, type CliOptions, type CliResult, runCli, withoutGaps } from './cli.ts';
import { SOAK } from './property-runs.ts';

/** `tty`: on a terminal of so many columns, 100 when true; all output is then in `stdout`, with CR LF, as `runCli` returns it. */
type HereOptions = Pick<CliOptions, 'cwd' | 'env' | 'input' | 'tty'>;
export type HereResult = Pick<CliResult, 'code' | 'stdout' | 'stderr'>;

let running = false;

/** Runs `qrctl ...args` to its end, as `runCli` does. One at a time: directory, variables and streams are those of this process. */
export async function runHere(
  args: string[],
  { cwd, env, input, tty = false }: HereOptions = {},
): Promise<HereResult> {
  if (running) throw new Error('another run is under way here: use runByDay for several at once');
  running = true;
  const before = { cwd: process.cwd(), env: process.env };
  const home = await mkdtemp(join(tmpdir(), 'qrctl-test-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const columns = tty === true ? 100 : tty || undefined;
  const [stdout, stderr] = [capture(process.stdout, columns), capture(process.stderr, columns)];
  const stdin = vi
    .spyOn(process, 'stdin', 'get')
    .mockReturnValue((columns === undefined ? pipe(input) : keyboard(input)) as typeof process.stdin);
  process.chdir(cwd ?? home);
  process.env = bareEnv(home, env);
  try {
    const code = await main(
      args,
      () => app,
      () => undefined,
    );
    if (columns === undefined)
      return withoutGaps(args, { code, stdout: textOf(stdout.chunks), stderr: textOf(stderr.chunks) });
    const shown = [...stdout.chunks, ...stderr.chunks].sort((a, b) => a.order - b.order);
    return { code, stdout: textOf(shown).replaceAll('\n', '\r\n'), stderr: '' };
  } finally {
    process.env = before.env;
    process.chdir(before.cwd);
    for (const mocked of [stdin, stdout, stderr]) mocked.mockRestore();
    running = false;
  }
}

function pipe(input: string | Uint8Array = ''): Readable {
  return Readable.from([Buffer.from(input)]);
}

/** Standard input of a terminal: what is typed, and no end. */
function keyboard(input: string | Uint8Array = ''): Readable {
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => keys });
  keys.write(input);
  return keys;
}

/** The last run that `runByDay` began: the next one waits for it. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `qrctl ...args` here, one after the other, with every change, and as it is built where QRCTL_SOAK=1 or where node gets arguments
 * too. For what a command does: that it does so as it is built is shown with every change by test/e2e/exit-codes.test.ts, and by each
 * that is started to be killed, stopped or limited.
 */
export function runByDay(args: string[], options: CliOptions = {}): Promise<HereResult> {
  if (SOAK || options.nodeArgs) return runCli(args, options);
  const mine = last.then(() => runHere(args, options));
  last = mine.catch(() => undefined);
  return mine;
}

interface Chunk {
  bytes: Buffer;
  /** Counts the writes to all streams. */
  order: number;
}

let written = 0;

const textOf = (chunks: readonly Chunk[]) => Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();

/** Collects what is written to a stream instead of writing it; with `columns`, the stream is a terminal. */
function capture(stream: NodeJS.WriteStream, columns: number | undefined) {
  const chunks: Chunk[] = [];
  const others = stream.rawListeners('error');
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk, ...more) => {
    chunks.push({ bytes: Buffer.from(chunk as Uint8Array), order: written++ });
    for (const done of more) if (typeof done === 'function') (done as () => void)();
    return true;
  });
  const { isTTY, columns: before } = stream;
  if (columns !== undefined) Object.assign(stream, { isTTY: true, columns });
  return {
    chunks,
    mockRestore() {
      spy.mockRestore();
      Object.assign(stream, { isTTY, columns: before });
      // A process ends with its listeners.
      for (const added of stream.rawListeners('error')) {
        if (!others.includes(added)) stream.off('error', added as () => void);
      }
    },
  };
}
