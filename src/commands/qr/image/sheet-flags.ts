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

function size(flags: string, description: string) {
  return parsed(flags, description, { parse: parseSize, forms: SIZE_FORMS }, { group: GROUP });
}

function sides(flags: string, description: string) {
  const forms = 'a length such as 10mm, or a width and a height such as 10x12mm';
  return parsed(flags, description, { parse: parseSides, forms }, { group: GROUP });
}

export const sheetOptions = {
  sheet: text('--sheet <number>', 'Fill a label sheet (PDF), such as L7160 or 5163', { group: GROUP }),
  grid: parsed(
    '--grid <CxR>',
    'Columns and rows of any other sheet',
    { parse: parseGrid, forms: 'columns and rows, such as 3x7' },
    { group: GROUP },
  ),
  label: size('--label <WxH>', 'Label size for --grid, such as 63.5x38.1mm'),
  margin: sides('--margin <10mm|WxH>', "Left and top margin (default: the sheet's)"),
  gap: sides('--gap <2mm|WxH>', 'Space between labels for --grid (default: 0mm)'),
  paper: parsed(
    '--paper <A4|Letter|WxH>',
    'Page for --grid, or WxH for one page per label',
    { parse: parsePaper, forms: 'A4, Letter, or a width and a height such as 62x29mm' },
    { group: GROUP },
  ),
  caption: text('--caption <text>', 'Slug, name, none, or a column (default: slug)', { group: GROUP }),
  copies: integer(
    '--copies <n>',
    'Copies of each label (default: 1)',
    { min: 1, max: 999 },
    { group: GROUP },
  ),
  start: integer(
    '--start <n>',
    'First free label, counted by row (default: 1)',
    { min: 1, max: 9801 },
    { group: GROUP },
  ),
  outline: flag('--outline', 'Draw a hairline around each label', { group: GROUP }),
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
  const isSheet = sheet !== undefined || shape !== undefined || isRoll;
  for (const [name, option] of Object.entries(sheetOptions)) {
    const given = flags[name as keyof SheetFlags] !== undefined && name !== 'sheet' && name !== 'grid';
    const needs = ['label', 'gap', 'paper'].includes(name) ? '--grid' : '--sheet, --grid or --paper WxH';
    if (given && !(needs === '--grid' ? shape || (name === 'paper' && isRoll) : isSheet)) {
      throw new UsageError(`${option.flags.split(' ', 1)} requires ${needs}`, {
        hint: `Add ${needs}, or omit ${option.flags.split(' ', 1)}`,
      });
    }
  }
  if (!isSheet) return undefined;
  if (isRoll) return rollOf(paper, margin ?? NONE);
  if (sheet !== undefined && shape)
    throw new UsageError("--sheet can't be used with --grid", { hint: 'Omit either --sheet or --grid.' });
  if (sheet !== undefined) {
    const known = findGrid(sheet) ?? unknownSheet(sheet);
    return { grid: fitting(margin === undefined ? known : { ...known, margin }, 'its page'), name: sheet };
  }
  if (!shape || !label)
    throw new UsageError('--grid requires --label WxH', {
      hint: 'Add the size of a label, as in --grid 3x7 --label 63.5x38.1mm.',
    });
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
