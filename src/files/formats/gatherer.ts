/** Write buffer: collects pieces of text into large writes, also while one is in progress. */
import type { Encoder } from './gzip.ts';

export interface Gatherer {
  /** Whether anything was written. */
  touched(): boolean;
  /** Adds a piece; has no need of it once it resolves. Rejects when an earlier write failed. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Writes the buffer and the encoder's last bytes; resolves when everything is written. */
  end(): Promise<void>;
  /** Resolves when nothing is being written any more, well or not. */
  settled(): Promise<void>;
}

/** Gathered before a write: large enough that a million rows cost a few hundred system calls. */
const BUFFER_BYTES = 512 * 1024;

/** `put` is called for one piece of bytes after the other, never for two at once. */
export function createGatherer(encoder: Encoder, put: (bytes: Uint8Array) => Promise<void>): Gatherer {
  // One is filled while the other is written, again and again: memory for each write would pile up until it is collected.
  let filling = Buffer.alloc(0);
  let spare = Buffer.alloc(0);
  let used = 0;
  let touched = false;
  let writing: Promise<void> = Promise.resolve();

  async function pass(encoded: Promise<Uint8Array[]>): Promise<void> {
    for (const bytes of await encoded) await put(bytes);
  }

  /** Waits for the write before, not for this one. */
  async function start(bytes: Uint8Array): Promise<void> {
    await writing;
    writing = pass(encoder.encode(bytes));
    writing.catch(() => undefined); // the next call rejects
  }

  async function flush(): Promise<void> {
    const full = filling.subarray(0, used);
    [filling, spare] = [spare, filling];
    used = 0;
    if (full.length > 0) await start(full);
  }

  return {
    touched: () => touched,
    async write(chunk) {
      touched = true;
      const most = typeof chunk === 'string' ? 3 * chunk.length : chunk.length; // three bytes at most a unit of UTF-16
      if (used + most > filling.length) await flush();
      if (most > BUFFER_BYTES) {
        await flush();
        await start(Buffer.from(chunk));
        return;
      }
      if (filling.length === 0) filling = Buffer.allocUnsafe(BUFFER_BYTES);
      if (typeof chunk === 'string') used += filling.write(chunk, used);
      else {
        filling.set(chunk, used);
        used += chunk.length;
      }
    },
    async end() {
      await flush();
      await writing;
      await pass(encoder.end());
    },
    settled: () => writing.catch(() => undefined),
  };
}
