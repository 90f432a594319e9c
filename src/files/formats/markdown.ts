/** Formats values except words and numbers as code, where HTML, links and workflow commands do nothing. */
import { clean } from '#base/text/clean';
import { type Column, textOf } from './columns.ts';
import { type Formatter, formatterOf, type Shape } from './formatter.ts';
import type { Row } from './row-sink.ts';

const LONGEST_VALUE = 600;
const LONGEST_READ = 10_000;

const WORDS = /^(?:\p{L}+(?:[ _-]\p{L}+)*|-?\d+(?:\.\d+)?)$/u;
/** Matches words that GitHub may link as commits. */
const COMMIT = /[0-9a-f]{7,}/i;
const PLAIN = /^[^\s`|\\](?:[^`|\\]*[^\s`|\\])?$/;
/** Prefix of a command that GitHub Actions executes anywhere in a line. */
const COMMAND = '##[';

export function codeCell(value: string): string {
  const read = value.slice(0, LONGEST_READ);
  const text = clean(read);
  const isCut = text.length > LONGEST_VALUE || read.length < value.length;
  const shown = isCut ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}…` : text;
  if (shown === '') return '';
  if (PLAIN.test(shown) && !shown.includes(COMMAND)) return `\`${shown}\``;
  return `<code>${shown.replace(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`)}</code>`;
}

export function markdownLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

export function markdownHead(
  names: readonly string[],
  aligns: readonly (Column['align'] | undefined)[] = [],
): string {
  return markdownLine(names) + markdownLine(names.map((_, at) => (aligns[at] === 'right' ? '--:' : '---')));
}

export function createMarkdownFormatter(columns: readonly Column[], shape: Shape): Formatter {
  const cell = (column: Column, row: Row) => cellOf(textOf(column, row));
  if (shape === 'record') {
    const field = (column: Column, record: Row) => markdownLine([cellOf(column.name), cell(column, record)]);
    const rows: Formatter['rows'] = ([record = {}]) =>
      columns.map((column) => field(column, record)).join('');
    return formatterOf(rows, markdownHead(['field', 'value']));
  }
  const head = markdownHead(
    columns.map(({ name }) => cellOf(name)),
    columns.map(({ align }) => align),
  );
  const format = (row: Row) => markdownLine(columns.map((column) => cell(column, row)));
  return formatterOf((rows) => rows.map(format).join(''), head);
}

function cellOf(text: string): string {
  return text.length <= LONGEST_VALUE && WORDS.test(text) && !COMMIT.test(text) ? text : codeCell(text);
}
