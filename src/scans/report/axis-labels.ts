/** Chooses the units of an axis that have a label. */

/** Returns positions that are equally far apart, the first among them, at most `most`; all of them if they fit. */
export function labelledUnits(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil((count - 1) / Math.max(1, most - 1)));
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step);
}
