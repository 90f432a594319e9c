import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import { systemClock } from '#base/time/time';
import { acquireLock, findHolder, otherUserError } from '#files/durable/lock';
import { fakeClock } from '../../support/clock.ts';
import { SOAK } from '../../support/property-runs.ts';

let directory: string;
let holders: ChildProcess[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'qrctl-lock-'));
  holders = [];
});

afterEach(() => {
  for (const holder of holders) holder.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

/** Another process that takes the lock on `path`, says so, and stays; as another user where `uid` says so. */
async function startHolder(path: string, uid?: number): Promise<ChildProcess> {
  const bundle = await bundleLock();
  const script = `
    import { acquireLock } from ${JSON.stringify(bundle)};
    const clock = { now: Date.now, monotonic: () => performance.now(), random: Math.random, sleep: async () => {} };
    await acquireLock(${JSON.stringify(path)}, { clock, waitMs: 0 });
    console.log('held');
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  holders.push(holder);
  await once(holder.stdout, 'data');
  return holder;
}

/** The module as a file that another process can import. */
async function bundleLock(): Promise<string> {
  const module = fileURLToPath(new URL('../../../src/files/durable/lock.ts', import.meta.url));
  const { build } = await import('esbuild');
  const bundle = join(directory, 'lock.mjs');
  await build({
    entryPoints: [module],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: bundle,
    logLevel: 'silent',
  });
  return bundle;
}

describe('acquireLock', () => {
  it('gives the lock to one holder at a time, and to the next holder after a release (D13)', async () => {
    const path = join(directory, 'scans.csv');
    const first = await acquireLock(path, { clock: fakeClock() });
    await expect(acquireLock(path, { clock: fakeClock(), waitMs: 0 })).rejects.toThrow(UsageError);
    await first.release();
    const second = await acquireLock(path, { clock: fakeClock(), waitMs: 0 });
    await second.release();
  });

  it.runIf(SOAK && process.platform !== 'win32')(
    'fails with the error `too many files are open` if the process has no free file descriptor',
    async () => {
      const script = `
      import { openSync } from 'node:fs';
      import { acquireLock } from ${JSON.stringify(await bundleLock())};
      const clock = { now: Date.now, monotonic: () => performance.now(), random: Math.random, sleep: async () => {} };
      try { for (;;) openSync('/dev/null'); } catch {}
      await acquireLock(${JSON.stringify(join(directory, 'scans.csv'))}, { clock }).catch((error) => console.log(error.message));`;
      const { stdout } = spawnSync('bash', [
        '-c',
        'ulimit -n 100; exec "$0" "$@"',
        process.execPath,
        '--input-type=module',
        '-e',
        script,
      ]);
      expect(stdout.toString()).toBe('cannot lock the file: too many files are open (EMFILE)\n');
    },
  );

  it('waits for the requested time, reports the wait once, and then fails with the path of the file', async () => {
    const path = join(directory, 'scans.csv');
    const clock = fakeClock();
    const lock = await acquireLock(path, { clock });
    let waits = 0;
    const second = acquireLock(path, { clock, waitMs: 3000, onWait: () => waits++ });
    await expect(clock.run(second)).rejects.toThrow(`another qrctl run is using ${path} (waited 3 s)`);
    expect(waits).toBe(1);
    expect(clock.monotonic()).toBe(3000);
    await lock.release();
  });

  it('gets the lock when the holder releases it during the wait', async () => {
    const path = join(directory, 'scans.csv');
    const lock = await acquireLock(path, { clock: fakeClock() });
    const second = acquireLock(path, {
      clock: systemClock,
      waitMs: 10_000,
      onWait: () => void lock.release(),
    });
    await (await second).release();
  });

  it('polls after random pauses of 50 to 150 ms, and fails without waiting if the wait is zero', async () => {
    const path = join(directory, 'scans.csv');
    const lock = await acquireLock(path, { clock: fakeClock() });
    const clock = fakeClock({ seed: 1 });
    const pauses: number[] = [];
    const sleep = async (ms: number, signal?: AbortSignal) => {
      pauses.push(ms);
      await clock.sleep(ms, signal);
    };
    const waiting = acquireLock(path, { clock: { ...clock, sleep }, waitMs: 2000 });
    await expect(clock.run(waiting)).rejects.toThrow(UsageError);
    for (const ms of pauses.slice(0, -1))
      expect(ms).toSatisfy((pause: number) => pause >= 50 && pause <= 150);
    expect(new Set(pauses).size).toBeGreaterThan(5);
    await expect(acquireLock(path, { clock, waitMs: 0 })).rejects.toMatchObject({
      message: `another qrctl run is using ${path}`,
      hint: expect.stringContaining('When the other run has ended, run the command again'),
    });
    await lock.release();
  });

  it('stops waiting if the signal is aborted', async () => {
    const path = join(directory, 'scans.csv');
    const lock = await acquireLock(path, { clock: fakeClock() });
    const controller = new AbortController();
    const waiting = acquireLock(path, {
      clock: systemClock,
      waitMs: 60_000,
      signal: controller.signal,
      onWait: () => controller.abort(new Error('interrupted')),
    });
    await expect(waiting).rejects.toThrow('interrupted');
    await lock.release();
  });

  it('takes the same lock for a file if its path has symbolic links or `.`', async () => {
    const path = join(directory, 'scans.csv');
    writeFileSync(path, '');
    symlinkSync(path, join(directory, 'latest.csv'));
    symlinkSync(directory, `${directory}-link`);
    const lock = await acquireLock(path, { clock: fakeClock() });
    const others = [
      join(directory, 'latest.csv'),
      join(`${directory}-link`, 'scans.csv'),
      `${directory}/./scans.csv`,
    ];
    for (const other of others) {
      await expect(acquireLock(other, { clock: fakeClock(), waitMs: 0 }), other).rejects.toThrow(UsageError);
    }
    rmSync(`${directory}-link`);
    await lock.release();
  });

  it('takes separate locks for files that share only a name or a directory', async () => {
    mkdirSync(join(directory, 'other'));
    const paths = ['scans.csv', 'scans2.csv', 'other/scans.csv'];
    const locks = await Promise.all(
      paths.map((path) => acquireLock(join(directory, path), { clock: fakeClock(), waitMs: 0 })),
    );
    await Promise.all(locks.map((lock) => lock.release()));
  });

  it('locks a file whose path has more than 600 characters, which is too long for a socket name', async () => {
    const deep = join(directory, 'x'.repeat(200), 'y'.repeat(200));
    mkdirSync(deep, { recursive: true });
    const path = join(deep, `${'z'.repeat(200)}.csv`);
    const lock = await acquireLock(path, { clock: fakeClock() });
    await expect(acquireLock(path, { clock: fakeClock(), waitMs: 0 })).rejects.toThrow(UsageError);
    await lock.release();
  });

  it('reports a missing directory', async () => {
    const taking = acquireLock(join(directory, 'no', 'scans.csv'), { clock: fakeClock() });
    await expect(taking).rejects.toThrow(/cannot open the directory/);
    await expect(taking).rejects.toMatchObject({ hint: 'Create the directory first.' });
  });

  it('fails while a stopped process holds the lock, and succeeds after that process is killed (D13)', async () => {
    const path = join(directory, 'scans.csv');
    const holder = await startHolder(path);
    holder.kill('SIGSTOP');
    const clock = fakeClock();
    await expect(clock.run(acquireLock(path, { clock, waitMs: 10_000 }))).rejects.toThrow(UsageError);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const lock = await acquireLock(path, { clock: fakeClock(), waitMs: 0 });
    await lock.release();
  });
});

describe('a lock held by another process', () => {
  const NOBODY = 65534;

  it.runIf(process.getuid?.() === 0)(
    'is reported with the IDs of the process and its user if the process belongs to another user',
    async () => {
      const path = join(directory, 'scans.csv');
      chmodSync(directory, 0o755);
      const holder = await startHolder(path, NOBODY);
      const taking = acquireLock(path, { clock: fakeClock(), waitMs: 0 });
      await expect(taking).rejects.toMatchObject({
        message: `process ${holder.pid} of user ${NOBODY} holds the lock on ${path}`,
        hint: 'No changes were made. If that process is not a qrctl run, end it. Then run the same command again.',
      });
    },
  );

  it('is reported as another qrctl run if the process belongs to this user', async () => {
    const path = join(directory, 'scans.csv');
    await startHolder(path);
    await expect(acquireLock(path, { clock: fakeClock(), waitMs: 0 })).rejects.toThrow(
      'another qrctl run is using',
    );
  });
});

describe('the holder of a lock', () => {
  const sockets = (name: string) =>
    [
      'Num       RefCount Protocol Flags    Type St Inode Path',
      '0000000000000000: 00000002  00000000 00010000 0001 01   111 @other',
      `0000000000000000: 00000002  00000000 00010000 0001 01   222 @${name}`,
      `0000000000000000: 00000002 00000000 00010000 0001 01 333 @${name}-not`,
      '',
    ].join('\n');

  /** What /proc would show; 7 has another socket, 8 the lock's, and 9 may not be looked at. */
  function showProcesses(): void {
    for (const path of ['net', '7/fd', '8/fd', '9', 'self/fd', 'a5/fd', '5a/fd'])
      mkdirSync(join(directory, path), { recursive: true });
    writeFileSync(join(directory, 'net/unix'), sockets('lock'));
    symlinkSync('socket:[111]', join(directory, '7/fd/3'));
    for (const other of ['self', 'a5', '5a']) symlinkSync('socket:[222]', join(directory, other, 'fd/4'));
    symlinkSync('/dev/null', join(directory, '8/fd/0'));
    symlinkSync('socket:[222]', join(directory, '8/fd/4'));
  }

  it("is the process that has opened the lock's socket, or is hidden if no visible process has", async () => {
    showProcesses();
    expect(await findHolder('lock', directory)).toEqual({ process: { pid: 8, user: process.getuid?.() } });
    rmSync(join(directory, '8/fd/4'));
    expect(await findHolder('lock', directory)).toStrictEqual({ process: undefined });
  });

  it('is unknown if the lock is released during the search', async () => {
    showProcesses();
    rmSync(join(directory, '8/fd/4'));
    const name = {
      toString() {
        writeFileSync(join(directory, 'net/unix'), sockets('other'));
        return 'lock';
      },
    };
    expect(await findHolder(name as string, directory)).toBeUndefined();
  });

  it('is reported only if it belongs to another user or is hidden', () => {
    expect(otherUserError('x.csv', undefined, 1)).toBeUndefined();
    expect(otherUserError('x.csv', { process: { pid: 4, user: 1 } }, 1)).toBeUndefined();
    expect(otherUserError('x.csv', { process: { pid: 4, user: 2 } }, 1)?.message).toBe(
      'process 4 of user 2 holds the lock on x.csv',
    );
    expect(otherUserError('x.csv', { process: undefined }, 1)?.message).toBe(
      'a process of another user or outside this container holds the lock on x.csv',
    );
  });

  it('is unknown if no socket has that name, or if the system does not list sockets', async () => {
    showProcesses();
    expect(await findHolder('loc', directory)).toBeUndefined();
    expect(await findHolder('lock', join(directory, 'nowhere'))).toBeUndefined();
  });
});
