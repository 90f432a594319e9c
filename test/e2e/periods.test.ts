/** Ranges that people name, in a zone, as the built command takes and says them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EPOCH_DAY } from '#files/formats/xlsx/parts';
import type { CellValue } from '#files/formats/xlsx/read-sheet';
import { readWorkbook } from '#files/formats/xlsx/read-workbook';
import { ends, useDirectory } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const BERLIN = ['--timezone', 'Europe/Berlin'];

async function run(sandbox: TestSandbox, flags: string[], env: Record<string, string> = {}) {
  const cwd = await useDirectory();
  const args = ['scans', 'export', sandbox.codeId(), '-o', 'scans.csv', ...flags];
  const result = await runByDay(args, { cwd, env: { ...sandbox.env, ...env } });
  return { ...result, csv: await readFile(join(cwd, 'scans.csv'), 'utf8').catch(() => undefined) };
}

/** The text of a cell as a spreadsheet program saves it: a time has no zone. */
function textOf(cell: CellValue | undefined): string {
  if (cell?.is !== 'date')
    return cell && 'text' in cell ? cell.text : cell && 'value' in cell ? `${cell.value}` : '';
  const ms = Math.round((cell.serial - EPOCH_DAY) * 86_400_000);
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

describe('an export in a time zone', () => {
  test('for a month contains exactly that month in the zone, and prints both ends', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 100 });
    const [id] = [sandbox.codeId()];
    const edges = [
      '2024-09-30T21:59:59.999Z',
      '2024-09-30T22:00:00.000Z',
      '2024-10-31T22:59:59.999Z',
      '2024-10-31T23:00:00.000Z',
    ];
    for (const ts of edges) sandbox.workspace.addScan(id, { ts });
    const inside = sandbox
      .scans(id)
      .filter(({ ts }) => ts >= (edges[1] as string) && ts < (edges[3] as string));
    const { code, csv, stderr } = await run(sandbox, ['--during', '2024-10', ...BERLIN]);
    expect([code, csv?.split('\n').length]).toEqual([0, inside.length + 2]);
    expect(csv).toContain(edges[1]);
    expect(csv).toContain(edges[2]);
    expect(stderr).toContain('of 1 code from 2024-10-01 00:00 to 2024-11-01 00:00 (Europe/Berlin) (');
  });

  test('has the column ts_local after ts with --excel, and in the chosen order with --fields', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 3 });
    sandbox.workspace.addScan(sandbox.codeId(), { ts: '2024-09-30T23:08:15.000Z' });
    const excel = await run(sandbox, ['--excel', ...BERLIN]);
    expect(excel.csv).toMatch(/^\ufeffid,ts,ts_local,country/);
    expect(excel.csv).toContain(',2024-09-30T23:08:15.000Z,2024-10-01 01:08:15,');
    const chosen = await run(sandbox, ['--fields', 'ts_local,id', ...BERLIN]);
    expect(chosen.csv).toMatch(/^ts_local,id\n/);
    expect(chosen.csv).toMatch(/^2024-10-01 01:08:15,\d+$/m);
    const plain = await run(sandbox, []);
    expect(plain.csv).toMatch(/^id,ts,country/);
  });

  test('to a workbook has ts in UTC and ts_local in the zone, and gives the same figures as the service if saved as CSV', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 300 });
    const id = sandbox.codeId();
    sandbox.workspace.addScan(id, { ts: '2024-09-30T23:08:15.000Z' });
    const cwd = await useDirectory();
    const at = { cwd, env: sandbox.env };
    expect(await runByDay(['scans', 'export', id, '-o', 's.xlsx', ...BERLIN], at)).toMatchObject({ code: 0 });
    const lines: string[] = [];
    readWorkbook(await readFile(join(cwd, 's.xlsx')), 's.xlsx', undefined).readRows(({ cells }) => {
      lines.push(
        Array.from(
          { length: 9 },
          (_, column) => `"${textOf(cells.get(column)).replaceAll('"', '""')}"`,
        ).join(),
      );
    });
    expect(lines.join('\n')).toMatch(/"2024-09-30 23:08:15","2024-10-01 01:08:15"/);
    await writeFile(join(cwd, 's.csv'), lines.join('\r\n'));
    const byHour = async (...source: string[]) =>
      (
        await runByDay(
          ['scans', 'stats', ...source, '--by', 'hour', '--fields', 'value,scans', '-f', 'csv', ...BERLIN],
          at,
        )
      ).stdout;
    expect(await byHour('--input', 's.csv')).toBe(await byHour(id));
  });

  test('without bounds prints its range in the local time zone', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 3, clockSkewMs: 86_400_000 });
    const { stderr } = await run(sandbox, [], { TZ: 'Asia/Kathmandu' });
    expect(stderr).toMatch(
      /from the first scan to \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? \(Asia\/Kathmandu\) \(1 request/,
    );
  });

  test('with bounds in UTC prints its range in UTC', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 3 });
    const { stderr } = await run(sandbox, ['--until', '2024-11-01T00:00:30Z'], { TZ: 'Asia/Tokyo' });
    expect(stderr).toContain('from the first scan to 2024-11-01 00:00:30 (UTC)');
  });

  test.each([
    [['--during', 'lately'], {}, "invalid value for --during: 'lately'"],
    [['--during', '2024-10', '--since', '24h'], {}, "--since can't be used with --during"],
    [['--since', '01.03.2026'], {}, 'Use --since 2026-03-01.'],
    [['--since', '2026-10'], {}, 'Use --during 2026-10 for the whole period'],
    [
      ['--during', '2024-10', '--timezone', 'Europe/Berlim'],
      {},
      "invalid value for --timezone: 'Europe/Berlim'",
    ],
    [['--during', '2024-10'], { TZ: 'Europe/Berlim' }, "invalid value for TZ: 'Europe/Berlim'"],
  ])(
    'is refused with exit code 2 and without a request if the flags are %j and the variables are %j',
    async (flags, env, message) => {
      const sandbox = await useSandbox({ codes: 1, scans: 3 });
      const { code, stderr } = await run(sandbox, flags, env);
      expect([code, sandbox.requests.length]).toEqual([2, 0]);
      expect(stderr).toContain(message);
    },
  );
});

describe('an appended file with local times', () => {
  test('is not continued in another zone, and gets no column ts_local if it began without that column', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 3 });
    const cwd = await useDirectory();
    const append = (...flags: string[]) =>
      runByDay(['scans', 'export', sandbox.codeId(), '--append', '-o', 'scans.csv', '--excel', ...flags], {
        cwd,
        env: sandbox.env,
      });
    const fields = 'id,ts,country,city,device,os,browser,referrer';
    expect((await append('--fields', fields)).code).toBe(0);
    sandbox.workspace.addScan(sandbox.codeId(), { ts: '2025-01-01T00:00:00.000Z' });
    expect(await append()).toMatchObject(ends(0, '1 scan of'));
    expect(await readFile(join(cwd, 'scans.csv'), 'utf8')).toMatch(new RegExp(`^\ufeff${fields}\r\n`));

    expect((await append('--restart', ...BERLIN)).code).toBe(0);
    const refused = await append('--timezone', 'UTC');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('it has ts_local in the time zone Europe/Berlin, not UTC');
    expect(refused.stderr).toContain('Add --timezone Europe/Berlin');
    expect((await append(...BERLIN)).code).toBe(0);
  });
});
