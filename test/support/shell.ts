/** Shell scripts as a user pastes them: `bash -e` in a directory of its own, with `qrctl` on the path. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { AMBIENT, useDirectory } from './cli.ts';
import { runByDay } from './run-here.ts';

interface Ended {
  status: number | null;
  stdout: string;
  /** The script, and what it wrote to standard error. */
  said: string;
}

/**
 * The `qrctl` on the path: it sends its arguments to this process, where `runByDay` runs them, and prints the result. Written with few
 * processes of its own, since the guides call it more than a hundred times.
 */
const SHIM = `#!/bin/bash
run="$QRCTL_RUNS/$$"
if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then cat > "$run.stdin"; fi
[ -r "/proc/$$/environ" ] || env -0 > "$run.env"
printf '%s\\0' "$PWD" "$@" > "$run.words"
exec 3<>"/dev/tcp/127.0.0.1/$QRCTL_RUNNER"
echo "$run" >&3
read -r code <&3
[ ! -s "$run.stderr" ] || cat "$run.stderr" >&2
[ ! -s "$run.stdout" ] || cat "$run.stdout"
exit "$code"
`;

/** A shell with the given variables; each script continues in the directory of the one before. */
export async function useShell(
  variables: Record<string, string>,
): Promise<(script: string) => Promise<Ended>> {
  const directory = await useDirectory();
  const [bin, runs, cwd] = ['bin', 'runs', 'home'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [bin, runs, cwd]) await mkdir(path);
  await writeFile(join(bin, 'qrctl'), SHIM);
  await chmod(join(bin, 'qrctl'), 0o755);
  const port = await startRunner();
  const env = {
    ...AMBIENT,
    TZ: 'UTC',
    HOME: cwd,
    QRCTL_RUNS: runs,
    QRCTL_RUNNER: String(port),
    ...variables,
    // The home directory that this process sees is the one it was started with.
    QRCTL_CONFIG_DIR: join(directory, 'config'),
    PATH: `${bin}:${process.env.PATH}`,
  };
  return async (script) => {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve, reject) =>
      child.once('error', reject).once('close', resolve),
    );
    const [status, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { status, stdout, said: `${script}\n${stderr}` };
  };
}

/** Runs what shims send, and resolves to the port it listens on. */
async function startRunner(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (line) => {
      run(String(line).trim()).then(
        (code) => socket.end(`${code}\n`),
        () => socket.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The strings that each end with a zero byte. */
function partsOf(bytes: Buffer): string[] {
  return [...String(bytes).matchAll(/([^\0]*)\0/g)].map(([, text = '']) => text);
}

/** Runs the arguments in the files of a shim, whose names begin with `prefix`, and writes the output there. Resolves to the exit code. */
async function run(prefix: string): Promise<number> {
  const list = async (name: string) => partsOf(await readFile(`${prefix}.${name}`));
  const [cwd = '', ...args] = await list('words');
  const entries = await readFile(`/proc/${basename(prefix)}/environ`).then(partsOf, () => list('env'));
  const env = Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
  const input = await readFile(`${prefix}.stdin`).catch(() => '');
  const { code, stdout, stderr } = await runByDay(args, { cwd, input, env });
  await writeFile(`${prefix}.stdout`, stdout);
  await writeFile(`${prefix}.stderr`, stderr);
  return code;
}
