/** Whether there is time: properties are then tried many times over, and what is exhaustive is tried in full. */
export const SOAK = process.env.QRCTL_SOAK === '1';

/**
 * fast-check's parameters for a property that is tried `few` times with every change, always with the same cases, and `many`
 * times with new ones when QRCTL_SOAK=1. QRCTL_SEED repeats a run that failed (fast-check prints its seed).
 */
export function runs(few: number, many = 100 * few): { numRuns: number; seed: number } {
  const seed = Number(process.env.QRCTL_SEED ?? (SOAK ? Date.now() % 2 ** 31 : 1));
  return { numRuns: SOAK ? many : few, seed };
}

/** Rows of a table of tests: the first `few` with every change, all of them when QRCTL_SOAK=1. */
export function firstRows<T extends unknown[] | [unknown]>(few: number, rows: readonly T[]): readonly T[];
export function firstRows<T>(few: number, rows: readonly T[]): readonly T[];
export function firstRows<T>(few: number, rows: readonly T[]): readonly T[] {
  return SOAK ? rows : rows.slice(0, few);
}
