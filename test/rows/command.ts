/** Runs the built command: in this process with instant waits, or as a process of its own that is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface Ended {
  /** Undefined: the process was killed. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a run is killed: at one of its requests by `kill`, or at its n-th system call of a name. */
export type Kill =
  | { readonly at: 'request'; readonly n: number }
  | { readonly at: 'call'; readonly call: string; readonly n: number };

export interface Command {
  /** Runs it to its end. `onSleep` is told of each wait in milliseconds. */
  run(args: readonly string[], env: Record<string, string>): Promise<Ended>;
  /** Starts it to be killed. */
  start(
    args: readonly string[],
    env: Record<string, string>,
    kill: Kill,
  ): { readonly child: ChildProcess; readonly ended: Promise<Ended> };
}

type Main = (args: string[]) => Promise<number>;

const require = createRequire(import.meta.url);

/** Loads the command of `bin`. `onSleep` is told of each wait of a run. */
export function loadCommand(bin: string, onSleep: (ms: number) => void): Command {
  const time = join(dirname(bin), '..', 'test/rows/fast-time.cjs');
  const start = join(dirname(bin), '..', 'dist/start.js');
  let main: Main | undefined;
  return {
    async run(args, env) {
      const { install } = require(time) as { install: (tell: typeof onSleep) => () => void };
      const uninstall = install(onSleep);
      try {
        if (main) return await runHere(main, args, env);
        const loaded = (require(start) as { main: Main }).main;
        main = loaded;
        return await withoutCache(() => runHere(loaded, args, env));
      } finally {
        uninstall();
      }
    },
    start(args, env, kill) {
      const command = [process.execPath, '-r', time, bin, ...args];
      const inject =
        kill.at === 'call'
          ? traced(kill, env.QRCTL_STATE_DIR ?? '', dirname(args[args.indexOf('--from') + 1] ?? ''))
          : [];
      const [file = '', ...words] = [...inject, ...command];
      const all = { ...env, UV_THREADPOOL_SIZE: '1', QRCTL_TEST_SLEEPS: '1' };
      const child = spawn(file, words, { env: all, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
      return { child, ended: endOf(child, onSleep) };
    },
  };
}

/** Loads the command without its cache of compiled code, which it would write again after each run in one process. */
async function withoutCache<T>(run: () => Promise<T>): Promise<T> {
  const { getBuiltinModule } = process;
  process.getBuiltinModule = ((name: string) =>
    name === 'node:zlib' ? undefined : getBuiltinModule(name)) as typeof getBuiltinModule;
  try {
    return await run();
  } finally {
    Object.assign(process, { getBuiltinModule });
  }
}

/** Counts the calls on the files of the run only. */
function traced({ call, n }: Extract<Kill, { at: 'call' }>, state: string, directory: string): string[] {
  const ledger = join(state, 'ledger-1.jsonl');
  const files = ['codes.csv', 'codes.results.csv', 'codes.lock.json'].map((name) => join(directory, name));
  const paths = [state, ledger, directory, ...files].flatMap((path) => ['-P', path]);
  return [
    'strace',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    ...paths,
    '-e',
    'trace=all',
    '-e',
    `inject=${call}:signal=SIGKILL:when=${n}`,
  ];
}

async function endOf(child: ChildProcess, onSleep: (ms: number) => void): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (chunk) => {
      texts[name] += chunk;
    });
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n')) if (line !== '') onSleep(Number(line));
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code === null || code === 137 ? undefined : code, ...texts };
}

async function runHere(main: Main, args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const before = process.env;
  const streams = [process.stdout, process.stderr];
  const texts = ['', ''];
  const real = streams.map((stream) => stream.write);
  const listeners = streams.map((stream) => stream.rawListeners('error'));
  for (const [index, stream] of streams.entries())
    stream.write = ((chunk: string | Uint8Array, ...more: unknown[]) => {
      texts[index] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      for (const done of more) if (typeof done === 'function') done();
      return true;
    }) as typeof stream.write;
  process.env = { ...env };
  try {
    const code = await main([...args]);
    return { code, stdout: texts[0] ?? '', stderr: texts[1] ?? '' };
  } finally {
    process.env = before;
    for (const [index, stream] of streams.entries()) {
      stream.write = real[index] as typeof stream.write;
      for (const added of stream.rawListeners('error'))
        if (!listeners[index]?.includes(added)) stream.off('error', added as () => void);
    }
  }
}
