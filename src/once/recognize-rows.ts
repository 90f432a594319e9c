/**
 * Recognizes the rows of the input that the journal records, and the entries that were removed from it, with the position of both. Pure.
 */

import type { RowState } from './apply-record.ts';
import type { Seen } from './entries.ts';
import { codeOf, seenOf } from './entries.ts';
import { type Gaps, type KnownEntry, matchRows } from './match-rows.ts';
import type { NewRow } from './new-row.ts';
import type { RowStates } from './row-states.ts';
import { valuesKey } from './same-values.ts';

/** Row of the input with its comparison keys. */
export interface ComparedRow {
  readonly row: NewRow;
  readonly seen: Seen;
  readonly key: string;
}

/** Returns what rows are compared by. */
export function compareRows(rows: readonly NewRow[]): ComparedRow[] {
  return rows.map((row) => ({ row, seen: seenOf(row), key: valuesKey(row.code) }));
}

/** Result of matching, before edits are looked for among the unmatched rows. */
export interface Recognized {
  /** The entries that the last input had, in its order. */
  order: readonly number[];
  /** By place: the entry of each row. */
  found: readonly (number | undefined)[];
  gaps: Gaps;
  /** Entries that no row is, and that have a code or may have one. */
  gone: readonly RowState[];
}

/**
 * Returns the entry of each row, by place, and the positions of rows without an entry and of removed entries. If the number of equal rows
 * has changed, it is unknown which is which: their positions are no clue for others, and the positions of others show which of them was
 * removed.
 */
export function recognizeRows(rows: readonly ComparedRow[], states: RowStates, kept: ReadonlyMap<number, number>): Recognized {
  const order = states.order();
  const entries = knownEntries(states, order);
  const found = matchRows(rows, entries, kept);
  const recent = new Set(order);
  const counts = new Map<string | undefined, number>();
  for (const { key } of rows) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { row, key } of entries) if (recent.has(row)) counts.set(key, (counts.get(key) ?? 0) - 1);
  const isAnchor = (place: number, entry: number | undefined) => {
    return entry !== undefined && recent.has(entry) && (counts.get(rows[place]?.key) ?? 0) === 0;
  };
  const anchors = found.map((entry, place) => (isAnchor(place, entry) ? entry : undefined));
  const present = new Set(anchors);
  const ofRows = gapsIn(anchors);
  const ofOrder = gapsIn(order.map((row) => (present.has(row) ? row : undefined)));
  const ofEntries = new Map<number, string>();
  for (const [place, row] of order.entries()) {
    const gap = ofOrder[place];
    if (gap !== undefined) ofEntries.set(row, gap);
  }
  const gaps: Gaps = { ofRow: (place) => ofRows[place], ofEntry: (row) => ofEntries.get(row) };
  const isPartly = entries.some(({ row, key }) => recent.has(row) && (counts.get(key) ?? 0) < 0);
  const certain = isPartly ? matchRows(rows, entries, kept, gaps) : found;
  return { order, found: certain, gaps, gone: goneFrom(states, order, certain) };
}

/**
 * The entries that a row may be. Of those that say the same, such as have codes are matched first, so that no row is created again of which
 * another form is gone. One that was gone before and has none is forgotten: what says the same now may be an edit of another. Whether it has one
 * may still have to be found out.
 */
function knownEntries(states: RowStates, order: readonly number[]): KnownEntry[] {
  const placeOf = new Map<number, number>();
  for (const [place, row] of order.entries()) placeOf.set(row, place);
  return states.all().flatMap((state) => {
    const { row, seen } = state;
    if (!seen || (doubtOf(state) > 0 && !placeOf.has(row))) return [];
    const code = codeOf(seen);
    const place = placeOf.get(row) ?? order.length;
    return [{ row, seen, key: code && valuesKey(code), doubt: doubtOf(state), place }];
  });
}

/** How far it is known that an entry has a code: certainly, perhaps, or certainly not. */
export function doubtOf({ id, state }: RowState): 0 | 1 | 2 {
  if (id !== undefined) return 0;
  return state === 'unknown' ? 1 : 2;
}

/** Entries that no row is any more, in the order of the file they were in; those without a code never made anything that could be edited. */
function goneFrom(states: RowStates, order: readonly number[], found: readonly (number | undefined)[]): RowState[] {
  const present = new Set(found);
  const recent = new Set(order);
  const isGone = (state: RowState) => doubtOf(state) < 2 && !present.has(state.row);
  const earlier = states.all().filter((state) => isGone(state) && !recent.has(state.row));
  return [...order.map((row) => states.of(row)).filter(isGone), ...earlier];
}

/** Returns, for each place without an anchor, between which anchors it is: the nearest on both sides, or an end of the file. */
function gapsIn(anchors: readonly (number | undefined)[]): (string | undefined)[] {
  const lefts: number[] = [];
  for (const [place, anchor] of anchors.entries()) lefts[place] = anchor ?? lefts[place - 1] ?? 0;
  const gaps: (string | undefined)[] = [];
  let right = 0;
  for (let place = anchors.length - 1; place >= 0; place--) {
    const anchor = anchors[place];
    if (anchor === undefined) gaps[place] = `${lefts[place]}:${right}`;
    right = anchor ?? right;
  }
  return gaps;
}
