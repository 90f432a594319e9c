/** Lines for a terminal, broken between words: a path or an address that is cut in two cannot be copied. */

/** What takes two columns, roughly: a line that breaks a little early harms nobody. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u;

/** What begins below its line shows that it goes on. */
const INDENT = '  ';

/** Narrower ones are broken by the terminal itself. */
const NARROWEST = 20;

/**
 * The text with line ends where a line would be wider than `columns`; lines that go on are indented two more than theirs. A word is never
 * broken: one that is too wide has a line of its own. Text that fits, or a width that is not known, is given back as it is.
 */
export function wrapWords(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < NARROWEST) return text;
  return text
    .split('\n')
    .map((line) => (widthOf(line) <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const [own = ''] = /^ */.exec(line) ?? [];
  const lines: string[] = [];
  let current = own;
  for (const word of line.slice(own.length).split(' ')) {
    const isFirst = current.trim() === '';
    const longer = isFirst ? current + word : `${current} ${word}`;
    if (isFirst || widthOf(longer) <= columns) {
      current = longer;
      continue;
    }
    lines.push(current);
    current = own + INDENT + word;
  }
  return [...lines, current].join('\n');
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}
