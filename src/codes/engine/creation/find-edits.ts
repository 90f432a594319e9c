/**
 * Finds the rows without an entry that are edits of removed entries. Pure, and in time linear in their number, because replacing one host
 * in a file of 100,000 rows edits all of them.
 */
import { groupBy } from '../../../base/collections/group-by.ts';
import { type NumberSet, numberSet } from '../../../base/collections/number-set.ts';

/** Values that a row, or an entry, may share with its other form, as numbers below `MOST_VALUES`; undefined gives no clue. */
export interface Clues {
  readonly name: number | undefined;
  /** Type and destination. */
  readonly rest: number | undefined;
  /** Neighbors that both the journal and the input contain. */
  readonly gap: number | undefined;
  /** The user's own columns, if no other row and no other entry has the same. */
  readonly own: number | undefined;
  /** All of them, unless the entry is known to have created a code. */
  readonly same: number | undefined;
}

/** Two of them fit in the 53 bits of a number. */
const MOST_VALUES = 2 ** 26;
const NO_CLUE = -1;

export interface Gone extends Clues {
  /** Only its fingerprint is known: it may have been any row. */
  readonly isAny: boolean;
}

/** A row that may be the new form of an entry. */
interface FoundEdit<G> {
  /** The entry that became this row; undefined if that is not clear. */
  readonly of?: G | undefined;
  /** If it is not clear: the entries that come into question, not all if they are many. */
  readonly candidates: readonly G[];
}

interface UnclearEdit<F, G> extends FoundEdit<G> {
  readonly row: F;
  readonly candidates: G[];
}

type Clue = keyof Clues;
const CLUES: readonly Clue[] = ['same', 'own', 'name', 'rest', 'gap'];

const MOST_SHOWN = 5;

interface FoundEdits<F, G> {
  edits: ReadonlyMap<F, FoundEdit<G>>;
  /** The entries that any of these rows may be. */
  held: ReadonlySet<G>;
}

/**
 * Returns the rows that share a clue with a removed entry. O31: all of them may be edits, also if the entry is matched to another row:
 * none is created without the user's decision.
 *
 * @param pins the user's decisions: some of these rows, each with another of these entries
 * @param alsoIn by gap: an equal entry that may have been in this gap, if it is unknown which of several was removed
 */
export function findEdits<F extends Clues, G extends Gone>(
  fresh: readonly F[],
  gone: readonly G[],
  pins: ReadonlyMap<F, G> = new Map(),
  alsoIn: ReadonlyMap<number, G> = new Map(),
): FoundEdits<F, G> {
  const related = fresh.filter(isRelated(gone, pins, alsoIn));
  const pairs = pairUp(related, gone, pins);
  const edits = new Map(related.map((row): [F, FoundEdit<G>] => [row, { of: pairs.get(row), candidates: NONE }]));
  const unclear = related.filter((row) => !pairs.has(row)).map((row): UnclearEdit<F, G> => ({ row, candidates: [] }));
  addCandidates(unclear, gone, alsoIn);
  for (const edit of unclear) edits.set(edit.row, edit);
  return { edits, held: heldOf(fresh, gone, pins, alsoIn) };
}

const NONE: readonly never[] = [];

/** Returns a function that tells whether a row may be an edit of any of the entries. */
function isRelated<F extends Clues, G extends Gone>(
  gone: readonly G[],
  pins: ReadonlyMap<F, G>,
  alsoIn: ReadonlyMap<number, G>,
): (row: F) => boolean {
  const hasAny = gone.some(({ isAny }) => isAny);
  const said = CLUES.map((clue) => ({ clue, values: valuesOf(gone, clue) }));
  return (row) =>
    hasAny || pins.has(row) || alsoIn.has(row.gap ?? NO_CLUE) || said.some(({ clue, values }) => values.has(row[clue]));
}

function valuesOf(items: readonly Clues[], clue: Clue): NumberSet {
  return numberSet(items.map((item) => item[clue]));
}

/** Adds the entries that come into question. One clue at a time, because each needs an index of all entries. */
function addCandidates<G extends Gone>(
  unclear: readonly UnclearEdit<Clues, G>[],
  gone: readonly G[],
  alsoIn: ReadonlyMap<number, G>,
): void {
  if (unclear.length === 0) return;
  for (const clue of CLUES) {
    const entries = groupBy(gone, (entry) => entry[clue]);
    // Undefined gives no clue.
    entries.delete(undefined);
    for (const { row, candidates } of unclear) addSome(candidates, entries.get(row[clue]));
  }
  const any = gone.filter(({ isAny }) => isAny);
  for (const { row, candidates } of unclear) {
    addSome(candidates, any);
    const alike = alsoIn.get(row.gap ?? NO_CLUE);
    if (alike && !candidates.includes(alike)) candidates.push(alike);
  }
}

function addSome<G>(found: G[], more: readonly G[] = []): void {
  for (const entry of more) {
    if (found.length >= MOST_SHOWN) return;
    if (!found.includes(entry)) found.push(entry);
  }
}

/** Returns the entries that any of these rows may be. */
function heldOf<F extends Clues, G extends Gone>(
  fresh: readonly F[],
  gone: readonly G[],
  pins: ReadonlyMap<F, G>,
  alsoIn: ReadonlyMap<number, G>,
): Set<G> {
  const held = new Set<G>();
  for (const clue of CLUES) {
    const said = valuesOf(fresh, clue);
    for (const entry of gone) if (said.has(entry[clue])) held.add(entry);
  }
  if (fresh.length > 0) for (const entry of gone) if (entry.isAny) held.add(entry);
  for (const entry of pins.values()) held.add(entry);
  for (const { gap = NO_CLUE } of fresh) {
    const alike = alsoIn.get(gap);
    if (alike) held.add(alike);
  }
  // Sorted by entry first, like the lines in the journal.
  return new Set([...gone.filter((entry) => held.has(entry)), ...held]);
}

/** O32: pairs a row with the one entry that it was. If either could be another's as well, and no clue is stronger, neither is paired. */
function pairUp<F extends Clues, G extends Gone>(
  fresh: readonly F[],
  gone: readonly G[],
  pins: ReadonlyMap<F, G>,
): ReadonlyMap<F, G> {
  const left = { fresh: new Set(fresh), gone: new Set(gone) };
  const pairs = new Map<F, G>();
  const pair = (row: F, entry: G) => {
    pairs.set(row, entry);
    left.fresh.delete(row);
    left.gone.delete(entry);
  };
  /** Pairs rows and entries of which there are as many, in their order; `most` of them at once. */
  const pairEqual = (keyOf: (item: Clues) => number | undefined, most: number, isClear?: Clearness) => {
    const entries = groupBy(left.gone, keyOf);
    for (const [key, rows] of groupBy(left.fresh, keyOf)) {
      const same = key === undefined ? [] : (entries.get(key) ?? []);
      if (same.length !== rows.length || rows.length > most) continue;
      if (isClear && !rows.every((row, at) => isClear(row, same[at]))) continue;
      for (const [at, row] of rows.entries()) {
        const entry = same[at];
        if (entry) pair(row, entry);
      }
    }
  };

  for (const [row, entry] of pins) pair(row, entry);
  pairEqual(({ same }) => same, Number.POSITIVE_INFINITY);
  pairEqual(({ own }) => own, 1);
  // If one entry has the name and another the other values, at the same position, it is unknown which one the row was.
  pairEqual(bothOf('name', 'gap'), 1, hasNoOther(bothOf('rest', 'gap'), left));
  pairEqual(bothOf('rest', 'gap'), 1, hasNoOther(bothOf('name', 'gap'), left));
  // In a gap that has as many of both they are taken in their order, if none of them has a clue to another place. What these three
  // pair shares nothing with the rest, so once is enough.
  pairEqual(({ gap }) => gap, Number.POSITIVE_INFINITY, staysIn('gap', left));
  pairEqual(({ name }) => name, 1, staysIn('name', left));
  pairEqual(({ rest }) => rest, 1, staysIn('rest', left));
  return pairs;
}

function bothOf(one: Clue, other: Clue): (item: Clues) => number | undefined {
  return (item) => {
    const [a, b] = [item[one], item[other]];
    return a === undefined || b === undefined ? undefined : a * MOST_VALUES + b;
  };
}

type Clearness = (row: Clues, entry: Clues | undefined) => boolean;

/** Returns whether a row and an entry have this in common with no other entry and row. */
function hasNoOther(
  keyOf: (item: Clues) => number | undefined,
  left: { fresh: ReadonlySet<Clues>; gone: ReadonlySet<Clues> },
): Clearness {
  const [fresh, gone] = [countBy(left.fresh, keyOf), countBy(left.gone, keyOf)];
  return (row, entry) => {
    const [ofRow, ofEntry] = [keyOf(row), entry && keyOf(entry)];
    const own = ofRow !== undefined && ofRow === ofEntry ? 1 : 0;
    return (gone.get(ofRow ?? NO_CLUE) ?? 0) <= own && (fresh.get(ofEntry ?? NO_CLUE) ?? 0) <= own;
  };
}

/** Returns whether all that a row and an entry share other clues with is in the same group by `clue`. */
function staysIn(clue: Clue, left: { fresh: ReadonlySet<Clues>; gone: ReadonlySet<Clues> }): Clearness {
  const others = (['name', 'rest', 'gap'] as const).filter((other) => other !== clue);
  const counts = others.map((other) => {
    const both = bothOf(other, clue);
    const count = (items: ReadonlySet<Clues>) => ({ all: countBy(items, (item) => item[other]), in: countBy(items, both) });
    return { other, both, fresh: count(left.fresh), gone: count(left.gone) };
  });
  return (row, entry) =>
    entry !== undefined &&
    counts.every(({ other, both, fresh, gone }) => {
      const isInside = (item: Clues, { all, in: inside }: typeof fresh) =>
        (all.get(item[other] ?? NO_CLUE) ?? 0) === (inside.get(both(item) ?? NO_CLUE) ?? 0);
      return isInside(row, gone) && isInside(entry, fresh);
    });
}

function countBy(items: Iterable<Clues>, keyOf: (item: Clues) => number | undefined): Map<number, number> {
  const counts = new Map<number, number>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
