import type { Column } from '../files/formats/columns.ts';
import { GAP } from './grid.ts';

export interface Measured {
  column: Column;
  /** Width of its widest cell, including the header. */
  natural: number;
}

export interface Placed {
  column: Column;
  width: number;
}

/** Minimum width of a truncated cell, unless its column sets another. */
const LEAST_WIDTH = 10;

const least = ({ column: { keepWhole, leastWidth = LEAST_WIDTH }, natural }: Measured) =>
  keepWhole ? natural : Math.min(natural, leastWidth);
/** Width of a cell before a column that is never truncated gets space. */
const wished = (measured: Measured) =>
  Math.max(least(measured), Math.min(measured.natural, measured.column.wishedWidth ?? 0));
/** Minimum width of a cell if no column may be omitted. */
const floor = ({ column: { keepWhole }, natural }: Measured) =>
  keepWhole ? natural : Math.min(natural, LEAST_WIDTH);
const total = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));

/**
 * Drops the least important columns (of equal ones, the last) while even the minimum widths are too wide,
 * then reduces the widest until all fit. `mayDrop` is false if the user chose the columns.
 */
export function layOut(measured: readonly Measured[], width: number, mayDrop: boolean): Placed[] {
  let kept = [...measured];
  while (mayDrop && kept.length > 1 && !fits(kept, width)) kept = withoutLeastImportant(kept);
  const widths = kept.map(({ natural }) => natural);
  shrink(widths, kept.map(least), width);
  shrink(widths, kept.map(floor), width);
  return kept.map(({ column }, index) => ({ column, width: widths[index] ?? 0 }));
}

/**
 * Tests whether the columns fit: with the wished widths if the least important one is never truncated,
 * otherwise with their minimum.
 */
function fits(measured: readonly Measured[], width: number): boolean {
  const isWhole = measured[leastImportant(measured)]?.column.keepWhole === true;
  return total(measured.map(isWhole ? wished : least)) <= width;
}

function leastImportant(measured: readonly Measured[]): number {
  const importances = measured.map(({ column }) => column.importance ?? 0);
  return importances.lastIndexOf(Math.min(...importances));
}

function withoutLeastImportant(measured: readonly Measured[]): Measured[] {
  const dropped = leastImportant(measured);
  return measured.filter((_, index) => index !== dropped);
}

/** Reduces the widest by one column of the terminal at a time, so that long ones become equal. */
function shrink(widths: number[], floors: readonly number[], width: number): void {
  for (let excess = total(widths) - width; excess > 0; excess--) {
    const free = widths.map((own, index) => (own > (floors[index] ?? 0) ? own : 0));
    const widest = Math.max(...free);
    if (widest === 0) return;
    widths[free.lastIndexOf(widest)] = widest - 1;
  }
}
