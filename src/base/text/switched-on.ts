const OFF = new Set(['', '0', 'false', 'no', 'off']);

/** Returns whether a variable (CI, ACCESSIBLE, GITHUB_ACTIONS) is switched on. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !OFF.has(value.toLowerCase());
}
