/**
 * A machine with nothing but the executable: an empty directory, an empty environment, no node on the PATH. Everything people do is done
 * there, and an append and a bulk create are killed in the middle and run again.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROWS = 40;
const SCANS = 3000;

/** Makes the executable below `directory` and does the jobs; throws at the first that does not do what it should. Resolves to their names. */
export async function tryExecutable(directory) {
  const qrctl = join(directory, 'alone', 'qrctl');
  const made = spawnSync(process.execPath, ['src/build/executable.mjs', qrctl], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`the executable was not made\n${made.stderr}`);
  const cwd = join(directory, 'alone', 'empty');
  mkdirSync(cwd);
  const env = { HOME: cwd, PATH: '/nowhere' };
  const sandbox = spawn(qrctl, ['sandbox', '--codes', '2', '--scans', `${SCANS}`, '--latency', '20ms'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await signIn(sandbox, qrctl, { cwd, env });
    for (const [name, job] of Object.entries(JOBS)) await job(createRunner(name, qrctl, { cwd, env }));
    return ['sandbox', 'login', ...Object.keys(JOBS)];
  } finally {
    sandbox.kill();
  }
}

/** The key goes into the config directory, so that nothing of it is in the environment afterwards. */
async function signIn(sandbox, qrctl, { cwd, env }) {
  let said = '';
  for await (const chunk of sandbox.stdout) {
    said += chunk;
    if (/QRCTL_API_KEY=.*\n/.test(said)) break;
  }
  const [, url] = /^QRCTL_BASE_URL=(.*)$/m.exec(said) ?? [];
  const [, key] = /^QRCTL_API_KEY=(.*)$/m.exec(said) ?? [];
  const login = spawnSync(qrctl, ['auth', 'login', '--base-url', url, '--key-stdin'], {
    cwd,
    env,
    input: key,
    encoding: 'utf8',
  });
  if (login.status !== 0) throw new Error(`login ended with ${login.status}\n${login.stderr}`);
}

const JOBS = {
  version: ({ cli, expect }) => expect(/^\d+\.\d+\.\d+$/.test(cli('--version').trim())),
  help: ({ cli, expect }) => {
    expect(cli('qr', 'create', '--help').includes('--from'));
    expect(cli('help', 'licences').includes('MIT') && cli('completion', 'bash').includes('complete'));
  },
  list: ({ cli, expect }) => expect(cli('qr', 'list', '--ids').trim().split('\n').length === 2),
  'append, killed and resumed': async ({ cli, kill, lines, expect }) => {
    const append = ['scans', 'export', '--all', '-o', 'scans.ndjson', '--append', '--quiet'];
    for (const afterMs of [120, 200, 300]) await kill(append, afterMs);
    cli(...append);
    const rows = lines('scans.ndjson');
    expect(rows.length === 2 * SCANS && new Set(rows).size === rows.length);
  },
  'bulk create, killed and resumed': async ({ cli, kill, lines, write, expect }) => {
    const names = Array.from({ length: ROWS }, (_, n) => `shelf ${n}`);
    write(
      'codes.csv',
      `name,destination\n${names.map((name) => `${name},https://example.com/`).join('\n')}\n`,
    );
    const create = ['qr', 'create', '--from', 'codes.csv', '--quiet', '--settle', '100ms'];
    for (const afterMs of [150, 250]) await kill(create, afterMs);
    cli(...create);
    expect(lines('codes.results.csv').filter((line) => /,(created|adopted),$/.test(line)).length === ROWS);
    expect(cli('qr', 'list', '--name', 'shelf', '--ids').trim().split('\n').length === ROWS);
  },
  'workbook, Parquet and NDJSON': ({ cli, read, lines, expect }) => {
    for (const file of ['all.xlsx', 'all.parquet', 'all.ndjson'])
      cli('scans', 'export', '--all', '-o', file, '--quiet');
    expect(
      read('all.xlsx').toString('latin1', 0, 2) === 'PK' &&
        read('all.parquet').toString('latin1', 0, 4) === 'PAR1',
    );
    expect(lines('all.ndjson').length === 2 * SCANS);
  },
  'dataset, and its figures': ({ cli, expect }) => {
    cli(
      'scans',
      'export',
      '--all',
      '--output-dir',
      'lake',
      '-f',
      'parquet',
      '--partition-by',
      'month',
      '--append',
      '--quiet',
    );
    const rows = JSON.parse(
      cli('scans', 'stats', '--input', 'lake', '--by', 'code', '-f', 'json', '--quiet'),
    );
    expect(rows.reduce((sum, { scans }) => sum + scans, 0) === 2 * SCANS);
  },
  'pictures, labels and report': ({ cli, read, expect }) => {
    const shortUrl = ['--short-url', 'https://example.com/{slug}'];
    cli(
      'qr',
      'image',
      '--all',
      ...shortUrl,
      '--output-dir',
      'pictures',
      '--as',
      'png,svg,pdf,eps',
      '--quiet',
    );
    cli(
      'qr',
      'image',
      '--all',
      ...shortUrl,
      '--sheet',
      'L7160',
      '--caption',
      'name',
      '-o',
      'labels.pdf',
      '--quiet',
    );
    cli('scans', 'report', '--all', '-o', 'report.html', '--quiet');
    expect(read('labels.pdf').toString('latin1', 0, 4) === '%PDF' && read('report.html').includes('<svg'));
  },
};

/** What a job is given; `kill` runs a command for so long and kills it. */
function createRunner(name, qrctl, { cwd, env }) {
  const read = (file) => readFileSync(join(cwd, file));
  return {
    read,
    lines: (file) => read(file).toString('utf8').trimEnd().split('\n'),
    write: (file, text) => writeFileSync(join(cwd, file), text),
    expect(holds) {
      if (!holds) throw new Error(`the executable, alone: ${name} did not do what it should`);
    },
    cli(...args) {
      const { status, stdout, stderr } = spawnSync(qrctl, args, {
        cwd,
        env,
        encoding: 'utf8',
        maxBuffer: 1 << 26,
      });
      if (status !== 0)
        throw new Error(`the executable, alone: ${args.join(' ')} ended with ${status}\n${stderr}`);
      return stdout;
    },
    kill(args, afterMs) {
      const child = spawn(qrctl, args, { cwd, env, stdio: 'ignore' });
      const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
      return new Promise((resolve) => {
        child.on('close', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}
