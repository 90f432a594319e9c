/** Buffer that can be reused. New memory for each use would accumulate faster than it is collected. */
import { Buffer } from 'node:buffer';

export type ByteBuffer = ReturnType<typeof createByteBuffer>;

const LEAST = 128 * 1024;
const MOST_KEPT = 8 * LEAST;

export function createByteBuffer() {
  let memory = Buffer.alloc(0);
  let used = 0;
  return {
    size: () => used,
    add(bytes: Uint8Array): void {
      const needed = used + bytes.length;
      if (needed > memory.length) {
        const larger = Buffer.allocUnsafe(Math.max(LEAST, 2 * needed));
        memory.copy(larger, 0, 0, used);
        memory = larger;
      }
      memory.set(bytes, used);
      used = needed;
    },
    bytes: () => memory.subarray(0, used),
    clear(): void {
      used = 0;
      if (memory.length > MOST_KEPT) memory = Buffer.alloc(0);
    },
  };
}
