import { UsageError } from '../errors.ts';

/** Throws UsageError if one of the flags is used with `other`. */
export function refuseTogether(other: string, flags: Readonly<Record<string, unknown>>): void {
  const name = Object.keys(flags).find((flag) => flags[flag] !== undefined);
  if (name) throw new UsageError(`${name} can't be used with ${other}`, { hint: 'Omit one of them.' });
}
