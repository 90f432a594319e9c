import type { CellText, FigureTable } from '../document.ts';
import { TEXT, type TextStyle } from './palette.ts';
import type { Typesetter } from './typesetter.ts';

export interface Columns {
  name: number;
  /** Of the other columns, with the gap before each. */
  cells: readonly number[];
  head: TextStyle;
  cell: TextStyle;
  strong: TextStyle;
  detail: TextStyle;
}

const GAP = 10;
/** Names get at least this share of the width. */
const LEAST_NAME = 0.28;
const LEAST_SCALE = 0.6;

/** Returns the columns of a table of this width. */
export function measureColumns({ head, rows }: FigureTable, width: number, set: Typesetter): Columns {
  const styles = stylesOf(1);
  const widthOf = ({ text, detail }: CellText, style: TextStyle, small: TextStyle) =>
    Math.max(set.line(text, style).width, detail === undefined ? 0 : set.line(detail, small).width);
  const cells = head.slice(1).map((title) => GAP + longestWord(title, styles.head, set));
  for (const row of rows) {
    for (const [at, cell] of row.cells.entries()) {
      const needed = GAP + widthOf(cell, cell.isStrong ? styles.strong : styles.cell, styles.detail);
      if (needed > (cells[at] ?? 0)) cells[at] = needed;
    }
  }
  const needed = cells.reduce((sum, each) => sum + each, 0);
  const scale = Math.max(LEAST_SCALE, Math.min(1, (width * (1 - LEAST_NAME)) / needed));
  const scaled = cells.map((each) => each * scale);
  return { name: width - needed * scale, cells: scaled, ...stylesOf(scale) };
}

/** Returns the width that a table needs, in points, with names of at most `most`. */
export function naturalWidth(table: FigureTable, most: number, set: Typesetter): number {
  const { cells } = measureColumns(table, Number.MAX_SAFE_INTEGER, set);
  const names = table.rows.map(({ name, detail }) => set.line(`${name} ${detail ?? ''}`, TEXT.cell).width);
  const longest = names.reduce((all, each) => Math.max(all, each), 0);
  return cells.reduce((sum, each) => sum + each, 0) + Math.min(longest, most);
}

function stylesOf(scale: number): Omit<Columns, 'name' | 'cells'> {
  const sized = (style: TextStyle): TextStyle => ({ ...style, size: style.size * scale });
  return {
    head: sized(TEXT.head),
    cell: sized(TEXT.cell),
    strong: sized({ ...TEXT.cell, weight: 600 }),
    detail: sized({ ...TEXT.head, leading: 9 }),
  };
}

/** Heads break between words. */
function longestWord({ text, detail = '' }: CellText, style: TextStyle, set: Typesetter): number {
  const words = `${text} ${detail}`.split(' ');
  return words.reduce((width, word) => Math.max(width, set.line(word, style).width), 0);
}
