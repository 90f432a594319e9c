/** What a run reads back of earlier ones, when it is a link to an endless device, a FIFO, or far too large: an end within seconds, in flat memory. */
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CliOptions, runCli, useDirectory } from '../support/cli.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const KINDS: [string, (path: string) => void][] = [
  ['a link to an endless device', (path) => symlinkSync('/dev/zero', path)],
  ['a FIFO', (path) => void execFileSync('sh', ['-c', 'mkfifo "$0"', path])],
  ['a sparse file of 5 GiB', truncateLarge],
];

function truncateLarge(path: string): void {
  writeFileSync(path, '');
  truncateSync(path, 5 * 2 ** 30);
}

/** Little enough to notice when anything is read without a bound. */
const LIMITED: Pick<CliOptions, 'nodeArgs' | 'timeoutMs'> = {
  nodeArgs: ['--max-old-space-size=200'],
  timeoutMs: 20_000,
};

/** Files that a run reads back, and the command that does. */
const READERS: [string, string[]][] = [
  ['check.csv', ['qr', 'check', '--since-last', 'check.csv']],
  ['tail.json', ['scans', 'tail', '--all', '--state', 'tail.json']],
  ['watch.csv', ['scans', 'watch', '--all', '--since-last', 'watch.csv']],
  ['manifest.csv', ['qr', 'image', '--all', '--short-url', 'https://q.example/{slug}', '--output-dir', '.']],
  ['ID.png', ['qr', 'image', '--all', '--short-url', 'https://q.example/{slug}', '--output-dir', '.']],
  ['all.csv.state.json', ['scans', 'export', '--all', '--append', '-o', 'all.csv']],
  [
    'lake/_qrctl.json',
    ['scans', 'export', '--all', '-f', 'csv', '--output-dir', 'lake', '--partition-by', 'day', '--append'],
  ],
];

describe.skipIf(platform() === 'win32').each(KINDS)('%s', (_, make) => {
  // Reading a regular file ends: that it had no bound shows only in the memory of a process of its own.
  const isRegular = make === truncateLarge;
  test.each(firstRows(isRegular ? 1 : 3, READERS))(
    'at the path of %s makes the command fail without using up its memory',
    async (name, args) => {
      const cwd = await useDirectory();
      const sandbox = await useSandbox({ codes: 1, scans: 2 });
      mkdirSync(join(cwd, 'lake'));
      const path = join(cwd, name.replace('ID', sandbox.codeId()));
      make(path);
      const limits = isRegular || SOAK ? LIMITED : {};
      const { code, stderr } = await runByDay(args, { env: sandbox.env, cwd, ...limits });
      expect([1, 2], stderr).toContain(code);
      expect(stderr).not.toMatch(/unexpected failure|heap/);
      rmSync(path);
    },
  );
});

test.skipIf(platform() === 'win32')('a results file of 5 GiB is neither read nor replaced', async () => {
  const cwd = await useDirectory();
  const sandbox = await useSandbox({ codes: 1, scans: 0 });
  writeFileSync(join(cwd, 'codes.csv'), 'name,type\na,sms\n');
  writeFileSync(join(cwd, 'update.csv'), `id,name\n${sandbox.codeId()},b\n`);
  const results = join(cwd, 'codes.results.csv');
  truncateLarge(results);
  for (const args of firstRows(1, [
    ['create', '--from', 'codes.csv'],
    ['update', '--from', 'update.csv', '--results', 'codes.results.csv'],
  ])) {
    const { code, stderr } = await runCli(['qr', ...args], { env: sandbox.env, cwd, ...LIMITED });
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('codes.results.csv');
    expect(lstatSync(results).size).toBe(5 * 2 ** 30);
  }
  rmSync(results);
});

test.skipIf(platform() === 'win32' || process.getuid?.() !== 0)(
  "root does not read a --since-last file through another user's link to a root-owned file",
  async () => {
    const cwd = await useDirectory();
    const sandbox = await useSandbox({ codes: 1, scans: 0 });
    const secret = join(await useDirectory(), 'secret.csv');
    writeFileSync(secret, 'id,outcome\n1,secret\n');
    symlinkSync(secret, join(cwd, 'check.csv'));
    execFileSync('chown', ['-h', '65534:65534', join(cwd, 'check.csv')]);
    const { code, stderr } = await runByDay(['qr', 'check', '--since-last', 'check.csv'], {
      env: sandbox.env,
      cwd,
    });
    expect(code).toBe(2);
    expect(stderr).toContain("is a symbolic link to another user's file");
    expect(readlinkSync(join(cwd, 'check.csv'))).toBe(secret);
  },
);

test.skipIf(platform() === 'win32')(
  "the user's link to the user's own --since-last file is followed for reading and writing",
  async () => {
    const cwd = await useDirectory();
    const sandbox = await useSandbox({ codes: 1, scans: 0 });
    sandbox.workspace.update(sandbox.codeId(), {
      destination: `http://127.0.0.1:${sandbox.port}/openapi.json`,
    });
    mkdirSync(join(cwd, 'kept'));
    symlinkSync('kept/check.csv', join(cwd, 'check.csv'));
    for (const at of ['kept/check.csv', 'check.csv']) {
      const args = ['qr', 'check', '--since-last', at, '--fail-on', 'none', '--allow-private'];
      const { code, stderr } = await runByDay(args, { env: sandbox.env, cwd });
      expect(code, stderr).toBe(0);
    }
  },
);
