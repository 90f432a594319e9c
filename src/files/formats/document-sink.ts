import { type Formatter, type Piece, textOf } from './formatter.ts';
import type { Row, RowSink } from './row-sink.ts';

export interface ByteSink {
  write(piece: Piece): Promise<void>;
  commit(): Promise<void>;
  /** Abandons the output. Idempotent; does nothing after `commit`. Never throws. */
  discard(): Promise<void>;
  checkpoint?: () => Promise<() => Promise<void>>;
}

export interface DocumentSink extends RowSink {
  rewinds: boolean;
}

export function stdoutBytes(
  console: { write(data: string | Uint8Array): Promise<void> },
  guard?: (text: string) => string,
): ByteSink {
  return {
    async write(piece) {
      if (piece.length === 0) return;
      // Copies the bytes, because a stream may keep them longer than the formatter does.
      if (guard) await console.write(guard(textOf(piece)));
      else await console.write(typeof piece === 'string' ? piece : Buffer.from(piece));
    },
    commit: async () => undefined,
    discard: async () => undefined,
  };
}

export function createDocumentSink(bytes: ByteSink, formatter: Formatter): DocumentSink {
  const { checkpoint: bytesCheckpoint } = bytes;
  const { checkpoint: formatterCheckpoint } = formatter;
  let begin = formatter.begin();

  function put(piece: Piece): Promise<void> {
    const whole = begin === '' ? piece : begin + textOf(piece);
    begin = '';
    return bytes.write(whole);
  }

  return {
    rewinds: bytesCheckpoint !== undefined && formatterCheckpoint !== undefined,
    async write(rows: readonly Row[]) {
      await put(formatter.rows(rows));
      return rows.length;
    },
    async checkpoint() {
      if (!bytesCheckpoint || !formatterCheckpoint) return async () => false;
      const before = begin;
      const rewindFormatter = formatterCheckpoint();
      const rewindBytes = await bytesCheckpoint();
      return async () => {
        rewindFormatter();
        await rewindBytes();
        begin = before;
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
