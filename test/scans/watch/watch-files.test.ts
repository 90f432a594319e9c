/** Rows and notes of `scans watch --input`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ScanRun } from '#scans/scan-run';
import { watchFiles } from '#scans/watch/watch-codes';
import { useDirectory } from '../../support/cli.ts';

const NOW_MS = Date.UTC(2026, 9, 5, 4);
const ID = 'aaaaaaaa-1111-4111-8111-111111111111';

/** Judges scans of a code with an ID, or of one known by the name of its file, by days before now. */
async function watch(days: readonly number[], untilMs?: number, columns = { qr_id: ID, qr_name: 'Menu' }) {
  const path = join(await useDirectory(), 'spring.csv');
  const times = days.map((day) => new Date(NOW_MS - day * 86_400_000).toISOString());
  const labels = Object.values(columns).map((cell) => `${cell},`);
  const lines = times.map((ts, at) => `${labels.join('')}${at + 1},${ts}\n`);
  const names = Object.keys(columns).map((name) => `${name},`);
  await writeFile(path, `${names.join('')}id,ts\n${lines.join('')}`);
  const said: string[] = [];
  const console = {
    note: (line: string) => void said.push(line),
    warn: (line: string) => void said.push(`warning: ${line}`),
  };
  const run = { clock: { now: () => NOW_MS }, console, signal: new AbortController().signal };
  const plan = { timezone: 'UTC', untilMs, quietForMs: undefined } as Parameters<typeof watchFiles>[2];
  const { rows, range } = await watchFiles(run as unknown as ScanRun, [{ paths: [path] }], plan);
  const codes = rows.map(({ id, slug, name, last_scan }) => [id, slug, name, last_scan]);
  return { codes, said, days: (NOW_MS - range.untilMs) / 86_400_000 };
}

const ENDS = 'The data ends at 2026-10-03 04:00 (UTC); later scans, if any, are not included';

it('files are judged up to their last scan or a requested end, without future scans, and a note states an early end of the data', async () => {
  const codes = [[ID, null, 'Menu', '2026-10-03T04:00:00.000Z']];
  const row = await watch([90, 2]);
  expect(row.codes).toEqual(codes);
  expect(row.said).toEqual([
    'The data ends at 2026-10-03 04:00 (UTC); later scans, if any, are not included',
  ]);
  expect((await watch([90, 2, -1])).said).toEqual([
    ENDS,
    'warning: 1 scan dated in the future is not judged',
  ]);
  expect((await watch([90, 2, -1, -2])).said.at(-1)).toBe(
    'warning: 2 scans dated in the future are not judged',
  );
  expect(await watch([90, 2], NOW_MS - 86_400_000)).toMatchObject({ codes, days: 1, said: [ENDS] });
  expect(await watch([90, 2], NOW_MS - 3 * 86_400_000)).toMatchObject({ days: 3, said: [] });
});

it('a code without an ID has the name of its file as its slug', async () => {
  expect((await watch([2], undefined, {} as never)).codes).toEqual([
    [null, 'spring', null, '2026-10-03T04:00:00.000Z'],
  ]);
});

it('files without scans before the end are refused', async () => {
  await expect(watch([2], NOW_MS - 3 * 86_400_000)).rejects.toMatchObject({
    message: 'these files have no scans before that time, so no code can be judged',
    hint: 'Use --input with files that cover that time, or omit --input to query the service.',
  });
});
