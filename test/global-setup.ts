/**
 * Before any test: builds dist/ if a source is newer, compiles src/ for the tests, and makes the directory that holds all temporary files
 * of the tests, among them the compile cache that their commands share. It is removed at the end, so that a killed test leaves nothing
 * behind either.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileSources } from './support/compile-sources.ts';
import { SOAK } from './support/property-runs.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Directories count too: their time is that of the last file added or removed. */
const SOURCES = [
  'src',
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => join('src', path)),
];
const INPUTS = [...SOURCES, 'package.json', 'package-lock.json'];
/** Written last by the two halves of the build. */
const OUTPUTS = ['dist/THIRD-PARTY-LICENSES', 'dist/man/qrctl.1'];

export default async function setup(): Promise<() => void> {
  if (process.env.QRCTL_TEST_BIN === undefined && isStale()) build();
  const directory = mkdtempSync(join(memoryDisk() ?? tmpdir(), 'q-'));
  // As /tmp: some tests run commands as other users. A short name, since messages shorten long paths.
  chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  process.env.QRCTL_TEST_CACHE ??= mkdtempSync(join(directory, 'cache-'));
  const removeSources = await compileSources();
  return () => {
    removeSources();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
}

const MEMORY_DISK = '/dev/shm';
const FREE_BYTES = 2 * 2 ** 30;

/** A file system in memory with enough free space, where a flush costs no processor time. The soak uses the real disk. */
function memoryDisk(): string | undefined {
  if (SOAK || process.env.TMPDIR !== undefined) return undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    return bavail * bsize >= FREE_BYTES ? MEMORY_DISK : undefined;
  } catch {
    return undefined;
  }
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
