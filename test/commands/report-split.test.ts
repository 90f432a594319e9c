/** `scans report --split-by` and `--compare FROM..TO` as they are typed. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { namesOfFiles } from '#commands/scans/split-report';
import { useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const RANGE = ['--during', '2024-12', '--timezone', 'UTC'];

/** Five codes: two of a client, one of the same in capitals, one of another, and one of none. */
async function useClients() {
  const sandbox = await useSandbox({ codes: 5, scans: 400 });
  const cwd = await useDirectory();
  const env = sandbox.env;
  const codes = [...sandbox.workspace.codes()];
  const clients = ['Café Müller', 'Café Müller', 'CAFÉ MÜLLER', 'a/b: c', ''];
  const rows = codes.map(({ id }, at) => `${id},${clients[at]}`);
  await writeFile(join(cwd, 'clients.csv'), ['id,Client', ...rows, ''].join('\n'));
  return { sandbox, cwd, env, codes };
}

const SPLIT = ['--join', 'clients.csv', '--split-by', 'client', '--output-dir', 'reports', ...RANGE];

describe('one report per value', () => {
  test('has the same content as a report with --where, and all reports need no more requests than a single report', async () => {
    const { sandbox, cwd, env } = await useClients();
    const requestsOf = async (args: string[]) => {
      const before = sandbox.requests.length;
      const result = await runHere(['scans', 'report', ...args], { env, cwd });
      return { ...result, requests: sandbox.requests.length - before };
    };
    const whole = await requestsOf(['--all', ...RANGE, '-o', 'all.html']);
    const split = await requestsOf(['--all', ...SPLIT]);
    expect(split.code).toBe(0);
    // The code without a value is not requested.
    expect(split.requests).toBeLessThanOrEqual(whole.requests);
    expect(split.stderr).toContain('1 code without a value in column Client is in no report\n');
    expect(split.stderr).toMatch(/\nCounted [\d,]+ scans \(\d+ requests\)\. 2 reports: reports\n$/);
    expect((await readdir(join(cwd, 'reports'))).sort()).toEqual(['CAFÉ MÜLLER.html', 'a-b- c.html']);
    const own = await readFile(join(cwd, 'reports', 'a-b- c.html'), 'utf8');
    const where = ['--join', 'clients.csv', '--where', 'client=a/b: c', '--title', 'a/b: c'];
    await requestsOf(['--all', ...where, ...RANGE, '-o', 'one.html']);
    expect(own).toBe(await readFile(join(cwd, 'one.html'), 'utf8'));
  });

  test.each([
    { top: [], rows: 12 },
    { top: ['--top', '2'], rows: 4 },
  ])('has as many rows per table as a single report with $top', async ({ top, rows }) => {
    const { cwd, env } = await useClients();
    const run = (...args: string[]) => runHere(['scans', 'report', '--all', ...args], { env, cwd });
    const shown = ['--by', 'city', ...top];
    await run(...SPLIT, ...shown);
    const where = ['--join', 'clients.csv', '--where', 'client=a/b: c', '--title', 'a/b: c'];
    await run(...where, ...RANGE, ...shown, '-o', 'one.html');
    const [own, one] = await Promise.all(
      ['reports/a-b- c.html', 'one.html'].map((name) => readFile(join(cwd, name), 'utf8')),
    );
    expect(own).toBe(one);
    expect(own?.match(/<tr/g)).toHaveLength(rows);
  });

  test.runIf(process.platform === 'linux')(
    "is refused with exit code 2 if its directory can't be created",
    async () => {
      const { cwd, env } = await useClients();
      const args = ['scans', 'report', '--all', ...SPLIT.with(5, '/proc/none/reports')];
      const { code, stderr } = await runHere(args, { env, cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining('create the directory /proc/none/reports')]);
    },
  );

  test('has a last line that counts the scans in all reports, and a single report omits codes created after the period', async () => {
    const { cwd, env } = await useClients();
    const { stderr } = await runHere(['scans', 'report', '--all', ...RANGE, '-o', 'all.html'], { env, cwd });
    await runHere(['qr', 'create', '--name', 'Later', '--destination', 'https://example.com/'], { env, cwd });
    await runHere(['scans', 'report', '--all', '--during', '2024-11', '-o', 'november.html'], { env, cwd });
    expect(await readFile(join(cwd, 'november.html'), 'utf8')).not.toContain('Later');
    const total = (text: string) => Number(/Counted ([\d,]+) scans/.exec(text)?.[1]?.replace(',', ''));
    const without = await runHere(
      ['scans', 'stats', '--all', '--join', 'clients.csv', '--where', 'client=', ...RANGE],
      { env, cwd },
    );
    const split = await runHere(['scans', 'report', '--all', ...SPLIT], { env, cwd });
    expect(total(split.stderr)).toBe(total(stderr) - total(without.stderr));
  });

  test.runIf(SOAK)('can be a PDF that is made from scan files without a request', async () => {
    const { sandbox, cwd, env } = await useClients();
    await runHere(['scans', 'export', '--all', '-o', 'scans.csv'], { env, cwd });
    const before = sandbox.requests.length;
    const args = ['scans', 'report', '--input', 'scans.csv', ...SPLIT, '--as', 'pdf'];
    expect(await runHere(args, { env, cwd })).toMatchObject({ code: 0 });
    expect(sandbox.requests).toHaveLength(before);
    expect(await readdir(join(cwd, 'reports'))).toContain('a-b- c.pdf');
  });

  test.each([
    [['--all', '--split-by', 'Client', '--output-dir', 'r'], '--split-by requires --join'],
    [['--all', ...SPLIT, '--paper', 'letter'], '--paper requires --as pdf'],
    [['--all', ...SPLIT, '-o', 'r.html'], "--output-dir can't be used with --output"],
    [
      ['--all', '--join', 'clients.csv', '--split-by', 'x', '--output-dir', 'r'],
      'clients.csv has no column "x"',
    ],
  ])('is refused with exit code 2 and without a request if the flags are %j', async (args, message) => {
    const { sandbox, cwd, env } = await useClients();
    const before = sandbox.requests.length;
    const { code, stderr } = await runHere(['scans', 'report', ...args], { env, cwd });
    expect({ code, requests: sandbox.requests.length - before }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toContain(message);
  });

  test('is refused with exit code 2 if no code has a value, with the number of codes without a value', async () => {
    const { cwd, env, codes } = await useClients();
    const blank = codes.map(({ id }) => `${id},`);
    await writeFile(join(cwd, 'clients.csv'), ['id,Client', ...blank, ''].join('\n'));
    const { code, stderr } = await runHere(['scans', 'report', '--all', ...SPLIT], { env, cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('5 codes without a value in column Client are in no report\n');
    expect(stderr).toContain(
      'no code has a value in column Client of clients.csv\n' +
        '  hint: Choose a different column with --split-by, or complete the file of --join.\n',
    );
  });

  test('is written for each value in the joined file if it is made from scan files, or only for the value of --where', async () => {
    const { cwd, env } = await useClients();
    await runHere(['scans', 'export', '--all', '-o', 'scans.csv'], { env, cwd });
    const reports = async (...args: string[]) => {
      const { code } = await runHere(['scans', 'report', '--input', 'scans.csv', ...args], { env, cwd });
      return [code, ...(await readdir(join(cwd, args.at(-1) ?? ''))).sort()];
    };
    const split = SPLIT.filter((arg) => arg !== '--output-dir' && arg !== 'reports');
    expect(await reports(...split, '--where', 'client=a/b: c', '--output-dir', 'one')).toEqual([
      0,
      'a-b- c.html',
    ]);
    expect(await reports(...split, '--output-dir', 'each')).toEqual([0, 'CAFÉ MÜLLER.html', 'a-b- c.html']);
  });

  test('has a file name that is safe and unique', () => {
    const values = ['a', 'A', '../x', 'con', 'nul.txt', '.hidden', '...', 'é'.repeat(200), 'x/y', 'x\\y'];
    const names = namesOfFiles(values);
    expect(names.slice(0, 7)).toEqual(['a', 'A-2', 'x', 'con-', 'nul-txt-', 'hidden', 'value']);
    expect(names.slice(8)).toEqual(['x-y', 'x-y-2']);
    expect(names.every((name) => Buffer.byteLength(name) < 250)).toBe(true);
  });
});

describe('--compare FROM..TO', () => {
  const compare = async (period: string) => {
    const { env } = await useSandbox({ codes: 1, scans: 400 });
    const args = ['scans', 'stats', '--all', '--by', 'code', '--during', '2024-12', '--timezone', 'UTC'];
    return runHere([...args, '--compare', period, '-f', 'csv'], { env });
  };

  test('includes both of its days, and with the range of the previous period prints the same as `previous`', async () => {
    const own = await compare('2024-11-01..2024-11-30');
    expect(own.code).toBe(0);
    expect(own.stderr).toContain('from 2024-11-01 00:00 to 2024-12-01 00:00 (UTC)');
    expect(own.stdout).toBe((await compare('previous')).stdout);
    expect((await compare('2024-11')).stdout).toBe(own.stdout);
  });

  test.each([
    ['2024-11..2024-12', '--compare 2024-11..2024-12 must end before the counted period begins'],
    ['2024-11..', "invalid value for --compare: '' (expected a period)"],
    ['never', "invalid value for --compare: 'never' (expected a period)"],
  ])('exits with 2 for the period %s', async (period, message) => {
    const { code, stderr } = await compare(period);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('a report with --add-by, --accent and --footer', () => {
  test('has a section for the added dimension, the accent color, the footer, and a sentence with the busiest day', async () => {
    const { cwd, env } = await useClients();
    const own = ['--add-by', 'utm_source', '--accent', '#FFDD00', '--footer', 'Agency\n\nPhone 1'];
    const args = ['scans', 'report', '--all', '--during', '2024-12', ...own, '-o', 'r.html'];
    expect(await runHere(args, { cwd, env })).toMatchObject({ code: 0 });
    const html = await readFile(join(cwd, 'r.html'), 'utf8');
    expect(html).toMatch(/<p class="sender"><bdi>[\d,]+ scans; the busiest day was [A-Z]/);
    expect(html).toContain('id="by-utm_source"');
    expect(html).toContain('id="by-country"');
    expect(html).toMatch(/<footer>\n<p>Agency<\/p>\n<p>Phone 1<\/p>/);
    expect(html).toContain('{:root{--accent:#ffdd00');
    expect(html).toContain(' · ');
  });

  test('is refused with exit code 2 if the accent is not a hexadecimal color', async () => {
    const { cwd, env } = await useClients();
    const plain = await runHere(['scans', 'report', '--all', '--accent', 'red', '-o', 'x.html'], {
      cwd,
      env,
    });
    expect(plain.code).toBe(2);
    expect(plain.stderr).toContain("invalid value for --accent: 'red' (expected a color such as #0057b8)");
  });
});
