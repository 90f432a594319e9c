import { UsageError } from '#base/errors';
import { nearest } from '#base/text/nearest';
import { quote } from '#base/text/quote';
import { formatNumber, MM_AN_INCH, type Position } from './image-style.ts';
import { findGrid, fitsPage, type LabelGrid, PAPERS, SHEET_NUMBERS, type Size } from './label-grids.ts';

interface SheetFlags {
  sheet?: string;
  grid?: [columns: number, rows: number];
  label?: Size;
  margin?: Size;
  gap?: Size;
  paper?: PagePaper;
}

interface LabelSheet {
  grid: LabelGrid;
  name: string;
}

const NONE: Size = { widthMm: 0, heightMm: 0 };
const A4: PagePaper = { size: PAPERS.A4, name: 'A4' };

export function isRoll({ sheet, grid, paper }: SheetFlags): boolean {
  return paper?.isSized === true && grid === undefined && sheet === undefined;
}

/** Resolves flags to a sheet. Throws UsageError if the sheet is unknown, incomplete or too large. */
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
    hint: `${guess === undefined ? '' : `Did you mean ${guess}? `}To list the known numbers, use --sheet list. Describe any other sheet with --grid CxR --label WxH.`,
  });
}

export function requireLayout({ grid, name }: LabelSheet, options: LayoutOptions): LabelLayout {
  const layout = layOutLabel(grid.label, options);
  if (layout) return layout;
  const most = layOutLabel(grid.label, { ...options, sizeMm: undefined })?.code.sizeMm;
  const label = `a label of ${name} (${formatSize(grid.label)})`;
  if (most === undefined) throw new UsageError(`no code fits on ${label}`, { hint: 'Use larger labels.' });
  throw new UsageError(`a ${formatNumber(options.sizeMm ?? 0)} mm code doesn't fit on ${label}`, {
    hint: `Use --size ${formatNumber(most)}mm, the largest that fits, or omit --size.`,
  });
}

export interface LabelLayout {
  code: Position & { sizeMm: number };
  caption?: CaptionBox;
}

export interface CaptionBox extends Size, Position {
  lines: number;
  align: 'left' | 'center';
}

interface LayoutOptions {
  caption: boolean;
  captionLines?: number;
  sizeMm?: number;
}

const PADDING_MM = 1.5;
export const FONT_SIZE_MM = 2.8;
export const LINE_MM = 3.4;
const WIDE = 1.4;

/** Lays out a label with a code of `sizeMm` or the largest that fits. Returns undefined if none fits. */
export function layOutLabel({ widthMm, heightMm }: Size, options: LayoutOptions): LabelLayout | undefined {
  const { caption, captionLines = 1, sizeMm } = options;
  const [width, height] = [widthMm - 2 * PADDING_MM, heightMm - 2 * PADDING_MM];
  const beside = caption && widthMm >= WIDE * heightMm;
  const room =
    beside || !caption ? Math.min(width, height) : Math.min(width, height - captionLines * LINE_MM);
  const size = sizeMm ?? Math.floor(room * 10) / 10;
  if (size > room + 1e-6 || size <= 0) return undefined;
  const centered = { xMm: (widthMm - size) / 2, yMm: (heightMm - size) / 2, sizeMm: size };
  if (!caption) return { code: centered };
  if (beside) {
    const lines = Math.max(1, Math.floor(height / LINE_MM));
    const box = { xMm: PADDING_MM + size, widthMm: width - size, yMm: PADDING_MM, heightMm: height, lines };
    return { code: { ...centered, xMm: PADDING_MM }, caption: { ...box, align: 'left' } };
  }
  const lines = Math.max(1, Math.floor((height - size) / LINE_MM + 1e-6));
  const top = (heightMm - size - lines * LINE_MM) / 2;
  const box = { xMm: PADDING_MM, widthMm: width, yMm: top + size, heightMm: lines * LINE_MM, lines };
  return { code: { ...centered, yMm: top }, caption: { ...box, align: 'center' } };
}

const UNITS_MM: Readonly<Record<string, number>> = { mm: 1, cm: 10, m: 1000, in: MM_AN_INCH };
const MOST_MM = 5000;

export function parseLength(raw: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,6}(?:\.\d{1,4})?)(mm|cm|m|in)$/.exec(raw) ?? [];
  const value = Number(number) * (UNITS_MM[unit] ?? 1);
  return value >= 1 && value <= MOST_MM ? value : undefined;
}

export function parseSize(raw: string): Size | undefined {
  const found = /^(\d{1,4}(?:\.\d{1,4})?)x(\d{1,4}(?:\.\d{1,4})?)(mm|cm|in)$/.exec(raw);
  if (!found) return undefined;
  const [, width, height, unit = ''] = found;
  const scale = UNITS_MM[unit] ?? 1;
  const size = { widthMm: Number(width) * scale, heightMm: Number(height) * scale };
  return Math.max(size.widthMm, size.heightMm) <= MOST_MM ? size : undefined;
}

export function parseSides(raw: string): Size | undefined {
  const both = /^(\d[\d.]*)(?=(?:mm|cm|in)$)/.exec(raw)?.[1];
  return parseSize(both === undefined ? raw : `${both}x${raw}`);
}

interface PagePaper {
  size: Size;
  name: string;
  isSized?: true;
}

export function parsePaper(raw: string): PagePaper | undefined {
  const known = Object.entries(PAPERS).find(([name]) => name.toLowerCase() === raw.toLowerCase());
  if (known) return { size: known[1], name: known[0] };
  const size = parseSize(raw);
  if (size === undefined || Math.min(size.widthMm, size.heightMm) <= 0) return undefined;
  return { size, name: formatSize(size), isSized: true };
}

export function parseGrid(raw: string): [columns: number, rows: number] | undefined {
  const [columns = 0, rows = 0] = (/^(\d{1,2})x(\d{1,2})$/.exec(raw) ?? []).slice(1).map(Number);
  return columns > 0 && rows > 0 ? [columns, rows] : undefined;
}

function formatSize({ widthMm, heightMm }: Size): string {
  return `${formatNumber(widthMm)} x ${formatNumber(heightMm)} mm`;
}
