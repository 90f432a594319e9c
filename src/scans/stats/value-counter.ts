/**
 * Counts distinct values in bounded memory, because referrers are untrusted input. Exact up to `most` values; beyond that by Space-Saving
 * (Metwally, Agrawal, El Abbadi: "Efficient computation of frequent and top-k elements in data streams", 2005).
 */
import { createHash } from 'node:crypto';

/** Value of a field of a scan; null: none. */
export type Value = string | null;

interface Count {
  value: Value;
  /** Lower bound of the scans; exact unless values were evicted. */
  scans: number;
}

export interface ValueCounter {
  /** Adds scans with this value; the empty text is none. */
  add(value: Value, scans?: number): void;
  /** Adds all that another one counted. */
  addAll(other: ValueCounter): void;
  /** Returns the values, unordered. If `isApproximate`, their scans add up to fewer than were added. */
  counts(): Count[];
  /** Returns whether there were more values than are kept, so that the counts are lower bounds. */
  isApproximate(): boolean;
}

interface Entry {
  value: Value;
  count: number;
  /** Upper bound of the error of the count. */
  error: number;
  /** Position in the heap, if there is one. */
  at: number;
}

/** Enough for every city, and 10 MB at the worst. */
const MOST_VALUES = 10_000;

export function createValueCounter(most = MOST_VALUES): ValueCounter {
  const entries = new Map<Value, Entry>();
  /** A binary heap, smallest count first; from when on values are given up. */
  let heap: Entry[] | undefined;
  let isApproximate = false;

  function add(value: Value, scans = 1): void {
    const known = entries.get(value);
    if (known) addTo(known, scans);
    else addNew(bounded(value), scans);
  }

  function addTo(entry: Entry, scans: number): void {
    entry.count += scans;
    if (heap) sink(heap, entry);
  }

  function addNew(value: Value, scans: number): void {
    const known = entries.get(value);
    if (known) addTo(known, scans);
    else if (entries.size < most) {
      entries.set(value, { value, count: scans, error: 0, at: 0 });
    } else replaceRarest(value, scans);
  }

  /** F1: the value that is given up leaves its count to the new one, as an error that is known, so that the counts are all scans. */
  function replaceRarest(value: Value, scans: number): void {
    heap ??= heapOf([...entries.values()]);
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
      for (const { value, scans } of other.counts()) add(value, scans);
    },
    // F2: only the certain part of a count is shown for a value; the other scans are in no row of their own.
    counts: () =>
      [...entries.values()].flatMap(({ value, count, error }) =>
        count > error ? [{ value, scans: count - error }] : [],
      ),
    isApproximate: () => isApproximate,
  };
}

/** Longer values are truncated, and distinguished by their hash: addresses of ten megabytes must not fill the memory. */
const LONGEST = 1024;

/** A copy, because a part of a file's text would keep all of it. */
function bounded(value: Value): Value {
  if (value === null || value === '') return null;
  if (value.length <= LONGEST) return Buffer.from(value, 'utf16le').toString('utf16le');
  return `${Buffer.from(value.slice(0, LONGEST), 'utf16le').toString('utf16le')}… #${createHash('sha256').update(value, 'utf16le').digest('hex').slice(0, 16)}`;
}

function heapOf(entries: Entry[]): Entry[] {
  const heap = entries.sort((a, b) => a.count - b.count);
  heap.forEach((entry, at) => {
    entry.at = at;
  });
  return heap;
}

/** Moves down an entry whose count has grown. */
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
