import { basename } from 'node:path';
import { displayWidth } from '#base/text/display-width';
import { formatCount } from '#base/text/quote';
import { isRecurring } from '#scans/stats/dimensions';
import type { Figure, Section } from '#scans/stats/figures';
import type { Colors } from '#terminal/color';
import { type Cell, createGrid, fitText, GAP } from '#terminal/grid';

const WIDEST_BAR = 40;
export const NARROWEST_BAR = 6;
const NARROWEST_TEXT = 8;
const WIDEST_TEXT = 60;
const READABLE_NAME = 24;
const LARGEST_CHANGE = 9.99;

/** Characters of a table. Without `full` there are no bars, and without `sparks` no sparklines. */
export interface Signs {
  full: string;
  half: string;
  sparks: string;
  none: string;
  beforeData: string;
  part: string;
}

/** Character sets. `words` is for screen readers, which skip signs or read each of them. */
export const SIGNS = {
  blocks: { full: '█', half: '▌', sparks: '▁▂▃▄▅▆▇█', none: '–', beforeData: '†', part: '*' },
  ascii: { full: '#', half: '', sparks: '_.-=+*%#', none: '-', beforeData: '!', part: '*' },
  words: {
    full: '',
    half: '',
    sparks: '',
    none: 'none',
    beforeData: 'from before the data',
    part: 'incomplete',
  },
} as const satisfies Record<string, Signs>;

export interface Surface {
  width: number;
  signs: Signs;
  colors: Colors;
}

interface NumberColumn {
  head: string;
  importance: number;
  cells: readonly Cell[];
  width: number;
}

/** Returns the sizes of bars: averages for weekdays and hours, because a range may contain more of some. */
export function sizesOf(section: Section): number[] {
  return section.rows.map(({ scans, perDay }) => (isRecurring(section) ? (perDay ?? 0) : scans));
}

export function drawTable(
  section: Section,
  { isCompared, file }: { isCompared: boolean; file: string | undefined },
  { width, colors, signs }: Surface,
): string {
  const { rows } = section;
  const values = rows.map((row) => formatValue(row, section, signs, file));
  const names = rows.map(({ name }) => name ?? '');
  const widestName = widest(names);
  const leastText = widestName > 0 ? 2 * NARROWEST_TEXT + GAP : NARROWEST_TEXT;
  const numbers = fitting(numbersOf(section, isCompared, signs), width, leastText);
  const left = width - widthOf(numbers);
  const { ofValue, ofName, ofBar } = shareRoom(left, widest(values), widestName, signs.full !== '');
  const sizes = sizesOf(section);
  const most = Math.max(0, ...sizes.filter((_, at) => !rows[at]?.isRest));
  const right = (column?: NumberColumn) => ({ width: column?.width ?? 1, align: 'right' as const });
  const [scans, ...others] = numbers;
  const columns = [
    { width: ofValue },
    ...(ofName > 0 ? [{ width: ofName }] : []),
    right(scans),
    ...(ofBar > 0 ? [{ width: ofBar }] : []),
    ...others.map((column) => right(column)),
  ];
  const line = (value: Cell, name: Cell, bar: Cell, cellOf: (column: NumberColumn) => Cell | undefined) => [
    { ...value, text: fitText(value.text, ofValue) },
    ...(ofName > 0 ? [{ ...name, text: fitText(name.text, ofName) }] : []),
    (scans && cellOf(scans)) ?? EMPTY,
    ...(ofBar > 0 ? [bar] : []),
    ...others.map((column) => cellOf(column) ?? EMPTY),
  ];
  const head = line(EMPTY, EMPTY, EMPTY, (column) => ({ text: column.head, color: 'dim' }));
  const lines = rows.map((row, at) =>
    line(
      { text: values[at] ?? '', color: row.value === null || row.isRest ? 'dim' : undefined },
      { text: names[at] ?? '', color: 'dim' },
      { text: row.isRest ? '' : barOf(sizes[at] ?? 0, most, ofBar, signs), color: 'cyan' },
      ({ cells }) => cells[at],
    ),
  );
  return createGrid(columns, colors)([head, ...lines]);
}

const EMPTY: Cell = { text: '' };

function numbersOf({ rows, comparesAverages }: Section, isCompared: boolean, signs: Signs): NumberColumn[] {
  const column = (head: string, importance: number, cellOf: (row: Figure) => string | Cell): NumberColumn => {
    const cells = rows.map(cellOf).map((cell) => (typeof cell === 'string' ? { text: cell } : cell));
    return { head, importance, cells, width: widest([head, ...cells.map(({ text }) => text)]) };
  };
  const average = (perDay: number | null) => (perDay === null ? signs.none : formatAverage(perDay));
  const marked = (text: string, { isBeforeData }: Figure) =>
    `${text}${isBeforeData ? ` ${signs.beforeData}` : ''}`;
  const numbers = [
    column('scans', 6, ({ scans }) => formatCount(scans)),
    column('share', 1, ({ share }) => (share === null ? signs.none : `${(share * 100).toFixed(1)}%`)),
  ];
  if (comparesAverages) numbers.push(column('per day', 4, ({ perDay }) => average(perDay)));
  if (!isCompared) return numbers;
  numbers.push(
    column('before', comparesAverages ? 2 : 4, (row) =>
      marked(row.previous === null ? signs.none : formatCount(row.previous), row),
    ),
  );
  if (comparesAverages)
    numbers.push(column('before/day', 3, (row) => marked(average(row.previousPerDay), row)));
  numbers.push(
    column('change', 5, ({ change }) => ({
      text: formatChange(change, signs),
      color: colorOfChange(change),
    })),
  );
  return numbers;
}

function fitting(numbers: readonly NumberColumn[], width: number, room: number): readonly NumberColumn[] {
  if (numbers.length <= 1 || width - widthOf(numbers) >= room) return numbers;
  const least = Math.min(...numbers.map(({ importance }) => importance));
  const others = numbers.filter(({ importance }) => importance !== least);
  return fitting(others, width, room);
}

function widthOf(numbers: readonly NumberColumn[]): number {
  return numbers.reduce((sum, { width }) => sum + width + GAP, 0);
}

function shareRoom(
  left: number,
  widestValue: number,
  widestName: number,
  hasBars: boolean,
): { ofValue: number; ofName: number; ofBar: number } {
  const leastBar = hasBars ? GAP + NARROWEST_BAR : 0;
  const leastName = widestName > 0 ? Math.min(widestName, NARROWEST_TEXT) + GAP : 0;
  const reserved = [leastName + leastBar, leastName, 0].find((room) => left - room >= NARROWEST_TEXT) ?? 0;
  const ofValue = Math.max(1, Math.min(widestValue, left - reserved));
  const behind = left - ofValue;
  const wanted = Math.min(widestName, READABLE_NAME) + GAP;
  const forName = behind - leastBar >= wanted ? behind - leastBar : behind;
  const ofName = widestName > 0 && forName >= leastName ? Math.min(widestName, forName - GAP) : 0;
  const forBar = behind - (ofName > 0 ? ofName + GAP : 0) - GAP;
  return { ofValue, ofName, ofBar: hasBars && forBar >= NARROWEST_BAR ? Math.min(WIDEST_BAR, forBar) : 0 };
}

function barOf(size: number, most: number, room: number, { full, half }: Signs): string {
  if (most === 0 || size === 0) return '';
  const halves = Math.max(half === '' ? 2 : 1, Math.round((size / most) * room * 2));
  return full.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? half : '');
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(fitText(text, WIDEST_TEXT))), 0);
}

/** Formats a value, or a label in parentheses, which values never have. */
export function formatValue(
  { value, isRest, isPart }: Figure,
  { noneIs }: Section,
  { part }: Signs,
  file = '',
): string {
  if (isRest) return '(other)';
  if (value !== null) return `${value}${isPart ? ` ${part}` : ''}`;
  if (noneIs === 'unlisted') return `(not in ${basename(file)})`;
  return noneIs === 'both' ? `(none, or not in ${basename(file)})` : '(none)';
}

/** Formats an average with one decimal, or with two if it or a neighbor in `beside` would be zero. */
export function formatAverage(average: number): string {
  return average >= 100 ? formatCount(Math.round(average)) : average.toFixed(1);
}

export function formatChange(change: number | null, { none }: Signs): string {
  if (change === null) return none;
  if (change > LARGEST_CHANGE) return 'more than tenfold';
  return `${change >= 0 ? '+' : '-'}${Math.abs(change * 100).toFixed(1)}%`;
}

function colorOfChange(change: number | null): Cell['color'] {
  const shown = Math.round((change ?? 0) * 1000);
  if (shown === 0) return undefined;
  return shown > 0 ? 'green' : 'red';
}
