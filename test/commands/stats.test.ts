/** `scans stats` as it is typed: the same figures from the service and from every kind of file, and requests counted. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '#base/text/display-width';
import { argv } from '../support/argv.ts';
import { useDirectory } from '../support/cli.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { runByDay, runHere } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

/** Its made-up scans end with 2024. */
const RANGE = ['--since', '2024-11-01', '--until', '2024-12-01', '--timezone', 'Asia/Kathmandu'];
const EVERYTHING = [
  'day',
  'week',
  'month',
  'hour',
  'weekday',
  'country',
  'city',
  'device',
  'os',
  'browser',
  'referrer',
];
const BY = [...EVERYTHING, 'code'].flatMap((by) => ['--by', by]);

async function requestsOf(sandbox: TestSandbox, args: string[]) {
  const before = sandbox.requests.length;
  const result = await runHere(['scans', 'stats', ...args], { env: sandbox.env });
  return { ...result, requests: sandbox.requests.length - before };
}

test('averages per day are null if only totals were counted', async () => {
  const sandbox = await useSandbox({ codes: 2, scans: 3000 });
  const averagesOf = async (...by: string[]) => {
    const args = ['scans', 'stats', '--all', ...by.flatMap((one) => ['--by', one]), '-f', 'json'];
    const rows: { by: string; per_day: number }[] = JSON.parse((await runHere(args, sandbox)).stdout);
    return rows.flatMap(({ by, per_day }) => (by === 'code' ? per_day : []));
  };
  expect(await averagesOf('code')).toEqual([null, null]);
  const known = await averagesOf('code', 'device');
  expect(known.every((average) => average > 0 && average < 3000)).toBe(true);
  const periodOf = async (...by: string[]) => {
    const args = ['scans', 'report', '--all', ...by.flatMap((one) => ['--by', one]), '-o', '-'];
    return /class="range">[^<]*/.exec((await runHere(args, sandbox)).stdout)?.[0];
  };
  expect(await periodOf('code')).toBe(await periodOf('code', 'device'));
});

describe('the same figures', () => {
  test('come from the service, CSV, JSON and NDJSON, compressed or not, by every dimension', async () => {
    const sandbox = await useSandbox({ codes: 2, scans: 400 });
    const directory = await useDirectory();
    const expected = await runByDay(['scans', 'stats', '--all', ...RANGE, ...BY, '-f', 'csv'], {
      env: sandbox.env,
    });
    expect(expected.code).toBe(0);
    expect(expected.stdout.split('\n').length).toBeGreaterThan(100);
    for (const file of firstRows(2, ['a.csv', 'a.ndjson.gz', 'a.json', 'a.csv.gz', 'a.ndjson'])) {
      await runHere(['scans', 'export', '--all', '-o', join(directory, file)], { env: sandbox.env });
      const before = sandbox.requests.length;
      const args = ['scans', 'stats', '--input', join(directory, file), ...RANGE, ...BY, '-f', 'csv'];
      expect({ file, stdout: (await runHere(args)).stdout }).toEqual({ file, stdout: expected.stdout });
      expect(sandbox.requests.length).toBe(before);
    }
  });

  test('come from a directory of overlapping files, with each scan counted once', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 700 });
    const directory = await useDirectory();
    await mkdir(join(directory, 'logs'));
    const code = sandbox.codeId();
    for (const [file, ...flags] of [
      ['b.csv', '--since', '2024-11-10'],
      ['a.ndjson', '--until', '2024-11-20'],
    ] as const) {
      await runHere(['scans', 'export', code, '-o', join(directory, 'logs', file), ...flags], {
        env: sandbox.env,
      });
    }
    const args = [...EVERYTHING.flatMap((by) => ['--by', by]), '-f', 'ndjson', '--timezone', 'UTC'];
    const { stdout } = await runHere(['scans', 'stats', '--input', join(directory, 'logs'), ...args]);
    await runHere(['scans', 'export', code, '-o', join(directory, 'whole.csv')], { env: sandbox.env });
    expect(stdout).toBe(
      (await runHere(['scans', 'stats', '--input', join(directory, 'whole.csv'), ...args])).stdout,
    );
  });

  test('have the documented columns in CSV, with fractions and one row for the other values', async () => {
    const directory = await useDirectory();
    const lines = ['id,ts,country'];
    for (let i = 0; i < 40; i++)
      lines.push(
        `${i},2026-10-0${1 + (i % 5)}T00:00:00Z,${['DE', 'FR', 'IT', 'AT'][Math.floor(i / 16)] ?? ''}`,
      );
    await writeFile(
      join(directory, 'a.csv'),
      `${lines
        .sort((a, b) => ((a.split(',')[1] ?? '') < (b.split(',')[1] ?? '') ? -1 : 1))
        .join('\n')
        .replace(/(.*)\n(id,ts.*)/s, '$2\n$1')}\n`,
    );
    const args = ['scans', 'stats', '--input', 'a.csv', '--by', 'country', '-f', 'csv'];
    const { stdout, code } = await runHere([...args, '--top', '1'], { cwd: directory });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'by,value,scans,share,previous,change,name,per_day,previous_per_day,complete\n' +
        'country,DE,16,0.4,,,,3.2,,true\ncountry,other,24,0.6,,,,4.8,,true\n',
    });
  });
});

describe('requests', () => {
  test('are stated in the last line on a terminal, and the range only once, below the figures', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 10 });
    const args = ['scans', 'stats', sandbox.codeId(), '--by', 'device', '--no-color'];
    const { stdout } = await runByDay(args, { env: sandbox.env, tty: 80 });
    expect(stdout.split('10 scans from the first scan')).toHaveLength(2);
    expect(stdout).toMatch(/\nCounted 10 scans \(1 request\)\r\n$/);
  });

  test.runIf(SOAK)(
    'of 30 days by day, compared, are one for each of 60 days and one for the whole range',
    async () => {
      const sandbox = await useSandbox({ codes: 1, scans: 60_000 });
      const args = argv`
        ${sandbox.codeId()} --since 2024-11-05 --until 2024-12-05 --by day --compare previous --timezone UTC
      `;
      const dry = await requestsOf(sandbox, [...args, '--dry-run', '-f', 'json']);
      const named = 1;
      expect(JSON.parse(dry.stdout)).toMatchObject({ codes: 1, by_totals: 1, requests: named + 61 });
      const byTotals = await requestsOf(sandbox, [...args, '-f', 'json']);
      expect(byTotals).toMatchObject({ code: 0, requests: named + 61 });
      const byPages = await requestsOf(sandbox, [...args, '--by', 'device', '-f', 'json']);
      expect(byPages.requests).toBeGreaterThan(75);
      const days = JSON.parse(byPages.stdout).filter(({ by }: { by: string }) => by === 'day');
      expect(JSON.parse(byTotals.stdout)).toEqual(days);
      expect(days).toHaveLength(30);
    },
  );

  test('read pages if that requires fewer requests', async () => {
    const sandbox = await useSandbox({ codes: 3, scans: 701 });
    const result = await requestsOf(sandbox, argv`--all --during 2024-11 --by day --timezone UTC -f csv`);
    expect(result).toMatchObject({ code: 0, requests: 1 + 3 });
    const byCode = await requestsOf(sandbox, ['--all', '--by', 'code', '-f', 'csv']);
    expect(byCode.requests).toBeLessThanOrEqual(1 + 3 * 2);
    expect(byCode.stdout.match(/,701,/g)).toHaveLength(3);
  });

  test('return the same figures by totals and by pages if the service treats since and until differently', async () => {
    const sandbox = await useSandbox({
      codes: 1,
      scans: 9000,
      spanMs: 3 * 86_400_000,
      boundsResolution: 's',
      sinceInclusive: false,
    });
    const args = argv`${sandbox.codeId()} --since 2024-12-29 --until 2025-01-01 --timezone UTC -f csv`;
    const result = await requestsOf(sandbox, [...args, '--by', 'day']);
    const byDevice = await requestsOf(sandbox, [...args, '--by', 'day', '--by', 'device']);
    expect(byDevice.stdout).toContain(result.stdout.split('\n').slice(1, 4).join('\n'));
  });
});

describe('the table', () => {
  test.each([40, 200])('fits a terminal of %i columns', async (columns) => {
    const sandbox = await useSandbox({ codes: 1, scans: 400 });
    const args = argv`
      scans stats ${sandbox.codeId()} ${RANGE} --by day --by city --by referrer --compare previous
    `;
    const { stdout } = await runByDay(args, { env: { ...sandbox.env, NO_COLOR: '1' }, tty: columns });
    expect(stdout).toContain('Scans, not people');
    const table = stdout
      .slice(stdout.search(/^day/m))
      .replaceAll('\r', '')
      .split('\n')
      .filter((line) => !line.includes(' requests'));
    for (const line of table) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  });

  test('is ASCII on a dumb terminal, and marks periods that are not over', async () => {
    const directory = await useDirectory();
    const ts = (ms: number) => new Date(Date.now() - ms).toISOString();
    const rows = [`1,${ts(90_000_000)},DE`, `2,${ts(1000)},AT`];
    await writeFile(join(directory, 'a.csv'), `id,ts,country\n${rows.join('\n')}\n`);
    const args = argv`scans stats --input a.csv --by month --by country -f table --timezone UTC`;
    const { stdout } = await runByDay(args, { cwd: directory, env: { TERM: 'dumb' } });
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
    expect(stdout).toMatch(/^\d{4}-\d\d \* /m);
    expect(stdout).toContain('* incomplete');
  });

  test('escapes control characters in values', async () => {
    const directory = await useDirectory();
    await writeFile(
      join(directory, 'a.ndjson'),
      `${JSON.stringify({ id: 1, ts: '2026-10-01T00:00:00Z', referrer: '\x1b[2J\n(other)\u202e' })}\n`,
    );
    const { stdout } = await runByDay(
      ['scans', 'stats', '--input', 'a.ndjson', '--by', 'referrer', '-f', 'table'],
      {
        cwd: directory,
      },
    );
    expect(stdout).toContain('\\x1b[2J\\n(other)\\u{202e}');
  });

  test('is written to the file of --output', async () => {
    const directory = await useDirectory();
    await writeFile(join(directory, 'a.csv'), 'id,ts\n1,2026-10-01T00:00:00Z\n');
    await runByDay(['scans', 'stats', '--input', 'a.csv', '-f', 'table', '-o', 'out.txt'], {
      cwd: directory,
    });
    expect(await readFile(join(directory, 'out.txt'), 'utf8')).toContain('2026-10-01');
  });
});

describe('stats refuses', () => {
  test.each([
    [['x', '--all'], "CODE can't be used with --all"],
    [['--input', 'a.csv', '--all'], "--all can't be used with --input"],
    [[], 'no code specified'],
    [
      ['x', '--by', 'contry'],
      "invalid value for --by: 'contry' (expected day, week, month, hour, weekday, country, city, device, os, browser, referrer, code, utm_source, utm_medium, utm_campaign, utm_term or utm_content)",
    ],
    [['x', '--compare', 'previous'], '--compare previous requires a range with a start'],
    [['--input', 'gone.csv'], 'cannot read gone.csv: no such file'],
    [['--input', '-'], "--input can't read standard input"],
    [['--input', '.', '--by', 'day'], 'no scan files in .'],
    [
      ['x', '--timezone', 'Mars'],
      "invalid value for --timezone: 'Mars' (expected a time zone such as Europe/Madrid)",
    ],
  ])('%j', async (args, message) => {
    const cwd = await useDirectory();
    const { code, stderr } = await runHere(['scans', 'stats', ...args], { cwd });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`qrctl: ${message}\n`),
    });
  });

  test('an unknown dimension, and suggests the nearest dimension', async () => {
    expect((await runHere(['scans', 'stats', 'x', '--by', 'contry'])).stderr).toContain(
      'Did you mean --by country?',
    );
  });

  test('a code that does not exist (4), but counts the other codes (8)', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 40 });
    const gone = '00000000-0000-4000-8000-000000000000';
    const both = await requestsOf(sandbox, [sandbox.codeId(), gone, '--by', 'code', '-f', 'csv']);
    expect(both.code).toBe(8);
    expect(both.stdout).not.toContain(gone);
    expect(both.stdout).toMatch(/^code,[^,]+,40,1,,,[^,]+,/m);
    expect((await requestsOf(sandbox, [gone])).code).toBe(4);
  });
});
