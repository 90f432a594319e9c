/** Words the failure of an apply run. */
import { PartialError, UnprovenError } from '../../base/errors.ts';
import { countOf, formatCount, inQuotes } from '../../base/text/quote.ts';
import type { CarriedOut } from './carry-out.ts';
import type { Plan } from './plan.ts';

/** Y23: returns what to throw at the end of a run, or undefined if file, lock file and service agree. */
export function applyFailure({ ended, stop, plan }: CarriedOut & { plan: Plan }): unknown {
  if (stop !== undefined) return stop;
  const open = ended.filter(({ outcome }) => outcome === 'undecided');
  const [asked] = open;
  if (asked) return decisionError(asked.item.key, open);
  const failed = ended.filter(({ outcome }) => outcome === 'failed' || outcome === 'not-attempted');
  const [first] = failed;
  if (first) {
    const message = `${formatCount(failed.length)} of ${countOf(plan.items.length, 'key')} failed: ${inQuotes(first.item.key)}: ${first.error ?? 'not attempted'}`;
    return new PartialError(message, { hint: 'Run the same command again to retry. The output lists the reasons.' });
  }
  const kept = ended.filter(({ item }) => item.changes.some(({ isKept }) => isKept));
  if (kept.length === 0) return undefined;
  return new PartialError(`kept another client's edits to ${countOf(kept.length, 'key')}`, {
    hint: 'Copy the edits to the file, or omit --keep-edits to overwrite them.',
  });
}

function decisionError(key: string, open: CarriedOut['ended']): UnprovenError {
  const isGone = open.some(({ item }) => item.action === 'gone');
  const ways = [
    'If the code already exists, add --adopt KEY=CODE.',
    'To create a new code, add --recreate KEY.',
    ...(isGone ? ['If you deleted the code on purpose, remove its row.'] : []),
  ];
  return new UnprovenError(
    `${open.length === 1 ? `the key ${inQuotes(key)} needs` : `${formatCount(open.length)} keys need`} your decision`,
    { hint: ways.join(' ') },
  );
}
