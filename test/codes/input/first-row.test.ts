import { expect, it } from 'vitest';
import { refuseFirstRow } from '#codes/input/first-row';

const ID = '00000000-0000-4000-8000-000000000001';
const TITLE = '"Codes 2026" looks like a title: delete the rows above the header, which seems to be line';
const DATA = 'looks like data, not like a column name: add a line above it with the names of the columns';

it.each([
  ['a title above a header', ['Codes 2026', '', 'slug,Comment'], `${TITLE} 3`],
  ['a title five rows above a header', ['Codes 2026', 'a', 'b', 'c', 'd', 'name\tx'], `${TITLE} 6`],
  ['a title six rows above a header', ['Codes 2026', 'a', 'b', 'c', 'd', 'e', 'name\tx'], undefined],
  ['a column above one known word', ['Codes 2026', 'slug'], undefined],
  ['a column above unknown words', ['Codes 2026', 'one;two'], undefined],
  ['a known word', ['Slug', 'slug,name'], undefined],
  ['two words', ['Codes,2026', 'slug,name'], undefined],
  ['an ID', [`x,${ID}`], `"${ID}" ${DATA}`],
  ['an address', ['https://example.com/menu'], `"https://example.com/menu" ${DATA}`],
  ['nothing', [], undefined],
])('a first row with %s', (_, lines, message) => {
  const rows = lines.map((line, at) => ({ line: at + 1, cells: line.split(/[,;\t]/) }));
  const refuse = () => refuseFirstRow('codes.csv', rows);
  if (message === undefined) expect(refuse).not.toThrow();
  else expect(refuse).toThrow(message);
});
