/**
 * Sizes of Avery label sheets, from LibreOffice (extras/source/labels/labels.xml). `npm run test:images`
 * compares them with LibreOffice and John Beard's label-guides for Inkscape.
 */

import { MM_AN_INCH, type Position } from './image-style.ts';

/** Grid of labels in mm, centered on the page unless it has margins. */
export interface LabelGrid {
  paper: Size;
  columns: number;
  rows: number;
  label: Size;
  gap: Size;
  margin?: Size;
}

export interface Size {
  widthMm: number;
  heightMm: number;
}

export const PAPERS = {
  A4: { widthMm: 210, heightMm: 297 },
  Letter: { widthMm: 8.5 * MM_AN_INCH, heightMm: 11 * MM_AN_INCH },
} as const satisfies Record<string, Size>;

const ON_A4 = {
  // LibreOffice has 64 mm labels every 66.54 mm, label-guides 63.5 mm every 66 mm. This row is within 0.5 mm
  // of both.
  L7159: [3, 8, 63.5, 33.9, 2.8, 'J8159'],
  L7160: [3, 7, 63.5, 38.1, 2.54, 'J8160'],
  L7161: [3, 6, 63.5, 46.6, 2.54, 'J8161'],
  L7162: [2, 8, 99.1, 33.9, 2.5, 'J8162'],
  L7163: [2, 7, 99.1, 38.1, 2.5, 'J8163'],
  L7164: [3, 4, 63.5, 72, 2.54],
  L7165: [2, 4, 99.1, 67.7, 2.5, 'J8165'],
  L7169: [2, 2, 99.1, 139, 2.5, 'J8169'],
  L7173: [2, 5, 99.1, 57, 2.5, 'J8173'],
  L7651: [5, 13, 38.1, 21.2, 2.5, 'J8651', 'L7551'],
  L7654: [4, 10, 45.7, 25.4, 2.6, 'L6140', 'L4770', 'J8654'],
  L4732: [5, 16, 35.6, 16.9, 2.5],
  // The label height fills the page. The package states 37 mm.
  3474: [3, 8, 70, 37.125, 0],
  3475: [3, 8, 70, 36, 0],
  3425: [2, 5, 105, 57, 0],
} as const;

const ON_LETTER = {
  5160: [3, 10, 2.625, 1, 0.125, '5260', '5960', '8160'],
  5161: [2, 10, 4, 1, 0.1875, '5261', '5961', '8161'],
  5162: [2, 7, 4, 4 / 3, 0.1875, '5262', '5962', '8162'],
  5163: [2, 5, 4, 2, 0.1875, '5263', '5963', '8163'],
  5164: [2, 3, 4, 10 / 3, 0.1875, '5264', '8164'],
  5167: [4, 20, 1.75, 0.5, 0.3125, '5267', '8167'],
  5371: [2, 5, 3.5, 2, 0, '8371'],
} as const;

/** Grid in mm or inches. `also`: numbers of products that differ only in glue or color. */
type Measures = readonly [
  columns: number,
  rows: number,
  width: number,
  height: number,
  gap: number,
  ...also: string[],
];

function gridsOn(paper: Size, unit: number, measures: Readonly<Record<string, Measures>>) {
  return Object.entries(measures).map(([number, [columns, rows, width, height, gap, ...also]]) => {
    const label = { widthMm: width * unit, heightMm: height * unit };
    const grid: LabelGrid = { paper, columns, rows, label, gap: { widthMm: gap * unit, heightMm: 0 } };
    return { number, also, grid };
  });
}

const A4_GRIDS = gridsOn(PAPERS.A4, 1, ON_A4);
const LETTER_GRIDS = gridsOn(PAPERS.Letter, MM_AN_INCH, ON_LETTER);
export const GRIDS = [...A4_GRIDS, ...LETTER_GRIDS];
export const SHEET_NUMBERS: readonly string[] = [
  ...GRIDS.map(({ number }) => number),
  ...[...LETTER_GRIDS, ...A4_GRIDS].flatMap(({ also }) => also),
];

export function findGrid(name: string): LabelGrid | undefined {
  const number = name
    .trim()
    .replace(/^((avery|zweckform)[\s-]+)+/i, '')
    .toUpperCase();
  return GRIDS.find((one) => one.number === number || one.also.includes(number))?.grid;
}

export function* placesOf(grid: LabelGrid): Generator<Position> {
  const margin = marginOf(grid);
  for (let row = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++) {
      const xMm = margin.widthMm + column * (grid.label.widthMm + grid.gap.widthMm);
      yield { xMm, yMm: margin.heightMm + row * (grid.label.heightMm + grid.gap.heightMm) };
    }
  }
}

function marginOf({ paper, columns, rows, label, gap, margin }: LabelGrid): Size {
  const width = columns * label.widthMm + (columns - 1) * gap.widthMm;
  const height = rows * label.heightMm + (rows - 1) * gap.heightMm;
  return margin ?? { widthMm: (paper.widthMm - width) / 2, heightMm: (paper.heightMm - height) / 2 };
}

export function fitsPage(grid: LabelGrid): boolean {
  const places = [...placesOf(grid)];
  const [first, last] = [places[0], places.at(-1)];
  if (!first || !last) return false;
  const [right, bottom] = [last.xMm + grid.label.widthMm, last.yMm + grid.label.heightMm];
  return (
    first.xMm > -0.1 &&
    first.yMm > -0.1 &&
    right < grid.paper.widthMm + 0.1 &&
    bottom < grid.paper.heightMm + 0.1
  );
}
