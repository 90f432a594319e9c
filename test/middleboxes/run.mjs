/**
 * `npm run test:middleboxes`: the built command behind nginx, haproxy and squid as Debian ships them, which limit, repeat, cut, cache
 * and encrypt. They are unpacked into node_modules/.cache/middleboxes, with the libraries that they need and this machine lacks; nothing
 * is installed, and no root is needed. What cannot be had is skipped, and that is said; with `--require`, or CI=true, it is a failure.
 * Other arguments are for vitest.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const ROOT = join(CACHE, 'middleboxes');
const BOXES = ['nginx', 'haproxy', 'squid'];
/** What else their packages want is for installing them as services. */
const NEEDED = /^(nginx|haproxy|squid|openssl|lib(?!.*perl)[a-z0-9.+-]+$)/;

const required = process.argv.includes('--require') || process.env.CI === 'true';
const asked = process.argv.slice(2).filter((argument) => argument !== '--require');

const failure = BOXES.every(isThere) ? undefined : unpack();
const missing = BOXES.filter((box) => !isThere(box));
if (missing.length > 0)
  console.error(`\nNOT TESTED, because it could not be installed: ${missing.join(', ')} (${failure})\n`);
if (missing.length > 0 && required) process.exit(1);

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];
// One box at a time: each waits for real timeouts, and none should be late for want of a core.
const files = asked.some((argument) => argument.startsWith('test/')) ? [] : ['test/middleboxes'];
const { status } = spawnSync(process.execPath, [...vitest, '--no-file-parallelism', ...files, ...asked], {
  stdio: 'inherit',
  env: { ...process.env, QRCTL_TEST_MIDDLEBOXES: ROOT },
});
process.exitCode = status ?? 1;

function isThere(box) {
  return [ROOT, '/'].some((root) => existsSync(join(root, 'usr/sbin', box)));
}

/** Fills ROOT as a whole, or leaves it; returns why it could not. */
function unpack() {
  mkdirSync(CACHE, { recursive: true });
  const directory = mkdtempSync(join(CACHE, 'middleboxes-'));
  try {
    // The lists of packages of this machine, or where it has none (in a container) lists of our own.
    const own = [
      '-o',
      `Dir::State::Lists=${directory}/lists`,
      '-o',
      `Dir::Cache=${directory}`,
      '-o',
      'APT::Sandbox::User=',
    ];
    for (const options of [[], own]) {
      if (options === own) {
        mkdirSync(join(directory, 'lists/partial'), { recursive: true });
        run('apt-get', ['update', ...options], directory);
      }
      const names = packagesOf(
        run('apt-get', ['-s', '--no-install-recommends', ...options, 'install', ...BOXES], directory),
      );
      if (names.length === 0) continue;
      run('apt-get', ['download', ...options, ...names], directory);
      break;
    }
    const root = join(directory, 'root');
    for (const file of readdirSync(directory).filter((name) => name.endsWith('.deb'))) {
      run('dpkg-deb', ['-x', file, root], directory);
    }
    rmSync(ROOT, { recursive: true, force: true });
    renameSync(root, ROOT);
    return undefined;
  } catch (error) {
    return error.message;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** From the lines of a simulated installation: `Inst NAME (VERSION …)`. */
function packagesOf(simulated) {
  return [...simulated.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name).filter((name) => NEEDED.test(name));
}

/** Its standard output; empty where a simulation finds no such package. */
function run(command, args, cwd) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error) throw error;
  if (status === 0) return stdout;
  if (args.includes('-s')) return '';
  throw new Error(`${command} ${args[0]} ended with ${status}: ${stderr.trim().split('\n').pop()}`);
}
