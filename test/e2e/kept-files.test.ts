/** No command writes over a file that another one relies on, or that the same run reads or writes, under any of its names; nothing is sent. */
import { link, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

async function useWork() {
  const sandbox = await useSandbox({ codes: 3, scans: 20 });
  const cwd = await useDirectory();
  const env = { ...sandbox.env, QRCTL_CONFIG_DIR: join(cwd, 'config') };
  const path = (name: string) => join(cwd, name);
  const code = sandbox.codeId();
  const run = (line: string) => runByDay(line.replaceAll('CODE', code).split(' '), { cwd, env });
  const everything = async () => {
    const found = (await readdir(cwd, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    const paths = found.map(({ parentPath, name }) => join(parentPath, name)).sort();
    return Promise.all(paths.map(async (file) => [file, await readFile(file, 'base64')]));
  };
  /** Runs a line that must be refused, with everything left as it is and nothing sent. */
  const expectRefused = async (line: string, says: RegExp) => {
    const [before, requests] = [await everything(), sandbox.requests.length];
    const { code: exit, stderr } = await run(line);
    expect([exit, stderr], line).toEqual([2, expect.stringMatching(says)]);
    expect(stderr, line).toContain('hint: ');
    expect(sandbox.requests.slice(requests), line).toEqual([]);
    expect(await everything(), line).toEqual(before);
  };
  return { sandbox, cwd, run, path, expectRefused };
}

type Work = Awaited<ReturnType<typeof useWork>>;

/** Runs each command that leaves a file for its next run. */
async function leaveFiles({ sandbox, run, path }: Work) {
  sandbox.workspace.addScan(sandbox.codeId(), { ts: new Date(Date.now() - 60_000).toISOString() });
  await writeFile(path('codes.csv'), 'key,name,type,destination\na,Alpha,url,https://example.com/a\n');
  await writeFile(path('rows.csv'), 'name,type,destination\nBeta,url,https://example.com/b\n');
  await writeFile(path('rows.json'), '[{"name":"Gamma","type":"url","destination":"https://example.com/c"}]');
  await mkdir(path('sub'));
  for (const line of [
    'scans export CODE -o scans.csv --append',
    'scans export --all --output-dir data --partition-by month --append',
    'qr apply --from codes.csv',
    'qr create --from rows.csv',
    'qr create --from rows.csv --results book.results.xlsx --ledger own.json',
    'qr create --from rows.json --results results.ndjson.gz',
    'scans watch --all --since-last watch.csv',
    'scans tail CODE --state tail.json --since 1h --max-events 1 --interval 10ms',
    'config set short-url https://example.com/{slug}',
    'qr image --all --output-dir images',
  ]) {
    const { code, stderr } = await run(`${line} --quiet`);
    expect([code, stderr], line).toEqual([0, '']);
  }
  await writeFile(path('check.csv'), 'id,slug,name,destination,outcome,http_status,final_url\n');
  await symlink('sub', path('dlink'));
  await symlink('../scans.csv', path('sub/link.csv'));
  await link(path('codes.lock.json'), path('hard.json'));
}

/** Files, and how a message calls them. */
const KEPT: readonly (readonly [string, RegExp])[] = [
  ['scans.csv', /written with --append/],
  ['sub/link.csv', /written with --append/],
  ['./dlink/../scans.csv', /written with --append/],
  ['scans.csv.state.json', /the state of --append/],
  ['codes.lock.json', /a lock file/],
  ['hard.json', /a lock file/],
  ['rows.results.csv', /the results of a bulk run/],
  ['results.ndjson.gz', /the results of a bulk run/],
  ['own.json', /a ledger/],
  ['book.results.xlsx', /the results of a bulk run/],
  ['watch.csv', /the rows of `scans watch`/],
  ['check.csv', /the rows of `qr check`/],
  ['tail.json', /the state of/],
  ['data/_qrctl.json', /the state of/],
  ['images/manifest.csv', /the list of the images/],
  ['config/config.json', /the config file/],
];

describe('files that later runs rely on', () => {
  it('are not replaced by an output or a summary (T14)', async () => {
    const work = await useWork();
    await leaveFiles(work);
    for (const [file, says] of KEPT) {
      const format = /\.json$|ndjson|xlsx$/.test(file) ? '' : ' -f csv';
      await work.expectRefused(`qr list -o ${file}${format}`, says);
      await work.expectRefused(`qr list --summary ${file}`, says);
    }
    for (const line of firstRows(2, [
      'scans export CODE -o',
      'qr apply --from codes.csv -o',
      'qr get CODE -o',
      'scans stats CODE -o',
      'scans watch --all -o',
      'qr check -o',
      'scans export --all --overwrite -o',
      'qr list --ids -o',
      'qr update CODE --name N -o',
      'qr create --from rows.csv --results r.csv -o',
      'qr create --from rows.csv --overwrite --results',
      'qr delete CODE --yes -o',
      'scans watch --all --since-last',
      'doctor -o',
      'auth list -o',
      'config list -o',
    ])) {
      if (!/^qr check|--results$/.test(line))
        await work.expectRefused(`${line} check.csv`, /check|since-last/);
      await work.expectRefused(`${line} codes.lock.json`, /./);
      if (!line.includes('--overwrite')) await work.expectRefused(`${line} scans.csv`, /./);
      if (!/qr (update|create|delete|apply)/.test(line))
        await work.expectRefused(`${line} rows.results.csv`, /./);
    }
    const data = (await readdir(work.path('data'), { recursive: true })).find((name) =>
      name.includes('part-'),
    );
    await work.expectRefused(`qr list -o data/${data}`, /a part of a dataset/);
    await rm(work.path('scans.csv'));
    await work.expectRefused('qr list -o scans.csv', /written with --append/);
  });

  it('can be replaced by their own commands, and ordinary files can be replaced by other commands', async () => {
    const { run, path } = await useWork();
    await writeFile(path('rows.csv'), 'name,type,destination\nBeta,url,https://example.com/b\n');
    await writeFile(path('codes.csv'), 'key,name,type,destination\na,Alpha,url,https://example.com/a\n');
    for (const line of firstRows(6, [
      'qr list -o list.csv',
      'qr list -o scans.csv --summary run.json',
      'scans export CODE -o scans.csv --summary run.json',
      'scans export CODE -o scans.csv --summary run.prom',
      'qr create --from rows.csv -o out.csv',
      'qr update CODE --name N -o named.csv',
      'qr image CODE -o code.svg --short-url https://example.com/{slug}',
      'qr list -o run.json',
      'scans watch --all -o w.csv',
      'scans watch --all --fields slug,outcome -o w.csv',
      'scans watch --all -o w.ndjson',
      'qr create --from rows.csv --fields slug,outcome,error -o few.json',
      'qr apply --from codes.csv --dry-run -o plan.csv',
      'qr apply --from codes.csv -o plan.csv',
      'qr apply --from codes.csv -o plan.json.gz',
      'qr create --from rows.csv -o out.ndjson',
    ])) {
      for (let time = 0; time < 2; time++) {
        const { code, stderr } = await run(`${line} --quiet`);
        expect([code, stderr], line).toEqual([0, '']);
      }
    }
  });
});

describe('the files of a run', () => {
  it('must be different files, whatever paths lead to them, even before they exist', async () => {
    const work = await useWork();
    await leaveFiles(work);
    await symlink('../rows.csv', work.path('sub/rows.csv'));
    await writeFile(work.path('ids.txt'), `${work.sandbox.codeId()}\n`);
    await writeFile(work.path('plain.csv'), await readFile(work.path('scans.csv')));
    await link(work.path('plain.csv'), work.path('plain2.csv'));
    await mkdir(work.path('logs'));
    await writeFile(work.path('logs/plain.csv'), await readFile(work.path('scans.csv')));
    await writeFile(work.path('more.json'), '[{"name":"Delta","type":"sms"}]');
    const same = /can't (?:be the same file as|differ only in case from)|has data that no earlier run wrote/;
    for (const line of [
      'scans export CODE -o new.csv --summary new.csv',
      'scans export CODE -o new.csv --summary sub/../NEW.CSV',
      'scans export CODE -o new.csv --append --summary dlink/../new.csv',
      'scans export CODE -o new.csv --append --summary new.csv.state.json',
      'scans export --from ids.txt -o ids.txt',
      'scans export --from ids.txt --summary ids.txt -o x.csv',
      'scans stats --input plain.csv -o plain2.csv',
      'scans stats --input scans.csv plain2.csv --by day --summary plain.csv',
      'scans report --input logs -o logs/plain.csv.html --summary logs/plain.csv',
      'scans stats --input logs -o logs/plain.csv',
      'scans watch --input logs -o ./logs/../logs/plain.csv',
      'scans stats CODE --by name --join codes.csv -o codes.csv',
      'scans watch --all --since-last w.csv -o w.csv',
      'scans tail CODE --max-events 1 --since 1h --state t.json --summary t.json',
      'qr apply --from codes.csv --summary codes.csv',
      'qr apply --from codes.csv -o codes.csv',
      'qr apply --from codes.csv --lock new.lock.json --summary new.lock.json',
      'qr apply --from codes.csv --lock codes.csv',
      'qr apply --from codes.csv --lock config/config.json',
      'qr apply --from codes.csv --ledger l.jsonl --summary l.jsonl',
      'qr create --from rows.csv --ledger rows.csv',
      'qr apply --from rows.csv --key name --summary rows.lock.json',
      'qr apply --init -o new.csv --summary new.lock.json',
      'qr apply --init -o new.csv --lock new.csv',
      'qr create --from rows.csv -o sub/rows.csv',
      'qr create --from rows.csv --results sub/rows.csv',
      'qr create --from rows.csv --summary rows.csv',
      'qr create --from more.json --summary more.results.json',
      'qr create --from more.json --ledger more.results.json',
      'qr create --from rows.csv --results r.csv -o r.csv',
      'qr image --from ids.txt --sheet L7160 -o l.pdf --summary l.pdf',
      'qr image CODE --logo logo.svg -o logo.svg',
      'qr image CODE --output-dir dlink --summary sub/manifest.csv',
      'qr list -o config/config.json',
      'qr list --summary config/config.json',
    ])
      await work.expectRefused(line, same);
  });
});

describe('--summary', () => {
  it('replaces a summary from an earlier run or an empty file, and no other data', async () => {
    const { run, path, expectRefused } = await useWork();
    await writeFile(path('empty'), '');
    for (const name of ['empty', 'run.json', 'run.prom', 'run.json']) {
      expect(await run(`qr list --quiet --summary ${name}`)).toMatchObject({ code: 0, stderr: '' });
    }
    await writeFile(path('notes.txt'), 'mine');
    await expectRefused('qr list --summary notes.txt', /cannot write notes.txt: it has data/);
    // A line that can't be parsed has a summary, too, and it is as careful.
    expect(await run('qr list --nonsense --summary notes.txt')).toMatchObject({ code: 2 });
    expect(await readFile(path('notes.txt'), 'utf8')).toBe('mine');
  });
});

describe('scans tail --state', () => {
  it('refuses a file that is not its state, and never suggests removing that file', async () => {
    const work = await useWork();
    await leaveFiles(work);
    for (const name of firstRows(2, [
      'scans.csv.state.json',
      'scans.csv',
      'codes.csv',
      'codes.lock.json',
      'rows.results.csv',
    ])) {
      await work.expectRefused(
        `scans tail CODE --max-events 1 --since 1h --state ${name}`,
        /cannot (use|continue)/,
      );
      const { stderr } = await work.run(`scans tail CODE --max-events 1 --since 1h --state ${name}`);
      expect(stderr).toMatch(/different file with --state/);
      expect(stderr).not.toMatch(/remove|delete/i);
    }
    expect((await work.run('scans tail CODE --max-events 1 --since 1h --state scans.csv')).stderr).toContain(
      'not written by `scans tail --state`',
    );
  });
});
