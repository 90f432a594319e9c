/** Aligned columns without borders. */
import Table from 'cli-table3';
import type { ColourName, Colours } from './colour.ts';
import { displayWidth } from './display-width.ts';

export interface Cell {
  /** Clean, and no wider than its column. */
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

/** A character of the private use area, one column wide by every measure. */
const STAND_IN = '\ue000';

/** cli-table3 takes time by the square of its rows. */
const ROWS_AT_ONCE = 100;

/** Lines of cells, a line end after each, without trailing spaces. */
export function renderGrid(lines: readonly (readonly Cell[])[], columns: readonly GridColumn[], colours: Colours): string {
  let text = '';
  for (let at = 0; at < lines.length; at += ROWS_AT_ONCE) {
    text += renderPart(lines.slice(at, at + ROWS_AT_ONCE), columns, colours);
  }
  return text;
}

/**
 * cli-table3 measures by an old edition of Unicode (newer emoji come out crooked): it is given stand-ins of the right width,
 * and the texts with their colours take their places afterwards.
 */
function renderPart(lines: readonly (readonly Cell[])[], columns: readonly GridColumn[], colours: Colours): string {
  const widths = lines.map((line) => line.map(({ text }) => displayWidth(text)));
  const table = new Table({
    chars: { ...NO_BORDERS, middle: ' '.repeat(GAP) },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: columns.map(({ width }, index) => Math.max(width, ...widths.map((line) => line[index] ?? 0))),
    colAligns: columns.map(({ align = 'left' }) => align),
  });
  table.push(...widths.map((line) => line.map((width) => STAND_IN.repeat(width))));
  const filled = lines.flat().filter(({ text }) => displayWidth(text) > 0);
  let next = 0;
  const fill = () => {
    const { text = '', colour } = filled[next++] ?? {};
    return colour ? colours[colour](text) : text;
  };
  return `${table
    .toString()
    .replace(/ +$/gm, '')
    .replace(/\ue000+/g, fill)}\n`;
}
