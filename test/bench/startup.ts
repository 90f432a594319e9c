/** How long it takes until the command has said what it was asked, beside a node that is asked nothing. */
import { fileURLToPath } from 'node:url';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { compare } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';

const GET = fileURLToPath(new URL('../../test/bench/peers/get.cjs', import.meta.url));

export async function startup(directory: string): Promise<Report[]> {
  const sandbox = await startSandboxProcess({ codes: 25, scans: 10, limit: 1e9 });
  try {
    const texts = [
      { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
      { name: 'qrctl --version', command: qrctl('--version') },
      { name: 'qrctl completion bash', command: qrctl('completion', 'bash') },
      { name: 'qrctl --help', command: qrctl('--help') },
      { name: 'qrctl scans export --help', command: qrctl('scans', 'export', '--help') },
    ];
    const lists = [
      { name: 'one GET by node:http, printed', command: [process.execPath, GET] },
      { name: 'qrctl qr list', command: qrctl('qr', 'list') },
      // A system that names no place to keep what was compiled.
      {
        name: 'qrctl qr list, compiled anew',
        command: ['env', '-u', 'HOME', '-u', 'XDG_CACHE_HOME', ...qrctl('qr', 'list')],
      },
    ];
    const seen = [
      { name: 'one GET, shown by node', command: onTerminal(process.execPath, GET) },
      { name: 'qrctl qr list, shown as a table', command: onTerminal(...qrctl('qr', 'list')) },
    ];
    const env = environment(sandbox, directory);
    const rounds = { rounds: 21 };
    return [
      { title: 'Texts', results: await compare(texts, env, rounds), notes: [] },
      {
        title: 'One request',
        results: await compare(lists, env, rounds),
        notes: ['a sandbox is asked for 25 codes'],
      },
      {
        title: 'The same on a terminal',
        results: await compare(seen, env, rounds),
        notes: ["util-linux's script is the terminal"],
      },
    ];
  } finally {
    await sandbox.close();
  }
}

/** A command with a terminal for its output; none of these words needs quotes. */
function onTerminal(...command: string[]): string[] {
  return ['script', '--quiet', '--return', '--command', command.join(' '), '/dev/null'];
}
