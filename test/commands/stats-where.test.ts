/** `--where` as it is typed: the figures of the scans that a plain loop keeps, from the service and from files. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { firstRows } from '../support/property-runs.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const RANGE = ['--during', '2024-12', '--timezone', 'UTC'];
const BY = ['--by', 'code', '--by', 'device', '-f', 'json'];

interface Line {
  qr_id: string;
  qr_slug: string;
  ts: string;
  country: string | null;
  device: string;
  referrer: string | null;
}

/** Four codes, their scans in scans.ndjson, and the columns `campaign` and `id` in codes.csv. */
async function useWorkspace(scansPerCode = 600) {
  const sandbox = await useSandbox({ codes: 4, scans: scansPerCode });
  const cwd = await useDirectory();
  const env = sandbox.env;
  const codes = [...sandbox.workspace.codes()];
  for (const [at, code] of codes.entries())
    code.destination = `https://example.com/?utm_source=${at % 2 ? 'Poster' : 'mail'}`;
  const campaigns = ['Spring', 'Spring', 'Fall', ''];
  const lines = codes.map(({ id, slug, destination }, at) => `${id},${slug},${destination},${campaigns[at]}`);
  await writeFile(join(cwd, 'codes.csv'), ['id,slug,destination,Campaign', ...lines, ''].join('\n'));
  await runHere(['scans', 'export', '--all', '-o', 'scans.ndjson'], { env, cwd });
  const text = await readFile(join(cwd, 'scans.ndjson'), 'utf8');
  const scans = text
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line))
    .filter(({ ts }) => ts.startsWith('2024-12'));
  const at = (n: number) => codes[n] ?? expect.fail();
  const run = (args: string[]) => runHere(['scans', 'stats', ...args], { env, cwd });
  return { sandbox, cwd, env, scans, at, campaigns, codes, run };
}

/** Counts by hand. */
function countBy(scans: readonly Line[], column: 'qr_slug' | 'device') {
  const counts: Record<string, number> = {};
  for (const scan of scans) counts[scan[column]] = (counts[scan[column]] ?? 0) + 1;
  return counts;
}

function countsOf(stdout: string, by: string) {
  const rows: { by: string; value: string; scans: number }[] = JSON.parse(stdout);
  const found = rows.filter((row) => row.by === by && row.scans > 0);
  return Object.fromEntries(found.map(({ value, scans }) => [value, scans]));
}

describe('--where', () => {
  test('counts the same scans as a loop over all scans that tests the same condition', async () => {
    const { scans, at, campaigns, codes, run } = await useWorkspace();
    const [first, third] = [at(0), at(2)];
    const campaignOf = (scan: Line) => campaigns[codes.findIndex(({ id }) => id === scan.qr_id)];
    const isPoster = (scan: Line) => codes.findIndex(({ id }) => id === scan.qr_id) % 2 === 1;
    const join = ['--join', 'codes.csv'];
    const cases: [string[], (scan: Line) => boolean][] = [
      [['country=de', 'country=FR'], ({ country }) => country === 'DE' || country === 'FR'],
      [['country=DE', 'device=Mobile'], (scan) => scan.country === 'DE' && scan.device === 'mobile'],
      [['referrer='], ({ referrer }) => referrer === null],
      [['hour=8', 'weekday=monday'], ({ ts }) => ts.slice(11, 13) === '08' && new Date(ts).getUTCDay() === 1],
      [['day=2024-12-03', 'day=2024-12-04'], ({ ts }) => /^2024-12-0[34]/.test(ts)],
      [['month=2024-11'], () => false],
      [[`code=${first.slug}`, `code=${third.id}`], ({ qr_id }) => [first.id, third.id].includes(qr_id)],
      [['utm_source=poster'], isPoster],
      [['Campaign=spring', 'device=mobile'], (s) => campaignOf(s) === 'Spring' && s.device === 'mobile'],
      [['campaign='], (scan) => campaignOf(scan) === ''],
    ];
    for (const from of [['--all'], ['--input', 'scans.ndjson']]) {
      for (const [where, keep] of from[0] === '--all' ? firstRows(3, cases) : cases) {
        const flags = where.flatMap((each) => ['--where', each]);
        const isJoined = (from[0] === '--input' ? /campaign|utm/i : /campaign/i).test(where.join());
        const joined = isJoined ? join : [];
        const { code, stdout, stderr } = await run([...from, ...flags, ...joined, ...BY, ...RANGE]);
        const kept = scans.filter(keep);
        const got = { code, codes: countsOf(stdout, 'code'), devices: countsOf(stdout, 'device') };
        const expected = { code: 0, codes: countBy(kept, 'qr_slug'), devices: countBy(kept, 'device') };
        expect({ from, where, stderr, ...got }).toEqual({ from, where, stderr, ...expected });
      }
    }
  });

  test('requests scans only for matching codes if its condition is about codes', async () => {
    const { sandbox, run } = await useWorkspace();
    const requestsOf = async (where: string) => {
      const before = sandbox.requests.length;
      await run(['--all', '--join', 'codes.csv', '--by', 'day', '--where', where, ...RANGE]);
      return sandbox.requests.slice(before).filter(({ url }) => url.includes('/scans'));
    };
    const paths = new Set((await requestsOf('campaign=fall')).map(({ url }) => url.split('?')[0]));
    expect(paths.size).toBe(1);
  });

  test('is repeated in the title of the table, in the last line, and in a report', async () => {
    const { env, cwd, run } = await useWorkspace();
    const where = ['--where', 'device=mobile', '--where', 'country=de', ...RANGE];
    const { stdout, stderr } = await run(['--all', '--by', 'country', ...where, '-f', 'table']);
    expect(stdout).toMatch(/^country \(only device=mobile, country=DE\)\n/);
    expect(stderr).toContain(', only device=mobile, country=DE (');
    await runHere(['scans', 'report', '--all', ...where, '-o', 'r.html'], { env, cwd });
    expect(await readFile(join(cwd, 'r.html'), 'utf8')).toContain(
      '<p class="range">Only scans with Device: Phone · Country: Germany</p>',
    );
  });

  test.each([
    [
      ['--where', 'device'],
      "invalid value for --where: 'device' (expected DIMENSION=VALUE, such as country=DE)",
    ],
    [['--where', 'contry=DE'], "invalid value for --where: 'contry'"],
    [
      ['--where', 'day=2024-12'],
      "invalid value for --where day: '2024-12' (expected a day, such as 2026-10-31)",
    ],
    [
      ['--join', 'codes.csv', '--where', 'campaign=Sprng'],
      'no row of codes.csv has "Sprng" in column Campaign',
    ],
  ])('exits with 2 for %j, and sends no request', async (flags, message) => {
    const { sandbox, run } = await useWorkspace(1);
    const before = sandbox.requests.length;
    const { code, stderr } = await run(['--all', ...flags]);
    expect({ code, requests: sandbox.requests.length - before }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toContain(message);
  });
});

describe('the codes in --input files', () => {
  test('are selected by arguments, --from or --name, unless the rows lack slugs or do not name their code', async () => {
    const { scans, at, run, cwd, sandbox, env } = await useWorkspace();
    const [first, second] = [at(0), at(1)];
    const before = sandbox.requests.length;
    await writeFile(join(cwd, 'ids.txt'), `${first.id}\n${second.slug}\n`);
    const expected = (codes: readonly { id: string }[]) =>
      countBy(
        scans.filter(({ qr_id }) => codes.some(({ id }) => id === qr_id)),
        'device',
      );
    const named = [...sandbox.workspace.codes()].filter(({ name }) => name.includes(first.name));
    for (const [args, codes] of [
      [['--input', 'scans.ndjson', first.slug], [first]],
      [
        [second.id, 'scans.ndjson', first.slug, '--input', './scans.ndjson'],
        [first, second],
      ],
      [
        ['--input', 'scans.ndjson', '--from', 'ids.txt'],
        [first, second],
      ],
      [['--input', 'scans.ndjson', '--name', first.name.toUpperCase()], named],
    ] as const) {
      const { code, stdout, stderr } = await run([...args, '--by', 'device', '-f', 'json', ...RANGE]);
      expect({ args, code, stderr, counts: countsOf(stdout, 'device') }).toEqual({
        args,
        code: 0,
        stderr,
        counts: expected(codes),
      });
    }
    const unseen = await run(['--input', 'scans.ndjson', 'nowhere', first.slug, ...RANGE]);
    expect(unseen.stderr).toContain('no scans of nowhere in these files');
    await runHere(['scans', 'export', first.id, '--output-dir', 'own'], { env, cwd });
    await runHere(['scans', 'export', first.id, '-o', 'one.csv'], { env, cwd });
    const guessed = await run(['--input', 'one.csv', first.slug]);
    expect([guessed.code, guessed.stderr]).toEqual([2, expect.stringContaining('only the files do (one)')]);
    const bySlug = await run(['--input', 'own', first.slug]);
    expect(bySlug).toMatchObject({ code: 2 });
    expect(bySlug.stderr).toContain('their scans have no slugs');
    expect(sandbox.requests.length).toBeGreaterThan(before);
  });
});

describe('--by A,B', () => {
  test('has the same counts for each pair of values as a loop over all scans, from the service and from files', async () => {
    const { scans, run } = await useWorkspace();
    const hourOf = ({ ts }: Line) => ts.slice(11, 13);
    const valueIn = (by: string, scan: Line) =>
      by === 'hour' ? hourOf(scan) : by === 'code' ? scan.qr_slug : scan.device;
    for (const pair of firstRows(1, ['code,device', 'device,hour', 'hour,code'])) {
      const [a = '', b = ''] = pair.split(',');
      const expected: Record<string, number> = {};
      for (const scan of scans) {
        const key = `${valueIn(a, scan)} ${valueIn(b, scan)}`;
        expected[key] = (expected[key] ?? 0) + 1;
      }
      for (const from of [['--all'], ['--input', 'scans.ndjson']]) {
        const { stdout } = await run([...from, '--by', pair, '-f', 'json', ...RANGE]);
        const rows: Record<string, unknown>[] = JSON.parse(stdout);
        const got = Object.fromEntries(rows.map(({ value, value2, scans }) => [`${value} ${value2}`, scans]));
        expect({ pair, got, by: [rows[0]?.by, rows[0]?.by2] }).toEqual({ pair, got: expected, by: [a, b] });
      }
    }
  });

  test('prints a table whose rows and columns add up to the totals, with other values in the row (other)', async () => {
    const { scans, run } = await useWorkspace();
    const args = ['--input', 'scans.ndjson', '--by', 'country,device', '--top', '2', ...RANGE];
    const { stdout } = await run([...args, '-f', 'table']);
    const lines = stdout.split('\n').slice(2, 6);
    const numbers = lines.map((line) =>
      line.match(/ +[\d,]+/g)?.map((text) => Number(text.replace(',', ''))),
    );
    const [total = []] = numbers.slice(-1);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['DE', expect.any(String), '(other)', 'total']);
    expect(total.at(-1)).toBe(scans.length);
    for (const row of numbers) expect(row?.slice(0, -1).reduce((sum, n) => sum + n, 0)).toBe(row?.at(-1));
    for (const at of total.keys())
      expect(numbers.slice(0, -1).reduce((sum, row) => sum + (row?.[at] ?? 0), 0)).toBe(total[at]);
    const exchanged = await run(['--input', 'scans.ndjson', '--by', 'code,weekday', '-f', 'table', ...RANGE]);
    expect(exchanged.stdout).toMatch(/^weekday by code\n/);
    expect(exchanged.stdout).not.toContain('(other)');
    const { stdout: csv } = await run([...args, '-f', 'csv']);
    expect(csv).toContain('by,value,by2,value2,scans,share,previous,change,');
    expect(csv).toContain('country,other,device,');
  });

  test.each([
    [
      ['--by', 'country,device', '--compare', 'previous', ...RANGE],
      "--compare can't be used with two dimensions",
    ],
    [['--by', 'country,country'], '--by country,country requires two different dimensions'],
    [['--by', 'country,x'], "invalid value for --by: 'x'"],
  ])('exits with 2 for %j', async (args, message) => {
    const { run } = await useWorkspace(1);
    const { code, stderr } = await run(['--input', 'scans.ndjson', ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});

test('a workbook of statistics has one sheet per table, each with percentages and filters', async () => {
  const { cwd, run } = await useWorkspace();
  const by = ['--by', 'country', '--by', 'code', '--by', 'country,device'];
  await run(['--input', 'scans.ndjson', ...by, ...RANGE, '-o', 'stats.xlsx']);
  const parts = unzipSync(await readFile(join(cwd, 'stats.xlsx')));
  const textOf = (path: string) => Buffer.from(parts[path] ?? []).toString();
  const names = [...textOf('xl/workbook.xml').matchAll(/<sheet name="([^"]+)"/g)].map(([, name]) => name);
  expect(names).toEqual(['country', 'code', 'country by device']);
  for (const sheet of [1, 2, 3]) {
    const text = textOf(`xl/worksheets/sheet${sheet}.xml`);
    expect(text).toMatch(/<autoFilter ref="A1:[JL]\d+"\/>/);
    expect(text).toMatch(/<c r="[DF]2" s="6"><v>0\.\d+<\/v>/);
  }
});
