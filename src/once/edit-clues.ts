/** Gathers the clues by which rows without an entry and removed entries are matched. Pure. */
import { createNumbering } from '../collections/create-numbering.ts';
import { numberSet } from '../collections/number-set.ts';
import type { RowState } from './apply-record.ts';
import { codeOf, seenOf } from './entries.ts';
import type { Clues, Gone } from './find-edits.ts';
import type { ComparedRow, Recognized } from './recognize-rows.ts';
import type { RowStates } from './row-states.ts';
import { nameKey, restKey, valuesKey } from './same-values.ts';

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
  { rows, order, found, gaps, gone: goneRows }: Recognized,
): { fresh: FreshRow[]; gone: GoneRow[]; alsoIn: ReadonlyMap<number, GoneRow> } {
  if (goneRows.length === 0) return { fresh: [], gone: [], alsoIn: new Map() };
  const bound = states.all().length;
  const recent = numberSet(order, bound);
  const present = numberSet(found, bound);
  const isFresh = (_: unknown, place: number) => found[place] === undefined;
  const codes = goneRows.map(({ seen }) => seen && codeOf(seen));
  const earlier = codes.filter((_, at) => !recent.has(goneRows[at]?.row ?? 0));
  const [names, rests] = [nameKey, restKey].map((keyOf) => {
    return among(
      earlier.map((code) => code && keyOf(code)),
      rows,
      ({ row }, place) => (isFresh(row, place) ? undefined : keyOf(row.code)),
    );
  });
  const ownOfRows = unique(rows.filter(isFresh).map(ownOf), rows, ownOf);
  const entries = [...goneRows, ...states.all().filter(({ row }) => present.has(row))];
  const ownOfEntries = unique(
    goneRows.map(({ seen }) => seen?.own),
    entries,
    ({ seen }) => seen?.own,
  );
  const numberOf = optional(createNumbering());

  const fresh = rows.flatMap(({ row }, place): FreshRow[] => {
    if (!isFresh(row, place)) return [];
    const [name, rest, same] = [nameKey, restKey, valuesKey].map((keyOf) => numberOf(keyOf(row.code)));
    return [{ place, name, rest, gap: numberOf(gaps.ofRow(place)), own: numberOf(ownOfRows(ownOf({ row }))), same }];
  });
  const gone = goneRows.map((state, at): GoneRow => {
    const code = codes[at];
    const isRecent = recent.has(state.row);
    const [name, rest] = code ? [nameKey(code), restKey(code)] : [];
    return {
      state,
      name: numberOf(isRecent || !names?.has(name) ? name : undefined),
      rest: numberOf(isRecent || !rests?.has(rest) ? rest : undefined),
      gap: numberOf(gaps.ofEntry(state.row)),
      own: numberOf(ownOfEntries(state.seen?.own)),
      // No other entry was removed while a row has its values.
      same: numberOf(code && valuesKey(code)),
      isAny: code === undefined && isRecent,
    };
  });
  const byKey = new Map(gone.flatMap((one) => (recent.has(one.state.row) ? [[keyOf(one.state), one] as const] : [])));
  const alsoIn = new Map<number, GoneRow>();
  for (const row of order) {
    const gap = numberOf(gaps.ofEntry(row));
    const alike = gap === undefined ? undefined : byKey.get(keyOf(states.of(row)));
    if (alike && gap !== undefined) alsoIn.set(gap, alike);
  }
  return { fresh, gone, alsoIn };
}

/** Not kept: there may be a million. */
function ownOf({ row }: Pick<ComparedRow, 'row'>): string | undefined {
  return seenOf(row).own;
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

function keyOf({ seen }: RowState): string {
  const code = seen && codeOf(seen);
  return code ? valuesKey(code) : '';
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
