/** A sandbox without a rate limit, an empty directory, and commands that run there. */
import { join } from 'node:path';
import type { SandboxOptions } from '#sandbox/options';
import { useDirectory } from './cli.ts';
import { runByDay } from './run-here.ts';
import { useSandbox } from './sandbox.ts';

export async function useJob(options: SandboxOptions = {}) {
  const sandbox = await useSandbox({ limit: 1_000_000, ...options });
  const cwd = await useDirectory();
  const run = (...args: string[]) => runByDay(args, { cwd, env: sandbox.env });
  return {
    sandbox,
    cwd,
    run,
    at: (name: string) => join(cwd, name),
    /** Runs a command, and counts its requests. */
    async counted(...args: string[]) {
      const before = sandbox.requests.length;
      const result = await run(...args);
      return { ...result, requests: sandbox.requests.length - before };
    },
  };
}
