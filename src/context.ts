/**
 * What a command is given: console, settings, service, clock, signal. The only reader of `process`; a test builds one with
 * its own streams, environment and clock.
 */
import type { Console } from './output/console.ts';
import type { Processes } from './output/whole-file.ts';
import type { Service } from './service/service.ts';
import type { SettingFlags, Settings } from './settings/settings.ts';
import type { Clock } from './time.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Context {
  readonly console: Console;
  readonly clock: Clock;
  /** Aborted by SIGINT and SIGTERM (reason: InterruptedError) and by a closed standard output (ClosedPipeError). */
  readonly signal: AbortSignal;
  readonly env: Environment;
  /** How to run this very program again: an executable and its first arguments (node and the file it was started with). */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  /** Our own process id, and which others still run: names of temporary files carry it. */
  readonly processes: Processes;
  /** The global flags as typed; most commands want `settings()`. */
  readonly flags: SettingFlags;
  /** Standard input as bytes; read at most once. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** The settings in force: flag > variable > profile > default. Read from disk once, when first asked for. */
  settings(): Promise<Settings>;
  /** The service behind those settings, with key; throws AuthError or UsageError where one is missing. Made once. */
  service(): Promise<Service>;
}
