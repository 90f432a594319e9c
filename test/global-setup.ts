/** Before any test: dist/ is built where a source is newer, so that no test meets a stale build, and runs share what V8 compiled of it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = new URL('..', import.meta.url).pathname;
/** Directories count too: their time is that of the last file added or removed. */
const SOURCES = [
  'src',
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => join('src', path)),
];
const INPUTS = [...SOURCES, 'package.json', 'package-lock.json'];
/** Written last by the two halves of the build. */
const OUTPUTS = ['dist/THIRD-PARTY-LICENSES', 'dist/man/qrctl.1'];

export default function setup(): () => void {
  if (process.env.QRCTL_TEST_BIN === undefined && isStale()) build();
  if (process.env.QRCTL_TEST_CACHE !== undefined) return () => undefined;
  const cache = mkdtempSync(join(tmpdir(), 'qrctl-cache-'));
  process.env.QRCTL_TEST_CACHE = cache;
  return () => rmSync(cache, { recursive: true, force: true });
}

function isStale(): boolean {
  const built = Math.min(...OUTPUTS.map((path) => modifiedMs(path)));
  return INPUTS.some((path) => modifiedMs(path) > built);
}

/** 0 where there is none. */
function modifiedMs(path: string): number {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function build(): void {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
}
