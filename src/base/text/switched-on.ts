const OFF = new Set(['', '0', 'false', 'no', 'off']);

/** Returns whether the value of a variable (CI, ACCESSIBLE, GITHUB_ACTIONS) switches it on. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !OFF.has(value.toLowerCase());
}
