/** The shape of all that turns rows into text. */
import type { Printable } from './columns.ts';

/** A list is any number of records; a record is exactly one. */
export type Shape = 'list' | 'record';

/** Call `begin` once, `rows` for each batch, `end` once; the pieces in that order are the document. */
export interface Formatter {
  begin(): string;
  rows(rows: readonly Printable[]): string;
  end(): string;
  /** Remembers this point of the document; what it gives goes back there. Absent where rows wait inside (tables). */
  mark?: () => () => void;
}

/** The `mark` of a formatter whose rows do not depend on the ones before. */
export const markNothing = () => () => undefined;
