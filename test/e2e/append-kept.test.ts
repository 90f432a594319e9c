/** What an ordinary next step must not lose: `--restart`, a forgotten `--append`, another key, a service that moved. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../support/api.ts';
import { type CliOptions, ends, useDirectory } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';
import { type SharedAddress, useSharedAddress } from '../support/two-workspaces.ts';

const UNLIMITED = { limit: 1_000_000 };

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await useDirectory();
  file = join(directory, 'scans.csv');
});

async function rowsIn(path: string): Promise<Record<string, string>[]> {
  return parse(await readFile(path, 'utf8'), { columns: true });
}

const idsIn = async (path: string) => (await rowsIn(path)).map(({ id }) => id);
const everything = async () => {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const paths = names.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')]));
};

describe('--restart', () => {
  const all = ['scans', 'export', '--all', '--append', '-o'];

  test('keeps the old file if it has scans of deleted codes, and prints the number of those scans per code', async () => {
    const sandbox = await useSandbox({ ...UNLIMITED, codes: 3, scans: 60 });
    const run = (...flags: string[]) => runByDay([...all, file, ...flags], { env: sandbox.env });
    expect(await run()).toMatchObject({ code: 0 });
    const before = await readFile(file, 'utf8');
    const gone = sandbox.codeId(1);
    await ask(sandbox, 'DELETE', `/qr/${gone}`);
    const { code, stderr } = await run('--restart', '--quiet');
    expect(code).toBe(0);
    expect(stderr.trim()).toContain(
      `Kept the old file as ${file}.old: 60 scans in it are not in scans.csv (60 from ${gone})`,
    );
    expect(await readFile(`${file}.old`, 'utf8')).toBe(before);
    expect(await rowsIn(file)).toHaveLength(120);
    // Nothing more is lost by doing it again, and the file is gone on with.
    expect((await run('--restart')).stderr).not.toContain('Kept');
    expect(await run()).toMatchObject({ code: 0 });
    expect((await readdir(directory)).sort()).toEqual(['scans.csv', 'scans.csv.old', 'scans.csv.state.json']);
  });

  test("exits with 8, leaves a shared file unchanged, and keeps all scans in a failed code's own file, if a code fails", async () => {
    const sandbox = await useSandbox({ ...UNLIMITED, codes: 2, scans: 60 });
    const [kept, gone] = [sandbox.codeId(0), sandbox.codeId(1)];
    const args = ['scans', 'export', kept, gone, '--append'];
    const run = (...flags: string[]) => runByDay([...args, ...flags], { env: sandbox.env });
    expect(await run('-o', file)).toMatchObject({ code: 0 });
    expect(await run('--output-dir', directory, '-f', 'csv')).toMatchObject({ code: 0 });
    await ask(sandbox, 'DELETE', `/qr/${gone}`);
    const before = await everything();
    const failed = await run('-o', file, '--restart');
    expect(failed).toMatchObject({ code: 8 });
    expect(failed.stderr).toContain(`1 of 2 codes failed, so ${file} was not rebuilt`);
    expect(await everything()).toEqual(before);
    expect(await run('--output-dir', directory, '-f', 'csv', '--restart')).toMatchObject({ code: 8 });
    expect(await idsIn(join(directory, `${gone}.csv`))).toHaveLength(60);
    // What the hint says.
    const without = await runByDay(['scans', 'export', kept, '--append', '--restart', '-o', file], {
      env: sandbox.env,
    });
    expect(without).toMatchObject({ code: 0 });
    expect(await idsIn(`${file}.old`)).toHaveLength(120);
  });
});

describe('an export without --append to an existing log', () => {
  test('is refused without a request, and replaces the log only if --overwrite is passed', async () => {
    const sandbox = await useSandbox({ ...UNLIMITED, codes: 1, scans: 120 });
    const export_ = (...flags: string[]) =>
      runByDay(['scans', 'export', sandbox.codeId(), '-o', file, ...flags], { env: sandbox.env });
    expect(await export_('--append')).toMatchObject({ code: 0 });
    const [before, sent] = [await everything(), sandbox.requests.length];
    for (const flags of [[], ['--dry-run'], ['--since', '2024-12-20']]) {
      const refused = await export_(...flags);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(`cannot replace ${file}: `);
      expect(refused.stderr).toMatch(/--append to .* --overwrite to/);
    }
    expect(sandbox.requests.length).toBe(sent);
    expect(await everything()).toEqual(before);
    expect(await export_('--append')).toMatchObject({ code: 0 });
    expect(await export_('--append', '--overwrite')).toMatchObject({ code: 2 });
    expect(await export_('--since', '2024-12-20', '--overwrite')).toMatchObject({ code: 0 });
    const part = (await idsIn(file)).length;
    expect(part).toBeLessThan(120);
    expect(await readdir(directory)).toEqual(['scans.csv']);
    // The next append is not confused by the state of what was replaced.
    expect(await export_('--append')).toMatchObject({ code: 0 });
    expect(new Set(await idsIn(file)).size).toBe((await idsIn(file)).length);
  });

  test('leaves the log and its state unchanged if it fails with --overwrite', async () => {
    const sandbox = await useSandbox({ ...UNLIMITED, codes: 1, scans: 120 });
    const args = ['scans', 'export', sandbox.codeId(), '-o', file];
    await runByDay([...args, '--append'], { env: sandbox.env });
    const before = await everything();
    await ask(sandbox, 'DELETE', `/qr/${sandbox.codeId()}`);
    expect(await runByDay([...args, '--overwrite'], { env: sandbox.env })).toMatchObject({ code: 4 });
    expect(await everything()).toEqual(before);
  });

  test('neither replaces files in --output-dir without --overwrite, nor writes to a dataset', async () => {
    const sandbox = await useSandbox({ ...UNLIMITED, codes: 2, scans: 50 });
    const [each, lake] = [join(directory, 'each'), join(directory, 'lake')];
    const run = (...flags: string[]) =>
      runByDay(['scans', 'export', ...flags, '-f', 'csv'], { env: sandbox.env });
    expect(await run('--all', '--output-dir', each, '--append')).toMatchObject({ code: 0 });
    expect(await run('--all', '--output-dir', lake, '--partition-by', 'month', '--append')).toMatchObject({
      code: 0,
    });
    const [before, sent] = [await everything(), sandbox.requests.length];
    for (const flags of [
      ['--all', '--output-dir', each],
      [sandbox.codeId(1), '--output-dir', each],
      ['--all', '--output-dir', lake],
      ['--all', '--output-dir', lake, '--append'],
      ['--all', '--output-dir', lake, '--partition-by', 'day'],
      ['--all', '--output-dir', lake, '--partition-by', 'day', '--overwrite'],
    ])
      expect(await run(...flags), flags.join(' ')).toMatchObject({ code: 2 });
    expect(sandbox.requests.length).toBe(sent);
    expect(await everything()).toEqual(before);
    expect(await run('--all', '--output-dir', each, '--overwrite')).toMatchObject({ code: 0 });
    expect((await readdir(each)).every((name) => name.endsWith('.csv'))).toBe(true);
  });
});

describe('with two workspaces at one base URL,', () => {
  const AAA = 'svc_live_aaaaaaaaaaaaaaaa';
  const BBB = 'svc_live_bbbbbbbbbbbbbbbb';
  const ROTATED = 'svc_live_cccccccccccccccc';
  let aaa: TestSandbox;
  let address: SharedAddress;

  beforeEach(async () => {
    aaa = await useSandbox({ ...UNLIMITED, codes: 2, scans: 40, seed: 1 });
    const bbb = await useSandbox({ ...UNLIMITED, codes: 3, scans: 60, seed: 2 });
    address = await useSharedAddress({ [AAA]: aaa, [BBB]: bbb, [ROTATED]: aaa });
  });

  const run = (key: string, args: string[], env: CliOptions['env'] = {}) =>
    runByDay(['scans', 'export', ...args, '--append'], { env: { ...address.env(key), ...env } });

  test('a file from the other workspace is refused, and no profile is mentioned if the key is from a variable', async () => {
    const run = (key: string) =>
      runByDay(['scans', 'export', '--all', '--append', '-o', file], { env: address.env(key) });
    expect(await run(AAA)).toMatchObject({ code: 0 });
    const refused = await run(BBB);
    expect(refused).toMatchObject(ends(2, 'belongs to another workspace'));
    expect(refused.stderr).not.toContain('profile');
  });

  test('a file or dataset is continued with --moved-from after the service has moved to a different address', async () => {
    const moved = { QRCTL_BASE_URL: address.baseUrl.replace('127.0.0.1', 'localhost') };
    for (const args of [
      ['--all', '-o', file],
      ['--all', '-f', 'csv', '--output-dir', join(directory, 'lake'), '--partition-by', 'day'],
    ]) {
      expect(await run(AAA, args)).toMatchObject({ code: 0 });
      const refused = await run(AAA, args, moved);
      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stderr).toContain(`add --moved-from ${address.baseUrl}`);
      const by = [...args, '--moved-from', `http://127.0.0.1:${address.port}`];
      expect(await run(BBB, by, moved)).toMatchObject({ code: 2 });
      expect(await run(AAA, by, moved)).toMatchObject({ code: 0 });
      expect(await run(AAA, args, moved)).toMatchObject({ code: 0 });
    }
    expect(await rowsIn(file)).toHaveLength(80);
  });
});
