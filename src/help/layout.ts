/** Text laid out for a terminal: wrapped paragraphs, and lists of a term and what it means. */

/** Where help is printed. */
export interface Screen {
  /** Columns to fill. */
  width: number;
  /** Headings stand out. */
  bold: boolean;
}

/** Wider lines are hard to read, whatever the terminal. */
const WIDEST = 80;
const NARROWEST = 40;
/** A longer term has its meaning on the next line. */
const WIDEST_TERM = 26;
const GAP = 2;

/** A screen of that many columns (undefined where nobody knows), within what is good to read. */
export function screenOf(columns: number | undefined, bold: boolean): Screen {
  return { width: Math.max(NARROWEST, Math.min(columns || WIDEST, WIDEST)), bold };
}

export function heading(text: string, { bold }: Screen): string {
  return bold ? `\x1b[1m${text}\x1b[22m` : text;
}

/** The words of `text` in lines of at most `width` columns, a word that is longer on a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** `  term    meaning`, the meanings in one column. `terms` may be those of other lists too, so that all align. */
export function formatList(items: readonly (readonly [term: string, meaning: string])[], width: number, terms = items): string[] {
  const column = Math.max(...terms.map(([term]) => term.length).filter((length) => length <= WIDEST_TERM), 0);
  const indent = ' '.repeat(GAP + column + GAP);
  return items.flatMap(([term, meaning]) => {
    const [first = '', ...rest] = wrap(meaning, width - indent.length);
    const more = rest.map((line) => indent + line);
    if (term.length > column) return [`  ${term}`, indent + first, ...more];
    return [`  ${term.padEnd(column)}  ${first}`.trimEnd(), ...more];
  });
}
