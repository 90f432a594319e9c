/** Wraps lines for a terminal between words: a path or an address that is broken can't be copied. */
import { displayWidth } from '../base/text/display-width.ts';

/** Continuation lines are indented. */
const INDENT = '  ';

/** Narrower ones are broken by the terminal itself. */
const NARROWEST = 20;

/** In place of a space that is part of a path: nothing that is printed holds one. */
const PART = '\0';

interface Wrapping {
  /** Indentation of continuation lines; default: two columns. */
  indent?: string;
  /** Texts with spaces at which no line is broken: see spacedPaths. */
  whole?: () => readonly string[];
}

/**
 * Wraps lines that are wider than `columns`; continuation lines are indented. A word is never broken: one that is too
 * wide gets its own line. Returns the text unchanged if it fits or the width is unknown.
 */
export function wrapWords(
  text: string,
  columns: number | undefined,
  { indent = INDENT, whole }: Wrapping = {},
): string {
  if (columns === undefined || columns < NARROWEST) return text;
  const wrap = (line: string) => {
    const joined = (whole?.() ?? []).reduce(
      (rest, part) => rest.replaceAll(part, part.replaceAll(' ', PART)),
      line,
    );
    return wrapLine(joined, columns, indent).replaceAll(PART, ' ');
  };
  return text
    .split('\n')
    .map((line) => (widthOf(line) <= columns ? line : wrap(line)))
    .join('\n');
}

function wrapLine(line: string, columns: number, indent: string): string {
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
    current = own + indent + word;
  }
  return [...lines, current].join('\n');
}

function widthOf(text: string): number {
  return displayWidth(text.replaceAll(PART, ' '));
}
