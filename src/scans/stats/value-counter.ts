/** Counts values in bounded memory: exactly up to `most`, then with Space-Saving (Metwally et al. 2005). */
import { hash } from 'node:crypto';

export type Value = string | null;

export interface ValueCounter {
  /** Counts a value. An empty string counts as null. */
  add(value: Value, scans?: number): void;
  addAll(other: ValueCounter): void;
  /** Returns the scans by value. If `isApproximate`, the numbers are minimums. */
  counts(): Map<Value, number>;
  isApproximate(): boolean;
}

interface Entry {
  value: Value;
  count: number;
  error: number;
  at: number;
}

const MOST_VALUES = 10_000;

export function createValueCounter(most = MOST_VALUES): ValueCounter {
  const entries = new Map<Value, Entry>();
  /** Binary heap with the smallest count first. */
  let heap: Entry[] | undefined;
  let isApproximate = false;

  function add(value: Value, scans = 1): void {
    const kept = entries.has(value) ? value : bounded(value);
    const known = entries.get(kept);
    if (known) {
      known.count += scans;
      if (heap) sink(heap, known);
    } else if (entries.size < most) entries.set(kept, { value: kept, count: scans, error: 0, at: 0 });
    else replaceRarest(kept, scans);
  }

  /** F1: the new value inherits the evicted value's count as its error, so that counts add up. */
  function replaceRarest(value: Value, scans: number): void {
    heap ??= [...entries.values()]
      .sort((a, b) => a.count - b.count)
      .map((entry, at) => Object.assign(entry, { at }));
    isApproximate = true;
    const rarest = heap[0];
    if (!rarest) return;
    entries.delete(rarest.value);
    rarest.value = value;
    rarest.error = rarest.count;
    rarest.count += scans;
    entries.set(value, rarest);
    sink(heap, rarest);
  }

  return {
    add,
    addAll(other) {
      isApproximate ||= other.isApproximate();
      for (const [value, scans] of other.counts()) add(value, scans);
    },
    // F2: only the certain part of a count is shown for a value.
    counts: () =>
      new Map(
        [...entries.values()].flatMap(({ value, count, error }) =>
          count > error ? [[value, count - error]] : [],
        ),
      ),
    isApproximate: () => isApproximate,
  };
}

const LONGEST = 1024;
const HASH_DIGITS = 16;

/** Copies a value, because slices keep the whole text in memory. Ends a long one with a hash. Idempotent. */
export function bounded(value: Value, longest = LONGEST): Value {
  if (value === null || value === '') return null;
  const isLong = value.length > longest;
  const text = value.slice(0, isLong ? longest - HASH_DIGITS - 3 : longest);
  const copy = Buffer.from(text, 'utf16le').toString('utf16le');
  if (!isLong) return copy;
  return `${copy}… #${hash('sha256', Buffer.from(value, 'utf16le')).slice(0, HASH_DIGITS)}`;
}

function sink(heap: Entry[], entry: Entry): void {
  for (;;) {
    const left = heap[2 * entry.at + 1];
    const right = heap[2 * entry.at + 2];
    const smaller = right && left && right.count < left.count ? right : left;
    if (!smaller || smaller.count >= entry.count) return;
    const { at } = smaller;
    heap[entry.at] = smaller;
    smaller.at = entry.at;
    heap[at] = entry;
    entry.at = at;
  }
}
