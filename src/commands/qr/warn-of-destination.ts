/** The rule of destination.ts, said about one code. */
import type { Context } from '../../context.ts';
import { findDestinationProblem } from '../../destination.ts';
import type { NewCode, QrCode } from '../../service/shapes.ts';

/** Says what would lead nowhere when it is scanned. Of a code that is not known yet its type is url, unless it says another. */
export function warnOfDestination({ console }: Context, { destination, type }: NewCode | QrCode): void {
  const problem = findDestinationProblem(destination, type);
  if (problem) console.warn(`the destination ${problem.words}`);
}
