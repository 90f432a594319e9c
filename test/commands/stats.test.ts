/** `scans stats` as it is typed: the same figures from the service and from every kind of file, and requests counted. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '#base/text/display-width';
import { argv } from '../support/argv.ts';
import { ends, useDirectory } from '../support/cli.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay, runHere } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

/** Its made-up scans end with 2024. */
const RANGE = ['--since', '2024-11-01', '--until', '2024-12-01', '--timezone', 'Asia/Kathmandu'];
const EVERYTHING = 'day week month hour weekday country city device os browser referrer'.split(' ');
const BY = [...EVERYTHING, 'code'].flatMap((by) => ['--by', by]);

async function requestsOf(sandbox: TestSandbox, args: string[]) {
  const before = sandbox.requests.length;
  const result = await runHere(['scans', 'stats', ...args], { env: sandbox.env });
  return { ...result, requests: sandbox.requests.length - before };
}

test('averages per day are known only if all scans were read, but a report states the same period in both cases', async () => {
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

describe('the figures', () => {
  test('are the same, by each dimension of scans, from the service and from CSV, JSON and NDJSON files, compressed or not', async () => {
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

  test('have the documented columns in CSV, with shares as fractions, and one row for values beyond --top', async () => {
    const directory = await useDirectory();
    const rows = Array.from({ length: 40 }, (_, i) => {
      const country = i < 16 ? 'DE' : i < 32 ? 'FR' : 'IT';
      return `${i},2026-10-0${1 + (i % 5)}T00:00:00Z,${country}\n`;
    });
    await writeFile(join(directory, 'a.csv'), `id,ts,country\n${rows.join('')}`);
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

describe('the output of scans stats', () => {
  test('shows the ten largest values on a terminal, and all values in CSV', async () => {
    const cwd = await useDirectory();
    const rows = Array.from({ length: 12 }, (_, i) => `${i},2026-10-01T00:00:00Z,City ${i}\n`);
    await writeFile(join(cwd, 'a.csv'), `id,ts,city\n${rows.join('')}`);
    const args = ['scans', 'stats', '--input', 'a.csv', '--by', 'city'];
    const drawn = await runHere([...args, '--no-color'], { cwd, tty: 80 });
    expect(drawn.stdout.match(/^(City \d+|\(other\))/gm)).toHaveLength(11);
    const { stdout } = await runHere([...args, '-f', 'csv'], { cwd });
    expect(stdout.match(/^city,City \d+,/gm)).toHaveLength(12);
  });

  test('ends with the number of requests on a terminal, and contains the range only once', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 10 });
    const args = ['scans', 'stats', sandbox.codeId(), '--by', 'device', '--no-color'];
    const { stdout } = await runByDay(args, { env: sandbox.env, tty: 80 });
    expect(stdout.split('10 scans from the first scan')).toHaveLength(2);
    expect(stdout).toMatch(/\nCounted 10 scans \(1 request\)\r\n$/);
  });
});

describe('the table of scans stats', () => {
  test.each([40, 200])('fits into %i columns', async (columns) => {
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

  test('is ASCII on a dumb terminal, and has a mark for a month that is not over', async () => {
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

  test('has control characters in values escaped', async () => {
    const directory = await useDirectory();
    await writeFile(
      join(directory, 'a.ndjson'),
      `${JSON.stringify({ id: 1, ts: '2026-10-01T00:00:00Z', referrer: '\x1b[2J\n(other)\u202e' })}\n`,
    );
    const { stdout } = await runByDay(
      ['scans', 'stats', '--input', 'a.ndjson', '--by', 'referrer', '-f', 'table'],
      { cwd: directory },
    );
    expect(stdout).toContain('\\x1b[2J\\n(other)\\u{202e}');
  });

  test('is written to the file that --output specifies', async () => {
    const directory = await useDirectory();
    await writeFile(join(directory, 'a.csv'), 'id,ts\n1,2026-10-01T00:00:00Z\n');
    await runByDay(['scans', 'stats', '--input', 'a.csv', '-f', 'table', '-o', 'out.txt'], {
      cwd: directory,
    });
    expect(await readFile(join(directory, 'out.txt'), 'utf8')).toContain('2026-10-01');
  });
});

describe('scans stats', () => {
  test.each([
    [
      ['x', '--by', 'contry'],
      "invalid value for --by: 'contry' (expected day, week, month, hour, weekday, country, city, device, os, browser, referrer, code, utm_source, utm_medium, utm_campaign, utm_term or utm_content)",
    ],
    [['--input', 'gone.csv'], 'cannot read gone.csv: no such file'],
    [['--input', '-'], "--input can't read standard input"],
    [['--input', '.', '--by', 'day'], 'no scan files in .'],
  ])('exits with 2 for the arguments %j', async (args, message) => {
    const cwd = await useDirectory();
    const { code, stderr } = await runHere(['scans', 'stats', ...args], { cwd });
    expect({ code, stderr }).toMatchObject(ends(2, `qrctl: ${message}\n`));
  });

  test('exits with 4 if no specified code exists, and with 8 if it counted other codes', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 40 });
    const gone = '00000000-0000-4000-8000-000000000000';
    const both = await requestsOf(sandbox, [sandbox.codeId(), gone, '--by', 'code', '-f', 'csv']);
    expect(both.code).toBe(8);
    expect(both.stdout).not.toContain(gone);
    expect(both.stdout).toMatch(/^code,[^,]+,40,1,,,[^,]+,/m);
    expect((await requestsOf(sandbox, [gone])).code).toBe(4);
  });
});
