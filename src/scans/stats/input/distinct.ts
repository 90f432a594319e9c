/** Finds duplicate scans in files. Keeps IDs in memory only if times and IDs don't rise. */
import { firstIndex, getOrAdd } from '#base/collections';
import { UnprovenError } from '#base/errors';
import { quote } from '#base/text/quote';

/** Tests whether a scan is new. `owner`: code ID, or empty if unknown. */
export type IsNew = (owner: string, id: number | bigint, ms: number) => boolean;

export class OutOfOrderError extends Error {}

/** Returns a test that throws OutOfOrderError for scans that are not in order of time and ID. */
export function createOrderCheck(): IsNew {
  const ends = new Map<string, { ms: number; id: number | bigint }>();
  let owner: string | undefined;
  let end = { ms: -Infinity, id: 0 as number | bigint };
  return (of, id, ms) => {
    if (of !== owner) {
      owner = of;
      end = getOrAdd(ends, of, () => ({ ms: -Infinity, id: 0 }));
    }
    // F5: a scan is new without a lookup only if it is later, or has the same time and a larger ID.
    if (ms < end.ms || (ms === end.ms && id <= end.id))
      throw new OutOfOrderError('scans are not in chronological order');
    end.ms = ms;
    end.id = id;
    return true;
  };
}

/** Returns a test that keeps all IDs and throws UnprovenError if one has two times. */
export function createMemory(): IsNew {
  const sets = new Map<string, IdSet>();
  return (owner, id, ms) => {
    const found = getOrAdd(sets, owner, createIdSet).add(id, ms);
    // F6: without code IDs, scans from two codes may have the same ID.
    if (found === 'other') {
      throw new UnprovenError(
        `cannot remove duplicate scans: two scans with different times have the ID ${id}${owner === '' ? '' : ` in code ${quote(owner)}`}`,
        {
          hint: 'Export the codes again into one file, which adds code IDs: `qrctl scans export CODE CODE -o scans.csv`.',
        },
      );
    }
    return found === 'new';
  };
}

export type IdSet = ReturnType<typeof createIdSet>;

interface Block {
  size: number;
  /** Sorted entries: the low 16 bits of an ID, then the time modulo FINGERPRINTS. */
  entries: Uint32Array;
}

const BLOCK_BITS = 16;
const BLOCK_IDS = 1 << BLOCK_BITS;
/** Largest prime below 2^16, so that regular times rarely have the same remainder. */
const FINGERPRINTS = 65_521;

export function createIdSet() {
  const blocks = new Map<number | bigint, Block>();

  return {
    add(id: number | bigint, ms: number): 'new' | 'known' | 'other' {
      const { key, low } = partsOf(id);
      const block = getOrAdd(blocks, key, () => ({ size: 0, entries: new Uint32Array(8) }));
      const entry = low * BLOCK_IDS + (((ms % FINGERPRINTS) + FINGERPRINTS) % FINGERPRINTS);
      const at = placeOf(block, low);
      if (isAt(block, at, low)) return block.entries[at] === entry ? 'known' : 'other';
      insert(block, at, entry);
      return 'new';
    },
    has(id: number | bigint): boolean {
      const { key, low } = partsOf(id);
      const block = blocks.get(key);
      return block !== undefined && isAt(block, placeOf(block, low), low);
    },
  };
}

function partsOf(id: number | bigint): { key: number | bigint; low: number } {
  if (typeof id === 'bigint')
    return { key: id >> BigInt(BLOCK_BITS), low: Number(BigInt.asUintN(BLOCK_BITS, id)) };
  const key = Math.floor(id / BLOCK_IDS);
  return { key, low: id - key * BLOCK_IDS };
}

function isAt({ size, entries }: Block, at: number, low: number): boolean {
  return at < size && (entries[at] as number) >>> BLOCK_BITS === low;
}

function placeOf({ size, entries }: Block, low: number): number {
  if (size === 0 || (entries[size - 1] as number) >>> BLOCK_BITS < low) return size;
  return firstIndex(size - 1, (at) => (entries[at] as number) >>> BLOCK_BITS >= low);
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
