import Table from 'cli-table3';
import { clean } from '#base/text/clean';
import { isCommon } from '#base/text/common-letters';
import { displayWidth, graphemesOf } from '#base/text/display-width';
import type { ColorName } from '#files/formats/columns';
import type { Colors } from './color.ts';

export interface Cell {
  text: string;
  color?: ColorName;
}

export interface GridColumn {
  width: number;
  align?: 'left' | 'right';
}

type Draw = (lines: readonly (readonly Cell[])[]) => string;

export const GAP = 2;

const EDGES = ['top', 'bottom'].flatMap((edge) => ['', '-mid', '-left', '-right'].map((end) => edge + end));
const SIDES = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'];
const NO_BORDERS = Object.fromEntries([...EDGES, ...SIDES].map((part) => [part, '']));
const CHARS = { ...NO_BORDERS, middle: ' '.repeat(GAP) };

const FRAME = '#';
const FRAMES = /#+/g;

/**
 * Returns a function that draws lines of cells. T12: cli-table3 lays out only one line of placeholders,
 * because it takes up to 1 ms per row, and quadratic time to truncate a cell.
 */
export function createGrid(columns: readonly GridColumn[], colors: Colors): Draw {
  const layout = layOutLine(columns);
  const drawLine = (cells: readonly Cell[]) => {
    let at = 0;
    const line = layout.replace(FRAMES, (frame) => {
      const cell = padCell(cells[at], { ...columns[at], width: frame.length }, colors);
      at += 1;
      return cell;
    });
    return `${line.trimEnd()}\n`;
  };
  return (lines) => lines.map(drawLine).join('');
}

function layOutLine(columns: readonly GridColumn[]): string {
  const table = new Table({
    chars: CHARS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  table.push(columns.map(({ width }) => FRAME.repeat(Math.max(width, 1))));
  return table.toString();
}

function padCell(cell: Cell | undefined, { width, align }: GridColumn, colors: Colors): string {
  const taken = displayWidth(cell?.text ?? '');
  const padding = ' '.repeat(Math.max(width - taken, 0));
  const text = cell === undefined || taken === 0 ? '' : colored(cell, colors);
  return align === 'right' ? padding + text : text + padding;
}

function colored({ text, color }: Cell, colors: Colors): string {
  return color ? colors[color](text) : text;
}

export const ELLIPSIS = '…';

/** Maximum number of UTF-16 units per column. A longer grapheme is hostile. */
const UNITS_PER_COLUMN = 16;
const EXTRA_UNITS = 512;

/** Cleans a text and truncates it to `width` columns. The time has a limit that depends only on `width`. */
export function fitText(text: string, width: number): string {
  const bound = Math.min(width * UNITS_PER_COLUMN, 2 * width + EXTRA_UNITS);
  const isWhole = text.length <= bound;
  const shown = clean(isWhole ? text : text.slice(0, bound));
  return isWhole && displayWidth(shown) <= width ? shown : cut(shown, width);
}

function cut(text: string, width: number): string {
  if (width < 1) return '';
  let kept = '';
  let free = width - 1;
  for (const grapheme of isCommon(text) ? text : graphemesOf(text)) {
    free -= displayWidth(grapheme);
    if (free < 0) break;
    kept += grapheme;
  }
  return kept + ELLIPSIS;
}
