/** Set of whole numbers from 0, one byte for each up to the largest: a `Set` of a million numbers takes forty times as much. */
export interface NumberSet {
  /** `undefined` is not a member. */
  has(number: number | undefined): boolean;
}

/** Returns the set of these numbers; `undefined` is ignored. */
export function numberSet(numbers: readonly (number | undefined)[]): NumberSet {
  const largest = numbers.reduce<number>((most, number = 0) => Math.max(most, number), 0);
  const isMember = new Uint8Array(largest + 1);
  for (const number of numbers) if (number !== undefined) isMember[number] = 1;
  return { has: (number) => number !== undefined && isMember[number] === 1 };
}
