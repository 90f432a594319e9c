/** Draws tables with bars that fit any width; in ASCII if the terminal supports nothing else. Pure. */
import { changeOf, type Figure, type Section } from '../../../stats/figures.ts';
import type { Colours } from '../../../terminal/colour.ts';
import { fitText } from '../../../terminal/fit-text.ts';
import { type Cell, createGrid, GAP } from '../../../terminal/grid.ts';
import { displayWidth } from '../../../text/display-width.ts';
import { countOf, formatCount } from '../../../text/quote.ts';

export interface Picture {
  sections: readonly Section[];
  total: number;
  /** All scans of the previous range, if there is one. */
  previous: number | undefined;
  /** The range in words, or nothing. */
  range: string;
}

interface Surface {
  /** Columns of the terminal. */
  width: number;
  ascii: boolean;
  colours: Colours;
}

interface Signs {
  full: string;
  half: string;
  sparks: string;
  none: string;
}

const BLOCKS: Signs = { full: '█', half: '▌', sparks: '▁▂▃▄▅▆▇█', none: '–' };
const ASCII: Signs = { full: '#', half: '', sparks: '_.-=+*%#', none: '-' };

/** Longer bars add no information. */
const WIDEST_BAR = 40;
const NARROWEST_BAR = 6;
const NARROWEST_VALUE = 8;

/** Draws all sections, and the lines below them. Ends with a line end. */
export function drawFigures(picture: Picture, surface: Surface): string {
  const signs = surface.ascii ? ASCII : BLOCKS;
  const sections = picture.sections.map((section) => drawSection(section, picture, surface, signs));
  return `${[...sections, closing(picture, surface, signs)].join('\n')}`;
}

function drawSection({ kind, by, rows }: Section, picture: Picture, surface: Surface, signs: Signs): string {
  const { colours, width } = surface;
  const room = width - by.length - GAP;
  const line = kind === 'time' && rows.length > 1 && room >= NARROWEST_BAR ? sparkline(rows, room, signs) : '';
  const title = `${colours.bold(by)}${line === '' ? '' : `  ${colours.cyan(line)}`}\n`;
  if (rows.length === 0) return `${title}${colours.dim('no scans')}\n`;
  return title + table(rows, picture, surface, signs);
}

/** Scans per row as one character each; if there are more rows than columns, neighbors are combined. */
function sparkline(rows: readonly Figure[], room: number, { sparks }: Signs): string {
  const each = Math.ceil(rows.length / room);
  const sums: number[] = [];
  rows.forEach(({ scans }, at) => {
    const place = Math.floor(at / each);
    sums[place] = (sums[place] ?? 0) + scans;
  });
  const most = largest(sums);
  return sums.map((sum) => sparks[most === 0 ? 0 : Math.round((sum / most) * (sparks.length - 1))]).join('');
}

function table(rows: readonly Figure[], { previous }: Picture, { width, colours }: Surface, signs: Signs): string {
  const compared = previous !== undefined;
  const numbers = [
    { head: 'scans', of: ({ scans }: Figure) => formatCount(scans) },
    { head: 'share', of: ({ share }: Figure) => formatPercent(share, signs) },
    ...(compared
      ? [
          { head: 'before', of: ({ previous }: Figure) => (previous === null ? signs.none : formatCount(previous)) },
          { head: 'change', of: ({ change }: Figure) => formatChange(change, signs) },
        ]
      : []),
  ];
  let shown = numbers.map(({ head, of }) => ({ head, of, width: widest([head, ...rows.map(of)]) }));
  const takenBy = (columns: readonly { width: number }[]) => columns.reduce((sum, column) => sum + column.width + GAP, 0);
  while (shown.length > 1 && width - takenBy(shown) < NARROWEST_VALUE) shown = shown.slice(0, -1);
  const names = rows.map((row) => nameOf(row, signs));
  const left = width - takenBy(shown);
  const natural = widest(names);
  const ofValue = Math.max(
    1,
    Math.min(natural, left - GAP - NARROWEST_BAR >= NARROWEST_VALUE ? left - GAP - NARROWEST_BAR : left),
  );
  const ofBar = Math.min(WIDEST_BAR, left - ofValue - GAP);
  const hasBar = ofBar >= NARROWEST_BAR;
  const most = largest(rows.map(({ scans }) => scans));
  const columns = [
    { width: ofValue },
    { width: shown[0]?.width ?? 1, align: 'right' as const },
    ...(hasBar ? [{ width: ofBar }] : []),
    ...shown.slice(1).map((column) => ({ width: column.width, align: 'right' as const })),
  ];
  const head = ['', 'scans', ...(hasBar ? [''] : []), ...shown.slice(1).map((column) => column.head)];
  const lines = rows.map((row, at): Cell[] => {
    const [scans = '', ...others] = shown.map(({ of }) => of(row));
    const bar: Cell[] = hasBar ? [{ text: barOf(row.scans, most, ofBar, signs), colour: 'cyan' }] : [];
    const name: Cell = { text: fitText(names[at] ?? '', ofValue), colour: row.value === null || row.isRest ? 'dim' : undefined };
    return [name, { text: scans }, ...bar, ...others.map((text): Cell => ({ text, colour: colourOf(text) }))];
  });
  return createGrid(columns, colours)([head.map((text): Cell => ({ text, colour: 'dim' })), ...lines]);
}

/** A value could look like the label of empty values or of all others: values are without parentheses. */
function nameOf({ value, isRest, isPart }: Figure, { none }: Signs): string {
  if (isRest) return '(other)';
  return value === null ? `(none)` : `${value}${isPart ? ' *' : ''}` || none;
}

function barOf(scans: number, most: number, room: number, { full, half }: Signs): string {
  if (most === 0 || scans === 0) return '';
  const halves = Math.max(half === '' ? 2 : 1, Math.round((scans / most) * room * 2));
  return full.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? half : '');
}

function closing({ sections, total, previous, range }: Picture, { colours, width }: Surface, signs: Signs): string {
  const lines = [`${countOf(total, 'scan')} ${range}`.trim()];
  if (previous !== undefined) {
    const change = changeOf(total, previous);
    lines.push(`Previous period: ${countOf(previous, 'scan')}${change === null ? '' : ` (${formatChange(change, signs)})`}`);
  }
  if (sections.some(({ rows }) => rows.some(({ isPart }) => isPart)))
    lines.push('* incomplete: partly outside the range, or not over yet');
  lines.push('Scans, not people: repeated scans are counted again.');
  return lines.map((line) => `${colours.dim(fitText(line, Math.max(width, 20)))}\n`).join('');
}

function widest(texts: readonly string[]): number {
  return largest(texts.map((text) => displayWidth(fitText(text, 60))));
}

function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

function colourOf(text: string) {
  if (/^\+[^0]*[1-9]/.test(text)) return 'green';
  return /^-\d/.test(text) ? 'red' : undefined;
}

function formatPercent(fraction: number | null, { none }: Pick<Signs, 'none'>): string {
  return fraction === null ? none : `${(fraction * 100).toFixed(1)}%`;
}

function formatChange(fraction: number | null, { none }: Pick<Signs, 'none'>): string {
  if (fraction === null) return none;
  return `${fraction >= 0 ? '+' : '-'}${Math.abs(fraction * 100).toFixed(fraction >= 10 ? 0 : 1)}%`;
}
