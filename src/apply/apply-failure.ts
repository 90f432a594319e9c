/** Words the failure of an apply run. */
import { PartialError, UnprovenError } from '../errors.ts';
import { countOf, formatCount, inQuotes } from '../text/quote.ts';
import type { CarriedOut } from './carry-out.ts';
import type { Plan } from './plan.ts';

/** Y23: returns what to throw at the end of a run, or undefined if file, lock file and service agree. */
export function applyFailure({ ended, stop, plan }: CarriedOut & { plan: Plan }): unknown {
  if (stop !== undefined) return stop;
  const open = ended.filter(({ outcome }) => outcome === 'undecided');
  if (open.length > 0) return decisionError(open.length, open[0]?.item.key ?? '', ended);
  const failed = ended.filter(({ outcome }) => outcome === 'failed' || outcome === 'not-attempted');
  if (failed.length > 0) {
    const message = `${formatCount(failed.length)} of ${countOf(plan.items.length, 'key')} failed: ${inQuotes(failed[0]?.item.key ?? '')}: ${failed[0]?.error ?? 'not attempted'}`;
    return new PartialError(message, { hint: 'Run this again to retry. The output lists the reasons.' });
  }
  const kept = ended.filter(({ item }) => item.changes.some(({ isKept }) => isKept));
  if (kept.length === 0) return undefined;
  return new PartialError(`${countOf(kept.length, 'key')} edited by another client, and kept`, {
    hint: 'Copy the edits to the file, or omit --keep-edits to overwrite them.',
  });
}

function decisionError(count: number, key: string, ended: CarriedOut['ended']): UnprovenError {
  const isGone = ended.some(({ item, outcome }) => outcome === 'undecided' && item.action === 'gone');
  const ways = [
    '--adopt KEY=CODE if the key is an existing code',
    `--recreate KEY for a new code${isGone ? '' : ', if it is none of them'}`,
    ...(isGone ? ['or remove the row of a code that was deleted'] : []),
  ];
  return new UnprovenError(
    `${count === 1 ? `the key ${inQuotes(key)} needs` : `${formatCount(count)} keys need`} your decision`,
    { hint: `Run the command again with ${ways.join(', ')}.` },
  );
}
