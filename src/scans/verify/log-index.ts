/**
 * Counts the distinct scans of each day, and the rows that repeat one. It takes four bytes per scan and a number per day, so a log of years fits in
 * memory.
 */
import { DAY_MS } from '../../base/time/time.ts';
import type { Range } from '../export/range.ts';
import { createIdSet, type IdSet } from '../stats/input/id-set.ts';

/** Rows of one code within its range. Days are numbers of days since 1970, in UTC. */
export interface CodeIndex {
  rows: number;
  /** Distinct scans of each day. */
  days: Map<number, number>;
  /** Rows of each day whose ID an earlier row has. */
  twice: Map<number, number>;
  /** Fingerprint of the IDs, in any order. */
  sum: number;
}

export interface LogIndex {
  add(code: string, id: number | bigint, ms: number): void;
  of(code: string): CodeIndex | undefined;
  codes(): Iterable<string>;
  /** Times of the first and the last scan of all codes, ms since the epoch; infinite if there is none. */
  span(): { firstMs: number; lastMs: number };
}

export function createLogIndex(isWanted: (code: string, ms: number) => boolean): LogIndex {
  const codes = new Map<string, { index: CodeIndex; ids: IdSet }>();
  const span = { firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY };
  return {
    add(code, id, ms) {
      if (!isWanted(code, ms)) return;
      const known = codes.get(code) ?? { index: emptyIndex(), ids: createIdSet() };
      codes.set(code, known);
      const { index, ids } = known;
      const day = dayOf(ms);
      if (ids.add(id, ms) !== 'new') {
        addOne(index.twice, day);
        return;
      }
      index.rows += 1;
      index.sum = (index.sum + hashOf(id)) | 0;
      addOne(index.days, day);
      span.firstMs = Math.min(span.firstMs, ms);
      span.lastMs = Math.max(span.lastMs, ms);
    },
    of: (code) => codes.get(code)?.index,
    codes: () => codes.keys(),
    span: () => span,
  };
}

export function emptyIndex(): CodeIndex {
  return { rows: 0, days: new Map(), twice: new Map(), sum: 0 };
}

/** Returns the number of distinct scans in a range of whole days (UTC). */
export function countIn({ days }: CodeIndex, { sinceMs = Number.NEGATIVE_INFINITY, untilMs }: Range): number {
  let rows = 0;
  for (const [day, count] of days)
    if (day >= Math.floor(sinceMs / DAY_MS) && day * DAY_MS < untilMs) rows += count;
  return rows;
}

export function sumOf(ids: Iterable<number | bigint>): number {
  let sum = 0;
  for (const id of ids) sum = (sum + hashOf(id)) | 0;
  return sum;
}

export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

export function addOne(days: Map<number, number>, day: number): void {
  days.set(day, (days.get(day) ?? 0) + 1);
}

/** The finalizer of MurmurHash3 over both halves of an ID (https://github.com/aappleby/smhasher), so that sums of consecutive IDs differ. */
function hashOf(id: number | bigint): number {
  const [low, high] =
    typeof id === 'bigint'
      ? [Number(BigInt.asUintN(32, id)), Number(BigInt.asUintN(32, id >> 32n))]
      : [id, Math.floor(id / 2 ** 32)];
  let hash = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ high;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
