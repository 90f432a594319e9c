/** `--summary` of every command: what it knows of codes, rows, outcomes and files, also if it fails in the middle. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { SandboxOptions } from '#sandbox/options';
import { argv } from '../support/argv.ts';
import { startCli, useDirectory } from '../support/cli.ts';
import { applyThenDrop, fails, hang, sometimes } from '../support/faults.ts';
import { SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

/** A file of codes to create. */
const rowsOf = (...names: string[]) =>
  ['name,destination', ...names.map((name) => `${name},https://example.com/${name}`)].join('\n');

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

async function useRuns(options: SandboxOptions = {}) {
  const sandbox = await useSandbox({ codes: 3, scans: 20, ...options });
  const cwd = await useDirectory();
  const run = async (...args: string[]) => {
    const { code, stderr } = await runByDay([...args, '--summary', 'run.json', '--quiet'], {
      cwd,
      env: sandbox.env,
    });
    const summary = JSON.parse(await readFile(join(cwd, 'run.json'), 'utf8'));
    expect(summary.exit, stderr).toBe(code);
    const { exit, codes, rows, outcomes, files } = summary;
    return { exit, codes, rows, outcomes, files, summary };
  };
  return { sandbox, cwd, run, write: (name: string, text: string) => writeFile(join(cwd, name), text) };
}

describe('the summary of qr create', () => {
  it('with a file counts rows by outcome, even if the run is repeated or fails partway', async () => {
    const { run, write, sandbox } = await useRuns({ codeLimit: 5 });
    await write('codes.csv', rowsOf('a', 'b', 'c'));
    expect(await run('qr', 'create', '--from', 'codes.csv', '--dry-run')).toMatchObject({
      exit: 0,
      codes: null,
      rows: 3,
      outcomes: null,
      files: [],
    });
    expect(await run('qr', 'create', '--from', 'codes.csv', '--concurrency', '1')).toMatchObject({
      exit: 5,
      codes: 2,
      rows: 3,
      outcomes: { created: 2, failed: 1 },
      files: ['codes.results.csv'],
    });
    sandbox.workspace.setCodeLimit(100);
    expect(await run('qr', 'create', '--from', 'codes.csv', '-o', 'made.json')).toMatchObject({
      exit: 0,
      codes: 3,
      rows: 3,
      outcomes: { unchanged: 2, created: 1 },
      files: ['codes.results.csv', 'made.json'],
    });
    await write('bad.csv', 'name,type\n,url\n');
    expect(await run('qr', 'create', '--from', 'bad.csv')).toMatchObject({
      exit: 2,
      codes: null,
      outcomes: null,
      files: [],
    });
  });

  it.runIf(SOAK)('with a file counts the finished rows if the run is interrupted', async () => {
    let asked = () => {};
    const waiting = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { sandbox, cwd, write } = await useRuns({
      intercept: sometimes(({ request }) => {
        if (!`${request.body}`.includes('"name":"c"')) return undefined;
        asked();
        return hang;
      }),
    });
    await write('codes.csv', rowsOf('a', 'b', 'c', 'd'));
    const args = ['qr', 'create', '--from', 'codes.csv', '--concurrency', '1', '--summary', 'run.json'];
    const running = await startCli(args, { cwd, env: sandbox.env });
    await waiting;
    running.child.kill('SIGINT');
    expect((await running.done).code).toBe(130);
    const { rows, codes, outcomes, files } = JSON.parse(await readFile(join(cwd, 'run.json'), 'utf8'));
    expect({ rows, codes, files }).toEqual({ rows: 4, codes: 2, files: [] });
    expect(outcomes).toMatchObject({ created: 2, 'not-attempted': 1 });
  });

  const X = ['--name', 'x', '--destination', 'https://example.com/x'];

  it('for one code counts its outcome, even if it is unclear whether the code was created', async () => {
    const { run } = await useRuns();
    expect(await run('qr', 'create', ...X, '-o', 'x.json')).toMatchObject({
      exit: 0,
      codes: 1,
      rows: 1,
      outcomes: { created: 1 },
      files: ['x.json'],
    });
    const full = await useRuns({ codeLimit: 3 });
    expect(await full.run('qr', 'create', ...X)).toMatchObject({
      exit: 5,
      codes: 0,
      outcomes: { failed: 1 },
    });
    const lost = await useRuns({
      intercept: sometimes(({ request }) => request.method === 'POST' && applyThenDrop),
    });
    expect(await lost.run('qr', 'create', ...X, '--retry-for', '0')).toMatchObject({
      exit: 7,
      codes: 0,
      outcomes: { undecided: 1 },
    });
  });
});

test('the summaries of `qr update` and `qr delete` count codes and outcomes, with and without a file', async () => {
  const { run, write, sandbox } = await useRuns({
    intercept: sometimes(({ request }) => `${request.body}`.includes('"bad"') && fails(400)),
  });
  const [a, b, c] = [sandbox.codeId(0), sandbox.codeId(1), sandbox.codeId(2)];
  await write('rows.csv', `id,name\n${a},one\n${b},bad\n${c},${sandbox.workspace.code(c)?.name}\n`);
  expect(await run('qr', 'update', '--from', 'rows.csv')).toMatchObject({
    exit: 8,
    codes: 2,
    rows: 3,
    outcomes: { updated: 1, failed: 1, unchanged: 1 },
    files: ['rows.results.csv'],
  });
  expect(await run('qr', 'update', a, '--name', 'two')).toMatchObject({
    exit: 0,
    codes: 1,
    outcomes: { updated: 1 },
  });
  expect(await run('qr', 'update', a, UNKNOWN, '--status', 'paused')).toMatchObject({
    exit: 8,
    codes: 1,
    rows: 2,
    outcomes: { updated: 1, failed: 1 },
  });
  await write('plan.csv', `id,at,name\n${c},2000-01-01T00:00Z,now\n${c},2999-01-01T00:00Z,then\n`);
  expect(await run('qr', 'update', '--from', 'plan.csv', '--due')).toMatchObject({
    exit: 0,
    rows: 2,
    outcomes: { updated: 1, later: 1 },
    files: ['plan.results.csv'],
  });
  const backup = await run('qr', 'delete', c, '--yes', '--backup', 'deleted');
  expect(backup).toMatchObject({ exit: 0, codes: 1, outcomes: { deleted: 1 } });
  expect(backup.files).toEqual([`deleted/${c}.json`, `deleted/${c}.scans.ndjson`]);
  await write('list.csv', `id\n${b}\n${UNKNOWN}\n`);
  expect(await run('qr', 'delete', '--from', 'list.csv', '--yes')).toMatchObject({
    exit: 0,
    codes: 1,
    rows: 2,
    outcomes: { deleted: 2 },
    files: ['list.results.csv'],
  });
});

test('the summaries of `qr list` and `qr get` count printed codes, and list only files that were written', async () => {
  const { run, sandbox } = await useRuns();
  expect(await run('qr', 'list', '-o', 'codes.xlsx')).toMatchObject({
    exit: 0,
    codes: 3,
    rows: 3,
    outcomes: null,
    files: ['codes.xlsx'],
  });
  expect(await run('qr', 'list', '--name', 'nothing like it')).toMatchObject({
    exit: 0,
    codes: 0,
    rows: 0,
    files: [],
  });
  expect(await run('qr', 'get', sandbox.codeId())).toMatchObject({ exit: 0, codes: 1, rows: 1 });
  expect(await run('qr', 'get', UNKNOWN)).toMatchObject({ exit: 4, codes: null, rows: null });
  const half = await useRuns({
    codes: 150,
    intercept: sometimes(({ request }) => request.query.get('page') === '2' && fails(500)),
  });
  expect(await half.run('qr', 'list', '-o', 'codes.csv', '--retry-for', '0')).toMatchObject({
    exit: 7,
    rows: null,
    files: [],
  });
});

test('the summaries of `qr check` and `qr image` count outcomes', async () => {
  const { run, cwd, sandbox } = await useRuns({ codes: 0 });
  for (const destination of ['mailto:a@example.com', '', 'https://a b'])
    sandbox.workspace.put({ destination });
  expect(await run('qr', 'check', '--since-last', 'last.csv', '-o', 'check.csv')).toMatchObject({
    exit: 8,
    codes: 3,
    rows: 1,
    outcomes: { 'not-web': 1, empty: 1, broken: 1 },
    files: ['check.csv', 'last.csv'],
  });
  const image = ['qr', 'image', '--all', '--short-url', 'https://qr.example'];
  const first = await run(...image, '--output-dir', 'codes', '--as', 'png,svg');
  expect(first).toMatchObject({ exit: 0, codes: 3, rows: 6, outcomes: { created: 6 } });
  const made = (await readdir(join(cwd, 'codes'))).map((name) => join('codes', name));
  expect(first.files.toSorted()).toEqual(made.sort());
  expect(await run(...image, '--output-dir', 'codes', '--as', 'png')).toMatchObject({
    codes: 3,
    outcomes: { unchanged: 3 },
    files: ['codes/manifest.csv'],
  });
  expect(await run(...image, '--sheet', 'L7160', '-o', 'labels.pdf')).toMatchObject({
    codes: 3,
    rows: 3,
    files: ['labels.pdf'],
  });
  const one = ['qr', 'image', sandbox.codeId(), '--short-url', 'https://qr.example'];
  expect(await run(...one, '-o', 'one.svg')).toMatchObject({
    codes: 1,
    outcomes: { created: 1 },
    files: ['one.svg'],
  });
});

test('the summaries of `scans stats`, `scans report` and `scans tail` count codes, and list written files', async () => {
  const { run } = await useRuns();
  const range = ['--since', '2020-01-01T00:00Z', '--until', '2030-01-01T00:00Z'];
  const stats = await run('scans', 'stats', '--all', '--by', 'device', '-o', 'stats.csv', ...range);
  expect(stats).toMatchObject({ exit: 0, codes: 3, files: ['stats.csv'] });
  expect(stats.rows).toBeGreaterThan(0);
  expect(stats.summary.range).toEqual({
    since: '2020-01-01T00:00:00.000Z',
    until: '2030-01-01T00:00:00.000Z',
  });
  expect(await run('scans', 'report', '--all', '-o', 'report.html', ...range)).toMatchObject({
    exit: 0,
    codes: 3,
    files: ['report.html'],
  });
  expect(
    await run('scans', 'tail', '--all', '--since', '2020-01-01T00:00Z', '--max-events', '4'),
  ).toMatchObject({
    exit: 0,
    codes: 3,
    rows: 4,
  });
});

test('the summaries of commands without codes have null instead of a number of codes, and list their files', async () => {
  const { run } = await useRuns();
  expect(await run('api', 'GET', '/qr')).toMatchObject({
    exit: 0,
    codes: null,
    rows: null,
    outcomes: null,
    files: [],
  });
  expect(await run('config', 'list', '-o', 'config.csv')).toMatchObject({
    exit: 0,
    codes: null,
    files: ['config.csv'],
  });
  expect(await run('qr', 'create', '--template', '-o', 'codes.csv')).toMatchObject({
    exit: 0,
    rows: 0,
    files: ['codes.csv'],
  });
});

/** Rows of all CSV files below a directory, and of a file: lines that begin with a scan or its code. */
async function rowsBelow(path: string): Promise<number> {
  const names = (await stat(path)).isDirectory() ? await readdir(path, { recursive: true }) : [''];
  const texts = await Promise.all(
    names
      .filter((name) => join(path, name).endsWith('.csv'))
      .map((name) => readFile(join(path, name), 'utf8')),
  );
  return texts.reduce(
    (sum, text) => sum + (text.match(/^(?:[0-9a-f-]{36},[^,]*,[^,]*,)?\d+,\d{4}-/gm)?.length ?? 0),
    0,
  );
}

describe('the summary of scans export', () => {
  const instant = (ms: number) => new Date(ms).toISOString();

  it.each([
    ['a file', 'log.csv', ['-o', 'log.csv']],
    ['a directory of files', 'logs', ['--output-dir', 'logs']],
    ['a dataset', 'lake', ['--output-dir', 'lake', '-f', 'csv', '--partition-by', 'month']],
  ])(
    'with --append --verify and %s has the number of rows that both steps added, and the number of all rows',
    async (_, place, output) => {
      const { run, cwd, sandbox } = await useRuns({ codes: 2, scans: 300 });
      const night = () => run('scans', 'export', '--all', '--append', '--verify', ...output);
      const newest = () =>
        Math.max(...[0, 1].map((n) => Date.parse(sandbox.scans(sandbox.codeId(n)).at(-1)?.ts ?? '')));
      const expectTrue = async (
        { exit, codes, rows, summary }: Awaited<ReturnType<typeof night>>,
        added: number,
      ) => {
        const onDisk = await rowsBelow(join(cwd, place));
        expect({ exit, codes, rows, added: summary.added }).toEqual({
          exit: 0,
          codes: 2,
          rows: onDisk,
          added,
        });
        expect(summary.files).toEqual(
          place === 'logs'
            ? [0, 1].map((n) => join(cwd, place, `${sandbox.codeId(n)}.csv`))
            : [join(cwd, place)],
        );
      };
      await expectTrue(await night(), await rowsBelow(join(cwd, place)));
      await expectTrue(await night(), 0);
      for (const minutes of [1, 2, 3])
        sandbox.workspace.addScan(sandbox.codeId(0), { ts: instant(newest() + minutes * 60_000) });
      await expectTrue(await night(), 3);
      const last = newest();
      for (const n of [1, 2, 3]) {
        sandbox.workspace.addScan(sandbox.codeId(1), { ts: instant(last - n * 20 * 86_400_000) });
        sandbox.workspace.addScan(sandbox.codeId(0), { ts: instant(last + n * 60_000) });
      }
      await expectTrue(await night(), 6);
      expect(
        (
          await run(
            'scans',
            'verify',
            '--all',
            ...output.slice(0, 2).map((word) => (word === '-o' ? '--input' : word)),
          )
        ).summary,
      ).toMatchObject({
        exit: 0,
        codes: 2,
        added: 0,
        rows: await rowsBelow(join(cwd, place)),
      });
    },
  );

  it('with --append --verify has the same numbers of rows if it is written as metrics', async () => {
    const { cwd, sandbox } = await useRuns({ codes: 1 });
    const night = argv`scans export --all -o log.csv --append --verify --summary run.prom --quiet`;
    await runByDay(night, { cwd, env: sandbox.env });
    const rows = await rowsBelow(join(cwd, 'log.csv'));
    const metrics = await readFile(join(cwd, 'run.prom'), 'utf8');
    expect(
      [...metrics.matchAll(/^qrctl_run_(rows|added_rows)\{.*\} (\d+)$/gm)].map(([, name, value]) => [
        name,
        value,
      ]),
    ).toEqual([
      ['rows', `${rows}`],
      ['added_rows', `${rows}`],
    ]);
  });

  it('has the number of rows in the unchanged file if --restart fails', async () => {
    let status = 200;
    const { run, cwd, sandbox } = await useRuns({
      codes: 1,
      scans: 700,
      intercept: sometimes(
        ({ request }) => request.query.get('page') === '2' && status === 500 && fails(500),
      ),
    });
    const args = ['scans', 'export', sandbox.codeId(), '-o', 'log.csv', '--append'];
    expect((await run(...args)).summary).toMatchObject({ exit: 0, rows: 700, added: 700 });
    status = 500;
    const failed = await run(...args, '--restart', '--retry-for', '0');
    expect(await rowsBelow(join(cwd, 'log.csv'))).toBe(700);
    expect(failed.summary).toMatchObject({
      exit: 7,
      rows: 700,
      added: 0,
      watermark: sandbox.scans(sandbox.codeId()).at(-1)?.ts,
    });
    status = 200;
    expect((await run(...args, '--restart')).summary).toMatchObject({ exit: 0, rows: 700, added: 700 });
  });

  it('has the number of rows in a new dataset, even if a code failed or was read again', async () => {
    let gone = () => {};
    let late = () => {};
    const { run, cwd, sandbox } = await useRuns({
      codes: 3,
      scans: 1600,
      intercept: sometimes(({ request }) => {
        if (request.query.get('page') !== '3') return undefined;
        gone();
        late();
        return undefined;
      }),
    });
    gone = () => sandbox.workspace.delete(sandbox.codeId(1));
    const failed = await run(
      'scans',
      'export',
      '--all',
      '--output-dir',
      'lake',
      '-f',
      'csv',
      '--partition-by',
      'month',
    );
    expect(failed.exit).toBe(8);
    expect([failed.rows, failed.summary.added]).toEqual(Array(2).fill(await rowsBelow(join(cwd, 'lake'))));
    gone = () => {};
    // Rows that move while they are read.
    let turn = 0;
    late = () => {
      turn += 1;
      if (turn < 3) sandbox.workspace.addScan(sandbox.codeId(0), { ts: `2024-12-0${turn}T10:00:00.000Z` });
    };
    const again = await run(
      'scans',
      'export',
      sandbox.codeId(0),
      '--output-dir',
      'new',
      '-f',
      'csv',
      '--partition-by',
      'month',
    );
    expect(again.exit).toBe(0);
    expect(turn).toBeGreaterThan(1);
    expect([again.rows, again.summary.added]).toEqual(Array(2).fill(await rowsBelow(join(cwd, 'new'))));
  });
});
