/** Tables for people: service text cleaned, cells cut to fit the terminal, colour only on top of what the text says. */

import type { Row } from '../row-sink.ts';
import type { Colours } from './colour.ts';
import type { Column } from './columns.ts';
import { displayWidth } from './display-width.ts';
import { fitText } from './fit-text.ts';
import type { Formatter } from './formatter.ts';
import { type Cell, createGrid } from './grid.ts';
import { formatJson } from './json-lines.ts';
import { layOut, type Placed } from './table-layout.ts';

export interface TableOptions {
  columns: readonly Column[];
  /** Columns of the terminal; Infinity for a file. */
  width: number;
  colours: Colours;
  header: boolean;
  /** Columns may be left out to fit; not when a person chose them. */
  mayDrop: boolean;
  /** Told once which were. */
  onDropped: (names: string[]) => void;
}

/** The layout is decided on that many rows, so that a table of millions needs no memory. */
const SAMPLE = 1000;

/** Wider than any screen: what a cell may take where nothing else bounds it. */
const WIDEST_CELL = 1000;

/** A formatter of aligned columns. It prints nothing before it has seen a sample of the rows, or their end. */
export function createTableFormatter(options: TableOptions): Formatter {
  let waiting: Row[] = [];
  let table: ReturnType<typeof layOutTable> | undefined;

  function flush(): string {
    if (waiting.length === 0) return '';
    const rows = waiting;
    waiting = [];
    const head = !table && options.header;
    table ??= layOutTable(rows, options);
    const { placed, draw } = table;
    const lines = rows.map((row) => placed.map(({ column, width }) => cellOf(column, row, width)));
    return draw(head ? [...headLines(placed), ...lines] : lines);
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

/** One record: names and values in two columns. Values are whole, so that they can be copied; `extra` shows unnamed fields too. */
export function createRecordFormatter({
  columns,
  colours,
  extra,
}: {
  columns: readonly Column[];
  colours: Colours;
  extra: boolean;
}): Formatter {
  function render(record: Row): string {
    const known = new Set(columns.map(({ name }) => name));
    const others = extra ? Object.keys(record).filter((name) => !known.has(name)) : [];
    const lines = [...columns, ...others.map((name) => ({ name }))].map((column): Cell[] => {
      const value = cellOf(column, record, WIDEST_CELL);
      return [
        { text: fitText(column.name, WIDEST_CELL), colour: 'dim' },
        value.text === '' ? { text: '–', colour: 'dim' } : value,
      ];
    });
    const width = (index: number) => Math.max(0, ...lines.map((cells) => displayWidth(cells[index]?.text ?? '')));
    return createGrid([{ width: width(0) }, { width: width(1) }], colours)(lines);
  }
  return { begin: () => '', rows: ([record = {}]) => render(record), end: () => '' };
}

function layOutTable(rows: readonly Row[], options: TableOptions) {
  const placed = place(rows, options);
  const widths = placed.map(({ column: { align }, width }) => ({ align, width }));
  return { placed, draw: createGrid(widths, options.colours) };
}

function place(rows: readonly Row[], { columns, width, mayDrop, onDropped }: TableOptions): Placed[] {
  const measured = columns.map((column) => {
    const most = column.keepWhole ? WIDEST_CELL : Math.min(width, WIDEST_CELL);
    let natural = displayWidth(column.name);
    for (const row of rows) natural = Math.max(natural, displayWidth(cellOf(column, row, most).text));
    return { column, natural };
  });
  const placed = layOut(measured, width, mayDrop);
  const shown = new Set(placed.map(({ column }) => column));
  const dropped = columns.filter((column) => !shown.has(column)).map(({ name }) => name);
  if (dropped.length > 0) onDropped(dropped);
  return placed;
}

function headLines(placed: readonly Placed[]): Cell[][] {
  const names = placed.map(({ column, width }): Cell => ({ text: fitText(column.name, width), colour: 'bold' }));
  return [names, placed.map(({ width }) => ({ text: '─'.repeat(width), colour: 'dim' }))];
}

function cellOf(column: Column, record: Row, width: number): Cell {
  const value = record[column.name];
  const most = column.keepWhole ? WIDEST_CELL : width; // one wider than the sample's stands out of line, but whole
  return { text: fitText(textOf(column, value, record), most), colour: column.colour?.(value) };
}

/** A value as people see it, not yet cleaned. */
function textOf({ format }: Column, value: unknown, record: Row): string {
  if (format) return format(value, record);
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? formatJson(value) : String(value);
}
