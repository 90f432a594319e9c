/** Chooses the columns of a table that fit a terminal, and their widths. Pure. */
import type { Column } from '../files/formats/columns.ts';
import { GAP } from './grid.ts';

export interface Measured {
  column: Column;
  /** Columns of the terminal its widest cell takes, header included. */
  natural: number;
}

export interface Placed {
  column: Column;
  width: number;
}

/** Minimum useful width of a truncated cell, unless its column sets another. */
const LEAST_WIDTH = 10;

const least = ({ column: { keepWhole, leastWidth = LEAST_WIDTH }, natural }: Measured) =>
  keepWhole ? natural : Math.min(natural, leastWidth);
/** Width of a cell before a column that is never truncated gets room. */
const wished = (measured: Measured) =>
  Math.max(least(measured), Math.min(measured.natural, measured.column.wishedWidth ?? 0));
/** Minimum width of a cell if no column may be omitted. */
const floor = ({ column: { keepWhole }, natural }: Measured) =>
  keepWhole ? natural : Math.min(natural, LEAST_WIDTH);
const total = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));

/**
 * Drops the least important columns (among equals the last) while even the narrowest layout is too wide, then takes width
 * from the widest cells until all fits. `mayDrop` is false if the user chose the columns: then only the cells shrink.
 */
export function layOut(measured: readonly Measured[], width: number, mayDrop: boolean): Placed[] {
  let kept = [...measured];
  while (mayDrop && kept.length > 1 && !fits(kept, width)) kept = withoutLeastImportant(kept);
  const widths = kept.map(({ natural }) => natural);
  shrink(widths, kept.map(least), width);
  shrink(widths, kept.map(floor), width);
  return kept.map(({ column }, index) => ({ column, width: widths[index] ?? 0 }));
}

/** Returns whether they fit: if the least important is never truncated, with the full width of the others, otherwise with their minimum. */
function fits(measured: readonly Measured[], width: number): boolean {
  const isWhole = measured[leastImportant(measured)]?.column.keepWhole === true;
  return total(measured.map(isWhole ? wished : least)) <= width;
}

function leastImportant(measured: readonly Measured[]): number {
  const importances = measured.map(({ column }) => column.importance ?? 0);
  return importances.lastIndexOf(Math.min(...importances));
}

function withoutLeastImportant(measured: readonly Measured[]): Measured[] {
  const gone = leastImportant(measured);
  return measured.filter((_, index) => index !== gone);
}

/** Takes width from the widest that still may give, one column of the terminal at a time, so that long ones end up equal. */
function shrink(widths: number[], floors: readonly number[], width: number): void {
  for (let excess = total(widths) - width; excess > 0; excess--) {
    const free = widths.map((own, index) => (own > (floors[index] ?? 0) ? own : 0));
    const widest = Math.max(...free);
    if (widest === 0) return;
    widths[free.lastIndexOf(widest)] = widest - 1;
  }
}
