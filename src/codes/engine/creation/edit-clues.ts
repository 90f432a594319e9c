/** Gathers the clues by which rows without an entry and removed entries are matched. Pure. */
import { createNumbering } from '../../../base/collections/create-numbering.ts';
import { numberSet } from '../../../base/collections/number-set.ts';
import type { NewCode } from '../../../service/shapes.ts';
import type { RowState } from './apply-record.ts';
import { codeOf, ownPrint } from './entries.ts';
import type { Clues, Gone } from './find-edits.ts';
import type { NewRow } from './new-row.ts';
import type { Recognized } from './recognize-rows.ts';
import type { RowStates } from './row-states.ts';
import { nameKey, restKey } from './same-values.ts';

/** Row without an entry; `place` counts from 0. */
export interface FreshRow extends Clues {
  readonly place: number;
}

export interface GoneRow extends Gone {
  readonly state: RowState;
}

/**
 * Gathers the clues. O31: of an entry that was gone in an earlier run
 * already, its name, and its type and destination, count only if no other row has the same; its neighbors do not count.
 */
export function cluesOf(
  states: RowStates,
  { rows, order, found, gaps, gone: goneRows, keys }: Recognized,
): { fresh: FreshRow[]; gone: GoneRow[]; alsoIn: ReadonlyMap<number, GoneRow> } {
  if (goneRows.length === 0) return { fresh: [], gone: [], alsoIn: new Map() };
  const recent = numberSet(order);
  const present = numberSet(found);
  const isFresh = (_: unknown, place: number) => found[place] === undefined;
  const codes = goneRows.map(({ seen }) => seen && codeOf(seen));
  const isRecent = (at: number) => recent.has(goneRows[at]?.row ?? 0);
  const earlier = codes.filter((_, at) => !isRecent(at));
  const freshRows = rows.filter(isFresh).map(({ row }) => row);
  /** Of an entry that was gone before already, a text that a row with an entry has too is no clue. */
  const textOfEntry = (textOf: (code: NewCode) => string) => {
    const taken = among(
      earlier.map((code) => code && textOf(code)),
      rows,
      ({ row }, place) => (isFresh(row, place) ? undefined : textOf(row.code)),
    );
    return (at: number) => {
      const code = codes[at];
      const text = code && textOf(code);
      return isRecent(at) || !taken.has(text) ? text : undefined;
    };
  };
  /** The numbers of one clue of all rows and entries. One clue at a time: the texts of all clues together are larger than the rows. */
  const numbersOf = (
    ofRow: (row: NewRow) => string | undefined,
    ofEntry: (at: number) => string | undefined,
    numberOf = optional(createNumbering()),
  ) => ({ rows: freshRows.map((row) => numberOf(ofRow(row))), gone: goneRows.map((_, at) => numberOf(ofEntry(at))) });

  const name = numbersOf(({ code }) => nameKey(code), textOfEntry(nameKey));
  const rest = numbersOf(({ code }) => restKey(code), textOfEntry(restKey));
  const ownOfRow = unique(freshRows.map(ownPrint), rows, ({ row }) => ownPrint(row));
  const entries = [...goneRows, ...states.all().filter(({ row }) => present.has(row))];
  const owns = goneRows.map(({ seen }) => seen?.own);
  const ownOfEntry = unique(owns, entries, ({ seen }) => seen?.own);
  const own = numbersOf(
    (row) => ownOfRow(ownPrint(row)),
    (at) => ownOfEntry(owns[at]),
  );
  const gapNumber = optional(createNumbering());
  const places = [...rows.keys()].filter((place) => found[place] === undefined);
  const fresh = places.map((place, at): FreshRow => {
    const gap = gapNumber(gaps.ofRow(place));
    return { place, name: name.rows[at], rest: rest.rows[at], gap, own: own.rows[at], same: rows[place]?.key };
  });
  const gone = goneRows.map((state, at): GoneRow => {
    const gap = gapNumber(gaps.ofEntry(state.row));
    const isAny = codes[at] === undefined && isRecent(at);
    // No other entry was removed while a row has its values.
    const same = keys[state.row - 1];
    return { state, name: name.gone[at], rest: rest.gone[at], gap, own: own.gone[at], same, isAny };
  });
  const bySame = new Map(gone.flatMap((one, at) => (isRecent(at) ? [[one.same, one] as const] : [])));
  const alsoIn = new Map<number, GoneRow>();
  for (const row of order) {
    const gap = gapNumber(gaps.ofEntry(row));
    const alike = gap === undefined ? undefined : bySame.get(keys[row - 1]);
    if (alike && gap !== undefined) alsoIn.set(gap, alike);
  }
  return { fresh, gone, alsoIn };
}

function optional(numberOf: (text: string) => number): (text: string | undefined) => number | undefined {
  return (text) => (text === undefined ? undefined : numberOf(text));
}

/** Returns those of the wanted texts that an item has. */
function among<T>(
  wanted: readonly (string | undefined)[],
  items: readonly T[],
  textOf: (item: T, place: number) => string | undefined,
): ReadonlySet<string | undefined> {
  const isWanted = new Set(wanted);
  const found = new Set<string | undefined>();
  if (isWanted.size > 0)
    for (const [place, item] of items.entries()) {
      const text = textOf(item, place);
      if (text !== undefined && isWanted.has(text)) found.add(text);
    }
  return found;
}

/** Returns a function that returns a text, of those that are wanted, if exactly one item has it, else undefined. */
function unique<T>(
  wanted: readonly (string | undefined)[],
  items: readonly T[],
  textOf: (item: T) => string | undefined,
): (text: string | undefined) => string | undefined {
  const counts = new Map<string | undefined, number>();
  for (const text of wanted) if (text !== undefined) counts.set(text, 0);
  if (counts.size > 0)
    for (const item of items) {
      const text = textOf(item);
      const count = counts.get(text);
      if (count !== undefined) counts.set(text, count + 1);
    }
  return (text) => (counts.get(text) === 1 ? text : undefined);
}
