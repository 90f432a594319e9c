import { UsageError } from '../../base/errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { quote } from '../../base/text/quote.ts';
import { formatSize, type PagePaper } from './dimensions.ts';
import { formatNumber } from './image-style.ts';
import { findGrid, fitsPage, type LabelGrid, PAPERS, SHEET_NUMBERS, type Size } from './label-grids.ts';

export interface SheetFlags {
  sheet?: string | undefined;
  grid?: [columns: number, rows: number] | undefined;
  label?: Size | undefined;
  margin?: Size | undefined;
  gap?: Size | undefined;
  paper?: PagePaper | undefined;
}

export interface LabelSheet {
  grid: LabelGrid;
  name: string;
}

const NONE: Size = { widthMm: 0, heightMm: 0 };
const A4: PagePaper = { size: PAPERS.A4, name: 'A4', isSized: false };

/** Returns whether the flags specify one page per label, as for a label printer. */
export function isRoll({ sheet, grid, paper }: SheetFlags): boolean {
  return paper?.isSized === true && grid === undefined && sheet === undefined;
}

/** Returns the sheet of the flags. Throws UsageError if it is unknown or incomplete, or if its labels don't fit on the page. */
export function resolveSheet(flags: SheetFlags): LabelSheet {
  const { sheet, grid, label, margin, paper = A4, gap = NONE } = flags;
  if (isRoll(flags)) return rollOf(paper, margin ?? NONE);
  if (sheet !== undefined) {
    const known = findGrid(sheet) ?? unknownSheet(sheet);
    return { grid: fitting(margin === undefined ? known : { ...known, margin }, 'its page'), name: sheet };
  }
  if (!grid || !label)
    throw new UsageError('--grid requires --label WxH', {
      hint: 'Add the size of a label, as in --grid 3x7 --label 63.5x38.1mm.',
    });
  const [columns, rows] = grid;
  return {
    grid: fitting({ paper: paper.size, columns, rows, label, gap, margin }, `a page of ${paper.name}`),
    name: `a grid of ${grid.join('x')}`,
  };
}

/** The margin of a roll is the part of each side that its printer can't print on. */
function rollOf({ size: paper, name }: PagePaper, margin: Size): LabelSheet {
  const label = {
    widthMm: paper.widthMm - 2 * margin.widthMm,
    heightMm: paper.heightMm - 2 * margin.heightMm,
  };
  if (Math.min(label.widthMm, label.heightMm) <= 0)
    throw new UsageError(`--margin leaves no space on a page of ${name}`, { hint: 'Reduce --margin.' });
  return { grid: { paper, columns: 1, rows: 1, label, gap: NONE, margin }, name: `a roll of ${name}` };
}

function fitting(grid: LabelGrid, page: string): LabelGrid {
  if (fitsPage(grid)) return grid;
  throw new UsageError(`the labels don't fit on ${page}`, {
    hint: 'Reduce --grid, --label, --margin or --gap.',
  });
}

function unknownSheet(name: string): never {
  const guess = nearest(name.toUpperCase(), SHEET_NUMBERS);
  throw new UsageError(`unknown sheet number ${quote(name)}`, {
    hint: `${guess === undefined ? '' : `Did you mean ${guess}? `}Describe any other sheet with --grid CxR --label WxH.`,
  });
}

/** Returns the layout of a label of the sheet. Throws UsageError if a code of `sizeMm` does not fit on it. */
export function requireLayout(
  { grid, name }: LabelSheet,
  options: { caption: boolean; sizeMm: number | undefined },
): LabelLayout {
  const layout = layOutLabel(grid.label, options);
  if (layout) return layout;
  const most = layOutLabel(grid.label, { ...options, sizeMm: undefined })?.code.sizeMm ?? 0;
  const label = `a label of ${name} (${formatSize(grid.label)})`;
  if (most <= 0) throw new UsageError(`no code fits on ${label}`, { hint: 'Use larger labels.' });
  throw new UsageError(`a ${formatNumber(options.sizeMm ?? 0)} mm code doesn't fit on ${label}`, {
    hint: `Use --size ${formatNumber(most)}mm, the largest that fits, or omit --size.`,
  });
}

/** Positions in mm from the upper left corner of the label. */
export interface LabelLayout {
  readonly code: { readonly xMm: number; readonly yMm: number; readonly sizeMm: number };
  readonly caption: CaptionBox | undefined;
}

export interface CaptionBox extends Size {
  readonly xMm: number;
  readonly yMm: number;
  readonly lines: number;
  readonly align: 'left' | 'center';
}

/** Margin for sheets that a printer draws in at an angle. */
const PADDING_MM = 1.5;
/** Font size of captions: 8 points. */
export const FONT_SIZE_MM = 2.8;
export const LINE_MM = 3.4;
/** From this ratio on, a caption is next to the code, because the code above it would be small. */
const WIDE = 1.4;

/** Places the largest code that leaves space for a caption, or one of `sizeMm`. Returns undefined if it doesn't fit. */
export function layOutLabel(
  { widthMm, heightMm }: Size,
  { caption, sizeMm }: { caption: boolean; sizeMm: number | undefined },
): LabelLayout | undefined {
  const [width, height] = [widthMm - 2 * PADDING_MM, heightMm - 2 * PADDING_MM];
  const beside = caption && widthMm >= WIDE * heightMm;
  const room = beside || !caption ? Math.min(width, height) : Math.min(width, height - LINE_MM);
  const size = sizeMm ?? Math.floor(room * 10) / 10;
  if (size > room + 1e-6 || size <= 0) return undefined;
  if (!caption)
    return {
      code: { xMm: (widthMm - size) / 2, yMm: (heightMm - size) / 2, sizeMm: size },
      caption: undefined,
    };
  if (beside) {
    const lines = Math.max(1, Math.floor(height / LINE_MM));
    const box = {
      xMm: PADDING_MM + size,
      widthMm: width - size,
      yMm: PADDING_MM,
      heightMm: height,
      lines,
      align: 'left' as const,
    };
    return { code: { xMm: PADDING_MM, yMm: (heightMm - size) / 2, sizeMm: size }, caption: box };
  }
  const lines = Math.max(1, Math.floor((height - size) / LINE_MM));
  const top = (heightMm - size - lines * LINE_MM) / 2;
  const box = {
    xMm: PADDING_MM,
    widthMm: width,
    yMm: top + size,
    heightMm: lines * LINE_MM,
    lines,
    align: 'center' as const,
  };
  return { code: { xMm: (widthMm - size) / 2, yMm: top, sizeMm: size }, caption: box };
}
