/** Filters the rows of a run to news: destinations that broke or recovered since the last run. */

/** Row to compare: from this run, or from the file of the last run. */
export interface ComparedRow {
  id: string;
  destination: string | null;
  /** Counts as a failure by the `--fail-on` of this run. */
  failing: boolean;
  /** The certificate ends soon. */
  ending: boolean;
}

/**
 * Returns whether a row is news. A new row is if it fails. A row that failed before and still fails is not, unless its
 * destination changed. The end of a certificate is reported once.
 */
export function isNews(now: ComparedRow, before: ComparedRow | undefined): boolean {
  if (before === undefined) return now.failing || now.ending;
  if (now.failing !== before.failing) return true;
  return (now.failing && now.destination !== before.destination) || (now.ending && !before.ending);
}
