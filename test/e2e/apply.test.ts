/** `qr apply` as its users run it: requests, exit codes, and files. */
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, startCli, useDirectory } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

interface Place {
  sandbox: TestSandbox;
  cwd: string;
  apply: (...args: string[]) => ReturnType<typeof runByDay>;
  /** The methods of the requests since the last call. */
  methods: () => Record<string, number>;
  write: (text: string) => Promise<void>;
}

async function usePlace(codes = 0): Promise<Place> {
  const sandbox = await useSandbox({ codes, scans: 0, plan: 'business' });
  const cwd = await useDirectory();
  let seen = 0;
  return {
    sandbox,
    cwd,
    apply: (...args) => runByDay(['qr', 'apply', '--from', 'codes.csv', ...args], { env: sandbox.env, cwd }),
    methods() {
      const counts: Record<string, number> = {};
      for (const { method } of sandbox.requests.slice(seen)) counts[method] = (counts[method] ?? 0) + 1;
      seen = sandbox.requests.length;
      return counts;
    },
    write: (text) => writeFile(join(cwd, 'codes.csv'), text),
  };
}

const row = (n: number, name = `Poster ${n}`) => `k${n},${name},https://example.com/${n}\n`;
const file = (...rows: string[]) => `key,name,destination\n${rows.join('')}`;

describe('qr apply', () => {
  it('costs a request per new code, then the listing, then the listing and one request per edited row (Y12)', async () => {
    const { apply, methods, write, cwd } = await usePlace(3);
    await write(file(...Array.from({ length: 20 }, (_, n) => row(n))));
    expect((await apply()).code).toBe(0);
    expect(methods()).toEqual({ GET: 1, POST: 20 });
    const { mtimeMs } = await stat(join(cwd, 'codes.lock.json'));
    expect((await apply()).code).toBe(0);
    expect(methods()).toEqual({ GET: 1 });
    expect((await stat(join(cwd, 'codes.lock.json'))).mtimeMs).toBe(mtimeMs);
    await write(file(...Array.from({ length: 20 }, (_, n) => row(19 - n, n === 7 ? 'Edited' : `Poster ${19 - n}`))));
    const plan = await apply('--dry-run', '--exit-code', '-f', 'json');
    expect([plan.code, methods()]).toEqual([8, { GET: 1 }]);
    const changed = JSON.parse(plan.stdout).filter(({ action }: { action: string }) => action !== 'unchanged');
    expect(changed).toMatchObject([{ key: 'k12', action: 'update', field: 'name', old: 'Poster 12', new: 'Edited' }]);
    expect((await apply('-q')).code).toBe(0);
    expect(methods()).toEqual({ GET: 1, PATCH: 1 });
  });

  it('counts the keys by outcome, also if nothing changes, and names no lock file that was not written', async () => {
    const { apply, write } = await usePlace();
    await write(file(row(1)));
    const first = await apply();
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringContaining('1 key: 1 created (2 requests). Lock file: codes.lock.json'),
    ]);
    expect((await apply('--dry-run')).stderr).toContain('A run would change nothing (1 request');
    expect((await apply()).stderr).toContain('1 key: 1 unchanged (1 request). Lock file: codes.lock.json');
    await write(file(row(1), row(2)));
    expect((await apply('--dry-run')).stderr).toContain('A run would apply the plan (2 requests');
    expect((await apply()).stderr).toContain('2 keys: 1 unchanged, 1 created (2 requests)');
    const twice = await usePlace();
    const same = 'name,type,destination\nPoster 1,url,https://example.com/1\n';
    await writeFile(join(twice.cwd, 'same.csv'), same + same.split('\n')[1]);
    await runByDay(['qr', 'create', '--from', 'same.csv'], { env: twice.sandbox.env, cwd: twice.cwd });
    await twice.write(file(row(1)));
    const open = await twice.apply();
    expect([open.code, open.stderr]).toEqual([9, expect.stringMatching(/1 key: 1 undecided \(1 request\)(\. Lock|\n)/)]);
    expect(open.stderr.includes('Lock file')).toBe(existsSync(join(twice.cwd, 'codes.lock.json')));
  });

  it('keeps a second run waiting, which then plans from the start (Y16)', async () => {
    const { sandbox, cwd, write } = await usePlace();
    await write(file(...Array.from({ length: 30 }, (_, n) => row(n))));
    const runs = await Promise.all(
      [0, 1, 2].map(() => startCli(['qr', 'apply', '--from', 'codes.csv'], { env: sandbox.env, cwd })),
    );
    const ends = await Promise.all(runs.map(({ done }) => done));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(30);
    expect(sandbox.workspace.codes()).toHaveLength(30);
  });

  it('adopts an existing workspace for the listing alone, by --init or without a lock file', async () => {
    const { sandbox, apply, methods, cwd } = await usePlace(300);
    const init = await runByDay(['qr', 'apply', '--init', '-o', 'codes.csv'], { env: sandbox.env, cwd });
    expect([init.code, init.stdout]).toEqual([0, '']);
    const listing = methods();
    expect(Object.keys(listing)).toEqual(['GET']);
    expect((await apply()).code).toBe(0);
    expect(methods()).toEqual(listing);
    await writeFile(join(cwd, 'other.csv'), await readFile(join(cwd, 'codes.csv')));
    const adopted = await runByDay(['qr', 'apply', '--from', 'other.csv', '--key', 'key', '-f', 'json'], {
      env: sandbox.env,
      cwd,
    });
    expect(adopted.code).toBe(0);
    expect(methods()).toEqual(listing);
    const again = await runByDay(['qr', 'apply', '--init', '-o', 'codes.csv'], { env: sandbox.env, cwd });
    expect([again.code, methods()]).toEqual([2, {}]);
  });

  it('checks file and lock file without a key', async () => {
    const { apply, write, cwd, methods } = await usePlace();
    await write(file(row(1), row(2)));
    await apply();
    methods();
    await write(file(row(1), row(3)));
    const offline = () => runByDay(['qr', 'apply', '--from', 'codes.csv', '--offline'], { cwd });
    const fine = await offline();
    expect(fine.code).toBe(0);
    expect(fine.stderr).toMatch(/2 rows, 1 in the lock file, 1 new, 1 removed/);
    await write(file(row(1), 'K1,x,https://example.com\n'));
    expect((await offline()).code).toBe(2);
    expect(methods()).toEqual({});
  });

  it('pauses the code of a removed key on request, and activates it when the key is back', async () => {
    const { apply, write, sandbox } = await usePlace();
    await write(file(row(1), row(2)));
    await apply();
    await write(file(row(1)));
    const statuses = () => sandbox.workspace.codes().map(({ status }) => status);
    await apply();
    expect(statuses()).toEqual(['active', 'active']);
    await apply('--removed', 'pause');
    expect([...statuses()].sort()).toEqual(['active', 'paused']);
    await write(file(row(1), row(2)));
    expect((await apply()).code).toBe(0);
    expect(statuses()).toEqual(['active', 'active']);
  });

  it.each([
    ['a missing key', 'key,name,destination\n,x,https://example.com\n', 'line 2'],
    ['a doubled key', file(row(1), row(1)), 'line 3'],
    ['keys that differ by case', file(row(1), row(1).toUpperCase()), 'line 3'],
    ['no key column', 'name,destination\nx,https://example.com\n', 'line 1'],
    ['a changed type', 'key,name,type\nk1,Poster 1,wifi\n', 'line 2'],
    ['a new code without a name', file(row(1), 'k2,,https://example.com\n'), 'line 3'],
  ])('refuses %s with its line, and sends nothing', async (_, text, place) => {
    const { apply, write, methods, cwd } = await usePlace();
    await write(file(row(1)));
    await apply();
    const lock = await readFile(join(cwd, 'codes.lock.json'), 'utf8');
    methods();
    await write(text);
    const { code, stderr } = await apply();
    expect([code, methods()]).toEqual([2, {}]);
    expect(stderr).toContain(place);
    expect(await readFile(join(cwd, 'codes.lock.json'), 'utf8')).toBe(lock);
  });

  it.each([
    ['conflict markers', (lock: string) => lock.replace('"codes"', '<<<<<<< HEAD\n"codes"'), 'line 5'],
    ['a newer version', (lock: string) => lock.replace('"version": 1', '"version": 2'), 'newer'],
    [
      'another service',
      (lock: string) => lock.replace(/"base_url": "[^"]*"/, '"base_url": "https://qr.example/api/v1"'),
      'qr.example',
    ],
    ['damage', (lock: string) => lock.slice(0, -30), 'damaged'],
  ])('refuses a lock file with %s, and sends nothing', async (_, spoil, words) => {
    const { apply, write, methods, cwd } = await usePlace();
    await write(file(row(1)));
    await apply();
    methods();
    const path = join(cwd, 'codes.lock.json');
    await writeFile(path, spoil(await readFile(path, 'utf8')));
    const { code, stderr } = await apply();
    expect([code, methods()]).toEqual([2, {}]);
    expect(stderr).toContain(words);
  });

  it('never writes over its own file', async () => {
    const { apply, write, cwd, methods } = await usePlace();
    await write(file(row(1)));
    for (const flags of [
      ['-o', 'codes.csv'],
      ['-o', './codes.lock.json', '-f', 'json'],
      ['--lock', 'codes.csv'],
    ])
      expect((await apply(...flags)).code, String(flags)).toBe(2);
    expect([await readFile(join(cwd, 'codes.csv'), 'utf8'), methods()]).toEqual([file(row(1)), {}]);
  });

  it('prints the plan for a person without cutting what differs, and for a pull request without markup from values', async () => {
    const { apply, write, sandbox, cwd } = await usePlace();
    const long = `https://example.com/${'a'.repeat(90)}`;
    await write(`key,name,destination\nk1,Menu,${long}1?x\n`);
    await apply();
    await write(`key,name,destination\nk1,"<b>|\`[x](//y) @z #1\n|",${long}2?x\n`);
    const screen = await runCli(['qr', 'apply', '--from', 'codes.csv', '--dry-run', '--no-color'], {
      env: sandbox.env,
      cwd,
      tty: 80,
    });
    expect(screen.stdout.replace(/\s/g, '')).toContain(`${long}1?x→${long}2?x`.replace(/\s/g, ''));
    for (const line of screen.stdout.split('\r\n')) expect(line.length).toBeLessThanOrEqual(80);
    const { stdout } = await apply('--dry-run', '-f', 'markdown');
    const rows = stdout.split('\n').filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(4);
    for (const line of rows) expect(line.match(/(?<!\\)\|/g)).toHaveLength(7);
    expect(stdout).not.toMatch(/<b>|@z|\[x\]/);
  });
});
