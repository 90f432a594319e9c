/** Gathers the clues by which rows without an entry and removed entries are matched. Pure. */
import type { NewCode } from '../service/shapes.ts';
import type { RowState } from './apply-record.ts';
import { codeOf } from './entries.ts';
import type { Clues, Gone } from './find-edits.ts';
import type { ComparedRow, Recognized } from './recognize-rows.ts';
import type { RowStates } from './row-states.ts';
import { valuesKey } from './same-values.ts';

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
  rows: readonly ComparedRow[],
  states: RowStates,
  { order, found, gaps, gone: goneRows }: Recognized,
): { fresh: FreshRow[]; gone: GoneRow[]; alsoIn: ReadonlyMap<string, GoneRow> } {
  if (goneRows.length === 0) return { fresh: [], gone: [], alsoIn: new Map() };
  const recent = new Set(order);
  const present = new Set(found);
  const matched = rows.filter((_, place) => found[place] !== undefined).map(({ row }) => row.code);
  const [names, rests] = [new Set(matched.map(nameKey)), new Set(matched.map(restKey))];
  const ownOfRows = unique(rows.map(({ seen }) => seen.own));
  const ownOfEntries = unique([...goneRows, ...states.all().filter(({ row }) => present.has(row))].map(({ seen }) => seen?.own));

  const fresh = rows.flatMap(({ key, row: { code }, seen: { own } }, place) => {
    if (found[place] !== undefined) return [];
    return [{ place, name: nameKey(code), rest: restKey(code), gap: gaps.ofRow(place), own: ownOfRows(own), same: key }];
  });
  const gone = goneRows.map((state): GoneRow => {
    const code = state.seen && codeOf(state.seen);
    const isRecent = recent.has(state.row);
    const [name, rest] = code ? [nameKey(code), restKey(code)] : [];
    return {
      state,
      name: isRecent || !names.has(name ?? '') ? name : undefined,
      rest: isRecent || !rests.has(rest ?? '') ? rest : undefined,
      gap: gaps.ofEntry(state.row),
      own: ownOfEntries(state.seen?.own),
      // Of the others none is gone while a row says the same.
      same: code && valuesKey(code),
      isAny: code === undefined && isRecent,
    };
  });
  const byKey = new Map(gone.flatMap((one) => (recent.has(one.state.row) ? [[keyOf(one.state), one] as const] : [])));
  const alsoIn = new Map<string, GoneRow>();
  for (const row of order) {
    const [alike, gap] = [byKey.get(keyOf(states.of(row))), gaps.ofEntry(row)];
    if (alike && gap !== undefined) alsoIn.set(gap, alike);
  }
  return { fresh, gone, alsoIn };
}

function keyOf({ seen }: RowState): string {
  const code = seen && codeOf(seen);
  return code ? valuesKey(code) : '';
}

function nameKey({ name }: NewCode): string {
  return name.normalize('NFC').trim();
}

function restKey(code: NewCode): string {
  return valuesKey({ ...code, name: '' });
}

/** Returns a function that returns a text as it is if it occurs once, else undefined. */
function unique(texts: readonly (string | undefined)[]): (text: string | undefined) => string | undefined {
  const counts = new Map<string | undefined, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return (text) => (counts.get(text) === 1 ? text : undefined);
}
