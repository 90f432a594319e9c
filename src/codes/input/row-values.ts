/** The values of a row, as a map that keeps its cells alone: the names of the columns are the same for all rows of a file. */

/** Rows that share an array of cells: an array for each row takes as much memory as its cells, and a large one is copied when it grows. */
const ROWS_TOGETHER = 500;

/** Returns a function that makes the values of a row of its cells, one for each of these columns, which are all different. */
export function createRowValues(
  columns: readonly string[],
): (cells: readonly unknown[]) => ReadonlyMap<string, unknown> {
  const places = new Map(columns.map((column, place) => [column, place]));
  let together: unknown[] = [];
  return (cells) => {
    if (together.length >= ROWS_TOGETHER * columns.length) together = [];
    const start = together.length;
    for (const cell of cells) together.push(cell);
    return new RowValues(places, together, start);
  };
}

/** A class, because a file has a million rows, and closures take several times the memory of its cells. */
class RowValues implements ReadonlyMap<string, unknown> {
  readonly #places: ReadonlyMap<string, number>;
  readonly #cells: readonly unknown[];
  /** Place of its first cell among them. */
  readonly #start: number;

  constructor(places: ReadonlyMap<string, number>, cells: readonly unknown[], start: number) {
    this.#places = places;
    this.#cells = cells;
    this.#start = start;
  }

  get size(): number {
    return this.#places.size;
  }

  get(column: string): unknown {
    const place = this.#places.get(column);
    return place === undefined ? undefined : this.#cells[this.#start + place];
  }

  has(column: string): boolean {
    return this.#places.has(column);
  }

  *entries(): MapIterator<[string, unknown]> {
    for (const [column, place] of this.#places) yield [column, this.#cells[this.#start + place]];
  }

  keys(): MapIterator<string> {
    return this.#places.keys();
  }

  values(): MapIterator<unknown> {
    return this.#cells.slice(this.#start, this.#start + this.size).values();
  }

  forEach(work: (value: unknown, column: string, values: ReadonlyMap<string, unknown>) => void): void {
    for (const [column, value] of this.entries()) work(value, column, this);
  }

  [Symbol.iterator](): MapIterator<[string, unknown]> {
    return this.entries();
  }
}
