/**
 * Directories that cannot be made: each costs its own feature and nothing else, within seconds. Node's recursive mkdir tries without end, deaf
 * to SIGTERM, where the parent exists and the system answers ENOENT: in /proc, under an automounter, in a home that vanished.
 */
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type CliOptions, runCli, startCli, useDirectory } from '../support/cli.ts';
import { firstRows } from '../support/property-runs.ts';
import { type HereResult, runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

/** Longer than any of these runs takes on a busy machine, and far shorter than without end. */
const SECONDS = { timeoutMs: 20_000 };

const PLACES = [
  'in /proc',
  'below a file',
  'below a link that leads nowhere',
  "in another user's home directory",
] as const;

let cwd: string;
let sandbox: TestSandbox;

beforeEach(async () => {
  cwd = await useDirectory();
  sandbox = await useSandbox({ codes: 2, scans: 5 });
  await writeFile(join(cwd, 'codes.csv'), 'name,destination\na,https://a.example/\n');
  await writeFile(join(cwd, 'ids.csv'), `id\n${sandbox.codeId()}\n`);
});

/** A directory whose parent, at least, cannot be made. */
async function makePlace(place: (typeof PLACES)[number]): Promise<string> {
  const path = join(cwd, 'place');
  if (place === 'in /proc') return '/proc/qrctl/x';
  if (place === 'below a file') await writeFile(path, '');
  else if (place === 'below a link that leads nowhere') await symlink('nowhere', path);
  else {
    // Root may write anywhere: the cache looks at the owner, and the others are tried as nobody elsewhere.
    await mkdir(path);
    if (process.getuid?.() === 0) await chown(path, 65_534, 65_534);
    else await chmod(path, 0o500);
  }
  return join(path, 'x', 'y');
}

const qr = (args: string[], env: CliOptions['env'] = {}) =>
  runByDay(args, { cwd, env: { ...sandbox.env, XDG_CACHE_HOME: join(cwd, 'cache'), ...env } });

/** What has a cache of compiled code, looks for a place as it is loaded, or starts itself: as it is built. */
const qrBuilt = (args: string[], env: CliOptions['env']) =>
  runCli(args, { cwd, ...SECONDS, env: { ...sandbox.env, XDG_CACHE_HOME: join(cwd, 'cache'), ...env } });

const isLinux = platform() === 'linux';
describe.runIf(isLinux).each(PLACES)('a cache directory %s', (place) => {
  // One of the places for what is built: the system answers ENOENT there.
  const qrHere = firstRows(1, PLACES).includes(place) ? qrBuilt : qr;

  test('disables the caches without a note', async () => {
    const at = await makePlace(place);
    for (const env of [{ XDG_CACHE_HOME: at }, { XDG_CACHE_HOME: undefined, HOME: at }]) {
      expect(await qrHere(['qr', 'list', '--fields', 'slug'], env)).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^2 codes|^$/),
      });
      // Without QRCTL_CONFIG_DIR the candidates are kept there too.
      const completed = await qr(['__complete', 'qr', 'get', ''], { ...env, QRCTL_CONFIG_DIR: undefined });
      expect([completed.code, completed.stdout.trim().split('\n').length, completed.stderr]).toEqual([
        0,
        2,
        '',
      ]);
    }
    // A directory that somebody named, and that cannot be one, is told.
    const config = await qr(['qr', 'list'], { QRCTL_CONFIG_DIR: at });
    if (place === 'below a file')
      expect(config).toMatchObject({ code: 2, stderr: expect.stringContaining(at) });
    else expect(config.code, config.stderr).toBe(0);
    const inner = await qr(['__complete', 'qr', 'get', ''], { QRCTL_CONFIG_DIR: at });
    expect([inner.code, inner.stdout.trim().split('\n').length]).toEqual([
      0,
      place === 'below a file' ? 1 : 2,
    ]);
  });
});

const mustFail = (result: HereResult, path: string) => {
  expect(result.code, result.stderr).toBeGreaterThan(0);
  expect(result.code, result.stderr).toBeLessThan(3);
  expect(result.stderr).toContain(path);
  expect(result.stderr).not.toMatch(/defect|unexpected/);
  expect(result.stdout).toBe('');
};

const IMAGE = ['qr', 'image', '--all', '--short-url', 'https://h.example/{slug}'];
const EXPORT = ['scans', 'export', '--all'];
/** Every place that makes a directory, or writes into one that has to be there. */
const WRITERS: readonly [string, (at: string) => readonly string[]][] = [
  ['--output', (at) => ['qr', 'list', '-o', `${at}/x.csv`]],
  ['--summary', (at) => ['qr', 'list', '--summary', `${at}/x.json`]],
  ['scans export --output-dir', (at) => [...EXPORT, '--output-dir', at]],
  ['scans export -o --append', (at) => [...EXPORT, '-o', `${at}/x.csv`, '--append']],
  ['scans export --output-dir --append', (at) => [...EXPORT, '--output-dir', at, '--append']],
  [
    'a dataset of CSV',
    (at) => [...EXPORT, '--output-dir', at, '--partition-by', 'day', '-f', 'csv', '--append'],
  ],
  [
    'a dataset of Parquet',
    (at) => [...EXPORT, '--output-dir', at, '--partition-by', 'day', '-f', 'parquet', '--append'],
  ],
  ['qr image --output-dir', (at) => [...IMAGE, '--output-dir', at]],
  ['qr image --sheet', (at) => [...IMAGE, '--sheet', 'L7160', '-o', `${at}/x.pdf`]],
  ['qr create --results', (at) => ['qr', 'create', '--from', 'codes.csv', '--results', `${at}/x.csv`]],
  [
    'qr update --results',
    (at) => ['qr', 'update', '--from', 'ids.csv', '--status', 'paused', '--results', `${at}/x.csv`],
  ],
  ['qr delete --backup', (at) => ['qr', 'delete', '--from', 'ids.csv', '--yes', '--backup', at]],
  ['qr check --since-last', (at) => ['qr', 'check', '--since-last', `${at}/x.csv`]],
  ['scans tail --state', (at) => ['scans', 'tail', '--all', '--state', `${at}/x.json`]],
  ['scans watch --since-last', (at) => ['scans', 'watch', '--all', '--since-last', `${at}/x.csv`]],
  ['scans report', (at) => ['scans', 'report', '--all', '-o', `${at}/x.html`]],
  ['scans stats', (at) => ['scans', 'stats', '--all', '-o', `${at}/x.csv`]],
];

describe.runIf(isLinux).each(firstRows(1, PLACES.slice(0, 3)))('a path %s', (place) => {
  test.each(WRITERS)('is refused as an output, and nothing is changed: %s', async (_, args) => {
    const at = await makePlace(place);
    mustFail(await qr([...args(at)]), at);
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(existsSync(at)).toBe(false);
  });

  test('is refused as the config directory', async () => {
    const at = await makePlace(place);
    mustFail(await qr(['config', 'set', 'format', 'json'], { QRCTL_CONFIG_DIR: at }), at);
    mustFail(
      await qrBuilt(['config', 'set', 'format', 'json'], {
        QRCTL_CONFIG_DIR: undefined,
        XDG_CONFIG_HOME: at,
      }),
      at,
    );
  });

  test('is refused as the temporary directory of `qrctl demo`', async () => {
    const at = await makePlace(place);
    const run = await qrBuilt(['demo'], { TMPDIR: at });
    mustFail(run, at);
    expect(run.stderr).toContain('TMPDIR');
  });
});

test.runIf(isLinux)("a run whose cache directory can't be created ends on SIGTERM", async () => {
  const env = { ...sandbox.env, XDG_CACHE_HOME: '/proc/qrctl/x' };
  const running = await startCli(['scans', 'tail', '--all', '--since', '100d'], { env, ...SECONDS });
  await running.waitFor(/\d/);
  running.child.kill('SIGTERM');
  expect((await running.done).code).toBe(143);
});
