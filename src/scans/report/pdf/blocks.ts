import type { Box, Canvas, Element } from './canvas.ts';
import { baselineOf, type TextStyle } from './palette.ts';
import type { Typesetter } from './typesetter.ts';

export interface Block {
  height: number;
  above?: number;
  keepsNext?: boolean;
  /** Block drawn first on a page that begins with this block, such as a table head. */
  repeats?: Block;
  split?(room: number): readonly [Block, Block] | undefined;
  draw(canvas: Canvas, box: Box): void;
}

export interface Stack {
  x: number;
  width: number;
  blocks: readonly Block[];
}

export type PlacedBlock = ReturnType<typeof placeBlocks>[number];

export interface Band {
  stacks: readonly Stack[];
  above: number;
}

const TOGETHER = 3;

interface Head {
  height: number;
  above?: number;
  cells: readonly ((canvas: Canvas, box: Box) => void)[];
  rule?(canvas: Canvas, box: Box): void;
}

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
    return { ...row, keepsNext: at < rows.length - 1 && isBound, ...(at > 0 && { repeats }) };
  });
  return [{ ...headBlock(false), above }, ...bound];
}

function stackHeight(blocks: readonly Block[]): number {
  return blocks.reduce((height, block, at) => height + block.height + (at > 0 ? (block.above ?? 0) : 0), 0);
}

export function placeBlocks(stacks: readonly Stack[], top: number) {
  return stacks.flatMap(({ x, width, blocks }) =>
    blocks.map((block, at) => {
      const y = top + stackHeight(blocks.slice(0, at + 1)) - block.height;
      return { block, x, y, width };
    }),
  );
}

export function bandHeight({ stacks }: Pick<Band, 'stacks'>): number {
  return stacks.reduce((height, { blocks }) => Math.max(height, stackHeight(blocks)), 0);
}

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
  const rest = blocks.slice(end);
  const head = rest[0]?.repeats;
  return partsOf(stack, blocks.slice(0, end), head ? [{ ...head, keepsNext: true }, ...rest] : rest);
}

function partsOf(stack: Stack, first: readonly Block[], rest: readonly Block[]): [Stack, Stack] {
  return [
    { ...stack, blocks: first },
    { ...stack, blocks: rest },
  ];
}

export type Section = ReturnType<typeof createSection>;

export function createSection(set: Typesetter) {
  const element = once((canvas) => canvas.element('Sect'));
  return {
    set,
    element,
    table: (title: string) => once((canvas) => canvas.element('Table', element(canvas), { title })),
    list: () => once((canvas) => canvas.element('L', element(canvas))),
  };
}

function once(create: (canvas: Canvas) => Element): (canvas: Canvas) => Element {
  let made: Element | undefined;
  return (canvas) => {
    made ??= create(canvas);
    return made;
  };
}

interface ParagraphOptions {
  style: TextStyle;
  width: number;
  above?: number;
  section: { set: Typesetter; element?: (canvas: Canvas) => Element };
  most?: number;
  isName?: boolean;
  type?: string;
}

export function paragraphBlocks(text: string, options: ParagraphOptions): Block[] {
  const { style, width, above, section, most, isName = false, type = 'P' } = options;
  const lines = section.set.lines(text, { style, width, isName, most });
  let element: Element | undefined;
  return lines.map(
    (line, at): Block => ({
      height: style.leading,
      ...(at === 0 && { above }),
      keepsNext: (at === 0 || at === lines.length - 2) && at < lines.length - 1,
      draw(canvas, { x, y }) {
        element ??= canvas.element(type, section.element?.(canvas));
        canvas.within(element, () => canvas.text(line, { x, y: baselineOf(style, y) }));
        if (at === lines.length - 1) element.end();
      },
    }),
  );
}
