/** What `scans stats` says: whole errors with their hints, notes about a joined file, and the summary of a run. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const SCANS = [
  'id,ts,country,device,qr_slug',
  '1,2026-10-01T10:00:00Z,DE,mobile,a',
  '2,2026-10-02T10:00:00Z,DE,desktop,a',
  '3,2026-10-02T11:00:00Z,FR,mobile,b',
];

async function useFiles() {
  const cwd = await useDirectory();
  const write = (name: string, ...lines: string[]) => writeFile(join(cwd, name), `${lines.join('\n')}\n`);
  await write('scans.csv', ...SCANS);
  await write('own.csv', 'slug,region', 'a,N');
  const stats = (...args: string[]) =>
    runHere(['scans', 'stats', '--input', 'scans.csv', '--timezone', 'UTC', ...args], { cwd });
  return { cwd, write, stats };
}

describe('the error, with any hint,', () => {
  test.each([
    [
      '--by utm_term',
      'cannot count --input by utm_term: scan files have no destinations\n  hint: Run `qrctl qr list -o codes.csv`, then add --join codes.csv.',
    ],
    [
      '--by day --join own.csv',
      '--join has no effect: no --by or --where is a column of own.csv\n  hint: Omit --join, or add --by with one of its columns: slug, region.',
    ],
    [
      '--by region --join - --from -',
      "--from - can't be used with --join -: both read standard input\n  hint: Save one of them to a file.",
    ],
    ...['8x', 'x8', '108', '24', '-1', ''].map((hour) => [
      `--where hour=${hour}`,
      `invalid value for --where hour: '${hour}' (expected an hour from 0 to 23)`,
    ]),
    [
      '--where weekday=moonday',
      "invalid value for --where weekday: 'moonday' (expected Monday, Tuesday, Wednesday, Thursday, Friday, Saturday or Sunday)",
    ],
    ['--where week=2026-10', "invalid value for --where week: '2026-10' (expected a week, such as 2026-W44)"],
    [
      '--where month=2026-W44',
      "invalid value for --where month: '2026-W44' (expected a month, such as 2026-10)",
    ],
    ['--where =DE', "invalid value for --where: '=DE' (expected DIMENSION=VALUE, such as country=DE)"],
    [
      '--compare year',
      '--compare year requires a range with a start\n  hint: Add --during this-month or --since 30d.',
    ],
    [
      '--compare year --during 2026-10 --by country,device',
      "--compare can't be used with two dimensions in one --by\n  hint: Omit --compare, or count by each dimension alone.",
    ],
    [
      '--compare 2026-09-02..2026-09-01 --during 2026-10',
      '--compare 2026-09-02..2026-09-01 ends before it begins\n  hint: Use two dates such as 2026-09-01..2026-09-14. Both are included.',
    ],
    [
      '--compare 2026-10-01 --during 2026-10',
      '--compare 2026-10-01 must end before the counted period begins\n  hint: Use two dates such as 2026-09-01..2026-09-14. Both are included.',
    ],
  ])('is complete for %s, and the exit code is 2', async (args, message) => {
    const { stats } = await useFiles();
    expect(await stats(...args.split(' '))).toEqual({ code: 2, stdout: '', stderr: `qrctl: ${message}\n` });
  });

  test.each([
    [
      '--during 2026-01',
      'from 2026-01-01 00:00 to 2026-02-01 00:00 (UTC)',
      '  the data begins at 2026-10-01 10:00 (UTC); earlier scans, if any, are not included\n',
    ],
    ['--since 2026-11-01', 'since 2026-11-01 00:00:00 (UTC)', ''],
    ['--until 2026-01-01T00:00', 'from the first scan to 2026-01-01 00:00 (UTC)', ''],
  ])(
    'is complete if the files have no scans with %s, and the exit code is 9',
    async (args, range, coverage) => {
      const { stats } = await useFiles();
      const stderr =
        `qrctl: no scans ${range} in these files, and their coverage could not be verified\n${coverage}` +
        '  hint: Use --input with files that cover this range, or omit --input to query the service.\n';
      expect(await stats(...args.split(' '))).toEqual({ code: 9, stdout: '', stderr });
    },
  );

  test('is complete if no code matches --where, and is only a warning if no scan in a file matches', async () => {
    const { env } = await useSandbox({ codes: 2, scans: 5 });
    const stats = (...args: string[]) => runHere(['scans', 'stats', '--all', ...args], { env });
    expect(await stats('--where', 'code=nowhere')).toEqual({
      code: 4,
      stdout: '',
      stderr:
        'qrctl: no code matches --where code=nowhere\n  hint: List the codes with `qrctl qr list`, and correct --where.\n',
    });
    const files = await useFiles();
    expect((await files.stats('--where', 'country=XX')).stderr).toBe(
      'warning: no scan matches country=XX\nCounted 0 scans, only country=XX (0 requests)\n',
    );
    expect((await files.stats('--where', 'country=fr')).stderr).toBe(
      'Counted 1 scan from the first scan to 2026-10-02 11:00 (UTC), only country=FR (0 requests)\n',
    );
  });
});

describe('a joined file', () => {
  test('has notes about codes and rows without a match, and about rows without ID and slug', async () => {
    const { stats, write } = await useFiles();
    const notes = async (...rows: string[]) => {
      await write('own.csv', 'slug,region', ...rows);
      const { stdout, stderr } = await stats('--join', 'own.csv', '--by', 'region', '-f', 'table');
      const labels = stdout.match(/^(\w+|\(.*\))(?= {2})/gm);
      return [labels, ...stderr.split('\n').slice(0, -2)];
    };
    expect(await notes('a,N', 'b,S')).toEqual([['N', 'S']]);
    expect(await notes('a,N', 'c,S')).toEqual([
      ['N', '(not in own.csv)'],
      '1 code not found in own.csv: b',
      '1 row of own.csv matches no counted code',
    ]);
    expect(await notes('c,N', 'd,N', ',S', 'b,')).toEqual([
      ['(none, or not in own.csv)'],
      '1 code not found in own.csv: a',
      '2 rows of own.csv match no counted code',
      '1 row of own.csv skipped: no ID and no slug',
    ]);
  });

  test('is counted by a column whose name has a comma, and by the column that is spelled exactly', async () => {
    const { stats, write } = await useFiles();
    await write('own.csv', 'slug,"country,x",Region,region', 'a,1,N,n', 'b,2,S,s');
    const rows = async (by: string) =>
      (await stats('--join', 'own.csv', '--by', by, '-f', 'csv', '--fields', 'by,value,scans')).stdout;
    expect(await rows('country,x')).toBe('by,value,scans\n"country,x",1,2\n"country,x",2,1\n');
    expect(await rows('Region')).toBe('by,value,scans\nRegion,N,2\nRegion,S,1\n');
    expect(await rows('region')).toBe('by,value,scans\nregion,n,2\nregion,s,1\n');
  });
});

test('dimensions in --by A,B may have spaces around them', async () => {
  const { stats } = await useFiles();
  const { stdout } = await stats('--by', 'country, device', '-f', 'csv', '--fields', 'value,value2,scans');
  expect(stdout).toBe('value,value2,scans\nDE,mobile,1\nDE,desktop,1\nFR,mobile,1\n');
});

test('`scans stats` with a missing code exits with 8, and its --summary has the range and the numbers of counted codes and rows', async () => {
  const sandbox = await useSandbox({ codes: 2, scans: 5 });
  const cwd = await useDirectory();
  const gone = '00000000-0000-4000-8000-000000000000';
  const args = [
    'scans',
    'stats',
    sandbox.codeId(),
    gone,
    '--by',
    'code',
    '--during',
    '2024',
    '--timezone',
    'UTC',
  ];
  const run = await runHere([...args, '-f', 'table', '--summary', 's.json'], { env: sandbox.env, cwd });
  expect(run).toMatchObject({
    code: 8,
    stderr:
      'Counted 5 scans from 2024-01-01 00:00 to 2025-01-01 00:00 (UTC) (3 requests)\n' +
      `qrctl: 1 of 2 codes could not be counted; the others were\n  ${gone}: no code has the ID ${gone}\n` +
      '  hint: Run the command again, or omit these codes.\n',
  });
  const { codes, range, rows } = JSON.parse(await readFile(join(cwd, 's.json'), 'utf8'));
  expect({ codes, range, rows }).toEqual({
    codes: 1,
    range: { since: '2024-01-01T00:00:00.000Z', until: '2025-01-01T00:00:00.000Z' },
    rows: 1,
  });
});

describe('a dry run', () => {
  test('of files has their number and range, and no requests', async () => {
    const { stats } = await useFiles();
    const { stdout, stderr } = await stats('--during', '2026-10', '--dry-run', '-f', 'csv');
    expect(stdout.split('\n')).toEqual([
      'codes,files,since,until,scans,by_totals,requests,requests_per_minute,seconds',
      ',1,2026-10-01T00:00:00.000Z,2026-11-01T00:00:00.000Z,,,0,,0',
      '',
    ]);
    expect(stderr).toBe('Nothing was counted\n');
  });

  test.each([
    ['--by device --during 2024', { scans: 3000, by_totals: 0, requests: 7 }],
    ['--by day', { since: null, scans: 3000, by_totals: 0, requests: 7 }],
    ['--by month --during 2024', { scans: 3000, by_totals: 0, requests: 7 }],
    ['--by month --during 2024-Q4', { by_totals: 1, requests: 5 }],
  ])(
    'of %s for a code and a deleted code prints the number of requests, and how many codes are counted by totals',
    async (flags, planned) => {
      const sandbox = await useSandbox({ codes: 2, scans: 3000 });
      const gone = '00000000-0000-4000-8000-000000000000';
      const args = [
        sandbox.codeId(),
        gone,
        '--timezone',
        'UTC',
        ...flags.split(' '),
        '-f',
        'json',
        '--dry-run',
      ];
      const { stdout } = await runHere(['scans', 'stats', ...args], { env: sandbox.env });
      expect(JSON.parse(stdout)).toMatchObject({ codes: 2, files: null, ...planned });
    },
  );
});

test('`scans stats` draws a table by two dimensions, and counts the rows of all tables in a workbook for the summary', async () => {
  const { cwd, stats } = await useFiles();
  const by = ['--by', 'country', '--by', 'country,device'];
  expect((await stats(...by, '-f', 'table')).stdout).toMatch(/mobile +desktop/);
  expect(await stats(...by, '-o', 'stats.xlsx', '--summary', 's.json')).toMatchObject({
    code: 0,
    stdout: '',
  });
  const { rows, files } = JSON.parse(await readFile(join(cwd, 's.json'), 'utf8'));
  expect({ rows, files }).toEqual({ rows: 5, files: ['stats.xlsx'] });
});

test('`scans stats` compares a period with the range in --compare, and the last line has the ranges and scans of both', async () => {
  const { stats } = await useFiles();
  const periods = ['--during', '2026-10-02', '--compare', '2026-10-01..2026-10-01'];
  const args = [...periods, '--where', ' country = DE ', '--by', 'country', '-f', 'csv'];
  const { code, stdout, stderr } = await stats(...args, '--fields', 'value,scans,previous');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'value,scans,previous\nDE,1,1\n' });
  expect(stderr.trim().split('\n').at(-1)).toBe(
    'Counted 1 scan from 2026-10-02 00:00 to 2026-10-03 00:00 (UTC), only country=DE, ' +
      'compared with 1 scan from 2026-10-01 00:00 to 2026-10-02 00:00 (UTC) (0 requests)',
  );
});
