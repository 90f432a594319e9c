/** The built command, as benchmarks run it. */
import { join } from 'node:path';

const BIN = new URL('../../bin/qrctl.js', import.meta.url).pathname;

/** What node is told to run. */
export function qrctl(...args: string[]): string[] {
  return [process.execPath, BIN, ...args];
}

/**
 * The environment of a run: this one, the sandbox, a config directory without a config, and a cache of its own. Without NODE_EXTRA_CA_CERTS, which
 * node reads whole at every start: it would make everything else look small.
 */
export function environment(sandbox: { env: Record<string, string> }, directory: string): Record<string, string | undefined> {
  return {
    ...process.env,
    NODE_EXTRA_CA_CERTS: undefined,
    ...sandbox.env,
    QRCTL_CONFIG_DIR: join(directory, 'config'),
    XDG_CACHE_HOME: join(directory, 'cache'),
  };
}
