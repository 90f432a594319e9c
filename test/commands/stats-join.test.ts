/** `scans stats --join` and `--by utm_…` as they are typed: groups of codes, from the service and from files. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ends, useDirectory } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

/** The sandbox's generated scans end with 2024. */
const RANGE = ['--during', '2024-12', '--compare', 'previous', '--timezone', 'Europe/Berlin', '-f', 'csv'];

async function statsOf(sandbox: TestSandbox, cwd: string, args: readonly string[]) {
  const before = sandbox.requests.length;
  const result = await runHere(['scans', 'stats', ...args], { env: sandbox.env, cwd });
  return { ...result, requests: sandbox.requests.length - before };
}

/** Two codes in one campaign, one in another, one in none, and one that is not in the file; their scans in scans.csv. */
async function useCampaigns() {
  const sandbox = await useSandbox({ codes: 5, scans: 900 });
  const cwd = await useDirectory();
  const codes = [...sandbox.workspace.codes()];
  const destinations = [
    '?utm_campaign=Spring+26',
    '?x=1&utm_campaign=Spring%2026',
    '?utm_campaign=fall',
    '?utm_campaign=',
    '',
  ];
  for (const [at, code] of codes.entries()) {
    code.destination = `https://example.com/${destinations[at]}`;
  }
  const rows = codes
    .slice(0, 4)
    .map(({ id, slug }, at) => [id, slug, ['Berlin', 'Berlin', 'Hamburg', ''][at]]);
  const gone = ['00000000-0000-4000-8000-000000000000', 'gone', 'Berlin'];
  const write = (name: string, columns: readonly number[]) => {
    const lines = [['id', 'slug', 'City name'], ...rows, gone].map((row) =>
      columns.map((at) => row[at]).join(),
    );
    return writeFile(join(cwd, name), `${lines.join('\n')}\n`);
  };
  await write('ids.csv', [0, 2]);
  await write('slugs.csv', [1, 2]);
  await runHere(['scans', 'export', '--all', '-o', join(cwd, 'scans.csv')], { env: sandbox.env });
  await runHere(['qr', 'list', '-o', join(cwd, 'codes.csv')], { env: sandbox.env });
  return { sandbox, cwd, codes };
}

const linesOf = (stdout: string, by: string) =>
  stdout.split('\n').filter((line) => line.startsWith(`${by},`));
const scansIn = (lines: readonly string[]) =>
  Object.fromEntries(lines.map((line) => line.split(',').slice(1, 3)));

describe('a joined column', () => {
  test('has the same figures from the service and from files, with codes listed by ID or by slug', async () => {
    const { sandbox, cwd, codes } = await useCampaigns();
    const byCode = await statsOf(sandbox, cwd, ['--all', '--by', 'code', ...RANGE]);
    const ofCode = scansIn(linesOf(byCode.stdout, 'code'));
    const of = (...at: number[]) =>
      String(at.reduce((sum, i) => sum + Number(ofCode[codes[i]?.slug ?? '']), 0));
    const made: string[] = [];
    for (const from of [['--all'], ['--input', 'scans.csv']]) {
      for (const file of ['ids.csv', 'slugs.csv']) {
        const args = [...from, '--join', file, '--by', 'city name', ...RANGE];
        const { code, stdout, stderr } = await statsOf(sandbox, cwd, args);
        expect({ code, lines: scansIn(linesOf(stdout, 'City name')) }).toEqual({
          code: 0,
          lines: { Berlin: of(0, 1), Hamburg: of(2), '': of(3, 4) },
        });
        expect(stderr).toContain(`1 code not found in ${file}: ${codes[4]?.slug}\n`);
        expect(stderr).toContain(`\n1 row of ${file} matches no counted code\n`);
        made.push(stdout);
      }
    }
    expect(new Set(made).size).toBe(1);
  });

  test('has a row for codes without a value that names the file if a code is not in it', async () => {
    const { sandbox, cwd } = await useCampaigns();
    const range = [...RANGE.slice(0, -1), 'table'];
    const by = ['--by', 'City name', '--by', 'utm_campaign'];
    const noneIn = async (...args: string[]) => {
      const { stdout } = await statsOf(sandbox, cwd, [...args, ...by, ...range]);
      return stdout.match(/\((?:none|not)[^)]*\)/g);
    };
    expect(await noneIn('--all', '--join', 'ids.csv')).toEqual(['(none, or not in ids.csv)', '(none)']);
  });

  test('needs as many requests as the dry run states, and has the same figures if all scans are read', async () => {
    const { sandbox, cwd } = await useCampaigns();
    const args = ['--all', '--join', 'ids.csv', '--by', 'City name', '--by', 'utm_campaign', ...RANGE];
    const dry = await statsOf(sandbox, cwd, [...args, '--dry-run', '-f', 'json']);
    const counted = await statsOf(sandbox, cwd, args);
    expect(counted.requests).toBe(JSON.parse(dry.stdout).requests);
    const byDevice = await statsOf(sandbox, cwd, [...args, '--by', 'device']);
    expect(linesOf(byDevice.stdout, 'City name')).toEqual(linesOf(counted.stdout, 'City name'));
    expect(linesOf(byDevice.stdout, 'utm_campaign')).toEqual(linesOf(counted.stdout, 'utm_campaign'));
  });

  test('can be read from a sheet in a workbook, or from standard input', async () => {
    const { sandbox, cwd } = await useCampaigns();
    await runHere(['qr', 'list', '-o', join(cwd, 'codes.xlsx')], { env: sandbox.env });
    const common = ['--input', 'scans.csv', '--by', 'status', ...RANGE];
    const fromCsv = await statsOf(sandbox, cwd, [...common, '--join', 'codes.csv']);
    expect(linesOf(fromCsv.stdout, 'status').length).toBeGreaterThan(0);
    expect((await statsOf(sandbox, cwd, [...common, '--join', 'codes.xlsx'])).stdout).toBe(fromCsv.stdout);
    const missing = await statsOf(sandbox, cwd, [...common, '--join', 'codes.xlsx', '--sheet-name', 'none']);
    expect(missing).toMatchObject({ code: 2, requests: 0 });
    const piped = await runHere(['scans', 'stats', ...common, '--join', '-'], {
      cwd,
      input: await readFile(join(cwd, 'codes.csv'), 'utf8'),
    });
    expect(piped.stdout).toBe(fromCsv.stdout);
  });

  test('is not used if a dimension has the same name, and a note says that the dimension is used (F21)', async () => {
    const { sandbox, cwd } = await useCampaigns();
    await writeFile(join(cwd, 'own.csv'), 'slug,country,region\nx,y,z\n');
    const common = ['--input', 'scans.csv', '--join', 'own.csv', '--by', 'country'];
    const { stdout, stderr } = await statsOf(sandbox, cwd, [...common, ...RANGE]);
    expect(stderr).toContain(
      'Counting by the dimension country, not by the column with this name in own.csv. To count by the column, rename it, such as store_country\n',
    );
    expect(stderr).not.toContain('not found');
    expect(stdout).toContain('\ncountry,DE,');
    const table = await statsOf(sandbox, cwd, [...common, '--by', 'region', ...RANGE, '-f', 'table']);
    expect(table.stdout).toContain('\n(not in own.csv)  ');
  });
});

describe('a UTM tag', () => {
  test('is read from the destinations on the service, or from those in a file of codes', async () => {
    const { sandbox, cwd } = await useCampaigns();
    const fromService = await statsOf(sandbox, cwd, ['--all', '--by', 'utm_campaign', ...RANGE]);
    const values = Object.keys(scansIn(linesOf(fromService.stdout, 'utm_campaign')));
    expect(values.sort()).toEqual(['', 'Spring 26', 'fall']);
    const fromFiles = ['--input', 'scans.csv', '--join', 'codes.csv', '--by', 'utm_campaign', ...RANGE];
    expect((await statsOf(sandbox, cwd, fromFiles)).stdout).toBe(fromService.stdout);
  });
});

describe('scans stats with --join', () => {
  test.each([
    [['x', '--join', 'own.csv'], '--join requires --by or --where'],
    [['x', '--by', 'day', '--sheet-name', 'Codes'], '--sheet-name requires a workbook (.xlsx)'],
    [['--input', 'x.csv', '--visible-only'], '--visible-only requires a workbook (.xlsx)'],
    [
      ['--from', 'ids.txt', '--by', 'a', '--join', 'own.csv', '--visible-only'],
      '--visible-only requires a workbook (.xlsx)',
    ],
    [
      ['x', '--by', 'regoin', '--join', 'own.csv'],
      'own.csv has no column "regoin" (columns: slug, region, "Region 2")',
    ],
    [['x', '--by', 'region', '--join', 'gone.csv'], 'cannot read gone.csv: no such file'],
    [
      ['x', '--by', 'region', '--join', 'own.csv', '--sheet-name', 'S'],
      '--sheet-name requires a workbook (.xlsx), not own.csv',
    ],
    [
      ['--input', 'scans.csv', '--by', 'utm_term', '--join', 'own.csv'],
      'cannot count --input by utm_term: own.csv has no column destination',
    ],
  ])('exits with 2 for the arguments %j', async (args, message) => {
    const cwd = await useDirectory();
    await writeFile(join(cwd, 'own.csv'), 'slug,region,Region 2\na,N,1\n');
    await writeFile(join(cwd, 'scans.csv'), 'id,ts\n1,2026-10-01T00:00:00Z\n');
    const { code, stderr } = await runHere(['scans', 'stats', ...args], { cwd });
    expect({ code, stderr }).toMatchObject(ends(2, `qrctl: ${message}\n`));
  });

  test('suggests the name nearest to an unknown column or dimension, or --join if no name is similar', async () => {
    const cwd = await useDirectory();
    await writeFile(join(cwd, 'own.csv'), 'slug,region\na,N\n');
    const hintOf = async (...args: string[]) =>
      (await runHere(['scans', 'stats', 'x', ...args], { cwd })).stderr;
    expect(await hintOf('--by', 'regoin', '--join', 'own.csv')).toContain('hint: Did you mean --by region?');
    expect(await hintOf('--by', 'countri', '--join', 'own.csv')).toContain(
      'hint: Did you mean --by country?',
    );
    expect(await hintOf('--by', 'zzzz')).toContain(
      'hint: To use a column from a file of codes, add --join FILE.',
    );
  });
});
