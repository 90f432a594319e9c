/**
 * Compares two files by code and ID, regardless of the order of their rows: exactly, and in bounded memory (8 bytes per row of a pass). More rows take
 * more passes over both files.
 */
import { partitionPoint } from '../../base/collections/partition-point.ts';

/** Calls `onRow` for each row of a file; called once per pass. */
export type RowReader = (onRow: (code: string, id: string) => void) => Promise<void>;

/** 32 MB. */
const MOST_IDS = 4_000_000;

/** Resolves to how many rows of `old` are not in `kept`, by code. `keptRows`: about how many rows `kept` has. */
export async function countMissingRows(
  { old, kept, keptRows }: { old: RowReader; kept: RowReader; keptRows: number },
  mostIds = MOST_IDS,
): Promise<Map<string, number>> {
  const missing = new Map<string, number>();
  const passes = Math.max(1, Math.ceil(keptRows / mostIds));
  for (let pass = 0; pass < passes; pass++) {
    const isOfPass = (id: string) => Math.abs(Number(id.slice(-DIGITS))) % passes === pass;
    const sets = new Map<string, SortedIds>();
    await kept((code, id) => {
      if (!isOfPass(id)) return;
      const set = sets.get(code) ?? createSortedIds();
      sets.set(code, set);
      set.add(id);
    });
    await old((code, id) => {
      if (isOfPass(id) && !sets.get(code)?.has(id)) missing.set(code, (missing.get(code) ?? 0) + 1);
    });
  }
  return missing;
}

/** Digits at the end of an ID that select its pass: few enough to be an exact number. */
const DIGITS = 9;

interface SortedIds {
  add(id: string): void;
  /** After the last `add`. */
  has(id: string): boolean;
}

/**
 * Creates a set of 64-bit IDs, which may be far apart (the set in src/scans/stats is for IDs that mostly increase). It never contains a longer ID, so the old
 * file is kept then, and no row is lost.
 */
function createSortedIds(): SortedIds {
  let ids = new BigInt64Array(64);
  let count = 0;
  let sorted: BigInt64Array | undefined;
  return {
    add(id) {
      const value = BigInt(id);
      if (BigInt.asIntN(64, value) !== value) return;
      if (count === ids.length) {
        const larger = new BigInt64Array(2 * count);
        larger.set(ids);
        ids = larger;
      }
      ids[count++] = value;
    },
    has(id) {
      sorted ??= ids.subarray(0, count).sort();
      const value = BigInt(id);
      return sorted[partitionPoint(sorted, (known) => known < value)] === value;
    },
  };
}
