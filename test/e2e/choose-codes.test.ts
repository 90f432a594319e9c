/** `--from`, `--name`, `--status` and `--type` choose the codes of every command that reads scans, as they do for `qr list`, `qr check` and `qr image`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { argv } from '../support/argv.ts';
import { ends } from '../support/cli.ts';
import { useJob } from '../support/job.ts';
import { runByDay } from '../support/run-here.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const GONE = '00000000-0000-4000-8000-000000000000';

/** Four codes of three scans each: two of Acme (one paused), one of Beta, one of Gamma; their ids by name. */
async function useCodes() {
  const { sandbox, cwd } = await useJob({ codes: 4, scans: 3 });
  const names = ['Acme menu', 'ACME poster', 'Beta menu', 'Gamma'];
  const ids = names.map((_, at) => sandbox.codeId(at));
  for (const [at, name] of names.entries()) sandbox.workspace.update(ids[at] as string, { name });
  sandbox.workspace.update(ids[1] as string, { status: 'paused' });
  for (const at of [0, 2, 3]) sandbox.workspace.update(ids[at] as string, { status: 'active' });
  const run = (args: string[], input?: string) =>
    runByDay(args, { cwd, env: sandbox.env, ...(input !== undefined && { input }) });
  return { sandbox, cwd, ids: ids as [string, string, string, string], run };
}

function slugsIn(csv: string): string[] {
  return [
    ...new Set(
      csv
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(',')[0] as string),
    ),
  ];
}

function slugOf(sandbox: TestSandbox, id: string): string {
  return [...sandbox.workspace.codes()].find((code) => code.id === id)?.slug ?? '';
}

describe('codes are chosen', () => {
  test.each([
    [
      ['--name', 'acme'],
      [0, 1],
    ],
    [['--name', 'acme', '--status', 'active'], [0]],
    [
      ['--name', 'beta', '--name', 'gamma'],
      [2, 3],
    ],
    [['--all', '--status', 'paused'], [1]],
  ])('by %j for export, stats and report', async (flags, at) => {
    const { sandbox, cwd, ids, run } = await useCodes();
    const wanted = at.map((place) => ids[place] as string);
    const exported = await run(['scans', 'export', ...flags, '-f', 'csv']);
    expect(exported.code, exported.stderr).toBe(0);
    expect(exported.stdout).toMatch(/^qr_id,qr_slug,qr_name,id,ts/);
    expect(slugsIn(exported.stdout)).toEqual(wanted);
    const stats = await run(['scans', 'stats', ...flags, '--by', 'code', '-f', 'json']);
    const codes = JSON.parse(stats.stdout).map(({ value }: { value: string }) => value);
    expect(codes.sort()).toEqual(wanted.map((id) => slugOf(sandbox, id)).sort());
    const report = await run(['scans', 'report', ...flags, '-o', 'r.html']);
    expect(report.code).toBe(0);
    expect(await readFile(join(cwd, 'r.html'), 'utf8')).toContain(`<bdi>${3 * at.length}</bdi></p>`);
    expect(report.stderr).toContain(`${3 * at.length} scans`);
  });

  test('by IDs on the command line, and an ID that no code has is reported', async () => {
    const { sandbox, ids, run } = await useCodes();
    const count = (...names: string[]) => run(['scans', 'stats', ...names, '--by', 'code', '-f', 'json']);
    const found = await count(...ids);
    expect(found.code, found.stderr).toBe(0);
    const slugs = JSON.parse(found.stdout).map(({ value }: { value: string }) => value);
    expect(slugs.sort()).toEqual(ids.map((id) => slugOf(sandbox, id)).sort());
    const missing = await count(...ids.slice(1), GONE);
    expect(missing.stderr).toContain(`no code has the ID ${GONE}`);
  });

  test('by a list of IDs and slugs, for commands that need only IDs', async () => {
    const { sandbox, cwd, ids, run } = await useCodes();
    await writeFile(join(cwd, 'mixed.txt'), `${ids[0]}\n${slugOf(sandbox, ids[2])}\n`);
    const { stdout } = await run(['scans', 'stats', '--from', 'mixed.txt', '--by', 'device', '-f', 'json']);
    const counts = JSON.parse(stdout).map(({ scans }: { scans: number }) => scans);
    expect(counts.reduce((sum: number, scans: number) => sum + scans)).toBe(6);
  });

  test('by a list of IDs or slugs, by a table, and by standard input', async () => {
    const { sandbox, cwd, ids, run } = await useCodes();
    const listed = await run(['qr', 'list', '--ids', '--name', 'acme']);
    const piped = await run(['scans', 'export', '--from', '-', '-f', 'csv'], listed.stdout);
    expect(piped.code, piped.stderr).toBe(0);
    expect(slugsIn(piped.stdout).sort()).toEqual([ids[0], ids[1]].sort());
    await writeFile(join(cwd, 'slugs.txt'), `${slugOf(sandbox, ids[2])}\n${slugOf(sandbox, ids[2])}\n`);
    const one = await run(['scans', 'export', '--from', 'slugs.txt', '-f', 'csv']);
    expect(slugsIn(one.stdout)).toEqual([ids[2]]);
    await run(['qr', 'list', '-o', 'codes.xlsx']);
    const stats = await run(argv`scans stats --from codes.xlsx --status active --by code -f json`);
    expect(JSON.parse(stats.stdout)).toHaveLength(3);
  });

  test('by the IDs in a file, and the codes are not requested if the output needs only their IDs', async () => {
    const { sandbox, cwd, ids, run } = await useCodes();
    await writeFile(join(cwd, 'ids.txt'), `${ids.join('\n')}\n`);
    const before = sandbox.requests.length;
    const { code } = await run(['scans', 'export', '--from', 'ids.txt', '--output-dir', 'out']);
    expect([code, sandbox.requests.length - before]).toEqual([0, 4]);
    const dry = await run(argv`scans export --from ids.txt --dry-run -f json -o x.json`);
    const then = sandbox.requests.length;
    await run(['scans', 'export', '--from', 'ids.txt', '-o', 'x.json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ codes: 4, requests: sandbox.requests.length - then });
  });

  test('by a list in which only a missing ID fails, with exit code 8, while an unknown slug is refused with exit code 2', async () => {
    const { cwd, ids, run } = await useCodes();
    await writeFile(join(cwd, 'ids.txt'), `${ids[0]}\n${GONE}\n`);
    const { code, stdout, stderr } = await run(['scans', 'export', '--from', 'ids.txt', '-f', 'csv']);
    expect({ code, stderr }).toMatchObject(ends(8, GONE));
    expect(slugsIn(stdout)).toEqual([ids[0]]);
    await writeFile(join(cwd, 'slugs.txt'), `${ids[0]}\nnosuch\n`);
    const slug = await run(['scans', 'export', '--from', 'slugs.txt', '-f', 'csv']);
    expect(slug).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('line 2') });
  });

  test('by --name for `scans tail` and `qr image`', async () => {
    const { sandbox, ids, run } = await useCodes();
    const tail = ['scans', 'tail', '--name', 'beta', '--since', '2000-01-01', '--max-events', '3'];
    expect(slugsIn((await run(tail)).stdout)).toEqual([ids[2]]);
    await run(['config', 'set', 'short-url', 'https://go.example.com/{slug}']);
    const url = ['--short-url', 'https://go.example.com/{slug}', '--as', 'svg', '--file-names', 'slug'];
    const image = await run(['qr', 'image', '--name', 'acme', '--output-dir', 'pictures', ...url]);
    expect(image.code, image.stderr).toBe(0);
    expect(image.stderr).toMatch(/^Omitted 1 paused or expired code.*\nCreated 1 image/m);
    const none = await run(argv`
      qr image ${slugOf(sandbox, ids[0])} --status paused -o x.svg ${url.slice(0, 2)}
    `);
    expect(none).toMatchObject(ends(4, 'no code matches --status paused'));
  });

  test.each([
    [[], 2, 'no code specified'],
    [['CODE', '--all'], 2, "CODE can't be used with --all"],
    [['--all', '--from', 'ids.txt'], 2, "--all can't be used with --from"],
    [['CODE', '--from', '2026-10-01'], 2, 'use --since 2026-10-01'],
    [['--name', 'nobody'], 4, 'no code matches --name nobody'],
    [['--from', 'empty.csv'], 2, 'empty.csv contains no codes'],
  ])(
    'with the same rules by export, stats, report and tail, which all refuse %j',
    async (flags, exit, message) => {
      const { cwd, ids, run } = await useCodes();
      await writeFile(join(cwd, 'ids.txt'), `${ids[0]}\n`);
      await writeFile(join(cwd, 'empty.csv'), 'id\n');
      const args = flags.map((flag) => (flag === 'CODE' ? ids[0] : flag));
      for (const command of [
        ['export', '-o', 'x.csv'],
        ['stats'],
        ['report', '-o', 'x.html'],
        ['tail', '--max-events', '1'],
      ]) {
        const refused = await run(['scans', ...command, ...args]);
        expect(refused).toMatchObject(ends(exit, message));
      }
    },
  );

  test('in --input files only by flags that do not require the service', async () => {
    const { cwd, run } = await useCodes();
    await writeFile(join(cwd, 'a.csv'), 'id,ts\n1,2026-10-01T00:00:00Z\n');
    for (const flags of [['--status', 'active'], ['--type', 'url'], ['--all']]) {
      const refused = await run(['scans', 'stats', '--input', 'a.csv', ...flags]);
      expect(refused).toMatchObject(ends(2, `${flags[0]} can't be used with --input`));
    }
  });
});

describe('--append with a filter', () => {
  test('continues while codes start and stop matching the filter, and refuses a different filter (A30)', async () => {
    const { sandbox, cwd, ids, run } = await useCodes();
    const line = ['scans', 'export', '--name', 'Acme', '-o', 'acme.csv', '--append'];
    const rows = async () => slugsIn(await readFile(join(cwd, 'acme.csv'), 'utf8'));
    expect((await run(line)).code).toBe(0);
    expect(await rows()).toEqual([ids[0], ids[1]]);
    // One leaves, one comes, and both have new scans.
    sandbox.workspace.update(ids[1], { name: 'Sold' });
    sandbox.workspace.update(ids[3], { name: 'Acme again' });
    for (const id of [ids[1], ids[3]]) sandbox.workspace.addScan(id, { ts: '2025-01-01T10:00:00.000Z' });
    expect(await run(line)).toMatchObject(ends(0, '4 scans of'));
    expect(await rows()).toEqual([ids[0], ids[1], ids[3]]);
    // It comes back, and what it had meanwhile with it.
    sandbox.workspace.update(ids[1], { name: 'Acme poster' });
    const back = ['scans', 'export', '--name', 'ACME', '--name', 'acme', '-o', 'acme.csv', '--append'];
    expect(await run(back)).toMatchObject(ends(0, '1 scan of'));
    const csv = await readFile(join(cwd, 'acme.csv'), 'utf8');
    expect(csv.split('\n')).toHaveLength(1 + 3 + 4 + 4 + 1);
    for (const other of [
      ['--all'],
      ['--name', 'beta'],
      ['--name', 'acme', '--status', 'active'],
      [ids[0], ids[1]],
    ]) {
      const refused = await run(['scans', 'export', ...other, '-o', 'acme.csv', '--append']);
      expect(refused).toMatchObject(ends(2, 'it contains the scans of all codes with --name acme, not of'));
    }
    expect(await readFile(join(cwd, 'acme.csv'), 'utf8')).toBe(csv);
  });

  test('continues with different filters if each code has its own file', async () => {
    const { ids, run } = await useCodes();
    for (const [flags, scans] of [
      [['--name', 'acme'], '6 scans'],
      [['--all'], '6 scans'],
      [['--status', 'paused'], '0 scans'],
      [[ids[0]], '0 scans'],
    ] as const) {
      const result = await run(['scans', 'export', ...flags, '--output-dir', 'logs', '--append']);
      expect(result).toMatchObject(ends(0, scans));
    }
  });

  test('compares lists of 25 codes completely, in any order (A30)', async () => {
    const { sandbox, cwd, run } = await useJob({ codes: 30, scans: 1 });
    const ids = Array.from({ length: 30 }, (_, at) => sandbox.codeId(at)).sort();
    const append = async (codes: string[]) => {
      await writeFile(join(cwd, 'codes.txt'), `${codes.join('\n')}\n`);
      const line = ['scans', 'export', '--from', 'codes.txt', '-o', 'all.csv', '--append'];
      return (await run(...line)).code;
    };
    expect(await append(ids.slice(0, 25))).toBe(0);
    expect(await append(ids.slice(0, 25).reverse())).toBe(0);
    expect(await append([...ids.slice(0, 24), ids[29] as string])).toBe(2);
  });
});
