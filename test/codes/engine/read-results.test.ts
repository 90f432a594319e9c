import { describe, expect, it } from 'vitest';
import { listedCodes, listedRows } from '../../../src/codes/engine/read-results.ts';
import type { Input } from '../../../src/files/formats/read/input.ts';

const COLUMNS = ['name', 'destination', 'sku', 'id', 'slug', 'outcome', 'error'];
function results(...rows: string[][]): Input {
  const inputRows = rows.map((cells, index) => {
    return { row: index + 1, line: index + 2, values: new Map(COLUMNS.map((column, at) => [column, cells[at] ?? ''])) };
  });
  return { name: 'codes.results.csv', columns: COLUMNS, headerLine: 1, rows: inputRows };
}
const row = (id: string, outcome: string, name = id) => [name, 'https://x.de', '7', id, `s-${id}`, outcome, ''];

describe('the results of an earlier creation', () => {
  it('list the codes that it gave to rows; those of an update list none', () => {
    const created = results(row('a', 'created'), row('b', 'updated'), row('c', 'edited'), row('', 'failed'), row('e', 'failed'));
    expect(listedCodes(created).map(({ row, id }) => `${row} ${id}`)).toEqual(['1 a', '2 b', '3 c']);
    expect(listedCodes(results(row('a', 'updated'), row('b', 'unchanged')))).toEqual([]);
    expect(listedCodes(results(row('a', 'undecided'))).map(({ id }) => id)).toEqual(['a']);
  });

  it('say what rows said, without the columns that a run adds', async () => {
    const [first, second] = await listedRows(results(row('a', 'created', 'Menu'), row('', 'edited', 'Poster')), undefined);
    expect(first).toMatchObject({ id: 'a', slug: 's-a', isEdited: false, seen: { name: 'Menu', destination: 'https://x.de' } });
    expect(second).toMatchObject({ id: undefined, isEdited: true, seen: { name: 'Poster' } });
    expect(first?.seen.own).toBe(second?.seen.own);
  });

  it('say nothing that could be compared where a run would refuse them', async () => {
    expect(await listedRows(results(row('a', 'created', '')), undefined)).toEqual([]);
  });
});
