/** The rule of destination.ts, for codes that are created or changed one by one. */
import { UsageError } from '../../base/errors.ts';
import {
  type DestinationProblem,
  findDestinationProblem,
  isDead,
} from '../../codes/destinations/destination.ts';
import type { Context } from '../../context.ts';
import type { NewCode, QrCode } from '../../service/shapes.ts';

/** Warns about the destination of a new code. Throws UsageError if the code would lead nowhere when it is scanned, unless `force`. */
export function checkNewDestination(context: Context, code: NewCode, force = false): void {
  const problem = findDestinationProblem(code.destination, code.type);
  if (problem && isDead(problem) && !force) throw refusal(problem);
  warnOfDestination(context, code);
}

/** Warns about the current destination of a code. */
export function warnOfDestination({ console }: Context, { destination, type }: NewCode | QrCode): void {
  const problem = findDestinationProblem(destination, type);
  if (problem) console.warn(`the destination ${problem.words}`);
}

/**
 * Returns whether codes must be read before they get this destination: it leads nowhere if they are of type url. An empty destination is a
 * valid change.
 */
export function mustKnowType({ destination }: { destination?: string | undefined }, force = false): boolean {
  if (force || destination === undefined || destination === '') return false;
  const problem = findDestinationProblem(destination);
  return problem !== undefined && isDead(problem);
}

/** Throws UsageError if one of the codes would lead nowhere when it is scanned, and does not yet. Nothing was changed then. */
export function refuseDestination(codes: readonly QrCode[], destination: string | undefined): void {
  for (const code of codes) {
    const problem =
      code.destination === destination ? undefined : findDestinationProblem(destination, code.type);
    if (problem && isDead(problem)) throw refusal(problem);
  }
}

function refusal({ words }: DestinationProblem): UsageError {
  return new UsageError(`the destination ${words}`, {
    hint: 'Pass --destination https://…, or add --force to use this address.',
  });
}
