/** Variables that switch something on by convention: CI, ACCESSIBLE, GITHUB_ACTIONS. */

const OFF = new Set(['', '0', 'false', 'no', 'off']);

/** Returns whether the value of a variable switches it on. Any word does, except for those that say no. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !OFF.has(value.toLowerCase());
}
