import type { Row } from './row-sink.ts';

export type Shape = 'list' | 'record';

/** Text, or bytes that are valid until the formatter is called again. */
export type Piece = string | Uint8Array;

export interface Formatter {
  begin(): string;
  rows(rows: readonly Row[]): Piece;
  end(): Piece;
  checkpoint?: () => () => void;
}

export function textOf(piece: Piece): string {
  return typeof piece === 'string'
    ? piece
    : Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString();
}

export function formatterOf(rows: Formatter['rows'], begin = ''): Formatter {
  return { begin: () => begin, rows, end: () => '', checkpoint: () => () => undefined };
}

export function createIdsFormatter(): Formatter {
  return formatterOf((rows) => rows.map((row) => `${row.id}\n`).join(''));
}
