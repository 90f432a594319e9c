/** Which columns of a bulk file mean what: by name, in any order and case; all others belong to the person. */
import leven from 'leven';
import type { Fault } from './faults.ts';
import type { Input, InputRow } from './rows.ts';

export interface Wanted {
  /** The columns this command reads. */
  known: readonly string[];
  /** Names the results add, which the input must therefore not use for something else. */
  reserved?: readonly string[];
}

/** Reads a known column of a row; undefined where the row has none. */
export type Cell = (row: InputRow, known: string) => unknown;

/** Finds the known columns. Faults: one that is there twice (`Name`, `name`), a reserved name, what looks like a typo. */
export function matchColumns(
  input: Input,
  { known, reserved = [] }: Wanted,
): { has(known: string): boolean; cell: Cell; faults: Fault[] } {
  const line = input.headerLine;
  const faults: Fault[] = [];
  const found = new Map<string, string>();
  for (const column of input.columns) {
    const folded = fold(column);
    if (reserved.includes(folded)) {
      faults.push({ line, column, message: `the results add a column of this name: rename yours (my_${folded})` });
    }
    if (!known.includes(folded)) continue;
    const other = found.get(folded);
    if (other !== undefined) faults.push({ line, column, message: `means the same as column ${other}` });
    found.set(folded, column);
  }
  const missing = (name: string, row?: InputRow) => !(row ? row.values.has(found.get(name) ?? '') : found.has(name));
  for (const column of input.columns) {
    const meant = known.includes(fold(column)) ? undefined : known.find((name) => looksLike(fold(column), name));
    if (meant === undefined) continue;
    // Where the column it resembles is there too, the name is no typo but the person's own.
    const row = input.rows.find(({ values }) => values.has(column));
    if (missing(meant, line === undefined ? row : undefined)) {
      faults.push({ line: line ?? row?.line, column, message: `unknown; is it meant to be ${meant}?` });
    }
  }
  return { has: (name) => found.has(name), cell: (row, name) => row.values.get(found.get(name) ?? ''), faults };
}

function fold(column: string): string {
  return column.trim().toLowerCase();
}

/** Short words have many neighbours that are words of their own (note, date, time): there only one slip counts. */
function looksLike(word: string, known: string): boolean {
  const slips = leven(word, known);
  if (known.length >= 6) return slips <= 2;
  return slips === 1 || (slips === 2 && [...word].sort().join('') === [...known].sort().join(''));
}
