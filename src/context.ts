/** Commands read the environment from their context, not from `process`. */
import { version } from '../package.json';
import { ClosedPipeError, systemCode } from './base/errors.ts';
import type { RunFacts } from './base/run/run-summary.ts';
import { listenForSignals } from './base/run/signals.ts';
import { createUsedFiles, type UsedFiles } from './base/run/used-files.ts';
import { isSwitchedOn } from './base/text/switched-on.ts';
import { type Clock, formatDuration, systemClock } from './base/time/time.ts';
import type { CodeCache, Workspace } from './codes/listing/code-cache.ts';
import type { Processes } from './files/durable/replace-file.ts';
import type { Service } from './service/service.ts';
import type { ServiceEvents } from './service/service-options.ts';
import type { ConnectedSettings, SettingFlags, Settings } from './settings/settings.ts';
import { readStore } from './settings/store.ts';
import { type Console, createConsole } from './terminal/console.ts';
import { isPiped } from './terminal/stdout-writer.ts';
import { spacedPaths } from './terminal/wrap-words.ts';

export type { ConnectedSettings };

export interface Context {
  console: Console;
  clock: Clock;
  /** Aborted by SIGINT, SIGTERM, SIGHUP (InterruptedError) or a closed standard output (ClosedPipeError). */
  signal: AbortSignal;
  env: NodeJS.Dict<string>;
  /** Executable and first arguments that run this program again. */
  self: { command: string; args: readonly string[] };
  processes: Processes;
  facts: RunFacts;
  files: UsedFiles;
  /** Global flags as typed. Most commands need `settings()` instead. */
  flags: SettingFlags & ConsoleFlags;
  stdin: AsyncIterable<Uint8Array>;
  /** Adds the run's --profile and --base-url to commands in a text. */
  propose(text: string): string;
  /** Returns the effective settings, read from disk once. */
  settings(): Promise<Settings>;
  service(): Promise<Service>;
  /** Returns settings with a key. Throws AuthError without one, and UsageError without a base URL. */
  connected(): Promise<ConnectedSettings>;
  withKey(settings: Settings): Promise<Settings>;
  /** Creates a service that the caller must close. */
  connect(settings: ConnectedSettings): Promise<Service>;
  codeCache(workspace: Workspace): Promise<CodeCache>;
}

export interface ConsoleFlags {
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
  summary?: string;
}

export function createContext(flags: SettingFlags & ConsoleFlags, propose: Context['propose']) {
  const { env, stdout, stderr } = process;
  const interruption = listenForSignals(process);
  let stdin: typeof process.stdin | undefined;
  const openStdin = () => {
    stdin ??= process.stdin;
    return stdin;
  };
  const { signal } = interruption;
  // Until settings are resolved, only the variable ACCESSIBLE counts.
  let isAccessible = isSwitchedOn(env.ACCESSIBLE);
  const console = createConsole({
    get stdin() {
      return openStdin();
    },
    stdout,
    stderr,
    env,
    quiet: flags.quiet ?? false,
    verbose: flags.verbose ?? false,
    noColor: flags.color === false,
    clock: systemClock,
    signal,
    isPiped,
    isAccessible: () => isAccessible,
    wholePaths: () => spacedPaths(process),
    propose,
    onClosedPipe: () => interruption.abort(new ClosedPipeError('standard output was closed')),
  });
  const settings = once(async () => {
    const { resolveSettings } = await import('./settings/resolve.ts');
    const resolved = resolveSettings(flags, env, await readStore(env));
    isAccessible = resolved.accessible;
    for (const note of resolved.notes) console.note(note);
    return resolved;
  });
  const connect = async (given: ConnectedSettings) => {
    const [{ createService }, { createCodeCache }, { outsideName, refusedKeyHint }] = await Promise.all([
      import('./service/create-service.ts'),
      import('./codes/listing/code-cache.ts'),
      import('./settings/resolve-key.ts'),
    ]);
    return createService({
      ...given,
      slugStore: createCodeCache(process, given),
      userAgent: `qrctl/${version}`,
      keyHint: refusedKeyHint(given),
      // Omits the profile for a key from the environment, which belongs to no profile.
      profile: outsideName(given.keySource) === undefined ? given.profile : undefined,
      clock: systemClock,
      signal,
      env,
      events: eventsFor(console),
    });
  };
  const withKey = async (given: Settings) => {
    if (given.pendingKey === undefined) return given;
    const { loadKey } = await import('./settings/load-key.ts');
    const { canAsk, note } = console;
    return loadKey(given, { env, clock: systemClock, signal, canAsk, note });
  };
  const connected = once(async () => {
    const [{ requireBaseUrl, requireKey }, given] = await Promise.all([
      import('./settings/resolve-key.ts'),
      settings(),
    ]);
    requireBaseUrl(given, env);
    return requireKey(await withKey(given));
  });
  const service = once(async () => connect(await connected()));
  const facts: RunFacts = {};

  return {
    console,
    clock: systemClock,
    signal,
    env,
    self: selfOf(process),
    processes: ownProcesses,
    flags,
    facts,
    files: createUsedFiles(),
    propose,
    get stdin() {
      return openStdin();
    },
    settings,
    service,
    connected,
    withKey,
    connect,
    async codeCache(workspace: Workspace) {
      return (await import('./codes/listing/code-cache.ts')).createCodeCache(process, workspace);
    },
    async account() {
      const profile = (await settings.made())?.profile ?? flags.profile ?? env.QRCTL_PROFILE;
      return { profile, stats: (await service.made())?.stats() };
    },
    async dispose() {
      console.activeProgress().stop();
      await (await service.made())?.close();
      interruption.stopListening();
      if (stdin && (stdin.readableFlowing !== null || stdin.readableDidRead)) stdin.destroy();
    },
  };
}

/** Returns a function that calls `make` only once. `made` returns the result, if it exists. */
function once<T>(make: () => Promise<T>): (() => Promise<T>) & { made(): Promise<T | undefined> } {
  let value: Promise<T> | undefined;
  const get = () => {
    value ??= make();
    return value;
  };
  return Object.assign(get, { made: async () => value?.catch(() => undefined) });
}

function eventsFor(console: Console): ServiceEvents {
  return {
    request: ({ method, path, status, ms, remaining }) =>
      console.verbose(
        `${method} ${path} ${status ?? 'failed'} ${Math.round(ms)} ms, ${remaining ?? '?'} requests left`,
      ),
    pause: ({ ms }) => console.activeProgress().pause(ms),
    resume: () => console.activeProgress().resume(),
    // Only --verbose shows the first retry (attempt 2), which usually follows within 200 ms.
    retry({ reason, ms, attempt }) {
      const line = `${reason}; retrying in ${formatDuration(ms)}`;
      if (attempt > 2) console.note(line);
      else console.verbose(line);
    },
  };
}

export const ownProcesses: Processes = {
  pid: process.pid,
  isRunning(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return systemCode(error) === 'EPERM';
    }
  },
};

/** Returns the command that runs qrctl again. A single executable needs no script argument. */
function selfOf({ execPath, execArgv, argv: [, script = ''] }: NodeJS.Process): Context['self'] {
  return { command: execPath, args: script === execPath ? [] : [...execArgv, script] };
}
