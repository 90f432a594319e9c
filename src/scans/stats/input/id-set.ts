/** Set of counted scans: IDs in four bytes each, with a fingerprint of the time to detect two scans with one ID. */

export interface IdSet {
  /** `new`: added; `known`: it was there; `other`: the id was there with another time. */
  add(id: number | bigint, ms: number): 'new' | 'known' | 'other';
}

interface Block {
  size: number;
  /** In order: the low half of an id above, a fingerprint of the time below. */
  entries: Uint32Array;
}

const BLOCK_BITS = 16;
const BLOCK_IDS = 1 << BLOCK_BITS;
/** The largest prime that fits in half an entry: milliseconds and days do not repeat by it. */
const FINGERPRINTS = 65_521;

export function createIdSet(): IdSet {
  const blocks = new Map<number | bigint, Block>();

  return {
    add(id, ms) {
      const key = typeof id === 'bigint' ? id >> BigInt(BLOCK_BITS) : Math.floor(id / BLOCK_IDS);
      const low =
        typeof id === 'bigint'
          ? Number(BigInt.asUintN(BLOCK_BITS, id))
          : id - Math.floor(id / BLOCK_IDS) * BLOCK_IDS;
      const block = blocks.get(key) ?? { size: 0, entries: new Uint32Array(8) };
      if (block.size === 0) blocks.set(key, block);
      const entry = low * BLOCK_IDS + (((ms % FINGERPRINTS) + FINGERPRINTS) % FINGERPRINTS);
      const at = placeOf(block, low);
      if (at < block.size && (block.entries[at] as number) >>> BLOCK_BITS === low) {
        return block.entries[at] === entry ? 'known' : 'other';
      }
      insert(block, at, entry);
      return 'new';
    },
  };
}

/** Returns the position of an ID in a block, or where it would be. IDs mostly increase: then that is the end. */
function placeOf({ size, entries }: Block, low: number): number {
  if (size === 0 || (entries[size - 1] as number) >>> BLOCK_BITS < low) return size;
  let from = 0;
  let to = size - 1;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((entries[middle] as number) >>> BLOCK_BITS < low) from = middle + 1;
    else to = middle;
  }
  return from;
}

function insert(block: Block, at: number, entry: number): void {
  if (block.size === block.entries.length) {
    const larger = new Uint32Array(2 * block.size);
    larger.set(block.entries);
    block.entries = larger;
  }
  block.entries.copyWithin(at + 1, at, block.size);
  block.entries[at] = entry;
  block.size += 1;
}
