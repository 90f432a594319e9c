import type { FigureRow, FigureTable } from '../document.ts';
import { type Block, tableBlocks } from './blocks.ts';
import type { Box, Canvas, Element } from './canvas.ts';
import { baselineOf, COLORS, toneColor } from './palette.ts';
import type { Section } from './section.ts';
import { type Columns, measureColumns } from './table-columns.ts';
import { followed, type Line, type Typesetter } from './typesetter.ts';

const PADDING = 2;
const MOST_NAME_LINES = 2;
const BAR_INSET = 4;

interface Layout {
  columns: Columns;
  width: number;
  set: Typesetter;
  table: (canvas: Canvas) => Element;
}

/** Returns the blocks of a table: its head, which is repeated on each page, and its rows. */
export function figureTableBlocks(table: FigureTable, width: number, section: Section): Block[] {
  const { set } = section;
  const columns = measureColumns(table, width, set);
  const element = section.table(table.caption);
  const widths = [columns.name, ...columns.cells];
  const style = columns.head;
  const heads = table.head.map(({ text, detail }, at) => {
    const fit = { style, width: (widths[at] ?? 0) + 0.01, isName: true };
    const lines = set.lines(text, fit);
    return detail === undefined ? lines : [...followed(lines, set), ...set.lines(detail, fit)];
  });
  const most = heads.reduce((all, lines) => Math.max(all, lines.length), 1);
  const height = most * style.leading + 2 * PADDING;
  const head = {
    height,
    cells: heads.map((lines, at) => (canvas: Canvas, { x, y }: Box) => {
      const top = y + height - PADDING - lines.length * style.leading;
      canvas.lines(lines, { x: edgeOf(x, widths, at), y: top, align: at > 0 ? 'end' : 'start' });
    }),
    rule: (canvas: Canvas, { x, y }: Box) =>
      canvas.fill({ x, y: y + height - 0.5, width, height: 0.5 }, COLORS.line),
  };
  const layout = { columns, width, set, table: element };
  return tableBlocks(
    head,
    element,
    table.rows.map((row) => rowBlock(row, layout)),
  );
}

/** Returns the start of the names, and the end of each other column. */
function edgeOf(x: number, widths: readonly number[], at: number): number {
  return at === 0 ? x : widths.slice(0, at + 1).reduce((sum, width) => sum + width, x);
}

function rowBlock(row: FigureRow, layout: Layout): Block {
  const { columns, width, table } = layout;
  const inset = row.bar === undefined ? 0 : BAR_INSET;
  const name = nameLines(row, columns.name - inset, layout);
  const cells = row.cells.map((cell) => cellLines(cell, layout));
  const heightOf = (lines: readonly Line[]) => lines.reduce((sum, { style }) => sum + style.leading, 0);
  const nameHeight = name.lines.length * columns.cell.leading;
  const height = cells.reduce((all, lines) => Math.max(all, heightOf(lines)), nameHeight) + 2 * PADDING;
  return {
    height,
    draw(canvas, box) {
      canvas.artifact(() => drawBar(canvas, row, { ...box, height, width: columns.name }, width));
      const element = canvas.element('TR', table(canvas));
      canvas.within(canvas.element('TH', element, { scope: 'Row' }), () => {
        const x = box.x + inset;
        const y = box.y + (height - nameHeight) / 2;
        canvas.lines(name.lines, { x, y, color: row.isDim ? COLORS.soft : undefined });
        const last = name.lines.at(-1);
        if (!name.detail || !last) return;
        const baseline = y + nameHeight - columns.cell.leading + baselineOf(columns.cell);
        canvas.text(name.detail, { x: x + last.width + NAME_GAP, y: baseline });
      });
      let edge = box.x + columns.name;
      for (const [at, lines] of cells.entries()) {
        edge += columns.cells[at] ?? 0;
        const y = box.y + (height - heightOf(lines)) / 2;
        const color = toneColor(row.cells[at]?.tone);
        canvas.within(canvas.element('TD', element), () =>
          canvas.lines(lines, { x: edge, y, align: 'end', color }),
        );
      }
      element.end();
    },
  };
}

function cellLines({ text, detail, isStrong }: FigureRow['cells'][number], { columns, set }: Layout): Line[] {
  const main = set.line(text, isStrong ? columns.strong : columns.cell);
  return detail === undefined ? [main] : [...followed([main], set), set.line(detail, columns.detail)];
}

const NAME_GAP = 5;
const MOST_NAME_SHARE = 0.7;

/** Returns a name on at most two lines, and the text that identifies it behind it. */
function nameLines(
  row: FigureRow,
  width: number,
  { columns, set }: Layout,
): { lines: Line[]; detail: Line | undefined } {
  const small = { style: columns.detail, most: 1, isName: true };
  if (row.detail === undefined) {
    return {
      lines: set.lines(row.name, { style: columns.cell, width, most: MOST_NAME_LINES, isName: true }),
      detail: undefined,
    };
  }
  const [wanted] = set.lines(row.detail, { ...small, width });
  const room = Math.max(width * MOST_NAME_SHARE, width - (wanted?.width ?? 0) - NAME_GAP);
  const lines = set.lines(row.name, {
    style: columns.cell,
    width: room,
    most: MOST_NAME_LINES,
    isName: true,
  });
  const [detail] = set.lines(row.detail, { ...small, width: width - (lines.at(-1)?.width ?? 0) - NAME_GAP });
  return { lines: followed(lines, set), detail };
}

/** Draws a bar as long as its share of the width of names, and a rule below the row. */
function drawBar(canvas: Canvas, { bar }: FigureRow, box: Box, width: number): void {
  if (bar !== undefined) {
    const length = Math.max(1.5, bar * box.width);
    canvas.fill({ x: box.x, y: box.y + 1.25, width: length, height: box.height - 3 }, COLORS.accentSoft, 2);
  }
  canvas.fill({ x: box.x, y: box.y + box.height - 0.4, width, height: 0.4 }, COLORS.line);
}
