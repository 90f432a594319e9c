import { groupBy } from '#base/collections';
import { displayWidth } from '#base/text/display-width';
import { type Column, textOf } from '#files/formats/columns';
import { type Formatter, formatterOf } from '#files/formats/formatter';
import type { Row } from '#files/formats/row-sink';
import type { Colors } from './color.ts';
import { type Cell, createGrid, ELLIPSIS, fitText, GAP } from './grid.ts';
import { wrapWords } from './wrap-words.ts';

export interface TableOptions {
  columns: readonly Column[];
  width: number;
  colors: Colors;
  header: boolean;
  ruled: boolean;
  mayDrop: boolean;
  onDropped: (names: string[]) => void;
}

const SAMPLE = 1000;

/** Maximum width in columns of a cell without another limit. */
const WIDEST_CELL = 1000;

export function createTableFormatter(options: TableOptions): Formatter {
  let waiting: Row[] = [];
  let table: ReturnType<typeof layOutTable> | undefined;

  function flush(): string {
    if (waiting.length === 0) return '';
    const rows = waiting;
    waiting = [];
    const head = !table && options.header;
    table ??= layOutTable(rows, options);
    const { placed, below, draw } = table;
    const lines = rows.map((row) => {
      const long = below.filter((column) => !fitsIn(column, row, placed));
      const cells = placed.map(({ column, width, origin }) =>
        long.includes(column) ? EMPTY : cellOf(column, row, width, origin),
      );
      return draw([cells]) + long.map((column) => sentence(column, row, options.width)).join('');
    });
    return (head ? draw(headLines(placed, options.ruled)) : '') + lines.join('');
  }
  return {
    begin: () => '',
    rows(rows) {
      for (const row of rows) waiting.push(row);
      return table || waiting.length >= SAMPLE ? flush() : '';
    },
    end: flush,
  };
}

export function createRecordFormatter({
  columns,
  colors,
  extra,
}: Pick<TableOptions, 'columns' | 'colors'> & { extra: boolean }): Formatter {
  function render(record: Row): string {
    const known = new Set(columns.map(({ name }) => name));
    const others = extra ? Object.keys(record).filter((name) => !known.has(name)) : [];
    const lines = [...columns, ...others.map((name) => ({ name }))].map((column): Cell[] => {
      const value = cellOf(column, record, WIDEST_CELL);
      return [
        { text: fitText(column.name, WIDEST_CELL), color: 'dim' },
        value.text === '' ? { text: '–', color: 'dim' } : value,
      ];
    });
    const width = (index: number) =>
      Math.max(0, ...lines.map((cells) => displayWidth(cells[index]?.text ?? '')));
    return createGrid([{ width: width(0) }, { width: width(1) }], colors)(lines);
  }
  return formatterOf(([record = {}]) => render(record));
}

function layOutTable(rows: readonly Row[], options: TableOptions) {
  const placed = place(rows, options);
  const widths = placed.map(({ column: { align }, width }) => ({ align, width }));
  const below = options.columns.filter((column) => column.below);
  return { placed, below, draw: createGrid(widths, options.colors) };
}

const EMPTY: Cell = { text: '' };

function fitsIn(column: Column, row: Row, placed: readonly Placed[]): boolean {
  const width = placed.find((found) => found.column === column)?.width ?? 0;
  return displayWidth(cellOf(column, row, WIDEST_CELL).text) <= width;
}

function sentence(column: Column, row: Row, width: number): string {
  return `${wrapWords(`  ${cellOf(column, row, WIDEST_CELL).text}`, width)}\n`;
}

function place(rows: readonly Row[], { columns, width, mayDrop, onDropped }: TableOptions): Placed[] {
  const measured = columns.map((column) => {
    const most = column.keepWhole ? WIDEST_CELL : Math.min(width, WIDEST_CELL);
    let natural = displayWidth(column.name);
    for (const row of rows) {
      natural = Math.max(natural, displayWidth(cellOf(column, row, most).text));
      if (natural >= most) break;
    }
    return { column, natural };
  });
  const beside = withoutSentences(measured, width);
  const placed = layOut(beside, width, mayDrop).map((placed) => ({
    ...placed,
    origin: commonOrigin(placed.column, rows),
  }));
  const shown = new Set(
    [...placed, ...measured.filter((all) => !beside.includes(all))].map(({ column }) => column),
  );
  const dropped = columns.filter((column) => !shown.has(column)).map(({ name }) => name);
  if (dropped.length > 0) onDropped(dropped);
  return placed;
}

function withoutSentences(measured: readonly Measured[], width: number): readonly Measured[] {
  const others = measured.filter(({ column }) => !column.below);
  return total(measured.map(({ natural }) => natural)) <= width || others.length === 0 ? measured : others;
}

function headLines(placed: readonly Placed[], ruled: boolean): Cell[][] {
  const names = placed.map(
    ({ column, width }): Cell => ({ text: fitText(column.name, width), color: 'bold' }),
  );
  return ruled ? [names, placed.map(({ width }) => ({ text: '─'.repeat(width), color: 'dim' }))] : [names];
}

function cellOf(column: Column, record: Row, width: number, origin = ''): Cell {
  const most = column.keepWhole ? WIDEST_CELL : width;
  const whole = textOf(column, record);
  const isCut = origin !== '' && whole.startsWith(origin) && displayWidth(whole.slice(0, width + 1)) > width;
  const text = isCut ? ELLIPSIS + whole.slice(origin.length) : whole;
  return { text: fitText(text, most), color: column.color?.(record[column.name]) };
}

const LONGEST_ORIGIN = 100;

/** Returns the scheme and host that at least half of a column's URLs share; '' if there is none. */
function commonOrigin(column: Column, rows: readonly Row[]): string {
  if (!column.isUrl) return '';
  const starts = rows.flatMap((row) => textOf(column, row).slice(0, LONGEST_ORIGIN) || []);
  const origins = groupBy(starts, (start) => /^https?:\/\/[^/]+(?=\/)/i.exec(start)?.[0] ?? '');
  const [[origin, sharing] = ['', []]] = [...origins].sort(([, a], [, b]) => b.length - a.length);
  return sharing.length > 1 && sharing.length * 2 >= starts.length ? origin : '';
}

interface Measured<C extends Column = Column> {
  column: C;
  natural: number;
}

interface Placed {
  column: Column;
  width: number;
  origin: string;
}

const LEAST_WIDTH = 10;

const least = ({ column: { keepWhole, leastWidth = LEAST_WIDTH }, natural }: Measured) =>
  keepWhole ? natural : Math.min(natural, leastWidth);
const wished = (measured: Measured) =>
  Math.max(least(measured), Math.min(measured.natural, measured.column.wishedWidth ?? 0));
const floor = ({ column: { keepWhole }, natural }: Measured) =>
  keepWhole ? natural : Math.min(natural, LEAST_WIDTH);
const total = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));

/** Narrows columns to fit `width`. Before that, drops the least important (last of equals) if `mayDrop`. */
export function layOut<C extends Column>(measured: readonly Measured<C>[], width: number, mayDrop: boolean) {
  const kept = [...measured];
  while (mayDrop && kept.length > 1 && !fits(kept, width)) kept.splice(leastImportant(kept), 1);
  const widths = kept.map(({ natural }) => natural);
  shrink(widths, kept.map(least), width);
  shrink(widths, kept.map(floor), width);
  return kept.map(({ column }, index) => ({ column, width: widths[index] ?? 0 }));
}

function fits(measured: readonly Measured[], width: number): boolean {
  const isWhole = measured[leastImportant(measured)]?.column.keepWhole === true;
  return total(measured.map(isWhole ? wished : least)) <= width;
}

function leastImportant(measured: readonly Measured[]): number {
  const importances = measured.map(({ column }) => column.importance ?? 0);
  return importances.lastIndexOf(Math.min(...importances));
}

/** Narrows the widest column by one at a time, so that wide columns become equally wide. */
function shrink(widths: number[], floors: readonly number[], width: number): void {
  for (let excess = total(widths) - width; excess > 0; excess--) {
    const free = widths.map((own, index) => (own > (floors[index] ?? 0) ? own : 0));
    const widest = Math.max(...free);
    if (widest === 0) return;
    widths[free.lastIndexOf(widest)] = widest - 1;
  }
}
