import { expect, it } from 'vitest';
import { refuseFirstRow } from '#codes/input/first-row';

const ID = '00000000-0000-4000-8000-000000000001';
const TITLE = '"Codes 2026" looks like a title: delete the rows above the header, which seems to be line';
const DATA = 'looks like data, not like a column name: add a line above it with the names of the columns';

function refuse(lines: readonly string[]): void {
  const rows = lines.map((line, at) => ({ line: at + 1, cells: line.split(/[,;\t]/) }));
  refuseFirstRow('codes.csv', rows);
}

it.each([
  ['a title above a header', ['Codes 2026', '', 'slug,Comment'], `${TITLE} 3`],
  ['a title five rows above a header', ['Codes 2026', 'a', 'b', 'c', 'd', 'name\tx'], `${TITLE} 6`],
  ['an ID', [`x,${ID}`], `"${ID}" ${DATA}`],
  ['an address', ['https://example.com/menu'], `"https://example.com/menu" ${DATA}`],
])('a first row with %s is refused', (_, lines, message) => {
  expect(() => refuse(lines)).toThrow(message);
});

it.each([
  ['a title six rows above a header', ['Codes 2026', 'a', 'b', 'c', 'd', 'e', 'name\tx']],
  ['a column above one known word', ['Codes 2026', 'slug']],
  ['a column above unknown words', ['Codes 2026', 'one;two']],
  ['a known word', ['Slug', 'slug,name']],
  ['two words', ['Codes,2026', 'slug,name']],
  ['nothing', []],
])('a first row with %s is accepted', (_, lines) => {
  expect(() => refuse(lines)).not.toThrow();
});
