/** Small generator of random numbers (mulberry32), so that a seed is a whole history. */
export interface Random {
  /** Returns an integer from 0 to `count` - 1. */
  below(count: number): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  /** Returns one of the values. Throws RangeError if there is none. */
  pick<T>(values: readonly T[]): T;
}

/** Returns the generator of a seed. */
export function createRandom(seed: number): Random {
  let state = (seed * 2654435761 + 0x9e3779b9) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (values) => {
      const index = below(values.length);
      if (values.length === 0) throw new RangeError('There is nothing to pick from.');
      return values[index] as (typeof values)[number];
    },
  };
}
