import type { ShadeCell, ShadeTable } from '#scans/report/document';
import { type Block, type Section, tableBlocks } from './blocks.ts';
import type { Box, Canvas } from './canvas.ts';
import { COLORS, SHADES, TEXT, type TextStyle } from './palette.ts';
import { type Line, type Typesetter, widestOf } from './typesetter.ts';

const ROW = 16;
const GAP = 1.5;
const NAME_GAP = 8;
const PADDING = 3;
const LEAST_SIZE = 4;
const RADIUS = 2.5;

type Row = ShadeTable['rows'][number];

type Grid = ReturnType<typeof gridOf>;

export function shadeTableBlocks(table: ShadeTable, width: number, section: Section): Block[] {
  const grid = gridOf(table, width, section);
  const { name, cell, headStyle, set } = grid;
  const height = ROW - 2;
  const head = {
    height,
    above: 10,
    cells: table.head.map((text, at) => (canvas: Canvas, { x, y }: Box) => {
      const baseline = y + height - 4;
      if (at > 0)
        return canvas.text(set.line(text, headStyle), {
          x: x + name + (at - 0.5) * cell,
          y: baseline,
          align: 'center',
        });
      const [line] = set.lines(text, { style: TEXT.head, width: name, most: 1 });
      if (line) canvas.text(line, { x, y: baseline });
    }),
  };
  const blocks = tableBlocks(
    head,
    grid.table,
    table.rows.map((row) => rowBlock(row, grid)),
  );
  return table.id === 'hours'
    ? blocks.map((block, at) => ({ ...block, keepsNext: at < blocks.length - 1 }))
    : blocks;
}

function gridOf({ head, rows, caption }: ShadeTable, width: number, { set, table }: Section) {
  const widthOf = (texts: readonly string[], style: TextStyle) =>
    widestOf(texts.map((text) => set.line(text, style)));
  const names = [head[0] ?? '', ...rows.map(({ name }) => name)];
  const name = Math.min(width * 0.3, widthOf(names, TEXT.head)) + NAME_GAP;
  const cell = (width - name) / Math.max(1, head.length - 1);
  const room = cell - GAP - PADDING;
  const fitted = (style: TextStyle, texts: readonly string[]): TextStyle => {
    const scale = Math.min(1, room / Math.max(0.1, widthOf(texts, style)));
    return { ...style, size: Math.max(LEAST_SIZE, style.size * scale) };
  };
  const bold = fitted(
    { ...TEXT.head, weight: 600 },
    rows.flatMap(({ cells }) => cells.map((each) => each?.text ?? '')),
  );
  const style = { ...TEXT.head, size: bold.size };
  return { name, cell, style, headStyle: fitted(TEXT.head, head.slice(1)), set, table: table(caption) };
}

function rowBlock({ name, cells }: Row, { set, table, ...grid }: Grid): Block {
  const [title] = set.lines(name, { style: TEXT.head, width: grid.name - NAME_GAP, most: 1 });
  return {
    height: ROW,
    draw(canvas, { x, y }) {
      const row = canvas.element('TR', table(canvas));
      canvas.within(
        canvas.element('TH', row, { scope: 'Row' }),
        () => title && canvas.text(title, { x, y: baseline(y, TEXT.head) }),
      );
      const boxes = cells.map((_, at) => ({
        x: x + grid.name + at * grid.cell + GAP / 2,
        y: y + GAP / 2,
        width: grid.cell - GAP,
        height: ROW - GAP,
      }));
      canvas.artifact(() => {
        for (const [at, cell] of cells.entries())
          if (cell && cell.shade > 0) canvas.fill(boxes[at] ?? [], SHADES[cell.shade], RADIUS);
      });
      for (const [at, box] of boxes.entries()) {
        const cell = cells[at];
        const line = cell && lineOf(cell, grid.style, set);
        canvas.within(canvas.element('TD', row), () => {
          if (line)
            canvas.text(line, { x: box.x + box.width / 2, y: baseline(y, line.style), align: 'center' });
        });
      }
      row.end();
    },
  };
}

function lineOf({ text, shade }: ShadeCell, style: TextStyle, set: Typesetter): Line {
  if (shade === 5) return set.line(text, { ...style, weight: 600, color: '#ffffff' });
  return set.line(text, { ...style, color: shade === 0 ? COLORS.soft : COLORS.ink });
}

function baseline(y: number, { size }: TextStyle): number {
  return y + ROW / 2 + size * 0.35;
}
