/**
 * Root's run in a directory of another user, who swaps names as fast as the machine lets them: whatever happens to their own files,
 * nothing changes that is not theirs. Skipped for everybody but root.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { AMBIENT, BIN, runCli, useDirectory } from '../support/cli.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const NOBODY = 65534;
const ROUNDS = SOAK ? 100 : 1;
/** Names that removing a generation knows. */

let sandbox: TestSandbox;
/** Nobody's, and what they aim at: root's alone. */
let theirs: string;
let secrets: string;

describe.runIf(process.getuid?.() === 0)("qrctl as root in another user's directory", () => {
  beforeEach(async () => {
    sandbox = await useSandbox({ codes: 1, scans: 120, limit: 1e6 });
    const directory = await useDirectory();
    chmodSync(directory, 0o755);
    theirs = join(directory, 'theirs');
    secrets = join(directory, 'secrets');
    for (const path of [theirs, secrets]) mkdirSync(path);
    chownSync(theirs, NOBODY, NOBODY);
    for (const name of ['empty', 'full'])
      writeFileSync(join(secrets, name), name === 'full' ? 'secret\n' : '', { mode: 0o600 });
    chmodSync(secrets, 0o700);
  });

  /** All of what must not change: names, owners, modes and contents. */
  const protectedState = () =>
    ['', 'empty', 'full'].map((name) => {
      const { uid, gid, mode, size } = lstatSync(join(secrets, name));
      return { name, uid, gid, mode, size: name === '' ? 0 : size };
    });

  /** Nobody's process, which goes on swapping until the test is over. */
  async function startAttack(script: string): Promise<ChildProcess> {
    const attacker = spawn('bash', ['-c', script, 'bash', theirs, secrets], {
      uid: NOBODY,
      gid: NOBODY,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(attacker, 'exit');
    onTestFinished(async () => {
      attacker.kill('SIGKILL');
      await ended;
    });
    await once(attacker.stdout as NodeJS.ReadableStream, 'data');
    return attacker;
  }

  const exportTo = (path: string, ...more: string[]) =>
    runByDay(['scans', 'export', sandbox.codeId(), '-o', path, ...more], { env: sandbox.env });

  test.each(['empty', 'full'])(
    "follows no link from that user to root's %s file with -o or --append (D14)",
    async (name) => {
      const before = protectedState();
      symlinkSync(join(secrets, name), join(theirs, 'scans.csv'));
      chownLink(join(theirs, 'scans.csv'));
      for (const flags of [[], ['--append'], ['--append', '--restart']]) {
        const { code, stderr } = await exportTo(join(theirs, 'scans.csv'), ...flags);
        expect(code, stderr).toBe(2);
        expect(stderr).toContain(`is a symbolic link to another user's file, created by user ${NOBODY}`);
      }
      expect(protectedState()).toEqual(before);
    },
  );

  test('follows no link from that user to a root-owned device or FIFO, with -o or --summary (D14)', async () => {
    const fifo = join(secrets, 'fifo');
    execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', fifo]);
    for (const target of ['/dev/null', fifo]) {
      const link = join(theirs, 'out.png');
      rmSync(link, { force: true });
      symlinkSync(target, link);
      chownLink(link);
      const id = sandbox.codeId();
      const short = ['--short-url', 'https://q.example/{slug}'];
      const [page, list] = [join(theirs, 'out.html'), join(theirs, 'out.csv')];
      for (const path of [page, list]) {
        rmSync(path, { force: true });
        symlinkSync(target, path);
        chownLink(path);
      }
      for (const args of [
        ['scans', 'export', id, '-f', 'csv', '-o', list],
        ['qr', 'list', '--summary', page],
        ['qr', 'image', id, ...short, '-o', link],
        ['scans', 'report', id, '-o', page],
      ]) {
        const { code, stderr } = await runByDay(args, { env: sandbox.env });
        expect(code, `${args}: ${stderr}`).toBe(2);
        expect(stderr).toContain(`is a symbolic link to another user's file, created by user ${NOBODY}`);
      }
    }
  });

  test('writes to standard output, to a process substitution and to a FIFO on the command line', async () => {
    const id = sandbox.codeId();
    const all = (await runByDay(['scans', 'export', id, '-f', 'csv'], { env: sandbox.env })).stdout;
    const link = join(secrets, 'stdout');
    symlinkSync('/dev/stdout', link);
    const env = { ...AMBIENT, HOME: secrets, QRCTL_CONFIG_DIR: secrets, ...sandbox.env };
    for (const path of firstRows(1, [link, '>(cat >&3) >/dev/null', '/dev/stdout', '/dev/fd/1'])) {
      const script = `set -o pipefail; (exec 3>&1; "$0" "$1" -q scans export ${id} -f csv -o ${path}) | cat`;
      const shell = spawn('bash', ['-c', script, process.execPath, BIN], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let out = '';
      shell.stdout.on('data', (data) => {
        out += String(data);
      });
      expect(await once(shell, 'close'), path).toEqual([0, null]);
      expect(out, path).toBe(all);
    }
    const fifo = join(theirs, 'fifo');
    execFileSync('sh', ['-c', 'mkfifo -m 666 "$0"', fifo]);
    const reader = spawn('cat', [fifo], { stdio: ['ignore', 'pipe', 'ignore'] });
    let read = '';
    reader.stdout.on('data', (data) => {
      read += String(data);
    });
    const ended = once(reader, 'close');
    expect((await exportTo(fifo, '-f', 'csv')).code).toBe(0);
    await ended;
    expect(read).toBe(all);
  });

  test('follows no link from that user to a root-owned directory (D14)', async () => {
    symlinkSync(secrets, join(theirs, 'out'));
    chownLink(join(theirs, 'out'));
    for (const flags of [[], ['--append']]) {
      expect((await exportTo(join(theirs, 'out', 'scans.csv'), ...flags)).code).toBe(2);
    }
    expect(() => lstatSync(join(secrets, 'scans.csv'))).toThrow('ENOENT');
  });

  const makers = [
    'scans export --append',
    'scans export --partition-by day',
    'scans export --partition-by day --append',
  ];
  test.each([...makers, 'qr image', 'qr delete'])(
    'follows no link from that user to a root-owned directory, with `%s` (D14)',
    async (maker) => {
      const before = protectedState();
      symlinkSync(secrets, join(theirs, 'lake'));
      chownLink(join(theirs, 'lake'));
      for (const place of ['lake', 'lake/2026']) {
        const id = sandbox.codeId();
        const directory = join(theirs, place);
        const flags = {
          scans: ['-f', 'csv', '--output-dir', directory],
          image: ['--short-url', 'https://q.example/{slug}', '--output-dir', directory],
          delete: ['--yes', '--backup', directory],
        };
        const of = maker.includes('image')
          ? flags.image
          : maker.includes('delete')
            ? flags.delete
            : flags.scans;
        const { code, stderr } = await runByDay([...maker.split(' '), id, ...of], { env: sandbox.env });
        expect(code, stderr).toBe(2);
        expect(stderr).toContain(`is a symbolic link to another user's file, created by user ${NOBODY}`);
      }
      expect(readdirSync(secrets).sort()).toEqual(['empty', 'full']);
      expect(protectedState()).toEqual(before);
    },
  );

  test("leaves no file in that user's home directory after a completion", async () => {
    const env = { ...sandbox.env, HOME: theirs, XDG_CACHE_HOME: undefined, QRCTL_CONFIG_DIR: undefined };
    for (const cache of [undefined, join(theirs, 'cache')]) {
      const run = cache === undefined ? runCli : runByDay;
      const { code, stdout } = await run(['__complete', 'qr', 'get', ''], {
        env: { ...env, XDG_CACHE_HOME: cache },
      });
      expect(code).toBe(0);
      expect(stdout).not.toBe('');
      expect(readdirSync(theirs)).toEqual([]);
    }
  });

  test('removes set-uid and set-gid permissions when it replaces a file (D6)', async () => {
    const path = join(theirs, 'scans.csv');
    writeFileSync(path, 'x');
    chownSync(path, NOBODY, NOBODY);
    chmodSync(path, 0o6777);
    expect((await exportTo(path, '--append', '--restart')).code).toBe(0);
    expect(statSync(path).mode & 0o7000).toBe(0);
    chmodSync(path, 0o6777);
    expect((await exportTo(path, '--overwrite')).code).toBe(0);
    expect(statSync(path).mode & 0o7000).toBe(0);
    for (const left of ['.state.json', '.old', '']) rmSync(`${path}${left}`, { force: true });
  });

  const swaps = {
    'the file for a link': 'while :; do ln -sfn "$2/empty" "$1/scans.csv"; rm -f "$1/scans.csv"; done',
    'the next file and the next state for links':
      'while :; do for f in "$1"/.scans.csv*; do rm -f "$f"; ln -s "$2/full" "$f" 2>&-; rm -f "$f"; done; done',
    'the directory for a link':
      'cd "$1"; mkdir -p real; while :; do ln -sfn "$2" out 2>&-; rm -f out; mkdir out; mv -T out old 2>&-; rm -rf old; done',
  };
  test.each(Object.entries(swaps))(
    'changes no root-owned file while that user repeatedly swaps %s (D14)',
    async (_, swap) => {
      const before = protectedState();
      await startAttack(`echo begun; ${swap}`);
      const directory = swap.includes('out') ? join(theirs, 'out') : theirs;
      for (let round = 0; round < ROUNDS; round++) {
        const { code, stderr } = await exportTo(
          join(directory, 'scans.csv'),
          ...(round % 2 === 0 ? ['--append'] : []),
        );
        expect([0, 1, 2, 8, 9], stderr).toContain(code);
        expect(protectedState()).toEqual(before);
      }
      expect(readFileSync(join(secrets, 'full'), 'utf8')).toBe('secret\n');
      expect(() => lstatSync(join(secrets, 'scans.csv'))).toThrow('ENOENT');
    },
    300_000,
  );

  test('reports which process of that user holds the lock, not that another run is in progress (D13)', async () => {
    const { createHash } = await import('node:crypto');
    const { dev, ino } = statSync(theirs, { bigint: true });
    const name = `qrctl-${createHash('sha256').update(`${dev}:${ino}:scans.csv`).digest('hex')}`.padEnd(
      107,
      '-',
    );
    const squat = `require('node:net').createServer().listen('\\0${name}', () => console.log('held'))`;
    const squatter = spawn(process.execPath, ['-e', squat], {
      uid: NOBODY,
      gid: NOBODY,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void squatter.kill('SIGKILL'));
    await once(squatter.stdout as NodeJS.ReadableStream, 'data');
    const { code, stderr } = await exportTo(join(theirs, 'scans.csv'), '--append');
    expect(code).toBe(2);
    expect(stderr).toContain(`process ${squatter.pid} of user ${NOBODY} holds the lock on`);
  });
});

/** Makes a link nobody's. */
function chownLink(path: string): void {
  lchownSync(path, NOBODY, NOBODY);
}
