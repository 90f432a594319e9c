/** Memory that is filled and emptied again and again: new memory for each time would pile up faster than it is collected. */
import { Buffer } from 'node:buffer';

export interface Room {
  /** Bytes added since it was emptied. */
  size(): number;
  add(bytes: Uint8Array): void;
  /** The memory, with room for so many bytes more from `size()` on. Whoever writes there says how many with `advance`. */
  reserve(bytes: number): Buffer;
  advance(bytes: number): void;
  /** What was added. Valid until something is added after `clear`. */
  bytes(): Buffer;
  clear(): void;
}

/** Room for a page of scans; kept while it is not much more than that. */
const LEAST = 128 * 1024;
const MOST_KEPT = 8 * LEAST;

export function createRoom(): Room {
  let room = Buffer.alloc(0);
  let used = 0;

  function reserve(bytes: number): Buffer {
    const needed = used + bytes;
    if (needed <= room.length) return room;
    const larger = Buffer.allocUnsafe(Math.max(LEAST, 2 * needed));
    room.copy(larger, 0, 0, used);
    room = larger;
    return room;
  }

  return {
    size: () => used,
    add(bytes) {
      reserve(bytes.length).set(bytes, used);
      used += bytes.length;
    },
    reserve,
    advance(bytes) {
      used += bytes;
    },
    bytes: () => room.subarray(0, used),
    clear() {
      used = 0;
      if (room.length > MOST_KEPT) room = Buffer.alloc(0);
    },
  };
}
