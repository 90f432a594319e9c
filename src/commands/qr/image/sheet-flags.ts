/** Declares the flags of label sheets, and resolves them to a grid. */
import { UsageError } from '../../../base/errors.ts';
import { nearest } from '../../../base/text/nearest.ts';
import { quote } from '../../../base/text/quote.ts';
import {
  findGrid,
  fitsPage,
  type LabelGrid,
  PAPERS,
  SHEET_NUMBERS,
  type Size,
} from '../../../codes/images/label-grids.ts';
import { formatNumber } from '../../../codes/images/picture.ts';
import { flag, integer, parsed, text, type Values } from '../../define.ts';
import { LONGEST_MM, lengthMm } from './picture-flags.ts';

const GROUP = 'Sheet flags:';

/** A flag of any sheet. */
const OF_SHEET = { group: GROUP, requires: [['--sheet', '--grid', '--paper']] };

const SIZE_FORMS = 'a width and a height such as 63.5x38.1mm or 4x2in';

/** A width and a height with one unit behind them, in mm, or undefined. */
function parseSize(raw: string): Size | undefined {
  const found = /^(\d{1,4}(?:\.\d{1,4})?)x(\d{1,4}(?:\.\d{1,4})?)(mm|cm|in)$/.exec(raw);
  if (!found) return undefined;
  const [, width = '', height = '', unit = ''] = found;
  // Zero is a length between labels.
  const size = { widthMm: lengthMm(width, unit), heightMm: lengthMm(height, unit) };
  return Math.max(size.widthMm, size.heightMm) < LONGEST_MM ? size : undefined;
}

/** As `parseSize`; one length is both. */
function parseSides(raw: string): Size | undefined {
  const [, both = ''] = /^(\d[\d.]*)(?=(?:mm|cm|in)$)/.exec(raw) ?? [];
  return parseSize(both === '' ? raw : `${both}x${raw}`);
}

/** A page: the name of a paper, or its size. */
function parsePaper(raw: string): { size: Size; name: string; isSized: boolean } | undefined {
  const known = Object.entries(PAPERS).find(([name]) => name.toLowerCase() === raw.toLowerCase());
  if (known) return { size: known[1], name: known[0], isSized: false };
  const size = parseSize(raw);
  if (size === undefined || Math.min(size.widthMm, size.heightMm) <= 0) return undefined;
  return { size, name: `${formatNumber(size.widthMm)} x ${formatNumber(size.heightMm)} mm`, isSized: true };
}

function parseGrid(raw: string): [number, number] | undefined {
  const [columns = 0, rows = 0] = (/^(\d{1,2})x(\d{1,2})$/.exec(raw) ?? []).slice(1).map(Number);
  return columns > 0 && rows > 0 ? [columns, rows] : undefined;
}

const OF_GRID = { group: GROUP, requires: ['--grid'] };

const SIDES = { parse: parseSides, forms: 'a length such as 10mm, or a width and a height such as 10x12mm' };

export const sheetOptions = {
  sheet: text('--sheet <number>', 'Fill a label sheet (PDF), such as L7160 or 5163', { group: GROUP }),
  grid: parsed(
    '--grid <CxR>',
    'Columns and rows of any other sheet',
    { parse: parseGrid, forms: 'columns and rows, such as 3x7' },
    { group: GROUP, requires: ['--label'], conflicts: ['--sheet'] },
  ),
  label: parsed(
    '--label <WxH>',
    'Label size for --grid, such as 63.5x38.1mm',
    { parse: parseSize, forms: SIZE_FORMS },
    OF_GRID,
  ),
  margin: parsed('--margin <10mm|WxH>', "Left and top margin (default: the sheet's)", SIDES, OF_SHEET),
  gap: parsed('--gap <2mm|WxH>', 'Space between labels for --grid (default: 0mm)', SIDES, OF_GRID),
  paper: parsed(
    '--paper <A4|Letter|WxH>',
    'Page for --grid, or WxH for one page per label',
    { parse: parsePaper, forms: 'A4, Letter, or a width and a height such as 62x29mm' },
    { group: GROUP },
  ),
  caption: text('--caption <text>', 'Slug, name, none, or a column (default: slug)', OF_SHEET),
  copies: integer('--copies <n>', 'Copies of each label (default: 1)', { min: 1, max: 999 }, OF_SHEET),
  start: integer(
    '--start <n>',
    'First free label, counted by row (default: 1)',
    { min: 1, max: 9801 },
    OF_SHEET,
  ),
  outline: flag('--outline', 'Draw a hairline around each label', OF_SHEET),
};

export type SheetFlags = Values<typeof sheetOptions>;

/** Returns the requested sheet and its name; undefined if there is none. Throws UsageError if flags contradict each other. */
export function gridOf(flags: SheetFlags): { grid: LabelGrid; name: string } | undefined {
  const {
    sheet,
    grid: shape,
    label,
    margin,
    paper = { size: PAPERS.A4, name: 'A4', isSized: false },
    gap = NONE,
  } = flags;
  const isRoll = paper.isSized && shape === undefined && sheet === undefined;
  if (isRoll) return rollOf(paper, margin ?? NONE);
  if (flags.paper && !shape)
    throw new UsageError('--paper requires --grid, unless it is the size of a label', {
      hint: 'Add --grid CxR, or omit --paper.',
    });
  if (sheet !== undefined) {
    const known = findGrid(sheet) ?? unknownSheet(sheet);
    return { grid: fitting(margin === undefined ? known : { ...known, margin }, 'its page'), name: sheet };
  }
  if (!shape || !label) return undefined;
  const grid = { paper: paper.size, columns: shape[0], rows: shape[1], label, gap, margin };
  return { grid: fitting(grid, `a page of ${paper.name}`), name: `a grid of ${shape.join('x')}` };
}

const NONE: Size = { widthMm: 0, heightMm: 0 };

/** A page is a label: what a label printer cuts off. The margin is what it can't print on, on each side. */
function rollOf(
  { size: paper, name }: { size: Size; name: string },
  margin: Size,
): { grid: LabelGrid; name: string } {
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
