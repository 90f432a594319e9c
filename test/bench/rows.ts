/** Peak memory and time of bulk files of 140,000 rows, each way that a file comes back, beside a script that only sends them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { type Contestant, compare } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';

const ROWS = 140_000;
const PEER = fileURLToPath(new URL('../../test/bench/peers/create.mjs', import.meta.url));
const HEADER = 'name,type,destination,shelf\n';

export async function rows(directory: string): Promise<Report[]> {
  const file = (name: string) => join(directory, name);
  const input = file('rows.csv');
  const linesOf = (host: string) =>
    Array.from({ length: ROWS }, (_, n) => `Poster ${n},url,https://${host}/page/${n},shelf ${n % 997}\n`);
  const lines = linesOf('www.example.com');
  const write = (some: readonly string[]) => writeFile(input, HEADER + some.join(''));
  // The codes of the script are not those of the rows.
  await write(linesOf('other.example.com').map((line) => `Other ${line}`));

  const create = (...flags: string[]) =>
    qrctl('qr', 'create', '--from', input, '--quiet', '-o', file('printed.csv'), ...flags);
  const change = (verb: string, ...flags: string[]) =>
    qrctl('qr', verb, '--from', file('changes.csv'), '--quiet', '-o', file('printed.csv'), ...flags);
  const offline = create('--offline').filter((word) => word !== '-o' && word !== file('printed.csv'));
  /** Each goes on where the one before it ended. */
  const contestants: Contestant[] = [
    { name: 'fetch, no ledger', command: [process.execPath, PEER, input], check: () => write(lines) },
    { name: 'create --offline', command: offline },
    { name: 'create --dry-run', command: create('--dry-run') },
    { name: 'create', command: create(), check: () => write([...lines].sort()) },
    { name: 'create again, sorted', command: create(), check: () => write(lines) },
    { name: 'create again, without the ledger', command: create('--ledger', file('other.jsonl')) },
    {
      name: 'create again',
      command: create(),
      check: () => write(lines.map((line) => line.replace('.com/', '.org/'))),
    },
    {
      name: 'create again, all edited, --dry-run',
      command: create('--dry-run'),
      check: () => writeChanges(directory),
    },
    { name: 'update --dry-run', command: change('update', '--dry-run') },
    { name: 'update', command: change('update', '--results', file('updated.csv')) },
    { name: 'delete --dry-run', command: change('delete', '--yes', '--dry-run') },
    { name: 'delete', command: change('delete', '--yes', '--results', file('deleted.csv')) },
  ];
  const sandbox = await startSandboxProcess({ codes: 0, limit: 1e9, codeLimit: 1e9 });
  try {
    const results = await compare(contestants, environment(sandbox, directory), { rounds: 1, warmUp: false });
    return [
      {
        title: `${ROWS.toLocaleString('en')} rows, four requests in flight; one run of each`,
        results,
        notes: [],
      },
    ];
  } finally {
    await sandbox.close();
  }
}

/** A file that changes the destination of each code that was created. */
async function writeChanges(directory: string): Promise<void> {
  const [header = '', ...lines] = (await readFile(join(directory, 'rows.results.csv'), 'utf8'))
    .trim()
    .split('\n');
  const [id, slug] = ['id', 'slug'].map((name) => header.split(',').indexOf(name));
  const changes = lines.map((line, n) => {
    const cells = line.split(',');
    return `${cells[id ?? 0]},${cells[slug ?? 0]},https://www.example.net/new/${n}\n`;
  });
  await writeFile(join(directory, 'changes.csv'), `id,slug,destination\n${changes.join('')}`);
}
