/** Reads the file of `--logo`, which is checked and bounded before anything of it is drawn. */
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { LogoFault } from '../image/load-logo.ts';
import { nameOfGiven, readGiven } from './read-given.ts';

type Load<T> = (bytes: Buffer, signal: AbortSignal) => Promise<T | LogoFault>;

/** Returns the logo as `load` (a function of load-logo.ts) makes it. Throws UsageError if the file can't be read, or is not a logo. */
export async function readLogo<T extends object>(context: Context, path: string, load: Load<T>): Promise<T> {
  const { MOST_LOGO_BYTES } = await import('../image/load-logo.ts');
  const whenLarger = 'save a smaller logo; 600 pixels are enough for print';
  const bytes = await readGiven(context, path, { flag: '--logo', mostBytes: MOST_LOGO_BYTES, whenLarger });
  const logo = await load(bytes, context.signal);
  if (!('fault' in logo)) return logo;
  throw new UsageError(`${nameOfGiven(path)} ${logo.fault}`, { hint: 'Specify a PNG or SVG file with --logo.' });
}
