/** Which flags of the qr commands go together. */
import { UsageError } from '../../errors.ts';

type Given = Readonly<Record<string, unknown>>;

function firstGiven(flags: Given): string | undefined {
  return Object.keys(flags).find((name) => flags[name] !== undefined);
}

/** Throws UsageError when one of the flags was given beside `other`. */
export function refuseTogether(other: string, flags: Given): void {
  const name = firstGiven(flags);
  if (name) throw new UsageError(`${name} does not go with ${other}`, { hint: `leave out one of them` });
}

/** Throws UsageError when one of the flags was given, which all need `--from`. */
export function requireFrom(flags: Given): void {
  const name = firstGiven(flags);
  if (name)
    throw new UsageError(`${name} goes with --from FILE`, { hint: `name the file of rows with --from, or leave out ${name}` });
}
