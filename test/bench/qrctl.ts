/** The built command, as benchmarks run it. */
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/qrctl.js', import.meta.url));

/** What node is told to run. */
export function qrctl(...args: string[]): string[] {
  return [process.execPath, BIN, ...args];
}

/**
 * The environment of a run: this one, the sandbox, and a home without a config, found as anybody's is. Without NODE_EXTRA_CA_CERTS, which
 * node reads whole at every start: it would make everything else look small.
 */
export function environment(
  sandbox: { env: Record<string, string> },
  directory: string,
): Record<string, string | undefined> {
  return {
    ...process.env,
    NODE_EXTRA_CA_CERTS: undefined,
    ...sandbox.env,
    QRCTL_CONFIG_DIR: undefined,
    XDG_CONFIG_HOME: undefined,
    XDG_CACHE_HOME: undefined,
    QRCTL_STATE_DIR: undefined,
    XDG_STATE_HOME: undefined,
    HOME: directory,
  };
}
