/** Gathers pieces of text into large writes, and goes on gathering while one is under way. */
import type { Encoder } from './gzip.ts';

export interface Gatherer {
  /** Whether anything was written. */
  touched(): boolean;
  /** Adds a piece. Rejects when an earlier write failed. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Writes what is gathered and the encoder's last bytes; resolves when all is written. */
  end(): Promise<void>;
  /** Resolves when nothing is being written any more, well or not. */
  settled(): Promise<void>;
}

/** Gathered before a write: large enough that a million rows cost a few hundred system calls. */
const CHUNK = 256 * 1024;

/** `put` is called for one piece of bytes after the other, never for two at once. */
export function createGatherer(encoder: Encoder, put: (bytes: Uint8Array) => Promise<void>): Gatherer {
  let text: string[] = [];
  let size = 0;
  let touched = false;
  let writing: Promise<void> = Promise.resolve();
  // In turns, since one of them is still being written.
  const rooms: Buffer[] = [Buffer.alloc(0), Buffer.alloc(0)];

  /** UTF-8 in the same memory again and again: for a new Buffer each time, node would read the text twice. */
  function inBytes(gathered: string): Uint8Array {
    if (gathered.length > 2 * CHUNK) return Buffer.from(gathered);
    let room = rooms.shift() as Buffer;
    if (room.length === 0) room = Buffer.allocUnsafe(3 * 2 * CHUNK); // three bytes at most a unit of UTF-16
    rooms.push(room);
    return room.subarray(0, room.write(gathered));
  }

  async function pass(encoded: Promise<Uint8Array[]>): Promise<void> {
    for (const bytes of await encoded) await put(bytes);
  }

  /** Waits for the write before, not for this one. */
  async function start(bytes: Uint8Array): Promise<void> {
    await writing;
    writing = pass(encoder.encode(bytes));
    writing.catch(() => undefined); // whoever comes next is told
  }

  async function flush(): Promise<void> {
    const gathered = text.join('');
    text = [];
    size = 0;
    if (gathered !== '') await start(inBytes(gathered));
  }

  return {
    touched: () => touched,
    async write(chunk) {
      touched = true;
      if (typeof chunk !== 'string') {
        await flush();
        await start(chunk);
        return;
      }
      text.push(chunk);
      size += chunk.length;
      if (size >= CHUNK) await flush();
    },
    async end() {
      await flush();
      await writing;
      await pass(encoder.end());
    },
    settled: () => writing.catch(() => undefined),
  };
}
