import { sum } from '#base/collections';
import type { GroupBy } from './dimensions.ts';
import { type Figure, figure } from './figure.ts';
import { type FiguresOptions, figuresOf, type Section } from './figures.ts';
import { keyOf, nameOfPair, type Pair, partsOf, type Tally } from './tally.ts';
import { createValueCounter, type Value, type ValueCounter } from './value-counter.ts';

const NARROW_FIRST = ['weekday', 'month', 'hour', 'week', 'day'];

function forWidth([a, b]: Pair): Pair {
  const widthOf = ({ by }: GroupBy) => NARROW_FIRST.indexOf(by);
  return widthOf(b) > widthOf(a) ? [b, a] : [a, b];
}

export type Cross = ReturnType<typeof crossOf>;

export function isCrossApproximate(pair: Pair, { values }: Pick<Tally, 'values'>): boolean {
  return [nameOfPair(pair), ...pair.map(({ by }) => by)].some((by) => values.get(by)?.isApproximate());
}

/** F3: counts the values in an approximate table by its pairs, so that rows and columns add up. */
function countedByPairs(pair: Pair, options: FiguresOptions): FiguresOptions {
  const { current } = options;
  if (!isCrossApproximate(pair, current)) return options;
  const counts = current.values.get(nameOfPair(pair))?.counts() ?? new Map<Value, number>();
  const counters = pair.map(({ by }, at): [string, ValueCounter] => {
    const counter = createValueCounter(Infinity);
    for (const [key, scans] of counts) counter.add(partsOf(key)[at] ?? null, scans);
    return [by, counter];
  });
  return { ...options, current: { ...current, values: new Map([...current.values, ...counters]) } };
}

/** Counts a pair of dimensions. If `most` limits the columns, they show the narrower one. */
export function crossOf(pair: Pair, options: FiguresOptions, most?: number) {
  const { rows, columns, cells } = countCells(pair, options, most);
  const all = cells.map((row) => columns.rows.map((_, at) => row.get(at) ?? 0));
  return trimmed(rows, columns, all);
}

function countCells(pair: Pair, given: FiguresOptions, most?: number) {
  const options = countedByPairs(pair, given);
  const [a, b] = most === undefined ? pair : forWidth(pair);
  const keys = new Map([...(options.names ?? [])].map(([key, { value }]) => [value, key]));
  const placesIn = ({ kind }: GroupBy, { rows }: Section) =>
    new Map(
      rows.flatMap(({ value, isRest }, at): [string, number][] => {
        const key = kind === 'code' ? (keys.get(value ?? '') ?? value) : value;
        return isRest ? [] : [[keyOf(key), at]];
      }),
    );
  const rows = withRest(figuresOf(a, options), options);
  const columns = withRest(figuresOf(b, { ...options, top: most ?? options.top }), options);
  const [rowAt, columnAt] = [placesIn(a, rows), placesIn(b, columns)];
  const cells = rows.rows.map(() => new Map<number, number>());
  const rest = columns.rows.map(({ scans }) => scans);
  for (const [key, scans] of options.current.values.get(nameOfPair(pair))?.counts() ?? []) {
    const parts = partsOf(key);
    const [first = '', second = ''] = a === pair[0] ? parts : [...parts].reverse();
    const column = columnAt.get(second);
    const row = cells[rowAt.get(first) ?? -1];
    if (!row || column === undefined) continue;
    row.set(column, scans);
    rest[column] = (rest[column] ?? 0) - scans;
  }
  // F3: adds scans without a cell to the rest of their column or, if they have no column, of their row.
  const isLeft = (scans: number, at: number) => scans > 0 && !columns.rows[at]?.isRest;
  for (const [at, scans] of rest.entries()) if (isLeft(scans, at)) cells.at(-1)?.set(at, scans);
  for (const [at, row] of cells.entries()) {
    const left = (rows.rows[at]?.scans ?? 0) - sum([...row.values()]);
    if (left > 0) row.set(columns.rows.length - 1, left);
  }
  return { rows, columns, cells };
}

function withRest(section: Section, { current }: FiguresOptions): Section {
  if (section.rows.at(-1)?.isRest) return section;
  const rest = figure({ by: section.by, value: 'other', isRest: true }, uncompared(0), current.total());
  return { ...section, rows: [...section.rows, rest] };
}

function uncompared(scans: number) {
  return { scans, days: 0, previous: null, previousDays: 0 };
}

function trimmed(rows: Section, columns: Section, cells: readonly (readonly number[])[]) {
  const isEmptyRow = (cells.at(-1) ?? []).every((scans) => scans === 0);
  const isEmptyColumn = cells.every((row) => (row.at(-1) ?? 0) === 0);
  const cut = <T>(list: readonly T[], isCut: boolean) => (isCut ? list.slice(0, -1) : [...list]);
  return {
    rows: { ...rows, rows: cut(rows.rows, isEmptyRow) },
    columns: { ...columns, rows: cut(columns.rows, isEmptyColumn) },
    cells: cut(cells, isEmptyRow).map((row) => cut(row, isEmptyColumn)),
  };
}

export function figuresOfPairs(pair: Pair, options: FiguresOptions): Figure[] {
  const { rows, columns, cells } = countCells(pair, options);
  const all = options.current.total();
  return rows.rows.flatMap(({ by, value, name }, at) => {
    const inOrder = [...(cells[at] ?? [])].sort(([one], [other]) => one - other);
    return inOrder.map(([place, scans]) => {
      const { by: by2, value: value2 } = columns.rows[place] ?? {};
      return { ...figure({ by, value, name: name ?? undefined }, uncompared(scans), all), by2, value2 };
    });
  });
}
