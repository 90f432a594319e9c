/** The built command against a service in every way the specification leaves open. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import type { SandboxOptions } from '#sandbox/options';
import { useDirectory } from '../support/cli.ts';
import { type Fault, smallerPages, sometimes, wrongTotal } from '../support/faults.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

/** Six pages. */
const DATA = { codes: 1, scans: 2600 };

async function exported(sandbox: TestSandbox, ...flags: string[]) {
  const directory = await useDirectory();
  const file = join(directory, 'scans.csv');
  const result = await runByDay(['scans', 'export', sandbox.codeId(), '-o', file, ...flags], {
    env: sandbox.env,
  });
  return { ...result, csv: await readFile(file, 'utf8').catch(() => undefined) };
}

/** What any CSV library would make of the sandbox's own data; the made-up data needs quotes and one formula defused. */
function idsOf(csv: string | undefined): string[] {
  return [...(csv ?? '').matchAll(/^(\d+),\d{4}-/gm)].map((found) => found[1] ?? '');
}

function idsIn(sandbox: TestSandbox): string[] {
  return sandbox.scans(sandbox.codeId()).map((scan) => String(scan.id));
}

/** A fault of the scan log alone. */
function ofScans(fault: Fault): SandboxOptions['intercept'] {
  return sometimes(({ request }) => request.path.endsWith('/scans') && fault);
}

describe('an export', () => {
  const variants: [string, SandboxOptions][] = [
    ['newest first', { scanOrder: 'desc' }],
    ['oldest first', { scanOrder: 'asc' }],
    ['pages capped at 100, oldest first', { intercept: smallerPages(100), scanOrder: 'asc' }],
    ['ties across page borders', { tieSize: 3 }],
    ['inclusive bounds', { untilInclusive: true }],
    ['exclusive bounds', { sinceInclusive: false }],
    ['bounds in whole seconds', { boundsResolution: 's', untilInclusive: true }],
    ['pages capped at 100', { intercept: smallerPages(100) }],
  ];

  test('has the same bytes for different orders and sizes of pages, with at most one request more than there are pages', async () => {
    const results = new Map<string, string | undefined>();
    for (const [name, options] of firstRows(3, variants)) {
      const sandbox = await useSandbox({ ...DATA, ...options });
      const range = ['--since', '2024-11-01', '--until', '2024-12-24T08:00:00Z'];
      const { code, csv, stderr } = await exported(sandbox, ...range);
      expect(`${name}: ${code} ${stderr}`).toMatch(/: 0 /);
      results.set(name, csv);
      const rows = idsOf(csv).length;
      const size = options.intercept ? 100 : 500;
      expect(sandbox.requests.length, name).toBeLessThanOrEqual(Math.ceil(rows / size) + 1);
    }
    expect(new Set(results.values()).size).toBe(1);
    expect(idsOf(results.get('newest first')).length).toBeGreaterThan(600);
  });

  test.each(firstRows(1, ['none', 'asc', 'desc'] as const))(
    'includes late rows that arrive while it reads pages (order %s)',
    async (scanOrder) => {
      let sandbox: TestSandbox | undefined;
      const late = sometimes(({ number }) => {
        if (number % 2 === 1 && number < 12) {
          sandbox?.workspace.addScan(sandbox.codeId(), {
            ts: `2024-${number < 6 ? '11' : '12'}-1${number % 10}T10:00:00.000Z`,
          });
        }
        return undefined;
      });
      sandbox = await useSandbox({ ...DATA, scanOrder, intercept: late });
      const { code, csv } = await exported(sandbox);
      expect(code).toBe(0);
      const found = idsOf(csv);
      expect(scanOrder === 'none' ? [...found].sort() : found).toEqual(
        scanOrder === 'none' ? idsIn(sandbox).sort() : idsIn(sandbox),
      );
    },
  );

  test.each([['too small a total', wrongTotal((total) => total - 7)] as const])(
    'exits with 9 and writes no file if the service reports %s',
    async (_, intercept) => {
      const sandbox = await useSandbox({ ...DATA, intercept: ofScans(intercept) });
      const { code, csv, stderr } = await exported(sandbox);
      expect({ code, csv }).toEqual({ code: 9, csv: undefined });
      expect(stderr).not.toContain('unexpected');
    },
  );

  test('to a workbook omits a code with a value too long for a cell, and has all scans of the other codes', async () => {
    const sandbox = await useSandbox({ codes: 0 });
    const ids = [1, 2, 3].map((n) => sandbox.workspace.put({ slug: `s${n}`, name: `Code ${n}` }).id);
    for (const [n, id] of ids.entries())
      for (const day of [1, 2, 3]) {
        const referrer = n === 1 && day === 2 ? `https://example.com/${'r'.repeat(33_000)}` : `of ${n}`;
        sandbox.workspace.addScan(id, { ts: `2025-10-0${day}T10:00:00.000Z`, referrer });
      }
    const file = join(await useDirectory(), 'all.xlsx');
    const { code, stderr } = await runByDay(['scans', 'export', '--all', '-o', file], { env: sandbox.env });
    expect([code, stderr]).toEqual([8, expect.stringContaining('Exported 6 scans of 2 codes')]);
    const sheet = Buffer.from(unzipSync(await readFile(file))['xl/worksheets/sheet1.xml'] ?? '').toString();
    expect(sheet.match(/<row r="\d+">/g)).toEqual([1, 2, 3, 4, 5, 6, 7].map((row) => `<row r="${row}">`));
    expect(sheet.match(/>of \d</g)).toEqual(['>of 0<', '>of 0<', '>of 0<', '>of 2<', '>of 2<', '>of 2<']);
    expect(sheet.match(/<row /g)?.length).toBe(sheet.match(/<\/row>/g)?.length);
  });

  test('omits a code that is deleted during the run, has all scans of the other codes, and ends with 8', async () => {
    let remove: () => void = () => undefined;
    const intercept = sometimes(({ request }) => {
      if (request.query.get('page') === '3') remove();
      return undefined;
    });
    const sandbox = await useSandbox({ codes: 3, scans: 2000, intercept });
    const [first, gone, last] = [sandbox.codeId(0), sandbox.codeId(1), sandbox.codeId(2)];
    remove = () => sandbox.workspace.delete(gone);
    const file = join(await useDirectory(), 'all.csv');
    const { code, stderr } = await runByDay(['scans', 'export', gone, first, last, '-o', file], {
      env: sandbox.env,
    });
    expect(code).toBe(8);
    expect(stderr).toContain(gone);
    const scans = sandbox.scans(first).length + sandbox.scans(last).length;
    expect(stderr).toContain(`${scans.toLocaleString('en')} scans of 2 codes `);
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines.filter((line) => line.startsWith(gone))).toEqual([]);
    expect(lines.filter((line) => line.startsWith(`${last},`)).length).toBe(sandbox.scans(last).length);
  });
});

test.each(firstRows(1, ['csv', 'ndjson']))(
  'a shared %s file from an export with eight concurrent requests has as many rows as the run reports',
  async (format) => {
    const sandbox = await useSandbox({ codes: 12, scans: 600, live: 5 });
    const file = join(await useDirectory(), `all.${format}`);
    const { code, stderr } = await runByDay(['scans', 'export', '--all', '-o', file, '--concurrency', '8'], {
      env: sandbox.env,
    });
    expect(code, stderr).toBe(0);
    const rows = (await readFile(file, 'utf8')).match(/^(\{"qr_id":")?[0-9a-f]{8}-[0-9a-f-]{27}.*$/gm) ?? [];
    expect(`${rows.length.toLocaleString('en')} scans of 12 codes`).toBe(
      /[\d,]+ scans of 12 codes/.exec(stderr)?.[0],
    );
  },
);

describe('the rate limit', () => {
  // The clock that leaves the most to wait for if it is taken for ours; the others are in service/rate-limit.
  test.each([['a day ahead', 86_400_000] as const])(
    "is not exceeded if the service's clock is %s",
    async (_, clockSkewMs) => {
      const sandbox = await useSandbox({
        codes: 1,
        scans: 1000,
        limit: 4,
        windowMs: 3000,
        intercept: smallerPages(100),
        clockSkewMs,
      });
      const { code, stderr } = await exported(sandbox);
      expect(code, stderr).toBe(0);
      expect(sandbox.refused()).toBe(0);
      expect(sandbox.requests.length).toBe(Math.ceil(idsIn(sandbox).length / 100) + 1);
      expect(stderr).toContain('rate limit');
    },
  );
});
