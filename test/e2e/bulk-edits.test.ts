import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SandboxRequest } from '../../src/sandbox/exchange.ts';
import { applyThenDrop, fails, sometimes } from '../support/faults.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';
import { rowsOf, useBench } from './bulk-bench.ts';

const linesOf = (text: string) => text.trimEnd().split('\n');
const outcomesOf = (results: readonly Record<string, string>[]) => results.map(({ outcome }) => outcome).join(' ');

describe('a spreadsheet that was created and goes on', () => {
  it('may be sorted, inserted into, deleted from, added to and re-saved: only what is new is created', async () => {
    const { create, file, posts, readResults } = await useBench(rowsOf(4));
    await create();
    const [header = '', one, two, three, four] = linesOf(rowsOf(4));
    await writeFile(file, [header, 'New,https://example.com/new', four, two, one, three, ''].join('\n'));
    expect(await create()).toMatchObject({ code: 0, stderr: expect.stringContaining('4 created before, now 1 created') });
    await writeFile(
      file,
      `name;destination;shop\r\n${[two, one, four].map((line) => `${line?.replace(',', ';')};7\r\n`).join('')}`,
    );
    expect(await create()).toMatchObject({ code: 0, stderr: expect.stringContaining('3 rows: 3 created before (0 requests)') });
    // What comes back is its code again.
    await writeFile(file, [header, one, three, ''].join('\n'));
    expect(await create()).toMatchObject({ code: 0 });
    expect(posts()).toBe(5);
    expect(outcomesOf(await readResults())).toBe('created created');
  });

  it('holds a corrected address back (8), and changes its code with --apply-edits: one PATCH', async () => {
    const { create, file, sandbox, posts, readResults } = await useBench(rowsOf(3));
    await create();
    const [, code] = await readResults();
    await writeFile(file, rowsOf(4).replace('example.com/2', 'example.com/two'));
    const dry = await create(['--dry-run', '--format', 'ndjson']);
    expect(dry.code).toBe(0);
    expect(linesOf(dry.stdout).map((line) => JSON.parse(line))[1]).toMatchObject({
      ...{ line: 3, action: 'edited', id: code?.id, field: 'destination' },
      ...{ old: 'https://example.com/2', new: 'https://example.com/two' },
    });
    const held = await create();
    expect(held).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/line 3: destination changed[\s\S]*--apply-edits.*--as-new 3/),
    });
    expect(outcomesOf(await readResults())).toBe('created edited created created');
    expect((await readResults())[1]).toMatchObject({ id: code?.id, slug: code?.slug });
    expect(posts()).toBe(4);

    const before = sandbox.requests.length;
    expect((await create(['--apply-edits', '--dry-run', '--format', 'csv'])).stdout).toContain('3,update,');
    expect(await create(['--apply-edits'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('3 created before, now 1 updated'),
    });
    const sent = sandbox.requests.slice(before).map(({ method }) => method);
    expect([sent.filter((method) => method === 'PATCH').length, posts()]).toEqual([1, 4]);
    expect(sandbox.workspace.code(code?.id ?? '')?.destination).toBe('https://example.com/two');
    expect(await create()).toMatchObject({ code: 0, stderr: expect.stringContaining('4 created before (0 requests)') });
  });

  it('leaves what somebody changed meanwhile on the service, but for what was edited', async () => {
    const { create, file, sandbox, readResults } = await useBench(rowsOf(1));
    await create();
    const [code] = await readResults();
    const change = ['qr', 'update', code?.id ?? '', '--name', 'Renamed there'];
    await runByDay(change, { env: sandbox.env });
    await writeFile(file, rowsOf(1).replace('example.com/1', 'example.com/one'));
    expect(await create(['--apply-edits'])).toMatchObject({ code: 0 });
    expect(sandbox.workspace.code(code?.id ?? '')).toMatchObject({
      name: 'Renamed there',
      destination: 'https://example.com/one',
    });
  });

  it('creates a row that is said to be new (--as-new), and says which lines there are', async () => {
    const { create, file, names, posts } = await useBench(rowsOf(2));
    await create();
    await writeFile(file, rowsOf(2).replace('Code 2', 'Code two'));
    expect(await create(['--as-new', '9'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no row begins at line 9[\s\S]*Specify a line that needs your decision: 3/),
    });
    expect(await create(['--as-new', '3'])).toMatchObject({ code: 0 });
    expect(await create(['--as-new', '3'])).toMatchObject({ code: 0 });
    expect([names(), posts()]).toEqual([['Code 1', 'Code 2', 'Code two'], 3]);
  });

  it('asks about a type, which the service cannot change, and about rows that could be one of several', async () => {
    const { create, file, posts } = await useBench('name,type,destination\na,url,https://x.de\n');
    await create();
    await writeFile(file, 'name,type,destination\na,menu,https://x.de\n');
    const { code, stderr } = await create(['--apply-edits']);
    expect([code, stderr]).toEqual([
      8,
      expect.stringMatching(/type changed from "url" to "menu"; the service cannot change[\s\S]*--as-new 2/),
    ]);
    await writeFile(file, 'name,type,destination\nb,url,https://x.de\nc,url,https://x.de\n');
    const several = await create();
    expect(several).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/line 2: may be an edit of a removed row: "a"[\s\S]*line 3/),
    });
    expect(await create(['--as-new', '3'])).toMatchObject({ code: 8, stderr: expect.stringContaining('line 2: name changed') });
    expect(posts()).toBe(2);
  });

  it('is changed exactly once whatever is lost on the way, and tells a row whose code is gone', async () => {
    let lose = true;
    const intercept = sometimes(({ request }) => {
      if (request.method !== 'PATCH') return;
      return lose ? applyThenDrop : undefined;
    });
    const { create, file, sandbox, readResults } = await useBench(rowsOf(2), { intercept });
    await create();
    const [code] = await readResults();
    await writeFile(file, rowsOf(2).replace('Code 1', 'Code one'));
    expect(await create(['--apply-edits', '--retry-for', '0s'])).toMatchObject({ code: 8 });
    lose = false;
    // Put back: the code is what the lost request made of it, which is seen.
    await writeFile(file, rowsOf(2));
    expect(await create()).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('name changed from "Code one" to "Code 1"'),
    });
    expect(await create(['--apply-edits'])).toMatchObject({ code: 0 });
    expect(sandbox.workspace.code(code?.id ?? '')?.name).toBe('Code 1');
    await runByDay(['qr', 'delete', code?.id ?? '', '--yes'], { env: sandbox.env });
    await writeFile(file, rowsOf(2).replace('Code 1', 'Code one'));
    expect(await create(['--apply-edits'])).toMatchObject({ code: 8 });
    expect((await readResults())[0]).toMatchObject({
      outcome: 'failed',
      error: expect.stringContaining('pass --as-new 2 to create a new code'),
    });
  });

  it('sends a corrected row that was rejected as the new row that it is', async () => {
    const intercept = sometimes(({ request }) => `${request.body}`.includes('bad') && fails(400));
    const { create, file, names } = await useBench('name,destination\ngood,https://x.de\nbad,https://y.de\n', { intercept });
    expect(await create()).toMatchObject({ code: 8 });
    await writeFile(file, 'name,destination\ngood,https://x.de\nbetter,https://y.de\n');
    expect(await create()).toMatchObject({ code: 0 });
    expect(names()).toEqual(['better', 'good']);
  });

  it('goes on from a journal of an earlier version, which has fingerprints alone', async () => {
    const { create, file, results, posts } = await useBench(rowsOf(3));
    await create();
    const journal = linesOf(await readFile(`${results}.journal`, 'utf8'));
    const { crc32 } = await import('node:zlib');
    const line = (record: object) => {
      const text = JSON.stringify(record).slice(0, -1);
      return `${text},"crc":"${crc32(text).toString(16).padStart(8, '0')}"}\n`;
    };
    const records = journal.map((one) => JSON.parse(one)).map(({ crc: _, ...record }) => record);
    const old = records.flatMap((record) => {
      if (record.is === 'journal') return [{ is: 'journal', version: 1, baseUrl: record.baseUrl }];
      if (record.is === 'entries') return [{ is: 'rows', hashes: record.seen.map(({ all }: { all: string }) => all) }];
      return [record];
    });
    const edited = rowsOf(3).replace('example.com/2', 'example.com/two');
    for (const hasResults of [true, false]) {
      await writeFile(`${results}.journal`, old.map(line).join(''));
      if (!hasResults) await rm(results);
      await writeFile(file, edited);
      const { code, stderr } = await create();
      const told = hasResults ? 'destination changed from "https://example.com/2"' : 'changed since its code was created';
      expect([code, stderr]).toEqual([8, expect.stringContaining(`line 3: ${told}`)]);
    }
    expect(await create(['--apply-edits'])).toMatchObject({ code: 0 });
    expect(await create()).toMatchObject({ code: 0 });
    expect(posts()).toBe(3);
  });

  it('believes results without their journal, with --skip-existing', async () => {
    const { create, file, results, posts, readResults } = await useBench(rowsOf(3));
    await create();
    const [, code] = await readResults();
    await rm(`${results}.journal`);
    await writeFile(file, rowsOf(3).replace('Code 2', 'Code two'));
    expect(await create(['--skip-existing'])).toMatchObject({ code: 8, stderr: expect.stringContaining('line 3: name changed') });
    expect(outcomesOf(await readResults())).toBe('exists edited exists');
    await rm(`${results}.journal`);
    expect(await create(['--skip-existing', '--apply-edits'])).toMatchObject({ code: 0 });
    expect((await readResults())[1]).toMatchObject({ id: code?.id, outcome: 'updated' });
    expect(posts()).toBe(3);
  });
});

describe('journals of another workspace', () => {
  it('on the same base URL, by another profile, are refused (2): nothing is said to be created there', async () => {
    const isOther = ({ headers }: SandboxRequest) => headers.authorization === 'Bearer svc_live_other';
    const { create, sandbox, directory, posts } = await useBench(rowsOf(2), {
      intercept: sometimes(({ request }) => isOther(request) && fails(404)),
    });
    await create();
    const env = { ...sandbox.env, QRCTL_API_KEY: 'svc_live_other' };
    for (const more of [[], ['--dry-run']]) {
      const { code, stderr } = await create(more, { env });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/belongs to another workspace: .* and its codes don't exist/)]);
    }
    await writeFile(join(directory, 'plan.csv'), `id,at,status\n${sandbox.codeId()},2020-01-01T00:00Z,paused\n`);
    const plan = (env: Record<string, string>) =>
      runByDay(['qr', 'update', '--from', 'plan.csv', '--due'], { env, cwd: directory });
    expect(await plan(sandbox.env)).toMatchObject({ code: 0 });
    expect(await plan(env)).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to another workspace') });
    expect(posts()).toBe(2);
  });

  it('are refused (2), naming both; a rotated key and a service that moved go on', async () => {
    const { create, sandbox, directory, posts } = await useBench(rowsOf(2));
    await create();
    const other = await useSandbox({ codes: 0, key: 'svc_live_other' });
    const moved = { ...sandbox.env, QRCTL_BASE_URL: other.env.QRCTL_BASE_URL, QRCTL_API_KEY: 'svc_live_other' };
    const refused = await create([], { env: moved });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`--moved-from ${sandbox.env.QRCTL_BASE_URL}`) });
    const claimed = await create(['--moved-from', sandbox.env.QRCTL_BASE_URL], { env: moved });
    expect(claimed).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to another workspace') });
    expect(other.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    // By another name it is the same service.
    const renamed = { ...sandbox.env, QRCTL_BASE_URL: sandbox.env.QRCTL_BASE_URL.replace('127.0.0.1', 'localhost') };
    expect(await create(['--moved-from', sandbox.env.QRCTL_BASE_URL], { env: renamed })).toMatchObject({ code: 0 });
    expect(await create([], { env: renamed })).toMatchObject({ code: 0 });
    expect(posts()).toBe(2);

    const plan = join(directory, 'old.csv');
    await writeFile(plan, `id\n${sandbox.workspace.codes()[0]?.id}\n`);
    const remove = (env: Record<string, string>) => runByDay(['qr', 'delete', '--from', plan, '--yes'], { env, cwd: directory });
    expect(await remove(sandbox.env)).toMatchObject({ code: 0 });
    expect(await remove({ ...moved, QRCTL_BASE_URL: sandbox.env.QRCTL_BASE_URL })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('may belong to another workspace'),
    });
  });
});
