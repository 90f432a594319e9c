import { basename } from 'node:path';
import { sum } from '#base/collections';
import { displayWidth } from '#base/text/display-width';
import { formatCount } from '#base/text/quote';
import type { Column } from '#files/formats/columns';
import { isRecurring } from '#scans/stats/dimensions';
import type { Figure, Section } from '#scans/stats/figures';
import type { Colors } from '#terminal/color';
import { type Cell, createGrid, fitText, GAP } from '#terminal/grid';
import { layOut } from '#terminal/table';

const WIDEST_BAR = 40;
export const NARROWEST_BAR = 6;
const NARROWEST_TEXT = 8;
const WIDEST_TEXT = 60;
const LARGEST_CHANGE = 9.99;

/** Characters for tables. An empty `full` means no bars, and an empty `sparks` no sparklines. */
export type Signs = Record<'full' | 'half' | 'sparks' | 'none' | 'beforeData' | 'part', string>;

/** Sets of characters. `words` is for screen readers, which skip symbols or read out each one. */
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

interface TableColumn extends Column {
  cells: readonly Cell[];
}

/** Returns the sizes of bars. Weekdays and hours use averages, because some occur more often in a range. */
export function sizesOf(section: Section): number[] {
  return section.rows.map(({ scans, perDay }) => (isRecurring(section) ? (perDay ?? 0) : scans));
}

export function drawTable(
  section: Section,
  { isCompared, file }: { isCompared: boolean; file?: string },
  { width, colors, signs }: Surface,
): string {
  const columns = [...textsOf(section, signs, file), ...numbersOf(section, isCompared, signs)];
  const measured = columns.map((column) => {
    const widths = [column.name, ...column.cells.map(({ text }) => text)].map((text) =>
      displayWidth(fitText(text, WIDEST_TEXT)),
    );
    return { column, natural: widths.reduce((most, each) => Math.max(most, each)) };
  });
  let placed = layOut(measured, width, true);
  const kept = measured.filter(({ column }) => placed.some((other) => other.column === column));
  const besideBars = layOut(kept, width - GAP - NARROWEST_BAR, false);
  const ofBar = Math.min(WIDEST_BAR, width - sum(besideBars.map((column) => column.width + GAP)));
  if (signs.full !== '' && ofBar >= NARROWEST_BAR) {
    const after = besideBars.findIndex(({ column }) => column.name === 'scans') + 1;
    const bars = { column: { name: '', cells: barsOf(section, ofBar, signs) }, width: ofBar };
    placed = besideBars.toSpliced(after, 0, bars);
  }
  const line = (cellOf: (column: TableColumn) => Cell | undefined) =>
    placed.map(({ column, width }) => {
      const cell = cellOf(column) ?? { text: '' };
      return { ...cell, text: fitText(cell.text, width) };
    });
  const head = line(({ name }) => ({ text: name, color: 'dim' }));
  const lines = section.rows.map((_, at) => line(({ cells }) => cells[at]));
  const grid = placed.map(({ column: { align }, width }) => ({ align, width }));
  return createGrid(grid, colors)([head, ...lines]);
}

function textsOf(section: Section, signs: Signs, file: string | undefined): TableColumn[] {
  const { rows } = section;
  const values = rows.map((row): Cell => {
    const color = row.value === null || row.isRest ? 'dim' : undefined;
    return { text: formatValue(row, section, signs, file), color };
  });
  const value = { name: '', importance: 8, leastWidth: NARROWEST_TEXT, cells: values };
  if (!rows.some(({ name }) => name)) return [value];
  const names = rows.map(({ name }): Cell => ({ text: name ?? '', color: 'dim' }));
  return [value, { ...value, importance: 6, cells: names }];
}

function numbersOf({ rows, comparesAverages }: Section, isCompared: boolean, signs: Signs): TableColumn[] {
  const column = (name: string, importance: number, cellOf: (row: Figure) => string | Cell): TableColumn => {
    const cells = rows.map(cellOf).map((cell) => (typeof cell === 'string' ? { text: cell } : cell));
    return { name, importance, align: 'right', keepWhole: true, cells };
  };
  const average = (perDay: number | null) => (perDay === null ? signs.none : formatAverage(perDay));
  const marked = (text: string, { isBeforeData }: Figure) =>
    `${text}${isBeforeData ? ` ${signs.beforeData}` : ''}`;
  const numbers = [
    column('scans', 7, ({ scans }) => formatCount(scans)),
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

function barsOf(section: Section, room: number, signs: Signs): Cell[] {
  const sizes = sizesOf(section).map((size, at) => (section.rows[at]?.isRest ? 0 : size));
  const most = Math.max(0, ...sizes);
  return sizes.map((size) => ({ text: barOf(size, most, room, signs), color: 'cyan' }));
}

function barOf(size: number, most: number, room: number, { full, half }: Signs): string {
  if (most === 0 || size === 0) return '';
  const halves = Math.max(half === '' ? 2 : 1, Math.round((size / most) * room * 2));
  return full.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? half : '');
}

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

export function formatAverage(average: number): string {
  return average >= 100 ? formatCount(Math.round(average)) : average.toFixed(1);
}

export function formatChange(change: number | null, { none }: Signs): string {
  if (change === null) return none;
  if (change > LARGEST_CHANGE) return 'more than tenfold';
  const percent = Math.abs(change * 100).toFixed(1);
  return `${change < 0 && percent !== '0.0' ? '-' : '+'}${percent}%`;
}

function colorOfChange(change: number | null): Cell['color'] {
  const shown = Math.round((change ?? 0) * 1000);
  if (shown === 0) return undefined;
  return shown > 0 ? 'green' : 'red';
}
