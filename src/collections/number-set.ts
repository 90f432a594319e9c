/** Set of whole numbers from 0 to a bound, one byte for each: a `Set` of a million numbers takes forty times as much. */
export interface NumberSet {
  has(number: number): boolean;
}

/** Returns the set of these numbers, none of which is larger than `bound`; `undefined` is not a member. */
export function numberSet(numbers: Iterable<number | undefined>, bound: number): NumberSet {
  const isMember = new Uint8Array(bound + 1);
  for (const number of numbers) if (number !== undefined) isMember[number] = 1;
  return { has: (number) => isMember[number] === 1 };
}
