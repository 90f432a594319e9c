/** Counts outcomes, in the order in which they first appear. */
export function countOutcomes<O extends string>(ended: Iterable<{ readonly outcome: O }>): Map<O, number> {
  const counts = new Map<O, number>();
  for (const { outcome } of ended) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}
