/** Where a page may break: within tables, paragraphs and stacks. */
import { describe, expect, it } from 'vitest';
import { type Block, paragraphBlocks, splitStack, tableBlocks } from '#scans/report/pdf/blocks';
import type { Element } from '#scans/report/pdf/canvas';
import { TEXT } from '#scans/report/pdf/palette';
import type { Line, Typesetter } from '#scans/report/pdf/typesetter';

const draw = () => undefined;
const block = (height: number, given: Partial<Block> = {}): Block => ({ height, draw, ...given });

/** One letter per block, in upper case if no page break may follow. */
const bindings = (blocks: readonly Block[]) =>
  blocks.map(({ keepsNext }) => (keepsNext ? 'X' : 'x')).join('');

describe('a table', () => {
  const tableOf = (rows: number) =>
    tableBlocks(
      { height: 12, above: 4, cells: [] },
      (): Element => expect.fail('not drawn'),
      Array.from({ length: rows }, () => block(10)),
    );

  it.each([
    [0, 'X'],
    [1, 'Xx'],
    [2, 'XXx'],
    [3, 'XXXx'],
    [4, 'XXXXx'],
    [5, 'XXXXXx'],
    [6, 'XXXxXXx'],
    [8, 'XXXxxxXXx'],
  ])('with %d rows is split only where at least three of its rows are on each page', (rows, expected) => {
    expect(bindings(tableOf(rows))).toBe(expected);
  });

  it('repeats its header before each row but the first', () => {
    expect(tableOf(3).map(({ repeats, above }) => [repeats?.height, above])).toEqual([
      [undefined, 4],
      [undefined, undefined],
      [12, undefined],
      [12, undefined],
    ]);
  });
});

describe('a paragraph', () => {
  it.each([
    [1, 'x'],
    [2, 'Xx'],
    [3, 'XXx'],
    [4, 'XxXx'],
    [5, 'XxxXx'],
  ])('of %d lines is split only where at least two of its lines are on each page', (count, expected) => {
    const lines = Array.from({ length: count }, () => ({}) as Line);
    const set = { lines: () => lines } as unknown as Typesetter;
    const blocks = paragraphBlocks('Text', { style: TEXT.small, width: 100, above: 5, section: { set } });
    expect(bindings(blocks)).toBe(expected);
    expect(blocks.map(({ above }) => above)).toEqual([5, ...Array(count - 1).fill(undefined)]);
  });
});

describe('a stack', () => {
  const heightsAfter = (blocks: readonly Block[], room: number) =>
    splitStack({ x: 0, width: 100, blocks }, room).map((part) => part.blocks.map(({ height }) => height));

  it('is split after the last block that fits, with the space between blocks but not above the first', () => {
    const blocks = [block(10, { above: 50 }), block(20, { above: 5 }), block(30, { above: 5 })];
    expect(heightsAfter(blocks, 34)).toEqual([[10], [20, 30]]);
    expect(heightsAfter(blocks, 35)).toEqual([[10, 20], [30]]);
    expect(heightsAfter(blocks, 70)).toEqual([[10, 20, 30], []]);
    expect(heightsAfter(blocks, 9)).toEqual([[], [10, 20, 30]]);
  });

  it('is not split after a block that keeps the next one, and repeats the header of a table', () => {
    const repeats = block(7);
    const blocks = [block(10), block(11, { keepsNext: true }), block(12, { repeats })];
    expect(heightsAfter(blocks, 25)).toEqual([[10], [11, 12]]);
    expect(heightsAfter([block(10), block(12, { repeats })], 15)).toEqual([[10], [7, 12]]);
    const [, { blocks: rest }] = splitStack(
      { x: 0, width: 1, blocks: [block(10), block(12, { repeats })] },
      15,
    );
    expect(bindings(rest)).toBe('Xx');
  });

  it('splits a block that does not fit at the height that remains on the page, if the block can be split', () => {
    const rooms: number[] = [];
    const split = (room: number) => {
      rooms.push(room);
      return [block(room), block(99)] as const;
    };
    const blocks = [block(10), block(40, { above: 3, split }), block(5)];
    expect(heightsAfter(blocks, 30)).toEqual([
      [10, 17],
      [99, 5],
    ]);
    expect(heightsAfter(blocks, 53)).toEqual([[10, 40], [5]]);
    expect(heightsAfter([block(40, { above: 3, split })], 30)).toEqual([[30], [99]]);
    expect(rooms).toEqual([17, 30]);
  });
});
