/**
 * Builds a single executable (`npm run executable [-- FILE]`):
 * https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html
 */
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { inject } from 'postject';

const NODE = 'node@24';
/** Sentinel in every Node binary: https://github.com/nodejs/postject#building-for-production */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const WINDOWS = process.platform === 'win32';

const [target = join('dist-executable', WINDOWS ? 'qrctl.exe' : 'qrctl')] = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), 'qrctl-executable-'));
try {
  const node = await fetchNode();
  const main = join(directory, 'main.js');
  await build({
    entryPoints: ['bin/qrctl.js'],
    bundle: true,
    platform: 'node',
    outfile: main,
    logLevel: 'warning',
  });
  const blob = join(directory, 'program.blob');
  const config = { main, output: blob, disableExperimentalSEAWarning: true, assets: await packagedFiles() };
  await writeFile(join(directory, 'config.json'), JSON.stringify(config));
  run(node, ['--experimental-sea-config', join(directory, 'config.json')]);
  await mkdir(dirname(resolve(target)), { recursive: true });
  await rm(target, { force: true });
  await copyFile(node, target);
  await chmod(target, 0o755);
  await inject(target, 'NODE_SEA_BLOB', await readFile(blob), { sentinelFuse: FUSE });
} finally {
  await rm(directory, { recursive: true, force: true });
}
process.stdout.write(`${target}\n`);

async function fetchNode() {
  await writeFile(join(directory, 'package.json'), '{}');
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', NODE], { cwd: directory, shell: WINDOWS });
  return join(directory, 'node_modules', 'node', 'bin', WINDOWS ? 'node.exe' : 'node');
}

async function packagedFiles() {
  const names = ['LICENSE', 'README.md', ...(await filesOf('dist')), ...(await filesOf('completions'))];
  return Object.fromEntries(names.sort().map((name) => [name, resolve(name)]));
}

async function filesOf(place) {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'));
}

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${error?.message ?? status}`);
}
