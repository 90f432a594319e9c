const OFF = new Set(['', '0', 'false', 'no', 'off']);

export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !OFF.has(value.toLowerCase());
}
