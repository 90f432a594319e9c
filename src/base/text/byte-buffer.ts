/** Reuses bytes: new memory for each use would accumulate faster than it is collected. */
import { Buffer } from 'node:buffer';

export type ByteBuffer = ReturnType<typeof createByteBuffer>;

const LEAST = 128 * 1024;
const MOST_KEPT = 8 * LEAST;

export function createByteBuffer() {
  let memory = Buffer.alloc(0);
  let used = 0;

  /** Returns memory for `bytes` more at `size()`. Call `advance` after writing. */
  function reserve(bytes: number): Buffer {
    const needed = used + bytes;
    if (needed <= memory.length) return memory;
    const larger = Buffer.allocUnsafe(Math.max(LEAST, 2 * needed));
    memory.copy(larger, 0, 0, used);
    memory = larger;
    return memory;
  }

  function add(bytes: Uint8Array): void {
    reserve(bytes.length).set(bytes, used);
    used += bytes.length;
  }

  function clear(): void {
    used = 0;
    if (memory.length > MOST_KEPT) memory = Buffer.alloc(0);
  }

  const bytes = () => memory.subarray(0, used);

  return {
    size: () => used,
    add,
    addText(text: string): void {
      // A loop over short ASCII is faster than a call out of JavaScript.
      const to = reserve(text.length);
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        if (unit > 0x7f) {
          add(Buffer.from(text));
          return;
        }
        to[used + i] = unit;
      }
      used += text.length;
    },
    reserve,
    advance(bytes: number): void {
      used += bytes;
    },
    bytes,
    clear,
    collect(fill: () => void): Buffer {
      used = 0;
      fill();
      const collected = bytes();
      clear();
      return collected;
    },
  };
}
