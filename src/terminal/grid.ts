/** Aligned columns without borders, drawn by cli-table3. */
import Table from 'cli-table3';
import type { ColourName } from '../rows/columns.ts';
import { displayWidth } from '../text/display-width.ts';
import type { Colours } from './colour.ts';

export interface Cell {
  /** Clean. */
  text: string;
  colour?: ColourName | undefined;
}

export interface GridColumn {
  /** In columns of the terminal. */
  width: number;
  align?: 'left' | 'right' | undefined;
}

type Draw = (lines: readonly (readonly Cell[])[]) => string;

/** Between two columns. */
export const GAP = 2;

const EDGES = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'];
const SIDES = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'];
const NO_BORDERS = Object.fromEntries([...EDGES, ...SIDES].map((part) => [part, '']));
const CHARS = { ...NO_BORDERS, middle: ' '.repeat(GAP) };

/** Lines that are drawn by cli-table3 whatever is in them: more than a screen. */
const SCREEN = 100;

/** What takes a column of the terminal each, and is no part of anything longer. */
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Draws lines of cells, a line end after each, without trailing spaces; call it for each part of a table. A cell wider than its column moves
 * what follows it, on its line only. cli-table3 takes up to a millisecond a line, so that behind the first screen it draws only the cells
 * that are not plain.
 */
export function createGrid(columns: readonly GridColumn[], colours: Colours, screen = SCREEN): Draw {
  let drawn = 0;
  const drawCell = (cell: Cell, at: number) => {
    const column = columns[at] ?? { width: 1 };
    return isPlain(cell, column) ? padCell(cell, column, colours) : drawLine([cell], [column], colours);
  };
  return (lines) => {
    const text = lines.map((cells) => {
      const line = drawn < screen ? drawLine(cells, columns, colours) : cells.map(drawCell).join(CHARS.middle);
      drawn += 1;
      return `${line.replace(/ +$/, '')}\n`;
    });
    return text.join('');
  };
}

function isPlain({ text }: Cell, { width }: GridColumn): boolean {
  return text.length <= width && PLAIN.test(text);
}

/** A plain cell as cli-table3 draws it. */
function padCell(cell: Cell, { width, align }: GridColumn, colours: Colours): string {
  const padding = ' '.repeat(width - cell.text.length);
  return align === 'right' ? padding + coloured(cell, colours) : coloured(cell, colours) + padding;
}

/** What cli-table3 lays out in place of a text: so many of it as the text takes columns. */
const FRAME = '#';
const FRAMES = /#+/g;

/**
 * A table for each line, since cli-table3 takes time by the square of its rows, and the widths are known already. T12: it gets frames
 * of ASCII and no texts, because it cuts every cell, also one that fits, unit by unit and measures the whole each time.
 */
function drawLine(cells: readonly Cell[], columns: readonly GridColumn[], colours: Colours): string {
  const widths = columns.map((_, index) => displayWidth(cells[index]?.text ?? ''));
  const table = new Table({
    chars: CHARS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: columns.map(({ width }, index) => Math.max(width, widths[index] ?? 0)),
    colAligns: columns.map(({ align = 'left' }) => align),
  });
  table.push(cells.map((cell, index) => coloured({ ...cell, text: FRAME.repeat(widths[index] ?? 0) }, colours)));
  const texts = cells.filter((_, index) => widths[index] !== 0).values();
  return table.toString().replace(FRAMES, () => texts.next().value?.text ?? '');
}

function coloured({ text, colour }: Cell, colours: Colours): string {
  return colour && text !== '' ? colours[colour](text) : text;
}
