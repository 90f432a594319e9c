/** The shape of all that turns rows into a document. */
import type { Row } from './row-sink.ts';

/** A list is any number of records; a record is exactly one. */
export type Shape = 'list' | 'record';

/** Text, or the UTF-8 of one, which is valid until the formatter is called again. */
export type Piece = string | Uint8Array;

/** Call `begin` once, `rows` for each batch, `end` once; the pieces in that order are the document. */
export interface Formatter {
  begin(): string;
  rows(rows: readonly Row[]): Piece;
  end(): Piece;
  /** Returns a function that goes back to this point of the document. Missing if rows are buffered inside (tables). */
  checkpoint?: () => () => void;
}

export function textOf(piece: Piece): string {
  return typeof piece === 'string'
    ? piece
    : Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString();
}

/** The `checkpoint` of a formatter whose rows do not depend on earlier ones. */
export const stateless = () => () => undefined;

/** Only the ids, one a line. */
export function createIdsFormatter(): Formatter {
  return {
    begin: () => '',
    rows: (rows) => rows.map((row) => `${row.id}\n`).join(''),
    end: () => '',
    checkpoint: stateless,
  };
}
