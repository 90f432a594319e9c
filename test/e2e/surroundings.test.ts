/**
 * Every command in every surrounding: streams that are closed, full or gone, terminals that are narrow, wide or dumb, and the
 * variables that ask for color or against it. The list of commands is the program's own, so that none is forgotten. By day typical
 * commands are tried in five surroundings; with QRCTL_SOAK each command is tried in each.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '#base/text/display-width';
import { leaves } from '#cli/tree';
import { AMBIENT, BIN } from '../support/cli.ts';
import { freePort } from '../support/listen.ts';
import { SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox, withSandbox } from '../support/sandbox.ts';

interface Row {
  args: (sandbox: TestSandbox) => string[];
  input?: string;
  /** Command line that runs first, as in a quiet terminal. */
  before?: string[];
  /** What standard output holds when it is no terminal; `nothing` for commands that only talk. */
  prints: 'csv' | 'json' | 'lines' | 'nothing';
  /** The same bytes every time: no times of creation, ports or durations among them. */
  steady?: boolean;
  /** Needs its standard input: a usage error where that is closed. */
  reads?: boolean;
  /** Lines of a terminal may be longer than it: values that are copied, scripts, lists of checks. */
  wide?: boolean;
  /** Runs until it is ended, by SIGTERM here. */
  endless?: boolean;
  /** Takes seconds: only tried with QRCTL_SOAK. */
  slow?: boolean;
  /** Prints as many others do: tried by day. */
  typical?: boolean;
}

const COMMANDS: Record<string, Row> = {
  'qr list': { args: () => [], typical: true, prints: 'csv', steady: true },
  'qr get': { args: (s) => [s.codeId()], prints: 'json', steady: true, wide: true },
  'qr create': { args: () => ['--name', 'A "new" one', '--type', 'sms'], prints: 'json', wide: true },
  'qr create, from a file': { args: () => ['--from', 'codes.csv'], prints: 'csv' },
  'qr update': { args: (s) => [s.codeId(), '--status', 'paused'], prints: 'json', wide: true },
  'qr apply': { args: () => ['--from', 'keyed.csv', '--dry-run'], prints: 'csv', steady: true },
  'qr undo': {
    before: ['qr', 'create', '--from', 'codes.csv', '--ledger', 'runs.jsonl'],
    args: () => ['--ledger', 'runs.jsonl'],
    prints: 'csv',
  },
  'qr check': { args: (s) => [s.workspace.create({ name: 'Without' }).id], prints: 'csv' },
  'qr delete': { args: (s) => [s.codeId(), '--yes'], prints: 'json', steady: true, wide: true },
  'qr image': {
    args: (s) => [s.codeId(), '--short-url', 'https://qr.example'],
    prints: 'lines',
    steady: true,
    wide: true,
  },
  'qr image, many': {
    args: () => ['--all', '--short-url', 'https://qr.example', '--output-dir', 'codes'],
    prints: 'nothing',
  },
  'scans export': { args: (s) => [s.codeId()], prints: 'csv', steady: true },
  'scans export, to a file': { args: () => ['--all', '-o', 'scans.csv'], typical: true, prints: 'nothing' },
  'scans tail': {
    args: (s) => [s.codeId(), '--since', '2024-12-01', '--max-events', '3'],
    prints: 'csv',
    steady: true,
    wide: true,
  },
  'scans report': { args: (s) => [s.codeId(), '-o', 'report.html'], prints: 'nothing' },
  'scans verify': { args: (s) => [s.codeId(), '--input', 'scans.csv'], prints: 'csv', steady: true },
  'scans watch': { args: (s) => [s.codeId(), '--until', '2026-06-01'], prints: 'csv' },
  'scans stats': {
    args: (s) => [s.codeId(), '--by', 'country', '--by', 'month'],
    prints: 'csv',
    steady: true,
  },
  'auth login': {
    args: ({ baseUrl }) => ['--key-stdin', '--profile', 'other', '--base-url', baseUrl],
    input: 'svc_live_sandbox00madeup00key\n',
    prints: 'nothing',
    reads: true,
  },
  'auth status': { args: () => [], prints: 'json', wide: true },
  'auth list': { args: () => [], prints: 'csv' },
  'auth use': { args: () => ['spare'], prints: 'nothing' },
  'auth logout': { args: () => [], prints: 'nothing' },
  'config list': { args: () => [], prints: 'csv' },
  'config get': { args: () => ['timezone'], prints: 'lines', steady: true },
  'config set': { args: () => ['timezone', 'UTC'], prints: 'nothing' },
  'config unset': { args: () => ['timezone'], prints: 'nothing' },
  'config path': { args: () => [], prints: 'lines', wide: true },
  api: { args: (s) => ['GET', `/qr/${s.codeId()}`], prints: 'json', steady: true, wide: true },
  doctor: { args: () => [], prints: 'csv', wide: true },
  sandbox: { args: () => ['--port', FREE_PORT], prints: 'lines', endless: true, wide: true },
  demo: { args: () => [], prints: 'lines', slow: true, wide: true },
  completion: { args: () => ['bash'], prints: 'lines', steady: true, wide: true },
};

interface Surrounding {
  name: string;
  /** A line of bash; `"$@"` is the command. */
  shell: string;
  env?: Record<string, string>;
  /** Columns of a terminal that is standard input and output, and standard error too unless `shell` says otherwise. */
  columns?: number;
  /** Standard output can be read whole here. */
  readable?: boolean;
  /** The exit code of commands that print data. */
  code?: number;
  /** Escape sequences may be on standard output of a terminal. */
  color?: boolean;
  /** Nothing can be read from standard input. */
  mute?: boolean;
  /** Only tried with QRCTL_SOAK. */
  soak?: boolean;
}

/** Stands for the number of one. */
const FREE_PORT = 'free port';

const TO_FILE = '"$@" 2>said';
const SURROUNDINGS: Surrounding[] = [
  {
    name: 'no terminal at all',
    shell: 'setsid -w "$@" </dev/null 2>said',
    readable: true,
    mute: true,
  },
  { name: 'standard input closed', shell: '"$@" <&- 2>said', readable: true, mute: true, soak: true },
  { name: 'standard output closed', shell: '"$@" >&- 2>said' },
  { name: 'standard error closed', shell: '"$@" 2>&-', readable: true, soak: true },
  { name: 'standard output full', shell: '"$@" >/dev/full 2>said', code: 1 },
  { name: 'standard error full', shell: '"$@" 2>/dev/full', readable: true, soak: true },
  {
    name: 'a reader that reads only the first line',
    shell: '"$@" 2>said | head -n 1; exit $PIPESTATUS',
    soak: true,
  },
  { name: 'a reader that is gone', shell: '"$@" 2>said | true; exit $PIPESTATUS', soak: true },
  { name: 'standard error gone', shell: '"$@" 2> >(true)', readable: true, soak: true },
  { name: 'NO_COLOR', shell: TO_FILE, env: { NO_COLOR: '1' }, readable: true, soak: true },
  { name: 'FORCE_COLOR', shell: TO_FILE, env: { FORCE_COLOR: '3' }, readable: true, soak: true },
  { name: 'CI', shell: TO_FILE, env: { CI: 'true' }, readable: true, soak: true },
  { name: 'LANG=C', shell: TO_FILE, env: { LANG: 'C', LC_ALL: 'C' }, readable: true, soak: true },
  {
    name: 'a different language and time zone',
    shell: TO_FILE,
    env: { LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Kolkata' },
    readable: true,
    soak: true,
  },
  { name: 'a terminal of 40 columns', shell: TO_FILE, columns: 40, color: true },
  { name: 'a terminal of 200 columns', shell: TO_FILE, columns: 200, color: true, soak: true },
  { name: 'a dumb terminal', shell: '"$@"', columns: 80, env: { TERM: 'dumb' } },
  { name: 'a terminal and NO_COLOR', shell: TO_FILE, columns: 80, env: { NO_COLOR: '1' }, soak: true },
  { name: 'a terminal and CI', shell: '"$@"', columns: 80, env: { CI: '1' }, color: true, soak: true },
];

const QUIET: Surrounding = { name: 'quiet', shell: '"$@" >/dev/null 2>&1' };

interface Run {
  code: number | null;
  stdout: string;
  /** Standard error where it went to a file. */
  said: string;
}

/** Runs one command in a directory, configuration and sandbox of its own. */
async function run(name: string, row: Row, surrounding: Surrounding): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-around-'));
  try {
    return await withSandbox({ codes: 3, scans: 40, limit: 100_000 }, async (sandbox) => {
      await furnish(directory, sandbox);
      if (row.before) await spawnIn(directory, row.before, row, QUIET);
      return await spawnIn(directory, [...nameOf(name).split(' '), ...row.args(sandbox)], row, surrounding);
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** `qr create` of `qr create, from a file`. */
function nameOf(title: string): string {
  return title.split(',', 1)[0] ?? '';
}

async function furnish(directory: string, { baseUrl, apiKey, codeId, scans }: TestSandbox): Promise<void> {
  const profile = { baseUrl, apiKey, keyBaseUrl: baseUrl };
  const profiles = { work: { ...profile, timezone: 'Europe/Berlin' }, spare: profile };
  await mkdir(join(directory, 'config'), { mode: 0o700 });
  const config = JSON.stringify({ version: 1, current: 'work', profiles });
  await writeFile(join(directory, 'config', 'config.json'), config, { mode: 0o600 });
  const rows = scans(codeId()).map(({ id, ts }) => `${id},${ts}\n`);
  await writeFile(join(directory, 'scans.csv'), `id,ts\n${rows.join('')}`);
  await writeFile(join(directory, 'codes.csv'), 'name,type\nfirst,sms\nsecond,menu\n');
  await writeFile(join(directory, 'keyed.csv'), 'key,name,type\na,first,sms\nb,second,menu\n');
}

async function spawnIn(
  directory: string,
  args: string[],
  row: Row,
  { shell, env, columns, code }: Surrounding,
): Promise<Run> {
  const port = row.endless ? await freePort() : 0;
  const words = [process.execPath, BIN, ...args].map((word) => (word === FREE_PORT ? `${port}` : word));
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const line = `set -- ${quoted}; ${columns === undefined ? '' : `stty cols ${columns}; `}${row.endless ? ending(shell, code, port) : shell}`;
  const shellWords = columns === undefined ? ['-c', line] : ['-c', 'exec script -qefc "$0" /dev/null', line];
  const child = spawn('bash', shellWords, {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...AMBIENT,
      HOME: directory,
      TMPDIR: directory,
      SHELL: '/bin/bash',
      TZ: 'UTC',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      QRCTL_CONFIG_DIR: join(directory, 'config'),
      ...env,
    },
  });
  const chunks: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => errors.push(chunk));
  child.stdin.on('error', () => undefined).end(row.input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', async (code) => {
      const said = await readFile(join(directory, 'said'), 'utf8').catch(() => '');
      resolve({
        code,
        stdout: Buffer.concat(chunks).toString(),
        said: said + Buffer.concat(errors).toString(),
      });
    });
  });
}

/** Ends the command as soon as it answers: it has printed then. */
const END = [
  '"$@" & pid=$!',
  'answers() { (exec 9<>/dev/tcp/127.0.0.1/$0 && printf "GET / HTTP/1.0\\r\\n\\r\\n" >&9 && read -r -u 9 _) 2>/dev/null; }',
  'while kill -0 $pid 2>/dev/null && ! answers; do sleep 0.05; done',
  'kill -TERM $pid 2>/dev/null',
  'wait $pid',
].join('; ');

/** The same line with a sandbox ended once it has printed; where it can't print it ends by itself. Its exit code stays that of the command. */
function ending(shell: string, code: number | undefined, port: number): string {
  return code === undefined ? shell.replace('"$@"', `bash -c '${END}' ${port} "$@"`) : shell;
}

/** What is wrong with a run, nothing where all is well. */
function faults(row: Row, surrounding: Surrounding, result: Run, steady: string | undefined): string[] {
  const { code, stdout, said } = result;
  const found: string[] = [];
  const all = `${stdout}\n${said}`;
  if (/unexpected failure|bug in qrctl|defect of qrctl|^\s+at .*\d+:\d+|node:internal|Warning:/m.test(all))
    found.push(`crashed: ${all}`);

  const codes = row.reads && surrounding.mute ? [2] : expectedCodes(row, surrounding);
  if (!codes.includes(code ?? -1)) found.push(`exit code ${code} instead of ${codes.join(' or ')}: ${all}`);
  const escapes =
    surrounding.columns === undefined ? stdout.includes('\x1b') : !surrounding.color && all.includes('\x1b');
  if (escapes) found.push(`escape sequences: ${JSON.stringify(all)}`);

  if (surrounding.readable) {
    if (!isData(row, stdout)) found.push(`not ${row.prints}: ${JSON.stringify(stdout)}`);
    if (row.steady && stdout !== steady) found.push(`other bytes: ${JSON.stringify(stdout)}`);
  }
  // Notes may be longer, and a terminal breaks them: they are checked where they do not mix with data.
  if (surrounding.columns !== undefined && surrounding.shell === TO_FILE && !row.wide)
    found.push(...tooWide(stdout, surrounding.columns));
  return found;
}

function expectedCodes({ prints, endless }: Row, { code = 0, name }: Surrounding): number[] {
  if (prints === 'nothing') return [endless ? 143 : 0];
  // The first line of a sandbox is read whether the reader stays or not.
  if (endless && code === 0) return / reader /.test(` ${name}`) ? [0, 143] : [143];
  return [code];
}

function isData({ prints }: Row, stdout: string): boolean {
  if (prints === 'nothing') return stdout === '';
  if (prints === 'lines') return /^[^\n]+\n/.test(stdout);
  try {
    return prints === 'json' ? JSON.parse(stdout) !== null : parse(stdout).length > 1; // csv-parse wants equal numbers of cells
  } catch {
    return false;
  }
}

function tooWide(shown: string, columns: number): string[] {
  const escapes = /\x1b\[[\d;?]*[A-Za-z]/g;
  const lines = shown.replace(escapes, '').split(/[\r\n]+/);
  return lines.filter((line) => displayWidth(line) > columns).map((line) => `wider than ${columns}: ${line}`);
}

/** Two at a time for each processor: the rest of the time they wait for each other's output. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}

test('each command is in the list of tested commands', () => {
  const tried = new Set(Object.keys(COMMANDS).map(nameOf));
  expect([...leaves()].map(({ names }) => names.join(' ')).sort()).toEqual([...tried].sort());
});

describe.runIf(existsSync('/dev/full'))('commands', () => {
  const steady = new Map<string, string>();

  async function check(name: string, row: Row, surrounding: Surrounding): Promise<string[]> {
    const result = await run(name, row, surrounding);
    if (!steady.has(name)) steady.set(name, result.stdout);
    return faults(row, surrounding, result, steady.get(name));
  }

  test.each(SURROUNDINGS.filter(({ soak }) => !soak || SOAK))(
    'work under the condition: $name',
    async (surrounding) => {
      const found: Record<string, string[]> = {};
      const quick = Object.entries(COMMANDS).filter(([, { slow, typical }]) => (SOAK ? !slow : typical));
      await inTurns(quick, async ([name, row]) => {
        const wrong = await check(name, row, surrounding);
        if (wrong.length > 0) found[name] = wrong;
      });
      expect(found).toEqual({});
    },
  );

  test.runIf(SOAK).each(Object.entries(COMMANDS).filter(([, { slow }]) => slow))(
    'such as %s work under each condition',
    async (name, row) => {
      const found: Record<string, string[]> = {};
      const tried = SURROUNDINGS.map(async (surrounding) => {
        const wrong = await check(name, row, surrounding);
        if (wrong.length > 0) found[surrounding.name] = wrong;
      });
      await Promise.all(tried);
      expect(found).toEqual({});
    },
  );

  test('prompt in plain text on a dumb terminal, and refuse to prompt in CI', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 0 });
    const [dumb, ci] = await Promise.all(
      [{ TERM: 'dumb' }, { CI: 'true' }].map((env) =>
        runByDay(['qr', 'delete', sandbox.codeId()], {
          env: { ...sandbox.env, ...env },
          tty: 80,
          input: 'n\n',
        }),
      ),
    );
    expect(dumb?.stdout).toMatch(
      /Delete "[\s\S]*\? This can't\s+be\s+undone\.\s+\[y\/N\] [\s\S]*nothing was deleted/,
    );
    expect(dumb?.stdout).not.toContain('\x1b');
    expect(dumb?.code).toBe(2);
    expect(ci?.stdout).toMatch(/cannot prompt for confirmation/);
    expect(ci?.code).toBe(2);
  });
});
