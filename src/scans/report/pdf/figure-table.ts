import { sum } from '#base/collections';
import type { CellText, FigureRow, FigureTable } from '#scans/report/document';
import { type Block, bandHeight, placeBlocks, type Section, type Stack, tableBlocks } from './blocks.ts';
import type { Box, Canvas, Element } from './canvas.ts';
import { baselineOf, COLORS, TEXT, type TextStyle, toneColor } from './palette.ts';
import { followed, heightOf, type Line, type Typesetter, widestOf } from './typesetter.ts';

const PADDING = 2;
const MOST_NAME_LINES = 2;
const BAR_INSET = 4;

interface Layout {
  columns: Columns;
  width: number;
  set: Typesetter;
  table: (canvas: Canvas) => Element;
}

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
  const most = Math.max(1, ...heads.map(({ length }) => length));
  const height = most * style.leading + 2 * PADDING;
  const head = {
    height,
    cells: heads.map((lines, at) => (canvas: Canvas, { x, y }: Box) => {
      const top = y + height - PADDING - lines.length * style.leading;
      if (at === 0) canvas.lines(lines, { x, y: top });
      else canvas.lines(lines, { x: x + sum(widths.slice(0, at + 1)), y: top, align: 'end' });
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

function rowBlock(row: FigureRow, layout: Layout): Block {
  const { columns, width, table } = layout;
  const inset = row.bar === undefined ? 0 : BAR_INSET;
  const name = nameLines(row, columns.name - inset, layout);
  const cells = row.cells.map((cell) => cellLines(cell, layout));
  const nameHeight = name.lines.length * columns.cell.leading;
  const height = Math.max(nameHeight, ...cells.map(heightOf)) + 2 * PADDING;
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

function nameLines(
  row: FigureRow,
  width: number,
  { columns, set }: Layout,
): { lines: Line[]; detail?: Line } {
  const small = { style: columns.detail, most: 1, isName: true };
  const named = { style: columns.cell, most: MOST_NAME_LINES, isName: true };
  if (row.detail === undefined) return { lines: set.lines(row.name, { ...named, width }) };
  const [wanted] = set.lines(row.detail, { ...small, width });
  const room = Math.max(width * MOST_NAME_SHARE, width - (wanted?.width ?? 0) - NAME_GAP);
  const lines = set.lines(row.name, { ...named, width: room });
  const [detail] = set.lines(row.detail, { ...small, width: width - (lines.at(-1)?.width ?? 0) - NAME_GAP });
  return { lines: followed(lines, set), detail };
}

function drawBar(canvas: Canvas, { bar }: FigureRow, box: Box, width: number): void {
  if (bar !== undefined) {
    const length = Math.max(1.5, bar * box.width);
    canvas.fill({ x: box.x, y: box.y + 1.25, width: length, height: box.height - 3 }, COLORS.accentSoft, 2);
  }
  canvas.fill({ x: box.x, y: box.y + box.height - 0.4, width, height: 0.4 }, COLORS.line);
}

type Columns = ReturnType<typeof measureColumns>;

const GAP = 10;
const LEAST_NAME = 0.28;
const LEAST_SCALE = 0.6;

function measureColumns({ head, rows }: FigureTable, width: number, set: Typesetter) {
  const styles = stylesOf(1);
  const widthOf = ({ text, detail }: CellText, style: TextStyle, small: TextStyle) =>
    Math.max(set.line(text, style).width, detail === undefined ? 0 : set.line(detail, small).width);
  const cells = head.slice(1).map(({ text, detail = '' }) => {
    const words = `${text} ${detail}`.split(' ');
    return GAP + widestOf(words.map((word) => set.line(word, styles.head)));
  });
  for (const row of rows) {
    for (const [at, cell] of row.cells.entries()) {
      const needed = GAP + widthOf(cell, cell.isStrong ? styles.strong : styles.cell, styles.detail);
      if (needed > (cells[at] ?? 0)) cells[at] = needed;
    }
  }
  const needed = sum(cells);
  const scale = Math.max(LEAST_SCALE, Math.min(1, (width * (1 - LEAST_NAME)) / needed));
  const scaled = cells.map((each) => each * scale);
  return { name: width - needed * scale, cells: scaled, ...stylesOf(scale) };
}

function stylesOf(scale: number) {
  const sized = (style: TextStyle): TextStyle => ({ ...style, size: style.size * scale });
  return {
    head: sized(TEXT.head),
    cell: sized(TEXT.cell),
    strong: sized({ ...TEXT.cell, weight: 600 }),
    detail: sized({ ...TEXT.head, leading: 9 }),
  };
}

const GUTTER = 22;
const LEAST_ROWS = 9;
const LEAST_DOWN = 3;
const MOST_TABLES = 3;
const MOST_NAME = 120;

export function parallelTables(table: FigureTable, width: number, section: Section): Block[] {
  const { rows } = table;
  const { set } = section;
  const { cells } = measureColumns(table, Number.MAX_SAFE_INTEGER, set);
  const names = rows.map(({ name, detail }) => set.line(`${name} ${detail ?? ''}`, TEXT.cell));
  const natural = sum(cells) + Math.min(widestOf(names), MOST_NAME);
  const fitting = Math.floor((width + GUTTER) / (natural + GUTTER));
  const across = rows.length < LEAST_ROWS ? 1 : Math.min(MOST_TABLES, fitting);
  if (across <= 1) return figureTableBlocks(table, width, section);
  return [sideBySide(table, across, width, section)];
}

function sideBySide(table: FigureTable, across: number, width: number, section: Section): Block {
  const { rows } = table;
  const down = Math.ceil(rows.length / across);
  const room = (width - (across - 1) * GUTTER) / across;
  const stacks = Array.from({ length: across }, (_, at): Stack => {
    const some = rows.slice(at * down, (at + 1) * down);
    const blocks = some.length === 0 ? [] : figureTableBlocks({ ...table, rows: some }, room, section);
    return { x: at * (room + GUTTER), width: room, blocks };
  });
  const height = bandHeight({ stacks });
  return {
    height,
    above: 10,
    split(most) {
      const head = stacks[0]?.blocks[0]?.height ?? 0;
      const fitting = Math.floor((most - head) / ((height - head) / down));
      if (fitting < LEAST_DOWN || down - fitting < LEAST_DOWN) return undefined;
      const count = fitting * across;
      const part = (some: FigureTable['rows']) =>
        sideBySide({ ...table, rows: some }, across, width, section);
      return [part(rows.slice(0, count)), part(rows.slice(count))];
    },
    draw(canvas, box) {
      for (const { block, x, y, width: own } of placeBlocks(stacks, box.y)) {
        block.draw(canvas, { x: box.x + x, y, width: own, height: block.height });
      }
    },
  };
}
