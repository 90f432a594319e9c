/** `scans stats --compare` as it is typed: nothing is compared with a time before the data. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#base/time/time';
import { argv } from '../support/argv.ts';
import { ends, useDirectory } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const COMPARED = ['--during', '2026-10', '--compare', 'previous', '--timezone', 'UTC'];

/** Four scans a day, in September from this day on. */
function scansFrom(day: number): string {
  const rows: string[] = [];
  for (let ms = Date.UTC(2026, 8, day); ms < Date.UTC(2026, 10, 1); ms += 21_600_000) {
    rows.push(`${rows.length + 1},${new Date(ms).toISOString()},DE`);
  }
  return `id,ts,country\n${rows.join('\n')}\n`;
}

async function statsOf(text: string, ...args: string[]) {
  const cwd = await useDirectory();
  await writeFile(join(cwd, 'scans.csv'), text);
  return runHere(['scans', 'stats', '--input', 'scans.csv', ...COMPARED, ...args], { cwd });
}

describe('October compared with September', () => {
  test('has a mark and no change for each value if the data in the files begins within September', async () => {
    const { stdout, stderr } = await statsOf(scansFrom(20), '--by', 'country', '-f', 'csv');
    expect(stdout).toContain('\ncountry,DE,124,1,44,,,4,4,true\n');
    expect(stderr).toContain('the data begins at 2026-09-20 00:00 (UTC)');
    const table = (await statsOf(scansFrom(20), '--by', 'country', '-f', 'table')).stdout;
    expect(table).toMatch(/\nDE +124 .* 44 † +4\.0 † +–\n/);
    expect(table).toContain('\n† the previous period begins before the data, so no change is shown\n');
  });
});

test('codes that were created during the previous period have figures for both periods, but no change', async () => {
  // The sandbox's codes are created just before their first scan.
  const sandbox = await useSandbox({ codes: 2, scans: 900 });
  const created = sandbox.workspace.codes().map(({ created_at }) => created_at);
  const [first = ''] = created.sort();
  const month = new Date(Date.UTC(Number(first.slice(0, 4)), Number(first.slice(5, 7)), 1))
    .toISOString()
    .slice(0, 7);
  const args = argv`--during ${month} --compare previous --timezone UTC --by code --by device -f json`;
  const { stdout } = await runHere(['scans', 'stats', '--all', ...args], { env: sandbox.env });
  const rows: { scans: number; previous: number; change: number | null }[] = JSON.parse(stdout);
  expect(rows.some(({ scans, previous }) => Math.min(scans, previous) >= 30)).toBe(true);
  expect(rows.filter(({ change }) => change !== null)).toEqual([]);
});

describe('a period that is not over', () => {
  const NOW = Date.UTC(2026, 3, 10, 12, 30);
  const at = (args: string[]) => ['scans', 'stats', ...args, '--timezone', 'UTC', '-f', 'json'];

  async function useService() {
    const sandbox = await useSandbox({ codes: 1, scans: 0, clock: { ...systemClock, now: () => NOW } });
    const id = sandbox.codeId();
    for (let ms = Date.UTC(2026, 2, 1); ms < NOW; ms += 3_600_000)
      sandbox.workspace.addScan(id, { ts: new Date(ms).toISOString() });
    return async (...args: string[]) => {
      const found = await runHere(at([id, ...args]), { env: sandbox.env });
      return { ...found, rows: found.code === 0 ? JSON.parse(found.stdout) : [] };
    };
  }

  test('is compared with the same part of the previous period, and notes state when the two ranges end', async () => {
    const stats = await useService();
    const { rows, stderr } = await stats(
      ...argv`--during 2026-04 --compare previous --by month --by country`,
    );
    expect(rows).toMatchObject([
      { value: '2026-04', scans: 229, previous: 229, complete: false },
      { by: 'country', scans: 229, previous: 229, complete: false },
    ]);
    expect(stderr).toContain('The period is not over: it ends at 2026-05-01 00:00:00 (UTC)');
    expect(stderr).toContain('compared with 229 scans from 2026-03-01 00:00 to 2026-03-10 12:30 (UTC)');
    const over = await stats('--during', '2026-03', '--by', 'month', '--by', 'device');
    expect(over.rows).toMatchObject([
      { value: '2026-03', scans: 744, complete: true },
      { scans: 744, complete: true },
    ]);
    expect(over.stderr).not.toContain('not over');
  });

  test('causes a warning if it has not begun', async () => {
    const stats = await useService();
    const { code, stderr } = await stats('--during', '2026-05', '--by', 'month');
    expect({ code, stderr }).toMatchObject(
      ends(0, 'warning: the period begins in the future, at 2026-05-01 00:00:00 (UTC)'),
    );
  });
});
