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
    ];
    const results = await compare(contestants, environment(sandbox, directory), { rounds: 25 });
    return [{ title: 'Start-up', results, notes: ['qr list asks a sandbox for 25 codes'] }];
  } finally {
    await sandbox.close();
  }
}
