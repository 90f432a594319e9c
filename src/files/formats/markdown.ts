/**
 * Tables of GitHub Flavored Markdown, for pull requests, job summaries and chat. Values are text of others: they are shown as code, in which
 * neither Markdown nor GitHub sees a row, HTML, a link, a mention, a reference or a workflow command.
 */
import { clean } from '../../base/text/clean.ts';
import { type Column, textOf } from './columns.ts';
import type { Formatter, Shape } from './formatter.ts';
import { stateless } from './formatter.ts';
import type { Row } from './row-sink.ts';

const LONGEST_VALUE = 600;
/** Of a longer value nothing more is shown, whatever is removed from its beginning; the expressions below are not for megabytes. */
const LONGEST_READ = 10_000;

/** Words that are nothing else: no mark, no link, no reference to an issue; and numbers. */
const WORDS = /^(?:\p{L}+(?:[ _-]\p{L}+)*|-?\d+(?:\.\d+)?)$/u;
/** What GitHub takes for a commit. */
const COMMIT = /[0-9a-f]{7,}/i;
/** What a code span shows as it is, also in a table. */
const PLAIN = /^[^\s`|\\](?:[^`|\\]*[^\s`|\\])?$/;
/** The runner of GitHub Actions obeys it wherever it is. */
const COMMAND = '##[';

/** Returns a value as code. What would end a code span or a cell is written in character references. */
export function codeCell(value: string): string {
  const read = value.slice(0, LONGEST_READ);
  const text = clean(read);
  const isCut = text.length > LONGEST_VALUE || read.length < value.length;
  const shown = isCut ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}…` : text;
  if (shown === '') return '';
  if (PLAIN.test(shown) && !shown.includes(COMMAND)) return `\`${shown}\``;
  return `<code>${shown.replace(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`)}</code>`;
}

/** Returns a line of a table. The cells are Markdown. */
export function markdownLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** Returns the lines above the rows of a table. The names are Markdown. */
export function markdownHead(
  names: readonly string[],
  aligns: readonly (Column['align'] | undefined)[] = [],
): string {
  return markdownLine(names) + markdownLine(names.map((_, at) => (aligns[at] === 'right' ? '--:' : '---')));
}

/** Creates a formatter of a table: a line per row for a list, a line per field for a record. */
export function createMarkdownFormatter(columns: readonly Column[], shape: Shape): Formatter {
  const cell = (column: Column, row: Row) => cellOf(textOf(column, row[column.name], row));
  if (shape === 'record') {
    return {
      begin: () => markdownHead(['field', 'value']),
      rows: ([record = {}]) =>
        columns.map((column) => markdownLine([cellOf(column.name), cell(column, record)])).join(''),
      end: () => '',
    };
  }
  return {
    begin: () =>
      markdownHead(
        columns.map(({ name }) => cellOf(name)),
        columns.map(({ align }) => align),
      ),
    rows: (rows) => rows.map((row) => markdownLine(columns.map((column) => cell(column, row)))).join(''),
    end: () => '',
    checkpoint: stateless,
  };
}

/** A value that is plain words or a number as it is, any other as code. */
function cellOf(text: string): string {
  return text.length <= LONGEST_VALUE && WORDS.test(text) && !COMMIT.test(text) ? text : codeCell(text);
}
