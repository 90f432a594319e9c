/** Aligned columns without borders, drawn by cli-table3. */
import Table from 'cli-table3';
import type { ColourName, Colours } from './colour.ts';
import { displayWidth } from './display-width.ts';

export interface Cell {
  /** Clean, and no wider than its column: cli-table3's own cutting would take an emoji in two. */
  text: string;
  colour?: ColourName | undefined;
}

export interface GridColumn {
  /** In columns of the terminal. */
  width: number;
  align?: 'left' | 'right' | undefined;
}

/** Between two columns. */
export const GAP = 2;

const EDGES = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'];
const SIDES = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'];
const NO_BORDERS = Object.fromEntries([...EDGES, ...SIDES].map((part) => [part, '']));
const CHARS = { ...NO_BORDERS, middle: ' '.repeat(GAP) };

/** Lines of cells, a line end after each, without trailing spaces. A cell wider than its column moves what follows it, on its line only. */
export function renderGrid(lines: readonly (readonly Cell[])[], columns: readonly GridColumn[], colours: Colours): string {
  return lines.map((line) => `${renderLine(line, columns, colours).replace(/ +$/, '')}\n`).join('');
}

/** A table for each line, since cli-table3 takes time by the square of its rows, and the widths are known already. */
function renderLine(cells: readonly Cell[], columns: readonly GridColumn[], colours: Colours): string {
  const table = new Table({
    chars: CHARS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: columns.map(({ width }, index) => Math.max(width, displayWidth(cells[index]?.text ?? ''))),
    colAligns: columns.map(({ align = 'left' }) => align),
  });
  table.push(cells.map(({ text, colour }) => (colour && text !== '' ? colours[colour](text) : text)));
  return table.toString();
}
