/** Tasks of the benchmark: the built command and the programs that a user would take instead. */
import { spawnSync } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withDefaults } from '#sandbox/options';
import { createWorkspace } from '#sandbox/workspace';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { type Contestant, compare, type Result } from './measure.ts';
import { checkBytes, checkCells, truthOf } from './truth.ts';

export interface Measured {
  task: string;
  results: Result[];
}

type Task = (directory: string, size: { scans: number; rows: number; rounds: number }) => Promise<Measured[]>;
type SandboxOptions = Parameters<typeof startSandboxProcess>[0];
type Env = Record<string, string | undefined>;

const BIN = fileURLToPath(new URL('../../bin/qrctl.js', import.meta.url));
const PEERS = fileURLToPath(new URL('../../test/bench/peers', import.meta.url));
const NODE = process.execPath;
/** The interpreter itself, without the wrapper of a version manager. */
const PYTHON = spawnSync('python3', ['-c', 'import sys; print(sys.executable)']).stdout?.toString().trim();

const qrctl = (...args: string[]) => [NODE, BIN, ...args];
const peer = (program: string, file: string, ...args: string[]) => [program, join(PEERS, file), ...args];

/** A terminal of util-linux for the output of a command whose words need no quotes. */
const onTerminal = (...command: string[]) => ['script', '-q', '-e', '-c', command.join(' '), '/dev/null'];

/** Runs `work` on a sandbox, in an environment without configuration and without cached code or slugs. */
async function withSandbox(
  options: SandboxOptions,
  directory: string,
  work: (env: Env) => Promise<Measured[]>,
): Promise<Measured[]> {
  const sandbox = await startSandboxProcess({ limit: 1e9, codeLimit: 1e9, ...options });
  const unset = [
    'QRCTL_CONFIG_DIR',
    'QRCTL_STATE_DIR',
    'XDG_CONFIG_HOME',
    'XDG_CACHE_HOME',
    'XDG_STATE_HOME',
  ];
  // Node reads extra certificates at each start, which would make all else look small.
  unset.push('NODE_EXTRA_CA_CERTS');
  const without = Object.fromEntries(unset.map((name) => [name, undefined]));
  try {
    return await work({ ...process.env, ...without, ...sandbox.env, HOME: directory });
  } finally {
    await sandbox.close();
  }
}

/** Scans of one code to CSV, four requests in flight. The sandbox has its pages ready. */
const exported: Task = (directory, { scans, rounds }) => {
  const { id, truth } = truthOf(scans);
  const path = join(directory, 'scans.csv');
  const peers = [
    { name: 'node:http, JSON.parse', command: peer(NODE, 'bare.mjs', path) },
    { name: 'Python, http.client, csv', command: peer(PYTHON, 'export.py', path) },
    { name: 'curl --parallel, jq', command: peer('bash', 'curl-jq.sh', path) },
  ].map((one): Contestant => ({ ...one, check: () => checkCells(path, truth) }));
  // After the last scan, and the same in each run, because the sandbox keeps its pages by request.
  const command = qrctl('scans', 'export', id, '--until', '2025-02-01', '-qo', path, '--overwrite');
  const own: Contestant = { name: 'qrctl scans export', command, check: () => checkBytes(path, truth) };
  const options = { codes: 1, scans, scanOrder: 'asc', prepared: true } as const;
  return withSandbox(options, directory, async (env) => [
    {
      task: `${scans.toLocaleString('en')} scans to CSV`,
      results: await compare([...peers, own], { ...env, CODE: id }, rounds),
    },
  ]);
};

const started: Task = (directory, { rounds }) =>
  withSandbox({ codes: 25, scans: 10 }, directory, async (env) => {
    const texts = [
      { name: 'node -e 0', command: [NODE, '-e', '0'] },
      { name: 'qrctl --version', command: qrctl('--version') },
      { name: 'qrctl --help', command: qrctl('--help') },
      { name: 'qrctl completion bash', command: qrctl('completion', 'bash') },
      { name: 'Tab: slugs of codes', command: qrctl('__complete', 'qr', 'get', '') },
    ];
    const lists = [
      { name: 'node:http, one GET', command: peer(NODE, 'get.cjs') },
      { name: 'qrctl qr list', command: qrctl('qr', 'list') },
    ];
    return [
      { task: 'Start', results: await compare(texts, env, 2 * rounds) },
      { task: 'A list of 25 codes', results: await compare(lists, env, 2 * rounds) },
    ];
  });

const listed: Task = (directory, { rounds }) =>
  withSandbox({ codes: 4000, scans: 0 }, directory, async (env) => {
    const contestants = [
      { name: 'node:http, 40 GETs in turn', command: peer(NODE, 'get.cjs', '40') },
      { name: 'qrctl qr list -f csv', command: qrctl('qr', 'list', '-f', 'csv') },
      { name: 'qrctl qr list, table', command: onTerminal(...qrctl('qr', 'list')) },
    ];
    return [{ task: 'A list of 4,000 codes', results: await compare(contestants, env, rounds) }];
  });

const NEW_ROWS = 10;

/** Ten new rows for a short and a long file. */
const appended: Task = (directory, { scans, rounds }) => {
  const long = 10 * scans;
  const options = {
    codes: 1,
    scans: long + NEW_ROWS * (rounds + 2),
    scanOrder: 'asc',
    tieSize: 1,
  } as const;
  const workspace = createWorkspace(withDefaults(options), () => 0);
  const [{ id = '' } = {}] = workspace.codes();
  /** Returns the time of the n-th scan, which has n before it. */
  const timeOf = (n: number) => {
    const query = { page: n + 1, limit: 1, sinceMs: undefined, untilMs: undefined, nowMs: 0, turn: 0 };
    return String(JSON.parse(workspace.log(id)?.page(query).rows[0] ?? '{}').ts);
  };
  return withSandbox(options, directory, async (env) => {
    const begin = async (rows: number): Promise<Contestant> => {
      const path = join(directory, `append-${rows}.csv`);
      const command = (...more: string[]) => qrctl('scans', 'export', id, '-qo', path, '--append', ...more);
      const first = command('--since', timeOf(long - rows), '--until', timeOf(long));
      spawnSync(first[0] as string, first.slice(1), { env, stdio: 'inherit' });
      let { size } = await stat(path);
      let round = 0;
      return {
        name: `${NEW_ROWS} new rows after ${rows.toLocaleString('en')}`,
        get command() {
          round += 1;
          return command('--until', timeOf(long + round * NEW_ROWS));
        },
        async check() {
          const grown = (await stat(path)).size - size;
          size += grown;
          if (grown < 50 * NEW_ROWS || grown > 200 * NEW_ROWS)
            throw new Error(`${path} grew by ${grown} bytes`);
        },
      };
    };
    const contestants = [await begin(20_000), await begin(long)];
    return [{ task: 'scans export --append', results: await compare(contestants, env, rounds) }];
  });
};

/** Codes from a file, each once, compared with a script without a ledger. */
const created: Task = async (directory, { rows, rounds }) => {
  const input = join(directory, 'codes.csv');
  let series = 0;
  /** Writes rows that no run created: existing codes are not created again. */
  const writeNew = async () => {
    series += 1;
    const lines = Array.from(
      { length: rows },
      (_, i) => `Poster ${series}/${i},url,https://example.com/${i}\n`,
    );
    await writeFile(input, `name,type,destination\n${lines.join('')}`);
  };
  await writeNew();
  const command = qrctl('qr', 'create', '--from', input, '-q', '--results', join(directory, 'results.csv'));
  const contestants = [
    { name: 'fetch, no ledger', command: peer(NODE, 'create.mjs', input), check: writeNew },
    { name: 'qrctl qr create --from', command: [...command, '--overwrite'], check: writeNew },
  ];
  return withSandbox({ codes: 0 }, directory, async (env) => [
    { task: `${rows.toLocaleString('en')} codes created`, results: await compare(contestants, env, rounds) },
  ]);
};

export const TASKS: Readonly<Record<string, Task>> = {
  start: started,
  list: listed,
  create: created,
  append: appended,
  export: exported,
};
