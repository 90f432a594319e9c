/** Matches the rows of the input to the entries of the journal by their values, at any position. Pure. */
import { groupBy } from '../../../base/collections/group-by.ts';
import { numberSet } from '../../../base/collections/number-set.ts';
import type { Seen } from './entries.ts';

/** `key`: a number from 0, equal for rows that request the same code (same-values.ts). */
export interface Keyed<Key = number> {
  readonly key: Key;
  readonly seen: Pick<Seen, 'all' | 'own'>;
}

/** Entry of the journal; its key is undefined if only its fingerprint is known. */
export interface KnownEntry extends Keyed<number | undefined> {
  readonly row: number;
  /** If there are more entries than equal rows, those with the lowest rank are matched. */
  readonly doubt: number;
  /** In the input that had it last. */
  readonly place: number;
}

/** Positions between other rows: of a row by its place, of an entry by its number. */
export interface Gaps {
  ofRow(place: number): string | undefined;
  ofEntry(row: number): string | undefined;
}

const NO_GAPS: Gaps = { ofRow: () => undefined, ofEntry: () => undefined };

/**
 * Returns the entry of each row, by position, or undefined for a row without one. Each entry is matched to at most one row.
 *
 * O14: an entry that requests the same code is the row's; of several, first one with the same values in all columns, then one with the same
 * in the user's own columns, then in their order. An entry of which only a fingerprint is known is a row with exactly these values.
 *
 * @param known in the order of their numbers
 * @param kept the entries of rows, by position, that are known
 * @param gaps show which of several equal entries was removed
 */
export function matchRows(
  rows: readonly Keyed[],
  known: readonly KnownEntry[],
  kept: ReadonlyMap<number, number> = new Map(),
  gaps: Gaps = NO_GAPS,
): (number | undefined)[] {
  const found = rows.map((_, place) => kept.get(place));
  const keptEntries = new Set(kept.values());
  const others = known.filter(({ row }) => !keptEntries.has(row));
  const entries = pairSingles(rows, others, found);
  const places = [...found.keys()].filter((place) => found[place] === undefined);
  const keyAt = (place: number) => rows[place]?.key;
  // Only keys that both have: where a file was edited throughout, there is none, and groups of one would take more memory than the rows.
  const ofRows = numberSet(places.map(keyAt));
  const named = groupBy(
    entries.filter(({ key }) => ofRows.has(key)),
    ({ key }) => key,
  );
  const ofEntries = numberSet([...named.keys()]);
  const shared = places.filter((place) => ofEntries.has(keyAt(place)));
  for (const [key, same] of groupBy(shared, keyAt)) {
    for (const of of [allOf, ownOf, nothingOf]) pairBy(same, named.get(key) ?? [], of);
  }
  const printed = entries.filter(({ key }) => key === undefined);
  if (printed.length > 0) pairBy(places, printed, allOf);
  return found;

  /** Gives entries to rows that have none yet and are equal in this. */
  function pairBy(
    among: readonly number[],
    entries: readonly KnownEntry[],
    of: (item: Keyed<unknown> | undefined) => string,
  ): void {
    const taken = new Set(among.map((place) => found[place]));
    const free = groupBy(
      entries.filter(({ row }) => !taken.has(row)),
      of,
    );
    const left = among.filter((place) => found[place] === undefined);
    for (const [text, same] of groupBy(left, (place) => of(rows[place]))) {
      const chosen = choose(free.get(text) ?? [], same, gaps).sort((a, b) => a.place - b.place);
      for (const [at, { row }] of chosen.entries()) found[same[at] ?? 0] = row;
    }
  }
}

/**
 * Matches rows and entries whose key is unique on both sides, and returns the other entries. Usually all are unique, and groups of one
 * would take more memory than the rows.
 */
function pairSingles(rows: readonly Keyed[], entries: readonly KnownEntry[], found: (number | undefined)[]): KnownEntry[] {
  const places = singles(rows, (place) => found[place] === undefined);
  const singleEntries = singles(entries, () => true);
  return entries.filter(({ key = NO_KEY, row }, at) => {
    const place = singleEntries[key] === at ? (places[key] ?? NONE) : NONE;
    if (place < 0) return true;
    found[place] = row;
    return false;
  });
}

const NO_KEY = -1;
const NONE = -1;
const SEVERAL = -2;

/** By key, the position of the only item that has it, or a value that is not a position. */
function singles(items: readonly Keyed<number | undefined>[], isFree: (place: number) => boolean): Int32Array {
  const largest = items.reduce((most, { key = NO_KEY }) => Math.max(most, key), NO_KEY);
  const places = new Int32Array(largest + 1).fill(NONE);
  for (const [place, { key }] of items.entries())
    if (key !== undefined && isFree(place)) places[key] = places[key] === NONE ? place : SEVERAL;
  return places;
}

/** Chooses as many entries as there are rows, or all: those with the least doubt first, of these those at the positions of the rows. */
function choose(alike: readonly KnownEntry[], places: readonly number[], gaps: Gaps): KnownEntry[] {
  if (alike.length <= places.length) return [...alike];
  const wanted = new Map<string | undefined, number>();
  for (const place of places) wanted.set(gaps.ofRow(place), (wanted.get(gaps.ofRow(place)) ?? 0) + 1);
  const chosen: KnownEntry[] = [];
  for (const [, same] of [...groupBy(alike, ({ doubt }) => doubt)].sort(([a], [b]) => a - b)) {
    const ordered = [...same].sort((a, b) => a.place - b.place);
    const there = ordered.filter(({ row }) => {
      const count = wanted.get(gaps.ofEntry(row)) ?? 0;
      wanted.set(gaps.ofEntry(row), count - 1);
      return count > 0;
    });
    const isThere = new Set(there);
    for (const entry of [...there, ...ordered.filter((other) => !isThere.has(other))]) {
      if (chosen.length === places.length) return chosen;
      chosen.push(entry);
    }
  }
  return chosen;
}

function allOf(item: Keyed<unknown> | undefined): string {
  return item?.seen.all ?? '';
}

function ownOf(item: Keyed<unknown> | undefined): string {
  return item?.seen.own ?? '';
}

function nothingOf(): string {
  return '';
}
