import type { FigureTable } from '../document.ts';
import { type Block, placeBlocks, type Stack, stackHeight } from './blocks.ts';
import { figureTableBlocks } from './figure-table.ts';
import type { Section } from './section.ts';
import { naturalWidth } from './table-columns.ts';

const GUTTER = 22;
const LEAST_ROWS = 9;
const LEAST_DOWN = 3;
const MOST_TABLES = 3;
/** Of names below a chart, in points: units of time. */
const MOST_NAME = 120;

/** Returns the blocks of a table: one per row of it, or one of as many tables as fit side by side. */
export function parallelTables(table: FigureTable, width: number, section: Section): Block[] {
  const { rows } = table;
  const fitting = Math.floor((width + GUTTER) / (naturalWidth(table, MOST_NAME, section.set) + GUTTER));
  const across = rows.length < LEAST_ROWS ? 1 : Math.min(MOST_TABLES, fitting);
  if (across <= 1) return figureTableBlocks(table, width, section);
  return [sideBySide(table, { across, width, section })];
}

interface Layout {
  across: number;
  width: number;
  section: Section;
}

function sideBySide(table: FigureTable, layout: Layout): Block {
  const { across, width, section } = layout;
  const { rows } = table;
  const down = Math.ceil(rows.length / across);
  const room = (width - (across - 1) * GUTTER) / across;
  const stacks = Array.from({ length: across }, (_, at): Stack => {
    const some = rows.slice(at * down, (at + 1) * down);
    const blocks = some.length === 0 ? [] : figureTableBlocks({ ...table, rows: some }, room, section);
    return { x: at * (room + GUTTER), width: room, blocks };
  });
  const height = stacks.reduce((all, { blocks }) => Math.max(all, stackHeight(blocks)), 0);
  return {
    height,
    above: 10,
    split(most) {
      // All rows of a table of units are about as high.
      const head = stacks[0]?.blocks[0]?.height ?? 0;
      const fitting = Math.floor((most - head) / ((height - head) / down));
      if (fitting < LEAST_DOWN || down - fitting < LEAST_DOWN) return undefined;
      const count = fitting * across;
      return [
        sideBySide({ ...table, rows: rows.slice(0, count) }, layout),
        sideBySide({ ...table, rows: rows.slice(count) }, layout),
      ];
    },
    draw(canvas, box) {
      for (const { block, x, y, width: own } of placeBlocks(stacks, box.y)) {
        block.draw(canvas, { x: box.x + x, y, width: own, height: block.height });
      }
    },
  };
}
