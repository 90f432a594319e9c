/**
 * `npm run test:install [-- VERSION…]`: tests installations. Installs the tarball into an empty prefix without scripts and without a registry, on
 * each version of Node, and runs the core commands; compares the bytes of builds in several directories on three versions; runs the executable
 * without any other file (`--alone`: only that); and installs a fresh clone as in the README (`--clone`: downloads the development
 * dependencies). Versions of Node come from npm.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryExecutable } from './alone.mjs';

/** The oldest that package.json allows, the last of its major, and the majors after. */
const VERSIONS = ['20.19.0', '20', '22', '24', '26'];
const BUILDERS = ['20', '22', '24'];

const asked = process.argv.slice(2).filter((argument) => !['--clone', '--alone'].includes(argument));
const versions = asked.length > 0 ? asked : VERSIONS;
const directory = mkdtempSync(join(tmpdir(), 'qrctl-install-'));

try {
  if (!process.argv.includes('--alone')) await tryPackage();
  say(`standalone executable: ${(await tryExecutable(directory)).join('; ')}`);
  if (process.argv.includes('--clone')) await tryClone();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function tryPackage() {
  const nodes = fetchNodes();
  const [{ filename }] = JSON.parse(
    run('npm', ['pack', '--json', '--foreground-scripts=false', '--pack-destination', directory]),
  );
  for (const [version, bin] of nodes) {
    if (versions.includes(version)) await tryTarball(version, bin, join(directory, filename));
  }
  compareBuilds(nodes);
}

/** Each version of node that npm has, with the directory of its program. */
function fetchNodes() {
  writeFileSync(join(directory, 'package.json'), '{}');
  const found = new Map();
  for (const version of new Set([...versions, ...BUILDERS])) {
    const args = ['install', '--no-audit', '--no-fund', '--silent', `node${version}@npm:node@${version}`];
    const { status } = spawnSync('npm', args, { cwd: directory });
    const bin = join(directory, 'node_modules', `node${version}`, 'bin');
    if (status === 0 && existsSync(join(bin, 'node'))) found.set(version, bin);
    else say(`node ${version}: not in the registry, skipped`);
  }
  return found;
}

async function tryTarball(version, bin, tarball) {
  const prefix = join(directory, `prefix-${version}`);
  mkdirSync(prefix);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const flags = ['--global', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', prefix];
  run('npm', ['install', ...flags, tarball], { env });
  await doTheMainJob(join(prefix, 'bin', 'qrctl'), join(prefix, 'home'), env);
  say(`node ${run('node', ['--version'], { env }).trim()}: the tarball installs and works`);
}

/** A sandbox, the codes of it, their scans, and one picture. */
async function doTheMainJob(qrctl, home, inherited) {
  mkdirSync(home);
  const env = { PATH: inherited.PATH, HOME: home };
  const sandbox = spawn(qrctl, ['sandbox', '--codes', '2', '--scans', '50'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    let said = '';
    for await (const chunk of sandbox.stdout) {
      said += chunk;
      if (/QRCTL_API_KEY=.*\n/.test(said)) break;
    }
    Object.assign(
      env,
      Object.fromEntries(
        said
          .trim()
          .split('\n')
          .map((line) => line.split('=')),
      ),
    );
    const cli = (...args) => run(qrctl, args, { env, cwd: home });
    cli('--version');
    const ids = cli('qr', 'list', '--ids').trim().split('\n');
    cli('scans', 'export', '--all', '-o', 'scans.ndjson');
    cli('scans', 'export', '--all', '-o', 'scans.parquet', '--quiet');
    cli('qr', 'image', ids[0], '--short-url', 'https://example.com/{slug}', '-o', 'code.pdf');
    const lines = readFileSync(join(home, 'scans.ndjson'), 'utf8').trim().split('\n');
    if (lines.length !== 100) throw new Error(`${lines.length} scans, not 100`);
  } finally {
    sandbox.kill();
  }
}

/** The same commit, in directories of different lengths, by different versions: one checksum. */
function compareBuilds(nodes) {
  const sums = new Map();
  for (const [at, version] of BUILDERS.flatMap((version) => [version, version]).entries()) {
    const bin = nodes.get(version);
    if (!bin) continue;
    const place = join(directory, `build${'-longer'.repeat(at)}`);
    run('git', ['clone', '--quiet', '.', place]);
    // Not a link: what is found there must not tell where it came from.
    run('cp', ['-al', `${readlinkOf('node_modules')}/.`, join(place, 'node_modules')]);
    run('npm', ['run', '--silent', 'build'], {
      cwd: place,
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    });
    sums.set(
      `node ${version}, ${at % 2 === 0 ? 'first directory' : 'second directory'}`,
      checksum(join(place, 'dist')),
    );
    rmSync(place, { recursive: true });
  }
  for (const [build, sum] of sums) say(`${build}: ${sum}`);
  if (new Set(sums.values()).size !== 1) throw new Error('the builds differ');
}

function readlinkOf(path) {
  return run('readlink', ['-f', path]).trim();
}

function checksum(place) {
  const hash = createHash('sha256');
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const file of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    hash.update(`${file.slice(place.length)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

/** `npm pack` in a clone that has nothing yet, and a link to that clone. */
async function tryClone() {
  const place = join(directory, 'clone');
  const prefix = join(directory, 'prefix-clone');
  run('git', ['clone', '--quiet', '.', place]);
  run('npm', ['pack', '--silent'], { cwd: place });
  if (run('git', ['status', '--short', '--untracked-files=no'], { cwd: place }) !== '')
    throw new Error('npm pack changed the clone');
  run('npm', ['install', '--global', '--no-audit', '--no-fund', '--prefix', prefix, '.'], { cwd: place });
  await doTheMainJob(join(prefix, 'bin', 'qrctl'), join(directory, 'home-clone'), process.env);
  say('fresh clone: npm pack and npm install -g . work');
}

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    ...options,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${error?.message ?? status}\n${stderr}`);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
