/** Returns positions of labels on an axis: at equal distances, the first among them, at most `most`. */
export function labelledUnits(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil((count - 1) / Math.max(1, most - 1)));
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step);
}
