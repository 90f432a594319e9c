/** Edits and decisions in a results file that the next run over the list replaces: kept as FILE.old, and reported. */
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { rowsOf, useBench } from '../support/bench.ts';

const EDITS: [what: string, cells: Record<string, string>][] = [
  ['an edited name', { name: 'Edited' }],
  ['an edited destination', { destination: 'https://example.com/edited' }],
  ['a decision', { decision: 'mine' }],
];

describe('edits in a results file', () => {
  it.each(EDITS)('are kept as FILE.old by `qr create --from LIST`: %s', async (_, cells) => {
    const { create, edit, read, readResults, directory } = await useBench(rowsOf(2));
    await create();
    expect((await create()).stderr).toContain('2 rows unchanged');
    await edit('codes.results.csv', (row, at) => ({
      ...row,
      ...(at === 0 && cells),
      printed: `run ${at}`,
    }));
    const before = await read('codes.results.csv');
    const { code, stderr } = await create();
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /kept the earlier results in \S+\.old: they have edits that the new results lack/,
      ),
    ]);
    expect(await read('codes.results.csv.old')).toBe(before);
    expect((await readResults()).map(({ printed }) => printed)).toEqual(['run 0', 'run 1']);
    expect((await create()).stderr).not.toContain('kept');
    expect(await readdir(directory)).not.toContain('codes.results.csv.old.1');
  });

  it('are kept by `qr update --from LIST` in a new file each time', async () => {
    const { create, qr, edit, read } = await useBench(rowsOf(2));
    await create();
    await qr(['list', '-o', 'list.csv']);
    const update = () => qr(['update', '--from', 'list.csv']);
    await update();
    for (const [at, kept] of ['list.results.csv.old', 'list.results.csv.old.1'].entries()) {
      await edit('list.results.csv', (row) => ({ ...row, name: `${row.name} ${at}` }));
      const before = await read('list.results.csv');
      expect((await update()).stderr).toContain('edits that the new results lack');
      expect(await read(kept)).toBe(before);
    }
  });

  it('are not assumed if a dated plan has several rows for one code', async () => {
    const { create, qr, write, read, directory } = await useBench(rowsOf(1));
    await create();
    const [, cells = ''] = (await read('codes.results.csv')).split('\n');
    const id = /[0-9a-f-]{36}/.exec(cells)?.[0];
    const rows = ['x,2020-01-01T00:00Z', 'y,2020-02-01T00:00Z'].map(
      (cell) => `${id},https://example.com/${cell}`,
    );
    await write('plan.csv', ['id,destination,at', ...rows, ''].join('\n'));
    for (let run = 0; run < 3; run++) await qr(['update', '--from', 'plan.csv', '--due']);
    expect((await readdir(directory)).filter((name) => name.includes('.old'))).toEqual([]);
  });

  it('are kept only once if the list has the same edits', async () => {
    const { create, edit, directory } = await useBench(rowsOf(2));
    await create();
    for (const name of ['codes.csv', 'codes.results.csv'])
      await edit(name, (row) => ({ ...row, destination: `${row.destination}/edited` }));
    // The new results do not name the codes, which are only guessed.
    expect((await create()).stderr).toContain('they have 2 codes');
    expect((await create()).stderr).not.toContain('kept the earlier');
    expect(await readdir(directory)).not.toContain('codes.results.csv.old.1');
  });
});

it('a results workbook that is the input is kept once, and an earlier kept file is not replaced', async () => {
  const { create, qr, write, read, directory } = await useBench(rowsOf(2));
  await create(['--results', 'codes.results.xlsx']);
  await write('codes.results.xlsx.old', 'other codes');
  for (let run = 0; run < 2; run++) await qr(['create', '--from', 'codes.results.xlsx']);
  expect(await read('codes.results.xlsx.old')).toBe('other codes');
  const kept = (await readdir(directory)).filter((name) => name.includes('.xlsx.old.'));
  expect(kept).toEqual(['codes.results.xlsx.old.1']);
});
