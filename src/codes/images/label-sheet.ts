import { UsageError } from '../../base/errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { quote } from '../../base/text/quote.ts';
import { formatSize, type PagePaper } from './dimensions.ts';
import { formatNumber } from './image-style.ts';
import { findGrid, fitsPage, type LabelGrid, PAPERS, SHEET_NUMBERS, type Size } from './label-grids.ts';
import { type LabelLayout, layOutLabel } from './label-layout.ts';

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
