/**
 * Recognizes the rows of the input that the journal records, and the entries that were removed from it, with the position of both. Pure.
 */
import { numberSet } from '../../../base/collections/number-set.ts';
import type { RowState } from './apply-record.ts';
import type { Seen } from './entries.ts';
import { codeOf, seenOf } from './entries.ts';
import { type Gaps, type KnownEntry, matchRows } from './match-rows.ts';
import type { NewRow } from './new-row.ts';
import type { RowStates } from './row-states.ts';
import { createCodeNumbering } from './same-values.ts';

/** Row of the input with its comparison keys. */
export interface ComparedRow {
  readonly row: NewRow;
  readonly seen: Seen;
  /** Equal for the same values (`valuesKey`). */
  readonly key: number;
}

/** Computes the fingerprints of a row on demand: usually no other row has its key, and they are larger than the row. */
class SeenWhenAsked implements ComparedRow {
  readonly row: NewRow;
  readonly key: number;

  constructor(row: NewRow, key: number) {
    this.row = row;
    this.key = key;
  }

  get seen(): Seen {
    return seenOf(this.row);
  }
}

/** Result of matching, before edits are looked for among the unmatched rows. */
export interface Recognized {
  rows: readonly ComparedRow[];
  /** The entries that the last input had, in its order. */
  order: readonly number[];
  /** By place: the entry of each row. */
  found: readonly (number | undefined)[];
  gaps: Gaps;
  /** Entries that no row is, and that have a code or may have one. */
  gone: readonly RowState[];
  /** The keys of all entries, in the order of their numbers; undefined if only its fingerprint is known. */
  keys: readonly (number | undefined)[];
}

/**
 * Returns the entry of each row, by place, and the positions of rows without an entry and of removed entries. If the number of equal rows
 * has changed, it is unknown which is which: their positions are no clue for others, and the positions of others show which of them was
 * removed.
 */
export function recognizeRows(input: readonly NewRow[], states: RowStates, kept: ReadonlyMap<number, number>): Recognized {
  const order = states.order();
  const { rows, keys } = withKeys(input, states);
  const entries = knownEntries(states, order, keys);
  const found = matchRows(rows, entries, kept);
  const recent = numberSet(order);
  const surplus = surplusOf(
    rows,
    entries.filter(({ row }) => recent.has(row)),
  );
  const isAnchor = (place: number, entry: number | undefined) => {
    return entry !== undefined && recent.has(entry) && surplus(rows[place]?.key) === 0;
  };
  const anchors = found.map((entry, place) => (isAnchor(place, entry) ? entry : undefined));
  const gaps = gapsOf(anchors, order);
  const isPartly = entries.some(({ row, key }) => recent.has(row) && surplus(key) < 0);
  const certain = isPartly ? matchRows(rows, entries, kept, gaps) : found;
  return { rows, order, found: certain, gaps, gone: goneFrom(states, order, certain), keys };
}

/** Numbers the values of all rows and entries. The texts that this takes are larger than the rows, and are dropped with its end. */
function withKeys(input: readonly NewRow[], states: RowStates) {
  const { numberOf } = createCodeNumbering();
  const rows = input.map((row) => new SeenWhenAsked(row, numberOf(row.code)));
  const keys = states.all().map(({ seen }) => {
    const code = seen && codeOf(seen);
    return code && numberOf(code);
  });
  return { rows, keys };
}

/** Returns a function that returns how many more rows than entries have a key; entries without a key count together. */
function surplusOf(rows: readonly ComparedRow[], entries: readonly KnownEntry[]): (key: number | undefined) => number {
  // A list, because a map of all keys takes several times the memory.
  const counts: number[] = [];
  const indexOf = (key = -1) => key + 1;
  for (const { key } of rows) counts[indexOf(key)] = (counts[indexOf(key)] ?? 0) + 1;
  for (const { key } of entries) counts[indexOf(key)] = (counts[indexOf(key)] ?? 0) - 1;
  return (key) => counts[indexOf(key)] ?? 0;
}

/**
 * Returns the entries that a row may be. Of equal ones, those with a code are matched first, so that no row is created again whose other
 * form was removed. An entry that was removed before and has no code is dropped: an equal row now may be an edit of another. Whether it has
 * one may still be unknown.
 */
function knownEntries(states: RowStates, order: readonly number[], keys: Recognized['keys']): KnownEntry[] {
  const places = new Uint32Array(states.all().length + 1).fill(order.length);
  for (const [place, row] of order.entries()) places[row] = place;
  return states.all().flatMap((state) => {
    const { row, seen } = state;
    const place = places[row] ?? order.length;
    if (!seen || (doubtOf(state) > 0 && place === order.length)) return [];
    return [{ row, seen, key: keys[row - 1], doubt: doubtOf(state), place }];
  });
}

/** How far it is known that an entry has a code: certainly, perhaps, or certainly not. */
export function doubtOf({ id, state }: RowState): 0 | 1 | 2 {
  if (id !== undefined) return 0;
  return state === 'unknown' ? 1 : 2;
}

/** Entries that no row is any more, in the order of the file they were in; those without a code never made anything that could be edited. */
function goneFrom(states: RowStates, order: readonly number[], found: readonly (number | undefined)[]): RowState[] {
  const present = numberSet(found);
  const recent = numberSet(order);
  const isGone = (state: RowState) => doubtOf(state) < 2 && !present.has(state.row);
  const earlier = states.all().filter((state) => isGone(state) && !recent.has(state.row));
  return [...order.map((row) => states.of(row)).filter(isGone), ...earlier];
}

function gapsOf(anchors: readonly (number | undefined)[], order: readonly number[]): Gaps {
  const present = numberSet(anchors);
  const ofRows = gapsIn(anchors);
  const ofOrder = gapsIn(order.map((row) => (present.has(row) ? row : undefined)));
  const ofEntries: (string | undefined)[] = [];
  for (const [place, row] of order.entries()) ofEntries[row] = ofOrder[place];
  return { ofRow: (place) => ofRows[place], ofEntry: (row) => ofEntries[row] };
}

/** Returns, for each place without an anchor, between which anchors it is: the nearest on both sides, or an end of the file. */
function gapsIn(anchors: readonly (number | undefined)[]): (string | undefined)[] {
  const lefts: number[] = [];
  for (const [place, anchor] of anchors.entries()) lefts[place] = anchor ?? lefts[place - 1] ?? 0;
  const gaps: (string | undefined)[] = [];
  let right = 0;
  let [last, gap] = [-1, ''];
  for (let place = anchors.length - 1; place >= 0; place--) {
    const anchor = anchors[place];
    const left = lefts[place] ?? 0;
    // Of those in one gap one text, which may be that of all rows.
    if (anchor !== undefined || left !== last) [last, gap] = [left, `${left}:${right}`];
    if (anchor === undefined) gaps[place] = gap;
    right = anchor ?? right;
  }
  return gaps;
}
