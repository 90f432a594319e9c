/** Rows as a document: formatted, and written to standard output as they come or to a file that appears whole. */
import { type Formatter, type Piece, textOf } from './formatter.ts';
import type { Row, RowSink } from './row-sink.ts';

/** Destination of the bytes of a document: standard output, or a file (whole-file.ts). */
export interface ByteSink {
  /** Throws LocalError (full disk, device). */
  write(piece: Piece): Promise<void>;
  /** All is written: flushes, and puts the file in its place. */
  commit(): Promise<void>;
  /** Leaves the old content and removes the temporary file. Idempotent; harmless after `commit`. Never throws. */
  discard(): Promise<void>;
  /** Returns a function that discards everything written since. Absent where bytes cannot be taken back. */
  checkpoint?: () => Promise<() => Promise<void>>;
}

/** Standard output; resolves when it has taken the data. */
interface Standard {
  write(data: string | Uint8Array): Promise<void>;
}

export interface DocumentSink extends RowSink {
  /** Rewinding works at any time. If false, written rows can't be rolled back (see buffered-sink.ts). */
  readonly rewinds: boolean;
}

/**
 * Writes to standard output, through `guard` (which makes text harmless to a terminal), if there is one. Prints nothing before the first
 * rows or the end, so that an early failure prints none.
 */
export function stdoutBytes(console: Standard, guard?: (text: string) => string): ByteSink {
  return {
    async write(piece) {
      if (piece.length === 0) return;
      // Copies the bytes, because a stream may keep them longer than a formatter leaves them unchanged.
      if (guard) await console.write(guard(textOf(piece)));
      else await console.write(typeof piece === 'string' ? piece : Buffer.from(piece));
    },
    commit: async () => undefined,
    discard: async () => undefined,
  };
}

/** A sink that writes one document; `formatter` is for it alone. */
export function createDocumentSink(bytes: ByteSink, formatter: Formatter): DocumentSink {
  const { checkpoint: bytesCheckpoint } = bytes;
  const { checkpoint: formatterCheckpoint } = formatter;
  /** Text before the first row, until it is written. */
  let begin = formatter.begin();
  let written = 0;

  function put(piece: Piece): Promise<void> {
    const whole = begin === '' ? piece : begin + textOf(piece);
    begin = '';
    return bytes.write(whole);
  }

  return {
    rewinds: bytesCheckpoint !== undefined && formatterCheckpoint !== undefined,
    async write(rows: readonly Row[]) {
      await put(formatter.rows(rows));
      written += rows.length;
      return rows.length;
    },
    async checkpoint() {
      const before = { begin, written };
      if (!bytesCheckpoint || !formatterCheckpoint) return async () => written === before.written;
      const rewindFormatter = formatterCheckpoint();
      const rewindBytes = await bytesCheckpoint();
      return async () => {
        rewindFormatter();
        await rewindBytes();
        ({ begin, written } = before);
        return true;
      };
    },
    async commit() {
      await put(formatter.end());
      await bytes.commit();
    },
    discard: bytes.discard,
  };
}
