/** Blocks in stacks, which are split between blocks: what a report consists of before it has pages. */
import type { Box, Canvas, Element } from './canvas.ts';

export interface Block {
  /** In points. */
  height: number;
  /** Space above, unless it is first on its page. */
  above?: number;
  /** Is not the last on its page. */
  keepsNext?: boolean;
  /** Drawn first on a page that begins with this block: the head of a table. */
  repeats?: Block;
  /** Returns two blocks, of which the first has at most this height; undefined if it can't be split there. Missing if it never can. */
  split?(room: number): readonly [Block, Block] | undefined;
  draw(canvas: Canvas, box: Box): void;
}

/** Blocks of one column, from the top down. */
export interface Stack {
  x: number;
  width: number;
  blocks: readonly Block[];
}

export interface PlacedBlock {
  block: Block;
  x: number;
  y: number;
  width: number;
}

export interface Band {
  stacks: readonly Stack[];
  above: number;
}

/** Rows that stay with the head, and at the end of a table. */
const TOGETHER = 3;

/** A head of a table: its height, and what draws its cells. */
interface Head {
  height: number;
  above?: number;
  cells: readonly ((canvas: Canvas, box: Box) => void)[];
  /** Drawn below the cells. */
  rule?(canvas: Canvas, box: Box): void;
}

/** Returns the blocks of a table: its head, which is repeated on each page, and its rows. */
export function tableBlocks(
  { height, above, cells, rule }: Head,
  table: (canvas: Canvas) => Element,
  rows: readonly Block[],
): Block[] {
  const headBlock = (isRepeated: boolean): Block => ({
    height,
    keepsNext: true,
    draw(canvas, box) {
      const row = isRepeated ? undefined : canvas.element('TR', table(canvas));
      for (const cell of cells) {
        const draw = () => cell(canvas, box);
        if (row) canvas.within(canvas.element('TH', row, { scope: 'Column' }), draw);
        else canvas.artifact(draw, 'Pagination');
      }
      row?.end();
      if (rule) canvas.artifact(() => rule(canvas, box));
    },
  });
  const repeats = headBlock(true);
  const bound = rows.map((row, at): Block => {
    const isBound = at < TOGETHER - 1 || at >= rows.length - TOGETHER;
    return {
      ...row,
      ...(at < rows.length - 1 && isBound && { keepsNext: true }),
      ...(at > 0 && { repeats }),
    };
  });
  return [{ ...headBlock(false), ...(above !== undefined && { above }) }, ...bound];
}

export function stackHeight(blocks: readonly Block[]): number {
  return blocks.reduce((height, block, at) => height + block.height + (at > 0 ? (block.above ?? 0) : 0), 0);
}

export function placeBlocks(stacks: readonly Stack[], top: number): PlacedBlock[] {
  return stacks.flatMap(({ x, width, blocks }) => {
    let y = top;
    return blocks.map((block, at) => {
      if (at > 0) y += block.above ?? 0;
      const spot = { block, x, y, width };
      y += block.height;
      return spot;
    });
  });
}

export function bandHeight({ stacks }: Band): number {
  return stacks.reduce((height, { blocks }) => Math.max(height, stackHeight(blocks)), 0);
}

/** Splits a stack so that the first part has at most this height. Either part may be empty. */
export function splitStack(stack: Stack, room: number): [Stack, Stack] {
  const { blocks } = stack;
  let height = 0;
  let end = 0;
  for (const [at, block] of blocks.entries()) {
    const above = at > 0 ? (block.above ?? 0) : 0;
    const halves = height + above + block.height > room ? block.split?.(room - height - above) : undefined;
    if (halves)
      return partsOf(stack, [...blocks.slice(0, at), halves[0]], [halves[1], ...blocks.slice(at + 1)]);
    height += above + block.height;
    if (height > room) break;
    if (!block.keepsNext) end = at + 1;
  }
  return partsOf(stack, blocks.slice(0, end), withRepeated(blocks.slice(end)));
}

function partsOf(stack: Stack, first: readonly Block[], rest: readonly Block[]): [Stack, Stack] {
  return [
    { ...stack, blocks: first },
    { ...stack, blocks: rest },
  ];
}

function withRepeated(blocks: readonly Block[]): readonly Block[] {
  const head = blocks[0]?.repeats;
  return head ? [{ ...head, keepsNext: true }, ...blocks] : blocks;
}
