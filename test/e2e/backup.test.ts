/** `qr delete --backup`: nothing is sent that could end a code before all of it is on the disk. */
import { spawn, spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AMBIENT, BIN, useDirectory } from '../support/cli.ts';
import { sometimes, wrongTotal } from '../support/faults.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const STRACE = 'strace';
const hasStrace = spawnSync(STRACE, ['-V']).status === 0;
/** Three pages of scans per code. */
const DATA = { codes: 3, scans: 1203 };

async function scansIn(directory: string, id: string): Promise<unknown[]> {
  const text = await readFile(join(directory, `${id}.scans.ndjson`), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe('qr delete --backup', () => {
  it('writes each code and its scans to files, and then deletes the code', async () => {
    const sandbox = await useSandbox(DATA);
    const directory = join(await useDirectory(), 'deleted', 'codes');
    const ids = [sandbox.codeId(0), sandbox.codeId(1)];
    const codes = sandbox.workspace.codes().map((code) => ({ ...code }));
    const scans = ids.map((id) => sandbox.scans(id));
    const run = await runByDay(['qr', 'delete', ...ids, '--yes', '--backup', directory], {
      env: sandbox.env,
    });
    expect(run).toMatchObject({ code: 0 });
    expect(sandbox.workspace.codes()).toHaveLength(1);
    expect((await readdir(directory)).sort()).toEqual(
      ids.flatMap((id) => [`${id}.json`, `${id}.scans.ndjson`]).sort(),
    );
    for (const [at, id] of ids.entries()) {
      expect(await scansIn(directory, id)).toEqual(scans[at]);
      expect(JSON.parse(await readFile(join(directory, `${id}.json`), 'utf8'))).toEqual(
        codes.find((code) => code.id === id),
      );
    }
    // The code, its pause, its pages, a look beyond them, one for newer scans, and the DELETE.
    expect(sandbox.requests).toHaveLength(2 * (1 + 1 + 3 + 1 + 1 + 1));
  });

  it('exits with 2 instead of overwriting a file that is not a record of the code, and replaces an earlier record', async () => {
    const sandbox = await useSandbox({ codes: 2, scans: 3 });
    const cwd = await useDirectory();
    const [id, other] = [sandbox.codeId(0), sandbox.codeId(1)];
    const path = join(cwd, `${id}.json`);
    await writeFile(join(cwd, 'old.csv'), `id\n${other}\n${id}\n`);
    const remove = (...args: string[]) =>
      runByDay(['qr', 'delete', ...args, '--yes', '--backup', cwd], { env: sandbox.env, cwd });
    for (const text of ['{"notes": "mine"}\n', JSON.stringify({ id: other }), 'mine']) {
      await writeFile(path, text);
      for (const args of [[id], ['--from', 'old.csv']])
        expect(await remove(...args)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(`cannot write ${path}: it is not a record of this code`),
        });
      expect(await readFile(path, 'utf8')).toBe(text);
    }
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    await writeFile(path, JSON.stringify({ id }));
    expect((await remove('--from', 'old.csv')).code).toBe(0);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ id, slug: expect.any(String) });
  });

  const ways: [string, number, number, boolean][] = [
    ['a file of slugs', 30, 2, true],
    ['an id', 1203, 1, false],
    ['an id', 0, 1, false],
    ['a slug', 3, 1, false],
    ['two ids', 1, 2, false],
  ];
  it.each(firstRows(1, ways))(
    'sends as many requests as --dry-run predicts, with --yes or after a prompt: %s, %i scans',
    async (how, scans, count, ofFile) => {
      for (const asked of [false, true]) {
        const sandbox = await useSandbox({ codes: 3, scans: 0 });
        const directory = await useDirectory();
        const codes = [0, 1].slice(0, count).map((n) => sandbox.workspace.code(sandbox.codeId(n)));
        const from = Date.now() - 30_000_000;
        for (const code of codes)
          for (let i = 0; i < scans; i++)
            sandbox.workspace.addScan(code?.id ?? '', { ts: new Date(from + i * 2500).toISOString() });
        const names = codes.map((code) => (how.includes('id') ? code?.id : code?.slug) ?? '');
        const file = join(directory, 'old.csv');
        await writeFile(file, ['slug', ...names, ''].join('\n'));
        const args = [
          'qr',
          'delete',
          ...(ofFile ? ['--from', file] : names),
          '--backup',
          join(directory, 'backup'),
        ];
        const env = { ...sandbox.env, HOME: directory };
        const dry = await runByDay([...args, '--dry-run', ...(asked ? [] : ['--yes'])], { env });
        const spent = sandbox.requests.length;
        const answer = { tty: true, input: `${count === 1 ? 'y' : count}\n` };
        const run = await runByDay(asked ? args : [...args, '--yes'], { env, ...(asked && answer) });
        expect(run.code, run.stderr).toBe(0);
        const sent = sandbox.requests.slice(spent).map(({ method, url }) => `${method} ${url}`);
        expect(dry.stderr, sent.join('\n')).toMatch(new RegExp(`\\(about ${sent.length} requests`));
        // What was named is read once.
        const reads = sent.filter((request) => /^GET \S*\/qr(\/[^/?]+)?(\?\S*)?$/.test(request));
        if (!ofFile) expect(reads, sent.join('\n')).toHaveLength(count);
      }
    },
  );

  const totals: [string, (total: number) => number][] = [
    ['too small', (total) => total - 7],
    ['too large', (total) => total + 1],
  ];
  it.each(firstRows(1, totals))(
    'deletes nothing and exits with 9 if the total of scans from the service is %s (B2)',
    async (_, lie) => {
      const sandbox = await useSandbox({
        ...DATA,
        intercept: sometimes(({ request }) => request.path.endsWith('/scans') && wrongTotal(lie)),
      });
      const directory = await useDirectory();
      const [first = '', second = ''] = [sandbox.codeId(0), sandbox.codeId(1)];
      const env = sandbox.env;
      const one = await runByDay(['qr', 'delete', first, '--yes', '--backup', directory], { env });
      expect(one).toMatchObject({
        code: 9,
        stderr: expect.stringContaining('could not be verified as complete'),
      });
      const two = await runByDay(['qr', 'delete', first, second, '--yes', '--backup', directory], { env });
      expect(two).toMatchObject({ code: 9 });
      const file = join(directory, 'old.csv');
      await writeFile(file, `id\n${first}\n${second}\n`);
      expect(
        await runByDay(['qr', 'delete', '--from', file, '--yes', '--backup', directory], { env }),
      ).toMatchObject({ code: 9 });
      expect(sandbox.workspace.codes()).toHaveLength(3);
      expect(sandbox.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
      expect((await readdir(directory)).filter((name) => name.includes('scans'))).toEqual([]);
    },
  );

  it("exits with 2, deletes no code and sends no request if the backup directory can't be created", async () => {
    const sandbox = await useSandbox(DATA);
    const run = await runByDay(['qr', 'delete', sandbox.codeId(), '--yes', '--backup', '/proc/deleted'], {
      env: sandbox.env,
    });
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot create the directory /proc/deleted'),
    });
    expect(sandbox.requests).toEqual([]);
  });

  it.runIf(SOAK)(
    'deletes a code that is scanned continuously, and exits with 0, or keeps the code and exits with 9',
    async () => {
      const sandbox = await useSandbox({ ...DATA, live: 20 });
      const directory = await useDirectory();
      const id = sandbox.codeId();
      const run = await runByDay(['qr', 'delete', id, '--yes', '--backup', directory], { env: sandbox.env });
      expect([0, 9]).toContain(run.code);
      expect(sandbox.workspace.codes().some((code) => code.id === id)).toBe(run.code === 9);
    },
  );

  it('suggests pausing the code instead on a terminal', async () => {
    const sandbox = await useSandbox(DATA);
    const run = await runByDay(['qr', 'delete', sandbox.codeId()], {
      env: sandbox.env,
      tty: true,
      input: 'n\n',
    });
    expect(run.stdout).toMatch(
      /To\s+keep\s+the\s+code\s+and\s+its\s+scans,\s+pause\s+it\s+instead:\s+`qrctl qr\s+update\s+\S+\s+--status\s+paused`/,
    );
    expect(sandbox.workspace.codes()).toHaveLength(3);
  });

  it.skipIf(!hasStrace)(
    'flushes the last byte and the file names before it sends the DELETE (B1)',
    async () => {
      const sandbox = await useSandbox(DATA);
      const directory = await useDirectory();
      const log = join(directory, 'strace');
      const backup = join(directory, 'backup');
      const calls = 'trace=fsync,fdatasync,rename,write,writev,sendto,sendmsg';
      const command = [process.execPath, BIN, 'qr', 'delete', sandbox.codeId(), '--yes', '--backup', backup];
      const env = { ...AMBIENT, HOME: directory, QRCTL_CONFIG_DIR: directory, ...sandbox.env };
      const child = spawn(STRACE, ['-f', '-y', '-qq', '-s', '12', '-o', log, '-e', calls, ...command], {
        env,
        stdio: 'ignore',
      });
      expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
      const lines = (await readFile(log, 'utf8')).split('\n');
      const sent = lines.findIndex((line) => line.includes('"DELETE /api'));
      const ours = lines.flatMap((line, at) =>
        line.includes(backup) || line.includes('rename(') ? [{ line, at }] : [],
      );
      expect(sent).toBeGreaterThan(0);
      expect(ours.filter(({ line, at }) => at > sent && line.includes(backup))).toEqual([]);
      const [, name] =
        [...lines.slice(0, sent)]
          .reverse()
          .map((line) => /(rename|fsync)\(/.exec(line) ?? [])
          .find(([found]) => found) ?? [];
      // Of the last file: its content, its name, and the directory that has the name.
      expect(name).toBe('fsync');
      const scans = lines.findIndex((line) => line.includes('rename(') && line.includes('.scans.ndjson'));
      expect(
        lines.slice(0, scans).some((line) => line.includes('fsync(') && line.includes('.scans.ndjson')),
      ).toBe(true);
      expect(
        lines.slice(scans, sent).some((line) => line.includes('fsync(') && line.includes(`${backup}>`)),
      ).toBe(true);
    },
  );
});
