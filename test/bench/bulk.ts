/** Creating a thousand codes from a file, each exactly once, beside a script that promises nothing. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { compare } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';

const ROWS = 1000;
const PEER = new URL('../../test/bench/peers/create.mjs', import.meta.url).pathname;

export async function bulk(directory: string): Promise<Report[]> {
  const input = join(directory, 'codes.csv');
  const results = join(directory, 'codes.results.csv');
  const rows = Array.from({ length: ROWS }, (_, i) => `Poster ${i},url,https://www.example.com/${i}\n`);
  await writeFile(input, `name,type,destination\n${rows.join('')}`);
  const sandbox = await startSandboxProcess({ codes: 0, limit: 1e9, codeLimit: 1e9 });
  try {
    const contestants = [
      { name: 'fetch, no journal', command: [process.execPath, PEER, input] },
      {
        name: 'qrctl qr create --from',
        command: qrctl('qr', 'create', '--from', input, '--results', results, '--quiet'),
        check: () => forget(directory),
      },
    ];
    const measured = await compare(contestants, environment(sandbox, directory), { rounds: 5 });
    return [{ title: `${ROWS} codes created, four requests in flight`, results: measured, notes: [] }];
  } finally {
    await sandbox.close();
  }
}

/** Or the next run would find that all rows are created. */
async function forget(directory: string): Promise<void> {
  const { readdir } = await import('node:fs/promises');
  for (const name of await readdir(directory)) {
    if (name.includes('codes') && name !== 'codes.csv') await rm(join(directory, name), { recursive: true });
  }
}
