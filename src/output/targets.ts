/** Where formatted rows go: standard output as they come, or a file that appears whole. */
import type { Printable } from './columns.ts';
import type { Console } from './console.ts';
import { type Formatter, type Piece, textOf } from './formatter.ts';
import type { WholeFile } from './whole-file.ts';

export interface Output {
  /** Adds rows, in order. */
  write(rows: readonly Printable[]): Promise<void>;
  /** All is there: ends the document, and puts a file in its place. */
  finish(): Promise<void>;
  /** Something failed: a file stays as it was. Idempotent, harmless after `finish`, never throws. */
  abort(): Promise<void>;
  /** Remembers this point; what it gives takes back everything written since. Absent where that cannot be done. */
  mark?: () => Promise<() => Promise<boolean>>;
}

/**
 * Rows to standard output, through `guard` (what makes them harmless to a terminal) where one is given. Nothing is printed
 * before the first rows or the end, so that an early failure prints none.
 */
export function toStdout(console: Console, createFormatter: () => Formatter, guard?: (text: string) => string): Output {
  const put = async (piece: Piece) => {
    if (piece.length === 0) return;
    // Bytes as a copy, because a stream may keep what it was given for longer than a formatter leaves it as it is.
    if (guard) await console.write(guard(textOf(piece)));
    else await console.write(typeof piece === 'string' ? piece : Buffer.from(piece));
  };
  const { write, finish } = formatted(put, createFormatter());
  return { write, finish, abort: async () => undefined };
}

/** Rows to a file. */
export function toFile(file: WholeFile, createFormatter: () => Formatter): Output {
  const document = formatted(file.write, createFormatter());
  const { mark: markFile } = file;
  const { mark: markDocument } = document;
  return {
    write: document.write,
    async finish() {
      await document.finish();
      await file.commit();
    },
    abort: file.discard,
    ...(markFile &&
      markDocument && {
        async mark() {
          const goBack = markDocument();
          const takeBack = await markFile();
          return async () => {
            goBack();
            await takeBack();
            return true;
          };
        },
      }),
  };
}

function formatted(put: (piece: Piece) => Promise<void>, formatter: Formatter) {
  const { mark } = formatter;
  let begin = formatter.begin();
  const begun = (piece: Piece) => {
    const whole = begin === '' ? piece : begin + textOf(piece);
    begin = '';
    return whole;
  };
  return {
    write: (rows: readonly Printable[]) => put(begun(formatter.rows(rows))),
    finish: () => put(begun(formatter.end())),
    mark:
      mark &&
      (() => {
        const goBack = mark();
        const marked = begin;
        return () => {
          goBack();
          begin = marked;
        };
      }),
  };
}
