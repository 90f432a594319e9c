/** A sandbox beside the tests of images, and commands in it, of the build in dist/. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface ImageSandbox {
  /** What a command needs to find it. */
  readonly env: Record<string, string | undefined>;
  /** Runs a command to its end and gives what it wrote. */
  run(args: readonly string[], options?: { node?: string; env?: Record<string, string> }): string;
  end(): void;
}

/** Of so many codes. `config`: a directory for its settings. */
export async function startSandbox(codes: number, config: string): Promise<ImageSandbox> {
  const started = spawn(
    process.execPath,
    ['bin/qrctl.js', 'sandbox', '--port', '0', '--codes', `${codes}`, '--scans', '1'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const env = { ...process.env, ...(await accessOf(started)), QRCTL_CONFIG_DIR: config };
  return {
    env,
    run: (args, { node = process.execPath, env: more = {} } = {}) =>
      execFileSync(node, ['bin/qrctl.js', ...args, '--quiet'], {
        encoding: 'utf8',
        env: { ...env, ...more },
      }),
    end: () => void started.kill(),
  };
}

async function accessOf({ stdout }: ChildProcess): Promise<Record<string, string>> {
  const access: Record<string, string> = {};
  if (!stdout) return access;
  for await (const line of createInterface({ input: stdout })) {
    const [name = '', value = ''] = line.split(/=(.*)/s);
    access[name] = value;
    if (Object.keys(access).length === 2) return access;
  }
  throw new Error('the sandbox did not start');
}
