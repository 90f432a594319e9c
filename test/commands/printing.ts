/** The parts of a context that printing needs. */
import { PassThrough } from 'node:stream';
import type { Context } from '#context';
import type { Service } from '#service/service';
import type { Settings } from '#settings/settings';
import { createConsole } from '#terminal/console';
import { fakeClock } from '../support/clock.ts';

/** `columns`: width of the terminal; undefined for a pipe. */
export function printingContext(columns?: number, settings: Partial<Settings> = {}) {
  const stream = () => Object.assign(new PassThrough(), { isTTY: columns !== undefined, columns });
  const [stdout, stderr] = [stream(), stream()];
  const console = createConsole({
    stdin: stream(),
    stdout,
    stderr,
    env: { NO_COLOR: '1' },
    quiet: false,
    verbose: false,
    noColor: false,
    clock: fakeClock(),
    signal: new AbortController().signal,
    onClosedPipe: () => undefined,
  });
  const rateLimit = () => ({ limit: 60, remaining: 60, resetInMs: 60_000 });
  const context = {
    console,
    facts: {},
    processes: { pid: 1, isRunning: () => false },
    settings: async () => settings as Settings,
    service: async () => ({ rateLimit }) as Partial<Service> as Service,
  } as Partial<Context> as Context;
  return { context, printed: () => String(stdout.read() ?? ''), said: () => String(stderr.read() ?? '') };
}
