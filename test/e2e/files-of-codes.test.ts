/** Files that choose codes, wherever a command reads one: sheets of a workbook, hidden rows, and results of which some rows failed. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { argv } from '../support/argv.ts';
import { useBench } from '../support/bench.ts';
import { workbookOf } from '../support/workbook.ts';

const GONE = '00000000-0000-4000-8000-000000000000';
/** A workbook with a cover, and a sheet "Codes" with a column of IDs; those after the first are in hidden rows. */
function workbook(...ids: string[]): Uint8Array {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = ids
    .map((id, at) => `<row r="${at + 2}"${at > 0 ? ' hidden="1"' : ''}>${cell(id)}</row>`)
    .join('');
  return workbookOf({
    Cover: `<row r="1">${cell('Summer')}</row>`,
    Codes: `<row r="1">${cell('id')}</row>${rows}`,
  });
}

const SHORT_URL = ['--short-url', 'https://go.example/{slug}'];

/** Each command that reads a file of codes, so that it ends, and needs no other network. */
const COMMANDS: readonly (readonly string[])[] = [
  ['scans', 'stats', '--by', 'country'],
  ['scans', 'report', '-o', 'report.html'],
  ['scans', 'export', '-f', 'csv'],
  ['scans', 'verify', '--input', 'scans.csv'],
  ['scans', 'watch'],
  ['scans', 'tail', '--since', '2000-01-01', '--max-events', '1'],
  ['qr', 'image', '--sheet', 'L7160', '-o', 'labels.pdf', ...SHORT_URL],
  ['qr', 'image', '--output-dir', 'images', ...SHORT_URL],
  ['qr', 'check'],
  ['qr', 'update', '--status', 'active', '--dry-run'],
  ['qr', 'delete', '--dry-run'],
];

/** Those that choose codes, and don't work on the rows. */
const CHOOSING = COMMANDS.filter(([, verb = '']) => verb !== 'update' && verb !== 'delete');

/** A code that is not a web address, so that a check requests nothing, with a log of its scans. */
async function useCode() {
  const { sandbox, directory: cwd, run } = await useBench(undefined, { codes: 1, scans: 3 });
  const id = sandbox.codeId();
  Object.assign([...sandbox.workspace.codes()][0] ?? {}, {
    type: 'wifi',
    status: 'active',
    destination: 'WIFI:S:a;;',
  });
  await run('scans', 'export', id, '-o', 'scans.csv', '--append');
  return { cwd, id, run };
}

describe('a workbook', () => {
  test.each(COMMANDS)(
    'is read by %s %s from the sheet in --sheet-name, and without hidden rows if --visible-only is passed',
    async (...command) => {
      const { cwd, id, run } = await useCode();
      await writeFile(join(cwd, 'codes.xlsx'), workbook(id, GONE));
      const from = [...command, '--from', 'codes.xlsx'];
      const cover = await run(...from);
      expect([cover.code, cover.stderr]).toEqual([
        2,
        expect.stringContaining('no column identifies the codes'),
      ]);
      const chosen = await run(...from, '--sheet-name', 'Codes', '--visible-only');
      expect(chosen, chosen.stderr).toMatchObject({ code: 0, stderr: expect.not.stringContaining('hidden') });
      const all = await run(...from, '--sheet-name', 'Codes');
      expect(all.stderr).toContain('1 of 2 rows in codes.xlsx is hidden but included; pass --visible-only');
    },
  );

  test('is the file to which --sheet-name and --visible-only apply if another input file is text', async () => {
    const { cwd, id, run } = await useCode();
    await writeFile(join(cwd, 'codes.xlsx'), workbook(id, GONE));
    await writeFile(join(cwd, 'own.csv'), `id,hall\n${id},north\n`);
    const flags = ['--sheet-name', 'Codes', '--visible-only', '-f', 'csv'];
    const joined = await run(...argv`scans stats --from codes.xlsx --join own.csv --by hall ${flags}`);
    expect([joined.code, joined.stdout]).toEqual([0, expect.stringContaining('\nhall,north,3,')]);
    await writeFile(join(cwd, 'ids.txt'), `${id}\n`);
    const chosen = await run(...argv`scans stats --from ids.txt --join codes.xlsx --by id ${flags}`);
    expect([chosen.code, chosen.stdout]).toEqual([0, expect.stringContaining(`\nid,${id},3,`)]);
  });
});

describe('results with failed rows', () => {
  test.each(CHOOSING)(
    'are read by %s %s without those rows, and a warning counts them',
    async (...command) => {
      const { cwd, id, run } = await useCode();
      const rows = [`a,${id},s,created,`, 'b,,,failed,rejected', 'c,,,not-attempted,', 'd,,,undecided,'];
      await writeFile(join(cwd, 'codes.results.csv'), `name,id,slug,outcome,error\n${rows.join('\n')}\n`);
      const used = await run(...command, '--from', 'codes.results.csv');
      const warning = 'omitted 3 of 4 rows of codes.results.csv (1 failed, 1 not-attempted, 1 undecided)';
      expect(used, used.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
    },
  );

  test('are retried by `qr update` if the failed row has an ID, and omitted by commands that only select codes', async () => {
    const { cwd, id, run } = await useCode();
    await writeFile(join(cwd, 'old.results.csv'), `id,slug,outcome,error\n${id},,failed,timed out\n`);
    const retried = await run(...argv`qr update --from old.results.csv --status paused --dry-run -f json`);
    expect(JSON.parse(retried.stdout)).toMatchObject([{ id, action: 'update' }]);
    for (const command of [
      ['scans', 'export'],
      ['qr', 'check'],
      ['qr', 'image', '--output-dir', 'images', ...SHORT_URL],
    ]) {
      const chosen = await run(...command, '--from', 'old.results.csv');
      expect([chosen.code, chosen.stderr]).toEqual([2, expect.stringContaining('contains no codes')]);
    }
  });

  test('are distinguished from other files, in which a row without an ID or slug is a fault', async () => {
    const { cwd, id, run } = await useCode();
    await writeFile(join(cwd, 'own.csv'), `id,outcome\n${id},hung up\n,failed\n`);
    const { code, stderr } = await run('scans', 'export', '--from', 'own.csv');
    expect([code, stderr]).toEqual([2, expect.stringContaining('line 3: has neither an ID nor a slug')]);
  });
});
