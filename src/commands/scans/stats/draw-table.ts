/** Draws the rows of one dimension: values, names of codes, bars, and as many columns of numbers as fit. */
import { displayWidth } from '../../../base/text/display-width.ts';
import { formatCount } from '../../../base/text/quote.ts';
import type { Figure, Section } from '../../../scans/stats/figures.ts';
import type { Colours } from '../../../terminal/colour.ts';
import { fitText } from '../../../terminal/fit-text.ts';
import { type Cell, createGrid, GAP } from '../../../terminal/grid.ts';
import {
  colourOfChange,
  formatAverage,
  formatChange,
  formatPrevious,
  formatShare,
  formatValue,
  type SIGNS,
  type Signs,
} from './figure-texts.ts';

/** Longer bars add no information. */
const WIDEST_BAR = 40;
export const NARROWEST_BAR = 6;
const NARROWEST_TEXT = 8;
const WIDEST_TEXT = 60;
const READABLE_NAME = 24;

export interface Surface {
  /** Columns of the terminal. */
  width: number;
  style: keyof typeof SIGNS;
  colours: Colours;
}

/** Column of numbers; if not all fit, the least important are left out. */
interface NumberColumn {
  head: string;
  importance: number;
  cells: readonly Cell[];
  width: number;
}

/** Returns the sizes that bars and sparklines show: averages of weekdays and hours, because a range has more of some than of others. */
export function sizesOf({ kind, by, rows }: Section): number[] {
  const isRecurring = kind === 'time' && (by === 'weekday' || by === 'hour');
  return rows.map(({ scans, perDay }) => (isRecurring ? (perDay ?? 0) : scans));
}

/** Draws the table; `file`: the one that the columns of codes are from. */
export function drawTable(
  section: Section,
  { isCompared, file }: { isCompared: boolean; file: string | undefined },
  { width, colours }: Surface,
  signs: Signs,
): string {
  const { rows } = section;
  const values = rows.map((row) => formatValue(row, section, signs, file));
  const names = rows.map(({ name }) => name ?? '');
  const hasNames = names.some((name) => name !== '');
  const numbers = fitting(
    numbersOf(section, isCompared, signs),
    width,
    hasNames ? 2 * NARROWEST_TEXT + GAP : NARROWEST_TEXT,
  );
  const left = width - numbers.reduce((sum, column) => sum + column.width + GAP, 0);
  const { ofValue, ofName, ofBar } = shareRoom(
    left,
    { value: widest(values), name: hasNames ? widest(names) : 0 },
    signs.full !== '',
  );
  const sizes = sizesOf(section);
  // All others together would make each of the named look like nothing.
  const most = Math.max(0, ...sizes.filter((_, at) => !rows[at]?.isRest));
  const [scans, ...others] = numbers;
  const columns = [
    { width: ofValue },
    ...(ofName > 0 ? [{ width: ofName }] : []),
    { width: scans?.width ?? 1, align: 'right' as const },
    ...(ofBar > 0 ? [{ width: ofBar }] : []),
    ...others.map((column) => ({ width: column.width, align: 'right' as const })),
  ];
  const line = (
    value: Cell,
    name: Cell,
    bar: Cell,
    cellOf: (column: NumberColumn) => Cell | undefined,
  ): Cell[] => [
    { ...value, text: fitText(value.text, ofValue) },
    ...(ofName > 0 ? [{ ...name, text: fitText(name.text, ofName) }] : []),
    (scans && cellOf(scans)) ?? { text: '' },
    ...(ofBar > 0 ? [bar] : []),
    ...others.map((column) => cellOf(column) ?? { text: '' }),
  ];
  const lines = rows.map((row, at) => {
    const isDim = row.value === null || row.isRest;
    const bar = row.isRest ? '' : barOf(sizes[at] ?? 0, most, ofBar, signs);
    return line(
      { text: values[at] ?? '', colour: isDim ? 'dim' : undefined },
      { text: names[at] ?? '', colour: 'dim' },
      { text: bar, colour: 'cyan' },
      ({ cells }) => cells[at],
    );
  });
  const empty: Cell = { text: '' };
  const head = line(empty, empty, empty, (column) => ({ text: column.head, colour: 'dim' }));
  return createGrid(columns, colours)([head, ...lines]);
}

function numbersOf({ rows, comparesAverages }: Section, isCompared: boolean, signs: Signs): NumberColumn[] {
  const column = (head: string, importance: number, cellOf: (row: Figure) => string | Cell): NumberColumn => {
    const cells = rows.map(cellOf).map((cell) => (typeof cell === 'string' ? { text: cell } : cell));
    return { head, importance, cells, width: widest([head, ...cells.map(({ text }) => text)]) };
  };
  const average = (perDay: number | null) => (perDay === null ? null : formatAverage(perDay));
  return [
    column('scans', 6, ({ scans }) => formatCount(scans)),
    column('share', 1, ({ share }) => formatShare(share, signs)),
    ...(comparesAverages ? [column('per day', 4, ({ perDay }) => average(perDay) ?? signs.none)] : []),
    ...(isCompared
      ? [
          column('before', comparesAverages ? 2 : 4, ({ previous, isBeforeData }) =>
            formatPrevious(previous === null ? null : formatCount(previous), isBeforeData, signs),
          ),
        ]
      : []),
    ...(isCompared && comparesAverages
      ? [
          column('before/day', 3, (row) =>
            formatPrevious(average(row.previousPerDay), row.isBeforeData, signs),
          ),
        ]
      : []),
    ...(isCompared
      ? [
          column('change', 5, ({ change }) => ({
            text: formatChange(change, signs),
            colour: colourOfChange(change),
          })),
        ]
      : []),
  ];
}

/** Leaves out the least important columns until the texts have `room`. The first column always stays. */
function fitting(numbers: readonly NumberColumn[], width: number, room: number): NumberColumn[] {
  const taken = numbers.reduce((sum, column) => sum + column.width + GAP, 0);
  if (numbers.length <= 1 || width - taken >= room) return [...numbers];
  const least = Math.min(...numbers.map(({ importance }) => importance));
  return fitting(
    numbers.filter(({ importance }) => importance !== least),
    width,
    room,
  );
}

/** Shares the columns that numbers leave: the value first, then a name, then a bar. Zero: there is no room for it. */
function shareRoom(
  left: number,
  natural: { value: number; name: number },
  hasBars: boolean,
): { ofValue: number; ofName: number; ofBar: number } {
  const ofLeastBar = hasBars ? GAP + NARROWEST_BAR : 0;
  const ofLeastName = natural.name > 0 ? Math.min(natural.name, NARROWEST_TEXT) + GAP : 0;
  const reserved =
    [ofLeastName + ofLeastBar, ofLeastName, 0].find((room) => left - room >= NARROWEST_TEXT) ?? 0;
  const ofValue = Math.max(1, Math.min(natural.value, left - reserved));
  const behind = left - ofValue;
  // A name that can be read matters more than a short bar.
  const wanted = Math.min(natural.name, READABLE_NAME) + GAP;
  const forName = behind - ofLeastBar >= wanted ? behind - ofLeastBar : behind;
  const ofName = natural.name > 0 && forName >= ofLeastName ? Math.min(natural.name, forName - GAP) : 0;
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
