/** Rows of numbers that grow: eight bytes for each, where objects take several times as many. */

export interface Numbers {
  /** The largest place that was set, and one. */
  count(): number;
  /** Sets the row at this place; rows before it that were never set hold NaN. */
  set(place: number, row: readonly number[]): void;
  /** NaN if no number was set. */
  get(place: number, field: number): number;
  clear(): void;
}

const LEAST_ROWS = 64;

/** @param width numbers of a row */
export function createNumbers(width: number): Numbers {
  let numbers = new Float64Array(0);
  let count = 0;

  function reserve(rows: number): void {
    if (rows * width <= numbers.length) return;
    const larger = new Float64Array(Math.max(LEAST_ROWS, rows + (rows >> 1)) * width);
    larger.set(numbers.subarray(0, count * width));
    numbers = larger;
  }

  return {
    count: () => count,
    set(place, row) {
      reserve(place + 1);
      if (place > count) numbers.fill(Number.NaN, count * width, place * width);
      numbers.set(row, place * width);
      count = Math.max(count, place + 1);
    },
    get: (place, field) => (place < count ? (numbers[place * width + field] ?? Number.NaN) : Number.NaN),
    clear() {
      numbers = new Float64Array(0);
      count = 0;
    },
  };
}
