/** Creating a thousand codes from a file, each exactly once, beside a script that promises nothing. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { compare } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';

const ROWS = 1000;
const PEER = fileURLToPath(new URL('../../test/bench/peers/create.mjs', import.meta.url));

export async function bulk(directory: string): Promise<Report[]> {
  const input = join(directory, 'codes.csv');
  const results = join(directory, 'codes.results.csv');
  let series = 0;
  /** Rows that no run has created: rows whose codes exist are not created again. */
  const writeNew = async () => {
    series += 1;
    const rows = Array.from(
      { length: ROWS },
      (_, i) => `Poster ${series}/${i},url,https://www.example.com/${series}/${i}\n`,
    );
    await writeFile(input, `name,type,destination\n${rows.join('')}`);
  };
  await writeNew();
  const sandbox = await startSandboxProcess({ codes: 0, limit: 1e9, codeLimit: 1e9 });
  try {
    const contestants = [
      { name: 'fetch, no ledger', command: [process.execPath, PEER, input], check: writeNew },
      {
        name: 'qrctl qr create --from',
        command: qrctl('qr', 'create', '--from', input, '--results', results, '--overwrite', '--quiet'),
        check: writeNew,
      },
    ];
    const measured = await compare(contestants, environment(sandbox, directory), { rounds: 5 });
    return [{ title: `${ROWS} codes created, four requests in flight`, results: measured, notes: [] }];
  } finally {
    await sandbox.close();
  }
}
