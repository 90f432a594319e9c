/**
 * Compares two files by code and id, whatever order their rows have: exact, and in bounded memory (8 bytes per row of a pass), so that
 * millions of rows can be compared. More rows take more passes over both files.
 */
import { partitionPoint } from '../collections/partition-point.ts';

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

/** Of the end of an id: enough to divide ids by, and a number either way. */
const DIGITS = 9;

interface SortedIds {
  add(id: string): void;
  /** After the last `add`. */
  has(id: string): boolean;
}

/**
 * A set of ids of 64 bits, also if they are far apart (the one of stats is for ids that mostly rise). It never has a longer one: then the old
 * file stays, and nothing is lost.
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
