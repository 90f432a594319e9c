import { describe, expect, it } from 'vitest';

import { parseBareNames, parseInput } from '#codes/input/read-input';
import { entriesOf } from '../../support/entries-of.ts';
import { SOAK } from '../../support/property-runs.ts';

const ID = '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11';
const parse = (text: string, rawCells = false) =>
  parseBareNames(Buffer.from(text), 'list', { bom: false, rawCells });
const namesOf = (text: string) => {
  const list = parse(text);
  return list?.rows.map(({ line, values }) => [line, ...entriesOf(list.columns, values).flat()]);
};

describe('a list of IDs and slugs', () => {
  it.each([
    [
      'IDs and slugs, one per line',
      `${ID}\naB3xY\n`,
      [
        [1, 'id', ID],
        [2, 'slug', 'aB3xY'],
      ],
    ],
    ['a slug without a line end', 'aB3xY', [[1, 'slug', 'aB3xY']]],
    [
      'CRLF, empty lines, and spaces around a slug',
      '\r\n a \r\n\r\nb\r\n',
      [
        [2, 'slug', 'a'],
        [4, 'slug', 'b'],
      ],
    ],
    [
      'quotes',
      '"a"\n"b"\n',
      [
        [1, 'slug', 'a'],
        [2, 'slug', 'b'],
      ],
    ],
    [
      'slugs that are escaped as in CSV',
      "'-a\n'b\n",
      [
        [1, 'slug', '-a'],
        [2, 'slug', "'b"],
      ],
    ],
    ['an empty line', '\n', []],
    [
      'line ends from old Macs, and a slug like a column name after the first line',
      'a\r\rcode\r',
      [
        [1, 'slug', 'a'],
        [3, 'slug', 'code'],
      ],
    ],
  ])('is read with the line and the kind of each entry: %s', (_, text, names) => {
    expect(namesOf(text)).toEqual(names);
    expect(parse(text)?.rows.map(({ row }) => row)).toEqual(names.map((_, at) => at + 1));
  });

  it.each([
    'slug\na\n',
    ' ID \na\n',
    '"slug"\na\n',
    'name\na\n',
    'code\na\n',
    'sep=;\na\n',
    'a,b\n',
    'a\nb;c\n',
    'a\tb\n',
    'a\nSpring menu\n',
    '"a\nb"\n',
    '[{"id":1}]',
  ])('is not recognized in the text %j', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it('keeps an escaped slug unchanged with --raw-cells', () => {
    expect(parse("'-a", true)?.rows[0]?.values.get('slug')).toBe("'-a");
  });

  // Anything but linear time would outlast the test's own limit.
  it('is recognized without a header, even with 20,000 lines, but only if the command accepts a list', async () => {
    const lines = SOAK ? 140_000 : 20_000;
    const text = `${ID}\n`.repeat(lines);
    const { rows, isBare } = await parseInput(Buffer.from(`\ufeff${text}`), 'list.txt', { bareNames: true });
    expect([rows.length, rows.at(-1)?.line, isBare]).toEqual([lines, lines, true]);
    expect(await parseInput(Buffer.from('a\nb\n'), 'list.csv')).toMatchObject({
      columns: ['a'],
      headerLine: 1,
    });
  });
});
