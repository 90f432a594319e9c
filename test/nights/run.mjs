/**
 * Six nights of a cron job, with Debian's logrotate in between: one run is killed, in one the service is away for five minutes, in one the
 * disk is full. In the end each scan is once in all the files, and after one more rotation the figures and the report of the log are those of the
 * service. Prints the mails as cron would send them. Run by `npm run test:nights`, where logrotate (LOGROTATE names another place of it) and strace
 * are installed; an argument says another length of the outage, in seconds.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LOGROTATE = process.env.LOGROTATE ?? '/usr/sbin/logrotate';
const BIN = fileURLToPath(new URL('../../bin/qrctl.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'qrctl-nights-'));
const file = join(home, 'scans.csv');
/** Of the service, in the night of the outage. */
const awaySeconds = Number(process.argv[2] ?? 300);
const port = 20_000 + (process.pid % 20_000);
const base = [
  '--port',
  String(port + 1),
  '--codes',
  '1',
  '--scans',
  '3000',
  '--seed',
  '7',
  '--key',
  'svc_live_nights0123456789',
  '--window',
  '2s',
];

/** A service whose data grows by the second. */
function startService() {
  const child = spawn(process.execPath, [BIN, 'sandbox', ...base, '--live', '3'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new Promise((resolve) => child.stdout.once('data', () => resolve(child)));
}

/** The way to it: closed, the service is away, and what it has stays. */
const open = new Set();
const way = createServer((socket) => {
  const there = connect(port + 1, '127.0.0.1');
  for (const [one, other] of [
    [socket, there],
    [there, socket],
  ]) {
    open.add(one);
    one.pipe(other);
    one.on('error', () => undefined).on('close', () => other.destroy());
  }
});
const comeBack = () => new Promise((resolve) => way.listen(port, '127.0.0.1', resolve));
function goAway() {
  way.close();
  for (const socket of open) socket.destroy();
  open.clear();
}

const env = {
  PATH: process.env.PATH,
  HOME: home,
  QRCTL_CONFIG_DIR: join(home, 'config'),
  QRCTL_BASE_URL: `http://127.0.0.1:${port}/api/v1`,
  QRCTL_API_KEY: 'svc_live_nights0123456789',
  // strace counts what it injects for each thread.
  UV_THREADPOOL_SIZE: '1',
};
const LINE = [
  'scans',
  'export',
  '--all',
  '-o',
  file,
  '--append',
  '--rotated',
  '--quiet',
  '--summary',
  join(home, 'run.json'),
];

/** As cron does: what is printed is mailed. `before`: a program that runs it. */
function job(flags = [], before = []) {
  const [command, ...rest] = [...before, process.execPath, BIN, ...LINE, ...flags];
  const child = spawn(command, rest, { cwd: home, env });
  let mail = '';
  child.stdout.on('data', (data) => (mail += data));
  child.stderr.on('data', (data) => (mail += data));
  const done = new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ exit: code ?? signal, mail })),
  );
  return { child, done };
}

function tell(night, { exit, mail }) {
  process.stdout.write(`--- night ${night}: exit ${exit}; ${mail === '' ? 'no mail' : `mail:\n${mail}`}\n`);
  try {
    const {
      exit: told,
      rows,
      added,
      watermark,
      requests,
      retries,
      error,
    } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8'));
    process.stdout.write(
      `    summary: ${JSON.stringify({ exit: told, rows, added, watermark, requests, retries, error: error?.message ?? null })}\n`,
    );
  } catch {
    process.stdout.write('    no summary\n');
  }
}

writeFileSync(
  join(home, 'rotate.conf'),
  `${file} {\n  rotate 30\n  missingok\n  notifempty\n  nocreate\n  compress\n  delaycompress\n}\n`,
  { mode: 0o644 },
);
function rotate() {
  const { status, stderr } = spawnSync(
    LOGROTATE,
    ['--force', '--state', join(home, 'rotate.state'), join(home, 'rotate.conf')],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`${LOGROTATE}: ${stderr ?? 'is not installed'}`);
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const service = await startService();
await comeBack();
try {
  tell('1 (killed)', await killed());
  rotate();
  await wait(2500);
  tell('2', await job().done);
  rotate();
  await wait(2500);
  goAway();
  const away = job(['--retry-for', '15m']);
  await wait(awaySeconds * 1000);
  await comeBack();
  tell(`3 (the service away for ${awaySeconds} s, --retry-for 15m)`, await away.done);
  rotate();
  goAway();
  tell('4 (the service away for good, --retry-for 2s)', await job(['--retry-for', '2s']).done);
  rotate();
  await comeBack();
  await wait(2500);
  const full = [
    'strace',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-P',
    file,
    '-e',
    'trace=write,pwrite64,fsync',
    '-e',
    'inject=write,pwrite64:error=ENOSPC:when=2+',
  ];
  tell('5 (the disk full)', await job([], full).done);
  rotate();
  tell('6', await job().done);
  await compare();
  rotate();
  await report();
} finally {
  goAway();
  service.kill();
  rmSync(home, { recursive: true, force: true });
}

/** SIGKILL at the first flush of the file: its rows are written, and none of them committed. */
async function killed() {
  return job(
    [],
    [
      'strace',
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-P',
      file,
      '-e',
      'trace=fsync',
      '-e',
      'inject=fsync:signal=SIGKILL:when=1',
    ],
  ).done;
}

/** All files against the service, by ids. */
async function compare() {
  const names = readdirSync(home).filter((name) => /^scans\.csv(\.\d+(\.gz)?)?$/.test(name));
  const text = (name) =>
    name.endsWith('.gz')
      ? spawnSync('gzip', ['-dc', join(home, name)], { maxBuffer: 1e9 }).stdout.toString()
      : readFileSync(join(home, name), 'utf8');
  const ids = (csv) => [...csv.matchAll(/,(\d+),\d{4}-\d\d-\d\dT/g)].map((found) => found[1]);
  const found = names.flatMap((name) => ids(text(name)));
  const { range } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8'));
  const whole = join(home, 'whole.csv');
  await new Promise((resolve) =>
    spawn(
      process.execPath,
      [BIN, 'scans', 'export', '--all', '--until', range.until, '-o', whole, '--quiet'],
      { env },
    ).on('close', resolve),
  );
  const wanted = ids(readFileSync(whole, 'utf8'));
  const same = found.length === wanted.length && [...found].sort().join() === [...wanted].sort().join();
  process.stdout.write(
    `--- ${names.sort().join(', ')}: ${found.length} scans, ${new Set(found).size} distinct; the service has ${wanted.length}: ${same ? 'each exactly once' : 'WRONG'}\n`,
  );
  if (!same) process.exitCode = 1;
}

/** Runs a command to its end; the environment is cron's. */
function qrctl(...args) {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: home, env });
  const said = { out: '', err: '' };
  child.stdout.on('data', (data) => (said.out += data));
  child.stderr.on('data', (data) => (said.err += data));
  return new Promise((resolve) => child.on('close', (exit) => resolve({ exit, ...said })));
}

/** The log was just rotated away: its figures, and those of each month, are the service's, and so is the report of a month. */
async function report() {
  const { range } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8'));
  const figures = [
    '--until',
    range.until,
    '--by',
    'month',
    '--by',
    'country',
    '--by',
    'code',
    '--timezone',
    'UTC',
    '-f',
    'csv',
    '--quiet',
  ];
  const [log, service] = await Promise.all([
    qrctl('scans', 'stats', '--input', file, ...figures),
    qrctl('scans', 'stats', '--all', ...figures),
  ]);
  const same = log.exit === 0 && log.out === service.out && log.out.includes('month,');
  process.stdout.write(
    `--- figures of the rotated log: ${log.out.split('\n').length - 2} rows, ${same ? 'equal to the service' : `WRONG\n${log.err}`}\n`,
  );
  const months = [...log.out.matchAll(/^month,(\d{4}-\d\d),(\d+),/gm)].filter(
    ([, , scans]) => Number(scans) > 0,
  );
  const [, month, scans] = months.at(-2) ?? months.at(-1) ?? [];
  const page = join(home, 'month.html');
  const told = await qrctl(
    'scans',
    'report',
    '--input',
    file,
    '--during',
    month,
    '--timezone',
    'UTC',
    '-o',
    page,
  );
  const isRight =
    told.exit === 0 &&
    readFileSync(page, 'utf8').includes(`<p class="value">${Number(scans).toLocaleString('en')}</p>`);
  process.stdout.write(
    `--- report of ${month}: exit ${told.exit}, ${isRight ? `${scans} scans` : 'WRONG'}; ${told.err}`,
  );
  const empty = await qrctl(
    'scans',
    'report',
    '--input',
    file,
    '--during',
    '1999-01',
    '-o',
    join(home, 'empty.html'),
  );
  const isRefused = empty.exit === 9 && !readdirSync(home).includes('empty.html');
  process.stdout.write(
    `--- report of 1999-01: exit ${empty.exit}, ${isRefused ? 'no file written' : 'WRONG'}\n`,
  );
  if (!same || !isRight || !isRefused) process.exitCode = 1;
}
