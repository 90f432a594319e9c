/** Files that are only read: not by links that another user, or a pull request, chose, and not if reading them would wait without end. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, lchownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { argv } from '../support/argv.ts';
import { AMBIENT, BIN, runCli, useDirectory } from '../support/cli.ts';
import { keepFile } from '../support/kept-log.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';

const NOBODY = 65534;
const SECRET = 'root:$6$TOPSECRET:19000:0:99999:7:::\n';
const SCANS = 'id,ts,country\n1,2026-10-01T00:00:00Z,DE\n2,2026-10-02T00:00:00Z,DE\n';
const ID = '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11';
const env = { QRCTL_BASE_URL: 'http://127.0.0.1:9/api/v1', QRCTL_API_KEY: 'svc_live_key0123456789' };
const quickly = ['--retry-for', '0s'];

/** Each way to an input, with `PATH` in place of the file. */
const READERS = [
  ['scans', 'stats', '--by', 'day', '--input', 'PATH'],
  ['scans', 'stats', '--by', 'x', '--input', 'scans.csv', '--join', 'PATH'],
  ['scans', 'export', '--from', 'PATH', '-o', 'out.csv', ...quickly],
  ['qr', 'create', '--from', 'PATH', ...quickly],
  ['qr', 'apply', '--from', 'PATH', '--dry-run', '--offline'],
  ['qr', 'image', ID, '--logo', 'PATH', '--short-url', 'https://q.example/{slug}', ...quickly],
  ['api', 'POST', '/qr', '--input', 'PATH', ...quickly],
];
const reading = (path: string) => READERS.map((args) => args.map((arg) => (arg === 'PATH' ? path : arg)));

let own: string;

beforeEach(async () => {
  own = await useDirectory();
  writeFileSync(join(own, 'scans.csv'), SCANS);
});

describe.runIf(process.getuid?.() === 0)("qrctl as root in another user's directory", () => {
  let theirs: string;
  let secret: string;

  beforeEach(() => {
    chmodSync(own, 0o755);
    theirs = join(own, 'theirs');
    secret = join(own, 'secret');
    mkdirSync(theirs);
    chownSync(theirs, NOBODY, NOBODY);
    writeFileSync(secret, SECRET, { mode: 0o600 });
  });

  function theirLink(name: string, target: string): string {
    const path = join(theirs, name);
    symlinkSync(target, path);
    lchownSync(path, NOBODY, NOBODY);
    return path;
  }

  test("reads no root-owned file through another user's link in any kind of input (D17)", async () => {
    const link = theirLink('in.csv', secret);
    const directory = theirLink('up', own);
    for (const args of [...reading(link), ...reading(join(directory, 'secret'))]) {
      const { code, stdout, stderr } = await runByDay(args, { cwd: own, env });
      expect(stderr, `${args}`).toMatch(
        /cannot read .* is a symbolic link to another user's file, created by user 65534/,
      );
      expect(stdout + stderr).not.toContain('TOPSECRET');
      expect(code).toBe(2);
    }
  });

  test("reads no root-owned rotated file or directory through another user's link (D17)", async () => {
    writeFileSync(join(theirs, 'scans.csv'), SCANS);
    await keepFile(join(theirs, 'scans.csv'), { isRotated: true });
    theirLink('scans.csv.1', secret);
    const directory = theirLink('lake', own);
    for (const input of [join(theirs, 'scans.csv'), directory]) {
      const { code, stderr } = await runByDay(['scans', 'stats', '--by', 'day', '--input', input], {
        cwd: own,
      });
      expect(stderr).toContain("is a symbolic link to another user's file");
      expect(stderr).not.toContain('TOPSECRET');
      expect(code).toBe(2);
    }
  });

  test("reads another user's files through that user's links, and root's files through root's links", async () => {
    writeFileSync(join(theirs, 'scans.csv'), SCANS);
    chownSync(join(theirs, 'scans.csv'), NOBODY, NOBODY);
    symlinkSync(join(own, 'scans.csv'), join(theirs, 'mine.csv'));
    for (const path of [theirLink('today.csv', 'scans.csv'), join(theirs, 'mine.csv')]) {
      const { code, stdout, stderr } = await runByDay(argv`scans stats --by country --input ${path} -f csv`);
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('country,DE,2');
    }
  });
});

test('/dev/stdin and process substitutions can be read', async () => {
  writeFileSync(join(own, 'codes.csv'), 'key,name,type,destination\na,A,url,https://example.com\n');
  const check = '"$0" "$1" qr apply --dry-run --offline --lock codes.lock.json --from';
  const script = `${check} <(cat codes.csv) && ${check} /dev/stdin < codes.csv && cat codes.csv | ${check} /dev/fd/0`;
  const shell = spawn('bash', ['-c', script, process.execPath, BIN], {
    cwd: own,
    env: { ...AMBIENT, ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let told = '';
  shell.stderr.on('data', (data) => {
    told += String(data);
  });
  expect(await once(shell, 'close'), told).toEqual([0, null]);
  expect(told.match(/1 row/g)).toHaveLength(3);
});

test('in GitHub Actions, no link in the workspace is followed to a file outside the workspace (D17)', async () => {
  const workspace = join(own, 'workspace');
  mkdirSync(join(workspace, 'data'), { recursive: true });
  const secret = join(own, 'secret');
  writeFileSync(secret, SECRET);
  writeFileSync(join(workspace, 'scans.csv'), SCANS);
  symlinkSync(secret, join(workspace, 'in.csv'));
  symlinkSync('../..', join(workspace, 'data', 'up'));
  symlinkSync('../scans.csv', join(workspace, 'data', 'ok.csv'));
  const inActions = { ...env, GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: workspace };
  for (const args of firstRows(1, [
    ...reading('data/up/secret').slice(0, 1),
    ...reading('in.csv').slice(3, 5),
  ])) {
    const { code, stdout, stderr } = await runCli(args, { cwd: workspace, env: inActions });
    expect(stderr, `${args}`).toMatch(/cannot read .* is a symbolic link that leads out of /);
    expect(stdout + stderr).not.toContain('TOPSECRET');
    expect(code).toBe(2);
  }
  for (const input of firstRows(1, ['data/ok.csv', join(own, 'scans.csv'), '../scans.csv'])) {
    const args = ['scans', 'stats', '--by', 'country', '--input', input];
    expect(await runCli(args, { cwd: workspace, env: inActions })).toMatchObject({ code: 0 });
  }
});

test('a FIFO or a directory with the name of a rotated file is not read (D17)', async () => {
  await keepFile(join(own, 'scans.csv'), { isRotated: true });
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(own, 'scans.csv.1')]);
  symlinkSync('scans.csv.1', join(own, 'scans.csv.2'));
  mkdirSync(join(own, 'scans.csv.3'));
  writeFileSync(join(own, 'old'), 'id,ts,country\n3,2026-09-01T00:00:00Z,DE\n');
  symlinkSync('old', join(own, 'scans.csv.4'));
  for (const input of ['scans.csv', '.']) {
    const args = ['scans', 'stats', '--by', 'country', '-f', 'csv', '--input', input];
    const { code, stdout, stderr } = await runByDay(args, { cwd: own, timeoutMs: 30_000 });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(`country,DE,${input === '.' ? 2 : 3}`);
  }
  rmSync(join(own, 'scans.csv.4'));
});
