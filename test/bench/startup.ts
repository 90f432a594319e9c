/** How long it takes until the command has said what it was asked, beside a node that is asked nothing. */
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { compare } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';

export async function startup(directory: string): Promise<Report[]> {
  const sandbox = await startSandboxProcess({ codes: 25, scans: 10, limit: 1e9 });
  try {
    const contestants = [
      { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
      { name: 'qrctl --version', command: qrctl('--version') },
      { name: 'qrctl --help', command: qrctl('--help') },
      { name: 'qrctl completion bash', command: qrctl('completion', 'bash') },
      { name: 'qrctl qr list', command: qrctl('qr', 'list') },
      // A system that names no place to keep what was compiled.
      { name: 'qrctl qr list, compiled anew', command: ['env', '-u', 'HOME', '-u', 'XDG_CACHE_HOME', ...qrctl('qr', 'list')] },
    ];
    const notes = ['qr list asks a sandbox for 25 codes'];
    const env = environment(sandbox, directory);
    const reports = [{ title: 'Start-up', results: await compare(contestants, env, { rounds: 25 }), notes }];
    const { NODE_EXTRA_CA_CERTS } = process.env;
    if (NODE_EXTRA_CA_CERTS === undefined) return reports;
    const results = await compare(contestants, { ...env, NODE_EXTRA_CA_CERTS }, { rounds: 25 });
    return [...reports, { title: 'Start-up with the NODE_EXTRA_CA_CERTS of this machine', results, notes }];
  } finally {
    await sandbox.close();
  }
}
