/**
 * Assigns codes to rows with the same values (bipartite matching). Takes about as long as sorting them, since a file may have thousands of
 * equal rows.
 */
import { groupBy } from '../../../base/collections/group-by.ts';
import { partitionPoint } from '../../../base/collections/partition-point.ts';
import { parseInstant } from '../../../base/time/time.ts';
import type { NewCode, QrCode } from '../../../service/shapes.ts';
import { createRowHeap } from './row-heap.ts';
import { resolutionMs, type TimeBounds } from './time-bounds.ts';

/** Row whose code is to be found in the listing. */
export interface RowToFind {
  row: number;
  code: NewCode;
  bounds: TimeBounds;
  /** Codes with its values that are known not to be its own. Rows that were looked for together share these sets. */
  foreign: readonly ReadonlySet<string>[];
}

interface Judgement {
  adopted: { row: number; code: QrCode }[];
  /** Rows that no code can be of. */
  absent: number[];
  undecided: { row: number; candidates: readonly QrCode[] }[];
  /** The codes that were not adopted. */
  left: QrCode[];
}

/** Code with the interval in which it may have been created; one without a parsable time may be from any. */
export interface Dated {
  code: QrCode;
  firstMs: number;
  lastMs: number;
}

/** Rows whose times overlap are decided together. `pairs`: assignment of codes to rows; empty if the user must decide. */
interface Group {
  rows: RowToFind[];
  fromMs: number;
  toMs: number;
  pairs: Map<Dated, RowToFind>;
}

/**
 * @param rows that share their values
 * @param codes that are not assigned, with the values of the rows
 */
export function judgeAlike(rows: readonly RowToFind[], codes: readonly QrCode[]): Judgement {
  const dated = codes.map(dateOf).sort((a, b) => a.lastMs - b.lastMs);
  const groups = overlapping(rows);
  for (const group of groups) group.pairs = dealToAll(group, dated);
  let open = findOpen(groups, dated);
  // O8: a doubt about one group takes its codes back, and they may be doubtful for another.
  for (let doubted = true; doubted; open = findOpen(groups, dated)) {
    doubted = false;
    for (const group of groups) {
      if (group.pairs.size === 0 || !group.rows.some((row) => open.near(row))) continue;
      group.pairs = new Map();
      doubted = true;
    }
  }

  const result: Judgement = { adopted: [], absent: [], undecided: [], left: open.codes.map(({ code }) => code) };
  for (const group of groups) {
    const served = new Set<RowToFind>();
    for (const [{ code }, row] of group.pairs) {
      result.adopted.push({ row: row.row, code });
      served.add(row);
    }
    for (const row of group.rows) {
      if (served.has(row)) continue;
      const candidates = open.of(row);
      // O9: a row without a code was not created, unless one is left over that could be its own after all.
      if (candidates.length > 0) result.undecided.push({ row: row.row, candidates });
      else result.absent.push(row.row);
    }
  }
  return result;
}

export function dateOf(code: QrCode): Dated {
  const createdMs = parseInstant(code.created_at);
  if (createdMs === undefined) return { code, firstMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY };
  return { code, firstMs: createdMs, lastMs: createdMs + resolutionMs(code.created_at) - 1 };
}

/** O11: returns whether a code is known not to be a row's; it never becomes a candidate for it again. */
export function isForeign({ foreign }: RowToFind, { code }: Dated): boolean {
  return foreign.some((ids) => ids.has(code.id));
}

/** One second more than the bounds: a time without a fraction may be anywhere in its second. */
export const SECOND_MS = 1000;

/** The rows in groups, no two of which have a moment in common; no codes are dealt out yet. */
function overlapping(rows: readonly RowToFind[]): Group[] {
  const groups: Group[] = [];
  // The difference of two infinities is NaN, which a sort treats like 0.
  for (const row of [...rows].sort((a, b) => a.bounds.fromMs - b.bounds.fromMs)) {
    const { fromMs, toMs } = row.bounds;
    const group = groups.at(-1);
    if (group && fromMs - SECOND_MS < group.toMs) {
      group.rows.push(row);
      group.toMs = Math.max(group.toMs, toMs);
    } else {
      groups.push({ rows: [row], fromMs, toMs, pairs: new Map() });
    }
  }
  return groups;
}

/** O8: assigns one code to each row, so that all codes that could be theirs are assigned; none if that is impossible. */
function dealToAll({ rows, fromMs, toMs }: Group, dated: readonly Dated[]): Group['pairs'] {
  // One row per set of excluded codes represents all of them.
  const kinds = kindsOf(rows);
  const codes = dated.filter((code) => {
    // O6: only codes created in their time
    return (
      code.lastMs < Number.POSITIVE_INFINITY &&
      code.lastMs >= fromMs &&
      code.firstMs <= toMs &&
      kinds.some(([row]) => row && !isForeign(row, code))
    );
  });

  // A row with exactly the values of a code comes first, if that leaves no code over.
  const pairs = new Map<Dated, RowToFind>();
  const letters = new Map<string, { rows: RowToFind[]; codes: Dated[] }>();
  const lettersOf = ({ name, destination }: NewCode | QrCode) => {
    const key = JSON.stringify([name, destination ?? '']);
    const found = letters.get(key) ?? { rows: [], codes: [] };
    letters.set(key, found);
    return found;
  };
  for (const row of rows) lettersOf(row.code).rows.push(row);
  for (const code of codes) lettersOf(code.code).codes.push(code);
  for (const same of letters.values()) deal(same.rows, same.codes, pairs);
  const served = new Set(pairs.values());
  const unserved = rows.filter((row) => !served.has(row));
  if (
    deal(
      unserved,
      codes.filter((code) => !pairs.has(code)),
      pairs,
    )
  )
    return pairs;
  pairs.clear();
  return deal(rows, codes, pairs) ? pairs : new Map();
}

/**
 * Assigns codes (sorted by time) to rows (sorted by the start of their time): each to the row whose time ends first, which leaves over as
 * few as possible (Glover, "Maximum matching in a convex bipartite graph", 1967). Returns false if a code is left over.
 */
function deal(rows: readonly RowToFind[], codes: readonly Dated[], pairs: Map<Dated, RowToFind>): boolean {
  const waiting = kindsOf(rows).map((kind) => ({ kind, next: 0, heap: createRowHeap<RowToFind>() }));
  let all = true;
  for (const dated of codes) {
    let best: (typeof waiting)[number] | undefined;
    for (const entry of waiting) {
      const { kind, heap } = entry;
      for (let row = kind[entry.next]; row && row.bounds.fromMs <= dated.lastMs; row = kind[++entry.next]) heap.push(row);
      while (heap.endMs() < dated.firstMs) heap.pop();
      const [first] = kind;
      if (!first || isForeign(first, dated)) continue;
      if (heap.endMs() < (best?.heap.endMs() ?? Number.POSITIVE_INFINITY)) best = entry;
    }
    const row = best?.heap.pop();
    if (row) pairs.set(dated, row);
    else all = false;
  }
  return all;
}

/** Groups the rows by the codes that are excluded for them: all rows of a group can have a code, or none. */
function kindsOf(rows: readonly RowToFind[]): RowToFind[][] {
  return [...groupBy(rows, createKinds()).values()];
}

/** Returns a function that gives rows with the same excluded codes the same name. */
function createKinds(): (row: RowToFind) => string {
  const numbers = new Map<ReadonlySet<string>, number>();
  return ({ foreign }) => {
    for (const ids of foreign) if (!numbers.has(ids)) numbers.set(ids, numbers.size);
    return foreign.map((ids) => numbers.get(ids)).join();
  };
}

/** Codes that no row gets, and their meaning for the rows. */
function findOpen(groups: readonly Group[], dated: readonly Dated[]) {
  const taken = new Set(groups.flatMap(({ pairs }) => [...pairs.keys()]));
  const codes = dated.filter((code) => !taken.has(code));
  const byKind = new Map<string, { codes: Dated[]; slices: Map<number, QrCode[]> }>();
  const kindOf = createKinds();
  const own = (row: RowToFind) => {
    const key = kindOf(row);
    const found = byKind.get(key) ?? { codes: codes.filter((code) => !isForeign(row, code)), slices: new Map() };
    byKind.set(key, found);
    return found;
  };
  const startOf = ({ bounds }: RowToFind, all: readonly Dated[]) =>
    partitionPoint(all, ({ lastMs }) => lastMs < bounds.doubtfulFromMs);
  return {
    codes,
    /** Returns whether one of them casts doubt on the code that the row would get. */
    near(row: RowToFind): boolean {
      const { doubtfulFromMs, doubtfulToMs } = row.bounds;
      const { codes: all } = own(row);
      // A code without a time comes last, and fits any row.
      const nearest = [all[startOf(row, all)], all.at(-1)];
      return nearest.some((code) => code && code.lastMs >= doubtfulFromMs && code.firstMs <= doubtfulToMs);
    },
    /** Those that could be the row's; rows that have the same share one list. */
    of(row: RowToFind): readonly QrCode[] {
      const { codes: all, slices } = own(row);
      const start = startOf(row, all);
      const slice = slices.get(start) ?? all.slice(start).map(({ code }) => code);
      slices.set(start, slice);
      return slice;
    },
  };
}
