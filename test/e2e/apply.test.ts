/** `qr apply` as its users run it: requests, exit codes, and files. */
import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newMachine, useBench } from '../support/bench.ts';
import { runByDay } from '../support/run-here.ts';

async function usePlace(codes = 0) {
  const bench = await useBench(undefined, { codes, plan: 'business' });
  return {
    ...bench,
    cwd: bench.directory,
    apply: (...args: string[]) => bench.qr(['apply', '--from', 'codes.csv', ...args]),
    write: (text: string) => bench.write('codes.csv', text),
  };
}

const row = (n: number, name = `Poster ${n}`) => `k${n},${name},https://example.com/${n}\n`;
const file = (...rows: string[]) => `key,name,destination\n${rows.join('')}`;

describe('qr apply', () => {
  it('requests the listing, and sends one request per new or edited row', async () => {
    const { apply, methods, write, cwd } = await usePlace(3);
    await write(file(...Array.from({ length: 20 }, (_, n) => row(n))));
    expect((await apply()).code).toBe(0);
    expect(methods()).toEqual({ GET: 1, POST: 20 });
    const { mtimeMs } = await stat(join(cwd, 'codes.lock.json'));
    expect((await apply()).code).toBe(0);
    expect(methods()).toEqual({ GET: 1 });
    expect((await stat(join(cwd, 'codes.lock.json'))).mtimeMs).toBe(mtimeMs);
    await write(
      file(...Array.from({ length: 20 }, (_, n) => row(19 - n, n === 7 ? 'Edited' : `Poster ${19 - n}`))),
    );
    const plan = await apply('--dry-run', '--exit-code', '-f', 'json');
    expect([plan.code, methods()]).toEqual([8, { GET: 1 }]);
    const changed = JSON.parse(plan.stdout).filter(
      ({ action }: { action: string }) => action !== 'unchanged',
    );
    expect(changed).toMatchObject([
      { key: 'k12', action: 'update', changes: { name: { old: 'Poster 12', new: 'Edited' } } },
    ]);
    expect((await apply('-q')).code).toBe(0);
    expect(methods()).toEqual({ GET: 1, PATCH: 1 });
  });

  it('counts the keys by outcome, even if nothing changes, and mentions the lock file only if it exists', async () => {
    const { apply, write, sandbox, cwd } = await usePlace();
    sandbox.workspace.create({ name: 'Poster 1', destination: 'https://example.com/1' });
    await write(file(row(1)));
    const open = await apply();
    expect([open.code, open.stderr]).toEqual([
      9,
      expect.stringMatching(/1 key exists \(1 request\)(\. Lock|\n)/),
    ]);
    expect(open.stderr.includes('Lock file')).toBe(existsSync(join(cwd, 'codes.lock.json')));
    const first = await apply('--adopt-existing');
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringContaining('Adopted 1 code (1 request). Lock file: codes.lock.json'),
    ]);
    expect((await apply('--dry-run')).stderr).toContain(
      '1 code unchanged (about 1 request). No changes were made',
    );
    expect((await apply()).stderr).toContain('1 key unchanged (1 request). Lock file: codes.lock.json');
    await write(file(row(1), row(2)));
    expect((await apply('--dry-run')).stderr).toContain(
      '1 code to create, 1 unchanged (about 2 requests). No changes were made',
    );
    expect((await apply()).stderr).toContain('Created 1 code, 1 unchanged (2 requests)');
  });

  it('adopts an existing workspace with only the requests that list its codes, with --init or without a lock file', async () => {
    const { qr, apply, methods, read, cwd } = await usePlace(120);
    const init = await qr(['apply', '--init', '-o', 'codes.csv']);
    expect([init.code, init.stdout]).toEqual([0, '']);
    expect((await read('codes.csv')).split('\n', 1)).toEqual(['key,name,type,destination,status,base']);
    const listing = methods();
    expect(Object.keys(listing)).toEqual(['GET']);
    expect((await apply()).code).toBe(0);
    expect(methods()).toEqual(listing);
    await copyFile(join(cwd, 'codes.csv'), join(cwd, 'other.csv'));
    const adopted = await qr(['apply', '--from', 'other.csv', '--key', 'key', '-f', 'json']);
    expect(adopted.code).toBe(0);
    expect(methods()).toEqual(listing);
    const again = await qr(['apply', '--init', '-o', 'codes.csv']);
    expect([again.code, methods()]).toEqual([2, {}]);
  });

  it.each([
    [['-o', 'a.md'], 'Use a name that ends in .csv with --output.'],
    [['-o', 'a.csv', '--ids'], 'Omit either --ids or --init.'],
    [['-o', 'a.csv', '-f', 'markdown'], 'Omit --format markdown.'],
  ])('refuses --init with %j, and the hint mentions only flags that were passed', async (more, hint) => {
    const { qr } = await usePlace();
    expect(await qr(['apply', '--init', ...more])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`hint: ${hint}\n`),
    });
  });

  it('replaces the lock file with --init --overwrite, even if the workspace is empty', async () => {
    const { sandbox, qr, apply, write, read } = await usePlace();
    await write(file(row(1)));
    await apply();
    for (const { id } of [...sandbox.workspace.codes()]) sandbox.workspace.delete(id);
    expect((await qr(['apply', '--init', '-o', 'codes.csv', '--overwrite'])).code).toBe(0);
    expect(await read('codes.lock.json')).not.toContain(row(1).split(',')[1]);
  });

  it('checks the file and the lock file with --offline, without an API key or a request', async () => {
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
    await write('key,slug,name\nk9,menu,\n');
    const named = await offline();
    expect(named.stderr).toMatch(/1 row, 0 in the lock file, 1 new, 2 removed, no faults/);
    expect(named.code).toBe(0);
    expect(methods()).toEqual({});
  });

  it('pauses the code for a removed key with --removed pause, and reactivates it when the key is back', async () => {
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
    ['a changed type', 'key,name,type\nk1,Poster 1,wifi\n', 'line 2'],
    ['a new code without a name', file(row(1), 'k2,,https://example.com\n'), 'line 3'],
  ])('exits with 2 for %s, prints its line number, and changes nothing', async (_, text, place) => {
    const { apply, write, methods, read } = await usePlace();
    await write(file(row(1)));
    await apply();
    const lock = await read('codes.lock.json');
    methods();
    await write(text);
    const { code, stderr } = await apply();
    const { POST, PATCH, DELETE } = methods();
    expect([code, POST, PATCH, DELETE]).toEqual([2, undefined, undefined, undefined]);
    expect(stderr).toContain(place);
    expect(await read('codes.lock.json')).toBe(lock);
  });

  it.each([
    ['conflict markers', (lock: string) => lock.replace('"codes"', '<<<<<<< HEAD\n"codes"'), 'line 5'],
    [
      'the base URL of another service',
      (lock: string) => lock.replace(/"base_url": "[^"]*"/, '"base_url": "https://qr.example/api/v1"'),
      'qr.example',
    ],
  ])('exits with 2 for a lock file with %s, and sends no request', async (_, spoil, words) => {
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

  it('exits with 2 if the output or lock file is also its input file, or the output is its lock file', async () => {
    const { apply, write, read, methods } = await usePlace();
    await write(file(row(1)));
    for (const flags of [
      ['-o', 'codes.csv'],
      ['-o', './codes.lock.json', '-f', 'json'],
      ['--lock', 'codes.csv'],
    ])
      expect((await apply(...flags)).code, String(flags)).toBe(2);
    expect([await read('codes.csv'), methods()]).toEqual([file(row(1)), {}]);
  });

  it('prints the changes on a terminal, and a Markdown plan in which values add no markup', async () => {
    const { apply, write, qr } = await usePlace();
    const long = `https://example.com/${'a'.repeat(90)}`;
    await write(`key,name,destination\nk1,Menu,${long}1?x\n`);
    await apply();
    await write(`key,name,destination\nk1,"<b>|\`[x](//y) @z #1\n|",${long}2?x\n`);
    const screen = await qr(['apply', '--from', 'codes.csv', '--dry-run', '--no-color'], { tty: 80 });
    expect(screen.stdout.replace(/\s/g, '')).toMatch(/a1\?x→…a+2\?x/);
    for (const line of screen.stdout.split('\r\n')) expect(line.length).toBeLessThanOrEqual(80);
    const { stdout } = await apply('--dry-run', '-f', 'markdown');
    const [head, ...rows] = stdout.split('\n').filter((line) => line.startsWith('|'));
    const cells = (line = '') => line.match(/(?<!\\)\|/g)?.length;
    expect(rows).toHaveLength(3);
    for (const line of rows) expect(cells(line)).toBe(cells(head));
    expect(stdout).toContain(`${long}2?x`);
    expect(stdout).not.toMatch(/<b>|@z|\[x\]/);
  });

  it.each([
    ['lost', async (path: string) => rm(path), 9],
    ['from before the last run', async (path: string) => copyFile(`${path}.old`, path), 0],
  ])('creates no duplicate code on another machine if the lock file is %s', async (_, spoil, exit) => {
    const { write, apply, qr, cwd, sandbox, methods } = await usePlace();
    const lock = join(cwd, 'codes.lock.json');
    const all = file(...Array.from({ length: 12 }, (_, n) => row(n)));
    await write(all);
    await apply();
    await copyFile(lock, `${lock}.old`);
    await write(all.replace('Poster 3', 'Edited'));
    await apply();
    await spoil(lock);
    methods();
    const env = await newMachine();
    const elsewhere = (...flags: string[]) => qr(['apply', '--from', 'codes.csv', ...flags], { env });
    expect((await elsewhere()).code).toBe(exit);
    expect((await elsewhere('--adopt-existing')).code).toBe(0);
    expect((await elsewhere()).code).toBe(0);
    expect(methods()).toEqual({ GET: 3 });
    expect(sandbox.workspace.codes()).toHaveLength(12);
  });

  it("overwrites another client's edit and prints it, keeps it with --conflicts service, and only shows edits of columns that the file lacks", async () => {
    const { write, apply, sandbox } = await usePlace();
    await write(file(row(1), row(2)));
    await apply();
    const edit = () => {
      for (const { id } of sandbox.workspace.codes()) sandbox.workspace.update(id, { name: 'Edited there' });
    };
    const names = () =>
      sandbox.workspace
        .codes()
        .map(({ name }) => name)
        .sort();
    edit();
    const left = await apply('--conflicts', 'service');
    expect([left.code, names()]).toEqual([0, ['Edited there', 'Edited there']]);
    const won = await apply();
    expect([won.code, names()]).toEqual([0, ['Poster 1', 'Poster 2']]);
    expect(won.stdout).toContain('Edited there');
    sandbox.workspace.update(sandbox.workspace.codes()[0]?.id ?? '', { status: 'paused' });
    const drift = await apply('--dry-run', '--exit-code', '-f', 'markdown');
    expect([drift.code, drift.stdout]).toEqual([
      0,
      expect.stringMatching(/status.*paused.*last applied.*active/),
    ]);
  });

  it('exits with 9 for a file that lost half of its rows or all of its keys, and changes nothing', async () => {
    const { write, apply, methods, read } = await usePlace();
    const rows = Array.from({ length: 30 }, (_, n) => row(n));
    await write(file(...rows));
    await apply();
    const lock = await read('codes.lock.json');
    methods();
    for (const kept of [rows.slice(0, 15), [row(99)]]) {
      await write(file(...kept));
      for (const flags of [[], ['--removed', 'pause']]) expect((await apply(...flags)).code).toBe(9);
    }
    expect(methods()).toEqual({ GET: 4 });
    expect(await read('codes.lock.json')).toBe(lock);
  });

  it.each([
    [['apply'], 'missing --from', 'Add --from FILE, or write a first file with --init -o codes.csv.'],
    [['apply', '--from', '-'], '--from - requires --lock', 'Add --lock FILE, or save the rows in a file.'],
    [['apply', '--init'], '--init requires --output FILE', 'Add -o codes.csv.'],
    [['apply', '--init', '-o', '-'], '--init requires --output FILE', 'Add -o codes.csv.'],
  ])('exits with 2 for the arguments %j', async (args, message, hint) => {
    const { qr } = await usePlace();
    expect(await qr(args)).toMatchObject({ code: 2, stderr: `qrctl: ${message}\n  hint: ${hint}\n` });
  });

  it('treats warnings as errors with --offline --strict, and exits with 2', async () => {
    const { apply, write } = await usePlace();
    await write(file('k1,Poster,https://example.com/a b\n'));
    expect((await apply('--offline')).code).toBe(0);
    expect(await apply('--offline', '--strict')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 2'),
    });
  });

  it.each([
    ['keeps the workspace key in a lock file that lists a code of the workspace', true, true],
    ['replaces the workspace key in a lock file that lists no code', false, true],
    ['adds the workspace key to a lock file that has none', true, false],
  ])('%s', async (_, knows, hasKey) => {
    const { apply, write, read, cwd } = await usePlace();
    await write(file(row(1)));
    await apply();
    const keyIn = async () =>
      /"workspace": "([0-9a-f]{32}:[0-9a-f]{64})"/.exec(await read('codes.lock.json'))?.[1];
    const own = await keyIn();
    const other = (own ?? '').replace(/[0-9a-f]/g, '0');
    const lines = (await read('codes.lock.json')).split('\n').flatMap((line) => {
      if (!line.includes(own ?? '')) return knows || !line.startsWith('{"key":') ? [line] : [];
      return hasKey ? [line.replace(own ?? '', other)] : [];
    });
    await writeFile(join(cwd, 'codes.lock.json'), lines.join('\n'));
    await write(file(...(knows ? [row(1)] : []), row(2)));
    expect((await apply()).code).toBe(0);
    const kept = await keyIn();
    expect(kept).toMatch(/:/);
    expect(kept === other).toBe(knows && hasKey);
  });
});
