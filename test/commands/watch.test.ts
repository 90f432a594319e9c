/** `scans watch` as it is typed: outcomes, exit codes, requests, files in place of the service, and news since the last run. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failure } from '#sandbox/exchange';
import type { SandboxOptions } from '#sandbox/options';
import { argv } from '../support/argv.ts';
import { useDirectory } from '../support/cli.ts';
import { useJob } from '../support/job.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const DAY_MS = 86_400_000;
/** Some time ago, so that all of it is past by the clock of the service. */
const END = Math.floor(Date.now() / 3_600_000) * 3_600_000 - DAY_MS;
const UNTIL = ['--until', new Date(END).toISOString()];

/** Adds so many scans per day to a code, from so many days before the end to so many. */
function add({ workspace }: TestSandbox, id: string, perDay: number, from: number, to = 0): void {
  for (let i = 0; i < Math.round((from - to) * perDay); i++) {
    workspace.addScan(id, { ts: new Date(END - (to + (i + 0.5) / perDay) * DAY_MS).toISOString() });
  }
}

/** Old codes: well, quiet, dropped, jumped, with few scans, printed lately, without scans; and one that is new. */
async function useCodes(options: SandboxOptions = {}) {
  const job = await useJob({ codes: 7, scans: 0, ...options });
  const { sandbox } = job;
  const ids = Array.from({ length: 7 }, (_, n) => sandbox.codeId(n));
  // Some sample codes are paused.
  for (const id of ids) sandbox.workspace.update(id, { status: 'active' });
  const [well, quiet, dropped, jumped, few, late] = ids as [string, string, string, string, string, string];
  add(sandbox, well, 20, 80);
  add(sandbox, quiet, 20, 80, 3.1);
  add(sandbox, dropped, 20, 80, 7);
  add(sandbox, dropped, 4, 7);
  add(sandbox, jumped, 20, 80, 7);
  add(sandbox, jumped, 60, 7);
  add(sandbox, few, 1, 80, 10);
  add(sandbox, late, 19, 20);
  const { id } = sandbox.workspace.create({ name: 'fresh' });
  add(sandbox, id, 20, 6);
  const watch = (...args: string[]) => job.run('scans', 'watch', ...args);
  return { ...job, ids: [...ids, id], watch };
}

const outcomesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[3]);

describe('scans watch', () => {
  it.each(['asc', 'desc'] as const)(
    'prints one row per code with its outcome, and exits with 8 if an outcome is quiet, drop or jump (scan order %s)',
    async (scanOrder) => {
      const { watch } = await useCodes({ scanOrder });
      const fields = 'outcome,scans,expected,low,high,last_scan,note';
      const run = await watch('--all', ...UNTIL, '--fields', fields);
      expect(run.code, run.stderr).toBe(8);
      const last = (days: number, perDay: number) =>
        new Date(END - (days + 0.5 / perDay) * DAY_MS).toISOString();
      expect(run.stdout.trim().split('\n')).toEqual([
        'outcome,scans,expected,low,high,last_scan,note',
        `ok,140,140,59,262,${last(0, 20)},`,
        `quiet,78,62,,,${last(3.1, 20)},no scans for 3 days`,
        `drop,28,140,59,262,${last(0, 4)},`,
        `jump,420,140,59,262,${last(0, 60)},`,
        `ok,0,6.6,,,${last(10, 1)},not judged: fewer than 30 scans expected per week`,
        `new,133,30.9,,,${last(0, 19)},not judged: less than nine weeks of scans`,
        'ok,0,0,,,,not judged: no scans in nine weeks',
        `new,120,0,,,${last(0, 20)},not judged: less than nine weeks of scans`,
      ]);
      expect(run.stderr).toMatch(
        /^Watched 8 codes .*, 3 ok \(2 not judged\), 1 quiet, 1 drop, 1 jump, 2 new$/m,
      );
      expect(run.stderr).toContain(
        'qrctl: the scans of 3 codes differ from the past\n  hint: Scan a printed code to test it, and check destinations with `qrctl qr check`.\n',
      );
    },
  );

  it('suggests `scans stats` after a jump, and scanning a printed code after other outcomes', async () => {
    const { sandbox, ids, watch } = await useCodes();
    const slugOf = (n: number) => sandbox.workspace.code(ids[n] ?? '')?.slug;
    const jumped = await watch(ids[3] ?? '', ...UNTIL);
    expect(jumped.stderr).toContain(
      `qrctl: the scans of 1 code differ from the past: ${slugOf(3)} (jump)\n  hint: See where the scans come from: \`qrctl scans stats CODE --by referrer --by country --since 7d\`.\n`,
    );
    const quiet = await watch(ids[0] ?? '', ids[1] ?? '', ids[1] ?? '', ...UNTIL);
    expect(quiet.stderr).toContain(
      `qrctl: the scans of 1 code differ from the past: ${slugOf(1)} (quiet)\n  hint: Scan a printed code`,
    );
    expect(outcomesOf(quiet.stdout)).toEqual(['ok', 'quiet']);
    expect(quiet.stderr).toMatch(/^Watched 2 codes .*, 1 ok, 1 quiet$/m);
  });

  it('sends one or two requests per code, and up to four if the outcome must be confirmed', async () => {
    const { sandbox, ids, watch } = await useCodes();
    const run = await watch('--all', ...UNTIL);
    expect(run.code).toBe(8);
    const asked = ids.map((id) => sandbox.requests.filter(({ url }) => url.includes(`/${id}/scans`)).length);
    // Two weeks before the silence; whether there were scans before the nine weeks, for dropped, jumped and printed lately.
    expect(asked).toEqual([2, 4, 3, 3, 1, 2, 1, 1]);
  });

  it('reports codes with few scans as `quiet` with --quiet-for, even if their last scan is older than nine weeks', async () => {
    const { sandbox, ids, watch } = await useCodes();
    add(sandbox, ids[6] ?? '', 1, 90, 80);
    const run = (...args: string[]) => watch(ids[4] ?? '', ids[6] ?? '', ...UNTIL, ...args);
    expect((await run()).code).toBe(0);
    const found = await run('--quiet-for', '7d', '--fields', 'outcome,note');
    expect(found).toMatchObject({
      code: 8,
      stdout: 'outcome,note\nquiet,no scans for 10 days\nquiet,no scans for 80 days\n',
    });
    expect((await run('--quiet-for', '11d', '--fields', 'outcome')).stdout).toBe('outcome\nok\nquiet\n');
  });

  it('neither requests the scans of a paused code nor evaluates it, unless --status is set (W11)', async () => {
    const { sandbox, ids, watch } = await useCodes();
    const quiet = ids[1] ?? '';
    sandbox.workspace.update(quiet, { status: 'paused' });
    const run = (...args: string[]) => watch(quiet, ...UNTIL, '--fields', 'outcome,scans,note', ...args);
    expect(await run()).toMatchObject({ code: 0, stdout: 'outcome,scans,note\nok,,not judged: paused\n' });
    sandbox.workspace.update(quiet, { status: 'expired' });
    expect(await run()).toMatchObject({ code: 0, stdout: 'outcome,scans,note\nok,,not judged: expired\n' });
    sandbox.workspace.update(quiet, { status: 'paused' });
    expect(sandbox.requests.filter(({ url }) => url.includes('/scans'))).toEqual([]);
    expect(await run('--status', 'paused')).toMatchObject({
      code: 8,
      stdout: expect.stringContaining('quiet,78'),
    });
  });

  it("uses the same end for the weeks of all codes, which is not later than the service's clock (W9)", async () => {
    const { sandbox, watch } = await useCodes({ clockSkewMs: -2 * DAY_MS });
    await watch('--all', '--until', '2099-01-01');
    const ends = new Set(
      sandbox.requests
        .flatMap(({ url }) => /[?&]until=([^&]+)/.exec(url)?.[1] ?? [])
        .map((until) => decodeURIComponent(until).slice(0, 19)),
    );
    // The end, the end of the eight weeks before, and those of the hours before a silence.
    const newest = [...ends].sort().at(-1) ?? '';
    expect(Math.abs(Date.parse(`${newest}Z`) - (Date.now() - 2 * DAY_MS))).toBeLessThan(60_000);
    expect([...ends].filter((end) => Date.parse(`${newest}Z`) - Date.parse(`${end}Z`) < DAY_MS)).toHaveLength(
      1,
    );
  });

  it('exits with 8 and evaluates the other codes if one does not exist, and exits with 4 if it is the only code', async () => {
    const { ids, watch } = await useCodes({
      intercept: ({ request, apply, send }) =>
        send(request.path.includes(`/${ids[4]}/scans`) ? failure(404, 'not_found', 'No such code') : apply()),
    });
    const run = await watch(ids[0] ?? '', ids[4] ?? '', ...UNTIL);
    expect(run.code).toBe(8);
    expect(outcomesOf(run.stdout)).toEqual(['ok']);
    expect(run.stderr).toContain('1 of 2 codes could not be watched; the other codes were');
    expect(run.stderr).toContain('hint: Run the command again, or omit these codes.');
    const alone = await watch(ids[4] ?? '', ...UNTIL);
    expect(alone.code).toBe(4);
  });
});

describe('scans watch --input', () => {
  it('has the same results for codes with scans from exported files as from the service, and sends no request', async () => {
    const { run, counted, watch } = await useCodes();
    await run('scans', 'export', '--all', '-o', 'all.csv', '-q');
    const service = await watch('--all', ...UNTIL, '-f', 'json');
    const files = await counted('scans', 'watch', '--input', 'all.csv', ...UNTIL, '-f', 'json');
    expect(files).toMatchObject({ code: 8, requests: 0 });
    // A code without scans is in no file.
    const withScans = JSON.parse(service.stdout).filter(
      ({ last_scan }: { last_scan: string | null }) => last_scan !== null,
    );
    expect(JSON.parse(files.stdout)).toEqual(withScans);
  });

  it('evaluates files up to their last scan, and notes when the data ends', async () => {
    const { ids, run, watch } = await useCodes();
    await run('scans', 'export', ids[1] ?? '', '-o', 'quiet.csv', '-q');
    const found = await watch('--input', 'quiet.csv', '--fields', 'outcome');
    expect(found).toMatchObject({ code: 0, stdout: 'outcome\nok\n' });
    expect(found.stderr).toContain('The data ends at ');
    // Whoever knows that the file is complete says until when.
    const whole = await watch('--input', 'quiet.csv', ...UNTIL, '--fields', 'outcome');
    expect(whole.stdout).toBe('outcome\nquiet\n');
  });

  it('exits with 9 if the files have no scans', async () => {
    const cwd = await useDirectory();
    await writeFile(join(cwd, 'none.csv'), 'id,ts\n');
    const run = await runByDay(['scans', 'watch', '--input', 'none.csv'], { cwd });
    expect([run.code, run.stderr]).toEqual([
      9,
      expect.stringContaining('these files have no scans before that time'),
    ]);
  });
});

describe('the command scans watch', () => {
  it('prints only codes whose outcome has changed since the last run if --since-last is set', async () => {
    const { sandbox, cwd, ids, watch } = await useCodes();
    const night = () =>
      watch(...argv`--all ${UNTIL} --since-last watch.csv --quiet --fields id,slug,name,outcome`);
    const first = await night();
    expect([first.code, outcomesOf(first.stdout)]).toEqual([8, ['quiet', 'drop', 'jump']]);
    expect(await night()).toMatchObject({ code: 0, stdout: '', stderr: '' });
    add(sandbox, ids[1] ?? '', 30, 3);
    add(sandbox, ids[2] ?? '', 80, 7);
    const third = await night();
    expect([third.code, outcomesOf(third.stdout)]).toEqual([8, ['ok', 'jump']]);
    // All rows are kept, so that the next run can compare each code.
    expect((await readFile(join(cwd, 'watch.csv'), 'utf8')).trim().split('\n')).toHaveLength(9);
  });

  it.each([
    ['last.json', '[\n{"id":"'],
    ['last.ndjson.gz', '{"id":"'],
    ['last', 'id,slug,'],
    ['last.tsv', 'id\tslug\t'],
  ])(
    'keeps the file %s in the format of its extension, and writes --output even if nothing changed',
    async (name, start) => {
      const { cwd, sandbox, ...job } = await useJob({ codes: 1, scans: 0 });
      sandbox.workspace.update(sandbox.codeId(), { status: 'active' });
      const watch = (...args: string[]) =>
        job.run(...argv`scans watch --all ${UNTIL} --since-last ${name} --fields slug,outcome`, ...args);
      expect(await watch('-f', 'csv')).toMatchObject({ code: 0, stdout: '' });
      const bytes = await readFile(join(cwd, name));
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      expect(text.slice(0, start.length)).toBe(start);
      expect(await watch('-f', 'csv')).toMatchObject({ code: 0, stdout: '' });
      expect(await watch('-o', 'news.csv')).toMatchObject({ code: 0 });
      expect(await readFile(join(cwd, 'news.csv'), 'utf8')).toBe('slug,outcome\n');
    },
  );

  it.each([
    [['--since-last', 'x.csv', '-o', 'x.csv'], "--output can't be the same file as --since-last"],
    [
      ['--since-last', 'list.csv'],
      'list.csv was not written by --since-last: line 2 is not a row of a watch',
    ],
    [
      ['--since-last', 'no-id.csv'],
      'no-id.csv was not written by --since-last: line 2 is not a row of a watch',
    ],
    [
      ['--since-last', 'broken.json'],
      '\n  hint: Specify a different file with --since-last. This file is unchanged.\n',
    ],
    [['--since-last', 'ids.txt'], 'ids.txt was not written by --since-last: it has no last_scan column'],
    [['--quiet-for', '0'], 'expected a duration above zero'],
    [['--no-rotated'], '--no-rotated requires --input'],
    [['some'], "CODE can't be used with --all"],
  ])('exits with 2 for the arguments %j', async (args, message) => {
    const sandbox = await useSandbox({ codes: 1, scans: 0 });
    const cwd = await useDirectory();
    await writeFile(join(cwd, 'list.csv'), 'id,outcome,last_scan\nx,broken,\n');
    await writeFile(join(cwd, 'no-id.csv'), 'id,slug,outcome,last_scan\n,,ok,\n');
    await writeFile(join(cwd, 'broken.json'), 'x');
    await writeFile(join(cwd, 'ids.txt'), 'summer-menu\n');
    const run = await runByDay(['scans', 'watch', '--all', ...args], { env: sandbox.env, cwd });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
